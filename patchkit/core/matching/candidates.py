"""A hunk with its candidate places: what `search` found, and the evidence that `placer` has used so far."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, islice

from patchkit.core.language import Hunk
from patchkit.core.matching import FEW, LIKE, LONGEST, MANY, SEVERAL
from patchkit.core.matching.ordering import SizedHunk
from patchkit.core.matching.passes import PASSES, View
from patchkit.core.matching.scopes.anchors import Definition, Scope
from patchkit.errors import Note
from patchkit.values import Record, Value

# The lines in which a hunk may be placed because of its anchors.
#
# Takes the scopes of the anchors; says of a place whether one of them holds it, and whether it is the nearest.
_NOWHERE = 1 << 60  # a line that no file has
_COMMON = 200  # places beyond which a line does not show where a hunk belongs


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


# -- places where a hunk fits but for blank lines or one context line ------------------------------
# Tried only when no pass finds the hunk as written. Lines are compared as the most tolerant pass sees them; every
# removed line must be there; and the place must be the only one: any other window of the file has to differ in three
# lines or more, so that a twin of the wanted block is never taken for it. A context line that differs has to be
# recognisable, or the rest of the hunk long. One that the file lacks is never skipped beside added lines: the patch
# expects it to be there after the change, and the result would lack it.


class Fit(Record):
    """A place and how the hunk lies on it: for each old line the file's line, -1 for a line the file lacks."""

    pairs: list[int]
    how: str

    @property
    def first(self) -> int:
        return next(pair for pair in self.pairs if pair >= 0)

    @property
    def span(self) -> int:
        return max(self.pairs) + 1 - self.first

    @property
    def lacks_a_line(self) -> bool:
        """Whether the hunk left out a line that the file has."""
        return any(b - a > 1 for a, b in zip(self.pairs, self.pairs[1:]) if a >= 0)


