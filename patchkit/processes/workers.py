"""Work for several processes, which take the next piece when they are done with one.

Takes pieces of work and the name of what the processes make to do it; gives every piece with its answer, as the answers
come. The processes are new interpreters that are reached by pipes: nothing of the calling process is copied, whatever
threads it has. At most two pieces are with a process at a time, and a piece is taken from the caller only when a
process has use for it, so memory does not grow with the amount of work.

A process that dies costs the piece that it was at. That piece is split by the caller and its parts are tried again; a
part that cannot be split, and kills again, is answered by the caller. So what kills is found, and nothing else is lost.
docs/decisions.md says why this is not `concurrent.futures`.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import selectors
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO, Generic, TypeVar

from patchkit.errors import PatchkitError
from patchkit.processes.running import signal_name

Work = TypeVar("Work")
Answer = TypeVar("Answer")

_IN_FLIGHT = 2  # pieces with one process: the second is there when the first is done
_HEAD = 8  # bytes that say how long a frame is
_PIECE = 64 << 10  # bytes that are read at once: memory for more is made anew each time, which costs more than it saves
_PIPE = 1 << 20  # bytes that a pipe holds, where the system lets it
_MOST_FAILED = 3  # processes in a row that end before they have started
_READY, _DONE, _RAISED, _UNFIT = "ready", "done", "raised", "unfit"


class Workers(Generic[Work, Answer]):
    """Some processes that do pieces of work."""

    def __init__(
        self,
        make: str,
        setup: object,
        count: int,
        split: Callable[[Work], list[Work]],
        lost: Callable[[Work, str], Answer],
    ) -> None:
        self._make = make  # 'module:name' of what is called in each process with `setup`, and gives what does a piece
        self._setup = setup
        self._count = max(1, count)
        self._split = split  # gives the parts of a piece, or nothing for one that has none
        self._lost = lost  # the answer for such a piece, given the reason why its process has died
        self._again: deque[Work] = deque()  # what a process left behind
        self._failed = 0
        self._running: list[_Process] = []

    def answers(self, work: Iterable[Work], pause: float | None = None) -> Iterator[tuple[Work, Answer] | None]:
        """Gives each piece, or each of its parts, with its answer.

        With `pause`, gives None when nothing came for so many seconds. What is under way is ended with the iterator.
        """
        waiting = iter(work)
        ended = False
        with selectors.DefaultSelector() as selector:
            try:
                while True:
                    while not ended or self._again:
                        idle = self._idle(selector)
                        if idle is None:
                            break
                        try:
                            piece = self._again.popleft() if self._again else next(waiting)
                        except StopIteration:
                            ended = True
                            break
                        idle.give(piece, selector)
                    if ended and not self._again and not any(each.pieces for each in self._running):
                        return
                    events = selector.select(pause)
                    if not events and pause is not None:
                        yield None
                    for key, mask in events:
                        process: _Process = key.data
                        if process not in self._running:
                            continue  # it was taken away by its other event
                        if mask & selectors.EVENT_WRITE:
                            process.send(selector)
                        if mask & selectors.EVENT_READ:
                            for kind, value in process.received():
                                if kind == _READY:
                                    self._failed = 0
                                elif kind == _UNFIT:
                                    raise _unfit(value)
                                elif kind == _DONE:
                                    yield process.pieces.popleft(), value
                                else:
                                    yield from self._spoiled(process.pieces.popleft(), str(value))
                            if process.ended:
                                yield from self._bury(process, selector)
            finally:
                self.close()

    def close(self) -> None:
        for process in self._running:
            process.end()
        self._running.clear()

    def _idle(self, selector: selectors.BaseSelector) -> _Process | None:
        """The process with the least to do, which can take a piece; a new one where there may be more of them."""
        if len(self._running) < self._count and all(each.pieces for each in self._running):
            process = _Process(self._make, self._setup)
            self._running.append(process)
            process.watch(selector)
            return process
        least = min(self._running, key=lambda each: len(each.pieces))
        return least if len(least.pieces) < _IN_FLIGHT else None

    def _bury(self, process: _Process, selector: selectors.BaseSelector) -> Iterator[tuple[Work, Answer]]:
        """Takes away a process that has died: what it was at is spoiled, what it had not begun is done by others."""
        process.forget(selector)
        self._running.remove(process)
        process.end()
        if not process.is_ready:
            self._failed += 1
            if self._failed >= _MOST_FAILED:
                raise _unfit(f"the process {process.fate} before it could start")
            self._again.extendleft(reversed(process.pieces))
            return
        first, rest = (list(process.pieces) or [None])[0], list(process.pieces)[1:]
        self._again.extendleft(reversed(rest))
        if first is not None:
            yield from self._spoiled(first, process.fate)

    def _spoiled(self, piece: Work, fate: str) -> Iterator[tuple[Work, Answer]]:
        parts = self._split(piece)
        if parts:
            self._again.extendleft(reversed(parts))
        else:
            yield piece, self._lost(piece, fate)


def _unfit(reason: object) -> PatchkitError:
    return reason if isinstance(reason, PatchkitError) else PatchkitError("P699", engine="local", reason=str(reason))


class _Process:
    """One interpreter: `pieces` are with it, the first is the one that it is at."""

    def __init__(self, make: str, setup: object) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; from patchkit.processes.workers import serve; serve()"
        # What goes wrong there is found here, by its answers and by its end.
        self._child = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # Ctrl-C is for the process that deals out the work, which then ends this one
        )
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._stdin, self._stdout = self._child.stdin.fileno(), self._child.stdout.fileno()
        for number in (self._stdin, self._stdout):
            os.set_blocking(number, False)
            # A pipe holds more where the system can: fewer changes between the processes.
            with suppress(OSError, ValueError):
                fcntl.fcntl(number, 1031, _PIPE)  # F_SETPIPE_SZ, which `fcntl` names on Linux only
        self.pieces: deque[Any] = deque()
        self.is_ready = self.ended = False
        self._in = bytearray()
        self._out: deque[memoryview] = deque([memoryview(each) for each in _frame((make, setup))])
        self._writing = True

    def watch(self, selector: selectors.BaseSelector) -> None:
        selector.register(self._stdout, selectors.EVENT_READ, self)
        selector.register(self._stdin, selectors.EVENT_WRITE, self)

    def forget(self, selector: selectors.BaseSelector) -> None:
        selector.unregister(self._stdout)
        if self._writing:
            selector.unregister(self._stdin)

    def give(self, piece: object, selector: selectors.BaseSelector) -> None:
        self.pieces.append(piece)
        self._out.extend([memoryview(each) for each in _frame(piece)])
        if not self._writing:
            selector.register(self._stdin, selectors.EVENT_WRITE, self)
            self._writing = True

    def send(self, selector: selectors.BaseSelector) -> None:
        """Writes as much as the pipe takes."""
        try:
            while self._out:
                rest = self._out[0][os.write(self._stdin, self._out[0]) :]
                if rest:
                    self._out[0] = rest
                    return
                self._out.popleft()
        except BlockingIOError:
            return
        except OSError:
            self._out.clear()  # it is gone, which reading from it will show
        selector.unregister(self._stdin)
        self._writing = False

    def received(self) -> Iterator[tuple[str, Any]]:
        try:
            data = os.read(self._stdout, _PIECE)
        except BlockingIOError:
            return
        if not data:
            self.ended = True
            return
        self._in += data
        while len(self._in) >= _HEAD:
            size = int.from_bytes(self._in[:_HEAD], "big")
            if len(self._in) < _HEAD + size:
                return
            frame = pickle.loads(memoryview(self._in)[_HEAD : _HEAD + size])  # of our own child, over its own pipe
            del self._in[: _HEAD + size]
            self.is_ready = self.is_ready or frame[0] == _READY
            yield frame

    @property
    def fate(self) -> str:
        """How the process ended, in words."""
        status = self._child.wait()
        return f"ended with status {status}" if status >= 0 else f"was ended by {signal_name(-status)}"

    def end(self) -> None:
        self._child.kill()
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                stream.close()
        self._child.wait()


def _frame(value: object) -> list[bytes]:
    """What is sent for a value: its length and itself, which is large and not copied to join them."""
    data = pickle.dumps(value)
    return [len(data).to_bytes(_HEAD, "big"), data]


def serve() -> None:
    """What a process does: makes its function, and answers one piece after the other until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints must not get between the answers
    pieces = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    with suppress(BrokenPipeError, EOFError):  # the process that deals out the work is gone
        _serve(pieces, answers)
    os._exit(0)


def _serve(pieces: BinaryIO, answers: BinaryIO) -> None:
    make, setup = _read(pieces)
    try:
        module, _, name = make.partition(":")
        work = getattr(__import__(module, fromlist=[name]), name)(setup)
    except Exception as error:  # whatever it is, it is said to the one who can report it
        _write(answers, (_UNFIT, error if isinstance(error, PatchkitError) else f"{type(error).__name__}: {error}"))
        return
    _write(answers, (_READY, None))
    while True:
        piece = _read(pieces)
        try:
            answer = _DONE, work(piece)
        except Exception as error:  # a piece that cannot be done is split, like one that kills
            answer = _RAISED, f"raised {type(error).__name__}: {error}"
        _write(answers, answer)


def _read(stream: BinaryIO) -> Any:
    head = stream.read(_HEAD)
    if len(head) < _HEAD:
        raise EOFError
    return pickle.loads(stream.read(int.from_bytes(head, "big")))  # from the process that started this one


def _write(stream: BinaryIO, value: object) -> None:
    stream.writelines(_frame(value))
    stream.flush()
