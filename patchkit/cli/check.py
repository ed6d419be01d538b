"""`patchkit check`: whether patches apply, for CI and for a person who wants to know before applying them."""

from __future__ import annotations

import os
import time

from patchkit.cli import exit_status
from patchkit.cli.answer import print_result
from patchkit.cli.check_options import (
    FLAGS,
    HELP,
    WORDS,
    Given,
    acceptance_of,
    jobs_of,
    list_of,
    sources_of,
    text_of,
    wanted_of,
)
from patchkit.cli.check_output import Outputs
from patchkit.cli.corrected_patches import write_corrected
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.signals import Interrupted, end, roll_back_on_signals
from patchkit.cli.streams import columns, progress, show
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import PatchkitError
from patchkit.policy import READ
from patchkit.policy.oversight import Oversight
from patchkit.report.checked import Report
from patchkit.report.diagnostics import error_spans
from patchkit.report.findings import failing
from patchkit.report.result import failure
from patchkit.tools.check import check as check_patches
from patchkit.tools.registry import effect_and_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _main(**given: object) -> None:
    """Runs the command and ends the process."""
    try:
        roll_back_on_signals()
        status = _run(given)
    except PatchkitError as error:
        status = _complain(error, given)
    except Interrupted as signal:
        _complain(PatchkitError("P406", signal=str(signal)), given)
        status = signal.status
    end(status)


check = Subcommand("check", HELP, _main, WORDS, FLAGS)


def _run(given: Given) -> int:
    started = time.monotonic()
    outputs = Outputs(given)
    acceptance = acceptance_of(given)
    watch = Oversight("check", bool(given["agent"]), text_of(given, "root") or None, READ, tool_names=effect_and_name)
    try:
        report = _checked(given, outputs, watch)
    except CommandLineError:
        raise
    except BaseException as error:
        watch.record_failure(error)
        raise
    report.acceptance = acceptance
    if given["fix"]:
        write_corrected(report, str(given["fix"]))
    outputs.write(report, round((time.monotonic() - started) * 1000))
    accepts = given["exit_zero"] or given["write_baseline"] or not failing(report)
    return exit_status.of_check(not accepts)


def _checked(given: Given, outputs: Outputs, watch: Oversight) -> Report:
    """Checks the patches under the rules of the project, and records that in its log."""
    wanted = wanted_of(given, outputs.formats)
    patches = sources_of(given)
    on_done, end = _progress(len(patches))
    try:
        report = check_patches(patches, wanted, jobs_of(given), on_done=on_done, watch=watch)
    finally:
        end()
    first = next((error.code for patch in report.refused for error in patch.every_error), None)
    report.notes += watch.record("error" if report.refused else "success", first)
    return report


def _progress(total: int) -> tuple[Callable[[int], None] | None, Callable[[], None]]:
    """What to call for every patch that is done, and at the end: they show a line on a person's screen."""
    if total < 2 or not os.isatty(2):
        return None, lambda: None
    line = progress(2, "patches")
    return lambda number: line("checking", number, total), line.end


def _complain(error: PatchkitError, given: Given) -> int:
    """Reports what concerns no single patch: that is a matter of the call."""
    wants_json = given["as_json"] or "json" in list_of(given, "formats")
    if not wants_json or print_result(failure(error), as_json=True):
        show(2, error_spans(error.errors, columns=columns(2)), text_of(given, "color") or "auto")
    return exit_status.USAGE
