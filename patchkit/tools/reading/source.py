"""An open file as Read looks at it: small ones whole, large ones piece by piece.

Takes an Opened; gives its lines, whether it is text at all, and the hash of its content where the whole of it is at
hand. No more is ever read than the file held when it was opened: one that grows faster than it is read has an end. And
no longer than a minute: a file that is nothing but a hole costs its owner nothing, and can be larger than any disk.
"""

from __future__ import annotations

import os
import time
from codecs import getincrementaldecoder

from patchkit.errors import PatchkitError
from patchkit.text.document import Document
from patchkit.tools.reading.lines import Lines
from patchkit.workspace.directories import reason
from patchkit.workspace.reading import Opened
from patchkit.workspace.sessions import MOST_HASHED, hashed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = 8192  # bytes in which a NUL tells that a file is no text
SECONDS = 60  # for a large file
_PIECE = 1 << 18
_STRETCH = 64  # pieces between two looks at the clock


class Source:
    """The content of an open file. `data` is all of it, None for a large file; `head` is how it begins."""

    def __init__(self, opened: Opened, path: str) -> None:
        self.status = opened.status
        self.path = path
        self._fd = opened.fd
        # The kernel's own files tell no size; what they hold is small.
        self._size = opened.status.st_size or MOST_HASHED
        self._deadline = time.monotonic() + SECONDS
        self.data: bytes | None = None
        if self._size <= MOST_HASHED:
            self.data = b"".join(self._raw(0))
            self._size = len(self.data)
        self.head = self._read(HEAD, 0) if self.data is None else self.data[:HEAD]
        self._document = Document(self.head if self.data is None else self.data)  # of a large file, how it begins

    @property
    def size(self) -> int:
        return self._size

    @property
    def sha256(self) -> str:
        """The hash of the content, '' for a file too large to be read for it."""
        return hashed([self.data]) if self.data is not None else ""

    @property
    def encoding(self) -> str:
        """What the text is kept in, its byte order mark included."""
        return self._document.codec or ("utf-8-sig" if self._document.bom else "utf-8")

    def refuse_binary(self) -> None:
        """Raises for a file that is no text: one with a NUL at its beginning, unless a mark says why it has them."""
        if self._document.codec is None and b"\0" in self.head:
            raise PatchkitError("P614", file=self.path, offset=self.head.index(b"\0"))

    def lines(self) -> Lines:
        """Its lines, by LF; by CR for a file that has no LF."""
        if self.data is not None:
            return Lines(iter((self._document.data,)), self._document.separator)
        return Lines(self._pieces())

    def lines_by_return(self) -> Lines | None:
        """The lines of a large file that turned out to have no LF; None for one that has no CR either."""
        if self.data is not None or not any(b"\r" in piece for piece in self._pieces()):
            return None
        return Lines(self._pieces(), b"\r")

    def _pieces(self) -> Iterator[bytes]:
        """The text of a large file as UTF-8, without its byte order mark."""
        bom, codec = self._document.bom, self._document.codec
        if codec is None:
            return self._raw(len(bom))
        return self._narrow(len(bom), codec)

    def _narrow(self, start: int, codec: str) -> Iterator[bytes]:
        decoder = getincrementaldecoder(codec)("replace")
        for piece in self._raw(start):
            text = decoder.decode(piece)
            if text:
                yield text.encode("utf-8", "surrogatepass")

    def _raw(self, at: int) -> Iterator[bytes]:
        pieces = 0
        while at < self._size and (piece := self._read(min(_PIECE, self._size - at), at)):
            pieces += 1
            if not pieces % _STRETCH and time.monotonic() > self._deadline:
                done = f"{at >> 20:,} of {self._size >> 20:,} MB"
                raise PatchkitError("P618", file=self.path, reason=f"{SECONDS} seconds were enough for {done} only")
            at += len(piece)
            yield piece

    def _read(self, size: int, at: int) -> bytes:
        try:
            return os.pread(self._fd, size, at)
        except OSError as error:
            raise PatchkitError("P401", file=self.path, reason=reason(error)) from None
