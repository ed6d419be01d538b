"""Decide about a tool call before a runtime makes it.

Takes the event of a hook as it comes; returns the answer in that runtime's JSON, or nothing, which lets the call pass
unchanged. A shell command that is one apply_patch call is planned against the workspace without writing: if it applies,
it is allowed in a form that calls our command directly, else it is denied with the reason. An event that cannot be read
blocks nothing. `decide` decides; where a project has rules, `approval` applies them to any tool. A hook runs before
every tool call of an agent, so what most events do not need is imported where it is used.
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


class UnreadableEvent(Exception):  # noqa: N818  # not an error: it is reported, and the call passes
    """An event that is not one of those known here; the first argument says why."""


def respond(data: bytes, program: list[str]) -> str:
    """The answer to an event, '' to let the call pass; `program` is how our apply_patch is run."""
    if not mentions(data) and BEGIN.encode() not in data and not _may_be_ruled(data):
        return ""
    import json

    try:
        event = read_event(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise UnreadableEvent(f"it is not JSON ({str(error)[:60]})") from None
    if isinstance(event, str):
        raise UnreadableEvent(event)
    decision = decide(event, program)
    root = workspace_root(event.cwd)
    if settings_files(os.path.realpath(root)):
        from patchkit.runtimes.approval import approved

        decision = approved(event, decision, root)
    return json.dumps(answer(event, decision)) if decision is not None else ""


def _may_be_ruled(data: bytes) -> bool:
    """Whether a project may have rules for the session, as far as that is known without decoding the event."""
    before, _, rest = data.partition(b'"cwd"')
    path = rest.lstrip(b" \t\r\n:")[:1] == b'"' and rest.split(b'"', 2)[1]
    if not path or b"\\" in path or b'"tool_input"' in before:
        return True  # not where runtimes put it: the event has to be decoded
    return bool(settings_files(os.path.realpath(workspace_root(os.fsdecode(path)))))


def decide(event: Event, program: list[str]) -> Decision | None:
    """The decision about the call; None where it does not concern us."""
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
    """The workspace: PATCHKIT_ROOT, else the runtime's project where the session is inside it, else its directory."""
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
    """The input of the tool with a call of our command by its full path, which no shell can read differently."""
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
