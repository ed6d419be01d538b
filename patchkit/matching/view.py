"""A document's lines as one pass sees them, and where a run of lines occurs in them.

A line that occurs once names the only window worth comparing, else the rarest line of a pattern the few, so a
pattern that is nowhere costs next to nothing. Where even that line is common, substring search over the joined
lines takes over, and a pattern that occurs very often is finished by the Knuth-Morris-Pratt method over whole
lines: a repetitive file cannot make the cost grow with the square of its length.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

_RARE = 64  # so many windows are compared one by one
_REPETITIVE = 16  # after so many hits each further search would pay for preparing the whole pattern again


class View:
    """The lines of a document under one pass."""

    __slots__ = ("lines", "_first", "_last", "_many", "_joined", "_starts", "_found")

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        # Two dictionaries that no Python loop fills: a line with the same number in both occurs once.
        self._last = dict(zip(lines, range(len(lines))))
        self._first = dict(zip(reversed(lines), range(len(lines) - 1, -1, -1)))
        self._many: dict[str, list[int]] | None = None
        self._joined: str | None = None
        self._starts: list[int] = []
        self._found: dict[tuple[str, ...], list[int]] = {}

    def numbers(self, line: str) -> list[int]:
        """The numbers of the lines with this text, in order."""
        last = self._last.get(line)
        if last is None:
            return []
        return [last] if self._first[line] == last else self._repeated[line]

    @property
    def _repeated(self) -> dict[str, list[int]]:
        """The numbers of the lines that occur more than once; a list for every line would keep the collector busy."""
        if self._many is None:
            many: dict[str, list[int]] = {}
            self._many = many
            first, last = self._first, self._last
            for number, line in enumerate(self.lines):
                if first[line] != last[line]:
                    many.setdefault(line, []).append(number)
        return self._many

    def occurrences(self, wanted: list[str]) -> list[int]:
        """Returns every line at which the lines `wanted` stand, in order; the same list for the same lines."""
        key = tuple(wanted)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._search(wanted)
        return found

    def _search(self, wanted: list[str]) -> list[int]:
        if not wanted or len(wanted) > len(self.lines):
            return []
        for index, line in enumerate(wanted):
            number = self._last.get(line)
            if number is None:
                return []
            if self._first[line] == number:
                return self._standing([number - index], wanted)
        rarest, offset = None, 0
        for index, line in enumerate(wanted):
            numbers = self.numbers(line)
            if rarest is None or len(numbers) < len(rarest):
                rarest, offset = numbers, index
        if len(wanted) == 1:
            return rarest  # type: ignore[return-value]
        if len(rarest) > _RARE:  # type: ignore[arg-type]
            return self._search_joined(wanted)
        return self._standing([number - offset for number in rarest], wanted)  # type: ignore[union-attr]

    def _standing(self, starts: list[int], wanted: list[str]) -> list[int]:
        """Those of the lines at which all of `wanted` stands."""
        return [start for start in starts if start >= 0 and self.lines[start : start + len(wanted)] == wanted]

    def _search_joined(self, wanted: list[str]) -> list[int]:
        if self._joined is None:
            self._joined = "\n" + "\n".join(self.lines) + "\n"
            self._starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        needle = "\n" + "\n".join(wanted) + "\n"
        hits: list[int] = []
        position = self._joined.find(needle)
        while position >= 0:
            hits.append(bisect_right(self._starts, position) - 1)
            if len(hits) >= _REPETITIVE:
                return hits + _overlapping(self.lines, wanted, hits[-1] + 1)
            position = self._joined.find(needle, position + 1)
        return hits


def _overlapping(lines: list[str], wanted: list[str], start: int) -> list[int]:
    """Every occurrence from line `start` on, in time linear in both lists."""
    fallback = [0] * len(wanted)
    matched = 0
    for index in range(1, len(wanted)):
        while matched and wanted[index] != wanted[matched]:
            matched = fallback[matched - 1]
        if wanted[index] == wanted[matched]:
            matched += 1
        fallback[index] = matched
    hits, matched = [], 0
    for index in range(start, len(lines)):
        line = lines[index]
        while matched and line != wanted[matched]:
            matched = fallback[matched - 1]
        if line == wanted[matched]:
            matched += 1
        if matched == len(wanted):
            hits.append(index - matched + 1)
            matched = fallback[matched - 1]
    return hits
