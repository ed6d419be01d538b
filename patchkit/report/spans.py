"""Styled text: pieces that carry a style each, written plain or in colour.

Takes spans, which are (text, style) pairs in reading order; gives the text for a pipe or for a screen. Colour goes
around the pieces and changes none of them: without the escape codes a screen shows the text of the pipe. On a screen
every control character is shown as an escape, so no text of a patch or a file can act on the terminal.

Only the sixteen colours of the terminal's own palette are used, so a light screen is as readable as a dark one. A span
may also lead somewhere: `linked` gives it an address, which a terminal that can opens on a click (OSC 8).
"""

from __future__ import annotations

from patchkit.errors import Note
from patchkit.report.width import seen, visible

Span = tuple[str, str]
Spans = list[Span]

_STYLES = {
    "error": "1;31",
    "note": "1;32",
    "help": "1;36",
    "strong": "1",
    "frame": "1;34",
    "wrong": "1;31",
    "there": "1;34",
    "good": "1;32",
    "added": "32",
    "removed": "31",
    "changed": "33",
    "place": "36",
    "faint": "2",
    # As grep and ls colour them.
    "path": "35",
    "number": "32",
    "match": "1;31",
    "directory": "1;34",
    "link": "1;36",
}
_FEW = 3  # notes of one code that a person at a terminal is shown
_ADDRESS = "\0"  # between a style and an address; no address has one


def plain(spans: Spans) -> str:
    """The text alone, as it goes into a pipe or a file."""
    return "".join([text for text, _style in spans])


def on_screen(spans: Spans, colour: bool, links: bool = False) -> str:
    """The text for a terminal, with its control characters visible; in colour, with links, if these are set."""
    return "".join([_inked(seen(text), style, colour, links) if style else seen(text) for text, style in spans])


def linked(text: str, style: str, address: str) -> Span:
    """A span that leads to an address, which is percent-encoded."""
    return text, f"{style}{_ADDRESS}{address}"


def _inked(text: str, style: str, colour: bool, links: bool) -> str:
    style, _, address = style.partition(_ADDRESS)
    if colour and style and text:
        text = f"\x1b[{_STYLES[style]}m{text}\x1b[0m"
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\" if links and address and text else text


def joined(lines: list[Spans]) -> Spans:
    """Lines below each other, each ended by a line feed."""
    return [span for line in lines for span in (*line, ("\n", ""))]


def note_spans(notes: list[Note], few: bool = False) -> Spans:
    """Notes as people read them: a line each; with `few`, of many with one code the first, and how many there are."""
    spans: Spans = []
    counts: dict[str, int] = {}
    for note in notes:
        counts[note.code] = counts.get(note.code, 0) + 1
        if not few or counts[note.code] <= _FEW:
            spans += note_line(note.code, visible(note.message))
    for code, count in counts.items():
        if few and count > _FEW:
            spans += note_line(code, f"{count - _FEW} more of these; '--json' lists them all")
    return spans


def note_line(code: str, message: str) -> Spans:
    """One note on a line of its own; the message is shown as it is."""
    return [(f"note[{code}]", "note"), (f": {message}\n", "")]
