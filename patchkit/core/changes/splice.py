"""Make replacements in a document.

Takes a Document, the hunks of one section and their Matches; gives the new text as pieces of bytes, most
of them untouched views of the old. Positions refer to the original throughout.
"""

from __future__ import annotations

from patchkit.core.matching import Match
from patchkit.core.text import ENDINGS, Document
from patchkit.errors import PatchkitError
from patchkit.values import Value


class Replacement(Value):
    """New bytes for a span of the original; `line`, `removed` and `added` say the same in lines."""

    __slots__ = ("start", "stop", "new", "_row", "removed", "added", "_within")
    start: int
    stop: int
    new: bytes
    removed: int
    added: int

    def __init__(
        self, start: int, stop: int, new: bytes, row: int, removed: int, added: int, within: Match | None = None
    ) -> None:
        self.start = start
        self.stop = stop
        self.new = new
        self._row = row
        self.removed = removed
        self.added = added
        self._within = within

    @property
    def line(self) -> int:
        """The first line in question, counted from that of the match it lies in."""
        return self._row + (self._within.line if self._within is not None else 0)

    def changes_nothing_in(self, document: Document) -> bool:
        """Whether the span already is what it shall be; a last line without its ending will go without it."""
        old = document.data[self.start : self.stop]
        if old == self.new:
            return True
        unended = self.stop == len(document.data) and not document.terminated and self.removed > 0
        return unended and self.new == old + _ending(document, self.new)


def replacements(document: Document, match: Match) -> list[Replacement]:
    """Returns what one matched hunk replaces: each run of removed and added lines, never a kept line."""
    if match.pairs is not None:
        return by_rows(document, match, match.pairs)
    if match.pass_name == "exact" and document.endings != "mixed":
        single = _single_run(document, match)
        if single is not None:
            return single
    data, separator = document.data, document.separator
    made: list[Replacement] = []
    row, bounds = 0, [match.offset]  # where the run at hand begins, and where each of its old lines ends
    added: list[str] = []
    last = len(match.lines)
    while last and match.lines[last - 1][0] == " ":
        last -= 1  # behind the last change nothing has to be found
    for line in match.lines[:last]:
        sign = line[0]
        if sign == "+":
            added.append(line[1:])
            continue
        end = data.find(separator, bounds[-1]) + 1 or len(data)
        if sign == "-":
            bounds.append(end)
            continue
        if added or len(bounds) > 1:
            made.append(replacement(document, match, row, bounds, added))
            row, added = row + len(bounds) - 1, []
        row, bounds = row + 1, [end]
    if added or len(bounds) > 1:
        made.append(replacement(document, match, row, bounds, added))
    return made


def _single_run(document: Document, match: Match) -> list[Replacement] | None:
    """The replacement of a hunk that is one change between kept lines, the usual one, or has none; None for any other.

    Exact lines are as long in the file as in the hunk, whose sign counts for the one byte of a line's end.
    """
    lines = match.lines
    signs = "".join([line[0] for line in lines]).rstrip(" ")
    change = signs.lstrip(" ")
    if not change:
        return []
    added = change.lstrip("-")
    if added.strip("+"):
        return None
    first, last = len(signs) - len(change), len(signs)
    middle = last - len(added)
    start = match.offset + _width(document, "".join(lines[:first]), first)
    stop = start + _width(document, "".join(lines[first:middle]), middle - first)
    if stop > len(document.data):  # a last line without an ending ends where the data ends
        stop = len(document.data)
        start = min(start, stop)
    new = _line_bytes(document, [line[1:] for line in lines[middle:last]], [start]) if added else b""
    return [Replacement(start, stop, new, first, middle - first, last - middle, match)]


def _width(document: Document, text: str, count: int) -> int:
    """How many bytes of the file so many lines of a hunk are, their ends included; `text` has them with their signs."""
    width = len(text) if text.isascii() else len(document.encode(text))
    return width + count if document.endings == "crlf" else width


def replacement(document: Document, match: Match, row: int, bounds: list[int], added: list[str]) -> Replacement:
    """New bytes for the old lines between `bounds`, the first of which is that many rows into the match."""
    new = _line_bytes(document, added, bounds) if added else b""
    return Replacement(bounds[0], bounds[-1], new, row, len(bounds) - 1, len(added), match)


