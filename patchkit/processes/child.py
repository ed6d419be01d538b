"""A child process that is read with a deadline and never outlives its reader.

Takes a program, its words and the directory to run in, given by its handle; gives what it writes, piece by piece. Loads
no `subprocess`, which costs as much as a small search: `posix_spawn` starts a shell that changes the directory and
becomes the program.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would load `enum`
import os
import select
import sys
import time
from _thread import allocate_lock, start_new_thread
from errno import EBADF

from patchkit.errors import PatchkitError
from patchkit.search.query import Budget
from patchkit.workspace.directories import Parts, close
from patchkit.workspace.entries import WorkspaceEntry
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


_BROKEN_PIPE, _KILL = _signal.SIGPIPE, _signal.SIGKILL
_MOST_COMPLAINTS = 1 << 20  # bytes of standard error that are kept
_PIECE = 1 << 18
_FAREWELL = 5  # seconds that a program may take to end when it has closed its streams
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
        self._out = self._err = -1
        self._child = 0
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
            unbroken(lambda: self._spawn(command, actions))
        except BaseException:
            self._close()
            if self._child:  # it runs, and somebody was interrupted here
                self._end()
            raise
        finally:
            close(out)
            close(err)

    def _spawn(self, command: list[str], actions: Sequence[tuple[object, ...]]) -> None:
        self._child = os.posix_spawn("/bin/sh", command, os.environ, file_actions=actions, setsigdef=[_BROKEN_PIPE])

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
            self._close()
            if not (finished and self._ends(budget)):
                self._end()

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

    def _ends(self, budget: Budget) -> bool:
        """Whether it ends, now that it has nothing more to say; one that does not is `late`."""
        pause, left = 0.0005, min(budget.left, _FAREWELL)
        while not self._waited(os.WNOHANG):
            if left <= 0:
                self.late = True
                return False
            time.sleep(pause)
            left -= pause
            pause = min(2 * pause, 0.05)
        return True

    def __del__(self) -> None:
        """Ends a process that nobody has read: a signal can come between its start and the first piece."""
        self._close()
        if self._child:
            self._end()

    def _close(self) -> None:
        for end in (self._out, self._err):
            if end >= 0:
                close(end)
        self._out = self._err = -1

    def _end(self) -> None:
        try:
            os.kill(self._child, _KILL)
        except ProcessLookupError:
            pass
        self._waited(0)

    def _waited(self, how: int) -> bool:
        """Takes its status where it has ended."""
        try:
            child, status = os.waitpid(self._child, how)
        except ChildProcessError:  # the host lets the system reap its children
            self._child = 0
            return True
        if child:
            self._child = 0
            self.status = os.waitstatus_to_exitcode(status)
        return bool(child)


# -- starting: Start a child that no signal can lose. Takes what starts it; gives nothing: that keeps the child
# itself, where whoever has to end it will look. Python runs the handlers of signals in the main
# thread, between any two steps; one that raises just when a child has been started, and before its
# number is kept, would leave it running for nobody. So it is started in a thread of its own, where no
# handler runs. Blocking signals meanwhile would not do: a child inherits that, and another thread of
# the host may take them.
def unbroken(start: Callable[[], None]) -> None:
    """Calls `start`, and raises what it raises.

    When a handler raises here meanwhile, that comes through only when `start` has come to its end, or never will begin.
    """
    turn, done = allocate_lock(), allocate_lock()
    given_up = False
    raised: list[BaseException] = []

    def work() -> None:
        with turn:
            if not given_up:
                try:
                    start()
                except BaseException as error:
                    raised.append(error)
        done.release()

    done.acquire()
    try:
        try:
            start_new_thread(work, ())
        except RuntimeError:  # no thread to be had: then here, which goes well but for a rare signal
            work()
        done.acquire()
    except BaseException:
        with turn:
            given_up = True
        raise
    if raised:
        raise raised.pop()


# -- places: Where a search begins: the directory or file that a path names, found through the workspace's door.


def entry_at(files: Workspace, path: str) -> WorkspaceEntry:
    """What a path names; refused when there is nothing."""
    entry = files.find(path)
    if entry.blocker:
        raise PatchkitError("P310", file=path, parent=entry.blocker)
    if entry.kind == "missing":
        raise PatchkitError("P302", file=path)
    return entry


def directory_at(files: Workspace, path: str) -> Parts:
    """The components of the directory that a path names; refused when it names anything else."""
    entry = entry_at(files, path)
    if entry.kind != "directory":
        raise PatchkitError("P319", file=path)
    return parts_of(entry)


def parts_of(directory: WorkspaceEntry) -> Parts:
    return directory.location.parts
