"""A line on a terminal that says how far a search is.

A search that knows how many files there are reports its steps. Any other has a time limit, or takes as long as it
takes: then a timer of the system writes how long it has been running and how long it may still run. Nothing is written
in the first second, and the line is removed at the end. A process that the search forks has no such timer.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # has no stub
import os
import time

from patchkit.cli.streams import progress
from patchkit.report.progress import PATIENCE, lasting

_PAUSE = 0.25  # seconds between two lines


class Waiting:
    """The line of one search; `doing` says what is done, `most` how many seconds that may take (0: any number).

    `line` takes the steps of a search that knows them.
    """

    def __init__(self, doing: str, most: float = 0) -> None:
        self.line = progress(2)
        self._doing = doing
        self._most = most
        self._began = time.monotonic()
        self._before = _signal.signal(_signal.SIGALRM, self._show)
        if os.environ.get("TERM") != "dumb":  # such a terminal cannot take the line away again
            _signal.setitimer(_signal.ITIMER_REAL, PATIENCE, _PAUSE)

    def _show(self, _number: int, _frame: object) -> None:
        if self.line.total:
            self.line.show()
            return
        past = time.monotonic() - self._began
        words = f"{self._doing} … {lasting(past)}"
        if self._most:
            words += f", at most {lasting(max(self._most - past, 0))} more"
        self.line.put(words, past / self._most if self._most else 0)

    def end(self) -> None:
        """Removes the line."""
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, self._before)
        self.line.end()
