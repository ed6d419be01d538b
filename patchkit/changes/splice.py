"""Make replacements in a document.

Takes a Document, the hunks of one section and their Matches; gives the new text as pieces of bytes, most
of them untouched views of the old. Positions refer to the original throughout.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.matching.model import Match
from patchkit.text.document import Document
from patchkit.values import Value


class Replacement(Value):
    """New bytes for a span of the original; `line` and `removed` say the same in lines."""

    __slots__ = ("start", "stop", "new", "line", "removed", "added")
    start: int
    stop: int
    new: bytes
    line: int
    removed: int
    added: int

    def __init__(self, start: int, stop: int, new: bytes, line: int, removed: int, added: int) -> None:
        self.start = start
        self.stop = stop
        self.new = new
        self.line = line
        self.removed = removed
        self.added = added

    def changes_nothing_in(self, document: Document) -> bool:
        """Whether the span already is what it shall be; a last line without its ending will go without it."""
        old = document.data[self.start : self.stop]
        if old == self.new:
            return True
        unended = self.stop == len(document.data) and not document.terminated and self.removed > 0
        return unended and self.new == old + _ending(document, self.new)


def replacements(document: Document, match: Match) -> list[Replacement]:
    """Returns what one matched hunk replaces: each run of removed and added lines, never a kept line."""
    made: list[Replacement] = []
    ground = _Ground(document, match)
    start = stop = 0  # the run at hand, in old lines
    added: list[str] = []
    for line in match.lines:
        sign = line[0]
        if sign == "+":
            added.append(line[1:])
            continue
        if sign == " ":
            if added or stop > start:
                made.append(ground.replacement(start, stop, added))
                added = []
            start = stop + 1
        stop += 1
    if added or stop > start:
        made.append(ground.replacement(start, stop, added))
    return made


class _Ground:
    """Where the old lines of a matched hunk begin and end in the data."""

    __slots__ = ("document", "line", "bounds", "pairs")

    def __init__(self, document: Document, match: Match) -> None:
        self.document = document
        self.line = match.line
        self.pairs = match.pairs
        self.bounds = document.boundaries(match.offset, match.count)

    def replacement(self, start: int, stop: int, added: list[str]) -> Replacement:
        """New bytes for the old lines from `start` to before `stop`."""
        removed = stop - start
        first = start if self.pairs is None else self._row(start)
        bounds = self.bounds[first : first + removed + 1]
        new = _line_bytes(self.document, added, bounds) if added else b""
        return Replacement(bounds[0], bounds[-1], new, self.line + first, removed, len(added))

    def _row(self, index: int) -> int:
        """The row an old line lies on; for one the file lacks, the row after the last line above it that it has."""
        pairs: list[int] = self.pairs  # type: ignore[assignment]
        if index < len(pairs) and pairs[index] >= 0 and (index == 0 or pairs[index - 1] == pairs[index] - 1):
            return pairs[index] - self.line
        above = [pair for pair in pairs[:index] if pair >= 0]
        return above[-1] + 1 - self.line if above else 0


def _line_bytes(document: Document, added: list[str], bounds: list[int]) -> bytes:
    """Added lines as bytes, each with the ending of the line it replaces, or else of its neighbour."""
    try:
        joined = document.encode("\n".join(added))
    except UnicodeError:
        raise PatchkitError("P210", encoding=document.codec) from None
    if document.endings != "mixed":
        ending = document.ending_near(bounds[0])
        return joined.replace(b"\n", ending) + ending if ending != b"\n" else joined + b"\n"
    endings = [document.ending_of(a, b) for a, b in zip(bounds, bounds[1:])]
    usual = next((ending for ending in reversed(endings) if ending), document.ending_near(bounds[0]))
    lines = joined.split(b"\n")
    endings = [ending or usual for ending in endings[: len(lines)]]
    endings += [usual] * (len(lines) - len(endings))
    return b"".join(line + ending for line, ending in zip(lines, endings))


def splice(document: Document, made: list[Replacement], final_newline: bool | None = None) -> list[bytes]:
    """Returns the document's text with every replacement made, as pieces.

    Positions refer to the original, so work runs from the last to the first: an edit can never move
    the ground under one still to come. `final_newline` True or False asks for one or for none at the
    end; None keeps what the file has.
    """
    ordered = sorted(made, key=_by_start)  # stable: insertions at one place keep their order
    news = [each.new for each in ordered]
    _settle_end(document, ordered, news, final_newline)
    view = memoryview(document.data)
    pieces: list[bytes] = []
    end = len(document.data)
    for each, new in zip(reversed(ordered), reversed(news)):
        pieces.append(view[each.stop : end])  # type: ignore[arg-type]
        pieces.append(new)
        end = each.start
    pieces.append(view[:end])  # type: ignore[arg-type]
    pieces.reverse()
    pieces = [piece for piece in pieces if piece]
    if pieces and final_newline is not None:
        ended = bytes(pieces[-1][-1:]) == document.separator
        if final_newline and not ended:
            pieces.append(document.ending_near(len(document.data)))
        elif ended and not final_newline:
            pieces[-1] = pieces[-1][: -len(_ending(document, bytes(pieces[-1][-2:])))]
    return pieces


def _by_start(each: Replacement) -> int:
    return each.start


def _settle_end(document: Document, ordered: list[Replacement], news: list[bytes], wanted: bool | None) -> None:
    """Gives the last line the ending it should have, and the old last line one when lines follow it.

    Every added line was made with an ending. In a file whose last line has none, the new last line
    gets none either, and text appended behind the old last line must first end that.
    """
    size = len(document.data)
    tail = [index for index, each in enumerate(ordered) if each.stop == size]
    if not tail or document.terminated:
        return
    if ordered[tail[0]].start == size:
        news[tail[0]] = document.ending_near(size) + news[tail[0]]
    end = size
    for index in range(len(ordered) - 1, -1, -1):
        if wanted or ordered[index].stop != end:
            return  # the last line is asked to have its ending, or is an old one that has it
        if news[index]:
            news[index] = news[index][: -len(_ending(document, news[index]))]
            return
        end = ordered[index].start


def _ending(document: Document, line: bytes) -> bytes:
    """The ending of a line that has one."""
    return b"\r\n" if document.separator == b"\n" and line.endswith(b"\r\n") else document.separator
