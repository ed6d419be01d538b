"""`patchkit batch` and `patchkit study`: rows with a patch and a base in, verdicts out; and what the verdicts show."""

from __future__ import annotations

import os
import time

import click

from patchkit.batch.chunks import STDIN, RowSource
from patchkit.batch.output import STDOUT, Output, StreamOutput
from patchkit.batch.ray_engine import RayRun
from patchkit.batch.request import COLUMNS, EMITTED, ROW_TIMEOUT, VERDICTS, BatchRequest
from patchkit.batch.running import BatchProgress, LocalRun
from patchkit.batch.study import Study, study_of
from patchkit.batch.tally import Tally
from patchkit.cli.options import FORMAT_NAMES, FROM, PLANNING
from patchkit.cli.parameters import DIR, FILE, command, options
from patchkit.cli.process import (
    DONE,
    REFUSED,
    CommandLineError,
    Interrupted,
    columns,
    roll_back_on_signals,
    show,
    write,
    write_json,
)
from patchkit.cli.quick import JSON, Flag
from patchkit.core.workspace import reason
from patchkit.errors import Note, PatchkitError
from patchkit.report.batch_text import progress_line, study_text, summary_text
from patchkit.report.pages.batch_page import render_page
from patchkit.report.spans import note_spans

_ENGINES = ("local", "ray")
_REPORTS = ("html",)
_PATIENCE = 1.0  # seconds before the first line of progress
_ON_SCREEN, _IN_A_LOG = 0.2, 60.0  # seconds between two lines of progress
_FROM = FROM.but(about=f"edit format of the patches: {', '.join(FORMAT_NAMES)} (default: auto)")


_REPAIR = Flag(
    "--repair",
    "repair",
    "write patches back that git refuses and whose repair is certain, in the column of the patch",
    "; --repair=likely also likely ones",
    value="HOW",
    choices=("certain", "likely"),
    alone="certain",
)


class BatchArguments:
    """What the command line asks for, by the names of its parameters."""

    rows: str
    output: str
    resume: bool
    jobs: int | None
    emit: tuple[str, ...]
    repos: str | None
    column: tuple[str, ...]
    group_by: tuple[str, ...]
    row_timeout: float
    report: str | None
    engine: str
    fail_on: tuple[str, ...]
    as_json: bool
    source: str | None
    repair: str | None

    def __init__(self, given: dict[str, object]) -> None:
        self.__dict__.update(given)


@command()
@click.argument("rows", metavar="ROWS", type=FILE)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    required=True,
    type=FILE,
    help="where the verdicts go, as JSON Lines; '-' is standard output",
)
@click.option("--resume", is_flag=True, help="go on with a run that was stopped")
@click.option("-j", "--jobs", metavar="N", type=click.IntRange(1), help="workers (default: one for each processor)")
@click.option(
    "--emit",
    metavar="NAMES",
    multiple=True,
    help=f"what answers hold beside the verdict: {', '.join(EMITTED)}; several with commas",
)
@click.option("--repos", metavar="DIR", type=DIR, help="the directory of the repositories")
@click.option(
    "--column", metavar="NAME=COLUMN", multiple=True, help=f"the column that holds something: {', '.join(COLUMNS)}"
)
@click.option("--group-by", metavar="COLUMNS", multiple=True, help="columns that the summary counts by")
@click.option(
    "--row-timeout",
    metavar="S",
    type=click.FloatRange(0),
    default=ROW_TIMEOUT,
    help="seconds that a row may take (default: 10); 0 for no limit",
)
@click.option(
    "--report",
    metavar="NAME",
    type=click.Choice(_REPORTS),
    help=f"write the summary as a page beside OUT, too: {', '.join(_REPORTS)}",
)
@click.option(
    "--engine",
    metavar="NAME",
    type=click.Choice(_ENGINES),
    default=_ENGINES[0],
    help="where rows are checked: on this machine, or on a Ray cluster (RAY_ADDRESS), a part at a time: local, ray",
)
@click.option("--fail-on", metavar="WORDS", multiple=True, help="verdicts or codes that make the exit status 1")
@options(_REPAIR, JSON.but(about="print the summary as JSON"), *(_FROM if row is FROM else row for row in PLANNING))
def batch(**given: object) -> int:
    """Check patches from a table: whether each applies to its base, and why not.

    ROWS is JSON Lines ('.gz', '.zst'), Parquet, a directory of such parts, or '-' for standard input. A row has an
    'id', a 'patch' in any edit format of 'patchkit convert', and its base: 'files', a mapping of paths to texts, or
    'repo' and 'base_commit'. Other columns are passed through. Nothing is written but OUT.

      patchkit batch rows.jsonl -o verdicts.jsonl
      patchkit batch rows.parquet -o out.jsonl --repos clones --group-by model
      patchkit batch rows.jsonl -o verdicts.jsonl --resume
    """
    try:
        roll_back_on_signals()
        return _run(BatchArguments(given), request_of(given))
    except Interrupted as signal:
        write(2, f"interrupted by {signal}; what is done is kept: run it again with '--resume'\n")
        return signal.status


