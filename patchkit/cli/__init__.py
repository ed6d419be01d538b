"""The commands; and what each of them has of its process: standard output and error, signals, and its end.

Writing: text or spans go to a stream, plain into a pipe, laid out and coloured onto a terminal. What goes into a pipe
is never touched: only where a stream is a terminal, or colour was asked for, is anything about a terminal looked up.

Signals: one signal to stop, the run rolls back, and the process dies by that signal. A shell that runs a command in a
loop, or a CI job, looks at how the command ended: only one that died by SIGINT stops the loop. So a command reports
what became of it, gives the signal its default meaning again and sends it to itself. `_signal` and not `signal`: the
public module only wraps this one in enums, which would cost a third of the whole run. A signal that the parent
ignores (nohup) stays ignored. Until one of these functions is called, a signal ends the process without a message:
the scripts make Ctrl-C do so too.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # has no stub
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from patchkit.report.progress import Progress
    from patchkit.report.spans import Spans

# As `catalogue.entry` has them, without loading its words.
DONE, REFUSED, USAGE, POLICY, RECOVERY, INTERNAL = 0, 1, 2, 3, 5, 70
_PIECE = 1 << 18  # characters that are encoded at a time: a large text is not copied whole once more
_USUAL = 80  # columns of a terminal that does not say
# Terminals that open links, by the names they give themselves in TERM_PROGRAM or TERM.
_LINKING = ("iTerm.app", "WezTerm", "vscode", "ghostty", "xterm-ghostty", "xterm-kitty", "alacritty", "foot", "contour")
_STOPPING = {_signal.SIGINT: "SIGINT", _signal.SIGTERM: "SIGTERM", _signal.SIGHUP: "SIGHUP"}
_FATAL = 128  # what a shell adds to the number of the signal that a command died by
_received: list[int] = []  # the signal that interrupted this run
_late: list[int] = []  # the signals that came when the files were new already


def write(stream: int, text: str | bytes) -> str:
    """Writes to standard output or error; returns the reason why that failed, '' when it did not.

    A reader that is gone has read enough: that is not a failure. Bytes of a name that are not UTF-8 go out as they
    came in, half of a surrogate pair as an escape.
    """
    try:
        for start in range(0, len(text), _PIECE):
            piece = text[start : start + _PIECE]
            data = memoryview(piece if isinstance(piece, bytes) else _encoded(piece))
            while data:
                data = data[os.write(stream, data) :]
    except BrokenPipeError:
        pass
    except OSError as error:
        return str(error.strerror).lower()
    return ""


def taken(why: str) -> None:
    """Raises where standard output did not take what a command is for: `why` is what `write` returns.

    A command that has changed files has done so, whether that could be printed or not: it has no use for this.
    """
    if why:
        from patchkit.errors import PatchkitError

        raise PatchkitError("P402", file="standard output", reason=why)


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


def write_json(value: object) -> str:
    """Writes a value as indented JSON to standard output; returns as `write`."""
    import json  # slower to load than a plain search or a small patch takes

    return write(1, json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace") + b"\n")


def show(stream: int, spans: Spans, color: str = "auto") -> str:
    """Writes spans: their plain text into a pipe, visible and perhaps coloured onto a terminal; returns as `write`."""
    if is_screen(stream, color):
        from patchkit.report.spans import on_screen  # only for a terminal

        colour = takes_colour(stream, color)
        return write(stream, on_screen(spans, colour, colour and takes_links(stream)))
    return write(stream, "".join([text for text, _style in spans]))


def give(text: str | bytes, spans: Callable[[str], Spans] | None = None, color: str = "auto") -> str:
    """Writes a patch or a diff to standard output, as `show` does for a person's eyes; returns as `write`.

    In a pipe a program reads it: there FORCE_COLOR, which jobs set for all they run, does not change it.
    """
    if not os.isatty(1) and color != "always":
        return write(1, text)
    plain = text if isinstance(text, str) else text.decode("utf-8", "surrogateescape")
    return show(1, spans(plain) if spans is not None else [(plain, "")], color)


def is_screen(stream: int, color: str = "auto") -> bool:
    """Whether what goes to a stream is for a person's eyes: on a terminal, or in colour because that was asked for."""
    if color == "always" or "FORCE_COLOR" in os.environ:
        return os.isatty(stream) or takes_colour(stream, color)
    return os.isatty(stream)


