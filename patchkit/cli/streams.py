"""Words onto standard output and error: bare into a pipe, dressed for a screen."""

from __future__ import annotations

import os


def show(stream: int, kind: str, words: str | bytes, color: str = "auto") -> None:
    """Writes for whoever reads the stream: bare words into a pipe, and onto a screen what looks well there."""
    if color == "always" or os.isatty(stream) or "FORCE_COLOR" in os.environ:
        from patchkit.cli.terminal import dressed

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
