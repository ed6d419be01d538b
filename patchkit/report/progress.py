"""One line that says how far a long run is.

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


class Progress:
    """The progress of one run on one terminal. `write` puts text there; `columns` is how wide it is.

    `what` is counted, in the plural.
    """

    def __init__(self, write: Callable[[str], object], columns: int, what: str = "files") -> None:
        self._write = write
        self._what = what
        self._room = max(columns - 1, 1)  # in the last column some terminals go on to the next line
        self._next = time.monotonic() + PATIENCE
        self._shown = False

    def __call__(self, doing: str, number: int, total: int) -> None:
        """Shows that `number` of `total` are done; a total of 0 is not known."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PAUSE
        self._shown = True
        words = f"{doing}: {number:,} of {total:,} {self._what} ({100 * number // total} %)" if total else f"{doing} …"
        self._write(f"\r{words[: self._room]}\x1b[K")

    def end(self) -> None:
        """Removes the line."""
        if self._shown:
            self._write("\r\x1b[K")
            self._shown = False
