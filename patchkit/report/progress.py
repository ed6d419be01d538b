"""One line that says how far a long run is, with a bar and the time that is left.

Is called at every step; writes to a terminal, and only when the run has lasted a second. The line is rewritten in place
a few times a second and removed at the end: the output of the run looks as if it had never been there.
"""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 1.0  # seconds before the first line
PAUSE = 0.1  # between two lines
NARROWEST_BAR, WIDEST_BAR = 8, 32  # columns


def lasting(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


class Progress:
    """The progress of one run on one terminal, which is `columns` wide; `what` is counted, in the plural."""

    def __init__(self, write: Callable[[str], object], columns: int, what: str = "files") -> None:
        self._write = write
        self._what = what
        self._room = max(columns - 1, 1)  # in the last column some terminals go on to the next line
        self._next = time.monotonic() + PATIENCE
        self._shown = False
        self._doing = ""
        self._began = 0.0  # when this step of the run began, and with which number
        self._first = 0

    def __call__(self, doing: str, number: int, total: int) -> None:
        """Shows that `number` of `total` are done; a total of 0 is not known."""
        now = time.monotonic()
        if doing != self._doing:
            self._doing, self._began, self._first = doing, now, number
        if now < self._next:
            return
        self._next = now + PAUSE
        if not total:
            self.put(f"{doing} …", 0)
            return
        words = f"{doing}: {number:,} of {total:,} {self._what} ({100 * number // total} %)"
        self.put(words + self._left(now, number, total), number / total)

    def put(self, words: str, part: float) -> None:
        """Writes words, and a bar that shows the part that is done where there is one."""
        self._shown = True
        bar = self._bar(part, self._room - len(words) - 1) if part else ""
        self._write(f"\r{(bar + words)[: self._room]}\x1b[K")

    def _left(self, now: float, number: int, total: int) -> str:
        """How long the rest will take, if it goes on as it did; '' until that can be said."""
        if now - self._began < PATIENCE or number <= self._first:
            return ""
        return f", {lasting((now - self._began) / (number - self._first) * (total - number))} left"

    @staticmethod
    def _bar(part: float, space: int) -> str:
        """A bar in what is left of the line, before the words; '' where that is too little."""
        width = min(space, WIDEST_BAR) - 2
        if width < NARROWEST_BAR:
            return ""
        full = int(width * min(part, 1))
        return f"[{'=' * full}{' ' * (width - full)}] "

    def end(self) -> None:
        if self._shown:
            self._write("\r\x1b[K")
            self._shown = False
