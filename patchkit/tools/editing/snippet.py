"""What an edit did, as its caller sees it: a numbered snippet of the new file, and a unified diff.

Takes the document before the edit and its changes; reads only the lines around them, so the cost is that of what is
shown, however large the file is.
"""

from __future__ import annotations

from patchkit.core.changes import Replacement
from patchkit.core.text import Document
from patchkit.diffs.compare import Span, compared
from patchkit.diffs.diff import CONTEXT, groups, hunk_text
from patchkit.tools.reading.page import LONGEST_LINE, numbered
from patchkit.values import Record

_MOST_CHANGES = 200  # that are shown
_MOST_ROWS = 2000
_MOST_BYTES = 1 << 20  # of one stretch


class Stretch(Record):
    """A run of lines around changes: its first line (from 0) before and after, and its lines before and after."""

    old_line: int
    new_line: int
    old: list[bytes] = []
    new: list[bytes] = []
    hidden: int = 0  # bytes of one that is too large to be shown, and has no lines


class Shown(Record):
    """The snippet and the diff of an edit, and the first line of the file (from 1) that it changed."""

    snippet: str
    diff: str
    line: int


def shown(document: Document, changes: list[Replacement], path: str) -> Shown:
    """The snippet and the diff of changes, which are in the order of the text."""
    rows: list[str] = []
    lines = [f"--- {path}", f"+++ {path}"]
    first = 0
    for stretch in _stretches(document, changes[:_MOST_CHANGES]):
        if stretch.hidden:
            first = first or stretch.new_line + 1
            rows.append(f"... ({stretch.hidden} bytes from line {stretch.new_line + 1} on are truncated)")
            lines.append(rows[-1])
        old, new = list(map(_for_diff, stretch.old)), list(map(_for_diff, stretch.new))
        for group in groups(compared(stretch.old, stretch.new)):
            first = first or stretch.new_line + group[0][2] + 1
            hunk = hunk_text(old, new, group, stretch.old_line, stretch.new_line)
            lines.append(hunk.decode("utf-8", "replace").removesuffix("\n"))
            rows += _numbered(stretch, group)
    hidden = len(changes) - _MOST_CHANGES
    if hidden > 0:
        lines.append(f"... (more {hidden} places are truncated)")
    if len(rows) > _MOST_ROWS:
        rows[_MOST_ROWS:] = [f"... (more {len(rows) - _MOST_ROWS} lines are truncated)"]
    return Shown("\n".join(rows), "\n".join(lines) + "\n", first)


def _stretches(document: Document, changes: list[Replacement]) -> list[Stretch]:
    """The lines around changes; changes whose lines touch share a stretch."""
    spans: list[tuple[int, int, list[Replacement]]] = []
    for change in changes:
        start, stop = _around(document, change)
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], stop, [*spans[-1][2], change])
        else:
            spans.append((start, stop, [change]))
    found = []
    line, seen, shift = 0, 0, 0
    for start, stop, together in spans:
        line += document.data.count(document.separator, seen, start)
        seen = start
        stretch = Stretch(line, line + shift)
        size = stop - start + sum(len(change.new) for change in together)
        if size > _MOST_BYTES:
            stretch.hidden = size
        else:
            stretch.old = _lines(document, document.data[start:stop])
            stretch.new = _lines(document, _made(document, start, stop, together))
        found.append(stretch)
        for change in together:
            gone = document.data.count(document.separator, change.start, change.stop)
            shift += change.new.count(document.separator) - gone
    return found


def _around(document: Document, change: Replacement) -> tuple[int, int]:
    """The lines a change touches and the context above and below them, as a span of the data."""
    data, separator = document.data, document.separator
    start = data.rfind(separator, 0, change.start) + 1
    for _ in range(CONTEXT):
        start = data.rfind(separator, 0, max(0, start - 1)) + 1
    stop = change.stop
    for _ in range(CONTEXT + 1):
        stop = data.find(separator, stop) + 1 or len(data)
    return start, stop


def _made(document: Document, start: int, stop: int, changes: list[Replacement]) -> bytes:
    pieces = []
    for change in changes:
        pieces += [document.data[start : change.start], change.new]
        start = change.stop
    return b"".join([*pieces, document.data[start:stop]])


def _lines(document: Document, data: bytes) -> list[bytes]:
    lines = data.split(document.separator)
    last = lines.pop()
    lines = [line + document.separator for line in lines]
    return [*lines, last] if last else lines


def _numbered(stretch: Stretch, group: list[Span]) -> list[str]:
    """The lines after the edit, the context included, with their line numbers."""
    first, last = max(0, group[0][2] - CONTEXT), min(len(stretch.new), group[-1][3] + CONTEXT)
    rows = []
    for row in range(first, last):
        text = _without_ending(stretch.new[row]).decode("utf-8", "replace")
        more = len(text) - LONGEST_LINE
        if more > 0:
            text = f"{text[:LONGEST_LINE]}... (more {more} characters in this line are truncated)"
        rows.append(numbered(stretch.new_line + row + 1, text))
    return rows


def _for_diff(line: bytes) -> bytes:
    """A line with LF for its ending, whatever the file has; one without an ending stays so."""
    bare = _without_ending(line)
    return bare if bare == line else bare + b"\n"


def _without_ending(line: bytes) -> bytes:
    line = line[:-1] if line.endswith((b"\n", b"\r")) else line
    return line[:-1] if line.endswith(b"\r") else line