def _run(asked: BatchArguments, request: BatchRequest) -> int:
    rows, out = asked.rows, asked.output
    if rows == STDIN and asked.resume:
        raise CommandLineError("standard input cannot be read again: '--resume' needs a file of rows")
    if out == STDOUT and (asked.resume or asked.report):
        raise CommandLineError("'--resume' and '--report' need a file: give one with '-o'")
    failing = _failing(asked)
    source = RowSource(rows)
    if asked.engine == "ray":
        return _run_on_ray(asked, request, source, failing)
    output = _output(request, source, out, asked.resume)
    try:
        if output.resumed:
            show(2, note_spans([Note("P975", rows=f"{output.resumed:,}", file=out)]))
        line = _ProgressLine()
        run = LocalRun(request, source, output, jobs_of(asked))
        run.run(line)
        line.end()
    finally:
        output.close()
    _report(asked, output.tally, request)
    if asked.report:
        write(2, f"{write_page(study_of(out, request.group_by), out)}\n")
    return REFUSED if _fails(output.tally, failing) else DONE


def _run_on_ray(asked: BatchArguments, request: BatchRequest, source: RowSource, failing: list[str]) -> int:
    out = asked.output
    if out == STDOUT or source.name == STDIN or asked.report:
        raise CommandLineError("'--engine ray' reads files and writes a directory of parts, without '--report'")
    if os.path.isdir(out) and os.listdir(out) and not asked.resume:
        raise PatchkitError("P697", file=out, what="exists already")
    line = _ProgressLine()
    run = RayRun(request, source, out, os.environ.get("RAY_ADDRESS"))
    stdout = os.dup(1)
    os.dup2(2, 1)  # Ray prints what it does; standard output is for the summary
    try:
        run.run(line)
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
    line.end()
    _report(asked, run.tally, request)
    return REFUSED if _fails(run.tally, failing) else DONE


def _output(request: BatchRequest, source: RowSource, out: str, resume: bool) -> Output | StreamOutput:
    if out == STDOUT:
        return StreamOutput()
    known = source.identity() if source.name != STDIN else []
    return Output(out, {"rows": known, "request": request.identity()}, resume)


def request_of(given: dict[str, object]) -> BatchRequest:
    """What the options ask for."""
    asked, request = BatchArguments(given), BatchRequest()
    for pair in asked.column:
        name, equals, column = pair.partition("=")
        if not equals or not column or name not in COLUMNS:
            raise CommandLineError(f"'--column {pair}' is not NAME=COLUMN with a NAME of {', '.join(COLUMNS)}")
        request.columns[name] = column
    request.repair = asked.repair or ""
    request.emit = tuple(name for name in _listed(asked.emit) if name != "verdict")
    wrong = [name for name in request.emit if name not in EMITTED]
    if wrong:
        raise CommandLineError(f"'--emit' has no '{wrong[0]}'; use some of: {', '.join(EMITTED)}")
    request.repos = os.path.abspath(asked.repos) if asked.repos else None
    request.row_timeout = asked.row_timeout
    request.group_by = tuple(_listed(asked.group_by))
    request.source = asked.source or "auto"
    for row in PLANNING:
        if row is not FROM and given[row.field] is not None and given[row.field] is not False:
            request.options[row.field] = given[row.field]
    request.planning()
    return request


