"""`patchkit batch`: rows with a patch and a base in, verdicts out."""

from __future__ import annotations

import os
import time

from patchkit.batch.chunks import STDIN, RowSource
from patchkit.batch.output import STDOUT, Output, StreamOutput
from patchkit.batch.ray_engine import RayRun
from patchkit.batch.request import COLUMNS, EMITTED, ROW_TIMEOUT, VERDICTS, BatchRequest
from patchkit.batch.running import BatchProgress, LocalRun
from patchkit.batch.study import study_of
from patchkit.batch.tally import Tally
from patchkit.cli import exit_status, flags
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import Flag, argument
from patchkit.cli.signals import Interrupted, end, roll_back_on_signals
from patchkit.cli.streams import columns, show, write, write_json
from patchkit.cli.study import REPORTS, write_page
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import Note, PatchkitError
from patchkit.report.batch_text import progress_line, summary_text
from patchkit.report.diagnostics import error_spans
from patchkit.report.notes import note_spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    Given = dict[str, object]

HELP = """Judge the patches of many rows: whether each applies to its base, and why not.

ROWS is JSON Lines ('.gz', '.zst'), Parquet, a directory of such parts, or '-' for standard input. A row has an 'id', a
'patch' in any edit format of 'patchkit convert', and its base: 'files', a mapping of paths to texts, or 'repo' and
'base_commit'. Other columns are passed through. Nothing is written but OUT.

  patchkit batch rows.jsonl -o verdicts.jsonl
  patchkit batch rows.parquet -o out.jsonl --repos clones --group-by model
  patchkit batch rows.jsonl -o verdicts.jsonl --resume

The status is 0 when every row has a verdict, 1 when one is of a kind that '--fail-on' names.
"""
ENGINES = ("local", "ray")
OPTIONS = (
    *("strip", "skip_unsayable", "strict", "max_pass", "overwrite", "forward"),
    *("allow_vcs", "allow_duplicate", "allow_placeholder", "dialect", "encoding"),
)
_PATIENCE = 1.0  # seconds before the first line of progress
_ON_SCREEN, _IN_A_LOG = 0.2, 60.0  # seconds between two lines of progress


def _main(**given: object) -> None:
    """Runs the command and ends the process."""
    try:
        roll_back_on_signals()
        status = _run(given)
    except PatchkitError as error:
        show(2, error_spans(error.errors, columns=columns(2)))
        status = exit_status.of_code(error.code)
    except Interrupted as signal:
        write(2, f"interrupted by {signal}; what is done is kept: run it again with '--resume'\n")
        status = signal.status
    end(status)


def _run(given: Given) -> int:
    request, rows, out = request_of(given), str(given["rows"]), str(given["output"])
    if rows == STDIN and given["resume"]:
        raise CommandLineError("standard input cannot be read again: '--resume' needs a file of rows")
    if out == STDOUT and (given["resume"] or given["report"]):
        raise CommandLineError("'--resume' and '--report' need a file: give one with '-o'")
    failing = _failing(given)
    source = RowSource(rows)
    if given["engine"] == "ray":
        return _run_on_ray(given, request, source, failing)
    output = _output(request, source, out, bool(given["resume"]))
    try:
        if output.resumed:
            show(2, note_spans([Note("P975", rows=f"{output.resumed:,}", file=out)]))
        line = _ProgressLine()
        run = LocalRun(request, source, output, jobs_of(given))
        run.run(line)
        line.end()
    finally:
        output.close()
    _report(given, output.tally, request)
    if given["report"]:
        write(2, f"{write_page(study_of(out, request.group_by), out)}\n")
    return exit_status.REFUSED if _fails(output.tally, failing) else exit_status.DONE


def _run_on_ray(given: Given, request: BatchRequest, source: RowSource, failing: list[str]) -> int:
    out = str(given["output"])
    if out == STDOUT or source.name == STDIN or given["report"]:
        raise CommandLineError("'--engine ray' reads files and writes a directory of parts, without '--report'")
    if os.path.isdir(out) and os.listdir(out) and not given["resume"]:
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
    _report(given, run.tally, request)
    return exit_status.REFUSED if _fails(run.tally, failing) else exit_status.DONE


def _output(request: BatchRequest, source: RowSource, out: str, resume: bool) -> Output | StreamOutput:
    if out == STDOUT:
        return StreamOutput()
    known = source.identity() if source.name != STDIN else []
    return Output(out, {"rows": known, "request": request.identity()}, resume)


