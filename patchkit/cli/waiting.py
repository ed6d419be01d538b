"""A line that says how long a search has been running, on a terminal, where nothing says how long it will take.

A timer of the system writes it, so the search needs not to know: nothing is written in the first second, and the line
is removed at the end. A process that the search forks has no such timer.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # has no stub
import os
import time

from patchkit.cli.streams import write
from patchkit.report.progress import PATIENCE

_PAUSE = 0.25  # seconds between two lines


class Waiting:
    """The line of one search; `doing` says what is done."""

    def __init__(self, doing: str) -> None:
        self._doing = doing
        self._began = time.monotonic()
        self._shown = False
        self._before = _signal.signal(_signal.SIGALRM, self._show)
        if os.environ.get("TERM") != "dumb":  # such a terminal cannot take the line away again
            _signal.setitimer(_signal.ITIMER_REAL, PATIENCE, _PAUSE)

    def _show(self, _number: int, _frame: object) -> None:
        self._shown = True
        write(2, f"\r{self._doing} … {time.monotonic() - self._began:.0f} s\x1b[K")

    def end(self) -> None:
        """Removes the line."""
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, self._before)
        if self._shown:
            write(2, "\r\x1b[K")
