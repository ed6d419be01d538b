"""The lines of a large file, decoded block by block when they are asked for.

Used in place of a list of a document's texts, which would be many times as large as the file: it can be counted,
indexed, cut and iterated like the list, and keeps no more than the two blocks that were used last. What a line is and
how bytes become text is decided by the document.
"""

from __future__ import annotations

from _collections_abc import Sequence  # `collections.abc` is this, with all of `collections`
from bisect import bisect_right
from itertools import accumulate, chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Decode = Callable[[memoryview], list[str]]
    Change = Callable[[list[str]], list[str]]

_BLOCK = 1 << 20  # bytes that are decoded together, as far as they are whole lines
_KEPT = 2  # blocks: a run of lines may lie across the border of two


class LineBlocks:
    """The bytes of a file cut into blocks of whole lines: where each begins, and the number of its first line.

    `starts` and `firsts` have one more item than there are blocks, for the end. `decode` gives the texts of some lines.
    """

    __slots__ = ("starts", "firsts", "_data", "_separator", "_decode", "_measured")

    def __init__(self, data: bytes, separator: bytes, decode: Decode) -> None:
        self.starts, self.firsts = [0], [0]
        while self.starts[-1] < len(data):
            start = self.starts[-1]
            # A line too long for a block has one of its own: it is not copied together with others.
            stop = data.rfind(separator, start, start + _BLOCK) + 1
            if not stop or start + _BLOCK >= len(data):
                stop = data.find(separator, start + _BLOCK) + 1 or len(data)
            self.starts.append(stop)
            self.firsts.append(self.firsts[-1] + data.count(separator, start, stop))
        self.firsts[-1] += bool(data) and not data.endswith(separator)
        self._data = data
        self._separator = separator
        self._decode = decode
        self._measured: tuple[int, list[int]] = (-1, [])  # a block, and where each of its lines begins

    def decoded(self, number: int) -> list[str]:
        return self._decode(memoryview(self._data)[self.starts[number] : self.starts[number + 1]])

    def is_long_line(self, number: int) -> bool:
        """Whether a block is a single line that is worth one copy, and not one for each pass."""
        return self.starts[number + 1] - self.starts[number] > 2 * _BLOCK

    def offset(self, line: int) -> int:
        """Where a line begins in the data; for the number behind the last line, where that ends."""
        if line >= self.firsts[-1]:
            return len(self._data)
        number = bisect_right(self.firsts, line) - 1
        if self._measured[0] != number:
            start, stop = self.starts[number], self.starts[number + 1]
            lines = self._data[start:stop].split(self._separator)
            self._measured = number, list(accumulate((len(each) + 1 for each in lines), initial=start))
        return self._measured[1][line - self.firsts[number]]


class LazyLines(Sequence[str]):
    """The lines of blocks as a sequence of texts; with `above` and `change`, those of another sequence changed."""

    __slots__ = ("_blocks", "_above", "_change", "_kept")

    def __init__(self, blocks: LineBlocks, above: LazyLines | None = None, change: Change | None = None) -> None:
        self._blocks = blocks
        self._above = above
        self._change = change
        self._kept: dict[int, list[str]] = {}

    def changed(self, change: Change) -> LazyLines:
        """The same lines, changed by a function that takes any run of them and changes each line for itself."""
        return LazyLines(self._blocks, self, change)

    # -- as a list -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.firsts[-1]

    def __getitem__(self, index: int | slice) -> Any:
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
        return list(self) == list(other) if isinstance(other, (list, LazyLines)) else NotImplemented

    # -- as blocks -------------------------------------------------------------------------------

    @property
    def starts(self) -> list[int]:
        """Where each block begins in the data, and where the last one ends."""
        return self._blocks.starts

    @property
    def firsts(self) -> list[int]:
        """The number of the first line of each block, and the number of all lines."""
        return self._blocks.firsts

    def block(self, number: int) -> list[str]:
        """The lines of one block."""
        lines = self._kept.get(number)
        if lines is not None:
            return lines
        if self._above is None or self._change is None:
            lines = self._blocks.decoded(number)
        else:
            lines = self._change(self._above.block(number))
            if self._blocks.is_long_line(number):
                return lines
        if len(self._kept) >= _KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[number] = lines
        return lines

    def offset(self, line: int) -> int:
        """Where a line begins in the data; for the number behind the last line, where that ends."""
        return self._blocks.offset(line)

    def joined(self) -> bytearray:
        """All lines in one, each between two line feeds, as UTF-8 with surrogates allowed: as large as the file."""
        joined = bytearray(b"\n")
        for number in range(len(self.starts) - 1):
            text = "\n".join(self.block(number))
            for start in range(0, len(text), _BLOCK):  # a single line may be as large as the file
                joined += text[start : start + _BLOCK].encode("utf-8", "surrogatepass")
            joined += b"\n"
        return joined
