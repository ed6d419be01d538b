"""`patchkit batch` and `patchkit study`: rows with a patch and a base in, verdicts out; and what the verdicts show."""

from __future__ import annotations

import os
import time
from types import SimpleNamespace as Asked  # by the names of the parameters
from typing import Any

import click

from patchkit.batch.chunks import STDIN, RowSource
from patchkit.batch.request import COLUMNS, EMITTED, ROW_TIMEOUT, VERDICTS, BatchRequest
from patchkit.batch.running import STDOUT, BatchProgress, LocalRun, Output, RayRun, StreamOutput
from patchkit.batch.study import Study, study_of
from patchkit.batch.tally import Tally
from patchkit.catalogue.sentences import name_of
from patchkit.cli import (
    DONE,
    REFUSED,
    CommandLineError,
    Interrupted,
    progress,
    roll_back_on_signals,
    show,
    taken,
    write,
    write_json,
)
from patchkit.cli.options import FORMAT_NAMES, FROM, JUDGING
from patchkit.cli.parameters import DIR, FILE, command, one_of, options
from patchkit.cli.quick import JSON, Flag
from patchkit.errors import Note, PatchkitError
from patchkit.handles import ReportedAs
from patchkit.report.pages.batch_page import render_page
from patchkit.report.progress import lasting
from patchkit.report.spans import note_spans
from patchkit.report.width import counted

_ENGINES = ("local", "ray")
_REPORTS = ("html",)
_KEPT = "; what is done is kept: run it again with '--resume'"
_PATIENCE = 1.0  # seconds before the first line of progress
_ON_SCREEN, _IN_A_LOG = 0.2, 60.0  # seconds between two lines of progress
_FROM = FROM.but(about=f"edit format of the patches: {', '.join(FORMAT_NAMES)} (default: auto)")
_MOST_CODES = 15
_MOST_GROUPS = 40
_WIDE = 30  # columns of a bar


_REPAIR = Flag(
    "--repair",
    "write patches back that git refuses and whose repair is certain, in the column of the patch",
    "; --repair=likely also likely ones",
    value="HOW",
    choices=("certain", "likely"),
    alone="certain",
)


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
@one_of("--report", "write the summary as a page beside OUT, too", _REPORTS)
@one_of(
    "--engine",
    "where rows are checked: on this machine, or on a Ray cluster (RAY_ADDRESS), a part at a time",
    _ENGINES,
    default=_ENGINES[0],
)
@click.option("--fail-on", metavar="WORDS", multiple=True, help="verdicts or codes that make the exit status 1")
@options(_REPAIR, JSON.but(about="print the summary as JSON"), *(_FROM if row is FROM else row for row in JUDGING))
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
        return _run(Asked(**given), request_of(given))
    except BrokenPipeError:
        return DONE  # a reader that is gone has read enough
    except Interrupted as signal:
        kept = "" if STDOUT in (given["output"], given["rows"]) else _KEPT
        write(2, f"interrupted by {signal}{kept}\n")
        return signal.status


def _run(asked: Asked, request: BatchRequest) -> int:
    rows, out = asked.rows, asked.output
    if rows == STDIN and asked.resume:
        raise CommandLineError("standard input cannot be read again: '--resume' needs a file of rows")
    if out == STDOUT and (asked.resume or asked.report):
        raise CommandLineError("'--resume' and '--report' need a file: give one with '-o'")
    failing = _failing(asked)
    source = RowSource(rows)
    if asked.engine == "ray":
        return _run_on_ray(asked, request, source, failing)
    output: Output | StreamOutput = StreamOutput()
    if out != STDOUT:
        known = source.identity() if source.name != STDIN else []
        output = Output(out, {"rows": known, "request": request.identity()}, asked.resume)
    try:
        if output.resumed:
            show(2, note_spans([Note("P975", rows=f"{output.resumed:,}", file=out)]))
        line = _ProgressLine()
        # As many workers as this process may use processors, unless the caller says.
        usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        LocalRun(request, source, output, asked.jobs or usable or 1).run(line)
        line.end()
    finally:
        output.close()
    _report(asked, output.tally, request)
    if asked.report:
        write(2, f"{write_page(study_of(out, request.group_by), out)}\n")
    return REFUSED if _fails(output.tally, failing) else DONE


def _run_on_ray(asked: Asked, request: BatchRequest, source: RowSource, failing: list[str]) -> int:
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


def request_of(given: dict[str, object]) -> BatchRequest:
    asked, request = Asked(**given), BatchRequest()
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
    for row in JUDGING:
        if row is not FROM and given[row.field] is not None and given[row.field] is not False:
            request.options[row.field] = given[row.field]
    request.planning()
    return request


def _listed(words: tuple[str, ...]) -> list[str]:
    """Words that are given one by one, or several with commas."""
    return [each.strip() for word in words for each in word.split(",") if each.strip()]


def _failing(asked: Asked) -> list[str]:
    failing = _listed(asked.fail_on)
    for word in failing:
        if word not in VERDICTS and not (word[:1] == "P" and word[1:].isdecimal()):
            raise CommandLineError(f"'--fail-on {word}' is neither a verdict ({', '.join(VERDICTS)}) nor a code")
    return failing


def _fails(tally: Tally, failing: list[str]) -> bool:
    found = [*tally.by_verdict(), *tally.by_code()]
    return any(each == word or (word.startswith("P") and each.startswith(word)) for word in failing for each in found)


def _report(asked: Asked, tally: Tally, request: BatchRequest) -> None:
    if asked.as_json:
        write_json(tally.values(request.group_by))
    elif asked.output != STDOUT:
        show(1, [(summary_text(tally.values(request.group_by), request.group_by), "")])


