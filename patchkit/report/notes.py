"""Notes as people read them: a line each.

Takes notes; gives spans, or the same as plain text.
"""

from __future__ import annotations

from patchkit.errors import Note
from patchkit.report.spans import Spans, plain
from patchkit.report.width import visible


def render_note(note: Note) -> str:
    """One note as plain text, on a line of its own."""
    return plain(note_spans([note]))


def note_spans(notes: list[Note]) -> Spans:
    return [span for note in notes for span in note_line(note.code, visible(note.message))]


def note_line(code: str, message: str) -> Spans:
    """One note on a line of its own; the message is shown as it is."""
    return [(f"note[{code}]", "note"), (f": {message}\n", "")]
