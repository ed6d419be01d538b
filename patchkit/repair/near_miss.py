"""The best place a hunk failed: what the next try needs to know.

Takes a hunk that fits nowhere; gives the window of the file that agrees with it most, the first line that
differs and where. Lines vote for windows by whole-line agreement and by rare words; the work is
counted against one budget for the whole run, so a thousand hopeless hunks cost no more than a few.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from patchkit.core.matching import Sought, WorkBudget
from patchkit.core.matching.passes import PASSES
from patchkit.values import Value

# -- where two lines differ ------------------------------------------------------------------------
# Takes the line that is expected and the one that was found; gives the position of the first difference, and the
# expected line as it would be with the margin of the other. Why they differ is said by `report.causes`.


def indented_alike(expected: str, found: str) -> str:
    """The expected line with the indentation of the one that was found, where they differ in more than that."""
    mine, theirs = expected.lstrip(), found.lstrip()
    if not mine or not theirs or mine.rstrip() == theirs.rstrip():
        return expected
    return found[: len(found) - len(theirs)] + mine


def first_difference(one: str, other: str) -> int:
    """The first position at which two lines differ. A line may be a whole minified program, so it is halved."""
    same, end = 0, min(len(one), len(other)) + 1
    while end - same > 1:
        middle = (same + end) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            end = middle
    return same


_COMMON = 60  # a line or word found more often than this does not identify a place
_FLOOR = 0.5  # how much of a line has to be the same before its place is called the closest
_LETTERS = 0.6  # and how much of its letters and digits,
_CLOSE = 0.75  # unless so much of the line is the same: in short lines one word is half of the letters
_COMPARED = 4_000  # pairs of lines that are compared letter by letter
_PAIR = 8_000  # what looking at a pair costs, in characters searched; a comparison costs more
_COMPARISON = 20_000  # and what comparing it letter by letter costs
_AGREEING = 100  # with each place in one line and in the other that have the same character
_LONGEST = 300  # characters of a line that are compared
_WORDS = 8  # of a hunk's lines that vote, the longest first


class NearMiss(Value):
    """A window that almost fits: its first line (from 0), how many lines agree, and the first that does not."""

    __slots__ = ("line", "agree", "total", "index", "expected", "found", "column")
    line: int
    agree: int
    total: int
    index: int  # of the first differing line among the hunk's old lines
    expected: str
    found: str
    column: int  # of the first differing character, from 0

    def __init__(self, line: int, agree: int, total: int, index: int, expected: str, found: str) -> None:
        self.line = line
        self.agree = agree
        self.total = total
        self.index = index
        self.expected = expected
        self.found = found
        self.column = first_difference(indented_alike(expected, found), found)


class NearMissSearch:
    """One document, indexed for near misses when the first hunk needs it; `sought` is one of the hunks."""

    def __init__(self, sought: Sought, budget: WorkBudget) -> None:
        self._texts = sought.texts
        self._lines = sought.view.lines  # as the most tolerant pass sees them
        self._view = sought.view
        self._budget = budget
        self._alike = _Likeness(budget)

    def miss(self, sought: Sought) -> NearMiss | None:
        """The best window for lines that are nowhere in the document; None when none is near.

        Windows in the reach of the hunk's anchors come first.
        """
        old, reach = sought.old, sought.reach
        seen = PASSES[-1].lines(old)
        best = self._likest(seen, reach.spans() if reach is not None else [(0, len(self._lines))])
        if best is None:
            votes = self._votes(seen)
            if reach is not None:
                votes = {start: count for start, count in votes.items() if reach.covers(start, start + 1)} or votes
            if not votes:
                return None
            best = max(
                sorted(votes, key=lambda start: (-votes[start], start))[:5],
                key=lambda s: (self._agree(s, seen), votes[s], -s),
            )
        best = max(0, min(best, len(self._lines) - 1))
        for index, line in enumerate(seen):
            number = best + index
            here = self._lines[number] if number < len(self._lines) else None
            if here != line:
                agree = self._agree(best, seen)
                if not agree and not any(
                    self._alike.may_be(each, self._lines[best + at])
                    for at, each in enumerate(seen)
                    if each and best + at < len(self._lines)
                ):
                    return None  # words in common, but no line that is like one of the hunk: that explains nothing
                found = self._texts[number] if here is not None else ""
                return NearMiss(best, agree, len(old), index, old[index], found)
        # All lines agree by the most tolerant pass: whitespace or typography is what differs.
        for index, (mine, theirs) in enumerate(zip(old, self._texts[best : best + len(old)])):
            if mine != theirs:
                return NearMiss(best, len(old), len(old), index, mine, theirs)
        return None

    def _likest(self, seen: list[str], spans: list[tuple[int, int]]) -> int | None:
        """The start of the window whose lines are most like the hunk's, where there are few lines to look at."""
        pairs = sum([stop - first for first, stop in spans]) * len(seen)
        if pairs > _COMPARED or not self._budget.spend(_PAIR * pairs):
            return None
        best, most = None, 0.0
        for start in (start for first, stop in spans for start in range(first, stop)):
            compared = [
                (line, self._lines[start + index])
                for index, line in enumerate(seen)
                if line and start + index < len(self._lines)
            ]
            at_most = sum([self._alike.at_most(*pair) for pair in compared])
            if at_most <= most:
                continue  # as good as the best one so far, or worse
            score = self._alike.together(compared)
            if score is None:
                break  # what is left of the budget does not suffice
            if score > most:
                best, most = start, score
        return best

    def _agree(self, start: int, seen: list[str]) -> int:
        return sum(
            0 <= start + index < len(self._lines) and self._lines[start + index] == line
            for index, line in enumerate(seen)
        )

    def _votes(self, seen: list[str]) -> dict[int, int]:
        votes: dict[int, int] = {}
        for index, line in enumerate(seen):
            hits = self._view.numbers(line) if line else []
            if len(hits) <= _COMMON:
                for number in hits:
                    votes[number - index] = votes.get(number - index, 0) + 2 * len(line)
        words = {(word, index) for index, line in enumerate(seen) for word in _words(line)}
        voting = sorted(words, key=lambda each: (-len(each[0]), each))[:_WORDS]
        voting = [each for each in voting if self._budget.left > 0 and self._budget.spend(self._view.size)]
        for (word, index), lines in zip(voting, self._view.holding([word for word, _ in voting], _COMMON)):
            for number in lines:
                votes[number - index] = votes.get(number - index, 0) + len(word)
        return votes


