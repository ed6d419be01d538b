"""Lines as Read shows them: numbered, bounded, with a statement of what is left out.

Takes FileLines and the range that is asked for; returns a ReadPage. Each bound is stated once, here, with the text that
the page shows where it cuts.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.tools.reading.lines import FileLines, ReadLine
from patchkit.values import Record, Value

MOST_LINES = 2000
LONGEST_LINE = 2000  # characters; what is beyond is cut
LONGEST_PART = 5000  # characters of one part, where long lines are split instead
MOST_CHARACTERS = 60_000  # of a page
MOST_PARTS = MOST_CHARACTERS // (LONGEST_PART + 1)  # that fit on a page in any case
CHARACTERS_A_TOKEN = 4


class LineRange(Value):
    """Which lines are asked for: the first, how many (None: all), and what becomes of long ones (cut or split).

    Where they are split, `part` of the first line is where the page begins; the first part is 0.
    """

    __slots__ = ("offset", "limit", "split", "part")
    limit: int | None

    def __init__(self, offset: int, limit: int | None, split: bool = False, part: int = 0) -> None:
        self.offset = max(1, offset)
        self.limit = limit if limit is None or limit >= 1 else MOST_LINES
        self.split = split
        self.part = part


class ReadPage(Record):
    """The lines that a call shows, and what it leaves out.

    `rows` are the numbered rows, `texts` their texts and `places` which line and part of it each is; `lines` is how
    many lines they are of. `remaining` lines were asked for and are not shown; `cut` are lines of which not everything
    is shown, with how many characters are missing; `strange` is the first line with bytes that are not UTF-8; `total`
    the number of lines of the file, None where its end was not reached. `next` is the line and the part with which the
    file continues.
    """

    offset: int
    next: tuple[int, int]
    rows: list[str] = []
    texts: list[str] = []
    places: list[tuple[int, int]] = []
    lines: int = 0
    remaining: int = 0
    cut: list[tuple[int, int]] = []
    strange: int = 0
    total: int | None = None

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
            raise _no_such_part(page.next, line)
        if wanted.split:
            page.add_parts(line)
        else:
            page.add(line)
    page.remaining = lines.skip(None if wanted.limit is None else wanted.limit - len(page.rows))
    page.total = lines.passed if lines.at_end else None
    return page


def _no_such_part(wanted: tuple[int, int], line: ReadLine) -> PatchkitError:
    number, part = wanted
    last = max(0, line.length - 1) // LONGEST_PART
    allowed = f"a whole number between 0 and {last}, because line {number} has {line.length} characters"
    return PatchkitError("P603", field="part", given=str(part), allowed=allowed)


def shortened(text: str, tokens: int, message: str) -> str:
    """The text, or its beginning and the message in so many tokens, counted as four characters each."""
    most = CHARACTERS_A_TOKEN * tokens
    return text if len(text) < most else text[: max(0, most - len(message))] + message
