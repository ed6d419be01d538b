"""Lines as Read shows them: a few lines of a file, without the rest of it in memory, numbered and bounded.

Takes the bytes of a file in pieces, one after the other, and the range that is asked for; returns a ReadPage, with a
statement of what is left out. Lines before the wanted ones are only counted, and of a line longer than what is wanted
the rest is only measured, so neither a file nor a line of any size takes more memory than a piece and what is shown.
Each bound of a page is stated once, here, with the text that the page shows where it cuts.
"""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder

from patchkit.errors import PatchkitError
from patchkit.values import Record, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_COUNTS_BYTE_BY_BYTE = sys.version_info < (3, 13)  # taking separators out hops from one to the next
_FAR_APART = 32  # bytes between two line ends
_PIECE = 1 << 18
_REPLACEMENT = "\ufffd"  # in place of bytes that are not UTF-8


class ReadLine(Record):
    """The wanted part of a line, how many characters it has in all, and whether bytes in it were not UTF-8."""

    text: str
    length: int
    replaced: bool = False


class FileLines:
    """A file read forward: `skip` goes past lines, `take` returns the next one."""

    def __init__(self, pieces: Iterator[bytes], separator: bytes = b"\n") -> None:
        self.passed = 0  # lines that were read
        self.separated = False  # whether any of them had an ending
        self._pieces = pieces
        self._separator = separator
        self._piece = b""
        self._at = 0  # in the piece
        self._sparse = False  # whether lines were long in the piece before
        self._advance()

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._piece)

    def skip(self, wanted: int | None = None) -> int:
        """Goes past so many lines, or all of them; returns how many it went past."""
        skipped = 0
        while not self.at_end and skipped != wanted:
            here = self._endings_here()
            self.separated = self.separated or here > 0
            if wanted is not None and skipped + here >= wanted:
                for _ in range(wanted - skipped):
                    self._at = self._piece.find(self._separator, self._at) + 1
                skipped = wanted
                self._settle()
            else:
                open_end = not self._piece.endswith(self._separator)
                self._advance()
                skipped += here + (self.at_end and open_end)  # the last line may have no ending
        self.passed += skipped
        return skipped

    def take(self, most: int, skip: int = 0) -> ReadLine | None:
        """The next line, with at most so many characters behind the first `skip` of them; None after the last line."""
        if self.at_end:
            return None
        self.passed += 1
        end = self._piece.find(self._separator, self._at)
        if end >= 0:
            raw = self._piece[self._at : end]
            self._go_behind(end)
            return _whole(raw[:-1] if self._separator == b"\n" and raw[-1:] == b"\r" else raw, most, skip)
        measured = _Measured(most, skip)
        while end < 0 and not self.at_end:
            measured.add(self._piece[self._at :])
            self._advance()
            end = self._piece.find(self._separator)
        if end < 0:
            return measured.line(ended=False)
        measured.add(self._piece[:end])
        self._go_behind(end)
        return measured.line(ended=self._separator == b"\n")

    def _endings_here(self) -> int:
        """How many lines end in the rest of the piece; the piece before shows how long to expect them."""
        rest = self._piece[self._at :] if self._at else self._piece
        if self._sparse and _COUNTS_BYTE_BY_BYTE:
            here = len(rest) - len(rest.replace(self._separator, b""))
        else:
            here = rest.count(self._separator)
        self._sparse = here * _FAR_APART < len(rest)
        return here

    def _go_behind(self, end: int) -> None:
        self._at = end + 1
        self.separated = True
        self._settle()

    def _settle(self) -> None:
        if self._at >= len(self._piece):
            self._advance()

    def _advance(self) -> None:
        """Goes on to the next piece; after the last one comes an empty one."""
        self._piece, self._at = next(self._pieces, b""), 0


def _whole(raw: bytes, most: int, skip: int) -> ReadLine:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
        return ReadLine(text[skip : skip + most], len(text), replaced=True)
    return ReadLine(text[skip : skip + most], len(text))


class _Measured:
    """A line that comes in several pieces: what is wanted of it is kept, the rest is counted."""

    def __init__(self, most: int, skip: int) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._most = most
        self._skip = skip
        self._text = ""
        self._length = 0
        self._last = ""
        self._strange = False  # whether a replacement character is not the file's own

    def add(self, raw: bytes, final: bool = False) -> None:
        before = self._decoder.getstate()[0]  # the beginning of a character that the last piece ended in
        text = self._decoder.decode(raw, final)
        if not self._strange and _REPLACEMENT in text:
            whole = before + raw
            whole = whole[: len(whole) - len(self._decoder.getstate()[0])]
            self._strange = text.count(_REPLACEMENT) > whole.count(_REPLACEMENT.encode())
        if len(self._text) < self._most:
            start = max(0, self._skip - self._length)
            self._text += text[start : start + self._most - len(self._text)]
        self._length += len(text)
        self._last = text[-1:] or self._last

    def line(self, ended: bool) -> ReadLine:
        """All of it; an `ended` line leaves the CR before its LF to the ending."""
        self.add(b"", final=True)
        if ended and self._last == "\r":
            self._length -= 1
        return ReadLine(self._text[: max(0, self._length - self._skip)], self._length, self._strange)


# -- pages ---------------------------------------------------------------------------------------