def jobs_of(asked: BatchArguments) -> int:
    """How many workers: as many as this process may use processors, unless the caller says."""
    if asked.jobs:
        return asked.jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _listed(words: tuple[str, ...]) -> list[str]:
    """Words that are given one by one, or several with commas."""
    return [each.strip() for word in words for each in word.split(",") if each.strip()]


def _failing(asked: BatchArguments) -> list[str]:
    failing = _listed(asked.fail_on)
    for word in failing:
        if word not in VERDICTS and not (word[:1] == "P" and word[1:].isdecimal()):
            raise CommandLineError(f"'--fail-on {word}' is neither a verdict ({', '.join(VERDICTS)}) nor a code")
    return failing


def _fails(tally: Tally, failing: list[str]) -> bool:
    found = [*tally.by_verdict(), *tally.by_code()]
    return any(each == word or (word.startswith("P") and each.startswith(word)) for word in failing for each in found)


def _report(asked: BatchArguments, tally: Tally, request: BatchRequest) -> None:
    if asked.as_json:
        write_json(tally.values(request.group_by))
    elif asked.output != STDOUT:
        write(1, summary_text(tally.values(request.group_by), request.group_by, columns(1)))


class _ProgressLine:
    """How far the run is, on standard error: rewritten in place on a terminal, a line a minute elsewhere."""

    def __init__(self) -> None:
        self._screen = os.isatty(2) and os.environ.get("TERM") != "dumb"
        self._next = time.monotonic() + (_PATIENCE if self._screen else _IN_A_LOG)
        self._shown = False

    def __call__(self, progress: BatchProgress) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_ON_SCREEN if self._screen else _IN_A_LOG)
        words = progress_line(progress.rows, progress.rate, progress.left, progress.verdicts)
        if self._screen:
            self._shown = True
            write(2, f"\r{words[: (columns(2) or 80) - 1]}\x1b[K")
        else:
            write(2, f"{words}\n")

    def end(self) -> None:
        if self._shown:
            write(2, "\r\x1b[K")


# -- what the verdicts show ------------------------------------------------------------------------


@command()
@click.argument("out", metavar="OUT", type=FILE)
@click.option("--group-by", metavar="COLUMNS", multiple=True, help="columns that mistakes are counted by")
@click.option(
    "--report", metavar="NAME", type=click.Choice(_REPORTS), help=f"write a page beside OUT: {', '.join(_REPORTS)}"
)
@options(JSON)
def study(out: str, group_by: tuple[str, ...], report: str | None, as_json: bool) -> None:
    """Summarise the mistakes in a batch: by class, with rates and examples.

    OUT is what 'patchkit batch' wrote. Rows that apply have the slips that they were forgiven, others the reason of
    their first error.

      patchkit study verdicts.jsonl --group-by model
      patchkit study verdicts.jsonl --group-by model --report html
    """
    found = study_of(out, tuple(_listed(group_by)))
    if report:
        write(1, f"Wrote {write_page(found, out, '.study.html')}\n")
    elif as_json:
        write_json(found.values())
    else:
        write(1, study_text(found.values()))


def write_page(study: Study, out: str, ending: str = ".html") -> str:
    """Writes the page of a study beside the output of its batch; returns its name."""
    name = os.path.splitext(out)[0] + ending
    try:
        with open(name, "wb") as file:
            file.write(render_page(study.values()).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise PatchkitError("P668", file=name, reason=reason(error)) from None
    return name
