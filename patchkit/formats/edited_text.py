"""The content of one file while edits follow each other.

Takes the content; gives it as bytes, as text or as lines, whichever the next edit needs, and makes the other forms when
they are asked for: thousands of edits of one file shall not each decode it, or split it into lines.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.formats.model import TextEdit


class EditedText:
    """A content that changes; of its three forms at least one is up to date."""

    __slots__ = ("_data", "_text", "_lines", "_is_crlf")

    def __init__(self, data: bytes) -> None:
        self._data: bytes | None = data
        self._text: str | None = None
        self._lines: list[str] | None = None  # what is between line feeds
        self._is_crlf = False

    @property
    def data(self) -> bytes:
        if self._data is None:
            self._data = self.text.encode("utf-8", "surrogateescape")
        return self._data

    @property
    def text(self) -> str:
        if self._text is None:
            if self._lines is not None:
                self._text = "\n".join(self._lines)
            else:
                self._text = (self._data or b"").decode("utf-8", "surrogateescape")
        return self._text

    def put(self, text: str) -> None:
        """Takes another text."""
        self._text, self._data, self._lines = text, None, None

    def insert(self, edit: TextEdit) -> None:
        """Puts new lines below the line that an editor's insert names; raises P122 where there is no such line."""
        if self._lines is None:
            self._lines = self.text.split("\n")
            self._is_crlf = "\r\n" in self.text
        lines, after = self._lines, edit.after
        if after is None or not 0 <= after <= len(lines) - (not lines[-1]):
            reason = f"'{edit.path}' has no line {after}"
            raise PatchkitError("P122", format="JSON edits", reason=reason, instead="name a line of the file")
        new = edit.new.removesuffix("\n").split("\n")
        lines[after:after] = [line.removesuffix("\r") + "\r" for line in new] if self._is_crlf else new
        self._text = self._data = None
