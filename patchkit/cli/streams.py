"""Words onto standard output and error: bare into a pipe, dressed for a screen."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.progress import Progress


def show(stream: int, kind: str, words: str | bytes, color: str = "auto") -> None:
    """Writes for whoever reads the stream: bare words into a pipe, and onto a screen what looks well there."""
    if color == "always" or os.isatty(stream) or "FORCE_COLOR" in os.environ:
        words = dressed(kind, words, stream, color)
    say(stream, words)


def say(stream: int, words: str | bytes) -> None:
    """Writes to standard output or error. A reader that is gone cannot undo what was done, so it is no failure."""
    data = memoryview(words.encode("utf-8", "surrogateescape") if isinstance(words, str) else words)
    try:
        while data:
            data = data[os.write(stream, data) :]
    except OSError:
        pass


# -- terminal: What a person's screen is like, and text made for it: whether it takes colour, how wide it is. Asked
# only when a stream is a terminal or colour was asked for (`show` in `apply_patch` knows), so what
# goes into a pipe costs nothing and is never touched.

_USUAL = 80  # columns of a terminal that does not say


def takes_colour(stream: int, choice: str = "auto") -> bool:
    """Whether a stream gets colour: as `--color` says, else as NO_COLOR and FORCE_COLOR do, else if it is a screen."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR", "")
    if forced:
        return forced.lower() not in ("0", "false")
    return os.isatty(stream) and os.environ.get("TERM") != "dumb"


def columns(stream: int) -> int | None:
    """How many columns the terminal behind a stream has; None when there is no terminal."""
    try:
        width = os.get_terminal_size(stream).columns
    except OSError:
        return None
    said = os.environ.get("COLUMNS", "")
    return width or (int(said) if said.isdecimal() and int(said) else _USUAL)


def progress(stream: int, what: str = "files") -> Progress:
    """The line that says how far a run is; a terminal that cannot take it away again gets none."""
    from patchkit.report.progress import Progress

    able = os.environ.get("TERM") != "dumb"
    return Progress(lambda words: say(stream, words) if able else None, columns(stream) or _USUAL, what)


def dressed(kind: str, words: str | bytes, stream: int, choice: str = "auto") -> str | bytes:
    """Words of a kind ('diagnostics', 'summary', 'diff', 'stat') as the stream should show them."""
    painted = takes_colour(stream, choice)
    if not painted and not os.isatty(stream):
        return words
    from patchkit.report import colour

    return getattr(colour, kind)(words, colour.ink if painted else colour.plain)  # type: ignore[no-any-return]