def takes_colour(stream: int, choice: str = "auto") -> bool:
    """Whether a stream gets colour: as `--color` says, else NO_COLOR, else FORCE_COLOR, else if it is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR", "")
    if forced:
        return forced.lower() not in ("0", "false")
    return os.isatty(stream) and os.environ.get("TERM") != "dumb"


def takes_links(stream: int) -> bool:
    """Whether the terminal behind a stream opens links (OSC 8): as FORCE_HYPERLINK says, else if it is known to."""
    forced = os.environ.get("FORCE_HYPERLINK", "")
    if forced:
        return forced.lower() not in ("0", "false")
    if not os.isatty(stream) or "TMUX" in os.environ or os.environ.get("TERM", "").startswith(("screen", "dumb")):
        return False
    version = os.environ.get("VTE_VERSION", "")  # GNOME Terminal and its relatives: 0.50 and newer
    return (
        (version.isdecimal() and int(version) >= 5000)
        or os.environ.get("TERM_PROGRAM", "") in _LINKING
        or os.environ.get("TERM", "") in _LINKING
        or any(name in os.environ for name in ("WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID"))
    )


def columns(stream: int) -> int | None:
    """How many columns the terminal behind a stream has; None when there is no terminal."""
    try:
        width = os.get_terminal_size(stream).columns
    except OSError:
        return None
    named = os.environ.get("COLUMNS", "")
    return width or (int(named) if named.isdecimal() and int(named) else _USUAL)


def progress(stream: int, what: str = "files") -> Progress:
    """The line that says how far a run is; a terminal that cannot take it away again gets none."""
    from patchkit.report.progress import Progress  # only for a terminal

    able = os.environ.get("TERM") != "dumb"
    return Progress(lambda text: write(stream, text) if able else None, columns(stream) or _USUAL, what)


class CommandLineError(Exception):
    """The command line itself is wrong: reported in the look of all errors, with the status of usage."""


def complain(words: str, program: str) -> int:
    """Reports that a command line is wrong; returns the exit status."""
    show(
        2,
        [
            ("error", "error"),
            (f": {words}\n", ""),
            ("  = ", "frame"),
            ("help", "help"),
            (f": '{program} --help' explains its use\n", ""),
        ],
    )
    return USAGE


def refused(error: Exception, as_json: bool = False, color: str = "auto") -> int:
    """Reports an error that ended a command, as text or as the JSON of all tools; returns the exit status."""
    from patchkit.catalogue.sentences import entry
    from patchkit.report.diagnostics import as_error, error_spans
    from patchkit.report.result import failure

    found = as_error(error)
    if not as_json or write_json(failure(found).envelope()):
        show(2, error_spans(found.errors, columns=columns(2)), color)
    return entry(found.code).exit_class


def crashed(error: Exception) -> int:
    """Reports an exception that nothing caught, a defect of ours, without a traceback; returns the exit status."""
    try:
        return refused(error)
    except Exception:  # not even that is possible: no memory, or files of ours are missing
        write(2, f"error[P499]: internal error in patchkit: {type(error).__name__}\n")
        return INTERNAL


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
    _catch(lambda number, _frame: _late.append(number))


def _catch(handler: Callable[[int, object], None]) -> None:
    for number in _STOPPING:
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, handler)


def _interrupt(number: int, _frame: object) -> None:
    finish_in_spite_of_signals()  # a second signal must not break the rolling back
    _received[:] = [number]
    raise Interrupted(_STOPPING[number])
