"""The tolerances, strictest first.

A pass is a name and a function that converts lines before they are compared; the file's lines and the
hunk's are both converted. Adding a tolerance is adding a row.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, compress, islice
from operator import not_

from patchkit.core.matching import FEW, NAMES, SEVERAL
from patchkit.core.text.lines import LazyLines
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet


# Characters that look alike, and what a keyboard types for them. Invisible ones count for nothing.
_LOOK_ALIKES = {
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d",
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc\uff07",
    '"': "\u201c\u201d\u201e\u201f\u2033\uff02",
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "...": "\u2026",
    "": "\u200b\u2060\ufeff\u00ad",
}
_FULL_WIDTH = {0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)}  # as Chinese and Japanese text has them
TYPOGRAPHY = {**_FULL_WIDTH, **{ord(char): plain for plain, chars in _LOOK_ALIKES.items() for char in chars}}


class Pass(Record):
    """One tolerance. `reindents`: leading whitespace may differ, so added lines must follow the file's."""

    name: str
    normalise: Callable[[list[str]], list[str]]
    reindents: bool = False

    def lines(self, texts: list[str]) -> list[str]:
        """Returns the lines as this pass compares them; those of a large file are converted where they are read."""
        if type(texts) is list:
            return self.normalise(texts)
        return texts.changed(self.normalise)  # type: ignore[attr-defined,no-any-return]  # LazyLines, which serve as a list


_NORMALIZED = 5_000  # characters: where a line is as long, accents are compared as they are


def _with_plain_typography(texts: list[str]) -> list[str]:
    if not "".join(texts).isascii():
        from unicodedata import is_normalized, normalize

        rows = list(compress(range(len(texts)), map(not_, map(str.isascii, texts))))
        joined = "\n".join([texts[row] for row in rows])
        # One replacement a character that is there: several times as fast as str.translate on large files.
        for char in [each for each in map(chr, TYPOGRAPHY) if each in joined]:
            joined = joined.replace(char, TYPOGRAPHY[ord(char)])
        # Putting the marks of one letter in order takes the square of their number.
        if max(map(len, texts)) < _NORMALIZED and not is_normalized("NFC", joined):
            joined = normalize("NFC", joined)
        texts = [*texts]
        for row, text in zip(rows, joined.split("\n")):
            texts[row] = text
    return list(map(str.strip, texts))


PASSES = (
    Pass("exact", lambda texts: texts),
    Pass("trailing-space", lambda texts: list(map(str.rstrip, texts))),
    Pass("surrounding-space", lambda texts: list(map(str.strip, texts)), reindents=True),
    Pass("typography", _with_plain_typography, reindents=True),
)

INVISIBLE = NAMES.index("trailing-space")  # up to this pass a difference cannot be seen


def up_to(name: str) -> tuple[Pass, ...]:
    """Returns the passes no more tolerant than the one named."""
    return PASSES[: NAMES.index(name) + 1]


def allows(most: str, name: str) -> bool:
    """Whether a caller that allows `most` allows the tolerance `name`."""
    return NAMES.index(name) <= NAMES.index(most)


def level_of(there: list[str], old: list[str], passes: tuple[Pass, ...]) -> int:
    """The number of the strictest of the passes that takes lines of the file for those of a hunk; the last one does."""
    if there == old:
        return 0
    for level, by in enumerate(passes[:-1]):
        if level and by.lines(there) == by.lines(old):
            return level
    return len(passes) - 1


# -- a document's lines as one pass compares them, and where a run of lines occurs in them ---------
# A line that occurs once names the only window worth comparing, else the rarest line of a pattern the few, so a
# pattern that is nowhere costs next to nothing. Where even that line is common, substring search over the joined
# lines takes over, and a pattern that occurs very often is finished by the Knuth-Morris-Pratt method over whole
# lines: a repetitive file cannot make the cost grow with the square of its length.


