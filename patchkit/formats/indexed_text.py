"""A text in which many pieces are replaced, one after the other, each of them where it is once.

Takes the text and pieces of it. A few pieces are looked for in the whole text. For more, the text is cut into parts,
and the words of each part are indexed: a piece is looked for in the parts that have its rarest word, and a replacement
changes these only. So a piece costs what it is long, not what the text is.
"""

from __future__ import annotations

import re

from patchkit.values import Record

_FEW = 64  # searches of the whole text, before its words are indexed, which takes as long as many of them
_LINES = 8  # of a part
_LONG = 20_000  # characters of a part, beyond which an index does not help
_MOST_PARTS = 200  # that hold a word and are looked at
_AROUND = 64  # lines around a place that are shown with it
_WORD = re.compile(r"\w+")


class LinesAround(Record):
    """Some lines of an indexed text: its first and last part, their text, and how many lines are above."""

    first: int
    last: int
    text: str
    above: int


class IndexedText:
    """A text that changes; `whole` is all of it."""

    def __init__(self, text: str) -> None:
        self._parts = [text]  # each but the last ends with a line, if it has any
        self._line_ends = [0]  # how many each part has, of an indexed text
        self._words: dict[str, list[int]] | None = None  # which parts have a word, or had it; some of them twice
        self._whole = text  # '' where the parts have changed since
        self._searches = 0
        self._few = _FEW  # twice as many after each index that another text made useless

    @property
    def whole(self) -> str:
        self._whole = self._whole or "".join(self._parts)
        return self._whole

    def put(self, text: str) -> None:
        self._drop(2 * self._few)
        self._parts, self._whole = [text], text

    def has(self, piece: str) -> bool:
        """Whether a piece is there, at one place or more."""
        return not piece or bool(self._places(piece))

    def replace(self, piece: str, put: str) -> bool:
        """Replaces a piece that is there once; False, and nothing is changed, if it is not.

        Places that overlap are several.
        """
        places = self._places(piece) if piece else set()
        if len(places) != 1:
            return False
        ((number, column),) = places
        stop = column + len(piece)
        last, text = number, self._parts[number]
        while len(text) < stop:
            last += 1
            text += self._parts[last]
        text = text[:column] + put + text[stop:]
        while text and text[-1] != "\n" and last + 1 < len(self._parts):
            last += 1
            text += self._parts[last]
        self._put(number, last, text)
        return True

    def around(self, piece: str) -> LinesAround | None:
        """The lines around the one place that a piece has as whole lines, but for the space around each.

        None where it has none or several, or where the text is not indexed.
        """
        wanted = [line.strip() for line in piece.strip().split("\n")]
        found: dict[int, LinesAround] = {}
        for number in self._parts_with(f" {piece.strip()} ") or () if wanted[0] else ():
            first, last = (self._reach(number, step, len(wanted) + _AROUND) for step in (-1, 1))
            above, text = sum(self._line_ends[:first]), "".join(self._parts[first : last + 1])
            lines = [line.strip() for line in text.split("\n")]
            for row in [row for row, line in enumerate(lines) if line == wanted[0]]:
                if lines[row : row + len(wanted)] == wanted:
                    found[above + row] = LinesAround(first, last, text, above)
        return found.popitem()[1] if len(found) == 1 else None

    def put_around(self, stretch: LinesAround, text: str) -> bool:
        """Puts another text in the place of these lines; False, and nothing is changed, if it ends otherwise."""
        if self._words is None or stretch.text.endswith("\n") != text.endswith("\n"):
            return False
        self._put(stretch.first, stretch.last, text)
        return True

    def _places(self, piece: str) -> set[tuple[int, int]]:
        """Where a piece begins, as a part and a column of it; two of several places."""
        self._searches += 1
        if self._words is None and self._searches > self._few:
            count = self.whole.count("\n") // _LINES + 1
            self._parts, self._line_ends, self._words = [""] * count, [0] * count, {}
            self._put(0, count - 1, self._whole)
        parts = self._parts_with(piece)
        stretches = [(0, self.whole)] if parts is None else (self._around(number, len(piece)) for number in parts)
        found: set[tuple[int, int]] = set()
        for first, text in stretches:
            at = text.find(piece)
            while at >= 0 and len(found) < 2:
                part, column = first, at
                while column >= len(self._parts[part]):
                    column -= len(self._parts[part])
                    part += 1
                found.add((part, column))
                at = text.find(piece, at + 1)
        return found

    def _parts_with(self, piece: str) -> list[int] | None:
        """The parts that have the rarest of the words that are whole in a piece; None where that is not known."""
        rarest: list[int] | None = None
        for match in _WORD.finditer(piece) if self._words is not None else ():
            if match.start() > 0 and match.end() < len(piece):
                parts = self._words.get(match[0], []) if self._words is not None else []
                rarest = parts if rarest is None or len(parts) < len(rarest) else rarest
        return [*dict.fromkeys(rarest)] if rarest is not None and len(rarest) <= _MOST_PARTS else None

    def _around(self, number: int, size: int) -> tuple[int, str]:
        """The text of a part and of those around it, with so many characters on either side; the first of them."""
        first = last = number
        above = below = 0
        while first and above < size:
            first -= 1
            above += len(self._parts[first])
        while last + 1 < len(self._parts) and below < size:
            last += 1
            below += len(self._parts[last])
        return first, "".join(self._parts[first : last + 1])

    def _reach(self, number: int, step: int, lines: int) -> int:
        """The part that is so many lines above or below another one."""
        while 0 <= number + step < len(self._parts) and lines > 0:
            number += step
            lines -= self._line_ends[number]
        return number

    def _put(self, first: int, last: int, text: str) -> None:
        """Puts a text in the place of parts, the same number of lines in each."""
        self._whole = ""
        if self._words is None:
            self._parts[first] = text
            return
        while first < last and self._parts[first][-1:] == "\n" and text.startswith(self._parts[first]):
            first, text = first + 1, text[len(self._parts[first]) :]
        while first < last and self._parts[last] and text.endswith("\n" + self._parts[last]):
            last, text = last - 1, text[: len(text) - len(self._parts[last])]
        lines = text.split("\n")
        size = len(lines) // (last + 1 - first) + 1
        for number, at in enumerate(range(0, size * (last + 1 - first), size), first):
            part = "\n".join(lines[at : at + size]) + ("\n" if at + size < len(lines) else "")
            self._parts[number] = part
            self._line_ends[number] = part.count("\n")
            for word in {*_WORD.findall(part)}:
                self._words.setdefault(word, []).append(number)
        if max(map(len, self._parts[first : last + 1])) > _LONG:
            self._drop(1 << 60)

    def _drop(self, few: int) -> None:
        """Goes on without the index, for some searches."""
        if self._words is not None:
            self._parts, self._words = [self.whole], None
            self._searches, self._few = 0, few
