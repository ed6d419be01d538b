"""Signals of the commands: one signal to stop, and the run rolls back.

`_signal` and not `signal`: the public module only wraps this one in enums, and importing those would cost a
third of the whole run. A signal that the parent ignores (nohup) stays ignored. Until one of these functions is called,
a signal ends the process without a message: the scripts make Ctrl-C do so too.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # has no stub

_STOPPING = {_signal.SIGINT: "SIGINT", _signal.SIGTERM: "SIGTERM", _signal.SIGHUP: "SIGHUP"}


class Interrupted(BaseException):
    """The process was asked to stop; the name of the signal is its argument."""


def roll_back_on_signals() -> None:
    """From here on a stopping signal becomes an exception, which rolls back what is under way."""
    for number in _STOPPING:
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, _interrupt)


def raise_on_interrupt() -> None:
    """From here on Ctrl-C is Python's KeyboardInterrupt again, which the caller catches."""
    if _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)


def finish_in_spite_of_signals() -> None:
    """From here on stopping signals come too late: the files are new, and only the report is left."""
    for number in _STOPPING:
        _signal.signal(number, _signal.SIG_IGN)


def _interrupt(number: int, _frame: object) -> None:
    finish_in_spite_of_signals()  # a second signal must not break the rolling back
    raise Interrupted(_STOPPING[number])
