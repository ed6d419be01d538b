"""`patchkit log`, `undo`, `redo` and `recover`: what was done in a workspace, and how to take it back."""

from __future__ import annotations

import os
import time

from patchkit.changes.diff import unified
from patchkit.cli import exit_status
from patchkit.cli.answer import print_result
from patchkit.cli.audit_log import recorded_calls
from patchkit.cli.changes_view import page_of
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import ALLOW_VCS, AS_AGENT, JSON, ROOT, Flag, argument
from patchkit.cli.search_looks import file_link
from patchkit.cli.signals import Interrupted, end, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import Note, PatchkitError
from patchkit.policy import WRITE
from patchkit.policy.oversight import Oversight
from patchkit.report.changes_page import Wanted
from patchkit.report.checked import counted
from patchkit.report.diagnostics import as_error
from patchkit.report.result import Result, failure, note_data
from patchkit.report.stat import diff_spans
from patchkit.tools import log as listing
from patchkit.tools import undo as tool
from patchkit.tools.registry import effect_and_name
from patchkit.workspace.directories import current_directory, resolved
from patchkit.workspace.history.observing import tracked_workspace
from patchkit.workspace.history.reading import Touched
from patchkit.workspace.history.recording import clear
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.report.spans import Span

Answer = tuple[Result, list[Note]]
Asked = dict[str, object]  # what the command line asks for, as the context of the result shows it


def _log(
    count: int | None,
    every: bool,
    clears: bool,
    page: str | None,
    root: str | None,
    as_json: bool,
    **only: str | None,
) -> None:
    if clears and (every or count is not None):
        raise CommandLineError("--clear forgets every run: leave -n and --all out")
    if page is not None and (clears or every):
        raise CommandLineError("--html writes the page of all runs: leave --all and --clear out")
    wanted = {name: value for name, value in only.items() if value is not None}
    if wanted and not every:
        raise CommandLineError(f"--{next(iter(wanted))} goes with --all")

    def work(files: Workspace) -> Answer:
        if clears:
            files.begin()
            count_of = clear(files.real)
            return Result("success", {"cleared": count_of}, f"Forgot {counted(count_of, 'run')}.\n"), []
        if every:
            return recorded_calls(files, count, wanted)
        if page is not None:
            return _written_page(files, page, count), []
        known = listing.log(files, count)
        text = "".join([text for text, _style in listing.log_spans(known)])
        result = Result("success", {"runs": [listing.run_data(run) for run in known]}, text)
        if os.isatty(1):
            result.for_people = lambda _columns: listing.log_spans(known, _linked_in(files.real))
        return result, []

    _answer(work, as_json, {"root": root, "n": count, **({"all": True, **wanted} if every else {})})


