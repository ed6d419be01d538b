"""A line of a file that says what the lines of hunks are: bytes, and not text in the encoding of the file.

Takes a file that is not UTF-8, before and after, and hunks for it; gives a line that they should show as well. Hunks
whose lines are UTF-8 could be meant as characters, to be written in the encoding that the file declares or seems to
have. With a line of bytes that are not UTF-8, they are compared and written as they are.
"""

from __future__ import annotations

from bisect import bisect_left

from patchkit.core.changes.legacy import EncodingReader
from patchkit.core.changes.options import Options
from patchkit.core.language import Hunk, UpdateFile, swapped
from patchkit.core.text import Document, is_surely_utf8
from patchkit.errors import PatchkitError
from patchkit.formats.json_edits import is_unicode


def byte_line(old: Document, new: Document, hunks: list[Hunk]) -> int:
    """The number of the line, from 0; -1 if none is needed, or there is none."""
    if are_read_as_bytes(old, new, hunks):
        return -1
    lines = [number for number, line in enumerate(old.texts) if not line.isascii() and not is_unicode(line)]
    if not lines:
        return -1
    shown = {line[1:] for hunk in hunks for line in hunk.lines}
    places = [number for number, line in enumerate(old.texts) if line in shown]
    return min(lines, key=lambda number: _distance(number, places))


def _distance(number: int, places: list[int]) -> int:
    """How far a line is from the next of these lines, which are in order."""
    at = bisect_left(places, number)
    return min((abs(number - place) for place in places[max(0, at - 1) : at + 1]), default=number)


def other_encoding(error: PatchkitError) -> PatchkitError:
    """The refusal of lines that no line of the file shows to be bytes."""
    what = f"lines of '{error.file}' in UTF-8, where the file declares or has another encoding"
    return PatchkitError("P112", file=error.file, what=what, instead="copy the file itself, or apply git's own diff")


def are_read_as_bytes(old: Document, new: Document, hunks: list[Hunk]) -> bool:
    """Whether hunks are surely read as the bytes that they are, forwards and backwards."""
    text = "".join(line for hunk in hunks for line in hunk.lines)
    if not is_unicode(text) or old.bom or old.codec:
        return True
    if is_surely_utf8(old.data) and is_surely_utf8(new.data):
        return True
    return _is_as_it_is(old, hunks) and _is_as_it_is(new, [Hunk(hunk.anchors, swapped(hunk.lines)) for hunk in hunks])


def _is_as_it_is(document: Document, hunks: list[Hunk]) -> bool:
    """Whether hunks are surely read as the bytes that they are."""
    if is_surely_utf8(document.data):
        return True
    try:
        return EncodingReader(Options()).read(document, UpdateFile("", None, hunks)) is document
    except PatchkitError:
        return False
