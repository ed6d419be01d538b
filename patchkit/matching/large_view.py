"""A large document's lines as one pass sees them: the answers of `View`, without a dictionary of the lines.

For every block of lines there is a sorted array of numbers, eight bytes a line: the hash of a line above, its place in
the block below. So a line is found by halving, and the text itself is decoded again only where it is to be compared.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

from patchkit.matching.view import RARE, View, overlapping
from patchkit.text.lines import Lines

_PLACES = 1 << 21  # more than the lines of a block
_HASH = (1 << 64) - _PLACES
_DEARER = 8  # times as much work to search: every line is decoded for it


class LargeView(View):
    """The lines of a large document under one pass; `others` are views of the same document by other passes."""

    __slots__ = ("_lines", "_keys", "_numbers")

    def __init__(self, lines: Lines, others: list[LargeView]) -> None:
        self.lines = lines  # type: ignore[assignment]  # they serve as a list
        self._lines = lines
        self._found = {}
        self._numbers: dict[str, list[int]] = {}
        self._keys: list[array[int]] = []
        for number in range(len(lines.starts) - 1):
            block = lines.block(number)
            alike = [other for other in others if other._lines.block(number) == block]  # nothing there to overlook
            self._keys.append(alike[0]._keys[number] if alike else _keys_of(block))

    def numbers(self, line: str) -> list[int]:
        """The numbers of the lines with this text, in order.

        A few are compared. Of many nobody relies on a single one, and among two million lines one in four million
        would be another line that has the same hash.
        """
        found = self._numbers.get(line)
        if found is None:
            key = hash(line) & _HASH
            found = []
            for first, keys in zip(self._lines.firsts, self._keys):
                start = bisect_left(keys, key)
                if start < len(keys) and keys[start] < key + _PLACES:
                    same = keys[start : bisect_left(keys, key + _PLACES, start)]
                    found += [first + each - key for each in same]
            if len(found) <= RARE:
                found = [number for number in found if self._lines[number] == line]
            self._numbers[line] = found
        return found

    def _search_often(self, wanted: list[str], rarest: list[int]) -> list[int]:
        return overlapping(self.lines, wanted, 0)

    @property
    def size(self) -> int:
        return _DEARER * (len(self._lines) + self._lines.starts[-1])

    def holding(self, words: list[str], most: int) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in words]
        if not words:
            return found  # nobody asks, or nobody can afford to
        for number, first in enumerate(self._lines.firsts[:-1]):
            joined = "\n".join(self._lines.block(number))
            for word, lines in zip(words, found):
                position = joined.find(word) if len(lines) <= most else -1
                while position >= 0 and len(lines) <= most:
                    lines.append(first + joined.count("\n", 0, position))
                    position = joined.find(word, position + 1)
        return [lines if len(lines) <= most else [] for lines in found]


def _keys_of(block: list[str]) -> array[int]:
    return array("Q", sorted([hash(line) & _HASH | place for place, line in enumerate(block)]))