class _ProgressLine:
    """How far the run is, on standard error: rewritten in place on a terminal, a line a minute elsewhere."""

    def __init__(self) -> None:
        self._screen = progress(2) if os.isatty(2) and os.environ.get("TERM") != "dumb" else None
        self._next = time.monotonic() + (_PATIENCE if self._screen is not None else _IN_A_LOG)

    def __call__(self, found: BatchProgress) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_ON_SCREEN if self._screen is not None else _IN_A_LOG)
        counts = ", ".join(f"{verdict} {count:,}" for verdict, count in found.verdicts.items())
        rest = f", {lasting(found.left)} left" if found.left is not None else ""
        words = f"{found.rows:,} rows, {found.rate:,.0f} a second{rest}{': ' if counts else ''}{counts}"
        if self._screen is not None:
            self._screen.put(words, 0)
        else:
            write(2, f"{words}\n")

    def end(self) -> None:
        if self._screen is not None:
            self._screen.end()


# -- what the verdicts show ------------------------------------------------------------------------


@command()
@click.argument("out", metavar="OUT", type=FILE)
@click.option("--group-by", metavar="COLUMNS", multiple=True, help="columns that mistakes are counted by")
@one_of("--report", "write a page beside OUT", _REPORTS)
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
        taken(write_json(found.values()))
    else:
        taken(show(1, [(study_text(found.values()), "")]))


def write_page(study: Study, out: str, ending: str = ".html") -> str:
    """Writes the page of a study beside the output of its batch; returns its name."""
    name = os.path.splitext(out)[0] + ending
    with ReportedAs("P668", file=name), open(name, "wb") as file:
        file.write(render_page(study.values()).encode("utf-8", "backslashreplace"))
    return name


def summary_text(summary: dict[str, Any], columns: tuple[str, ...]) -> str:
    """The summary of a run, as tables."""
    rows, codes, passes = summary["rows"], summary["codes"], summary["passes"]
    out = [counted(rows, "row"), *_bars(summary["verdicts"], rows)]
    if codes:
        named = {f"{code} {name_of(code)}": count for code, count in codes.items()}
        out += ["", "By code", *_bars(dict(list(named.items())[:_MOST_CODES]), rows)]
        out += [f"  and {len(codes) - _MOST_CODES} more codes"] if len(codes) > _MOST_CODES else []
    if len(passes) > 1 or (passes and "exact" not in passes):
        out += ["", "By the most tolerant pass of those that apply", *_bars(passes, sum(passes.values()))]
    if "groups" in summary:
        out += ["", f"By {', '.join(columns)}", *_groups(summary["groups"], columns)]
    return "\n".join(out) + "\n"


def _bars(counts: dict[str, int], total: int) -> list[str]:
    name = max(map(len, counts), default=0)
    most = max(counts.values(), default=1)
    return [
        f"  {key:<{name}}  {count:>{len(f'{most:,}')},}  {100 * count / total if total else 0:5.1f} %  "
        f"{'█' * max(1, round(_WIDE * count / total)) if count else ''}"
        for key, count in counts.items()
    ]


def _groups(groups: list[dict[str, Any]], columns: tuple[str, ...]) -> list[str]:
    lines = []
    names = [" ".join(str(group.get(column, "")) or "(none)" for column in columns) for group in groups]
    wide = max(map(len, names[:_MOST_GROUPS]), default=0)
    for name, group in list(zip(names, groups))[:_MOST_GROUPS]:
        verdicts: dict[str, int] = group["verdicts"]
        total = sum(verdicts.values())
        codes = list(group["codes"].items())[:3]
        worst = ", ".join(f"{code} {100 * count / total:.1f} %" for code, count in codes)
        share = 100 * verdicts.get("applies", 0) / total
        lines.append(f"  {name:<{wide}}  {total:>9,} rows  {share:5.1f} % apply{'; ' + worst if worst else ''}")
    if len(groups) > _MOST_GROUPS:
        lines.append(f"  and {len(groups) - _MOST_GROUPS} more groups")
    return lines


def study_text(study: dict[str, Any]) -> str:
    """The classes of slips of a batch, as a list: those that refuse first, with their rates by group and an example."""
    groups, classes = study["groups"], study["classes"]
    rows = sum(group["rows"] for group in groups)
    applies = sum(group["applies"] for group in groups)
    out = [f"{rows:,} rows, {100 * applies / rows if rows else 0:.1f} % apply"]
    for group in groups[:_MOST_GROUPS] if study["columns"] else []:
        out.append(f"  {group['group']}: {group['rows']:,} rows, {100 * group['applies'] / group['rows']:.1f} % apply")
    for applies_too, title in ((False, "Does not apply"), (True, "Accepted with a note, or by a tolerant pass")):
        chosen = [each for each in classes if (each["verdict"] == "applies") is applies_too]
        out += ["", title] if chosen else []
        for each in chosen:
            out.append(f"  {each['rows']:>9,}  {100 * each['rate']:6.2f} %  {each['code']} {each['title']}")
            if study["columns"]:
                rates = [f"{name} {100 * one['rate']:.2f} %" for name, one in list(each["groups"].items())[:6]]
                out.append(f"{'':22}{', '.join(rates)}")
            example = each["examples"][0]
            named = example["id"] if example["id"] is not None else f"row {example['row']}"
            out.append(f"{'':22}such as {named}{': ' + example['message'] if example['message'] else ''}")
    return "\n".join(out) + "\n"
