"""The best place a hunk failed: what the next try needs to know.

Takes a hunk that fits nowhere; gives the window of the file that agrees with it most, the first line that
differs and where. Lines vote for windows by whole-line agreement and by rare words, which are indexed once for all
hunks of a file; a few windows are compared. The work is counted against one budget for the whole run.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from patchkit.core.matching import FEW, LONGEST, SEVERAL, WORD, Sought, WorkBudget
from patchkit.core.matching.passes import PASSES
from patchkit.repair.alignment import HALF, LONGEST_GAP, MOSTLY, QUARTER, WORD_CHARACTERS, words_of
from patchkit.values import Value


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


_SPACED = WORD_CHARACTERS.encode() + bytes(range(128, 256))
_VOTE = 200  # what a line that is indexed, or has a word, costs in characters searched


class NearMiss(Value):
    """A window that almost fits: its first line (from 0), how many lines agree, and the first that does not."""

    __slots__ = ("line", "size", "agree", "total", "index", "row", "expected", "found", "column")
    line: int
    size: int  # in lines of the file
    agree: int
    total: int
    index: int  # of the first differing line among the hunk's old lines
    row: int  # the line of the file in its place, from 0
    expected: str
    found: str
    column: int  # of the first differing character, from 0

    def __init__(self, span: tuple[int, int], lines: tuple[int, int], at: tuple[int, int], expected: str, found: str):
        self.line, self.size = span
        self.agree, self.total = lines
        self.index, self.row = at
        self.expected = expected
        self.found = found
        self.column = first_difference(indented_alike(expected, found), found)

    @property
    def is_apart(self) -> bool:
        """Whether all lines are there, with others between."""
        return self.agree == self.total < self.size

    @property
    def agreement(self) -> str:
        """How many of the lines are there, in words."""
        if self.is_apart:
            return "all lines are there, but not together"
        return f"{self.agree} of {self.total} lines agree" if self.agree else "no line is the same"


class NearMissSearch:
    """One document, indexed for near misses when the first hunk needs it; `sought` is one of the hunks."""

    def __init__(self, sought: Sought, budget: WorkBudget) -> None:
        self._texts = sought.texts
        self._lines = sought.view.lines  # as the most tolerant pass sees them
        self._view = sought.view
        self._budget = budget
        self._words: dict[str, list[int]] | None = None  # the lines that have each word, by its first letters
        self._asked = 0  # words that were looked for
        self._spaced = ""  # all lines in one, with a space for what is between words
        self._starts: list[int] = []
        self._pairs: dict[str, set[str]] = {}

    def miss(self, sought: Sought) -> NearMiss | None:
        """The best window for lines that are nowhere in the document; None when none is near.

        Windows in the reach of the hunk's anchors come first. Lines that the hunk removes count more than its context:
        the place where they are is the place that is meant.
        """
        old, reach = sought.old, sought.reach
        seen = PASSES[-1].lines(old)
        votes = self._votes(seen)
        if reach is not None:
            votes = {start: count for start, count in votes.items() if reach.covers(start, start + 1)} or votes
        weights = [letters_of(line) * (2 if index in sought.removed else 1) for index, line in enumerate(seen)]
        most, same, best = 0.0, 0.0, -1
        for start in sorted(votes, key=lambda start: (-votes[start], start))[:SEVERAL]:
            fits = [(weight, self._fit(start, n, seen)) for n, weight in enumerate(weights) if weight]
            score = sum([weight * fit for weight, fit in fits])
            if score > most:
                most, best = score, start
                same = sum([weight for weight, fit in fits if fit in (1, MOSTLY)])
        # Code is like other code: where hardly a line of several is the same, nearly all of them have to be alike.
        total, several = sum(weights), sum(map(bool, weights)) > SEVERAL
        if best < 0 or most < (MOSTLY if several and same < QUARTER * total else QUARTER) * total:
            return None
        return self._shown(best, old, seen)

    def _shown(self, start: int, old: list[str], seen: list[str]) -> NearMiss | None:
        """What a window shows: how many lines are there, and the first that is not, or that is further down."""
        rows = self._rows(start, seen)
        there = [(index, row) for index, row in enumerate(rows) if row >= 0]
        best = max(0, there[0][1] - there[0][0]) if there else min(start, len(self._lines) - 1)
        places = [best, *(row + 1 for row in rows)]  # where each line should be: right below the one above it
        for index in range(1, len(rows)):
            places[index] = places[index] or places[index - 1] + 1
        # A line that is not there says more than lines that are, with others between.
        lost = [index for index, row in enumerate(rows) if row < 0]
        apart = [index for index, row in there if row != places[index]]
        index = next(iter([each for each in lost if seen[each]] or lost or apart), -1)
        if index < 0:  # by the most tolerant pass all agree: whitespace or typography is what differs
            pairs = zip(old, self._texts[best : best + len(old)])
            index = next((number for number, (mine, theirs) in enumerate(pairs) if mine != theirs), -1)
        if index < 0:
            return None
        row = places[index]
        found = self._texts[row] if row < len(self._texts) else ""
        size = max(len(old), there[-1][1] + 1 - best if there else 0)
        return NearMiss((best, size), (len(there), len(old)), (index, row), old[index], found)

    def _fit(self, start: int, index: int, seen: list[str]) -> float:
        """How much of a line is at its place in a window, from 0 to 1."""
        line, number = seen[index], start + index
        here = self._lines[number] if number < len(self._lines) else ""
        if here == line:
            return 1.0
        if self._next(line, number - LONGEST_GAP, number + LONGEST_GAP) >= 0:
            return MOSTLY
        one, other = self._of_letters(line), self._of_letters(here)
        like = 2.0 * len(one & other) / (len(one) + len(other)) if one and other else 0.0
        return like if like >= HALF else 0.0

    def _next(self, line: str, start: int, stop: int) -> int:
        """The first line with this text from `start` to `stop`, -1 where there is none or it is everywhere."""
        numbers = self._view.numbers(line) if line else []
        at = bisect_left(numbers, start)
        return numbers[at] if at < len(numbers) and numbers[at] <= stop else -1

    def _of_letters(self, line: str) -> set[str]:
        """The pairs of letters and digits that follow each other in a line."""
        found = self._pairs.get(line)
        if found is None:
            letters = "".join(filter(str.isalnum, line[:LONGEST].casefold()))
            found = self._pairs[line] = set(map(str.__add__, " " + letters, letters)) if letters else set()
        return found

    def _rows(self, start: int, seen: list[str]) -> list[int]:
        """Which lines of the file the lines of a hunk are, in order, -1 for those that are not there.

        A few lines of the file may be between them, above a line with words: a brace or a blank line is everywhere.
        """
        rows: list[int] = []
        number, missed = max(0, start - LONGEST_GAP), start - max(0, start - LONGEST_GAP)
        for line in seen:
            at = self._next(line, number, number + missed + LONGEST_GAP) if letters_of(line) >= WORD else -1
            if at < 0 and self._lines[number + missed : number + missed + 1] == [line]:
                at = number + missed
            rows.append(at)
            number, missed = (at + 1, 0) if at >= 0 else (number, missed + 1)
        taken = list(accumulate(rows, max))
        for index in range(len(rows) - 2, -1, -1):
            above = rows[index + 1] - 1
            if rows[index] < 0 <= above and above > taken[index] and self._lines[above] == seen[index]:
                rows[index] = above
        return rows

    def _votes(self, seen: list[str]) -> dict[int, float]:
        """Where the window may begin, by the lines that are there and, for others, by their rare words."""
        votes: dict[int, float] = {}
        lost: list[tuple[str, int]] = []  # words of lines that are nowhere, and which lines these are
        for index, line in enumerate(seen):
            hits = self._view.numbers(line) if line else []
            if not hits:
                lost += [(word, index) for word in words_of(line.casefold())]
            elif len(hits) <= FEW:
                for number in hits:
                    start = max(0, number - index)
                    votes[start] = votes.get(start, 0) + 2 * len(line) / len(hits)
        holding = self._holding([word for word, _ in lost])
        for word, index in lost:
            lines = holding.get(word, [])
            for number in lines:
                start = max(0, number - index)
                votes[start] = votes.get(start, 0) + len(word) / len(lines)
        return votes

    def _holding(self, words: list[str]) -> dict[str, list[int]]:
        """By word the lines that have one that begins like it; none where there are many."""
        if self._budget.left <= 0:
            return {}
        if type(self._lines) is not list:  # of a large file no index is made
            words = sorted(words, key=len, reverse=True)[:SEVERAL]
            words = [each for each in words if self._budget.left > 0 and self._budget.spend(self._view.size)]
            return dict(zip(words, self._view.holding(words, FEW)))
        stems = {word[:WORD] for word in words}
        self._asked += len(stems)
        if not self._starts:
            lines = list(map(str.casefold, self._lines))
            # Bytes are translated many times as fast as text that is not ASCII, which is done for its lines alone.
            chars = set("".join([line for line in lines if not line.isascii()]))
            between = {ord(char): " " for char in chars if not char.isascii() and words_of(char) != [char]}
            text = " ".join(["", *[line if line.isascii() else line.translate(between) for line in lines], ""])
            self._spaced = text.encode("utf-8", "surrogatepass").translate(_SPACED).decode("utf-8", "surrogatepass")
            self._starts = list(accumulate(map((1).__add__, map(len, lines)), initial=0))
        if self._words is None and self._asked <= FEW:
            self._budget.spend(len(stems) * self._view.size)
            found = {stem: self._lines_with(stem) for stem in stems}
        else:
            if self._words is None:
                self._budget.spend(_VOTE * len(self._lines))
                self._words = {}
                for number, (start, stop) in enumerate(zip(self._starts, self._starts[1:])):
                    for stem in {word[:WORD] for word in self._spaced[start:stop].split()}:
                        self._words.setdefault(stem, []).append(number)
            known = self._words
            found = {stem: known[stem] for stem in stems if len(known.get(stem, ())) in range(1, FEW + 1)}
            self._budget.spend(_VOTE * sum(map(len, found.values())))
        return {word: found.get(word[:WORD], []) for word in words}

    def _lines_with(self, stem: str) -> list[int]:
        """The same for one word, by a search: most files are asked for a few words, and all others need no index."""
        wanted = f" {stem}" if len(stem) == WORD else f" {stem} "
        found: list[int] = []
        at = self._spaced.find(wanted)
        while at >= 0 and len(found) <= FEW:
            found.append(bisect_right(self._starts, at) - 1)
            at = self._spaced.find(wanted, self._starts[found[-1] + 1])
        return found if len(found) <= FEW else []


def letters_of(line: str) -> int:
    """How much a line says: its letters and digits."""
    return sum(map(str.isalnum, line))
