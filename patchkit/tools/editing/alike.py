"""A document whose line ends differ, made alike so that texts compare. Loaded for such a file."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from patchkit.text.document import Document


class Alike:
    """The document's data with all line ends LF, and the way back from there."""

    def __init__(self, document: Document) -> None:
        self.data = document.data.replace(b"\r\n", b"\n")
        lines = self.data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        self._starts[-1] = len(self.data)
        self._originals = document.offsets

    def original(self, position: int) -> int:
        """Where a position lies in the document's own data; before an end of two bytes, not inside it."""
        line = bisect_right(self._starts, position) - 1
        return self._originals[line] + position - self._starts[line]
