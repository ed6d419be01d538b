"""Encodings of text files that are not UTF-8 and have no byte order mark.

Takes the bytes of a file; says which encoding it declares, which encodings can be used at all, and whether the bytes
are text in one of them and come back from it unchanged. Needed only when a patch with other than ASCII characters is
for a file that is not UTF-8.
"""

from __future__ import annotations

import codecs
import re

# Tried in this order where a file declares nothing. A longer list means more refusals, never more guesses.
LISTED = (
    *("gb18030", "big5", "shift_jis", "cp932", "euc_jp", "cp949"),
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


def declared(data: bytes) -> list[str]:
    """The encoding that the file declares, and the larger one that may be meant; nothing where neither is usable."""
    head = data[:_HEAD]
    lines = head.split(b"\n", 2)[:2]
    found = [_XML.search(head), _CSS.search(head), *map(_COMMENT.search, lines), _HTML.search(head)]
    for match in found:
        name = usable(match[1].decode("ascii", "replace")) if match is not None else None
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
