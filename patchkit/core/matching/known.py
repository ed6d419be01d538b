"""What searching a document needs, kept for a document that is searched again and again.

Answers are the same with and without it.
"""

from __future__ import annotations

from patchkit.core.matching.passes import Views
from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.text import Document


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
