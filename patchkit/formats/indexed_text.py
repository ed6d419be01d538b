"""A text in which many pieces are replaced, one after the other, each of them where it is once.

Takes the text and pieces of it. A few pieces are looked for in the whole text. For more, the words of every line are
indexed, and a replacement changes the index of its lines only: a piece costs what it is long, not what the text is.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from itertools import islice

from patchkit.values import Record

_FEW = 64  # searches of the whole text before its lines are indexed, which takes as long as 200 of them
_LONG = 20_000  # characters of lines that change together, beyond which an index does not help
_MOST_LINES = 2_000  # that hold the words of a piece and are looked at
_MOST_WORDS = 256  # that begin or end with a part of one
_PART = 1_000  # words that are kept in order together
_AROUND = 64  # lines around a place that are shown with it
_WORD = re.compile(r"\w+")


class LinesAround(Record):
    """Some lines of an indexed text: the identities of the first and the last, their text, and how many are above."""

    first: int
    last: int
    text: str
    above: int


class IndexedText(Record):
    """A text that changes; `whole` is all of it."""

    _whole: str | None
    _index: _Lines | None = None
    _searches: int = 0
    _few: int = _FEW  # twice as many after each index that did not know a piece

    @property
    def whole(self) -> str:
        if self._whole is None:
            assert self._index is not None, "a text is a string or indexed"
            self._whole = self._index.text()
        return self._whole

    def put(self, text: str) -> None:
        self._drop(2 * self._few)
        self._whole = text

    def has(self, piece: str) -> bool:
        """Whether a piece is there, at one place or more."""
        found = self._found(piece)
        return piece in self.whole if found is None else bool(found)

    def replace(self, piece: str, put: str, careful: bool = False) -> bool:
        """Replaces a piece that is there once; False, and nothing is changed, if it is not.

        Places that overlap are several. With care, a piece that seems to be replaced already is left, too: what it is
        replaced by is there, and begins or ends with it.
        """
        found = self._found(piece)
        if found == []:
            return False
        if self._index is not None and found is not None and len(found) == 1:
            if careful and self._index.has_around(found[0], piece, put):
                return False
            self._whole = None
            if not self._index.replace(found[0], piece, put):
                self._drop(1 << 60)
            return True
        text = self.whole
        at = text.find(piece) if piece else -1
        if at < 0 or text.find(piece, at + 1) >= 0:
            return False
        if careful and len(put) > len(piece) and (text.startswith(put, at) or text.endswith(put, 0, at + len(piece))):
            return False
        self.put(text[:at] + put + text[at + len(piece) :])
        return True

    def around(self, piece: str) -> LinesAround | None:
        """The lines around the one place that a piece has as whole lines, but for the space around each.

        None where it has none or several, or where the text is not indexed.
        """
        wanted = [line.strip() for line in piece.strip().split("\n")]
        found = self._index.bare_places(wanted) if self._index is not None and wanted[0] else []
        return self._index.stretch(found[0], len(wanted)) if self._index is not None and len(found) == 1 else None

    def put_around(self, stretch: LinesAround, text: str) -> bool:
        """Puts another text in the place of these lines; False, and nothing is changed, if it ends otherwise."""
        if self._index is None or stretch.text.endswith("\n") != text.endswith("\n"):
            return False
        self._whole = None
        self._index.put_lines(stretch, text.split("\n"))
        return True

    def _found(self, piece: str) -> list[_Place] | None:
        """The places of a piece, or the first of them; None where only the whole text says it."""
        if not piece:
            return None
        self._searches += 1
        if self._index is None and self._searches > self._few:
            self._index = _Lines(self.whole)
        return self._index.places(piece) if self._index is not None else None

    def _drop(self, few: int) -> None:
        """Goes on without the index, for some searches."""
        if self._index is not None:
            self._whole = self.whole
            self._index, self._searches, self._few = None, 0, few


_Place = tuple[int, int]  # a line, by its identity, and a column


class _SortedWords:
    """Words in order, in parts: a word among a hundred thousand moves those of its part only."""

    def __init__(self, words: list[str]) -> None:
        words.sort()
        self._parts = [words[at : at + _PART] for at in range(0, len(words), _PART)] or [[]]
        self._firsts = [part[0] if part else "" for part in self._parts]

    def add(self, word: str) -> None:
        at = max(bisect_right(self._firsts, word) - 1, 0)
        part = self._parts[at]
        insort(part, word)
        self._firsts[at] = part[0]
        if len(part) > 2 * _PART:
            self._parts[at : at + 1] = part[:_PART], part[_PART:]
            self._firsts.insert(at + 1, part[_PART])

    def beginning_with(self, start: str) -> Iterator[str]:
        at = max(bisect_left(self._firsts, start) - 1, 0)
        place = bisect_left(self._parts[at], start)
        for part in islice(self._parts, at, None):
            for word in islice(part, place, None):
                if not word.startswith(start):
                    return
                yield word
            place = 0


class _Lines:
    """Lines in order, each with an identity that it keeps, and which of them hold a word."""

    def __init__(self, text: str) -> None:
        self._texts: list[str | None] = [None]  # line 0 is above the first and below the last
        self._above: list[int] = [0]
        self._below: list[int] = [0]
        self._holding: dict[str, int | set[int]] = {}  # most words are in one line; 0 for one that is in none any more
        self._words: _SortedWords | None = None  # all words, once beginnings of words are looked for
        self._reversed = _SortedWords([])  # the same from their ends
        lines = text.split("\n")
        # By line: itself, or that of the first lines which it came below.
        self._keys: list[int] = [*range(len(lines) + 1)]
        self._gone: list[int] = []  # those of the first lines that were removed, sorted
        self._come: list[int] = []  # the keys of all other lines, sorted
        self._insert(0, lines)

    def text(self) -> str:
        found, line = [], self._below[0]
        while line:
            found.append(self._texts[line] or "")
            line = self._below[line]
        return "\n".join(found)

    def places(self, piece: str) -> list[_Place] | None:
        """Where a piece begins, or two places of several; None where too many lines would have to be looked at."""
        lines = piece.split("\n")
        found = self._candidates(lines)
        if found is None:
            return None
        number, holding = found
        places: list[_Place] = []
        for line in holding:
            for _ in range(number):
                line = self._above[line]
            column = self._column(line, lines)
            if column >= 0:
                places.append((line, column))
                if len(lines) == 1 and (self._texts[line] or "").find(piece, column + 1) >= 0:
                    return [places[0], places[0]]
            if len(places) > 1:
                break
        return places

    def _column(self, line: int, lines: list[str]) -> int:
        """The column at which a piece begins in a line; -1 if it does not."""
        text = self._texts[line]
        if text is None:
            return -1
        if len(lines) == 1:
            return text.find(lines[0])
        if not text.endswith(lines[0]):
            return -1
        column = len(text) - len(lines[0])
        for wanted in lines[1:-1]:
            line = self._below[line]
            if self._texts[line] != wanted:
                return -1
        last = self._texts[self._below[line]]
        return column if last is not None and last.startswith(lines[-1]) else -1

    def _candidates(self, lines: list[str]) -> tuple[int, set[int]] | None:
        """The line of a piece, by its number, that the fewest lines can be, and those; None where all are many."""
        best: tuple[int, set[int]] | None = None
        edges: list[tuple[int, str, bool]] = []
        for number, line in enumerate(lines):
            for match in _WORD.finditer(line):
                begins, ends = match.start() > 0 or number > 0, match.end() < len(line) or number < len(lines) - 1
                if begins and ends:
                    holding = self._lines_with(match[0])
                    if best is None or len(holding) < len(best[1]):
                        best = number, holding
                    if not holding:
                        return best
                elif begins or ends:
                    edges.append((number, match[0], begins))
        if best is None or len(best[1]) > 1:
            for number, part, begins in edges:
                words = self._words_with(part, begins)
                if words is None:
                    continue
                some = set().union(*map(self._lines_with, words))
                if best is None or len(some) < len(best[1]):
                    best = number, some
        return best if best is not None and len(best[1]) <= _MOST_LINES else None

    def _lines_with(self, word: str) -> set[int]:
        found = self._holding.get(word, 0)
        return found if isinstance(found, set) else {found} if found else set()

    def _words_with(self, part: str, at_start: bool) -> list[str] | None:
        """The words that begin or end with a part of one; None if they are many."""
        if self._words is None:
            self._words = _SortedWords([*self._holding])
            self._reversed = _SortedWords([word[::-1] for word in self._holding])
        words, part = (self._words, part) if at_start else (self._reversed, part[::-1])
        found = []
        for word in words.beginning_with(part):
            found.append(word if at_start else word[::-1])
            if len(found) > _MOST_WORDS:
                return None
        return found

    def has_around(self, place: _Place, piece: str, put: str) -> bool:
        """Whether what replaces a piece is there, where that begins or ends with the piece."""
        size = len(put) - len(piece)
        if size <= 0 or not (put.startswith(piece) or put.endswith(piece)):
            return False
        first, column = place
        last, end = first, column + len(piece)
        text = self._texts[first] or ""
        while len(text) < end + size and self._below[last]:
            last = self._below[last]
            text += "\n" + (self._texts[last] or "")
        while column < size and self._above[first]:
            first = self._above[first]
            more = (self._texts[first] or "") + "\n"
            text, column, end = more + text, column + len(more), end + len(more)
        return text.startswith(put, column) or text.endswith(put, 0, end)

    def replace(self, place: _Place, piece: str, put: str) -> bool:
        """Replaces a piece at a place; False if its lines are long: then this costs as much without an index."""
        line, column = place
        first, text = line, self._texts[line] or ""
        head, stop = text[:column], column + len(piece)
        for _ in range(piece.count("\n")):
            stop -= len(text) + 1
            line = self._below[line]
            text = self._texts[line] or ""
        made = head + put + text[stop:]
        self._insert(self._remove(first, line), made.split("\n"))
        return len(made) - len(put) < _LONG

    def _remove(self, first: int, last: int) -> int:
        """Takes lines out; returns the one above them."""
        above, below, line = self._above[first], self._below[last], first
        while line != below:
            for word in _WORD.findall(self._texts[line] or ""):
                holding = self._holding[word]
                if isinstance(holding, set):
                    holding.discard(line)
                else:
                    self._holding[word] = 0
            self._texts[line] = None
            if line == self._keys[line]:
                insort(self._gone, line)
            else:
                del self._come[bisect_left(self._come, self._keys[line])]
            line = self._below[line]
        self._below[above], self._above[below] = below, above
        return above

    # -- lines as a whole --------------------------------------------------------------------------

    def bare_places(self, wanted: list[str]) -> list[int]:
        """The lines with which such lines begin, but for the space around each; [] also where there may be many."""
        found = self._candidates([f" {line} " for line in wanted])
        starts = []
        for line in found[1] if found is not None else ():
            for _ in range(found[0] if found is not None else 0):
                line = self._above[line]
            at = line
            for text in wanted:
                if not at or (self._texts[at] or "").strip() != text:
                    break
                at = self._below[at]
            else:
                starts.append(line)
        return starts

    def stretch(self, line: int, count: int) -> LinesAround:
        """So many lines from one on, with some around them."""
        first = last = line
        for _ in range(count - 1 + _AROUND):
            last = self._below[last] or last
        for _ in range(_AROUND):
            first = self._above[first] or first
        texts, at = [], first
        while at != self._below[last]:
            texts.append(self._texts[at] or "")
            at = self._below[at]
        return LinesAround(first, last, "\n".join(texts) + ("\n" if self._below[last] else ""), self._number(first))

    def put_lines(self, stretch: LinesAround, lines: list[str]) -> None:
        """Puts lines in the place of a stretch. Those at its ends that stay keep their identity."""
        first, last, at, stop = stretch.first, stretch.last, 0, len(lines)
        stop -= bool(self._below[last])  # behind its last line end nothing is of it
        while first != last and at < stop - 1 and self._texts[first] == lines[at]:
            first, at = self._below[first], at + 1
        while first != last and at < stop - 1 and self._texts[last] == lines[stop - 1]:
            last, stop = self._above[last], stop - 1
        self._insert(self._remove(first, last), lines[at:stop])

    def _number(self, line: int) -> int:
        """How many lines are above a line."""
        key: int = self._keys[line]
        above = 0
        while line != key and self._keys[self._above[line]] == key != self._above[line]:
            line, above = self._above[line], above + 1
        first = key - bisect_right(self._gone, key) if line != key else key - 1 - bisect_left(self._gone, key)
        return first + above + bisect_left(self._come, key)

    def _insert(self, above: int, lines: list[str]) -> None:
        """Puts lines below another one."""
        holding, last = self._holding, self._below[above]
        if above or len(self._texts) > 1:
            key = self._keys[above]
            self._keys += [key] * len(lines)
            at = bisect_left(self._come, key)
            self._come[at:at] = [key] * len(lines)
        for line, text in enumerate(lines, len(self._texts)):
            self._texts.append(text)
            self._above.append(above)
            self._below[above] = line
            self._below.append(last)
            above = line
            for word in _WORD.findall(text):
                known = holding.get(word)
                if not known:
                    holding[word] = line
                    if known is None and self._words is not None:
                        self._words.add(word)
                        self._reversed.add(word[::-1])
                elif isinstance(known, set):
                    known.add(line)
                elif known != line:
                    holding[word] = {known, line}
        self._above[last] = above
