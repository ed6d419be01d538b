"""A file's content as edits see it: where a text stands in it, and what takes its place.

Takes a Document and strings whose line ends are LF or CRLF, no matter which: a line end in them stands for the one the
file has at that place, and lines that come in get the file's. Nothing is split into lines where the file's ends are
all alike, so an edit of a large file is two searches through its bytes. Whether a text may be replaced is said in
`editing.rules`.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.text.document import Document
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.tools.editing.alike import Alike

Span = tuple[int, int]  # where something starts and stops in the document's data

_MANY = 10_000  # places beyond which each is not remembered by itself
_ENDINGS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}


class Change(Value):
    """New bytes for a span of the document's data."""

    __slots__ = ("start", "stop", "new")
    start: int
    stop: int
    new: bytes

    def __init__(self, start: int, stop: int, new: bytes) -> None:
        self.start = start
        self.stop = stop
        self.new = new


class Edited(Value):
    """A content after an edit: `pieces` of the new text, `count` places, and the `changes` that were made there.

    Of very many places the changes are the first ones only. `level` names the pass that found the place.
    """

    __slots__ = ("document", "pieces", "changes", "count", "level")
    document: Document
    pieces: list[bytes]
    changes: list[Change]
    count: int
    level: str

    def __init__(
        self, document: Document, pieces: list[bytes], changes: list[Change], count: int, level: str = "exact"
    ) -> None:
        self.document = document
        self.pieces = pieces
        self.changes = changes
        self.count = count
        self.level = level

    def file_bytes(self) -> list[bytes]:
        """The new content as the file keeps it, byte order mark and encoding included."""
        return self.document.file_bytes(self.pieces)


class Text:
    """The content of one file, to be searched for texts."""

    def __init__(self, content: Document | bytes | str) -> None:
        if isinstance(content, str):
            content = content.encode("utf-8", "surrogateescape")
        self.document = Document(content) if isinstance(content, bytes) else content
        self._alike: Alike | None = None
        self._asked: tuple[str, list[Span]] | None = None  # what was looked for last, and what was found

    def places(self, old: str) -> list[Span]:
        """Where a text stands: [] nowhere, one span, or the first two of several.

        The second may overlap the first: which of the two is meant, nobody knows.
        """
        if self._asked is None or self._asked[0] != old:
            ground, needle = self._search(old)
            found = [ground.find(needle)] if needle else []
            if found and found[0] >= 0:
                found.append(ground.find(needle, found[0] + 1))
            spans = [(start, start + len(needle)) for start in found if start >= 0]
            self._asked = old, self._in_the_document(ground, spans)
        return self._asked[1]

    def count(self, old: str) -> int:
        """How many places there are to replace a text at, none of them inside another."""
        ground, needle = self._search(old)
        return ground.count(needle)

    def spans(self, old: str, most: int) -> list[Span]:
        """The first places of a text, none of them inside another."""
        ground, needle = self._search(old)
        found: list[Span] = []
        start = ground.find(needle)
        while start >= 0 and len(found) < most:
            found.append((start, start + len(needle)))
            start = ground.find(needle, start + len(needle))
        return self._in_the_document(ground, found)

    def _in_the_document(self, ground: bytes, spans: list[Span]) -> list[Span]:
        """Spans of what was searched as spans of the document's data."""
        alike = self._alike
        if alike is None or ground is not alike.data:
            return spans
        return [(alike.original(start), alike.original(stop)) for start, stop in spans]

    def replaced(self, old: str, new: str) -> Edited:
        """The content with a text replaced wherever it stands."""
        document = self.document
        places = self.places(old)
        if len(places) == 1:
            return self._made(places, new, 1)
        count = self.count(old)
        if count > _MANY and document.endings != "mixed":
            _, needle = self._search(old)
            first = [self._change(span, new) for span in self.spans(old, _MANY)]
            return Edited(document, [document.data.replace(needle, self.inserted(new, 0, 0))], first, count)
        return self._made(self.spans(old, count), new, count)

    def _made(self, spans: list[Span], new: str, count: int) -> Edited:
        changes = [self._change(span, new) for span in spans]
        return Edited(self.document, pieces_of(self.document, changes), changes, count)

    def _change(self, span: Span, new: str) -> Change:
        return Change(*span, self.inserted(new, *span))

    def inserted(self, new: str, start: int, stop: int) -> bytes:
        """A text as bytes that take the place of a span: each line end is the one it replaces, else the file's."""
        document = self.document
        raw = self._encoded(new)
        ending = _ENDINGS.get(document.endings)
        if ending == b"\n" or b"\n" not in raw:
            return raw
        if ending is not None:
            return raw.replace(b"\n", ending)
        endings = [b"\r\n" if line.endswith(b"\r") else b"\n" for line in document.data[start:stop].split(b"\n")[:-1]]
        usual = endings[-1] if endings else document.ending_near(start)
        first, *others = raw.split(b"\n")
        endings += [usual] * (len(others) - len(endings))
        return first + b"".join(ending + line for ending, line in zip(endings, others))

    def _encoded(self, new: str) -> bytes:
        try:
            return self.document.encode(_with_plain_ends(new))
        except UnicodeError:
            kept = (
                f"the file is kept in {self.document.codec}" if self.document.codec else "half of a character is none"
            )
            raise PatchkitError("P624", what="new_string", reason=kept) from None

    def _search(self, old: str) -> tuple[bytes, bytes]:
        """What to look through, and for what; an empty needle when the file cannot hold the text at all."""
        document = self.document
        plain = _with_plain_ends(old)
        try:
            needle = document.encode(plain)
        except UnicodeError:
            return b"", b""
        if document.endings in ("lf", "cr"):
            return document.data, needle.replace(b"\n", _ENDINGS[document.endings])
        if document.endings == "crlf" and "\r" not in plain:
            return document.data, needle.replace(b"\n", b"\r\n")
        # Ends of both kinds, or a CR that must not be taken for half of an end: only alike do they compare.
        if self._alike is None:
            from patchkit.tools.editing.alike import Alike

            self._alike = Alike(document)
        return self._alike.data, needle


def pieces_of(document: Document, changes: list[Change]) -> list[bytes]:
    """The document's text with every change made, as pieces, most of them views of the old."""
    view = memoryview(document.data)
    pieces: list[bytes] = []
    end = 0
    for change in changes:
        pieces += (view[end : change.start], change.new)  # type: ignore[arg-type]
        end = change.stop
    pieces.append(view[end:])  # type: ignore[arg-type]
    return [piece for piece in pieces if len(piece)]


def _with_plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r" in text else text
