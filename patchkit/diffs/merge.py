"""Merge two changes of the same lines: three lists of lines in, one list or the conflicts out.

Takes a base and two versions of it; gives the lines that have both changes: those of `git merge-file`, and a conflict
where git has one. Changes that touch each other are a conflict, unless both sides made the same.
"""

from __future__ import annotations

from patchkit.diffs.compare import Span, compared
from patchkit.values import Record

Lines = list[bytes]


class MergeConflict(Record):
    """Lines that both sides changed in different ways: of the base, of either side; `start` counts base lines."""

    start: int
    base: Lines
    ours: Lines
    theirs: Lines
    ours_start: int = 0


class Merged(Record):
    """The pieces of a merge in order: lines that are settled, and conflicts."""

    pieces: list[Lines | MergeConflict] = []

    @property
    def conflicts(self) -> list[MergeConflict]:
        return [piece for piece in self.pieces if isinstance(piece, MergeConflict)]

    def lines(self) -> Lines:
        """The merged lines; of a conflict our side."""
        sides = (piece.ours if isinstance(piece, MergeConflict) else piece for piece in self.pieces)
        return [line for lines in sides for line in lines]

    def marked(self, ours: str, base: str, theirs: str) -> Lines:
        """The merged lines with every conflict between markers, the base's lines among them."""
        found: Lines = []
        for piece in self.pieces:
            if isinstance(piece, MergeConflict):
                for title, lines in ((f"<<<<<<< {ours}", piece.ours), (f"||||||| {base}", piece.base)):
                    found += [title.encode() + b"\n", *map(ended, lines)]
                found += [b"=======\n", *map(ended, piece.theirs), f">>>>>>> {theirs}\n".encode()]
            else:
                found += piece
        return found


def ended(line: bytes) -> bytes:
    """The line with a line feed."""
    return line if line.endswith(b"\n") else line + b"\n"


def merged(base: Lines, ours: Lines, theirs: Lines) -> Merged:
    """Returns both changes of `base` together."""
    result = Merged()
    at = 0
    for region in _regions(base, ours, theirs):
        result.pieces.append(ours[at : region.ours[0]])
        ours_here, theirs_here = ours[slice(*region.ours)], theirs[slice(*region.theirs)]
        if region.by == "ours" or ours_here == theirs_here:
            result.pieces.append(ours_here)
        elif region.by == "theirs":
            result.pieces.append(theirs_here)
        else:
            lines = base[slice(*region.base)], ours_here, theirs_here
            result.pieces.append(MergeConflict(region.base[0], *lines, region.ours[0]))
        at = region.ours[1]
    result.pieces.append(ours[at:])
    return result


class _Region:
    """Lines that one side changed, or both: from, to, of the base and of either side."""

    def __init__(self, by: str, start: int, stop: int, mine: Span, other: Span) -> None:
        """`mine` and `other` are changes of either side in or beside the lines, which say how far that side is off."""
        self.by = by
        self.base = (start, stop)
        self.ours = (mine[2] - mine[0] + start, mine[3] - mine[1] + stop)
        self.theirs = (other[2] - other[0] + start, other[3] - other[1] + stop)


def _regions(base: Lines, ours: Lines, theirs: Lines) -> list[_Region]:
    """What one side changed, and what both did where their changes touch; not what both changed in the same way."""
    mine, others = compared(base, ours), compared(base, theirs)
    found: list[_Region] = []
    left = right = 0
    ends = [(len(base), len(base), len(side), len(side)) for side in (ours, theirs)]
    while left < len(mine) or right < len(others):
        a = mine[left] if left < len(mine) else ends[0]
        b = others[right] if right < len(others) else ends[1]
        if right == len(others) or (left < len(mine) and a[1] < b[0]):
            _add(found, _Region("ours", a[0], a[1], a, (b[0], b[0], b[2], b[2])))
            left += 1
        elif left == len(mine) or b[1] < a[0]:
            _add(found, _Region("theirs", b[0], b[1], (a[0], a[0], a[2], a[2]), b))
            right += 1
        else:
            if a[:2] != b[:2] or ours[a[2] : a[3]] != theirs[b[2] : b[3]]:
                _add(found, _Region("both", min(a[0], b[0]), max(a[1], b[1]), a, b))
            left, right = left + (a[1] <= b[1]), right + (b[1] <= a[1])
    return found


def _add(found: list[_Region], region: _Region) -> None:
    """Appends a region, or makes it one with the last where they touch."""
    last = found[-1] if found else None
    if last is None or (region.ours[0] > last.ours[1] and region.theirs[0] > last.theirs[1]):
        found.append(region)
        return
    if last.by != region.by:
        last.by = "both"
    last.base = (last.base[0], region.base[1])
    last.ours = (last.ours[0], region.ours[1])
    last.theirs = (last.theirs[0], region.theirs[1])
