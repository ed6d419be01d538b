"""Rows of files, in chunks.

Takes the name of a file, of a directory of parts, or '-'; gives chunks of rows that workers read. JSON Lines are cut at
line ends and not looked at; rows of Parquet are cut within their row groups and passed on as Arrow. Chunks are the same
each time: their numbers say which rows are done.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import IO

from patchkit.core.workspace import sha256
from patchkit.errors import PatchkitError, reason
from patchkit.handles import ReportedAs
from patchkit.values import Record

STDIN = "-"
LINES, ARROW = "lines", "arrow"
_LINE_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst")
SUFFIXES = (*_LINE_SUFFIXES, ".parquet")
CHUNK_BYTES = 256 << 10  # of JSON Lines
CHUNK_ROWS = 200  # of Parquet
MOST_ROW_BYTES = 64 << 20  # a longer line is not read
TOO_LONG = b"\0"  # what a chunk has for such a line: JSON never begins so
_HEAD = 64 << 10  # bytes of a file that are compared


class Chunk(Record):
    """Some rows. `first` is the number of the first, counted from 1; a part of a chunk is one row of it.

    `position` and `size` say how far in the whole input the chunk reaches, in the unit of `RowSource.total`.
    """

    number: int
    first: int
    kind: str
    data: bytes
    rows: int
    position: int
    part: int = 0
    parts: int = 0  # how many parts the chunk was split into, 0 for a whole one

    def split(self) -> list[Chunk]:
        """One chunk for each row; nothing for a chunk of one row."""
        if self.rows <= 1 or self.parts:
            return []
        lines = self.kind == LINES
        pieces = [line + b"\n" for line in self.data.split(b"\n")[:-1]] if lines else _arrow_rows(self.data)
        return [
            Chunk(self.number, self.first + index, self.kind, data, 1, self.position, index, len(pieces))
            for index, data in enumerate(pieces)
        ]


class ChunkAnswer(Record):
    """The lines of the output for a chunk, one for each row, and their counts."""

    data: bytes
    rows: int
    tally: list[list[object]]


class RowSource:
    """The rows that a name means. `total` is how much there is, 0 where that is not known."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.paths = [name] if name == STDIN else _parts(name)
        self.in_bytes = not any(path.endswith(".parquet") for path in self.paths)
        if self.name == STDIN:
            self.total = 0
        elif self.in_bytes:
            self.total = sum(os.path.getsize(path) for path in self.paths)
        else:
            self.total = sum(_parquet(path).metadata.num_rows for path in self.paths if path.endswith(".parquet"))

    def identity(self) -> list[dict[str, object]]:
        """What the files are, as plain values: their names, sizes, times and beginnings."""
        found = []
        for path in self.paths:
            with ReportedAs("P690", file=path), open(path, "rb") as file:
                status, head = os.stat(path), sha256(file.read(_HEAD)).hexdigest()
            about = {"path": os.path.abspath(path), "size": status.st_size, "mtime": status.st_mtime_ns, "head": head}
            found.append(about)
        return found

    def chunks(self, is_done: Callable[[int], bool] = lambda _number: False) -> Iterator[Chunk]:
        """All chunks but those whose numbers are done."""
        number, first, position = 0, 1, 0
        for path in self.paths:
            cut = _arrow_chunks if path.endswith(".parquet") else _line_chunks
            try:
                for kind, data, rows, read in cut(path, number, is_done):
                    position += read if self.in_bytes else rows
                    if data is not None:
                        yield Chunk(number, first, kind, data, rows, position)
                    number += 1
                    first += rows
            except (OSError, EOFError) as error:
                why = reason(error) if isinstance(error, OSError) and error.strerror else str(error)
                raise PatchkitError("P690", file=path, reason=why) from None


def _parts(name: str) -> list[str]:
    """The files of rows that a name means."""
    if not os.path.isdir(name):
        if not os.path.exists(name):
            raise PatchkitError("P690", file=name, reason="no such file or directory")
        return [name]
    found = []
    for base, names, files in os.walk(name):
        names.sort()
        found += [os.path.join(base, file) for file in sorted(files) if file.endswith(SUFFIXES)]
    if not found:
        raise PatchkitError("P690", file=name, reason=f"it has no {', '.join('*' + each for each in SUFFIXES)}")
    return sorted(found)


_Cut = tuple[str, "bytes | None", int, int]  # kind, data (None for a chunk that is done), rows, bytes read