class _Likeness:
    """How much of two lines is the same, from 0 to 1. What was found out about a line serves the next pair."""

    __slots__ = ("_budget", "_letters", "_most", "_known", "_matchers")

    def __init__(self, budget: WorkBudget) -> None:
        self._budget = budget
        self._letters: dict[str, dict[str, int]] = {}  # of each line: how often it has each character
        self._most: dict[tuple[str, str], float] = {}
        self._known: dict[tuple[str, str], float] = {}
        self._matchers: dict[str, SequenceMatcher[str]] = {}  # by the second line, of which they know the most

    def at_most(self, one: str, other: str) -> float:
        """A bound that takes little: 0 where the lines cannot have enough in common, whatever their order."""
        if one == other:
            return 1.0
        pair = one, other
        found = self._most.get(pair)
        if found is None:
            one, other = one[:_LONGEST], other[:_LONGEST]
            total = len(one) + len(other)
            found = 2.0 * min(len(one), len(other)) / total
            if found >= _FLOOR:
                theirs = self._counted(other)
                shared = sum([min(count, theirs.get(char, 0)) for char, count in self._counted(one).items()])
                found = 2.0 * shared / total
            found = self._most[pair] = found if found >= _FLOOR else 0.0
        return found

    def _counted(self, line: str) -> dict[str, int]:
        counted = self._letters.get(line)
        if counted is None:
            counted = self._letters[line] = {char: line.count(char) for char in set(line)}
        return counted

    def together(self, pairs: list[tuple[str, str]]) -> float | None:
        """The sum for several pairs; None where the budget does not suffice."""
        score = 0.0
        for pair in pairs:
            if not self._can_be_compared(*pair):
                return None
            score += self.exactly(*pair)
        return score

    def _can_be_compared(self, one: str, other: str) -> bool:
        """Whether the work for a pair is in the budget: it grows with the places at which characters agree."""
        if one == other or (one, other) in self._known or not self.at_most(one, other):
            return True
        mine, theirs = self._counted(one[:_LONGEST]), self._counted(other[:_LONGEST])
        agreeing = sum([count * theirs.get(char, 0) for char, count in mine.items()])
        return self._budget.spend(_COMPARISON + _AGREEING * agreeing)

    def may_be(self, one: str, other: str) -> bool:
        """Whether a line may be another with a slip: as a whole, and in its letters and digits alone.

        Short lines of code have their spaces, signs and brackets in common, whatever they say.
        """
        mine, theirs = ("".join(filter(str.isalnum, line[:_LONGEST])) for line in (one, other))
        whole = self.together([(one, other)]) or 0.0
        if not mine or whole < _FLOOR:
            return False
        return (self.together([(mine, theirs)]) or 0.0) >= (_LETTERS if whole < _CLOSE else _FLOOR)

    def exactly(self, one: str, other: str) -> float:
        if one == other:
            return 1.0
        pair = one, other
        if not self.at_most(one, other):
            return 0.0
        if pair not in self._known:
            matcher = self._matchers.get(other)
            if matcher is None:
                matcher = SequenceMatcher(None, "", other[:_LONGEST], autojunk=False)
                if len(self._matchers) < _COMPARED:
                    self._matchers[other] = matcher
            matcher.set_seq1(one[:_LONGEST])
            self._known[pair] = matcher.ratio()
        return self._known[pair]


def _words(line: str) -> list[str]:
    """The words of a line that may show where it is: three characters and more."""
    from re import findall

    return findall(r"\w{3,}", line)