class View:
    """The lines of a document under one pass. `asked` are lines that will be looked for: they are indexed alone.

    Looking for any other line indexes all of them, which costs several times as much.
    """

    def __init__(self, lines: list[str], asked: AbstractSet[str] = frozenset()) -> None:
        self.lines = lines
        self._asked = asked
        self._few: dict[str, list[int]] | None = None
        self._first: dict[str, int] = {}
        self._last: dict[str, int] = {}
        self._many: dict[str, list[int]] | None = None
        self._often: dict[str, int] | None = None
        self._joined: str | None = None
        self._starts: Sequence[int] = ()
        self._found: dict[tuple[str, ...], list[int]] = {}
        self._absent = 0

    def numbers(self, line: str) -> list[int]:
        """The numbers of the lines with this text, in order."""
        if line in self._asked:
            if self._few is None:
                few: dict[str, list[int]] = {}
                for number in compress(range(len(self.lines)), map(self._asked.__contains__, self.lines)):
                    few.setdefault(self.lines[number], []).append(number)
                self._few = few
            return self._few.get(line, [])
        if not self._last:
            self._absent += 1
            if self._absent <= 2 * SEVERAL and line not in self.lines:
                return []  # as most are that a search did not announce
            # Two dictionaries that no Python loop fills: a line with the same number in both occurs once.
            self._last = dict(zip(self.lines, range(len(self.lines))))
            self._first = dict(zip(reversed(self.lines), range(len(self.lines) - 1, -1, -1)))
        last = self._last.get(line)
        if last is None:
            return []
        return [last] if self._first[line] == last else self._repeated[line]

    @property
    def _repeated(self) -> dict[str, list[int]]:
        """The numbers of the lines that occur more than once; a list for every line would keep the collector busy."""
        if self._many is None:
            many = self._many = {line: [] for line, last in self._last.items() if self._first[line] != last}
            for number, found in enumerate(map(many.get, self.lines)):
                if found is not None:
                    found.append(number)
        return self._many

    def occurrences(self, wanted: list[str]) -> list[int]:
        """Returns every line at which the lines `wanted` begin, in order; the same list for the same lines."""
        key = tuple(wanted)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._search(wanted)
        return found

    def forget_searches(self) -> None:
        """Drops what searches have found, where that is much."""
        if len(self._found) > FEW:
            self._found = {}

    def _search(self, wanted: list[str]) -> list[int]:
        if not wanted or len(wanted) > len(self.lines):
            return []
        if len(wanted) == 1:
            return self.numbers(wanted[0])
        rarest, offset = self._rarest(wanted)
        if len(rarest) > FEW:
            return self._search_often(wanted, rarest)
        starts = [number - offset for number in rarest if number >= offset]
        return [start for start in starts if self.lines[start : start + len(wanted)] == wanted]

    def _rarest(self, wanted: list[str]) -> tuple[list[int], int]:
        """The numbers of a line that is there least, or seldom, and which of the lines it is."""
        rarest, offset = self.numbers(wanted[0]), 0
        if self._last and len(wanted) > SEVERAL and len(rarest) > SEVERAL:
            known = self._counts
            counts = [known.get(line, 0) for line in wanted]
            offset = counts.index(min(counts))
            return self.numbers(wanted[offset]), offset
        for line in dict.fromkeys(wanted):
            if len(rarest) <= SEVERAL:
                break
            numbers = self.numbers(line)
            if len(numbers) < len(rarest):
                rarest, offset = numbers, wanted.index(line)
        return rarest, offset

    @property
    def _counts(self) -> dict[str, int]:
        """How often each line is there; made once all are indexed, for searches that have many lines each."""
        if self._often is None:
            self._often = dict.fromkeys(self.lines, 1)
            self._often.update((line, len(numbers)) for line, numbers in self._repeated.items())
        return self._often

    def _search_often(self, wanted: list[str], rarest: list[int]) -> list[int]:
        """Where lines are of which even the rarest is common."""
        joined = self.whole
        needle = "\n" + "\n".join(wanted) + "\n"
        hits: list[int] = []
        position = joined.find(needle)
        while position >= 0:
            hits.append(bisect_right(self._starts, position) - 1)
            if len(hits) >= FEW:  # each further search would pay for preparing the whole pattern again
                return hits + overlapping(self.lines, wanted, hits[-1] + 1)
            position = joined.find(needle, position + 1)
        return hits

    @property
    def whole(self) -> str:
        """All lines in one, each between two line ends."""
        if self._joined is None:
            self._joined = "\n" + "\n".join(self.lines) + "\n"
            self._starts = list(accumulate(map((1).__add__, map(len, self.lines)), initial=0))
        return self._joined

    @property
    def size(self) -> int:
        """What a search through all lines costs, in characters looked at."""
        return len(self.whole)

    def holding(self, words: list[str], most: int) -> list[list[int]]:
        """For each word the lines that hold it; none where there are more than that many."""
        joined, found = self.whole, []
        for word in words:
            lines: list[int] = []
            position = joined.find(word)
            while position >= 0 and len(lines) <= most:
                lines.append(bisect_right(self._starts, position - 1) - 1)
                position = joined.find(word, position + 1)
            found.append(lines if len(lines) <= most else [])
        return found


