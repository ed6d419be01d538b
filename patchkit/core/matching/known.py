"""What planning found out about documents, kept for hosts that plan many patches on the same files.

Takes the bytes of files; gives the Document that was made of the same bytes before, with its lines, their index and its
definitions. What is kept is bounded, the latest used stays. Answers are the same with and without it.
"""

from __future__ import annotations

from patchkit.core.matching.passes import Views
from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.text import Document

_MOST_SHARE = 4  # a file larger than this part of the bound is not kept


def _weight(data: bytes) -> int:
    """What a document takes with its lines and their index: several times its file, and some for any file."""
    return 8 * len(data) + 2_000


class KnownDocument:
    """The views of one document, and its definitions once they were looked for."""

    __slots__ = ("views", "_texts", "_first")

    def __init__(self, document: Document) -> None:
        self._texts = document.texts
        self.views = Views(self._texts)
        self._first: Anchors | None = None

    def searched(self) -> tuple[Views, Anchors]:
        """The views, and anchors for one more search."""
        self.views.forget_searches()
        if self._first is None:
            self._first = Anchors(self._texts, self.views)
        return self.views, self._first.again()


class DocumentMemory:
    """Documents by their bytes. `most` bounds the memory that they take, as far as that can be estimated."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._documents: dict[bytes, Document] = {}  # the latest used is the last

    def document(self, data: bytes) -> Document:
        """The document of these bytes; from the second time on, with what searching it needs."""
        found = self._documents.pop(data, None)
        if found is None:
            found = Document(data)
            if _weight(data) * _MOST_SHARE > self._most:
                return found
            self._size += _weight(data)
            while self._size > self._most:
                oldest = next(iter(self._documents))
                del self._documents[oldest]
                self._size -= _weight(oldest)
        elif found.known is None and type(found.texts) is list:
            found.known = KnownDocument(found)
        self._documents[data] = found
        return found
