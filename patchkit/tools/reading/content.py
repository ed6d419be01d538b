"""The content of an open file as Read sees it: small files whole, large ones piece by piece; images as blocks.

Takes an Opened; returns its lines, whether it is text or an image, and the hash of its content where all of it is in
memory. No more is read than the file held when it was opened, so a file that grows faster than it is read has an end.
Reading ends after a minute: a sparse file can be larger than any disk.
"""

from __future__ import annotations

import os
import time
from codecs import getincrementaldecoder

from patchkit.core.text import Document, is_utf8
from patchkit.errors import PatchkitError
from patchkit.handles import ReportedAs
from patchkit.history.sessions import MOST_HASHED, hashed
from patchkit.reading import Opened
from patchkit.report.result import Result
from patchkit.tools.reading.page import FileLines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = 8192  # bytes in which a NUL shows that a file is not text
SECONDS = 60  # for a large file
_IMAGE_NAMES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
MOST_IMAGE_BYTES = 5 << 20  # as much as the model APIs take
_IMAGE_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_PIECE = 1 << 18
_STRETCH = 64  # pieces between two looks at the clock


class FileContent:
    """The content of an open file. `data` is all of it, None for a large file; `head` is how it begins."""

    def __init__(self, opened: Opened, path: str) -> None:
        self.status = opened.status
        self.path = path
        self.name = opened.entry.name  # from the root
        self._fd = opened.fd
        # The kernel's own files have no size; what they hold is small.
        self.size = opened.status.st_size or MOST_HASHED
        self._deadline = time.monotonic() + SECONDS
        self.data: bytes | None = None
        if self.size <= MOST_HASHED:
            self.data = b"".join(self._raw(0))
            self.size = len(self.data)
        self.head = self._read(HEAD, 0) if self.data is None else self.data[:HEAD]
        self._document = Document(self.head if self.data is None else self.data)  # of a large file, how it begins
        self.sha256 = hashed([self.data]) if self.data is not None else ""  # '' for a file too large to be read for it

    @property
    def encoding(self) -> str:
        """What the text is kept in, its byte order mark included."""
        return self._document.codec or ("utf-8-sig" if self._document.bom else "utf-8")

    @property
    def is_strange(self) -> bool:
        """Whether it is not UTF-8 and has no byte order mark: what its bytes mean is to be found out."""
        document = self._document
        if document.bom or document.codec or b"\0" in self.head or document.data.isascii():
            return False
        # The first bytes of a large file may end inside a character.
        return not is_utf8(document.data if self.data is not None else document.data.rpartition(b"\n")[0])

    @property
    def beginning(self) -> Document:
        """What its encoding is judged by: the whole lines that a large file begins with, all of any other."""
        if self.data is None and b"\n" in self.head:
            return Document(self.head.rpartition(b"\n")[0])
        return self._document

    def read_as(self, document: Document) -> None:
        """Reads the text in the encoding of this document, which is its beginning."""
        self._document = document

    def refuse_binary(self) -> None:
        """Raises for a file that is not text: one with a NUL at its beginning and no byte order mark to explain it."""
        if self._document.codec is None and b"\0" in self.head:
            raise PatchkitError("P614", file=self.path, offset=self.head.index(b"\0"))

    def lines(self) -> FileLines:
        """Its lines, by LF; by CR for a file that has no LF."""
        if self.data is not None:
            return FileLines(iter((self._document.data,)), self._document.separator)
        return FileLines(self._pieces())

    def lines_by_return(self) -> FileLines | None:
        """The lines of a large file that turned out to have no LF; None for one that has no CR either."""
        if self.data is not None or not any(b"\r" in piece for piece in self._pieces()):
            return None
        return FileLines(self._pieces(), b"\r")

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
        while at < self.size and (piece := self._read(min(_PIECE, self.size - at), at)):
            pieces += 1
            if not pieces % _STRETCH and time.monotonic() > self._deadline:
                done = f"{at >> 20:,} of {self.size >> 20:,} MB"
                raise PatchkitError("P618", file=self.path, reason=f"{SECONDS} seconds were enough for {done} only")
            at += len(piece)
            yield piece

    def _read(self, size: int, at: int) -> bytes:
        with ReportedAs("P401", file=self.path):
            return os.pread(self._fd, size, at)


def mime_type(content: FileContent) -> str:
    """The type of the image in a file with the name of one; '' when it holds none, such as a git-lfs pointer."""
    if not content.path.lower().endswith(_IMAGE_NAMES):
        return ""
    # The content decides, not the name: an API refuses a JPEG that is announced as a PNG.
    if content.head[:4] == b"RIFF" and content.head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for mark, kind in _IMAGE_SIGNATURES if content.head.startswith(mark)), "")


def image(content: FileContent, kind: str) -> Result:
    """The image as one block, in base64."""
    from base64 import b64encode

    if content.data is None or content.size > MOST_IMAGE_BYTES:
        size = f"{content.size / (1 << 20):.1f} MB of at most {MOST_IMAGE_BYTES >> 20}"
        raise PatchkitError("P618", file=content.path, reason=f"it is too large for an image ({size})")
    block = {"type": "image", "base64": b64encode(content.data).decode("ascii"), "mime_type": kind}
    return Result(
        "success",
        {"kind": "image", "blocks": [block]},
        f"{content.path}: {kind}, {content.size} bytes, as an image block",
    )
