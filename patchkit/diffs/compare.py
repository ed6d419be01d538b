"""Where two lists of lines differ, with the choices that git makes.

Takes two lists; gives the spans that differ. Many comparisons keep equally many lines, and a merge depends on which of
them is taken: it comes out as that of git only where both sides are compared as git compares them. So lines that are
everywhere are left out of the search where too much around them has changed, the search goes from both ends and is cut
short where it takes too long, and a span that could lie at several places goes as far down as it can, or to where the
other side has changed lines as well.

Imports no module of the package: each edit shows its diff.
"""

from __future__ import annotations

from itertools import accumulate, compress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    Line = TypeVar("Line")  # bytes or text

Span = tuple[int, int, int, int]  # old lines from, to; new lines from, to

_LONG_RUN = 20  # equal lines in a row that make a way worth following
_PATIENCE = 256  # changes of a search before it looks for such ways, and at least before it ends
_FAR = 4  # how many times further than its changes such a way leads
_MOST_OFTEN = 1024  # times that a line may be there, at most, before it counts as one that is everywhere
_AROUND = 100  # lines before and after one that is everywhere that are looked at
_FEW = 4  # one of so many among them that are everywhere is few
_NEVER = 1 << 60
_STEPS = 400  # of a search for each line; git has no limit, and comes to the same in all but hopeless cases
_FEWEST, _MOST = 20_000, 100_000  # lines for which that is allowed: a second, and some seconds
_SHARED = 2_000_000  # steps of searches that share them: less than a second
_ALWAYS = 2  # for each line, if other searches have used these up
_CHUNK = 128  # lines that are compared at once


class SharedSteps:
    """The steps that several comparisons may take together: a text can have hundreds of files."""

    def __init__(self) -> None:
        self.left = _SHARED


def compared(old: list[Line], new: list[Line], *, steps: SharedSteps | None = None) -> list[Span]:
    """The differing spans of two lists of lines, in order. Common ends are taken off first: most edits are local."""
    least = min(len(old), len(new))
    head = _common(old, new, least)
    tail = _common(old[: head - len(old) - 1 : -1], new[: head - len(new) - 1 : -1], least - head)
    if head == len(old) == len(new):
        return []
    stop, end = len(old) - tail, len(new) - tail
    removed: dict[int, int] = {}  # how many lines of one side are changed, by how many lines that stay are above them
    added: dict[int, int] = {}
    place, at, now = head, head, head
    # After the usual edit no line between the common ends stays; where no steps are left, none is looked for.
    is_plain = stop == head or end == head or (steps is not None and not steps.left)
    is_plain = is_plain or set(old[head:stop]).isdisjoint(new[head:end])
    if is_plain and head < min(stop, end):
        return [(head, stop, head, end)]  # each side is beside the other already, where it is to be
    for mine, theirs, size in [*([] if is_plain else _kept(old, new, head, stop, end, steps)), (stop, end, tail)]:
        if mine > at:
            removed[place] = mine - at
        if theirs > now:
            added[place] = theirs - now
        place, at, now = place + size, mine + size, theirs + size
    _settle(old, removed, added)
    _settle(new, added, removed)
    spans: list[Span] = []
    gone = come = 0
    for place in sorted({*removed, *added}):
        less, more = removed.get(place, 0), added.get(place, 0)
        spans.append((place + gone, place + gone + less, place + come, place + come + more))
        gone, come = gone + less, come + more
    return spans


def _common(old: list[Line], new: list[Line], most: int) -> int:
    """How many lines, `most` at the most, two lists begin with alike."""
    at = 0
    while at < most and old[at : at + _CHUNK] == new[at : at + _CHUNK]:
        at += _CHUNK
    while at < most and old[at] == new[at]:
        at += 1
    return min(at, most)