def _line_bytes(document: Document, added: list[str], bounds: list[int]) -> bytes:
    """Added lines as bytes, each with the ending of the line it replaces, or else of its neighbour."""
    try:
        joined = document.encode("\n".join(added))
    except UnicodeEncodeError as error:
        raise refused_character(document, error.object[error.start]) from None
    ending = document.new_ending or ENDINGS.get(document.endings)
    if ending is not None:
        return joined.replace(b"\n", ending) + ending if ending != b"\n" else joined + b"\n"
    endings = [document.ending_of(a, b) for a, b in zip(bounds, bounds[1:])]
    usual = next((ending for ending in reversed(endings) if ending), document.ending_near(bounds[0]))
    lines = joined.split(b"\n")
    endings = [ending or usual for ending in endings[: len(lines)]]
    endings += [usual] * (len(lines) - len(endings))
    return b"".join(line + ending for line, ending in zip(lines, endings))


def refused_character(document: Document, char: str) -> PatchkitError:
    """The refusal of a character that the file's encoding does not have."""
    if "\ud800" <= char <= "\udfff":
        return PatchkitError("P210", encoding=document.encoding, what="bytes that are no text")
    return PatchkitError("P210", encoding=document.encoding, what=f"the character '{char}'")


def splice(document: Document, made: list[Replacement], final_newline: bool | None = None) -> list[bytes]:
    """Returns the document's text with every replacement made, as pieces.

    Positions refer to the original, so work runs from the last to the first: an edit can never move
    the ground under one still to come. `final_newline` True or False asks for one or for none at the
    end; None keeps what the file has.
    """
    ordered = sorted(made, key=_by_start)  # stable: insertions at one place keep their order
    news = [each.new for each in ordered]
    _settle_end(document, ordered, news, final_newline)
    pieces = literal_pieces(document.kept, ordered, news)
    if pieces and final_newline is not None:
        ends = {
            document.separator,
            document.kept[-1:] if document.terminated else b"",
            (document.new_ending or b"")[-1:],
        }
        ended = bytes(pieces[-1][-1:]) in ends - {b""}
        if final_newline and not ended:
            pieces.append(document.ending_near(len(document.data)))
        elif ended and not final_newline:
            pieces[-1] = pieces[-1][: -len(_ending(document, bytes(pieces[-1][-2:])))]
    return pieces


def literal_pieces(data: bytes, ordered: list[Replacement], news: list[bytes]) -> list[bytes]:
    """Returns the data with `news` in place of the spans, as pieces, most of them views of the data.

    Line endings are left as they are in both. Works from the last replacement to the first.
    """
    view = memoryview(data)
    pieces: list[bytes] = []
    end = len(data)
    for each, new in zip(reversed(ordered), reversed(news)):
        # A view of the file's own bytes: copying a large file once for every hunk would cost more than the change.
        pieces.append(view[each.stop : end])  # type: ignore[arg-type]  # joins like bytes
        pieces.append(new)
        end = each.start
    pieces.append(view[:end])  # type: ignore[arg-type]  # joins like bytes
    pieces.reverse()
    return [piece for piece in pieces if piece]


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
    wide = document.endings in ("crlf", "mixed") and line.endswith(b"\r\n")
    return b"\r\n" if wide else document.separator


def by_rows(document: Document, match: Match, pairs: list[int]) -> list[Replacement]:
    """What a match replaces that skips lines of the file, or has lines that the file lacks: each run of removed and
    added lines. `pairs` hold the file's line for each old one.
    """
    every = document.boundaries(match.offset, match.count)
    made: list[Replacement] = []
    start = stop = 0  # the run at hand, in old lines
    added: list[str] = []
    for line in [*match.lines, " "]:
        if line[0] == "+":
            added.append(line[1:])
            continue
        if line[0] == " ":
            if added or stop > start:
                row = _row(pairs, start, match.line)
                made.append(replacement(document, match, row, every[row : row + stop - start + 1], added))
                added = []
            start = stop + 1
        stop += 1
    return made


def _row(pairs: list[int], index: int, line: int) -> int:
    """The row an old line lies on; for one the file lacks, the row after the last line above it that it has."""
    if index < len(pairs) and pairs[index] >= 0 and (index == 0 or pairs[index - 1] == pairs[index] - 1):
        return pairs[index] - line
    above = [pair for pair in pairs[:index] if pair >= 0]
    return above[-1] + 1 - line if above else 0


def refuse_lost_endings(path: str, made: list[Replacement], ended: bool) -> None:
    """Raises where lines come back in place of fewer, or `ended`, a last line gets its ending back: a patch does not
    say which of several line endings they had.
    """
    if ended or any(each.added > each.removed for each in made):
        what = f"which line endings the lines of '{path}' had that come back"
        raise PatchkitError("P112", file=path, what=what, instead="take it back with git, or patchkit undo")
