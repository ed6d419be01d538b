"""Child processes: a program that is read until a deadline and never outlives its reader, and a fork that helps.

The first takes a program, its arguments and the directory to run in; gives what it writes, piece by piece. It does not
load `subprocess`, which costs as much as a small search: `posix_spawn` starts a shell that changes the directory and
becomes the program. Commands of users, with a process group and a time-out of their own, are run by `running`.

The second takes a function that a fork runs while this process goes on; gives its value later.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would load `enum`
import marshal
import os
import select
import sys
import time
from _thread import allocate_lock, start_new_thread
from errno import EBADF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

_ENDLESS = float("inf")
_BROKEN_PIPE, _KILL = _signal.SIGPIPE, _signal.SIGKILL
_MOST_COMPLAINTS = 1 << 20  # bytes of standard error that are kept
_PIECE = 1 << 18
_FAREWELL = 5  # seconds that a program may take to end when it has closed its streams
_LOOK = 0.1  # seconds of silence, after which a caller that may cancel is asked
_PATIENCE = 60  # seconds of silence, after which the deadline is checked: more than the system can count may be left


class Deadline:
    """A number of seconds from the moment it is made; 0 is as long as it takes. What is `cancelled` is late at once."""

    def __init__(self, seconds: float = 0, cancelled: Callable[[], bool] | None = None) -> None:
        self.started = time.monotonic()
        self.seconds = seconds
        self.cancelled = cancelled
        self.deadline = self.started + seconds if seconds else _ENDLESS

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds that are left, never less than nothing; infinite where there is no limit."""
        return max(self.deadline - time.monotonic(), 0) if self.seconds else _ENDLESS

    @property
    def patience(self) -> float:
        """Seconds after which it has to be asked again whether it is late."""
        return min(self.left, _PATIENCE if self.cancelled is None else _LOOK)

    def late(self) -> bool:
        if self.cancelled is not None and self.cancelled():
            return True
        return self.seconds > 0 and time.monotonic() >= self.deadline


def place(handle: int) -> str:
    """A path to the file of an open handle, and to no other, for a child that inherits the handle."""
    return f"/proc/self/fd/{handle}" if sys.platform == "linux" else f"/dev/fd/{handle}"


def directory_place(handle: int, path: str) -> str:
    """The same for a directory; its own path where the system has no such name for it."""
    return place(handle) if sys.platform == "linux" else path


class Process:
    """A program that runs. `pieces` gives its output; afterwards `status` and `complaints` say how it ended."""

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
            if self._child:  # it runs, and this call was interrupted
                self._end()
            raise
        finally:
            os.close(out)
            os.close(err)

    def _spawn(self, command: list[str], actions: Sequence[tuple[object, ...]]) -> None:
        self._child = os.posix_spawn("/bin/sh", command, os.environ, file_actions=actions, setsigdef=[_BROKEN_PIPE])

    @property
    def complaints(self) -> str:
        return self._complaints.decode("utf-8", "surrogateescape")

    def pieces(self, deadline: Deadline) -> Iterator[bytes]:
        """What it writes, until it ends, the deadline has passed (`late`) or the reader stops asking."""
        finished = False
        try:
            yield from self._read(deadline)
            finished = not self.late
        finally:
            self._close()
            if not (finished and self._ends(deadline)):
                self._end()

    def _read(self, deadline: Deadline) -> Iterator[bytes]:
        open_ends = select.poll()
        waiting = {self._out, self._err}
        for end in waiting:
            open_ends.register(end, select.POLLIN)
        while waiting:
            ready = open_ends.poll(deadline.patience * 1000)
            if deadline.late():
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

    def _ends(self, deadline: Deadline) -> bool:
        """Whether it ends, now that it has closed its streams; one that does not is `late`."""
        pause, left = 0.0005, min(deadline.left, _FAREWELL)
        while not self._waited(os.WNOHANG):
            if left <= 0:
                self.late = True
                return False
            time.sleep(pause)
            left -= pause
            pause = min(2 * pause, 0.05)
        return True

    def __del__(self) -> None:
        """Ends a process that was never read: a signal can come between its start and the first piece."""
        self._close()
        if self._child:
            self._end()

    def _close(self) -> None:
        for end in (self._out, self._err):
            if end >= 0:
                os.close(end)
        self._out = self._err = -1

    def _end(self) -> None:
        try:
            os.kill(self._child, _KILL)
        except ProcessLookupError:
            pass
        self._waited(0)

    def _waited(self, how: int) -> bool:
        """Whether it has ended; then its status is kept."""
        try:
            child, status = os.waitpid(self._child, how)
        except ChildProcessError:  # the host lets the system reap its children
            self._child = 0
            return True
        if child:
            self._child = 0
            self.status = os.waitstatus_to_exitcode(status)
        return bool(child)