def _kept(
    old: list[Line], new: list[Line], head: int, stop: int, end: int, steps: SharedSteps | None
) -> Iterator[tuple[int, int, int]]:
    """The runs of rows that stay between the common ends: the first on either side, and how many."""
    numbers = {line: number for number, line in enumerate(dict.fromkeys([*old, *new]))}
    mine, theirs = ([*map(numbers.__getitem__, side)] for side in (old, new))
    rows = _telling(mine, theirs, head, stop, len(numbers)), _telling(theirs, mine, head, end, len(numbers))
    search = _Search([mine[row] for row in rows[0]], [theirs[row] for row in rows[1]], steps)
    found = search.kept()
    if steps is not None:
        steps.left = max(min(steps.left, search.left), 0)
    del numbers, mine, theirs, search  # each as large as the files
    for a, c, size in found:
        while size:
            run = min(_run(rows[0], a, size), _run(rows[1], c, size))
            yield rows[0][a], rows[1][c], run
            a, c, size = a + run, c + run, size - run


def _run(rows: Sequence[int], start: int, most: int) -> int:
    """How many rows, `most` at the most, follow each other from one on."""
    size, step = 1, 1
    while step:
        if size + step <= most and rows[start + size + step - 1] == rows[start] + size + step - 1:
            size, step = size + step, 2 * step
        else:
            step //= 2
    return size


def _root(number: int) -> int:
    """A power of two near the square root of a number, and above it."""
    return 1 << (number.bit_length() + 1) // 2


def _telling(lines: list[int], others: list[int], head: int, stop: int, count: int) -> Sequence[int]:
    """The rows between the common ends that are worth comparing: those of lines that the other side has.

    Of a line that is everywhere, not where nearly all around it is changed: it would hold nothing together.
    """
    counts = [0] * count
    for line in others:
        counts[line] += 1
    often = min(_root(len(lines)), _MOST_OFTEN)
    kind_of = [0 if not number else 2 if number >= often else 1 for number in counts]
    kinds = [kind_of[line] for line in lines[head:stop]]
    if 2 not in kinds:  # nearly always
        return [row for row, kind in enumerate(kinds, head) if kind]
    if 0 not in kinds:
        return range(head, stop)
    changed = [*accumulate(map((0).__eq__, kinds), initial=0)]  # rows above each of lines that the other side lacks
    found: list[int] = []
    first = 0
    for last in [*compress(range(len(kinds)), map((1).__eq__, kinds)), len(kinds)]:  # of lines that are not everywhere
        for start in range(first, last, _AROUND):
            rows = compress(range(start, last), kinds[start : min(start + _AROUND, last)])
            found += _among_few(rows, changed, first, last, start)
        found.append(last)
        first = last + 1
    found.pop()
    return [row + head for row in found] if head else found


def _among_few(rows: Iterator[int], changed: list[int], first: int, last: int, start: int) -> Iterator[int]:
    """Rows, `_AROUND` at the most, of lines that are everywhere, without those around which nearly all is changed."""
    least = min(last - first, _AROUND + 1)  # rows that are looked at around each
    most = changed[min(start + 2 * _AROUND, last)] - changed[max(start - _AROUND, first)]
    if most * _FEW <= (least + 1) * (_FEW - 1):
        return rows
    return (row for row in rows if not _is_lost(row, changed, max(row - _AROUND, first), min(row + 1 + _AROUND, last)))


def _is_lost(row: int, changed: list[int], low: int, high: int) -> bool:
    above, below = changed[row] - changed[low], changed[high] - changed[row]
    return above > 0 < below and (high - low + 1 - above - below) * (_FEW - 1) < above + below


