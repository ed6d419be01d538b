"""A document's lines as one pass sees them, and where a run of lines occurs in them.

Search is C-speed substring search over the joined lines. A pattern that occurs very often is finished
by the Knuth-Morris-Pratt method over line numbers instead, so that a repetitive file cannot make
the cost grow with the square of its length.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

# After so many hits in one search the pattern counts as repetitive: each further `find` would pay for
# preparing the whole pattern again.
_REPETITIVE = 16


class View:
    """The lines of a document under one pass."""

    __slots__ = ("lines", "_joined", "_starts", "_found")

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._joined = "\n" + "\n".join(lines) + "\n" if lines else "\n"
        self._starts: list[int] | None = None
        self._found: dict[tuple[str, ...], list[int]] = {}

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
        needle = "\n" + "\n".join(wanted) + "\n"
        joined, hits = self._joined, []
        position = joined.find(needle)
        while position >= 0:
            hits.append(self._line_at(position))
            if len(hits) >= _REPETITIVE and len(wanted) > 1:
                return hits + _overlapping(self.lines, wanted, hits[-1] + 1)
            position = joined.find(needle, position + 1)
        return hits

    def _line_at(self, position: int) -> int:
        if self._starts is None:
            self._starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        return bisect_right(self._starts, position) - 1


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
