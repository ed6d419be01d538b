"""Place the hunks of one file together.

Takes for each hunk its candidate lines, in file order; gives the one in-order placement, or says which
hunks have more than one place left or none. Each hunk is pushed as far up as the others allow, then
as far down: where both end at the same line nothing is left to choose.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from patchkit.core.language import Hunk
from patchkit.values import Record, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class SizedHunk(Value):
    """One hunk looking for its place: how many lines it covers, and how many of them at either end it only shows."""

    __slots__ = ("number", "size", "lead", "trail", "changes", "added", "places")
    number: int
    size: int
    lead: int
    trail: int
    changes: bool
    added: list[str]
    places: list[int]

    def __init__(self, number: int, hunk: Hunk, places: list[int]) -> None:
        signs = "".join([line[0] for line in hunk.lines])
        self.number = number
        self.size = len(signs) - signs.count("+")
        self.lead = len(signs) - len(signs.lstrip(" "))
        self.changes = self.lead < len(signs)
        # A hunk of context lines says that the next one is below it: what that one changes is not among its lines.
        self.trail = len(signs) - len(signs.rstrip(" ")) if self.changes else 0
        self.added = [line for line in hunk.lines if line[0] == "+"]
        self.places = places

    def changed(self, line: int) -> tuple[int, int]:
        """The lines from the first to behind the last changed one, when the hunk sits at `line`."""
        return line + self.lead, line + max(self.lead, self.size - self.trail)


class Placement(Record):
    """The topmost and the bottommost in-order places; they differ where the order leaves a choice."""

    top: list[int]
    bottom: list[int]
    shared: bool


def in_order(wanted: Sequence[SizedHunk]) -> Placement | None:
    """Returns the in-order placements, those included where hunks share context lines."""
    top = _topmost(wanted, True)
    if top is None:
        return None
    bottom = _bottommost(wanted, True)
    shows = any(each.lead or each.trail for each in wanted)  # lines that it does not change, and others may show
    shared = shows and (_topmost(wanted, False) != top or _bottommost(wanted, False) != bottom)
    return Placement(top, bottom, shared)


def _topmost(wanted: Sequence[SizedHunk], shared: bool) -> list[int] | None:
    places: list[int] = []
    for index, each in enumerate(wanted):
        lowest = 0
        if index:
            above = wanted[index - 1]
            lowest = places[-1] + above.size
            if shared:
                lowest = min(lowest, max(places[-1] + 1, lowest - above.trail - each.lead))
        position = bisect_left(each.places, lowest)
        if position == len(each.places):
            return None
        places.append(each.places[position])
    return places


def _bottommost(wanted: Sequence[SizedHunk], shared: bool) -> list[int]:
    places: list[int] = []
    for index in range(len(wanted) - 1, -1, -1):
        each = wanted[index]
        if not places:
            places.append(each.places[-1])
            continue
        below = wanted[index + 1]
        highest = places[-1] - each.size
        if shared:
            highest = max(highest, min(places[-1] - 1, highest + each.trail + below.lead))
        places.append(each.places[bisect_right(each.places, highest) - 1])
    places.reverse()
    return places


def out_of_order(wanted: Sequence[SizedHunk]) -> list[int] | None:
    """Returns the places of hunks that each have one only and change different lines, whatever their order."""
    if any(len(each.places) != 1 for each in wanted):
        return None
    places = [each.places[0] for each in wanted]
    return None if overlap(wanted, places, ordered=False) else places


def overlap(wanted: Sequence[SizedHunk], places: list[int], ordered: bool = True) -> tuple[int, int] | None:
    """Indexes of two hunks that change the same lines at these places, None when no two do.

    Two that add at one point conflict unless they are `ordered`, where it is unknown which comes first. So do two that
    add the same there: often it is one hunk, sent twice.
    """
    spans = sorted((each.changed(line), i) for i, (each, line) in enumerate(zip(wanted, places)) if each.changes)
    for ((begin, stop), first), ((start, end), second) in zip(spans, spans[1:]):
        at_one_point = begin == stop == start == end
        if start < stop or (at_one_point and (not ordered or wanted[first].added == wanted[second].added)):
            return first, second
    return None


def free_lines(wanted: Sequence[SizedHunk], placed: Placement) -> dict[int, tuple[int, int]]:
    """The lines that each hunk, by its number, may take: from the first to behind the last, whatever the others do.

    None where hunks share lines: how many lines are free depends on what they share.
    """
    if placed.shared:
        return {}
    ends = [0, *(top + each.size for each, top in zip(wanted, placed.top))]
    starts = [*placed.bottom[1:], 1 << 60]
    return {each.number: (start, stop) for each, start, stop in zip(wanted, ends, starts)}
