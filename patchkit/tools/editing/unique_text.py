"""Old texts that are in a file once, for each place of one that is there several times.

Takes a Text and the strings of an ambiguous edit; returns for every place the same edit with the fewest lines around
it that no other place has, so that the caller can send one of them as it is.
"""

from __future__ import annotations

from patchkit.tools.editing.text import Span, Text
from patchkit.values import Value

_LARGEST = 4 << 20  # bytes of a file that is searched for every place
_MOST_PLACES = 20
_MOST_LINES = 10  # that are added above or below


class UniqueEdit(Value):
    """An edit of one place: its line (from 1), the texts, and what was added ('' for the rest of the line)."""

    __slots__ = ("line", "old", "new", "added")
    line: int
    old: str
    new: str
    added: str

    def __init__(self, line: int, old: str, new: str, added: str) -> None:
        self.line = line
        self.old = old
        self.new = new
        self.added = added


def unique_edits(text: Text, old: str, new: str) -> list[UniqueEdit]:
    """The edits that the first places of a text could be meant by; a place without lines of its own has none."""
    document = text.document
    if len(document.data) > _LARGEST:
        return []
    found = []
    for span in text.spans(old, _MOST_PLACES):
        line = document.data.count(document.separator, 0, span[0]) + 1
        edit = _unique(text, span, line, old, new)
        if edit is not None:
            found.append(edit)
    return found


def _unique(text: Text, span: Span, line: int, old: str, new: str) -> UniqueEdit | None:
    data, separator = text.document.data, text.document.separator
    start = data.rfind(separator, 0, span[0]) + 1
    # An old text that ends with a line ending has its last line whole.
    stop = span[1] if data.endswith(separator, 0, span[1]) else _line_end(text, span[1])
    above, below = text.text_of((start, span[0])), text.text_of((span[1], stop))
    for added, wider in _wider(text, start, stop):
        before = text.text_of((wider[0], start)) + above
        after = below + text.text_of((stop, wider[1]))
        if len(text.places(before + old + after)) == 1:
            return UniqueEdit(line, before + old + after, before + new + after, added)
    return None


def _wider(text: Text, start: int, stop: int) -> list[tuple[str, Span]]:
    """The lines of a place with more and more lines around them, and the first line that was added."""
    data, separator = text.document.data, text.document.separator
    ways: list[tuple[str, Span]] = [("", (start, stop))]
    above, below = start, stop
    for _ in range(_MOST_LINES):
        if above:
            end = above
            above = data.rfind(separator, 0, above - 1) + 1
            ways.append((f"above: '{text.text_of((above, end)).strip()}'", (above, stop)))
        if below < len(data):
            begin = below
            below = _line_end(text, below + len(separator) if data.startswith(separator, below) else below + 2)
            ways.append((f"below: '{text.text_of((begin, below)).strip()}'", (start, below)))
    return [*ways, ("around it", (above, below))]


def _line_end(text: Text, position: int) -> int:
    """Where the line at a position ends, its ending not counted."""
    data = text.document.data
    end = data.find(text.document.separator, position)
    if end < 0:
        return len(data)
    return end - 1 if data[end - 1 : end + 1] == b"\r\n" else end
