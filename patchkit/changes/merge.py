"""Merge two changes of the same lines: three lists of lines in, one list or the conflicts out.

Takes a base and two versions of it; gives the lines that have both changes. Changes that touch each other are a
conflict, as git has it, unless both sides made the same. A span that only adds or only removes can lie at several
places among equal lines: it is slid to the last of them first, or the same insertion made on both sides would be
found at two places and go in twice.
"""

from __future__ import annotations

from patchkit.changes.compare import Span, compared
from patchkit.values import Value

Lines = list[bytes]


class MergeConflict(Value):
    """Lines that both sides changed in different ways: of the base, of either side; `start` counts base lines."""

    __slots__ = ("start", "base", "ours", "theirs", "ours_start", "theirs_start")
    start: int
    base: Lines
    ours: Lines
    theirs: Lines
    ours_start: int
    theirs_start: int

    def __init__(self, start: int, base: Lines, ours: Lines, theirs: Lines) -> None:
        self.start = start
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.ours_start = self.theirs_start = 0


class Merged(Value):
    """The pieces of a merge in order: lines that are settled, and conflicts."""

    __slots__ = ("pieces",)
    pieces: list[Lines | MergeConflict]

    def __init__(self) -> None:
        self.pieces = []

    @property
    def conflicts(self) -> list[MergeConflict]:
        return [piece for piece in self.pieces if isinstance(piece, MergeConflict)]

    def lines(self) -> Lines:
        """The merged lines; of a conflict our side."""
        return [line for piece in self.pieces for line in (piece.ours if isinstance(piece, MergeConflict) else piece)]

    def marked(self, ours: str, base: str, theirs: str) -> Lines:
        """The merged lines with every conflict between markers, the base's lines among them."""
        found: Lines = []
        for piece in self.pieces:
            if isinstance(piece, MergeConflict):
                for title, lines in ((f"<<<<<<< {ours}", piece.ours), (f"||||||| {base}", piece.base)):
                    found += [title.encode() + b"\n", *map(_ended, lines)]
                found += [b"=======\n", *map(_ended, piece.theirs), f">>>>>>> {theirs}\n".encode()]
            else:
                found += piece
        return found


def _ended(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n"


def merged(base: Lines, ours: Lines, theirs: Lines) -> Merged:
    """Returns both changes of `base` together."""
    mine = _slid(compared(base, ours), base, ours)
    others = _slid(compared(base, theirs), base, theirs)
    both: set[tuple[object, ...]] = {(a, b, *ours[c:d]) for a, b, c, d in mine} & {
        (a, b, *theirs[c:d]) for a, b, c, d in others
    }
    mine, others = _joined(mine, base, ours, both), _joined(others, base, theirs, both)
    result = Merged()
    at = left = right = 0  # in the base, in `mine`, in `others`
    shift_mine = shift_theirs = 0  # how far the sides are ahead of the base
    while left < len(mine) or right < len(others):
        start, stop, first, second = _cluster(mine, others, left, right)
        result.pieces.append(base[at:start])
        ours_here = ours[start + shift_mine : stop + shift_mine + _growth(mine[left:first])]
        theirs_here = theirs[start + shift_theirs : stop + shift_theirs + _growth(others[right:second])]
        if right == second or ours_here == theirs_here:
            result.pieces.append(ours_here)
        elif left == first:
            result.pieces.append(theirs_here)
        else:
            conflict = MergeConflict(start, base[start:stop], ours_here, theirs_here)
            conflict.ours_start, conflict.theirs_start = start + shift_mine, start + shift_theirs
            result.pieces.append(conflict)
        shift_mine += _growth(mine[left:first])
        shift_theirs += _growth(others[right:second])
        at, left, right = stop, first, second
    result.pieces.append(base[at:])
    return result


def _growth(spans: list[Span]) -> int:
    """How many lines more than the base a side has by some spans."""
    return sum((d - c) - (b - a) for a, b, c, d in spans)


def _cluster(mine: list[Span], others: list[Span], left: int, right: int) -> tuple[int, int, int, int]:
    """The next lines of the base that spans change which touch each other, and the spans behind them."""
    firsts = [spans[n] for spans, n in ((mine, left), (others, right)) if n < len(spans)]
    start = min(span[0] for span in firsts)
    stop = min(span[1] for span in firsts if span[0] == start)
    while True:
        if left < len(mine) and mine[left][0] <= stop:
            stop, left = max(stop, mine[left][1]), left + 1
        elif right < len(others) and others[right][0] <= stop:
            stop, right = max(stop, others[right][1]), right + 1
        else:
            return start, stop, left, right


def _has_a_word(line: bytes) -> bool:
    return any(map(str.isalnum, line.decode("utf-8", "replace")))


def _slid(spans: list[Span], base: Lines, side: Lines) -> list[Span]:
    """The spans that only add or only remove, each as far down as equal lines let it go."""
    found: list[Span] = []
    for number, (a, b, c, d) in enumerate(spans):
        limit = spans[number + 1][0] if number + 1 < len(spans) else len(base)
        if a == b:
            while a < limit and base[a] == side[c]:
                a, b, c, d = a + 1, b + 1, c + 1, d + 1
        elif c == d:
            while b < limit and base[b] == base[a]:
                a, b, c, d = a + 1, b + 1, c + 1, d + 1
        found.append((a, b, c, d))
    return found


def _joined(spans: list[Span], base: Lines, side: Lines, both: set[tuple[object, ...]]) -> list[Span]:
    """The spans, with those as one that are one change with a blank line or a brace in it that happens to be the same.

    Which of such lines counts as kept is chance, and may differ for the other side. It is not where lines are replaced
    by as many: what both sides made the same there is left as it is.
    """
    found: list[Span] = []
    last = (0, 0, 0, 1)
    for span in spans:
        a, b, _, d = span
        near = bool(found) and a - found[-1][1] <= 1 and not any(map(_has_a_word, base[found[-1][1] : a]))
        even = all(each[1] - each[0] == each[3] - each[2] for each in (span, last))
        shared = even and any((each[0], each[1], *side[each[2] : each[3]]) in both for each in (span, last))
        if near and not shared:
            found[-1] = (found[-1][0], b, found[-1][2], d)
        else:
            found.append(span)
        last = span
    return found