class InexactSearch:
    """The file's lines as the most tolerant pass sees them, indexed for inexact search."""

    def __init__(self, view: View) -> None:
        self.lines = view.lines
        self._numbers = view.numbers
        self.spent = 0  # lines looked at: a budget counts work, not time

    # -- blank lines -----------------------------------------------------------------------------

    def but_for_blank_lines(self, old: list[str], signs: OldSigns, budget: int) -> list[Fit]:
        """Places where the hunk fits when blank context lines are left out of account on both sides."""
        solid = [index for index, line in enumerate(old) if line]
        alone = len(solid) < 2 and all(signs.is_kept(index) for index in solid)  # one that is removed is looked for
        if alone or not any(char.isalnum() for index in solid for char in old[index]):
            return []
        rarest = min(solid, key=lambda index: len(self._numbers(old[index])))
        places = self._numbers(old[rarest])
        fits = []
        for number in places if len(places) <= _COMMON else ():
            self.spent += 1
            if self.spent > budget:
                return []
            pairs = self._around(old, signs, rarest, number)
            if pairs is not None:
                fits.append(Fit(pairs, "blank-lines"))
        return fits

    def _around(self, old: list[str], signs: OldSigns, index: int, number: int) -> list[int] | None:
        """The pairs of a hunk whose line `index` lies on the file's line `number`, blank lines free."""
        pairs = [-1] * len(old)
        pairs[index] = number
        for step in (-1, 1):
            at, line = index + step, number + step
            while 0 <= at < len(old):
                self.spent += 1
                here = self.lines[line] if 0 <= line < len(self.lines) else None
                if here == old[at]:
                    pairs[at] = line
                    at, line = at + step, line + step
                elif not old[at] and signs.is_spare(at, old):
                    at += step  # a blank line the file lacks
                elif here == "" and signs.is_open(at - step, at):
                    line += step  # a blank line the hunk lacks
                else:
                    return None
        return pairs

    # -- one context line ------------------------------------------------------------------------

    def but_for_one_line(self, old: list[str], signs: OldSigns, budget: int) -> list[Fit]:
        """The one place where all but one context line fit, if nothing else comes near; else nothing."""
        rarest = sorted(range(len(old)), key=lambda index: len(self._numbers(old[index])))[:SEVERAL]
        if len(old) < SEVERAL or not self._numbers(old[rarest[1]]):
            return []  # where two lines are nowhere, no window can hold all but one
        starts = self._windows(old, rarest)
        self.spent += len(starts) * len(old)
        if self.spent > budget:
            return []
        # All but one line fit, so one of any two does: the two rarest have few places.
        near = sorted(self._windows(old, rarest[:2]))
        fits = [fit for start in near for fit in self._fits_at(start, old, signs)]
        if len({signs.effect(fit) for fit in fits}) != 1:
            return []
        best = max(fits, key=lambda fit: sum(self.holds(fit, index, old) for index in range(len(old))))
        own = {pair - index for fit in fits for index, pair in enumerate(fit.pairs) if pair >= 0}
        others = starts - own  # looked at in order: going to and fro in a large file costs more than sorting
        if best.lacks_a_line:  # all the hunk says is there: only as good a place elsewhere would make a doubt
            others -= {start + move for start in own for move in (-1, 1)}
            rivals = any(
                self._misses(start, old) < 2 or self._misses_around_a_line(start, old) < 2 for start in sorted(others)
            )
        else:
            rivals = any(self._misses(start, old) < SEVERAL for start in sorted(others))
        return [] if rivals else [best]

    def _misses_around_a_line(self, start: int, old: list[str]) -> int:
        """In how many lines a window differs at least, when the hunk may leave out one line of the file inside it."""
        size = len(old)
        upper = [not self._is(start + index, line) for index, line in enumerate(old)]
        lower = [not self._is(start + 1 + index, line) for index, line in enumerate(old)]
        best = misses = sum(lower)
        for index in range(size - 1):
            misses += upper[index] - lower[index]
            best = min(best, misses) if index else misses
        return best

    def _is(self, number: int, line: str) -> bool:
        return 0 <= number < len(self.lines) and self.lines[number] == line

    def holds(self, fit: Fit, index: int, old: list[str]) -> bool:
        """Whether an old line is the same as the file's line at its place."""
        return fit.pairs[index] >= 0 and self.lines[fit.pairs[index]] == old[index]

    def _windows(self, old: list[str], some: list[int]) -> set[int]:
        """Starts of all windows that hold one of these old lines; with three, of all that differ in fewer lines."""
        seen = {number - index for index in some for number in self._numbers(old[index])}
        # A line left out or put in moves one part of the hunk up or down by one.
        return {start + move for start in seen for move in (-1, 0, 1)}

    def _misses(self, start: int, old: list[str]) -> int:
        """In how many lines a window differs, counted up to three."""
        return sum(1 for _ in islice(self._differing(start, old), SEVERAL))

    def _fits_at(self, start: int, old: list[str], signs: OldSigns) -> list[Fit]:
        size = len(old)
        head, tail = next(self._differing(start, old), size), self._tail(start, old)
        fits = []
        if head + tail == size - 1 and signs.is_kept(head) and self._may_be(start + head, head, old, signs):
            fits.append(Fit([start + index for index in range(size)], "context-line"))
        # The hunk lacks a line of the file: its tail lies one line further down than its head.
        lower = self._tail(start + 1, old)
        cuts = [c for c in range(max(1, size - lower), min(head, size - 1) + 1) if signs.is_open(c - 1, c)]
        if cuts and head < size:
            cut = cuts[0]
            fits.append(Fit([start + i + (i >= cut) for i in range(size)], "context-line"))
        # The hunk has a line the file lacks: its tail lies one line higher.
        upper = self._tail(start - 1, old)
        extra = [c for c in range(max(0, size - 1 - upper), min(head + 1, size)) if signs.is_spare(c, old)]
        if extra and head < size and self._is_long(old, extra[0]):
            cut = extra[0]
            fits.append(Fit([-1 if i == cut else start + i - (i > cut) for i in range(size)], "context-line"))
        return fits

    def _may_be(self, number: int, index: int, old: list[str], signs: OldSigns) -> bool:
        """Whether a line of the file may be the hunk's line `index`, which says something else."""
        if not 0 <= number < len(self.lines):
            return False
        if is_like(old[index], self.lines[number]):
            return True
        return self._is_long(old, index) and signs.is_bounded(index, old)

    def _is_long(self, old: list[str], index: int) -> bool:
        """Whether the hunk says enough beside the line that differs: several lines, or many letters."""
        rest = [line for at, line in enumerate(old) if line and at != index]
        return len(rest) >= SEVERAL or sum(map(str.isalnum, "".join(rest))) >= MANY

    def _tail(self, start: int, old: list[str]) -> int:
        """How many lines up from the bottom of the hunk lie on the file's lines from `start`."""
        return len(old) - 1 - next(self._differing(start, old, back=True), -1)

    def _differing(self, start: int, old: list[str], back: bool = False) -> filter[int]:
        """The old lines that differ from the file's lines from `start`, by their numbers; from the last one `back`."""
        rows = range(len(old))
        return filter(lambda row: not self._is(start + row, old[row]), reversed(rows) if back else rows)


