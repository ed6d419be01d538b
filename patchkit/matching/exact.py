"""The usual case at full speed: every hunk stands exactly once, in order, in the bytes of the file.

No line is split and nothing is decoded. Two searches a hunk suffice, and all of them together read
the file twice: one for the first place after the hunk above, one that looks for a second place
before the hunk below. In-order placements are unique exactly when no such second place exists
(by induction from the last hunk: everything below is fixed, so any second place would be free to take).
Anything else (anchors, marks, endings that vary, a miss, a doubt) is answered None and left to `locate`.
"""

from __future__ import annotations

from patchkit.language.model import Hunk
from patchkit.matching.model import Match
from patchkit.text.document import Document


def place(document: Document, hunks: list[Hunk]) -> list[Match] | None:
    """Returns the one exact placement of the hunks, None when it takes more to know."""
    if document.endings == "mixed":
        return None
    separator = b"\r\n" if document.endings == "crlf" else document.separator
    needles = []
    for hunk in hunks:
        if hunk.anchors or hunk.at_eof or hunk.hint is not None:
            return None
        old = [line[1:] for line in hunk.lines if line[0] != "+"]
        if document.endings == "cr" and any("\r" in text for text in old):
            return None  # one line of the patch would look like two of the file
        if not old or _adds_at_an_edge(hunk.lines, len(old)):
            return None
        try:
            needles.append((document.encode("\n".join(old)).replace(b"\n", separator), len(old)))
        except UnicodeError:
            return None
    places = _in_order(document, needles, separator)
    if places is None or not _alone(document, needles, places, separator):
        return None
    return _as_matches(document, hunks, needles, places)


def _adds_at_an_edge(lines: list[str], old: int) -> bool:
    """Whether a hunk only adds, above or below all it shows: then what it adds may stand there already."""
    if lines[0][0] != "+" and lines[-1][0] != "+":
        return False
    return sum(line[0] == " " for line in lines) == old


def _in_order(document: Document, needles: list[tuple[bytes, int]], separator: bytes) -> list[int] | None:
    places, cursor = [], 0
    for needle, _count in needles:
        position = _find(document, needle, separator, cursor, len(document.data))
        if position < 0:
            return None
        places.append(position)
        cursor = position + len(needle) + len(separator)
    return places


def _alone(document: Document, needles: list[tuple[bytes, int]], places: list[int], separator: bytes) -> bool:
    stop = len(document.data)
    for (needle, _count), position in zip(reversed(needles), reversed(places)):
        # From the end of this line on: a second place begins on a later line.
        after = document.data.find(separator, position) + len(separator)
        if after >= len(separator) and _find(document, needle, separator, after, stop) >= 0:
            return False
        stop = position
    return True


def _find(document: Document, needle: bytes, separator: bytes, start: int, stop: int) -> int:
    """Where `needle` stands as whole lines, from a line's beginning at `start`, ending at `stop` or before.

    Only a last line without an ending may end where the data ends: behind the last ending no line begins.
    """
    data, size = document.data, len(separator)
    end = start + len(needle)
    if end > stop:
        return -1
    open_end = not document.terminated
    if data.startswith(needle, start) and (data.startswith(separator, end) or (open_end and end == len(data))):
        return start
    found = data.find(separator + needle + separator, start, stop)
    if found >= 0:
        return found + size
    if open_end and stop == len(data) and len(needle) + size <= stop - start and data.endswith(separator + needle):
        return stop - len(needle)
    return -1


def _as_matches(
    document: Document, hunks: list[Hunk], needles: list[tuple[bytes, int]], places: list[int]
) -> list[Match]:
    matches, line, seen = [], 0, 0
    for hunk, (_needle, count), position in zip(hunks, needles, places):
        line += document.data.count(document.separator, seen, position)
        seen = position
        matches.append(Match(line, position, hunk.lines, count))
    return matches
