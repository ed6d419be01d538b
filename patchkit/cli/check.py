"""`patchkit check`: what a pipeline runs, and what a person runs before trusting a patch."""

from __future__ import annotations

import os
import time

import click

from patchkit.cli.check_options import HELP, PARAMETERS, UsageError, jobs_of, sources_of, wanted_of
from patchkit.cli.check_output import Outputs
from patchkit.cli.signals import Interrupted, roll_back_on_signals
from patchkit.cli.streams import show
from patchkit.cli.tool_command import with_agent
from patchkit.errors import PatchkitError
from patchkit.policy import READ
from patchkit.policy.oversight import Oversight
from patchkit.report.checked import Report
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


check = with_agent(click.Command("check", params=PARAMETERS, callback=_main, help=HELP))


def _run(given: dict[str, object]) -> int:
    started = time.monotonic()
    outputs = Outputs(given)
    watch = Oversight("check", bool(given["agent"]), given["root"] or None, READ)  # type: ignore[arg-type]
    try:
        report = _checked(given, outputs, watch)
    except UsageError:
        raise
    except BaseException as error:
        watch.record_failure(error)
        raise
    outputs.write(report, round((time.monotonic() - started) * 1000))
    return 1 if report.refused else 0


def _checked(given: dict[str, object], outputs: Outputs, watch: Oversight) -> Report:
    """What became of the patches, under the rules of the project and with a line in its log."""
    wanted = wanted_of(given, outputs.names)
    patches = sources_of(given)
    told, end = _progress(len(patches))
    try:
        report = check_patches(patches, wanted, jobs_of(given), on_done=told, watch=watch)
    finally:
        end()
    first = next((error.code for patch in report.refused for error in patch.every_error), None)
    report.notes += watch.record("error" if report.refused else "success", first)
    return report


def _progress(total: int) -> tuple[Callable[[int], None] | None, Callable[[], None]]:
    """What to tell of every patch that is done, and what to call in the end: a line on a person's screen."""
    if total < 2 or not os.isatty(2):
        return None, lambda: None
    from patchkit.cli.streams import progress

    line = progress(2, "patches")
    return lambda number: line("checking", number, total), line.end


def _complain(error: PatchkitError, given: dict[str, object]) -> int:
    """What concerns no single patch is a matter of the call."""
    if given["as_json"] or "json" in given["formats"]:  # type: ignore[operator]
        from patchkit.cli.answer import tell
        from patchkit.tools.result import failure

        if not tell(failure(error), as_json=True):
            return 2
    from patchkit.cli.streams import columns
    from patchkit.report.diagnostics import render_errors

    show(2, "diagnostics", render_errors(error.errors, columns=columns(2)), str(given["color"]))
    return 2