MOST_LINES = 2000
LONGEST_LINE = 2000  # characters; what is beyond is cut
LONGEST_PART = 5000  # characters of one part, where long lines are split instead
MOST_CHARACTERS = 60_000  # of a page
MOST_PARTS = MOST_CHARACTERS // (LONGEST_PART + 1)  # that fit on a page in any case
CHARACTERS_A_TOKEN = 4


class LineRange(Value):
    """Which lines are asked for: the first, how many (None: all), and what becomes of long ones (cut or split)."""

    __slots__ = ("offset", "limit", "split", "part")

    def __init__(self, offset: int, limit: int | None, split: bool = False, part: int = 0) -> None:
        self.offset = max(1, offset)
        self.limit = limit if limit is None or limit >= 1 else MOST_LINES
        self.split = split
        self.part = part  # of the first line, from 0: where the page begins if lines are split


class ReadPage(Record):
    """The lines that a call shows, and what it leaves out."""

    offset: int
    next: tuple[int, int]  # the line and the part with which the file continues
    rows: list[str] = []  # the texts with their numbers
    texts: list[str] = []
    places: list[tuple[int, int]] = []  # which line and part of it each row is
    lines: int = 0  # of which rows are shown
    remaining: int = 0  # lines that were asked for and are not shown
    cut: list[tuple[int, int]] = []  # lines of which not everything is shown, and how many characters are missing
    strange: int = 0  # the first line with bytes that are not UTF-8
    total: int | None = None  # lines of the file, None where its end was not reached

    @property
    def last(self) -> int:
        return self.offset + self.lines - 1

    @property
    def text(self) -> str:
        more = [f"... (more {self.remaining} lines are truncated)"] if self.remaining else []
        return "\n".join([*self.rows, *more])

    @property
    def characters(self) -> int:
        """How long the text is that was selected, without the numbers before it."""
        return sum(map(len, self.texts)) + max(0, len(self.texts) - 1)

    @property
    def is_all(self) -> bool:
        """Whether the file ends with this page."""
        return self.total is not None and not self.remaining and not self.next[1]

    def add(self, line: ReadLine) -> None:
        """Puts a line on the page as one row."""
        number = self.next[0]
        missing = line.length - LONGEST_LINE
        words = f"... (more {missing} characters in this line are truncated)" if missing > 0 else ""
        self._row(number, 0, line.text + words)
        self._added(line, missing)

    def add_parts(self, line: ReadLine) -> None:
        """Puts a line on the page as the parts that it has from the next one on."""
        number, part = self.next
        for at in range(0, max(1, len(line.text)), LONGEST_PART):
            self._row(number, part + at // LONGEST_PART, line.text[at : at + LONGEST_PART])
        missing = line.length - part * LONGEST_PART - len(line.text)
        self._added(line, missing)
        if missing > 0:
            self.next = number, self.places[-1][1] + 1

    def keep(self, rows: int) -> None:
        """Counts the rows behind so many as not shown. Where lines are split, a line counts as shown when it begins."""
        if rows >= len(self.rows):
            return
        self.next = self.places[rows]
        number = self.next[0]
        begun = {number for number, _ in self.places[:rows]}
        self.remaining += self.lines - len(begun)
        self.lines = len(begun)
        if number in begun:  # a line in parts, of which some are not shown
            hidden = (text for text, (of, _) in zip(self.texts[rows:], self.places[rows:]) if of == number)
            self.cut = [(number, sum(map(len, hidden)) + dict(self.cut).get(number, 0))]
        else:
            self.cut = [each for each in self.cut if each[0] < number]
        self.rows, self.texts, self.places = self.rows[:rows], self.texts[:rows], self.places[:rows]

    def _row(self, number: int, part: int, text: str) -> None:
        self.rows.append(numbered(f"{number}.{part}" if part else number, text))
        self.texts.append(text)
        self.places.append((number, part))

    def _added(self, line: ReadLine, missing: int) -> None:
        number = self.next[0]
        self.lines += 1
        self.next = number + 1, 0
        if line.replaced and not self.strange:
            self.strange = number
        if missing > 0:
            self.cut.append((number, missing))


def numbered(label: int | str, text: str) -> str:
    """A line as every tool shows it: its number, six wide, and an arrow."""
    return f"{label:>6}→{text}"


def page_of(lines: FileLines, wanted: LineRange) -> ReadPage | None:
    """The page of a range of lines; None when the file ends before it."""
    page = ReadPage(wanted.offset, (wanted.offset, wanted.part))
    if lines.skip(wanted.offset - 1) < wanted.offset - 1 or lines.at_end:
        return None
    most = MOST_LINES if wanted.limit is None else min(wanted.limit, MOST_LINES)
    while len(page.rows) < most:
        skip = page.next[1] * LONGEST_PART
        line = lines.take((most - len(page.rows)) * LONGEST_PART if wanted.split else LONGEST_LINE, skip)
        if line is None:
            break
        if skip and skip >= line.length:
            number, part = page.next
            last = max(0, line.length - 1) // LONGEST_PART
            allowed = f"a whole number between 0 and {last}, because line {number} has {line.length} characters"
            raise PatchkitError("P603", field="part", given=str(part), allowed=allowed)
        if wanted.split:
            page.add_parts(line)
        else:
            page.add(line)
    page.remaining = lines.skip(None if wanted.limit is None else wanted.limit - len(page.rows))
    page.total = lines.passed if lines.at_end else None
    return page