class _Search:
    """Myers' search from both ends at once, over lines as numbers."""

    def __init__(self, old: list[int], new: list[int], shared: SharedSteps | None = None) -> None:
        self.old, self.new = old, new
        size = len(old) + len(new) + 3
        self._zero = len(new) + 1  # the place of the diagonal 0
        self._fore = [0] * size  # for each diagonal, by rows of the old side, how far the ways along it have come
        self._back = [0] * size
        self._most = max(_root(size), _PATIENCE)
        # What is not compared by then counts as changed.
        own = _STEPS * min(max(size, _FEWEST), _MOST)
        self.left = max(shared.left, _ALWAYS * size) if shared is not None else own

    def kept(self) -> list[tuple[int, int, int]]:
        """The runs of equal rows that stay, in order: the first on either side, and how many."""
        old, new = self.old, self.new
        found: list[tuple[int, int, int]] = []
        boxes = [(0, len(old), 0, len(new), False)]
        while boxes:
            a, b, c, d, thorough = boxes.pop()
            start, stop = a, b
            while a < b and c < d and old[a] == new[c]:
                a, c = a + 1, c + 1
            while a < b and c < d and old[b - 1] == new[d - 1]:
                b, d = b - 1, d - 1
            found += [(start, c - (a - start), a - start), (b, d, stop - b)]
            if a < b and c < d and self.left > 0:
                mine, theirs, first, second = self._middle(a, b, c, d, thorough)
                boxes += [(a, mine, c, theirs, first), (mine, b, theirs, d, second)]
        return sorted(found)

    def _middle(self, a: int, b: int, c: int, d: int, thorough: bool) -> tuple[int, int, bool, bool]:
        """A point on the way through a box, and whether its two halves have to be searched to the end."""
        old, new, zero = self.old, self.new, self._zero
        fore, back = self._fore, self._back
        lowest, highest = zero + a - d, zero + b - c
        start, goal = zero + a - c, zero + b - d
        odd = (start - goal) & 1
        f_low = f_high = start
        b_low = b_high = goal
        fore[start], back[goal] = a, b
        changes = 0
        while True:
            changes += 1
            long_run, steps = False, 0
            if f_low > lowest:
                f_low -= 1
                fore[f_low - 1] = -1
            else:
                f_low += 1
            if f_high < highest:
                f_high += 1
                fore[f_high + 1] = -1
            else:
                f_high -= 1
            for diagonal in range(f_high, f_low - 1, -2):
                left, right = fore[diagonal - 1], fore[diagonal + 1]
                row = begun = left + 1 if left >= right else right
                other = row - diagonal + zero
                while row < b and other < d and old[row] == new[other]:
                    row, other = row + 1, other + 1
                run = row - begun
                steps += run
                if run > _LONG_RUN:
                    long_run = True
                fore[diagonal] = row
                if odd and b_low <= diagonal <= b_high and back[diagonal] <= row:
                    return row, other, True, True
            if b_low > lowest:
                b_low -= 1
                back[b_low - 1] = _NEVER
            else:
                b_low += 1
            if b_high < highest:
                b_high += 1
                back[b_high + 1] = _NEVER
            else:
                b_high -= 1
            for diagonal in range(b_high, b_low - 1, -2):
                left, right = back[diagonal - 1], back[diagonal + 1]
                row = begun = left if left < right else right - 1
                other = row - diagonal + zero
                while row > a and other > c and old[row - 1] == new[other - 1]:
                    row, other = row - 1, other - 1
                run = begun - row
                steps += run
                if run > _LONG_RUN:
                    long_run = True
                back[diagonal] = row
                if not odd and f_low <= diagonal <= f_high and row <= fore[diagonal]:
                    return row, other, True, True
            self.left -= steps + f_high - f_low + b_high - b_low
            box = (a, b, c, d)
            if thorough and self.left > 0:
                continue
            fronts = range(f_high, f_low - 1, -2), range(b_high, b_low - 1, -2)
            if long_run and changes > _PATIENCE:
                found = self._good_way(box, fronts, changes)
                if found is not None:
                    return found
            if changes >= self._most or self.left <= 0:
                return self._furthest(box, fronts)

    def _good_way(self, box: Span, fronts: tuple[range, range], changes: int) -> tuple[int, int, bool, bool] | None:
        """The end of a way that leads far for its changes and ends in a long run of equal lines."""
        a, b, c, d = box
        old, new, zero = self.old, self.new, self._zero
        best, found = _FAR * changes, None
        for diagonal in fronts[0]:
            row = self._fore[diagonal]
            other = row - diagonal + zero
            worth = (row - a) + (other - c) - abs(diagonal - zero - (a - c))
            fits = a + _LONG_RUN <= row < b and c + _LONG_RUN <= other < d
            if worth > best and fits and old[row - _LONG_RUN : row] == new[other - _LONG_RUN : other]:
                best, found = worth, (row, other, True, False)
        if found is not None:
            return found
        for diagonal in fronts[1]:
            row = self._back[diagonal]
            other = row - diagonal + zero
            worth = (b - row) + (d - other) - abs(diagonal - zero - (b - d))
            fits = a < row <= b - _LONG_RUN and c < other <= d - _LONG_RUN
            if worth > best and fits and old[row : row + _LONG_RUN] == new[other : other + _LONG_RUN]:
                best, found = worth, (row, other, False, True)
        return found

    def _furthest(self, box: Span, fronts: tuple[range, range]) -> tuple[int, int, bool, bool]:
        """The end of the way that has come furthest, from either end."""
        a, b, c, d = box
        zero = self._zero
        ahead, ahead_row = -1, -1
        for diagonal in fronts[0]:
            row = min(self._fore[diagonal], b, d + diagonal - zero)
            other = row - diagonal + zero
            if row + other > ahead:
                ahead, ahead_row = row + other, row
        behind, behind_row = _NEVER, _NEVER
        for diagonal in fronts[1]:
            row = max(self._back[diagonal], a, c + diagonal - zero)
            other = row - diagonal + zero
            if row + other < behind:
                behind, behind_row = row + other, row
        if b + d - behind < ahead - (a + c):
            return ahead_row, ahead - ahead_row, True, False
        return behind_row, behind - behind_row, False, True


