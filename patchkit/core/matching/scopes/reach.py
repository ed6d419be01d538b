"""The lines in which a hunk may be placed because of its anchors.

Takes the scopes of the anchors; says of a place whether one of them holds it, and whether it is the nearest.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from patchkit.core.matching import FEW
from patchkit.core.matching.ordering import SizedHunk
from patchkit.core.matching.scopes.anchors import Definition, Scope

_NOWHERE = 1 << 60  # a line that no file has


class Reach:
    """The lines that the scopes of one hunk's anchors cover, given in file order.

    Whether a place lies in any scope is answered without looking at each: a file of ten thousand equal definitions
    must not cost their number squared.
    """

    __slots__ = ("_starts", "_furthest", "_defining", "_free")

    def __init__(self, scopes: list[Scope]) -> None:
        self._starts = [scope.line for scope in scopes]
        self._furthest = list(accumulate((scope.end for scope in scopes), max))
        self._defining = {scope.line for scope in scopes if scope.definition is not None}
        self._free = min((scope.line for scope in scopes if scope.definition is None), default=_NOWHERE)

    def covers(self, start: int, stop: int) -> bool:
        """Whether one scope holds all lines from `start` to before `stop`."""
        index = bisect_right(self._starts, start)
        return index > 0 and self._furthest[index - 1] >= stop

    def spans(self) -> list[tuple[int, int]]:
        """The first line of each scope, and the line behind the last that it or one above it reaches."""
        return list(zip(self._starts, self._furthest))

    def begins_in(self, start: int, stop: int) -> bool:
        """Whether an anchor itself is one of these lines."""
        return bisect_left(self._starts, stop) > bisect_left(self._starts, start)

    def candidates(self, places: list[int], size: int) -> list[int]:
        """Those of the places, in order, that may be admitted: where scopes are few, most need not be looked at."""
        if len(self._starts) > FEW:
            return places
        # Right behind a scope is still at its end, for a hunk that adds lines there.
        spans = [(start - size, end + 1) for start, end in zip(self._starts, self._furthest)]
        indexes = {n for start, stop in spans for n in range(bisect_left(places, start), bisect_left(places, stop))}
        return [places[index] for index in sorted(indexes)]

    def admits(self, hunk: SizedHunk, line: int) -> bool:
        """Whether a hunk at `line` begins in a scope, shows an anchor itself, or changes lines in a scope."""
        if self.covers(line, line + 1) or self.begins_in(line, line + hunk.size):
            return True
        first, stop = hunk.changed(line)
        # Lines that are added right above an anchor are not below it.
        return self.covers(first - 1 if first == stop else first, stop)

    def is_nearest(self, hunk: SizedHunk, line: int, around: list[Definition]) -> bool:
        """Whether an anchor opens the innermost definition of its kind around the first line that the hunk changes.

        `around` are the definitions around that line, innermost first. An anchor that opens no definition, or that
        the hunk shows below the change, has none between itself and the change.
        """
        first = hunk.changed(line)[0]
        if self._free <= first or self.begins_in(max(line, first + 1), line + hunk.size):
            return True
        innermost: dict[str, Definition] = {}
        for definition in around:
            innermost.setdefault(definition.kind, definition)
        return any(at in self._defining for each in innermost.values() for at in each.lines)
