"""The best place a hunk failed: what the next try needs to know.

Takes a hunk that fits nowhere; gives the window of the file that agrees with it most, the first line that
differs and where. Lines vote for windows by whole-line agreement and by rare words; the work is
counted against one budget for the whole run, so a thousand hopeless hunks cost no more than a few.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from patchkit.text.line_difference import first_difference, indented_alike
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.matching.model import WorkBudget
    from patchkit.matching.reach import Reach
    from patchkit.matching.view import View

_COMMON = 60  # a line or word found more often than this does not identify a place
_FLOOR = 0.5  # how much of a line has to be the same before its place is called the closest
_LETTERS = 0.6  # and how much of its letters and digits,
_CLOSE = 0.75  # unless so much of the line is the same: in short lines one word is half of the letters
_COMPARED = 4_000  # pairs of lines that are compared letter by letter
_PAIR = 2_000  # what comparing a pair costs, in characters searched
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
    """One document, indexed for near misses when the first hunk needs it."""

    def __init__(self, texts: list[str], view: View, budget: WorkBudget) -> None:
        self._texts = texts
        self._lines = view.lines  # as the most tolerant pass sees them
        self._view = view
        self._budget = budget

    def miss(self, old: list[str], seen: list[str], reach: Reach | None = None) -> NearMiss | None:
        """The best window for the hunk lines `old`, `seen` through the most tolerant pass; None when none is near.

        Windows in the reach of the hunk's anchors come first.
        """
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
                    _is_like(each, self._lines[best + at])
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
        starts = [start for first, stop in spans for start in range(first, stop)]
        known: dict[tuple[str, str], float] = {}
        best, most = None, 0.0
        for start in starts:
            score = 0.0
            for index, line in enumerate(seen):
                if line and start + index < len(self._lines):
                    pair = line, self._lines[start + index]
                    if pair not in known:
                        known[pair] = _likeness(*pair)
                    score += known[pair]
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


def _likeness(one: str, other: str) -> float:
    """How much of two lines is the same, from 0 to 1."""
    if one == other:
        return 1.0
    matcher = SequenceMatcher(None, one[:_LONGEST], other[:_LONGEST], autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _FLOOR and matcher.quick_ratio() >= _FLOOR else 0.0


def _is_like(one: str, other: str) -> bool:
    """Whether a line may be another with a slip: as a whole, and in its letters and digits alone.

    Short lines of code have their spaces, signs and brackets in common, whatever they say.
    """
    mine, theirs = ("".join(filter(str.isalnum, line[:_LONGEST])) for line in (one, other))
    whole, letters = _likeness(one, other), _likeness(mine, theirs)
    return bool(mine) and whole >= _FLOOR and letters >= (_LETTERS if whole < _CLOSE else _FLOOR)


def _words(line: str) -> list[str]:
    """The words of a line that may show where it is: three characters and more."""
    from re import findall

    return findall(r"\w{3,}", line)
