"""`patchkit check`: what a pipeline runs, and what a person runs before trusting a patch."""

from __future__ import annotations

import os
import time

import click

from patchkit.cli.apply_patch import say, show
from patchkit.cli.check_options import HELP, PARAMETERS, UsageError, jobs_of, sources_of, wanted_of
from patchkit.cli.check_output import Outputs
from patchkit.cli.signals import Interrupted, roll_back_on_signals
from patchkit.errors import PatchkitError
from patchkit.tools.check import check as check_patches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _main(**given: object) -> None:
    """Runs the command and ends the process."""
    try:
        roll_back_on_signals()
        status = _run(given)
    except UsageError as error:
        raise click.UsageError(str(error)) from None
    except PatchkitError as error:
        status = _complain(error, given)
    except Interrupted as signal:
        status = _complain(PatchkitError("P406", signal=str(signal)), given)
    # Not sys.exit: everything is written, and taking the interpreter apart costs more than a check.
    os._exit(status)


check = click.Command("check", params=PARAMETERS, callback=_main, help=HELP)


def _run(given: dict[str, object]) -> int:
    started = time.monotonic()
    outputs = Outputs(given)
    wanted = wanted_of(given, outputs.names)
    patches = sources_of(given)
    watch, end = _progress(len(patches))
    try:
        report = check_patches(patches, wanted, jobs_of(given), on_done=watch)
    finally:
        end()
    outputs.write(report, round((time.monotonic() - started) * 1000))
    return 1 if report.refused else 0


def _progress(total: int) -> tuple[Callable[[int], None] | None, Callable[[], None]]:
    """What to tell of every patch that is done, and what to call in the end: a line on a person's screen."""
    if total < 2 or not os.isatty(2):
        return None, lambda: None
    from patchkit.cli.terminal import columns
    from patchkit.report.progress import Progress

    progress = Progress(lambda text: say(2, text), columns(2) or 80)
    return lambda number: progress("checking", number, total), progress.end


def _complain(error: PatchkitError, given: dict[str, object]) -> int:
    """What concerns no single patch is a matter of the call."""
    if given["as_json"] or "json" in given["formats"]:  # type: ignore[operator]
        from patchkit.cli.answer import tell
        from patchkit.tools.result import failure

        tell(failure(error), as_json=True)
    else:
        from patchkit.report.diagnostics import render_errors

        show(2, "diagnostics", render_errors(error.errors), str(given["color"]))
    return 2
