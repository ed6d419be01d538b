"""The lines of a large file, decoded where somebody looks.

Stands in for the list of a document's texts where that would be many times as large as the file: it can be counted,
indexed, cut and gone through like the list, and keeps no more than the two parts that were looked at last. What a line
is, and how a file is read as text, is the document's affair.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from patchkit.text.document import Document

    Seeing = Callable[[list[str]], list[str]]

_BLOCK = 1 << 20  # bytes that are decoded together, as far as they are whole lines
_KEPT = 2  # blocks: a run of lines may lie across the border of two


class Lines(Sequence[str]):
    """The lines of a document in blocks. `starts` are where these begin in its data, `firsts` their first lines."""

    __slots__ = ("starts", "firsts", "_document", "_kept", "_above", "_see", "_measured")

    def __init__(self, document: Document) -> None:
        data, separator = document.data, document.separator
        self.starts, self.firsts = [0], [0]
        while self.starts[-1] < len(data):
            start = self.starts[-1]
            # A line too long for a block has one of its own: no copy is made of it together with others.
            stop = data.rfind(separator, start, start + _BLOCK) + 1
            if not stop or start + _BLOCK >= len(data):
                stop = data.find(separator, start + _BLOCK) + 1 or len(data)
            self.starts.append(stop)
            self.firsts.append(self.firsts[-1] + data.count(separator, start, stop))
        self.firsts[-1] += not document.terminated
        self._document = document
        self._above: Lines | None = None
        self._see: Seeing | None = None
        self._kept: dict[int, list[str]] = {}
        self._measured: tuple[int, list[int]] = (-1, [])  # a block, and where each of its lines begins

    def seen_by(self, see: Seeing) -> Lines:
        """The same lines through the eyes of `see`, which takes any run of them and changes each for itself."""
        seen = Lines.__new__(Lines)
        seen.starts, seen.firsts, seen._document = self.starts, self.firsts, self._document
        seen._above, seen._see, seen._kept, seen._measured = self, see, {}, (-1, [])
        return seen

    # -- as a list -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.firsts[-1]

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # like a list's
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return list(self)[index]
            return list(self._run(start, stop)) if start < stop else []
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError("no such line")
        block = bisect_right(self.firsts, number) - 1
        return self.block(block)[number - self.firsts[block]]

    def _run(self, start: int, stop: int) -> Iterator[str]:
        number = bisect_right(self.firsts, start) - 1
        while start < stop:
            first, end = self.firsts[number], min(stop, self.firsts[number + 1])
            yield from self.block(number)[start - first : end - first]
            start, number = end, number + 1

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(map(self.block, range(len(self.starts) - 1)))

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (list, Lines)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as of every list

    # -- as blocks -------------------------------------------------------------------------------

    def block(self, number: int) -> list[str]:
        """The lines of one block."""
        lines = self._kept.get(number)
        if lines is None:
            above = self._above
            lines = self._decoded(number) if above is None else self._see(above.block(number))  # type: ignore[misc]
            if above is not None and self.starts[number + 1] - self.starts[number] > 2 * _BLOCK:
                return lines  # a line that is worth one copy, not one for each pass
            if len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[number] = lines
        return lines

    def _decoded(self, number: int) -> list[str]:
        start, stop = self.starts[number], self.starts[number + 1]
        return self._document.texts_of(memoryview(self._document.data)[start:stop])

    def offset(self, line: int) -> int:
        """Where a line begins in the document's data; for the number behind the last line, where that ends."""
        if line >= len(self):
            return len(self._document.data)
        number = bisect_right(self.firsts, line) - 1
        if self._measured[0] != number:
            start, stop = self.starts[number], self.starts[number + 1]
            lines = self._document.data[start:stop].split(self._document.separator)
            self._measured = number, list(accumulate((len(each) + 1 for each in lines), initial=start))
        return self._measured[1][line - self.firsts[number]]

    def joined(self) -> bytearray:
        """All lines in one, each between two line feeds, as UTF-8 that holds anything: the size of the file."""
        joined = bytearray(b"\n")
        for number in range(len(self.starts) - 1):
            text = "\n".join(self.block(number))
            for start in range(0, len(text), _BLOCK):  # a single line may be as large as the file
                joined += text[start : start + _BLOCK].encode("utf-8", "surrogatepass")
            joined += b"\n"
        return joined
