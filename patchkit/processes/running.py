"""Run a command within limits.

Takes an argument vector, where and with what environment it runs, and how long it may; hands its output on as it
comes, both streams in one order, and returns how it ended. The command leads a process group of its own: when time is
up, or the caller cancels or is interrupted, the whole group gets SIGTERM and after a grace period SIGKILL. A process
that was left in the background and holds the output open is not waited for. What is done with the output is left to
the caller.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time

from patchkit.errors import PatchkitError
from patchkit.processes.child import unbroken
from patchkit.values import Record, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol, TypeVar

    Started = TypeVar("Started")

    class Starter(Protocol):
        """What starts the child, such as a sandbox: it calls `begin` with what the child does before its program."""

        def start(self, begin: Callable[[Callable[[], None] | None], Started]) -> Started: ...


_PIECE = 65_536
_LOOK = 0.1  # seconds between checks whether the command has ended
_LINGER = 0.5  # seconds that output is still taken from what the command left behind
_GRACE = 2.0  # seconds between SIGTERM and SIGKILL
_SHORT_GRACE = 1.0  # the same for a caller that has cancelled: a client ends a server that takes longer than two


class Ran(Value):
    """How a command ended."""

    __slots__ = ("status", "signal", "timed_out", "seconds", "left")

    def __init__(self, code: int, timed_out: bool, seconds: float, left: bool) -> None:
        self.status = code if code >= 0 else 128 - code  # as a shell says it: 128 and the number of the signal
        self.signal = signal_name(-code) if code < 0 else None
        self.timed_out = timed_out
        self.seconds = seconds
        self.left = left  # a process behind it still holds its output


class RunRequest(Record):
    """What to run: the words, where, with which environment, standard input and descriptors, and for how long."""

    argv: list[str]
    cwd: str
    env: dict[str, str]
    timeout: float
    stdin: int = subprocess.DEVNULL
    passed: Sequence[int] = ()
    cancelled: Callable[[], bool] | None = None  # asked while it runs: then it is ended as when its time is up
    sandbox: Starter | None = None  # what the kernel restricts it by
    streams: tuple[int, int] | None = None  # descriptors that it writes to: then its output is not taken
    ends_group: bool = False  # one that fails leaves no process of its group behind


def run(request: RunRequest, on_output: Callable[[bytes], object]) -> Ran:
    """Runs the command to its end, or to the end of its time; raises P644 when it cannot be started."""
    started = time.monotonic()
    reading, writing = os.pipe()
    running: list[subprocess.Popen[bytes]] = []  # the command, from the moment that it runs
    try:
        try:
            unbroken(lambda: running.append(_start(request, writing)), alone=request.sandbox is not None)
        except RuntimeError as error:
            raise PatchkitError("P673", reason=str(error)) from None
        finally:
            os.close(writing)
        watch = _Watch(running[0], reading, on_output, request.cancelled)
        timed_out = not watch.until(started + request.timeout)
        if timed_out:
            watch.end(_SHORT_GRACE if watch.is_cancelled() else _GRACE)
        elif request.ends_group and running[0].wait():
            watch.kill()
        return Ran(running[0].wait(), timed_out, time.monotonic() - started, watch.left)
    except BaseException:  # the caller is interrupted: no process may be left running
        for process in running:
            _Watch(process, reading, on_output).end()
        raise
    finally:
        os.close(reading)


def _start(request: RunRequest, writing: int) -> subprocess.Popen[bytes]:
    """Starts the child, in a thread that ends afterwards: with a sandbox, the thread may be restricted as well."""
    if request.sandbox is not None:
        return request.sandbox.start(lambda before: _begin(request, writing, before))
    return _begin(request, writing, None)


def _begin(request: RunRequest, writing: int, before: Callable[[], None] | None) -> subprocess.Popen[bytes]:
    process: subprocess.Popen[bytes] = subprocess.Popen.__new__(subprocess.Popen)
    try:
        subprocess.Popen.__init__(  # in two steps: one that fails late leaves a child, which has to end
            process,
            request.argv,
            cwd=request.cwd,
            env=request.env,
            stdin=request.stdin,
            stdout=request.streams[0] if request.streams is not None else writing,
            stderr=request.streams[1] if request.streams is not None else writing,
            pass_fds=request.passed,
            start_new_session=True,  # a group of its own, and no terminal to ask for a password on
            preexec_fn=before,
        )
        return process
    except (OSError, ValueError) as error:
        if getattr(process, "pid", None) and process.returncode is None:
            with contextlib.suppress(OSError):  # it may not lead its group yet
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise PatchkitError("P644", command=request.argv[0], reason=reason) from None


class _Watch(Record):
    """A command that runs, and the pipe that all of its output comes through."""

    process: subprocess.Popen[bytes]
    _reading: int
    _on_output: Callable[[bytes], object]
    _cancelled: Callable[[], bool] | None = None
    left: bool = False
    _open: bool = True  # whether a process still holds the other end

    def is_cancelled(self) -> bool:
        return self._cancelled is not None and self._cancelled()

    def until(self, deadline: float) -> bool:
        """Takes output until the command has ended; False when the deadline, or a cancelling, came first."""
        ended = None
        while self._open:
            now = time.monotonic()
            if ended is None and self.process.poll() is not None:
                ended = now
            if ended is not None and now - ended > _LINGER:
                self.left = True
                return True
            if ended is None and (now >= deadline or self.is_cancelled()):
                return False
            if not self._take(_LOOK if ended is not None else min(_LOOK, deadline - now)) and ended is not None:
                self.left = True  # silent, and still there: something in the background
                return True
        while True:  # it has closed its output, and may go on
            left = max(0.0, deadline - time.monotonic())
            if self._ends_within(left if self._cancelled is None else min(left, _LOOK)):
                return True
            if left <= _LOOK or self.is_cancelled():
                return False

    def _ends_within(self, seconds: float) -> bool:
        """Whether the command ends in so many seconds."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def end(self, grace: float = _GRACE) -> None:
        """Ends the whole group: SIGTERM, then the output that still comes, then SIGKILL."""
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + grace
        try:
            while self._open and time.monotonic() < deadline:
                self._take(_LOOK)
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        finally:  # also when `on_output` raises
            self.kill()
        deadline = time.monotonic() + _LINGER
        while self._open and time.monotonic() < deadline and self._take(_LOOK):
            pass

    def kill(self) -> None:
        self._signal(signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):  # a process that took another identity
            self.process.wait(_LINGER)

    def _take(self, seconds: float) -> bool:
        """Takes one piece of output; False when none came in so many seconds."""
        poll = select.poll()
        poll.register(self._reading, select.POLLIN | select.POLLHUP)
        if not poll.poll(max(1, seconds * 1000)):
            return False
        data = os.read(self._reading, _PIECE)
        if data:
            self._on_output(data)
        else:
            self._open = False
        return True

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # as above, or no process is left
            os.killpg(self.process.pid, number)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
