"""A batch on this machine: chunks of rows out to workers, their answers into the output.

Takes a request, where rows come from and where answers go; gives the Output when every row has its answer. This process
only reads, deals out and writes: rows are parsed by the workers.
"""

from __future__ import annotations

import time

from patchkit.batch.chunks import Chunk, RowSource
from patchkit.batch.output import Output, StreamOutput
from patchkit.batch.request import BatchRequest
from patchkit.batch.worker import ChunkAnswer, lost_answer
from patchkit.processes.workers import Workers
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PAUSE = 0.2  # seconds after which progress is shown although nothing has come
WORKER = "patchkit.batch.worker:ChunkWorker"


class BatchProgress(Value):
    """How far a run is: rows, how many a second, seconds that are left (None where unknown), rows by verdict."""

    __slots__ = ("rows", "rate", "left", "verdicts")
    rows: int
    rate: float
    left: float | None
    verdicts: dict[str, int]

    def __init__(self, rows: int, rate: float, left: float | None, verdicts: dict[str, int]) -> None:
        self.rows = rows
        self.rate = rate
        self.left = left
        self.verdicts = verdicts


class LocalRun:
    """One run. `processor_time` is that of the workers, in seconds, when it has ended."""

    def __init__(self, request: BatchRequest, source: RowSource, output: Output | StreamOutput, jobs: int) -> None:
        self._source = source
        self._output = output
        self._workers: Workers[Chunk, ChunkAnswer] = Workers(
            WORKER, request, jobs, Chunk.split, lambda chunk, fate: lost_answer(request, chunk, fate)
        )
        self._parts: dict[int, dict[int, ChunkAnswer]] = {}  # of chunks that were split, until all parts are there
        self._started = time.monotonic()
        self._begun_at = output.position

    @property
    def processor_time(self) -> float:
        return self._workers.processor_time

    @property
    def most_memory(self) -> int:
        """That of the largest worker, in kilobytes on Linux."""
        return self._workers.most_memory

    def run(self, on_progress: Callable[[BatchProgress], None] | None = None) -> None:
        """Judges every row that has no answer yet."""
        if self._output.is_finished:
            return
        answers = self._workers.answers(self._source.chunks(self._output.is_done), _PAUSE)
        try:
            for each in answers:
                if each is not None:
                    self._take(*each)
                if on_progress is not None:
                    on_progress(self._progress())
        finally:
            answers.close()  # type: ignore[attr-defined]  # a generator, which ends the workers
        self._output.finish()

    def _take(self, chunk: Chunk, answer: ChunkAnswer) -> None:
        if chunk.parts:
            parts = self._parts.setdefault(chunk.number, {})
            parts[chunk.part] = answer
            if len(parts) < chunk.parts:
                return
            answer = _joined([parts[number] for number in range(chunk.parts)])
            del self._parts[chunk.number]
        self._output.add(chunk.number, chunk.position, answer)

    def _progress(self) -> BatchProgress:
        taken = time.monotonic() - self._started
        done, total = self._output.position - self._begun_at, self._source.total
        left = (total - self._output.position) * taken / done if total and done > 0 else None
        rate = (self._output.rows - self._output.resumed) / taken if taken else 0.0
        return BatchProgress(self._output.rows, rate, left, self._output.tally.by_verdict())


def _joined(answers: list[ChunkAnswer]) -> ChunkAnswer:
    rows = [row for answer in answers for row in answer.tally]
    return ChunkAnswer(b"".join(each.data for each in answers), sum(each.rows for each in answers), rows)
