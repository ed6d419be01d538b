"""Work that a second process does while this one goes on.

Takes something to work out; gives its value later, or None where that was not to be had. The second process is a fork
that reads memory and files, tells what it found and ends: it changes nothing. What it holds as its host does, the lock
of a workspace for instance, is free when both have ended. There is none without a second processor, or where the host
has threads (a fork would copy their locks and not them); then whoever asked does the work alone.
"""

from __future__ import annotations

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_KILLED = 9


def may_fork() -> bool:
    """Whether this process is alone with itself, and has a second processor."""
    if sys.platform != "linux":
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1 and len(os.sched_getaffinity(0)) > 1
    except OSError:
        return False


class Aside:
    """A process at work, until its value was asked for or it was stopped; stopping one that has ended does nothing."""

    __slots__ = ("_child", "_told")

    def __init__(self, child: int, told: int) -> None:
        self._child = child
        self._told = told

    def value(self) -> object:
        """What the work came to; None where somebody killed it before it had told everything."""
        try:
            answer = _all(self._told)
        except BaseException:
            self.stop()
            raise
        self._end()
        try:
            return marshal.loads(answer)
        except (EOFError, ValueError, TypeError):
            return None

    def stop(self) -> None:
        """Ends the work: nobody wants its value any more."""
        if self._child:
            try:
                os.kill(self._child, _KILLED)
            except ProcessLookupError:
                pass  # where the host lets the system reap its children
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, 0
        os.close(self._told)
        try:
            os.waitpid(child, 0)
        except ChildProcessError:
            pass


def begun(work: Callable[[], object]) -> Aside | None:
    """Begins work whose value is plain enough for `marshal`; None where there is no second process to be had."""
    try:
        told, tells = os.pipe()
    except OSError:
        return None
    host = os.getpid()
    try:
        child = os.fork()
        if child == 0:
            _tell(tells, work)
            os._exit(0)
    except BaseException as error:
        # In the fork a signal, or whatever it stumbled over: it never returns into the host's program.
        if os.getpid() != host:
            os._exit(0)
        os.close(told)
        os.close(tells)
        if isinstance(error, OSError):
            return None
        raise
    os.close(tells)
    return Aside(child, told)


def _tell(tells: int, work: Callable[[], object]) -> None:
    """The life of the fork: works, and tells what came of it."""
    data = memoryview(marshal.dumps(work()))  # type: ignore[arg-type]
    while data:
        data = data[os.write(tells, data) :]


def _all(told: int) -> bytes:
    pieces = []
    while piece := os.read(told, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)
