"""Places where a hunk fits but for blank lines or one context line.

Tried only when no pass finds the hunk as written. Lines are compared as the most tolerant pass sees them; every
removed line must be there; and the place must be the only one: any other window of the file has to differ
in three lines or more, so that a twin of the wanted block is never taken for it.
"""

from __future__ import annotations

from patchkit.matching.view import View
from patchkit.values import Value

_CONTEXT = " |"  # signs of kept lines, see old_signs
_ENOUGH = 3  # how many lines another window must differ in


class Fit(Value):
    """A place and how the hunk lies on it: for each old line the file's line, -1 for a line the file lacks."""

    __slots__ = ("pairs", "how")
    pairs: list[int]
    how: str

    def __init__(self, pairs: list[int], how: str) -> None:
        self.pairs = pairs
        self.how = how

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

    def but_for_blank_lines(self, old: list[str], signs: str, budget: int) -> list[Fit]:
        """Places where the hunk fits when blank context lines are left out of account on both sides."""
        solid = [index for index, line in enumerate(old) if line]
        if len(solid) < 2 or not any(char.isalnum() for index in solid for char in old[index]):
            return []
        rarest = min(solid, key=lambda index: len(self._numbers(old[index])))
        fits = []
        for number in self._numbers(old[rarest]):
            self.spent += 1
            if self.spent > budget:
                return []
            pairs = self._around(old, signs, rarest, number)
            if pairs is not None:
                fits.append(Fit(pairs, "blank-lines"))
        return fits

    def _around(self, old: list[str], signs: str, index: int, number: int) -> list[int] | None:
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
                elif not old[at] and _is_spare(old, signs, at):
                    at += step  # a blank line the file lacks
                elif here == "" and _between_context(signs, at - step, at):
                    line += step  # a blank line the hunk lacks
                else:
                    return None
        return pairs

    # -- one context line ------------------------------------------------------------------------

    def but_for_one_line(self, old: list[str], signs: str, budget: int) -> list[Fit]:
        """The one place where all but one context line fit, if nothing else comes near; else nothing."""
        starts = self._windows(old, budget) if len(old) >= _ENOUGH else None
        if starts is None:
            return []
        fits = [fit for start in sorted(starts) for fit in self._fits_at(start, old, signs)]
        if len({_effect(fit, signs) for fit in fits}) != 1:
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
            rivals = any(self._misses(start, old) < _ENOUGH for start in sorted(others))
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

    def _windows(self, old: list[str], budget: int) -> set[int] | None:
        """Starts of all windows that can differ in fewer than three lines: they hold one of any three."""
        rarest = sorted(range(len(old)), key=lambda index: len(self._numbers(old[index])))[:_ENOUGH]
        seen = {number - index for index in rarest for number in self._numbers(old[index])}
        # A line left out or put in moves one part of the hunk up or down by one.
        starts = {start + move for start in seen for move in (-1, 0, 1)}
        self.spent += len(starts) * len(old)
        return starts if self.spent <= budget else None

    def _misses(self, start: int, old: list[str]) -> int:
        """In how many lines a window differs, counted up to three."""
        misses = 0
        for index, line in enumerate(old):
            if not self._is(start + index, line):
                misses += 1
                if misses == _ENOUGH:
                    break
        return misses

    def _fits_at(self, start: int, old: list[str], signs: str) -> list[Fit]:
        size = len(old)
        head, tail = self._head(start, old), self._tail(start, old)
        fits = []
        if head + tail == size - 1 and signs[head] in _CONTEXT and 0 <= start + head < len(self.lines):
            fits.append(Fit([start + index for index in range(size)], "context-line"))
        # The hunk lacks a line of the file: its tail lies one line further down than its head.
        lower = self._tail(start + 1, old)
        cuts = [c for c in range(max(1, size - lower), min(head, size - 1) + 1) if _between_context(signs, c - 1, c)]
        if cuts and head < size:
            cut = cuts[0]
            fits.append(Fit([start + i + (i >= cut) for i in range(size)], "context-line"))
        # The hunk has a line the file lacks: its tail lies one line higher.
        upper = self._tail(start - 1, old)
        extra = [c for c in range(max(0, size - 1 - upper), min(head + 1, size)) if signs[c] in _CONTEXT]
        extra = [c for c in extra if old[c] or _is_spare(old, signs, c)]
        if extra and head < size:
            cut = extra[0]
            fits.append(Fit([-1 if i == cut else start + i - (i > cut) for i in range(size)], "context-line"))
        return fits

    def _head(self, start: int, old: list[str]) -> int:
        """How many lines from the top of the hunk lie on the file's lines from `start`."""
        count = 0
        while count < len(old) and self._is(start + count, old[count]):
            count += 1
        return count

    def _tail(self, start: int, old: list[str]) -> int:
        """How many lines up from the bottom of the hunk lie on the file's lines from `start`."""
        count, size = 0, len(old)
        while count < size and self._is(start + size - 1 - count, old[size - 1 - count]):
            count += 1
        return count


def _effect(fit: Fit, signs: str) -> tuple[int, ...]:
    """What a fit comes to: where the hunk begins to change things, and where its changed lines lie."""
    touched = [fit.pairs[index] for index, sign in enumerate(signs) if sign != " "]
    return (*touched, fit.pairs[0] if signs[0] != " " else -2)


def _is_spare(old: list[str], signs: str, at: int) -> bool:
    """Whether a blank context line may be missing: not beside added lines, whose spacing it is, nor a removed blank."""
    beside = [index for index in (at - 1, at + 1) if 0 <= index < len(old)]
    if any(signs[index] == "-" and not old[index] for index in beside):
        return False
    return signs[at] == " " and (at == 0 or signs[at - 1] != "|")


def _between_context(signs: str, one: int, other: int) -> bool:
    """Whether two neighbouring old lines are context with nothing added between them."""
    upper = min(one, other)
    return 0 <= upper < len(signs) - 1 and signs[upper] == " " and signs[upper + 1] in _CONTEXT


def old_signs(hunk_lines: list[str]) -> str:
    """One sign an old line: ' ' kept, '-' removed, and '|' for a kept line that added lines follow."""
    signs: list[str] = []
    for line in hunk_lines:
        if line[0] != "+":
            signs.append(line[0])
        elif signs and signs[-1] == " ":
            signs[-1] = "|"
    return "".join(signs)
