"""The lines of a file, a few of them, without the rest of the file in memory.

Takes the bytes of a file in pieces, one after the other; returns lines. Lines before the wanted ones are only counted,
and of a line longer than what is wanted the rest is only measured, so neither a file nor a line of any size takes more
memory than a piece and what is shown. How lines look on a page is left to `reading.page`.
"""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder

from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_COUNTS_BYTE_BY_BYTE = sys.version_info < (3, 13)
_FAR_APART = 32  # bytes between two line ends
_PIECE = 1 << 18
_REPLACEMENT = "\ufffd"  # in place of bytes that are not UTF-8


class ReadLine(Record):
    """The wanted part of a line, how many characters it has in all, and whether bytes in it were not UTF-8."""

    text: str
    length: int
    replaced: bool = False


class FileLines:
    """A file read forward: `skip` goes past lines, `take` returns the next one.

    `passed` is how many lines were read, `separated` whether any of them had an ending.
    """

    def __init__(self, pieces: Iterator[bytes], separator: bytes = b"\n") -> None:
        self.passed = 0
        self.separated = False
        self._pieces = pieces
        self._separator = separator
        self._piece = b""
        self._at = 0  # in the piece
        self._sparse = False  # whether lines were long in the piece before
        self._advance()

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._piece)

    def skip(self, wanted: int | None = None) -> int:
        """Goes past so many lines, or all of them; returns how many it went past."""
        skipped = 0
        while not self.at_end and skipped != wanted:
            here = self._endings_here()
            self.separated = self.separated or here > 0
            if wanted is not None and skipped + here >= wanted:
                for _ in range(wanted - skipped):
                    self._at = self._piece.find(self._separator, self._at) + 1
                skipped = wanted
                self._settle()
            else:
                open_end = not self._piece.endswith(self._separator)
                self._advance()
                skipped += here + (self.at_end and open_end)  # the last line may have no ending
        self.passed += skipped
        return skipped

    def take(self, most: int, skip: int = 0) -> ReadLine | None:
        """The next line with at most so many characters of its text, starting behind the first `skip` of them.

        None after the last line.
        """
        if self.at_end:
            return None
        self.passed += 1
        end = self._piece.find(self._separator, self._at)
        if end >= 0:
            raw = self._piece[self._at : end]
            self._go_behind(end)
            return _whole(raw[:-1] if self._separator == b"\n" and raw[-1:] == b"\r" else raw, most, skip)
        measured = _Measured(most, skip)
        while end < 0 and not self.at_end:
            measured.add(self._piece[self._at :])
            self._advance()
            end = self._piece.find(self._separator)
        if end < 0:
            return measured.line(ended=False)
        measured.add(self._piece[:end])
        self._go_behind(end)
        return measured.line(ended=self._separator == b"\n")

    def _endings_here(self) -> int:
        """How many lines end in the rest of the piece; the piece before shows how long to expect them."""
        rest = self._piece[self._at :] if self._at else self._piece
        here = _endings(rest, self._separator, self._sparse)
        self._sparse = here * _FAR_APART < len(rest)
        return here

    def _go_behind(self, end: int) -> None:
        self._at = end + 1
        self.separated = True
        self._settle()

    def _settle(self) -> None:
        if self._at >= len(self._piece):
            self._advance()

    def _advance(self) -> None:
        """Goes on to the next piece; after the last one comes an empty one."""
        self._piece, self._at = next(self._pieces, b""), 0


def endings_between(data: bytes, separator: bytes, start: int, stop: int) -> int:
    """How many lines end in a part of a large text."""
    count, sparse = 0, False
    for at in range(start, stop, _PIECE):
        piece = data[at : min(at + _PIECE, stop)]
        here = _endings(piece, separator, sparse)
        sparse = here * _FAR_APART < len(piece)
        count += here
    return count


def _endings(piece: bytes, separator: bytes, sparse: bool) -> int:
    """How many separators there are.

    Before Python 3.13 `count` looks at every byte by itself. Taking them out hops from one to the next, which is faster
    unless they are very close to each other.
    """
    if sparse and _COUNTS_BYTE_BY_BYTE:
        return len(piece) - len(piece.replace(separator, b""))
    return piece.count(separator)


def _whole(raw: bytes, most: int, skip: int) -> ReadLine:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("utf-8", "replace")
        return ReadLine(text[skip : skip + most], len(text), replaced=True)
    return ReadLine(text[skip : skip + most], len(text))


class _Measured:
    """A line that comes in several pieces: what is wanted of it is kept, the rest is counted."""

    def __init__(self, most: int, skip: int) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._most = most
        self._skip = skip
        self._text = ""
        self._length = 0
        self._last = ""
        self._strange = False  # whether a replacement character is not the file's own

    def add(self, raw: bytes, final: bool = False) -> None:
        before = self._decoder.getstate()[0]  # the beginning of a character that the last piece ended in
        text = self._decoder.decode(raw, final)
        if not self._strange and _REPLACEMENT in text:
            whole = before + raw
            whole = whole[: len(whole) - len(self._decoder.getstate()[0])]
            self._strange = text.count(_REPLACEMENT) > whole.count(_REPLACEMENT.encode())
        if len(self._text) < self._most:
            start = max(0, self._skip - self._length)
            self._text += text[start : start + self._most - len(self._text)]
        self._length += len(text)
        self._last = text[-1:] or self._last

    def line(self, ended: bool) -> ReadLine:
        """All of it; an `ended` line leaves the CR before its LF to the ending."""
        self.add(b"", final=True)
        if ended and self._last == "\r":
            self._length -= 1
        return ReadLine(self._text[: max(0, self._length - self._skip)], self._length, self._strange)