class OldSigns(Value):
    """What the old lines of a hunk are: one sign each, ' ' kept or '-' removed, and which of them touch added lines."""

    __slots__ = ("signs", "above", "below")
    signs: str
    above: set[int]  # lines with added ones right above them
    below: set[int]  # lines with added ones right below them

    def __init__(self, hunk_lines: list[str]) -> None:
        self.signs = "".join([line[0] for line in hunk_lines if line[0] != "+"])
        self.above = set()
        self.below = set()
        index = -1
        for line, before in zip(hunk_lines, ["", *hunk_lines]):
            if line[0] != "+":
                index += 1
                if before[:1] == "+":
                    self.above.add(index)
            elif index >= 0:
                self.below.add(index)

    def is_kept(self, index: int) -> bool:
        return self.signs[index] == " "

    def is_open(self, one: int, other: int) -> bool:
        """Whether two neighbouring old lines are context with nothing added between them."""
        upper, lower = min(one, other), max(one, other)
        inside = upper >= 0 and lower < len(self.signs)
        return inside and self.is_kept(upper) and self.is_kept(lower) and upper not in self.below

    def is_spare(self, index: int, old: list[str]) -> bool:
        """Whether the file may lack a line: a kept one that touches no added lines, and no removed blank if blank.

        A blank one may touch lines that are added in place of others.
        """
        above, below = index in self.above, index in self.below
        if not old[index]:
            above = above and self.signs[index - 1 : index] != "-"
            below = below and self.signs[index + 1 : index + 2] != "-"
        if not self.is_kept(index) or above or below:
            return False
        beside = [each for each in (index - 1, index + 1) if 0 <= each < len(old)]
        return bool(old[index]) or not any(self.signs[each] == "-" and not old[each] for each in beside)

    def is_bounded(self, index: int, old: list[str]) -> bool:
        """Whether the place of added lines is known without the kept line `index` beside them.

        On their other side there has to be a removed line, or one with words; a line without words will do where
        lines with words are further on that side, and lines that fit on both sides of line `index`: then no other
        line can be in its place. At the end of a hunk it may be one that is further away.
        """
        inner = 0 < index < len(old) - 1
        sides = [old[index - 1 :: -1] if index else []] if index in self.above else []
        sides += [old[index + 1 :]] if index in self.below else []
        nearest = [index - 1] if index in self.above else []
        nearest += [index + 1] if index in self.below else []
        return all(
            0 <= each < len(old)
            and (self.signs[each] == "-" or any(map(str.isalnum, "".join(side if inner else side[:1]))))
            for each, side in zip(nearest, sides)
        )

    def effect(self, fit: Fit) -> tuple[int, ...]:
        """What a fit comes to: where the hunk begins to change things, and where its changed lines lie."""
        changing = [pair for index, pair in enumerate(fit.pairs) if self.signs[index] == "-" or index in self.below]
        return (*changing, fit.pairs[0] if 0 in self.above else -2)