def _settle(lines: list[Line], changed: dict[int, int], others: dict[int, int]) -> None:
    """Moves the changed lines of one side, among equal lines, beside changed lines of the other or to the end."""
    last, above = -1, 0  # where the run above came to lie, and how many lines are changed down to it
    for place in sorted(changed):
        if place > last and place in changed:  # and not one with that run by now
            last, start = _settled(lines, changed, others, place, place + above)
            above = start - last + changed[last]


def _settled(
    lines: list[Line], changed: dict[int, int], others: dict[int, int], place: int, start: int
) -> tuple[int, int]:
    """Moves one run of changed lines, with those that it meets; gives its new place."""
    size = changed.pop(place)
    beside = -1
    begun = 0
    while size != begun:
        begun, far = size, 1
        while moved := _alike(lines, start - 1, start + size - 1, -min(far, start)):
            met = next(filter(changed.__contains__, range(place - 1, place - moved - 1, -1)), None)
            moved = moved if met is None else place - met
            place, far = place - moved, 2 * far if met is None else 1
            more = changed.pop(place, 0)
            start, size = start - moved - more, size + more
        beside = place if place in others else -1
        far = 1
        while moved := _alike(lines, start, start + size, min(far, len(lines) - start - size)):
            met = next(filter(changed.__contains__, range(place + 1, place + moved + 1)), None)
            moved = moved if met is None else met - place
            beside = next(filter(others.__contains__, range(place + moved, place, -1)), beside)
            place, start, far = place + moved, start + moved, 2 * far if met is None else 1
            size += changed.pop(place, 0)
    if beside >= 0:  # nothing was met on the way down
        place, start = beside, start - (place - beside)
    changed[place] = size
    return place, start


def _alike(lines: list[Line], one: int, other: int, far: int) -> int:
    """How many lines from one row on are those from another row on; upwards where `far`, the most, is below 0."""
    if not far or lines[one] != lines[other]:
        return 0  # nearly always
    if far < 0:
        one, other, far = one + far + 1, other + far + 1, -far
        mine, theirs = lines[one : one + far][::-1], lines[other : other + far][::-1]
    else:
        mine, theirs = lines[one : one + far], lines[other : other + far]
    return far if mine == theirs else [a == b for a, b in zip(mine, theirs)].index(False)
