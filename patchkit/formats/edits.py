"""A file's content as edits see it: where a text is in it, whether it may be replaced, and the content afterwards.

Takes a Document and strings whose line endings are LF or CRLF, no matter which: an ending in them matches the one that
the file has at that place, and added lines get the file's. Where all endings of a file are the same nothing is split
into lines, so an edit of a large file is two searches through its bytes. `valid` says what is wrong with an edit and
`execute` makes it; Edit and MultiEdit are built from the two. Files, sessions and commits are left to others.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from patchkit.core.changes import Replacement, literal_pieces, refused_character
from patchkit.core.matching import listed
from patchkit.core.text import ENDINGS, Document
from patchkit.errors import PatchkitError
from patchkit.history import compared
from patchkit.values import Record

Span = tuple[int, int]  # where something starts and stops in the document's data

_MANY = 10_000  # places beyond which not every change is kept
_MOST_GROWTH = 16 << 20  # bytes by which one edit that replaces all places may make a file larger
_MOST_LISTED = 100  # places whose lines are listed

SAME = "<tool_use_error>No changes to make: old_string and new_string are exactly the same.</tool_use_error>"
EXISTS = "<tool_use_error>Cannot create new file - file already exists.</tool_use_error>"
MISSING = "<tool_use_error>String to replace not found in file.\nString: {old}</tool_use_error>"
SEVERAL = (
    "<tool_use_error>Found {count} matches of the string to replace, but replace_all is false. To replace all "
    "occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely "
    "identify the instance.\nString: {old}</tool_use_error>"
)


def change(start: int, stop: int, new: bytes) -> Replacement:
    """New bytes for a span of the document's data, which need not be whole lines."""
    return Replacement(start, stop, new, 0, 0, 0)


class EditStep(Record):
    """One replacement; `number` counts those of a MultiEdit, 0 where there is only one."""

    old: str
    new: str
    everywhere: bool
    number: int = 0
    expected: int = 0  # places, where the caller says it

    def settle(self, text: Text) -> None:
        """Makes it a replacement of all places where there are as many as the caller expects."""
        if self.expected > 1 and text.count(self.old) == self.expected:
            self.everywhere = True

    def field(self, name: str) -> str:
        """What a field of this step is called in a message."""
        return f"{name} of edit {self.number}" if self.number else name


class Edited(Record):
    """A content after an edit: `pieces` of the new text, `count` places, and the `changes` that were made there."""

    document: Document
    pieces: list[bytes]
    changes: list[Replacement]  # of very many places only the first
    count: int
    level: str = "exact"  # the pass that found the place
    with_line_end: bool = False  # whether whole lines were removed, and the line ending behind them with them

    @staticmethod
    def between(before: Document, after: bytes, level: str = "exact") -> Edited:
        """One content made another: everything between the first and the last difference is a change."""
        spans = compared(before.data, after)
        changes = [change(start, stop, after[start : start + length]) for start, stop, length in spans]
        return Edited(before, [after], changes, len(changes), level)

    def file_bytes(self) -> list[bytes]:
        """The new content as the file keeps it, byte order mark and encoding included."""
        return self.document.file_bytes(self.pieces)

    def after(self) -> Document:
        """The new content as a document of the same encoding."""
        document = self.document
        return Document(b"".join(self.file_bytes()), document.codec if document.codec and not document.bom else None)


