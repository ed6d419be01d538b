"""Which encoding a file is in: decided here, for every tool.

Takes the bytes of a file, what a caller named and what settings files say; gives the Document to place a change in, or
raises. The order: a byte order mark; valid UTF-8 beyond ASCII; the encoding that was named; the one that the file
declares, or its `.editorconfig`; for ASCII alone UTF-8. A file for which none of these speaks is uncertain: a change
is made where every encoding of a list that fits gives the same bytes.
Needed only for files that are not plainly UTF-8.
"""

from __future__ import annotations

import codecs
import re

from patchkit.core.text import Document, is_utf8
from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    # The file after a change, None where the change has no place in it. The word is how much may be tolerated: 'exact',
    # 'proving' (only what looks at every line) or 'allowed'.
    Attempt = Callable[[Document, str], bytes | None]

# Tried in this order where a file declares nothing. A longer list means more refusals, never more guesses.
LISTED = (
    *("gbk", "gb18030", "big5", "shift_jis", "cp932", "euc_jp", "euc_kr", "cp949"),
    *("cp1252", "latin-1", "iso8859-15", "cp1250", "iso8859-2", "cp1251", "koi8-r", "iso8859-5"),
    *("cp1253", "iso8859-7", "cp1254", "cp1257", "cp437", "cp850", "mac-roman"),
)
# The larger encoding that programs mean, and browsers use, where a file declares the smaller one.
_LARGER = {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc_kr": "cp949", "iso8859-1": "cp1252"}

_HEAD = 1024  # bytes that may hold a declaration
_COMMENT = re.compile(rb"^[ \t\f]*(?:#|//|/\*|;|--|%|\"|<!--).*?coding[:=][ \t]*([-\w.]+)")
_XML = re.compile(rb"^\s*<\?xml[^>]*?\bencoding\s*=\s*[\"']([-\w.:]+)")
_HTML = re.compile(rb"<meta\b[^>]*?\bcharset\s*=\s*[\"']?\s*([-\w.:]+)", re.IGNORECASE)
_CSS = re.compile(rb"^@charset\s+\"([-\w.:]+)\"")

_ASCII = bytes(range(128))


def usable(name: str) -> str | None:
    """The encoding's own name if files can be patched in it, else None.

    ASCII characters, line endings among them, must be the same single bytes, and every line must be decodable alone.
    """
    try:
        found = codecs.lookup(name)
        if found.name.startswith("iso2022") or found.encode(_ASCII.decode("ascii"))[0] != _ASCII:
            return None
        return found.name if isinstance(found.decode(b"")[0], str) else None
    except (LookupError, UnicodeError, ValueError, TypeError):
        return None


def declared(data: bytes, setting: str = "") -> list[str]:
    """The encoding that the file declares, and the larger one that may be meant; nothing where neither is usable.

    `setting` is what settings files say of it, for one that declares none itself.
    """
    head = data[:_HEAD]
    lines = head.split(b"\n", 2)[:2]
    found = [_XML.search(head), _CSS.search(head), *map(_COMMENT.search, lines), _HTML.search(head)]
    names = [match[1].decode("ascii", "replace") for match in found if match is not None]
    for name in map(usable, [*names, *([setting] if setting else [])]):
        if name is not None:
            return [name, _LARGER[name]] if name in _LARGER else [name]
    return []


def is_text(data: bytes, name: str) -> bool:
    """Whether the bytes are text in this encoding, line for line, and the same bytes again when that is encoded."""
    try:
        text = data.decode(name)
        return text.encode(name) == data and all(text.count(end) == data.count(end.encode()) for end in "\r\n")
    except UnicodeError:
        return False


def bytes_of(text: str, name: str) -> bytes | None:
    """The text in this encoding, None when the encoding lacks one of its characters."""
    try:
        return text.encode(name)
    except UnicodeError:
        return None


# -- one decision ---------------------------------------------------------------------------------

_UTF8 = "utf-8"
_MARK = "\ufeff"
_MOST_RUNS = 8  # that are looked for in the whole file, for every encoding


def settled(document: Document, named: str | None = None, setting: str = "") -> Document | None:
    """The file in the encoding that it surely has; None where several are possible.

    Raises P214 for a file that is not text in the encoding that was named.
    """
    data = document.data
    if document.bom or named == _UTF8 or (not data.isascii() and is_utf8(data)):
        return document
    if named is not None:
        if not is_text(data, named):
            raise PatchkitError("P214", encoding=named)
        return Document(data, named)
    names = [name for name in declared(data, setting) if is_text(data, name)]
    if names:
        found = document if names == [_UTF8] else Document(data, names[0])
        return Document(data, names[-1]) if _shows_the_larger(found) and len(names) > 1 else found
    return document if data.isascii() else None


class EncodingReader:
    """How the texts of a change are read: `attempt` makes the change in a Document and gives the result."""

    def __init__(self, named: str | None, setting: str, attempt: Attempt) -> None:
        self._named = named
        self._setting = setting
        self._attempt = attempt
        self.guessed = False  # whether the encoding is neither named nor declared

    def read(
        self, document: Document, shown: list[str], added: str, *, strict: bool = False, back: bool = False
    ) -> Document:
        """The file as a change is meant to see it, which has the lines `shown` and adds others.

        Raises where that is not certain. A `strict` one is not looked for in a list; one that is taken `back` was made
        in an encoding that a file of ASCII characters does not show.
        """
        text = "\n".join([*shown, added])
        data = document.data
        if document.bom or bytes_of(text, _UTF8) is None or self._named == _UTF8:
            return document  # a text with bytes that are none: they are the file's own, or nothing is
        if self._named is None and _MARK in text:
            return document  # which is to be UTF-8, with its mark
        if self._named is not None or (not data.isascii() and is_utf8(data)):
            return settled(document, self._named) or document
        said = declared(data, self._setting)
        names = [name for name in said if is_text(data, name)]
        if names == [_UTF8]:
            return document
        if names and (named := _declared_as(document, names, shown, text)) is not None:
            if back and data.isascii():  # lines that come back were in one or the other
                raise PatchkitError("P215", encodings=f"{named.encoding} or {_UTF8}")
            # Unless the lines have characters beyond ASCII that the file has in UTF-8 and not in that encoding.
            as_named = all(map(str.isascii, shown)) or self._attempt(named, "allowed") is not None
            return named if as_named or self._attempt(document, "exact") is None else document
        return document if data.isascii() else self._certain(document, shown, added, _UTF8 in said, strict)

    def _certain(self, document: Document, shown: list[str], added: str, is_utf8: bool, strict: bool) -> Document:
        """The file in the one encoding, of those listed, that gives what every other gives that fits.

        One that declares UTF-8 is that if the lines fit it so, in spite of bytes that are none.
        """
        fits: dict[bytes, Document] = {}
        as_it_is = self._attempt(document, "proving")
        if as_it_is is not None and is_utf8:
            return document
        others = "".join([" " if char.isascii() else char for char in " ".join(shown)])  # one may be another space
        runs = _telling({*others.split(" ")} - {""})
        proving = "proving"
        if as_it_is is not None and runs:
            fits[as_it_is] = document  # its lines are UTF-8, whatever else is in the file
            if self._attempt(document, "exact") is not None:
                proving = "exact"  # what fits only with whitespace left out does not count beside that
        lacking: list[str] = []  # encodings that the file may be in, and that have not all characters of the change
        for each, able in _readings(document, "\n".join(shown), added, runs) if not strict else ():
            outcome = self._attempt(each, proving) if able else None
            lacking += [each.encoding] if not able else []
            if outcome is not None:
                fits.setdefault(outcome, each)
            if len(fits) > 1:
                break
        if not fits and lacking and runs:
            char = next(char for char in added if bytes_of(char, lacking[0]) is None)
            raise PatchkitError("P210", encoding=lacking[0], what=f"the character '{char}'")
        if fits and runs:  # of which the file has those of its encoding; a smaller form of this may be what it is in
            lacking = [name for name in lacking if _LARGER.get(name) == next(iter(fits.values())).encoding]
        if len(fits) == 1 and not lacking:
            found = next(iter(fits.values()))
            self.guessed = found is not document
            return found
        if not fits and (added.isascii() or self._attempt(document, "allowed") is None):
            return (
                document  # nothing would be garbled: placing the lines says why they have no place, if they have none
            )
        names = [each.encoding for each in fits.values()]
        names += lacking[:1] if len(fits) == 1 else []
        raise PatchkitError("P215", encodings=" or ".join(names) or "none that it declares or that was named")


def _readings(document: Document, shown: str, added: str, runs: list[str]) -> Iterator[tuple[Document, bool]]:
    """The file in every encoding of the list that could make a difference, and whether that has what is added.

    Where two encodings write all lines of the change alike, one speaks for both. What is shown must be there.
    """
    seen: set[tuple[bytes, bytes | None]] = set()
    for name in LISTED:
        there = bytes_of(shown, name)
        some = [bytes_of(run, name) for run in runs]
        if there is None or (runs and not any(run is not None and run in document.data for run in some)):
            continue
        written = there, bytes_of(added, name)
        if written not in seen and is_text(document.data, name):
            seen.add(written)
            yield Document(document.data, name), written[1] is not None


def _declared_as(document: Document, names: list[str], shown: list[str], text: str) -> Document | None:
    """The file in what it declares, or in the larger encoding where the change needs that and it is surely meant.

    Browsers read the larger one; a compiler takes the declaration at its word, unless the file shows more itself.
    None where that has not the characters of lines that the file should have: then they are not meant in it.
    """
    able = [name for name in names if bytes_of("\n".join(shown), name) is not None]
    if not able:
        return None
    found = Document(document.data, able[0])
    if _HTML.search(document.data[:_HEAD]) is None and not _shows_the_larger(found):
        return found
    return next((Document(document.data, name) for name in able if bytes_of(text, name) is not None), found)


def _shows_the_larger(document: Document) -> bool:
    """Whether the file has control characters that are letters and marks in the larger encoding."""
    return any("\x80" <= char <= "\x9f" for line in document.texts for char in line if not line.isascii())


def _telling(runs: set[str]) -> list[str]:
    """Those of the runs that are the likeliest to be in the file as they are: letters, and many of them."""
    return sorted(runs, key=lambda run: (not run.isalpha(), -len(run), run))[:_MOST_RUNS]
