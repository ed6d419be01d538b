"""What the page of changes shows: the runs of a workspace with their contents, and who made them.

Takes a workspace; gives the page as text. `log --html` writes it to a file, `serve` sends it to a browser.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime

from patchkit.core.changes import FileChange
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.history import directory_of
from patchkit.history.reading import Run, Touched, runs
from patchkit.history.timeline import Changed, Held, changes_of, held
from patchkit.policy import READ
from patchkit.policy.audit import Log, Recorded, calls_of, logs, recorded
from patchkit.policy.oversight import Oversight
from patchkit.policy.settings import settings
from patchkit.report.pages.changes_page import ShownRun, Wanted, changes_page, confirmation_page
from patchkit.tools import undo as tool
from patchkit.tools.registry import TOOLS, effect_and_name

Reader = Callable[[str], bool]  # whether the file of a name may be read

_MOMENT = "%Y-%m-%d %H:%M:%S %Z"


def page_of(
    files: Workspace,
    wanted: Wanted | None = None,
    live: bool = False,
    message: str = "",
    may_read: Reader | None = None,
) -> str:
    """The page of every run, and of what was refused, without the content of files that may not be read."""
    mark = mark_of(files.real) if live else ""
    entries = sorted([*shown_runs(files, may_read), *_refusals(files)], key=lambda each: each.time, reverse=True)
    hint = (
        "" if _logs(files.real) else "What was refused is shown where calls are recorded: '[audit]' in .patchkit.toml"
    )
    return changes_page(files.real, entries, wanted, mark, message, hint if live else "")


def mark_of(root: str) -> str:
    """What changes when there is something new to show; cheap, for it is asked for every second."""
    places = [directory_of(root), *(log.path for log in _logs(root))]
    return "-".join(str(os.stat(each).st_mtime_ns) for each in places if each is not None and os.path.exists(each))


def _logs(root: str) -> list[Log]:
    try:
        return logs(settings(root), root, agent=True)
    except PatchkitError:  # the page is shown without what damaged settings would add
        return []


def _refusals(files: Workspace) -> list[ShownRun]:
    """The calls that were refused: of tools that change something, and what rules did not allow."""
    reading = {tool.name for tool in TOOLS if tool.effect == READ}
    found = []
    for call in _calls(files):
        if call.status != "error" or (call.tool in reading and call.decision in (None, "allow")):
            continue
        touched = [Touched("M", path) for path in dict.fromkeys(call.about)]
        values = (call.caller, call.session, call.tool, call.decision, call.rule)
        labels = ("by", "session", "tool", "decision", "rule")
        author = [(label, value) for label, value in zip(labels, values) if value]
        moment = f"{call.time.astimezone():{_MOMENT}}"
        time = int(call.time.timestamp() * 1e9)
        found.append(ShownRun("", moment, "refused", time, touched, author, code=call.code or ""))
    return found


def reader_of(files: Workspace, agent: bool) -> Reader | None:
    """Says whether an agent may read a file; None for a person, whose own history this is."""
    if not agent:
        return None
    judge = Oversight("log", agent, files.real, READ, tool_names=effect_and_name).judge_over(files)
    return judge.reader("Read", agent) if judge is not None else None


def shown_runs(files: Workspace, may_read: Reader | None = None) -> list[ShownRun]:
    """Every run, the newest first, as the page shows it."""
    known = runs(files.real)
    changes = changes_of(known, files)
    calls = calls_by_run(files, known)
    found = []
    for run in known:
        shown = _shown(run, calls.get(run.id))
        shown.changes = _readable(changes[run.id], run, may_read) if may_read is not None else changes[run.id]
        found.append(shown)
    return found


def _readable(changes: list[Changed], run: Run, may_read: Reader) -> list[Changed]:
    """The changes, without the contents of a file that may not be read by one of its names."""
    hidden = {
        path
        for each in run.touched
        for path in (each.path, each.moved_from or each.path)
        if not (may_read(each.path) and may_read(each.moved_from or each.path))
    }
    return [
        Changed(each.path, None, None, "a rule forbids to read it")
        if each.path in hidden or not may_read(each.path)
        else each
        for each in changes
    ]


def calls_by_run(files: Workspace, known: list[Run]) -> dict[str, Recorded]:
    """The line of the audit log that each run belongs to, by the id of the run."""
    paths = [{path for each in run.touched for path in (each.path, each.moved_from or each.path)} for run in known]
    return calls_of([(run.id, run.time, each) for run, each in zip(known, paths)], _calls(files))


def author_of(run: Run, call: Recorded | None) -> list[str]:
    """Who made a change, in which session, with which tool: as the run recorded it, else as the audit log does."""
    if call is None:
        return run.author
    return [own or other or "" for own, other in zip(run.author, (call.caller, call.session, call.tool))]


def confirmation_of(files: Workspace, run_id: str, verb: str, action: str, agent: bool = False) -> str:
    """The page that asks before a run is undone or redone; raises where that would be refused."""
    run, plan = tool.preview(files, run_id, Oversight(verb, agent, tool_names=effect_and_name))
    shown = _shown(run, calls_by_run(files, [run]).get(run.id))
    changes = [Changed(name, held(change.before), _after(change)) for name, change in plan.changes.items()]
    return confirmation_page(files.real, shown, verb, action, changes)


def _shown(run: Run, call: Recorded | None) -> ShownRun:
    moment = f"{datetime.fromtimestamp(run.time / 1e9).astimezone():{_MOMENT}}"
    known = list(zip(("by", "session", "tool"), author_of(run, call)))  # who made the change, each with its label
    if call is not None:
        known += [("decision", call.decision or ""), ("rule", call.rule or "")]
        known += [("audit log", f"{call.time.astimezone():{_MOMENT}}, {call.status}")]
    author = [(label, value) for label, value in known if value]
    return ShownRun(run.id, moment, run.state, run.time, run.touched, author, hindrance=run.hindrance)


def _calls(files: Workspace) -> list[Recorded]:
    try:
        return recorded(_logs(files.real))[0]
    except PatchkitError:  # the page is shown without what a log adds that cannot be read
        return []


def _after(change: FileChange) -> Held:
    if change.after is None:
        return Held("missing")
    return Held("link" if change.is_link else "file", b"".join(change.after))