class Views:
    """The views of one document: for each pass one, made when it is first asked for."""

    __slots__ = ("_texts", "_asked", "_views")

    def __init__(self, texts: list[str], asked: Iterable[str] = ()) -> None:
        """`asked` are the lines, as they are written, that will be looked for."""
        self._texts = texts
        each = list(asked)
        self._asked = {line for by in PASSES for line in by.lines(each)} if each else set()
        self._views: dict[str, View] = {}

    def forget_searches(self) -> None:
        """Drops what searches have found, where that is much; the index of the lines stays."""
        for view in self._views.values():
            view.forget_searches()

    def by(self, each: Pass) -> View:
        """The lines as this pass sees them."""
        if each.name not in self._views:
            lines, others = each.lines(self._texts), self._views.values()
            if type(lines) is list:
                alike = [view for view in others if view.lines == lines]  # often nothing is there to overlook
                self._views[each.name] = alike[0] if alike else View(lines, self._asked)
            else:
                self._views[each.name] = LargeView(lines, list(others))  # type: ignore[arg-type]  # all views of a large file are LargeViews
        return self._views[each.name]


def overlapping(lines: list[str], wanted: list[str], start: int) -> list[int]:
    """Every occurrence from line `start` on, in time linear in both lists."""
    fallback = [0] * len(wanted)
    matched = 0
    for index in range(1, len(wanted)):
        while matched and wanted[index] != wanted[matched]:
            matched = fallback[matched - 1]
        if wanted[index] == wanted[matched]:
            matched += 1
        fallback[index] = matched
    hits, matched = [], 0
    for index, line in enumerate(islice(lines, start, None), start):
        while matched and line != wanted[matched]:
            matched = fallback[matched - 1]
        if line == wanted[matched]:
            matched += 1
        if matched == len(wanted):
            hits.append(index - matched + 1)
            matched = fallback[matched - 1]
    return hits


_PLACES = 1 << 21  # more than the lines of a block
_HASH = (1 << 64) - _PLACES
_DEARER = 8  # times as much work to search: every line is decoded for it


class LargeView(View):
    """The lines of a large document under one pass: the answers of View, without a dictionary of the lines.

    For every block of lines there is a sorted array of numbers, eight bytes a line: the hash of a line in the upper
    bits, its place in the block in the lower ones. A line is found by bisection, and the text itself is decoded again
    only where it has to be compared. `others` are views of the same document by other passes.
    """

    def __init__(self, lines: LazyLines, others: list[LargeView]) -> None:
        self.lines = lines  # type: ignore[assignment]  # they serve as a list
        self._lines = lines
        self._last = {}
        self._found = {}
        self._numbers: dict[str, list[int]] = {}
        self._keys: list[array[int]] = []
        from array import array  # of large files alone; it loads `collections`

        for number in range(len(lines.starts) - 1):
            block = lines.block(number)
            alike = [other for other in others if other._lines.block(number) == block]  # nothing there to overlook
            keys = alike[0]._keys[number] if alike else None
            self._keys.append(keys or array("Q", sorted([hash(line) & _HASH | n for n, line in enumerate(block)])))

    def numbers(self, line: str) -> list[int]:
        """The numbers of the lines with this text, in order.

        A few are compared. Of many no single one decides anything, and among two million lines one in four million
        is another line that has the same hash.
        """
        found = self._numbers.get(line)
        if found is None:
            key = hash(line) & _HASH
            found = []
            for first, keys in zip(self._lines.firsts, self._keys):
                start = bisect_left(keys, key)
                if start < len(keys) and keys[start] < key + _PLACES:
                    same = keys[start : bisect_left(keys, key + _PLACES, start)]
                    found += [first + each - key for each in same]
            if len(found) <= FEW:
                found = [number for number in found if self._lines[number] == line]
            self._numbers[line] = found
        return found

    def _search_often(self, wanted: list[str], rarest: list[int]) -> list[int]:
        return overlapping(self.lines, wanted, 0)

    @property
    def size(self) -> int:
        return _DEARER * (len(self._lines) + self._lines.starts[-1])

    def holding(self, words: list[str], most: int) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in words]
        if not words:
            return found  # nothing is asked for, or the budget is used up
        for number, first in enumerate(self._lines.firsts[:-1]):
            joined = "\n".join(self._lines.block(number))
            for word, lines in zip(words, found):
                position = joined.find(word) if len(lines) <= most else -1
                while position >= 0 and len(lines) <= most:
                    lines.append(first + joined.count("\n", 0, position))
                    position = joined.find(word, position + 1)
        return [lines if len(lines) <= most else [] for lines in found]
