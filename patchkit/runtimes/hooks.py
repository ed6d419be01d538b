"""Decide about a tool call before a runtime makes it.

Takes the event of a hook as it comes; gives the answer in that runtime's JSON, or nothing, which lets the call pass as
it is. A shell command that is one apply_patch call is planned against the workspace without writing: if it applies, it
is allowed in a form that goes straight to our command, else it is denied with the reason. Nothing is ever blocked
because an event cannot be read. `decide` is the one place where it is decided; where a project states rules,
`approval` adds what they say, about any tool.
"""

from __future__ import annotations

import os

from patchkit.errors import PatchkitError
from patchkit.policy.settings_files import settings_files
from patchkit.runtimes.events import Decision, Event, answer, read_event
from patchkit.shell.mention import BEGIN, mentions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.shell.verdict import Verdict

_PROJECT_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")
_NOT_OURS = ("P518", "P521")  # no command, or no directory to run it in: the runtime will say so itself
_READ_ONLY = "plan"  # a mode in which nothing may be allowed to write


class UnreadableEvent(Exception):  # noqa: N818  # whoever calls tells of it and lets the call pass
    """An event that is not one of those known here; the first argument says why."""


def respond(data: bytes, program: list[str]) -> str:
    """The answer to an event, '' to let the call pass; `program` is how our apply_patch is run."""
    if not mentions(data) and BEGIN.encode() not in data and not _may_be_ruled(data):
        return ""
    import json

    try:
        event = read_event(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise UnreadableEvent(f"it is no JSON ({str(error)[:60]})") from None
    if isinstance(event, str):
        raise UnreadableEvent(event)
    decision = decide(event, program)
    root = workspace_root(event.cwd)
    if settings_files(os.path.realpath(root)):
        from patchkit.runtimes.approval import approved

        decision = approved(event, decision, root)
    return json.dumps(answer(event, decision)) if decision is not None else ""


def _may_be_ruled(data: bytes) -> bool:
    """Whether a project states rules where the session stands, as far as that shows without decoding the event."""
    before, _, rest = data.partition(b'"cwd"')
    path = rest.lstrip(b" \t\r\n:")[:1] == b'"' and rest.split(b'"', 2)[1]
    if not path or b"\\" in path or b'"tool_input"' in before:
        return True  # it is not where the runtimes put it: the event has to be decoded to know
    return bool(settings_files(os.path.realpath(workspace_root(os.fsdecode(path)))))


def decide(event: Event, program: list[str]) -> Decision | None:
    """What becomes of the call; None where it is none of our business."""
    if not event.field:
        return None
    from patchkit.shell.requests import verdict_of_call

    verdict = verdict_of_call({"command": event.input[event.field], "shell": _shell()}, event.directory)
    if verdict.code in _NOT_OURS:
        return None
    if verdict.verdict == "error":
        return Decision("deny", f"error[{verdict.code}]: {verdict.reason}\n  = help: {verdict.help}")
    call = verdict.then or verdict
    if call.patch is None or call.workdir is None:
        return None
    root = workspace_root(event.cwd)
    refusal = _refusal(root, call.patch, call.workdir)
    if refusal:
        return Decision("deny", refusal)
    if verdict.then is not None or event.mode == _READ_ONLY:
        return None
    return Decision("allow", "the patch applies", _rewritten(event, verdict, [*program, "--root", root]))


def workspace_root(cwd: str) -> str:
    """The workspace: PATCHKIT_ROOT, else the runtime's project where the session is inside it, else where it stands."""
    given = os.environ.get("PATCHKIT_ROOT")
    if given:
        return os.path.abspath(given)
    here = os.path.realpath(cwd)
    for name in _PROJECT_VARIABLES:
        project = os.environ.get(name) or ""
        inside = os.path.realpath(project)
        if project and (here == inside or here.startswith(inside.rstrip("/") + "/")):
            return project
    return cwd


def _refusal(root: str, patch: str, workdir: str) -> str:
    """Why the patch would not apply, '' when it would. Nothing is written."""
    from patchkit.changes.apply import apply
    from patchkit.changes.options import Options
    from patchkit.report.diagnostics import render_errors
    from patchkit.workspace.root import Workspace

    options = Options(check=True, dialect=os.environ.get("PATCHKIT_DIALECT") or "safe")
    try:
        with Workspace(root, workdir) as files:
            apply(patch, files, options.checked())
    except PatchkitError as error:
        return render_errors(error.errors, patch).rstrip("\n")
    return ""


def _rewritten(event: Event, verdict: Verdict, program: list[str]) -> dict[str, object]:
    """The input of the tool with the call in the form that needs no shell to be read: ours, by its full name."""
    from shlex import quote

    patch = str(verdict.patch)
    delimiter, lines = "PATCH", set(patch.split("\n"))
    while delimiter in lines:
        delimiter += "_"
    words = " ".join(quote(word) for word in [*program, "-C", str(verdict.workdir)])
    ending = "" if patch.endswith("\n") else "\n"
    script = f"{words}{' 2>&1' if verdict.merged else ''} <<'{delimiter}'\n{patch}{ending}{delimiter}\n"
    command: object = script if isinstance(event.input[event.field], str) else ["bash", "-c", script]
    return {**event.input, event.field: command}


def _shell() -> str:
    """The shell a runtime hands a text to: the user's own where that is zsh, else bash."""
    return "zsh" if os.path.basename(os.environ.get("SHELL") or "") == "zsh" else "bash"