def _written_page(files: Workspace, page: str, count: int | None) -> Result:
    """Writes the page of changes to a file that the person names; '-' is standard output."""
    text = page_of(files, None if count is None else Wanted(count=count))
    if page == "-":
        return Result("success", {"file": None}, text)
    try:
        with open(page, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise PatchkitError("P402", file=page, reason=str(error.strerror).lower()) from None
    return Result("success", {"file": page}, f"Wrote {page}\n")


def _undo(run: str, shows: bool, root: str | None, allow_vcs: bool, as_json: bool, agent: bool) -> None:
    def work(files: Workspace, watch: Oversight) -> Answer:
        files.allow_vcs = allow_vcs
        if shows:
            return _preview(files, run, watch), []
        done = tool.undo(files, run, watch)
        return Result("success", done.data, done.text), done.notes

    _answer_overseen("undo", work, agent, as_json, {"root": root, "id": run or None})


def _linked_in(root: str) -> Callable[[Touched, str], Span]:
    """Makes the name of a file of a run a link to what has that name now."""
    return lambda line, name: file_link(name, "", f"{root}/{line.path}")


def _preview(files: Workspace, run: str, watch: Oversight) -> Result:
    """What an undo would change, as a diff."""
    found, plan = tool.preview(files, run, watch)
    diff = unified(plan)
    text = diff.decode("utf-8", "surrogateescape")
    data = {"id": found.id, "undone": False, "diff": diff.decode("utf-8", "backslashreplace")}
    result = Result("success", data, text)
    result.for_people = lambda _columns: diff_spans(diff)
    return result


def _redo(run: str, root: str | None, allow_vcs: bool, as_json: bool, agent: bool) -> None:
    def work(files: Workspace, watch: Oversight) -> Answer:
        files.allow_vcs = allow_vcs
        done = tool.redo(files, run, watch)
        return Result("success", done.data, done.text), done.notes

    _answer_overseen("redo", work, agent, as_json, {"root": root, "id": run or None})


def _recover(root: str | None, as_json: bool) -> None:
    def work(files: Workspace) -> Answer:
        notes = files.begin()
        data: dict[str, object] = {"recovered": bool(notes), "left": any(map(tool.is_left, notes))}
        return Result("success", data, "" if notes else "Nothing to recover.\n"), notes

    _answer(work, as_json, {"root": root})


def _answer_overseen(
    verb: str, work: Callable[[Workspace, Oversight], Answer], agent: bool, as_json: bool, asked: Asked
) -> None:
    """Does work that changes files, as far as the rules allow it, and records it."""
    watch = Oversight(verb, agent, _root(asked), WRITE, tool_names=effect_and_name)

    def watched(files: Workspace) -> Answer:
        try:
            result, notes = work(files, watch)
        except BaseException as error:
            watch.record_failure(error)
            raise
        return result, [*notes, *watch.record(result.status)]

    _answer(watched, as_json, asked)


def _answer(work: Callable[[Workspace], Answer], as_json: bool, asked: Asked) -> None:
    """Does the work in the workspace, prints what came of it, and ends with the status that says the same."""
    try:
        roll_back_on_signals()
        with tracked_workspace(_root(asked)) as files:
            files.on_commit = finish_in_spite_of_signals
            result, notes = work(files)
            result.notes = [note_data(note) for note in notes]
    except (Exception, Interrupted) as error:
        result = failure(_as_ours(error))
    result.stats = {"time_ms": round(time.process_time() * 1000)}
    where = resolved(_root(asked))
    result.context = {"cwd": current_directory(), "params_input": asked, "path_resolved": where}
    print_result(result, as_json)
    end(exit_status.of_result(result))


def _as_ours(error: BaseException) -> PatchkitError:
    if isinstance(error, PatchkitError):
        return error
    if isinstance(error, Interrupted):
        return PatchkitError("P406", signal=str(error))
    return as_error(error)


def _root(asked: Asked) -> str | None:
    return str(asked["root"]) if asked["root"] else None


_CHANGING = (ROOT, ALLOW_VCS, JSON, AS_AGENT)
_STATUSES = ("success", "partial", "error")

log = Subcommand(
    "log",
    """List what was applied in this workspace, newest first: id, time, files with lines added and removed.

The old content of changed files is kept in the state directory of the user, at most 200 runs, 64 MiB and 30 days of a
workspace; docs/safety.md says where.
""",
    _log,
    flags=(
        Flag("-n", "count", "show the newest N only", value="N"),
        Flag("--all", "every", "list every recorded call of a tool, from the audit log"),
        Flag("--tool", "tool", "with --all: calls of this tool", value="NAME", offers="tools"),
        Flag(
            *("--status", "status", "with --all: calls that ended so", f": {', '.join(_STATUSES)}"),
            value="NAME",
            choices=_STATUSES,
        ),
        Flag("--path", "path", "with --all: calls about such a path", value="GLOB"),
        Flag(
            *("--since", "since", "with --all: calls since then", ": 2026-01-31, 2026-01-31T12:00, 90m, 2h, 7d"),
            value="WHEN",
        ),
        Flag("--session", "session", "with --all: calls of this session (PATCHKIT_SESSION)", value="ID"),
        Flag("--clear", "clears", "forget every run: nothing can be undone any more"),
        Flag("--html", "page", "write a page with every change, side by side, to a file", value="FILE"),
        ROOT,
        JSON,
    ),
)
undo = Subcommand(
    "undo",
    """Take back the patch applied last, or the one with this ID: content, modes, moves, deletions, links.

Nothing is written when a file was changed since. Empty directories that the patch had made are removed, too.
""",
    _undo,
    (argument("run", "[ID]", default="", offers="applied"),),
    (Flag("--show", "shows", "print as a diff what would be changed, and change nothing"), *_CHANGING),
)
redo = Subcommand(
    "redo",
    """Take back the last undo, or that of the run with this ID.

After a new patch the ID is needed to say which undo is meant.
""",
    _redo,
    (argument("run", "[ID]", default="", offers="undone"),),
    _CHANGING,
)
recover = Subcommand(
    "recover",
    """Finish or undo what an interrupted run left behind. Every command that writes does so first, too.

The status is 5 when something was left that a person should look at.
""",
    _recover,
    flags=(ROOT, JSON),
)
