"""A batch on this machine: chunks of rows out to workers, their answers into the output.

Takes a request, where rows come from and where answers go; gives the Output when every row has its answer. This process
only reads, deals out and writes: rows are parsed by the workers.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, BinaryIO

from patchkit.batch.chunks import SUFFIXES, Chunk, ChunkAnswer, RowSource
from patchkit.batch.request import BatchRequest
from patchkit.batch.tally import Tally
from patchkit.errors import PatchkitError, reason
from patchkit.handles import ReportedAs
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
    """One run."""

    def __init__(self, request: BatchRequest, source: RowSource, output: Output | StreamOutput, jobs: int) -> None:
        self._source = source
        self._output = output
        self._request = request
        self._workers: Workers[Chunk, ChunkAnswer] = Workers(WORKER, request, jobs, Chunk.split, self._lost)
        self._parts: dict[int, dict[int, ChunkAnswer]] = {}  # of chunks that were split, until all parts are there
        self._started = time.monotonic()
        self._begun_at = output.position

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
            answers = [parts[number] for number in range(chunk.parts)]
            counted = [row for each in answers for row in each.tally]
            answer = ChunkAnswer(b"".join(each.data for each in answers), sum(each.rows for each in answers), counted)
            del self._parts[chunk.number]
        self._output.add(chunk.number, chunk.position, answer)

    def _progress(self) -> BatchProgress:
        taken = time.monotonic() - self._started
        done, total = self._output.position - self._begun_at, self._source.total
        left = (total - self._output.position) * taken / done if total and done > 0 else None
        rate = (self._output.rows - self._output.resumed) / taken if taken else 0.0
        return BatchProgress(self._output.rows, rate, left, self._output.tally.by_verdict())


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
                if answer["error"]:
                    raise PatchkitError("P699", engine="ray", reason=str(answer["error"]))
                if not self._count(str(answer["name"])):
                    why = f"a node does not see '{self._out}' under this name"
                    raise PatchkitError("P699", engine="ray", reason=why)
                if on_progress is not None:
                    on_progress(BatchProgress(self.tally.total, 0.0, None, self.tally.by_verdict()))
        except PatchkitError:
            raise
        except Exception as error:  # Ray's own errors come from several modules
            words = str(error).strip().split("\n")[-1] or type(error).__name__
            raise PatchkitError("P699", engine="ray", reason=words[:300]) from None

    def _begin(self) -> None:
        """Makes the directory of the output, or finds that it is of the same run."""
        with ReportedAs("P698", file=self._out):
            os.makedirs(os.path.join(self._out, _TALLIES), exist_ok=True)
            known = os.path.join(self._out, "request.json")
            identity = json.loads(json.dumps(self._request.identity()))
            if os.path.exists(known):
                with open(known, encoding="utf-8") as file:
                    if json.load(file) != identity:
                        raise PatchkitError("P696", file=self._out, what="request")
            else:
                _write_whole(known, json.dumps(identity).encode())

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


# -- where the answers of a run go, so that it can be stopped by anything and resumed ----------------
# Takes the answers of chunks as they come; gives one file of lines in the order of the rows. Until the end there are
# two files beside it: `OUT.partial` has the answers as they came, and `OUT.journal` has a line for each chunk that is
# done, which says where its answers are and counts them. An answer counts when its line in the journal is whole; what
# a killed run wrote beyond that is cut off, and done again. No list of rows is kept, in memory or elsewhere.


STDOUT = "-"
_FORM = 1  # of the journal
_PIECE = 4 << 20


class Output:
    """The answers of one run. `rows` and `tally` count them, those of the run that is resumed among them."""

    def __init__(self, path: str, identity: dict[str, Any], resume: bool) -> None:
        self.path = path
        self.tally = Tally()
        self.rows = self.resumed = 0
        self.position = 0  # the furthest that a chunk reached
        self._spans: dict[int, tuple[int, int]] = {}  # of each chunk that is done: where its answers are
        self._end = 0
        self._in_order = True
        self.is_finished = False  # by an earlier run
        self._partial: BinaryIO | None = None
        self._journal: BinaryIO | None = None
        identity = {"form": _FORM, **identity}
        with ReportedAs("P698", file=path):
            self._open(identity, resume)

    def is_done(self, number: int) -> bool:
        return number in self._spans

    def add(self, number: int, position: int, answer: ChunkAnswer) -> None:
        """Writes the answers of a chunk, then its line in the journal."""
        assert self._partial is not None
        assert self._journal is not None
        start = self._end
        about = [number, start, len(answer.data), answer.rows, position, answer.tally]
        with ReportedAs("P698", file=self.path):
            _write(self._partial, answer.data)
            _write(self._journal, json.dumps(about, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        self._count(about)

    def finish(self) -> None:
        """Puts the answers in order under the name of the output, and removes the two files.

        At each step a run that is killed can be resumed: the journal goes last, and without `OUT.partial` it says
        only that all is done.
        """
        with ReportedAs("P698", file=self.path):
            if not self.is_finished:
                os.replace(self._ordered(), self.path)
            for name in ("partial", "journal"):
                if os.path.exists(self._name(name)):
                    os.unlink(self._name(name))
            self.is_finished = True

    def _ordered(self) -> str:
        """The name of a file with all answers in the order of the rows."""
        if self._in_order:
            return self._name("partial")
        assert self._partial is not None
        with open(self._name("joined"), "wb") as file:
            for number in sorted(self._spans):
                _copy(self._partial, file, *self._spans[number])
        return self._name("joined")

    def close(self) -> None:
        for file in (self._partial, self._journal):
            if file is not None:
                file.close()

    def _open(self, identity: dict[str, Any], resume: bool) -> None:
        if os.path.isdir(self.path):
            raise PatchkitError("P698", file=self.path, reason="it is a directory")
        begun, there = os.path.exists(self._name("journal")), os.path.exists(self.path)
        if not resume and (begun or there):
            raise PatchkitError("P697", file=self.path, what="is unfinished" if begun else "exists already")
        if there and (not begun or not os.path.exists(self._name("partial"))):
            self.is_finished = True
            self._recount(identity)
            return
        os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
        self._journal = open(self._name("journal"), "a+b", buffering=0)
        try:
            fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PatchkitError("P697", file=self.path, what="is being written by another run") from None
        written = os.path.getsize(self._name("partial")) if os.path.exists(self._name("partial")) else 0
        kept = self._take_up(identity, written)
        self._partial = open(self._name("partial"), "a+b", buffering=0)
        self._journal.truncate(kept)
        self._partial.truncate(self._end)
        if not kept:
            _write(self._journal, json.dumps(identity).encode() + b"\n")

    def _recount(self, identity: dict[str, Any]) -> None:
        """Counts the answers of a run that is finished; rows that are newer than them belong to another run."""
        if any(row["mtime"] > os.stat(self.path).st_mtime_ns for row in identity["rows"]):
            raise PatchkitError("P696", file=self.path, what="rows")
        with open(self.path, "rb") as file:
            for line in file:
                try:
                    self.tally.add_line(json.loads(line), tuple(identity["request"]["group_by"]))
                except (ValueError, TypeError, KeyError, AttributeError):
                    raise PatchkitError("P697", file=self.path, what="has lines that are not verdicts") from None
                self.rows += 1
        self.resumed = self.rows

    def _take_up(self, identity: dict[str, Any], written: int) -> int:
        """Reads the journal of the run that is resumed; returns how many bytes of it hold."""
        kept = 0
        with open(self._name("journal"), "rb") as journal:
            for number, line in enumerate(journal):
                if not line.endswith(b"\n"):
                    break  # cut off when the run was killed
                about = json.loads(line)
                if number == 0:
                    same = json.loads(json.dumps(identity))
                    differ = [name for name, value in same.items() if about.get(name) != value]
                    if differ:
                        raise PatchkitError("P696", file=self.path, what=", ".join(differ))
                elif about[1] + about[2] > written:
                    break  # the machine went down before the answers were on disk
                else:
                    self._count(about)
                    self.resumed += int(about[3])
                kept += len(line)
        return kept

    def _count(self, about: list[Any]) -> None:
        number, start, size, rows, position, tally = about
        self._in_order = self._in_order and number == len(self._spans)
        self._spans[number] = start, size
        self._end = max(self._end, start + size)
        self.rows += rows
        self.position = max(self.position, position)
        self.tally.add_all(tally)

    def _name(self, suffix: str) -> str:
        return f"{self.path}.{suffix}"


class StreamOutput:
    """Answers to standard output, as they come; there is nothing that could be resumed."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.rows = self.resumed = self.position = 0
        self.is_finished = False

    def is_done(self, _number: int) -> bool:
        return False

    def add(self, _number: int, position: int, answer: ChunkAnswer) -> None:
        try:
            view = memoryview(answer.data)
            while view:
                view = view[os.write(1, view) :]
        except BrokenPipeError:
            raise  # its reader has read enough: not a failure
        except OSError as error:
            raise PatchkitError("P402", file="standard output", reason=reason(error)) from None
        self.rows += answer.rows
        self.position = max(self.position, position)
        self.tally.add_all(answer.tally)

    def finish(self) -> None:
        """Everything is written."""

    def close(self) -> None:
        """Standard output is not ours to close."""


def _write(file: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[file.write(view) or 0 :]


def _copy(source: BinaryIO, target: BinaryIO, start: int, size: int) -> None:
    source.seek(start)
    while size:
        data = source.read(min(size, _PIECE))
        if not data:
            return
        target.write(data)
        size -= len(data)
