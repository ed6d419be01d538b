"""What a worker does with a chunk: reads its rows, judges them, and writes the lines of the output.

Takes a Chunk; gives a ChunkAnswer. A row that takes too long is stopped by a timer; one that cannot be stopped so,
because it is inside a call of the interpreter's own, ends the process by a second timer, and the chunk is tried again
row by row. Memory is bounded, so that a row which wants too much of it is refused some.
"""

from __future__ import annotations

import gc
import json
import resource
import signal
from contextlib import suppress

from patchkit.batch.chunks import LINES, TOO_LONG, Chunk, ChunkAnswer, arrow_values
from patchkit.batch.judging import Answer, RowJudge, refusal
from patchkit.batch.request import BatchRequest
from patchkit.batch.tally import Tally, group_word
from patchkit.errors import PatchkitError

Row = dict[str, object]

MOST_MEMORY = 4 << 30  # bytes of address space of a worker
_WHOLE = 16  # chunks after which all that is kept is looked at for what nothing holds any more, not the new alone
_HARD = 2.0  # times the time-out: processor time after which the process is ended


class _RowTimeOut(BaseException):
    """The time of a row is up. Not an Exception: no code on the way may take it for a refusal."""


class ChunkWorker:
    """Does chunks, in a process of its own: it sets the process's timers and limits."""

    def __init__(self, request: BatchRequest) -> None:
        self._request = request
        self._judge = RowJudge(request)
        self._timeout = request.row_timeout
        self._done = 0  # chunks
        signal.signal(signal.SIGALRM, _stop)
        with suppress(OSError, ValueError):  # macOS knows the limit and does not set it
            hard = resource.getrlimit(resource.RLIMIT_AS)[1]
            wanted = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
        gc.collect()
        gc.freeze()  # what is loaded by now stays: it need not be looked at again and again
        gc.disable()

    def __call__(self, chunk: Chunk) -> ChunkAnswer:
        rows = rows_of(chunk)
        turns = sorted(range(len(rows)), key=lambda turn: self._judge.bases.order(rows[turn][1]))
        answers = {turn: self._answer(rows[turn][1]) for turn in turns}
        self._done += 1
        gc.collect(2 if self._done % _WHOLE == 0 else 1)
        tally = Tally()
        lines = [_line(self._request, *row, answers[turn], tally) for turn, row in enumerate(rows)]
        return ChunkAnswer(b"".join(lines), len(lines), tally.rows())

    def _answer(self, row: Row | PatchkitError) -> Answer:
        if isinstance(row, PatchkitError):
            return refusal(row)
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, self._timeout)
                signal.setitimer(signal.ITIMER_PROF, self._timeout * _HARD)
                return self._judge.judge(row)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)  # the other one is set anew before it could end
        except _RowTimeOut:
            self._judge.bases.close()
            return refusal(PatchkitError("P694", seconds=f"{self._timeout:g}"))


def _stop(_number: int, _frame: object) -> None:
    raise _RowTimeOut


def rows_of(chunk: Chunk) -> list[tuple[int, Row | PatchkitError]]:
    """The rows of a chunk with their numbers; an error for each line that holds none. Empty lines are not rows."""
    if chunk.kind != LINES:
        return list(enumerate(arrow_values(chunk.data), chunk.first))
    lines = enumerate(chunk.data.split(b"\n")[:-1], chunk.first)
    return [(number, _row(line)) for number, line in lines if line.strip()]


def _row(line: bytes) -> Row | PatchkitError:
    if line == TOO_LONG:
        return PatchkitError("P692", reason="its line is longer than 64 MB")
    try:
        row = json.loads(line)
    except UnicodeDecodeError:
        return PatchkitError("P692", reason="its line is not UTF-8")
    except ValueError as error:
        return PatchkitError("P692", reason=f"its line is not JSON ({error})")
    except RecursionError:
        return PatchkitError("P692", reason="its line is JSON that is nested too deep")
    except MemoryError:
        return PatchkitError("P692", reason="its line needs too much memory")
    if not isinstance(row, dict):
        return PatchkitError("P692", reason=f"its line is JSON, but not an object ({type(row).__name__})")
    return row


def _line(request: BatchRequest, number: int, row: Row | PatchkitError, answer: Answer, tally: Tally) -> bytes:
    """The line of JSON for a row: what identifies it, the answer, the columns that pass through.

    The row is counted in the tally.
    """
    known: Row = row if isinstance(row, dict) else {}
    named, *more = (request.column(known, name) for name in ("id", "patch", "files"))
    found = {"id": known.get(named) if named else None, "row": number, **answer.values()}
    others = {name: value for name, value in known.items() if name != named and name not in more}
    group = tuple(group_word(known.get(name)) for name in request.group_by)
    tally.add(group, answer.verdict, answer.code or "", answer.most_tolerant)
    return _ENCODER.encode({**found, **others, **found}).encode("utf-8", "replace") + b"\n"


def _plain(value: object) -> str:
    """A value of Parquet that JSON does not have."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, default=_plain)  # made once: json.dumps makes one for each line


def lost_answer(request: BatchRequest, chunk: Chunk, fate: str) -> ChunkAnswer:
    """The answer for a row whose process has died."""
    code = "P694" if "SIGPROF" in fate else "P695"
    error = PatchkitError(code, seconds=f"{request.row_timeout:g}", reason=fate)
    rows, tally = rows_of(chunk), Tally()
    data = b"".join(_line(request, number, row, refusal(error), tally) for number, row in rows)
    return ChunkAnswer(data, len(rows), tally.rows())