def is_like(one: str, other: str) -> bool:
    """Whether a line is another with a slip in it."""
    one, other = one[:LONGEST], other[:LONGEST]
    if min(len(one), len(other)) * 2 < LIKE * (len(one) + len(other)):
        return False
    return alike(one, other) >= LIKE


def alike(one: str, other: str) -> float:
    """How much of two texts is the same, from 0 to 1: their longest common part, and those on its left and right.

    This is the ratio of difflib, which loads regular expressions: a refusal would take half as long again.
    """
    same = 0
    parts = [(0, len(one), 0, len(other))]
    while parts:
        start, stop, low, high = parts.pop()
        if start == stop or low == high:
            continue
        first, at, size = common_part(one, other, start, stop, low, high)
        if size:
            same += size
            parts += [(start, first, low, at), (first + size, stop, at + size, high)]
    return 2 * same / (len(one) + len(other)) if one or other else 1.0


def common_part(one: str, other: str, start: int, stop: int, low: int, high: int) -> tuple[int, int, int]:
    """Where the first of the longest parts that two texts share begins in each, between these ends, and its length."""
    first, at, size = start, low, 0
    within = other[low:high]
    while size < len(within):
        more = size + 1
        for begin in range(first, stop - size):
            if one[begin : begin + more] in within:
                break
        else:
            break
        first, at, size = begin, low + within.find(one[begin : begin + more]), more
        while first + size < stop and at + size < high and one[first + size] == other[at + size]:
            size += 1
    return first, at, size


class Levels(dict[int, int]):
    """By place, the number of the strictest pass by which a hunk fits there; hunks alike share one of these."""

    __slots__ = ("_ends",)
    _ends: tuple[int, int]

    @property
    def ends(self) -> tuple[int, int]:
        """The strictest and the most tolerant of the passes; found once, when all places are known."""
        if not hasattr(self, "_ends"):
            self._ends = min(self.values()), max(self.values())
        return self._ends


class Candidates(SizedHunk):
    """A hunk with its places, how strictly it fits each, and the scopes it was asked to stay in."""

    _found = ("lines", "old", "levels", "fit", "rewrite", "scopes", "reach", "astray", "at_end", "idle")
    __slots__ = ("hunk", "evidence", "notes", *_found)
    hunk: Hunk
    lines: list[str]
    old: list[str]
    fit: Fit | None  # how the hunk lies on its place when it does not fit line by line
    levels: Levels
    rewrite: str  # what undid a change that happened to the hunk on its way here
    scopes: list[Scope]  # none when the hunk has no anchor, or one that is not there
    reach: Reach | None  # of the scopes, if there are any
    astray: list[int]  # where the text is, whether or not anchors and marks allow it
    evidence: list[str]
    notes: list[Note]
    at_end: bool  # a pure insertion that goes to the end of the file whatever the others do
    idle: bool  # removes the lines that it adds, so that it may be at any of its places

    def __init__(self, number: int, hunk: Hunk) -> None:
        super().__init__(number, hunk, [])
        self.hunk = hunk
        self.lines = hunk.lines
        self.old = hunk.old()
        self.levels = Levels()
        self.fit = None
        self.rewrite = ""
        self.scopes = []
        self.reach = None
        self.astray = []
        self.evidence = []
        self.notes = []
        self.at_end = False
        self.idle = False

    def again(self, places: list[int]) -> Candidates:
        """The same hunk with these places, and no evidence used yet."""
        fresh = Candidates(self.number, self.hunk)
        for name in self._found:
            setattr(fresh, name, getattr(self, name))
        fresh.places = places
        return fresh

    def pass_at(self, line: int) -> tuple[str, bool]:
        """The name of the tolerance that places the hunk at `line`, and whether leading whitespace may differ there."""
        if self.fit is not None:
            return self.fit.how, True
        by = PASSES[self.levels.get(line, 0)]
        return by.name, by.reindents

    @property
    def soft(self) -> bool:
        """Whether the anchor came with a unified header: its text names a line above, not a definition around."""
        return self.hunk.hint is not None

    def note(self, code: str, **facts: object) -> None:
        self.notes.append(Note(code, hunk=self.number + 1, patch_line=self.hunk.line, **facts))