class Text:
    """The content of one file, to be searched for texts."""

    def __init__(self, content: Document | bytes | str) -> None:
        if isinstance(content, str):
            content = content.encode("utf-8", "surrogateescape")
        self.document = Document(content) if isinstance(content, bytes) else content
        self._with_lf: _WithLF | None = None
        self._asked: tuple[str, list[Span]] | None = None  # what was looked for last, and what was found

    def places(self, old: str) -> list[Span]:
        """Where a text is: [] nowhere, one span, or the first two of several.

        The second may overlap the first: which of the two is meant is not known.
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

    def is_apart(self, span: Span) -> bool:
        """Whether no word goes on beyond the edges of a span."""
        from patchkit.diffs.parts import is_within_word  # of refused edits

        data = self.document.data
        around = data[max(0, span[0] - 4) : span[0]], data[span[1] : span[1] + 4]
        before, after = (each.decode("utf-8", "ignore") for each in around)
        inside = self.text_of(span)
        return not (is_within_word(before[-1:] + inside[:1]) or is_within_word(inside[-1:] + after[:1]))

    def text_of(self, span: Span) -> str:
        """The text of a span, its line endings LF."""
        text = _with_lf_endings(self.document.data[span[0] : span[1]].decode("utf-8", "surrogateescape"))
        return text.replace("\r", "\n") if self.document.endings == "cr" else text

    def _in_the_document(self, ground: bytes, spans: list[Span]) -> list[Span]:
        """Spans of what was searched as spans of the document's data."""
        made = self._with_lf
        if made is None or ground is not made.data:
            return spans
        return [(made.original(start), made.original(stop)) for start, stop in spans]

    def replaced(self, old: str, new: str) -> Edited:
        """The content with every occurrence of a text replaced."""
        document = self.document
        places = self.places(old)
        if len(places) == 1:
            return self._made(places, new, 1)
        count = self.count(old)
        grown = count * (len(self._encoded(new)) - len(self._search(old)[1]))
        if grown > _MOST_GROWTH:
            raise PatchkitError("P625", what="new_string", count=count, size=grown, limit=_MOST_GROWTH)
        if count > _MANY and document.endings != "mixed":
            _, needle = self._search(old)
            first = [self._change(span, new) for span in self.spans(old, _MANY)]
            return Edited(document, [document.data.replace(needle, self.inserted(new, 0, 0))], first, count)
        return self._made(self.spans(old, count), new, count)

    def _made(self, spans: list[Span], new: str, count: int) -> Edited:
        changes = [self._change(span, new) for span in spans]
        pieces = literal_pieces(self.document.data, changes, [each.new for each in changes])
        return Edited(self.document, pieces, changes, count)

    def removed(self, old: str) -> Edited:
        """The content without a text that is there once; where that is whole lines, without their last ending."""
        span = self.places(old)[0]
        end = self._line_end_behind(span) if not old.endswith("\n") else 0
        edited = self._made([(span[0], end or span[1])], "", 1)
        edited.with_line_end = bool(end)
        return edited

    def _line_end_behind(self, span: Span) -> int:
        """Where the line ending behind a span of whole lines stops; 0 for parts of lines, and without an ending."""
        data, separator = self.document.data, self.document.separator
        start, stop = span
        if start and not data.endswith(separator, 0, start):
            return 0
        for ending in (b"\r\n", separator):
            if data.startswith(ending, stop):
                return stop + len(ending)
        return 0

    def _change(self, span: Span, new: str) -> Replacement:
        return change(*span, self.inserted(new, *span))

    def inserted(self, new: str, start: int, stop: int) -> bytes:
        """A text as bytes that take the place of a span: each line ending is the one it replaces, else the file's."""
        document = self.document
        raw = self._encoded(new)
        ending = ENDINGS.get(document.endings)
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
            return self.document.encode(_with_lf_endings(new))
        except UnicodeEncodeError as error:
            raise unfit(self.document, error, "new_string") from None

    def _search(self, old: str) -> tuple[bytes, bytes]:
        """What to look through, and for what; an empty needle when the file cannot hold the text at all."""
        document = self.document
        plain = _with_lf_endings(old)
        try:
            needle = document.encode(plain)
        except UnicodeError:
            return b"", b""
        if document.endings in ("lf", "cr"):
            return document.data, needle.replace(b"\n", ENDINGS[document.endings])
        if document.endings == "crlf" and "\r" not in plain:
            return document.data, needle.replace(b"\n", b"\r\n")
        # Endings of both kinds, or a CR that must not be taken for half of an ending: they compare only as LF.
        if self._with_lf is None:
            self._with_lf = _WithLF(document)
        return self._with_lf.data, needle


def unfit(document: Document, error: UnicodeEncodeError, what: str) -> PatchkitError:
    """The refusal of a text with a character that a file cannot hold."""
    char = error.object[error.start]
    if document.codec and not "\ud800" <= char <= "\udfff":
        return refused_character(document, char)
    return PatchkitError("P624", what=what, reason="it has half of a character, a lone surrogate")


def _with_lf_endings(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r" in text else text


class _WithLF:
    """A document's data with all line endings LF, so that texts compare, and the positions in the original."""

    def __init__(self, document: Document) -> None:
        self.data = document.data.replace(b"\r\n", b"\n")
        lines = self.data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        self._starts[-1] = len(self.data)
        self._originals = document.offsets

    def original(self, position: int) -> int:
        """A position in the document's own data; before an ending of two bytes, not inside it."""
        line = bisect_right(self._starts, position) - 1
        return self._originals[line] + position - self._starts[line]


def valid(
    content: Text | bytes | str, old_string: str, new_string: str, replace_all: bool = False
) -> PatchkitError | None:
    """What is wrong with an edit; None when it can be made."""
    text = content if isinstance(content, Text) else Text(content)
    if old_string == new_string:
        return unchanged()
    if not old_string:
        return PatchkitError("P623", said=EXISTS)
    places = text.places(old_string)
    if not places:
        said = MISSING.replace("{old}", old_string)
        facts = {} if text.document.data else {"fill": "write the whole file"}
        return PatchkitError("P621", what="old_string", said=said, **facts)
    if len(places) > 1 and not replace_all:
        return _several(text, old_string)
    return None


def execute(content: Text | bytes | str, old_string: str, new_string: str, replace_all: bool = False) -> Edited:
    """The content with the edit made; raises what `valid` finds wrong with it."""
    text = content if isinstance(content, Text) else Text(content)
    fault = valid(text, old_string, new_string, replace_all)
    if fault is not None:
        raise fault
    return text.replaced(old_string, new_string) if new_string or replace_all else text.removed(old_string)


def unchanged() -> PatchkitError:
    """The refusal of an edit that changes nothing."""
    return PatchkitError("P620", what="old_string", said=SAME)


def _several(text: Text, old: str) -> PatchkitError:
    count = max(2, text.count(old))  # places that overlap are two as well
    document = text.document
    lines: list[int] = []
    number, seen = 1, 0
    for start, _ in text.spans(old, _MOST_LISTED):
        number += document.data.count(document.separator, seen, start)
        seen = start
        lines.append(number)
    return several(old, **{**listed(lines), "count": count})


def several(old: str, **facts: object) -> PatchkitError:
    """The refusal of a text that matches more than one place."""
    said = SEVERAL.replace("{count}", str(facts["count"])).replace("{old}", old)
    return PatchkitError("P622", what="old_string", said=said, **facts)