def unbroken(start: Callable[[], None], alone: bool = False) -> None:
    """Calls `start`, which keeps the child itself, and raises what it raises.

    Python runs the handlers of signals in the main thread, between any two steps. A handler that raises right after a
    child was started, and before its number was kept, would leave a child that no one can end. So it is started in a
    thread of its own, where no handler runs: what a handler raises meanwhile is raised here when `start` has ended, or
    will never begin. Blocking signals instead would not do: a child inherits that, and another thread of the host may
    take them.

    A `start` that restricts its thread has to be `alone`: without a thread for it, RuntimeError is raised.
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
        except RuntimeError:  # there is no thread to be had: then here, which only a rare signal can break
            if alone:
                raise
            work()
        done.acquire()
    except BaseException:
        with turn:
            given_up = True
        raise
    if raised:
        raise raised.pop()


# -- forks ---------------------------------------------------------------------------------------
# A fork reads memory and files, sends its value through a pipe and ends: it changes nothing. What it holds as its host
# does, the lock of a workspace for instance, is free when both have ended.


def may_fork() -> bool:
    """Whether this process has a second processor, and one thread: a fork would copy the locks of other threads."""
    if sys.platform != "linux":
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1 and len(os.sched_getaffinity(0)) > 1
    except OSError:
        return False


class ForkedWork:
    """A process at work, until its value was taken or it was stopped; stopping one that has ended does nothing."""

    def __init__(self, child: int, answer: int) -> None:
        self._child = child
        self._answer = answer  # the pipe that the value comes through

    def value(self) -> Any:
        """What the work returned; None where the process was killed before it had sent everything."""
        try:
            answer = _all(self._answer)
        except BaseException:
            self.stop()
            raise
        self._end()
        try:
            return marshal.loads(answer)
        except (EOFError, ValueError, TypeError):
            return None

    def stop(self) -> None:
        """Ends the work; its value is not needed any more."""
        if self._child:
            try:
                os.kill(self._child, _KILL)
            except ProcessLookupError:
                pass  # where the host lets the system reap its children
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, 0
        os.close(self._answer)
        try:
            os.waitpid(child, 0)
        except ChildProcessError:
            pass


def forked(work: Callable[[], Any]) -> ForkedWork | None:
    """Begins work whose value is plain enough for `marshal`; None where no second process can be started."""
    try:
        answer, sending = os.pipe()
    except OSError:
        return None
    host = os.getpid()
    try:
        child = os.fork()
        if child == 0:
            _send(sending, work)
            os._exit(0)
    except BaseException as error:
        # In the fork a signal, or an error of the work: it never returns into the host's program.
        if os.getpid() != host:
            os._exit(0)
        os.close(answer)
        os.close(sending)
        if isinstance(error, OSError):
            return None
        raise
    os.close(sending)
    return ForkedWork(child, answer)


def _send(sending: int, work: Callable[[], Any]) -> None:
    """All that the fork does: works, and sends the value."""
    data = memoryview(marshal.dumps(work()))
    while data:
        data = data[os.write(sending, data) :]


def _all(answer: int) -> bytes:
    pieces = []
    while piece := os.read(answer, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)
