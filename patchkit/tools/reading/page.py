"""Lines as a page shows them: numbered, bounded, and honest about what is left out.

Takes Lines and the window that is asked for; gives a Page. Each bound is stated once, here, with the words the page
owes its reader for it.
"""

from __future__ import annotations

from patchkit.tools.reading.lines import Line, Lines
from patchkit.values import Value

MOST_LINES = 2000
LONGEST_LINE = 2000  # characters; what is beyond is cut
LONGEST_PART = 5000  # characters of one part, where long lines are split instead
CHARACTERS_A_TOKEN = 4


class Window(Value):
    """Which lines are asked for: the first, how many (None: all), and what becomes of long ones (cut or split)."""

    __slots__ = ("offset", "limit", "split")
    offset: int
    limit: int | None
    split: bool

    def __init__(self, offset: int, limit: int | None, split: bool = False) -> None:
        self.offset = max(1, offset)
        self.limit = limit if limit is None or limit >= 1 else MOST_LINES
        self.split = split


class Page:
    """What a window shows, and what it does not.

    `rows` are the numbered rows and `texts` what stands in them; `lines` is how many lines they are of. `remaining`
    lines were asked for and are not shown; `cut` are lines of which not everything is shown, with how many characters
    are missing; `strange` is the first line with bytes that are no UTF-8; `total` the number of lines of the file, None
    where its end was not reached.
    """

    __slots__ = ("offset", "rows", "texts", "lines", "remaining", "cut", "strange", "total")

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.rows: list[str] = []
        self.texts: list[str] = []
        self.lines = 0
        self.remaining = 0
        self.cut: list[tuple[int, int]] = []
        self.strange = 0
        self.total: int | None = None

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

    def add(self, number: int, line: Line, room: int | None) -> None:
        """Puts a line on the page; `room` is how many rows it may take where long lines are split, else None."""
        self.lines += 1
        if line.replaced and not self.strange:
            self.strange = number
        if room is None:
            missing = line.length - LONGEST_LINE
            words = f"... (more {missing} characters in this line are truncated)" if missing > 0 else ""
            self._row(str(number), line.text + words)
        else:
            missing = line.length - room * LONGEST_PART
            for part in range(0, max(1, len(line.text)), LONGEST_PART):
                label = f"{number}.{part // LONGEST_PART}" if part else str(number)
                self._row(label, line.text[part : part + LONGEST_PART])
        if missing > 0:
            self.cut.append((number, missing))

    def keep(self, rows: int) -> None:
        """Counts the rows behind so many as not shown. Where lines are split, a line counts as shown when it begins."""
        kept = len([row for row in self.rows[:rows] if "." not in row.partition("→")[0]])
        self.remaining += self.lines - kept
        self.lines = kept
        self.rows, self.texts = self.rows[:rows], self.texts[:rows]
        self.cut = [each for each in self.cut if each[0] <= self.last]

    def _row(self, label: str, text: str) -> None:
        self.rows.append(numbered(label, text))
        self.texts.append(text)


def numbered(label: int | str, text: str) -> str:
    """A line as every tool shows it: its number, six wide, and an arrow."""
    return f"{label:>6}→{text}"


def page_of(lines: Lines, window: Window) -> Page | None:
    """The page a window shows; None when the file ends before it."""
    page = Page(window.offset)
    if lines.skip(window.offset - 1) < window.offset - 1 or lines.at_end:
        return None
    most = MOST_LINES if window.limit is None else min(window.limit, MOST_LINES)
    while len(page.rows) < most:
        room = most - len(page.rows) if window.split else None
        line = lines.take(LONGEST_LINE if room is None else room * LONGEST_PART)
        if line is None:
            break
        page.add(window.offset + page.lines, line, room)
    page.remaining = lines.skip(None if window.limit is None else window.limit - len(page.rows))
    page.total = lines.passed if lines.at_end else None
    return page


def shortened(text: str, tokens: int, message: str) -> str:
    """The text, or its beginning and the message in so many tokens, counted as four characters each."""
    most = CHARACTERS_A_TOKEN * tokens
    return text if len(text) < most else text[: max(0, most - len(message))] + message
