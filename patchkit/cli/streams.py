"""Standard output and error: the one writer, plain for a pipe, laid out and coloured for a terminal.

Takes text or spans and the number of a stream. What goes into a pipe is never touched: only where a stream is a
terminal, or colour was asked for, is anything about a terminal looked up or loaded: `hook` and `intercept`, which
answer at once and mostly into pipes, write through this module, too.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.progress import Progress
    from patchkit.report.spans import Spans

_PIECE = 1 << 18  # characters that are encoded at a time: a large text is not copied whole once more
_USUAL = 80  # columns of a terminal that does not say
# Terminals that open links, by the names they give themselves in TERM_PROGRAM or TERM.
_LINKING = ("iTerm.app", "WezTerm", "vscode", "ghostty", "xterm-ghostty", "xterm-kitty", "alacritty", "foot", "contour")


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
        from patchkit.report.spans import on_screen  # see above: only for a terminal

        colour = takes_colour(stream, color)
        return write(stream, on_screen(spans, colour, colour and takes_links(stream)))
    return write(stream, "".join([text for text, _style in spans]))


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
    from patchkit.report.progress import Progress  # see above: only for a terminal

    able = os.environ.get("TERM") != "dumb"
    return Progress(lambda text: write(stream, text) if able else None, columns(stream) or _USUAL, what)
