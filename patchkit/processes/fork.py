"""Work that a second process does while this one goes on.

Takes a function; gives its value later, or None where the second process failed. That process is a fork which reads
memory and files, sends its value through a pipe and ends: it changes nothing. What it holds as its host does, the lock
of a workspace for instance, is free when both have ended.

Callers ask `may_fork` first and do the work alone where it says no: there is no second processor, or the host has
threads, of which a fork would copy the locks and not the threads. A host that must not be forked at all says so to the
caller, for example by `SearchBudget(may_fork=False)`.
"""

from __future__ import annotations

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_KILL = 9  # not from `signal`, which would load `enum`


def may_fork() -> bool:
    """Whether this process has one thread, and a second processor."""
    if sys.platform != "linux":
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1 and len(os.sched_getaffinity(0)) > 1
    except OSError:
        return False


class ForkedWork:
    """A process at work, until its value was taken or it was stopped; stopping one that has ended does nothing."""

    __slots__ = ("_child", "_answer")

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