def request_of(given: Given) -> BatchRequest:
    """What the options ask for."""
    request = BatchRequest()
    for pair in _words(given, "column"):
        name, equals, column = pair.partition("=")
        if not equals or not column or name not in COLUMNS:
            raise CommandLineError(f"'--column {pair}' is not NAME=COLUMN with a NAME of {', '.join(COLUMNS)}")
        request.columns[name] = column
    request.emit = tuple(name for name in _listed(given, "emit") if name != "verdict")
    wrong = [name for name in request.emit if name not in EMITTED]
    if wrong:
        raise CommandLineError(f"'--emit' has no '{wrong[0]}'; use some of: {', '.join(EMITTED)}")
    request.repos = os.path.abspath(str(given["repos"])) if given["repos"] else None
    request.row_timeout = float(str(given["row_timeout"]))
    request.group_by = tuple(_listed(given, "group_by"))
    request.source = str(given["source"] or "auto")
    for name in OPTIONS:
        if given[name] is not None and given[name] is not False:
            request.options[name] = given[name]
    request.planning()
    return request


def jobs_of(given: Given) -> int:
    """How many workers: as many as this process may use processors, unless the caller says."""
    if given["jobs"]:
        return int(str(given["jobs"]))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _words(given: Given, name: str) -> list[str]:
    value = given[name]
    return [str(word) for word in value] if isinstance(value, (list, tuple)) else []


def _listed(given: Given, name: str) -> list[str]:
    """Words that are given one by one, or several with commas."""
    return [each.strip() for word in _words(given, name) for each in word.split(",") if each.strip()]


def _failing(given: Given) -> list[str]:
    failing = _listed(given, "fail_on")
    for word in failing:
        if word not in VERDICTS and not (word[:1] == "P" and word[1:].isdecimal()):
            raise CommandLineError(f"'--fail-on {word}' is neither a verdict ({', '.join(VERDICTS)}) nor a code")
    return failing


def _fails(tally: Tally, failing: list[str]) -> bool:
    found = [*tally.by_verdict(), *tally.by_code()]
    return any(each == word or (word.startswith("P") and each.startswith(word)) for word in failing for each in found)


def _report(given: Given, tally: Tally, request: BatchRequest) -> None:
    if given["as_json"]:
        write_json(tally.values(request.group_by))
    elif str(given["output"]) != STDOUT:
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


batch = Subcommand(
    "batch",
    HELP,
    _main,
    (argument("rows", "ROWS", required=True),),
    (
        Flag(
            *("-o --output", "output", "where the verdicts go, as JSON Lines", "; '-' is standard output"),
            value="OUT",
            required=True,
        ),
        Flag("--resume", "resume", "go on with a run that was stopped"),
        Flag("-j --jobs", "jobs", "workers", " (default: one for each processor)", value="N", least=1),
        Flag(
            "--emit",
            "emit",
            "what answers hold beside the verdict",
            f": {', '.join(EMITTED)}; several with commas",
            value="NAMES",
            many=True,
        ),
        Flag("--repos", "repos", "the directory of the repositories", value="DIR"),
        Flag(
            *("--column", "column", "the column that holds something", f": {', '.join(COLUMNS)}"),
            value="NAME=COLUMN",
            many=True,
        ),
        Flag("--group-by", "group_by", "columns that the summary counts by", value="COLUMNS", many=True),
        Flag(
            *("--row-timeout", "row_timeout", "seconds that a row may take", " (default: 10); 0 for no limit"),
            value="S",
            kind="NUMBER",
            default=ROW_TIMEOUT,
        ),
        Flag(
            *("--report", "report", "write the summary as a page beside OUT, too", f": {', '.join(REPORTS)}"),
            value="NAME",
            choices=REPORTS,
        ),
        Flag(
            "--engine",
            "engine",
            "where rows are judged",
            ": on this machine, or on a Ray cluster (RAY_ADDRESS), a part at a time: local, ray",
            value="NAME",
            choices=ENGINES,
            default=ENGINES[0],
        ),
        Flag("--fail-on", "fail_on", "verdicts or codes that make the status 1", value="WORDS", many=True),
        flags.FROM.saying(f"edit format of the patches: {', '.join(flags.FORMAT_NAMES)} (default: auto)"),
        flags.STRIP,
        flags.SKIP_UNSAYABLE,
        flags.STRICT,
        flags.MAX_PASS,
        flags.OVERWRITE,
        flags.FORWARD,
        flags.ALLOW_VCS,
        flags.ALLOW_DUPLICATE,
        flags.ALLOW_PLACEHOLDER,
        flags.DIALECT,
        flags.ENCODING,
        flags.JSON.saying("print the summary as JSON"),
    ),
)
