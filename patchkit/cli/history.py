"""`patchkit log`, `undo`, `redo` and `recover`: what was done in a workspace, and the way back."""

from __future__ import annotations

import os
import sys
import time

import click

from patchkit.cli.answer import status_of, tell
from patchkit.cli.signals import Interrupted, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.errors import Note, PatchkitError
from patchkit.tools import undo as tool
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
@_root
@_json
def log(count: int | None, root: str | None, as_json: bool) -> None:
    """List what was applied in this workspace, newest first: id, time, files, and whether it was undone."""

    def work(files: Workspace) -> Answer:
        known = tool.log(files)[:count]
        return Result("success", {"runs": [tool.run_data(run) for run in known]}, tool.log_text(known)), []

    _answer(work, as_json, {"root": root, "n": count})


@click.command()
@_run
@_root
@_json
def undo(run: str, root: str | None, as_json: bool) -> None:
    """Take back the patch applied last, or the one with this ID: content, modes, moves, deletions, links.

    Nothing is written when a file was changed since. Empty directories that the patch had made go too.
    """

    def work(files: Workspace) -> Answer:
        done = tool.undo(files, run)
        return Result("success", done.data, done.text), done.notes

    _answer(work, as_json, {"root": root, "id": run or None})


@click.command()
@_run
@_root
@_json
def redo(run: str, root: str | None, as_json: bool) -> None:
    """Take back the last undo, or that of the run with this ID.

    After a new patch only the ID tells which undo is meant.
    """

    def work(files: Workspace) -> Answer:
        done = tool.redo(files, run)
        return Result("success", done.data, done.text), done.notes

    _answer(work, as_json, {"root": root, "id": run or None})


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
    resolved = os.path.realpath(str(asked["root"] or "."))
    result.stats = {"time_ms": round(time.process_time() * 1000)}
    result.context = {"cwd": os.getcwd(), "params_input": asked, "path_resolved": resolved}
    tell(result, as_json)
    sys.exit(status_of(result))


def _as_ours(error: BaseException) -> PatchkitError:
    if isinstance(error, PatchkitError):
        return error
    if isinstance(error, Interrupted):
        return PatchkitError("P406", signal=str(error))
    from patchkit.report.internal import as_error

    return as_error(error)
