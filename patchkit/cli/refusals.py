"""What `apply_patch` prints beyond its summary: why a patch is refused, the result as JSON, the changes themselves.

Takes what came of a run; writes it to the streams. This is one module because it is one place where much is loaded:
a plain successful run needs none of it. What only JSON or diffs need is loaded with them.
"""

from __future__ import annotations

import time

from patchkit.applying import Applied, summary
from patchkit.cli import Interrupted, columns, give, show, write_json
from patchkit.cli.statuses import of_apply
from patchkit.core.changes import Options, Plan
from patchkit.core.language.parser import without_wrapping
from patchkit.errors import PatchkitError
from patchkit.repair.looking_back import look_back
from patchkit.report.correction import refusal_for_model, refusal_spans
from patchkit.report.diagnostics import as_error
from patchkit.report.spans import Spans, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from patchkit.core.workspace.root import Workspace

    class Asked(Protocol):
        """What of the command line decides how an answer is printed."""

        options: Options
        root: str | None
        start: str | None
        agent: bool
        color: str
        as_json: bool
        diff: bool
        stat: bool
        numstat: bool
        rest: str | None


def explain(error: PatchkitError, files: Workspace, options: Options) -> None:
    """Adds what the base and the history know about a refusal, while the files are open."""
    if options.base is not None:
        from patchkit.bases import FoundBase  # which loads all that reads repositories

        if isinstance(options.base, FoundBase):
            options.base.explain(error)
    look_back(error, files, options)


def refuse(
    arguments: Asked, error: BaseException, text: str | None, source: str = "patch", before: int | None = None
) -> int:
    """Reports why a patch was not applied, `text` if it could be read; returns the status to end with.

    `source` is the name of the patch, `before` how many of several patches were applied before it.
    """
    if isinstance(error, Interrupted):
        facts = {} if before is None else {"before": before}
        refuse(arguments, PatchkitError("P406", signal=str(error), **facts), text, source)
        return error.status
    error = as_error(error)
    _address(arguments, error.errors)
    if text is not None and not arguments.options.strict and not arguments.options.source:
        try:
            text = without_wrapping(text)  # line numbers count the text without what was around it
        except PatchkitError:
            pass  # what is around it is the trouble
    if arguments.as_json:
        print_json(arguments, None, error.errors, text)
    else:
        show(2, _refusal(arguments, error, text, source), arguments.color)
    return of_apply(error.code)


def _refusal(arguments: Asked, error: PatchkitError, text: str | None, source: str) -> Spans:
    """What is wrong with a patch, and its correction. A patch of which sections were applied is not to be run again."""
    options = arguments.options
    if arguments.agent or (error.suggestion is not None and options.reading.one_by_one and not options.check):
        return [(refusal_for_model(error.errors, text), "")]
    return refusal_spans(error.errors, text, columns(2), source, foreign=bool(options.source))


def _address(arguments: Asked, errors: list[PatchkitError]) -> None:
    """Gives the errors words for an agent where one calls: what to send. What needs a rule is for a person."""
    for each in errors if arguments.agent else ():
        if each.kind != "PERMISSION_DENIED":
            each.facts["by_call"] = (None,)


def print_json(arguments: Asked, done: Applied | None, errors: list[PatchkitError], patch: str | None = None) -> None:
    """Prints the envelope on standard output."""
    from patchkit.report.result import Result, context, error_data, note_data, resolved
    from patchkit.tools.apply_result import apply_data, partial_result

    if done is None:
        done = Applied()
        done.plans = [error.plan for error in errors if isinstance(error.plan, Plan)]
    if done.errors and not errors:
        result = partial_result(done, arguments.options, patch)
    else:
        text = summary(done.updated, arguments.options.check)
        if errors:
            text = plain(refusal_spans(errors, patch, foreign=bool(arguments.options.source)))
        result = Result("error" if errors else "success", apply_data(done, errors, arguments.options.dialect), text)
        result.errors = [error_data(error) for error in errors]
    if arguments.diff and not errors:
        from patchkit.diffs.diff import merged_plan, unified

        result.data["diff"] = unified(merged_plan(done.plans)).decode("utf-8", "backslashreplace")
    result.notes = [note_data(note) for note in done.notes]
    result.stats = {"time_ms": round(time.process_time() * 1000)}
    asked = {"root": arguments.root, "directory": arguments.start, "dialect": arguments.options.dialect}
    result.context = context(asked, resolved(arguments.root))
    write_json(result.envelope())


def give_back(arguments: Asked, done: Applied, patch: str | None) -> None:
    """Gives back what did not fit: why, and the patch that is left, on standard output or in a file."""
    if arguments.rest is not None:
        from patchkit.cli.inputs import write_rest

        write_rest(arguments.rest, done.rest)
    if arguments.as_json:
        return
    _address(arguments, done.errors)
    show(2, refusal_spans(done.errors, patch, columns(2), foreign=bool(arguments.options.source)), arguments.color)
    if arguments.rest is None:
        give(done.rest)


def print_changes(arguments: Asked, done: Applied) -> None:
    """Prints what was asked for of the changes: how many lines, the table, the diff."""
    from patchkit.diffs.diff import file_diffs, merged_plan, unified_file
    from patchkit.report.stat import diff_spans, numstat, stat

    diffs = file_diffs(merged_plan(done.plans))
    if arguments.numstat:
        show(1, [(numstat(diffs), "")])
    if arguments.stat:
        show(1, stat(diffs, columns(1)), arguments.color)
    if arguments.diff:
        give(b"".join(map(unified_file, diffs)), diff_spans, arguments.color)
