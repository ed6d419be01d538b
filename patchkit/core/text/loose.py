"""The text of a file in which a lone CR ends a line as well as LF and CRLF do, as Codex reads it."""

from __future__ import annotations

from patchkit.core.text import Document


class LooseDocument(Document):
    """The data have LF for each lone CR, so that all positions are the same; what is kept has the file's own bytes.
    New lines end like the first line of the file.
    """

    __slots__ = ("_kept", "new_ending")

    def __init__(self, raw: bytes) -> None:
        super().__init__(raw)
        self._kept = data = self.data
        first = min(at for at in (data.find(b"\r"), data.find(b"\n")) if at >= 0)
        self.new_ending = b"\r\n" if data[first : first + 2] == b"\r\n" else data[first : first + 1]
        self.data = data.replace(b"\r\n", b"\0\n").replace(b"\r", b"\n").replace(b"\0\n", b"\r\n")
        self.endings = "mixed"

    @staticmethod
    def reads_otherwise(document: Document) -> bool:
        """Whether a file has a lone CR among other line ends; one with NUL bytes is not text."""
        data = document.data
        return document.separator == b"\n" and data.count(b"\r") > data.count(b"\r\n") and b"\0" not in data

    @property
    def kept(self) -> bytes:
        return self._kept
