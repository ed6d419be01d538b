"""`patchkit log`, `undo`, `redo` and `recover`: what was done in a workspace, and the way back."""

from __future__ import annotations

import sys
import time

import click

from patchkit.cli.answer import status_of, tell
from patchkit.cli.signals import Interrupted, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.cli.tool_command import with_agent
from patchkit.errors import Note, PatchkitError
from patchkit.policy import WRITE
from patchkit.policy.oversight import Oversight
from patchkit.tools import undo as tool
from patchkit.tools.calling import current_directory, resolved
from patchkit.tools.result import Result, failure, note_data
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Answer = tuple[Result, list[Note]]

_root = click.option(
    "--root", metavar="DIR", envvar="PATCHKIT_ROOT", help="The workspace (default: PATCHKIT_ROOT, else here)."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON result instead of text.")
_run = click.argument("run", metavar="[ID]", default="")


@click.command()
@click.option("-n", "count", metavar="N", type=click.IntRange(min=0), help="Show the newest N only.")
@click.option("--all", "every", is_flag=True, help="List every recorded call of a tool, from the audit log.")
@click.option("--tool", metavar="NAME", help="With --all: calls of this tool.")
@click.option("--status", type=click.Choice(["success", "partial", "error"]), help="With --all: calls that ended so.")
@click.option("--path", metavar="GLOB", help="With --all: calls about such a path.")
@click.option(
    "--since", metavar="WHEN", help="With --all: calls since then: 2026-01-31, 2026-01-31T12:00, 90m, 2h, 7d."
)
@click.option("--session", metavar="ID", help="With --all: calls of this session (PATCHKIT_SESSION).")
@_root
@_json
def log(count: int | None, every: bool, root: str | None, as_json: bool, **only: str | None) -> None:
    """List what was applied in this workspace, newest first: id, time, files, and whether it was undone."""
    wanted = {name: value for name, value in only.items() if value is not None}
    if wanted and not every:
        raise click.UsageError(f"--{next(iter(wanted))} goes with --all")

    def work(files: Workspace) -> Answer:
        if every:
            from patchkit.cli.audit_log import recorded_calls

            return recorded_calls(files, count, wanted)
        known = tool.log(files)[:count]
        return Result("success", {"runs": [tool.run_data(run) for run in known]}, tool.log_text(known)), []

    _answer(work, as_json, {"root": root, "n": count, **({"all": True, **wanted} if every else {})})


@with_agent
@click.command()
@_run
@_root
@_json
def undo(run: str, root: str | None, as_json: bool, agent: bool) -> None:
    """Take back the patch applied last, or the one with this ID: content, modes, moves, deletions, links.

    Nothing is written when a file was changed since. Empty directories that the patch had made go too.
    """

    def work(files: Workspace, watch: Oversight) -> Answer:
        done = tool.undo(files, run, watch)
        return Result("success", done.data, done.text), done.notes

    _answer_overseen("undo", work, agent, as_json, {"root": root, "id": run or None})


@with_agent
@click.command()
@_run
@_root
@_json
def redo(run: str, root: str | None, as_json: bool, agent: bool) -> None:
    """Take back the last undo, or that of the run with this ID.

    After a new patch only the ID tells which undo is meant.
    """

    def work(files: Workspace, watch: Oversight) -> Answer:
        done = tool.redo(files, run, watch)
        return Result("success", done.data, done.text), done.notes

    _answer_overseen("redo", work, agent, as_json, {"root": root, "id": run or None})


@click.command()
@_root
@_json
def recover(root: str | None, as_json: bool) -> None:
    """Finish or undo what an interrupted run left behind. Every command that writes does so first, too.

    The status is 5 when something was left that somebody should look at.
    """

    def work(files: Workspace) -> Answer:
        notes = files.begin()
        data: dict[str, object] = {"recovered": bool(notes), "left": any(map(tool.is_left, notes))}
        return Result("success", data, "" if notes else "Nothing to recover.\n"), notes

    _answer(work, as_json, {"root": root})


def _answer_overseen(
    verb: str, work: Callable[[Workspace, Oversight], Answer], agent: bool, as_json: bool, asked: dict[str, object]
) -> None:
    """Does work that changes files, as far as the rules let it, and records it."""
    watch = Oversight(verb, agent, asked["root"] or None, WRITE)  # type: ignore[arg-type]

    def watched(files: Workspace) -> Answer:
        try:
            result, notes = work(files, watch)
        except BaseException as error:
            watch.record_failure(error)
            raise
        return result, [*notes, *watch.record(result.status)]

    _answer(watched, as_json, asked)


def _answer(work: Callable[[Workspace], Answer], as_json: bool, asked: dict[str, object]) -> None:
    """Does the work in the workspace, tells what came of it, and ends with the status that says so."""
    try:
        roll_back_on_signals()
        with Workspace(asked["root"] or None) as files:  # type: ignore[arg-type]
            files.on_commit = finish_in_spite_of_signals
            result, notes = work(files)
            result.notes = [note_data(note) for note in notes]
    except (Exception, Interrupted) as error:
        result = failure(_as_ours(error))
    result.stats = {"time_ms": round(time.process_time() * 1000)}
    where = resolved(asked["root"])  # type: ignore[arg-type]
    result.context = {"cwd": current_directory(), "params_input": asked, "path_resolved": where}
    tell(result, as_json)
    sys.exit(status_of(result))


def _as_ours(error: BaseException) -> PatchkitError:
    if isinstance(error, PatchkitError):
        return error
    if isinstance(error, Interrupted):
        return PatchkitError("P406", signal=str(error))
    from patchkit.report.diagnostics import as_error

    return as_error(error)
