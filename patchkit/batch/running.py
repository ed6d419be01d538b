"""A batch on this machine: chunks of rows out to workers, their answers into the output.

Takes a request, where rows come from and where answers go; gives the Output when every row has its answer. This process
only reads, deals out and writes: rows are parsed by the workers.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from patchkit.batch.chunks import SUFFIXES, Chunk, ChunkAnswer, RowSource
from patchkit.batch.output import Output, StreamOutput
from patchkit.batch.request import BatchRequest
from patchkit.batch.tally import Tally
from patchkit.core.workspace import reason
from patchkit.errors import PatchkitError
from patchkit.processes.workers import Workers
from patchkit.values import Record

_PAUSE = 0.2  # seconds after which progress is shown although nothing has come
WORKER = "patchkit.batch.worker:ChunkWorker"


class BatchProgress(Record):
    """How far a run is: rows, how many a second, seconds that are left (None where unknown), rows by verdict."""

    rows: int
    rate: float
    left: float | None
    verdicts: dict[str, int]


class LocalRun:
    """One run. `processor_time` is that of the workers, in seconds, when it has ended."""

    def __init__(self, request: BatchRequest, source: RowSource, output: Output | StreamOutput, jobs: int) -> None:
        self._source = source
        self._output = output
        self._request = request
        self._workers: Workers[Chunk, ChunkAnswer] = Workers(WORKER, request, jobs, Chunk.split, self._lost)
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

    def _lost(self, chunk: Chunk, fate: str) -> ChunkAnswer:
        """The answer for a row whose process has died."""
        from patchkit.batch.worker import lost_answer  # with all that judges: the workers load it, and not this process

        return lost_answer(self._request, chunk, fate)

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


# A batch on a Ray cluster: one output part for each input part, by the same workers as on one machine.
#
# Takes a request and a directory of parts that every node sees under the same name; gives the tally when every part has
# its answers. The parts that are left are a dataset; each is mapped to its answers on some node, where one worker
# process judges its rows as on this machine, and writes them under a name of its own before they get the name of the
# part. So a row that kills costs its worker and not a node, a node that dies costs the parts that it was at, which Ray
# gives to another, and what is there under its own name is done: a run is resumed by parts.
_TALLIES = "tallies"  # below the output: the counts of each part, so that a resumed run need not read answers


class RayRun:
    """One run over the parts of `source`, into the directory `out`. `address` names a cluster; None starts one here."""

    def __init__(self, request: BatchRequest, source: RowSource, out: str, address: str | None = None) -> None:
        self._request = request
        self._paths = [os.path.abspath(path) for path in source.paths]
        self._base = os.path.abspath(source.name) if os.path.isdir(source.name) else os.path.dirname(self._paths[0])
        self._out = os.path.abspath(out)
        self._address = address
        self.tally = Tally()
        self.parts = self.resumed = 0

    def run(self, on_progress: Callable[[BatchProgress], None] | None = None) -> None:
        """Judges every part that has no answers yet."""
        self._begin()
        left = []
        for path in self._paths:
            name = part_name(self._base, path)
            if os.path.exists(os.path.join(self._out, name)) and self._count(name):
                self.resumed += 1
            else:
                left.append({"path": path, "name": name})
        if not left:
            return
        ray, data = _ray()
        try:
            if not ray.is_initialized():
                ray.init(address=self._address, log_to_driver=False, logging_level="error")
            data.DataContext.get_current().enable_progress_bars = False
            parts = data.from_items(left, override_num_blocks=len(left))
            answers = parts.map_batches(
                judge_part, batch_size=1, batch_format="numpy", fn_args=(self._request, self._out), num_cpus=1
            )
            for answer in answers.iter_rows():
                self._take(str(answer["name"]), str(answer["error"]))
                if on_progress is not None:
                    on_progress(BatchProgress(self.tally.total, 0.0, None, self.tally.by_verdict()))
        except PatchkitError:
            raise
        except Exception as error:  # Ray's own errors come from several modules
            words = str(error).strip().split("\n")[-1] or type(error).__name__
            raise PatchkitError("P699", engine="ray", reason=words[:300]) from None

    def _begin(self) -> None:
        """Makes the directory of the output, or finds that it is of the same run."""
        try:
            os.makedirs(os.path.join(self._out, _TALLIES), exist_ok=True)
            known = os.path.join(self._out, "request.json")
            identity = json.loads(json.dumps(self._request.identity()))
            if os.path.exists(known):
                with open(known, encoding="utf-8") as file:
                    if json.load(file) != identity:
                        raise PatchkitError("P696", file=self._out, what="request")
            else:
                _write_whole(known, json.dumps(identity).encode())
        except OSError as error:
            raise PatchkitError("P698", file=self._out, reason=reason(error)) from None

    def _take(self, name: str, error: str) -> None:
        if error:
            raise PatchkitError("P699", engine="ray", reason=error)
        if not self._count(name):
            raise PatchkitError("P699", engine="ray", reason=f"a node does not see '{self._out}' under this name")

    def _count(self, name: str) -> bool:
        """Adds the counts of a part that is done; False where they are not there."""
        try:
            with open(os.path.join(self._out, _TALLIES, f"{name}.json"), encoding="utf-8") as file:
                self.tally.add_all(json.load(file))
        except (OSError, ValueError):
            return False
        self.parts += 1
        return True


def part_name(base: str, path: str) -> str:
    """The name of the output part of an input part: one name for one part."""
    name = os.path.relpath(path, base).replace("%", "%25").replace("/", "%2F")
    suffix = next((each for each in sorted(SUFFIXES, key=len, reverse=True) if name.endswith(each)), "")
    return f"{name.removesuffix(suffix)}{'.' + suffix.strip('.').replace('.', '-') if suffix else ''}.jsonl"


def judge_part(batch: dict[str, Any], request: BatchRequest, out: str) -> dict[str, list[str]]:
    """What a task of Ray does with one part: judges its rows, writes its answers, says under which name."""
    names, errors = [], []
    for path, name in zip(batch["path"], batch["name"]):
        names.append(str(name))
        try:
            _judge(str(path), os.path.join(out, str(name)), os.path.join(out, _TALLIES, f"{name}.json"), request)
            errors.append("")
        except PatchkitError as error:
            errors.append(f"{error.code}: {error.message}")
    return {"name": names, "error": errors}


def _judge(path: str, goal: str, counts: str, request: BatchRequest) -> None:
    # A task that Ray gives to another node, because this one seems dead, must not meet this one's files.
    own = f"{goal}.{os.uname().nodename}-{os.getpid()}"
    for leftover in (own, f"{own}.journal", f"{own}.partial"):
        if os.path.exists(leftover):
            os.unlink(leftover)
    source = RowSource(path)
    output = Output(own, {"rows": [], "request": request.identity()}, False)
    try:
        LocalRun(request, source, output, 1).run()
    finally:
        output.close()
    _write_whole(counts, json.dumps(output.tally.rows()).encode())
    os.replace(own, goal)


def _write_whole(path: str, data: bytes) -> None:
    own = f"{path}.{os.uname().nodename}-{os.getpid()}"
    with open(own, "wb") as file:
        file.write(data)
    os.replace(own, path)


def _ray() -> tuple[ModuleType, ModuleType]:
    try:
        import ray  # optional, and very large
        import ray.data
    except ImportError:
        raise PatchkitError("P691", file="--engine ray", package="ray", extra="ray") from None
    return ray, ray.data
