"""Signals of the commands: one signal to stop, the run rolls back, and the process dies by that signal.

A shell that runs a command in a loop, or a CI job, looks at how the command ended: only one that died by SIGINT stops
the loop. So a command reports what became of it, gives the signal its default meaning again and sends it to itself.

`_signal` and not `signal`: the public module only wraps this one in enums, and importing those would cost a
third of the whole run. A signal that the parent ignores (nohup) stays ignored. Until one of these functions is called,
a signal ends the process without a message: the scripts make Ctrl-C do so too.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # has no stub
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

_STOPPING = {_signal.SIGINT: "SIGINT", _signal.SIGTERM: "SIGTERM", _signal.SIGHUP: "SIGHUP"}


_FATAL = 128  # what a shell adds to the number of the signal that a command died by
_received: list[int] = []  # the signal that interrupted this run
_late: list[int] = []  # the signals that came when the files were new already


class Interrupted(BaseException):
    """The process was asked to stop; the name of the signal is its argument."""

    @property
    def status(self) -> int:
        """The status that a shell shows for a command that died by this signal."""
        return status_of(str(self))


def status_of(name: str) -> int:
    """The status that a shell shows for a command that died by the signal of this name."""
    numbers: list[int] = [number for number, each in _STOPPING.items() if each == name]
    return _FATAL + numbers[0]


def end(status: int) -> NoReturn:
    """Ends the process with this status, or by the signal that interrupted it.

    Not sys.exit: everything is written and closed, and taking the interpreter apart costs more than most commands.
    """
    for number in _received:
        _signal.signal(number, _signal.SIG_DFL)
        _signal.raise_signal(number)
        status = _FATAL + number  # the first process of a container does not die by a signal
    os._exit(status)


def roll_back_on_signals() -> None:
    """From here on a stopping signal becomes an exception, which rolls back what is under way.

    Called again before more work, it raises that for a signal which came too late for the work before.
    """
    _catch(_interrupt)
    if _late:
        _interrupt(_late[0], None)


def raise_on_interrupt() -> None:
    """From here on Ctrl-C is Python's KeyboardInterrupt again, which the caller catches."""
    if _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def finish_in_spite_of_signals() -> None:
    """From here on stopping signals come too late: the files are new, and only the report is left."""
    _catch(_come_late)


def _catch(handler: Callable[[int, object], None]) -> None:
    for number in _STOPPING:
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, handler)


def _come_late(number: int, _frame: object) -> None:
    _late.append(number)


def _interrupt(number: int, _frame: object) -> None:
    finish_in_spite_of_signals()  # a second signal must not break the rolling back
    _received[:] = [number]
    raise Interrupted(_STOPPING[number])