def _line_chunks(path: str, number: int, is_done: Callable[[int], bool]) -> Iterator[_Cut]:
    """The chunks of one file of lines: a piece of a fixed size, and the rest of its last line."""
    with _line_file(path) as (stream, raw):
        before = 0
        while True:
            data = stream.read(CHUNK_BYTES)
            if not data:
                return
            if data[-1:] != b"\n":
                rest = stream.readline(MOST_ROW_BYTES)
                whole = not rest or rest.endswith(b"\n") or len(rest) < MOST_ROW_BYTES
                data = data + rest if whole else _without_last_line(stream, data)
                if data[-1:] != b"\n":
                    data += b"\n"
            at = raw.tell() if raw is not None else 0
            yield LINES, None if is_done(number) else data, data.count(b"\n"), at - before
            before = at
            number += 1


def _without_last_line(stream: IO[bytes], data: bytes) -> bytes:
    """The data with a sign in the place of its last line, which is too long; the stream is behind that line."""
    while True:
        rest = stream.readline(MOST_ROW_BYTES)
        if not rest or rest.endswith(b"\n"):
            return data[: data.rfind(b"\n") + 1] + TOO_LONG + b"\n"


@contextmanager
def _line_file(path: str) -> Iterator[tuple[IO[bytes], IO[bytes] | None]]:
    """A file of lines, unpacked where its name says that it is packed, and the file that says how far it was read."""
    if path == STDIN:
        yield sys.stdin.buffer, None
        return
    with open(path, "rb") as raw:
        stream: IO[bytes] = raw
        if path.endswith(".gz"):
            import gzip  # few rows are packed

            stream = gzip.open(raw)  # type: ignore[assignment]  # it reads like any file of bytes
        elif path.endswith(".zst"):
            arrow = _arrow(path)
            unpacked = arrow.CompressedInputStream(arrow.PythonFile(raw, mode="r"), "zstd")
            stream = io.BufferedReader(unpacked, 1 << 20)
        yield stream, raw


def _arrow_chunks(path: str, number: int, is_done: Callable[[int], bool]) -> Iterator[_Cut]:
    """The chunks of one Parquet file. A row group whose chunks are all done is not read."""
    file = _parquet(path)
    arrow = _arrow(path)
    for group in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        sizes = [min(CHUNK_ROWS, rows - start) for start in range(0, rows, CHUNK_ROWS)]
        if all(is_done(number + index) for index in range(len(sizes))):
            for size in sizes:
                yield ARROW, None, size, 0
        else:
            held: list[object] = []
            batches = file.iter_batches(batch_size=CHUNK_ROWS, row_groups=[group], use_threads=False)
            for index, size in enumerate(sizes):
                while sum(map(len, held)) < size:  # type: ignore[arg-type]  # batches have a length
                    held.append(next(batches))
                table = arrow.Table.from_batches(held)
                held = table.slice(size).to_batches()
                data = None if is_done(number + index) else _arrow_bytes(arrow, table.slice(0, size))
                yield ARROW, data, size, 0
        number += len(sizes)


def _arrow_bytes(arrow: ModuleType, table: object) -> bytes:
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, table.schema) as writer:  # type: ignore[attr-defined]  # a table
        writer.write_table(table)
    return bytes(sink.getvalue())


def _arrow_rows(data: bytes) -> list[bytes]:
    arrow = _arrow("rows")
    table = arrow.ipc.open_stream(data).read_all()
    return [_arrow_bytes(arrow, table.slice(index, 1)) for index in range(table.num_rows)]


def arrow_values(data: bytes) -> list[dict[str, object]]:
    found: list[dict[str, object]] = _arrow("rows").ipc.open_stream(data).read_all().to_pylist()
    return found


def _parquet(path: str):  # type: ignore[no-untyped-def]  # pyarrow has no types
    arrow = _arrow(path)
    import pyarrow.parquet  # optional, and large

    try:
        return pyarrow.parquet.ParquetFile(path)
    except (OSError, arrow.ArrowException) as error:
        raise PatchkitError("P690", file=path, reason=str(error).split("\n")[0]) from None


def _arrow(path: str) -> ModuleType:
    try:
        import pyarrow  # optional, and large
    except ImportError:
        raise PatchkitError("P691", file=path, package="pyarrow", extra="batch") from None
    return pyarrow  # type: ignore[no-any-return]  # pyarrow has no types
