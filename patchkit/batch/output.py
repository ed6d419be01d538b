"""Where the answers of a run go, so that it can be stopped by anything and resumed.

Takes the answers of chunks as they come; gives one file of lines in the order of the rows. Until the end there are two
files beside it: `OUT.partial` has the answers as they came, and `OUT.journal` has a line for each chunk that is done,
which says where its answers are and counts them. An answer counts when its line in the journal is whole; what a killed
run wrote beyond that is cut off, and done again. No list of rows is kept, in memory or elsewhere.
"""

from __future__ import annotations

import fcntl
import json
import os
from typing import BinaryIO

from patchkit.batch.chunks import ChunkAnswer
from patchkit.batch.tally import Tally
from patchkit.core.workspace import reason
from patchkit.errors import PatchkitError

STDOUT = "-"
_FORM = 1  # of the journal
_PIECE = 4 << 20


class Output:
    """The answers of one run. `rows` and `tally` count them, those of the run that is resumed among them."""

    def __init__(self, path: str, identity: dict[str, object], resume: bool) -> None:
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
        try:
            self._open(identity, resume)
        except OSError as error:
            raise PatchkitError("P698", file=path, reason=reason(error)) from None

    def is_done(self, number: int) -> bool:
        return number in self._spans

    def add(self, number: int, position: int, answer: ChunkAnswer) -> None:
        """Writes the answers of a chunk, then its line in the journal."""
        assert self._partial is not None
        assert self._journal is not None
        start = self._end
        about = [number, start, len(answer.data), answer.rows, position, answer.tally]
        try:
            _write(self._partial, answer.data)
            _write(self._journal, json.dumps(about, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        except OSError as error:
            raise PatchkitError("P698", file=self.path, reason=reason(error)) from None
        self._count(about)

    def finish(self) -> None:
        """Puts the answers in order under the name of the output, and removes the two files.

        At each step a run that is killed can be resumed: the journal goes last, and without `OUT.partial` it says
        only that all is done.
        """
        try:
            if not self.is_finished:
                os.replace(self._ordered(), self.path)
            for name in ("partial", "journal"):
                if os.path.exists(self._name(name)):
                    os.unlink(self._name(name))
            self.is_finished = True
        except OSError as error:
            raise PatchkitError("P698", file=self.path, reason=reason(error)) from None

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

    def _open(self, identity: dict[str, object], resume: bool) -> None:
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

    def _recount(self, identity: dict[str, object]) -> None:
        """Counts the answers of a run that is finished; rows that are newer than them belong to another run."""
        rows, request = identity["rows"], identity["request"]
        assert isinstance(rows, list)
        assert isinstance(request, dict)
        if any(row["mtime"] > os.stat(self.path).st_mtime_ns for row in rows):
            raise PatchkitError("P696", file=self.path, what="rows")
        with open(self.path, "rb") as file:
            for line in file:
                try:
                    self.tally.add_line(json.loads(line), tuple(request["group_by"]))
                except (ValueError, TypeError, KeyError, AttributeError):
                    raise PatchkitError("P697", file=self.path, what="has lines that are not verdicts") from None
                self.rows += 1
        self.resumed = self.rows

    def _take_up(self, identity: dict[str, object], written: int) -> int:
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

    def _count(self, about: list[object]) -> None:
        number, start, size, rows, position = (int(str(value)) for value in about[:5])
        tally = about[5]
        assert isinstance(tally, list), "as `add` writes it"
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
        except OSError as error:
            raise PatchkitError("P698", file="standard output", reason=reason(error)) from None
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
