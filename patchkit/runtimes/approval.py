"""What a project's rules say about a tool call that a runtime is about to make.

Takes a hook's event and the decision about it so far; returns the Decision with the rules applied, where the project
has any: where it has none, the runtime's own approvals stay as they are. A call outside the workspace is left to the
runtime, too.
"""

from __future__ import annotations

import os
from shlex import join

from patchkit.errors import PatchkitError
from patchkit.policy import READ
from patchkit.policy.audit import logs
from patchkit.policy.commands import of_script
from patchkit.policy.deeds import Deed, Deeds
from patchkit.policy.permissions import Judge, Judged, Judgement
from patchkit.policy.rules import ALLOW, ASK, DENY
from patchkit.policy.settings import settings
from patchkit.report.diagnostics import render_errors
from patchkit.runtimes.events import Decision, Event
from patchkit.tools.registry import effect_and_name, named
from patchkit.workspace.root import Workspace

_PATHS = ("file_path", "absolute_path", "notebook_path", "path", "dir_path")
_PATCHES = ("input", "patch", "command", "patchText")
# Names that runtimes have for tools that do what one of ours does.
_TOOLS = {"notebookedit": "Edit", "replace": "Edit", "notebookread": "Read", "search_file_content": "Grep"}
_SEARCHES = ("Grep", "Glob")
_HELP, _APPROVAL = "\n  = help: ", "ask a person to allow it by a rule"
_READ_ONLY = "plan"  # a mode in which nothing may be allowed to write


def approved(event: Event, decision: Decision | None, root: str) -> Decision | None:
    """The decision under the rules of `root`; None lets the call pass as it is."""
    try:
        ruled = _ruled(event, root)
    except PatchkitError as error:  # the rules cannot be read: a person has to know, and to decide
        ruled = Decision(ASK, render_errors(error.errors).rstrip("\n"))
    return _for_runtime(event, _stricter(event, decision, ruled))


def _ruled(event: Event, root: str) -> Decision | None:
    with Workspace(root, event.cwd if _inside(event.cwd, root) else None) as files:
        known = settings(files.real)
        if not known.has("permissions"):
            return None
        judge = Judge(files, known, effect_and_name, [log.path for log in logs(known, files.real)])
        deeds = [deed for deed in _deeds(event, judge.deeds) if deed.trouble is None]
        judgement = judge.judge(_tool(event), deeds)
    if not deeds:
        return None
    if judgement.decision == ALLOW and _is_open(event, judge, deeds):
        return None
    decision = Decision(judgement.decision, _reason(judgement))
    decision.hides = any(part.decision != ALLOW and _hides(part) for part in judgement.parts)
    return decision


def _is_open(event: Event, judge: Judge, deeds: list[Deed]) -> bool:
    """Whether a call is left to the runtime although no rule is against it.

    A search by the runtime itself may find files that a rule hides: we cannot prevent that they are shown.
    """
    if event.mode == _READ_ONLY and any(deed.effect != READ for deed in deeds):
        return True
    tool = _tool(event)
    return tool in _SEARCHES and judge.rules.restricts(READ, tool)


def _hides(part: Judged) -> bool:
    """Whether a change is refused because the file may not be read: then no message may show how it differs."""
    return part.deed.looks and part.rule is not None and part.rule.effect == READ


def _inside(path: str, root: str) -> bool:
    here, base = os.path.realpath(path), os.path.realpath(root)
    return here == base or here.startswith(base.rstrip("/") + "/")


def _reason(judgement: Judgement) -> str:
    return f"{judgement.reason}: {judgement.rule}"


def _tool(event: Event) -> str:
    """The tool of ours that does the same; '' where there is none."""
    if event.field:
        return "Bash"
    try:
        return named(_TOOLS.get(event.tool.lower(), event.tool)).name
    except PatchkitError:
        return ""


def _deeds(event: Event, deeds: Deeds) -> list[Deed]:
    """What the call would do; nothing where it is of a tool not known here."""
    if event.field:
        command = event.input[event.field]
        script = join(map(str, command)) if isinstance(command, list) else str(command)
        return of_script(deeds, script, event.directory)
    tool = _tool(event)
    if tool in ("apply_patch", "check"):
        text = next((event.input[name] for name in _PATCHES if isinstance(event.input.get(name), str)), "")
        return deeds.of_patch(str(text), check=tool == "check")
    if not tool or tool == "Bash":  # a shell tool without a command
        return []
    path = next((event.input[name] for name in _PATHS if isinstance(event.input.get(name), str)), ".")
    return named(tool).deeds(deeds, {"file_path": path})


def _stricter(event: Event, decision: Decision | None, ruled: Decision | None) -> Decision | None:
    """Both in one: the stricter of them, with the input that was rewritten for it."""
    if ruled is None or (decision is not None and decision.verb == DENY and ruled.verb != DENY and not ruled.hides):
        return decision
    if decision is None or ruled.verb == DENY or ruled.hides:
        return ruled
    return decision if ruled.verb == ALLOW else Decision(ruled.verb, ruled.reason, decision.input)


def _for_runtime(event: Event, decision: Decision | None) -> Decision | None:
    """The decision as far as the runtime takes it: Codex cannot ask, and allows only what was rewritten."""
    if decision is None or not event.is_codex:
        return decision
    if decision.verb == ASK:
        return Decision(DENY, decision.reason if _HELP in decision.reason else decision.reason + _HELP + _APPROVAL)
    return None if decision.verb == ALLOW and decision.input is None else decision
