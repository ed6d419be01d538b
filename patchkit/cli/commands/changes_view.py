"""What the page of changes shows: the runs of a workspace with their contents, and who made them.

Takes a workspace; gives the page as text. `log --html` writes it to a file, `serve` sends it to a browser.
"""

from __future__ import annotations

from datetime import datetime

from patchkit.core.changes import FileChange, Plan
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.history.reading import Run, runs
from patchkit.history.timeline import Changed, Held, changes_of
from patchkit.policy import READ
from patchkit.policy.audit import Recorded, logs, recorded
from patchkit.policy.authors import calls_of
from patchkit.policy.oversight import Oversight
from patchkit.policy.settings import settings
from patchkit.report.pages.changes_page import ShownRun, Wanted, changes_page, confirmation_page
from patchkit.tools import undo as tool
from patchkit.tools.registry import effect_and_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[str], bool]  # whether the file of a name may be read


def page_of(
    files: Workspace,
    wanted: Wanted | None = None,
    live: bool = False,
    message: str = "",
    may_read: Reader | None = None,
) -> str:
    """The page of every run in the workspace, without the content of files that may not be read."""
    return changes_page(files.real, shown_runs(files, may_read), wanted, live, message)


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
    calls = calls_of([(run.id, run.time, _paths(run)) for run in known], _calls(files))
    found = []
    for run in known:
        shown = _shown(run)
        shown.author = _author(run, calls.get(run.id))
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


def confirmation_of(files: Workspace, run_id: str, verb: str, action: str, agent: bool = False) -> str:
    """The page that asks before a run is undone or redone; raises where that would be refused."""
    run, plan = tool.preview(files, run_id, Oversight(verb, agent, tool_names=effect_and_name), verb)
    return confirmation_page(files.real, _shown(run), verb, action, _planned(plan))


def _shown(run: Run) -> ShownRun:
    shown = ShownRun(run.id, f"{datetime.fromtimestamp(run.time / 1e9):%Y-%m-%d %H:%M:%S}", run.state)
    shown.touched = run.touched
    shown.hindrance = run.hindrance
    return shown


def _paths(run: Run) -> set[str]:
    return {path for each in run.touched for path in (each.path, each.moved_from or each.path)}


def _calls(files: Workspace) -> list[Recorded]:
    try:
        return recorded(logs(settings(files.real), files.real, agent=True))[0]
    except PatchkitError:  # the page is shown without what a damaged log would add
        return []


def _author(run: Run, call: Recorded | None) -> list[tuple[str, str]]:
    """Who made the change: as the run recorded it, else as the audit log does."""
    caller, session, name = run.author
    if call is not None:
        caller, session, name = caller or call.caller, session or call.session or "", name or call.tool
    found = [("by", caller), ("session", session), ("tool", name)]
    if call is not None:
        found += [("decision", call.decision or ""), ("rule", call.rule or "")]
        found += [("audit log", f"{call.time.astimezone():%Y-%m-%d %H:%M:%S}, {call.status}")]
    return [(label, value) for label, value in found if value]


def _planned(plan: Plan) -> list[Changed]:
    return [Changed(name, _before(change), _after(change)) for name, change in plan.changes.items()]


def _before(change: FileChange) -> Held:
    entry = change.before
    if entry.kind == "file":
        return Held("file", bytes(entry.data))
    return Held(entry.kind, entry.target.encode("utf-8", "surrogateescape") if entry.kind == "link" else b"")


def _after(change: FileChange) -> Held:
    if change.after is None:
        return Held("missing")
    return Held("link" if change.is_link else "file", b"".join(change.after))
