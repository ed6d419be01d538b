"""A child process that is read with a deadline and never outlives its reader.

Takes a program, its words and the directory to run in, given by its handle; gives what it writes, piece by piece. Loads
no `subprocess`, which costs as much as a small search: `posix_spawn` starts a shell that changes the directory and
becomes the program.
"""

from __future__ import annotations

import os
import select
import sys
from errno import EBADF

from patchkit.search.budget import Budget
from patchkit.workspace.directories import close

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BROKEN_PIPE, _KILL = 13, 9  # numbers every system agrees on; `signal` would load `enum`
_MOST_COMPLAINTS = 1 << 20  # bytes of standard error that are kept
_PIECE = 1 << 18
_PATIENCE = 60  # seconds of silence, after which the budget is looked at: more than the system can count may be left


def place(handle: int) -> str:
    """A path that leads to the file behind an open handle, and nowhere else, for a child that inherits it."""
    return f"/proc/self/fd/{handle}" if sys.platform == "linux" else f"/dev/fd/{handle}"


def directory_place(handle: int, path: str) -> str:
    """The same for a directory, whose path has to do where the system has no such name for it."""
    return place(handle) if sys.platform == "linux" else path


class Process:
    """A program at work. `pieces` gives its output; afterwards `status` and `complaints` tell how it went."""

    def __init__(self, words: list[str], directory: str, inherited: list[int]) -> None:
        """`directory` is where it runs, `inherited` the handles it may use; raises OSError where it cannot start."""
        self._out, out = os.pipe()
        self._err, err = os.pipe()
        self.status: int | None = None
        self.late = False
        self._complaints = b""
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, out, 1),
            (os.POSIX_SPAWN_DUP2, err, 2),
            *((os.POSIX_SPAWN_DUP2, handle, handle) for handle in inherited),  # which makes the child keep it
        ]
        command = ["sh", "-c", 'cd "$0" || exit 126; exec "$@"', directory, *words]
        try:
            if min(out, err, *inherited) <= 2:
                raise OSError(EBADF, "a standard stream is closed")  # and its number taken by one of these
            self._child = os.posix_spawn("/bin/sh", command, os.environ, file_actions=actions, setsigdef=[_BROKEN_PIPE])
        except BaseException:
            close(self._out)
            close(self._err)
            raise
        finally:
            close(out)
            close(err)

    @property
    def complaints(self) -> str:
        return self._complaints.decode("utf-8", "surrogateescape")

    def pieces(self, budget: Budget) -> Iterator[bytes]:
        """What it writes, until it ends, the budget is spent (`late`) or the reader stops asking."""
        finished = False
        try:
            yield from self._read(budget)
            finished = not self.late
        finally:
            close(self._out)
            close(self._err)
            self._reap(finished)

    def _read(self, budget: Budget) -> Iterator[bytes]:
        open_ends = select.poll()
        waiting = {self._out, self._err}
        for end in waiting:
            open_ends.register(end, select.POLLIN)
        while waiting:
            ready = open_ends.poll(min(budget.left, _PATIENCE) * 1000)
            if budget.late():
                self.late = True
                return
            for end, _ in ready:
                piece = os.read(end, _PIECE)
                if not piece:
                    open_ends.unregister(end)
                    waiting.discard(end)
                elif end == self._out:
                    yield piece
                elif len(self._complaints) < _MOST_COMPLAINTS:
                    self._complaints += piece

    def _reap(self, finished: bool) -> None:
        try:
            if not finished:
                os.kill(self._child, _KILL)
            self.status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        except (ChildProcessError, ProcessLookupError):
            pass  # the host lets the system reap its children
