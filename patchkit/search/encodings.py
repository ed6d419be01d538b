"""Search in files that are not UTF-8: which encoding each has, and the bytes that a text has in it.

Takes a pattern or an open file; the decision is that of `text.encodings`. Such a file is searched in the likeliest
encodings where it declares none: nothing is written here.
"""

from __future__ import annotations

import os

from patchkit.core.text import Document, is_utf8
from patchkit.core.text.encodings import LISTED, bytes_of, settled, usable
from patchkit.shown_encoding import likeliest

_JUDGED = 1 << 20  # bytes of a file that are looked at
# The names that ripgrep has for encodings; without one, a file is searched as it is.
_LABELS = {
    **{name: name for name in ("gb18030", "big5", "shift_jis", "koi8-r", "gbk", "gb2312")},
    "cp932": "shift_jis",
    "euc_jp": "euc-jp",
    "cp949": "euc-kr",
    "euc_kr": "euc-kr",
    "mac-roman": "macintosh",
    **{f"cp{number}": f"windows-{number}" for number in (1250, 1251, 1252, 1253, 1254, 1257)},
    **{f"iso8859-{part}": f"iso-8859-{part}" for part in (1, 2, 5, 7, 15)},
}
ANY_OTHER = r"(?-u:[\x80-\xff])"  # matches in every file with more than ASCII characters


def spellings(text: str) -> list[bytes]:
    """The bytes of a text in UTF-8, and in every other encoding that has its characters; each once."""
    made = [bytes_of(text, name) for name in ("utf-8", *LISTED)]
    return list(dict.fromkeys(raw for raw in made if raw is not None))


def as_expression(raw: bytes) -> str:
    """The regular expression for just these bytes, as ripgrep reads it."""
    return "(?-u:" + "".join(f"\\x{byte:02x}" for byte in raw) + ")"


def encoding_of(beginning: bytes, named: str = "") -> str | None:
    """The encoding of a file that begins so; None for UTF-8, for one with a byte order mark, and for no text."""
    document = Document(beginning)
    whole = beginning.rpartition(b"\n")[0] if len(beginning) == _JUDGED else beginning
    if document.bom or named == "utf-8" or beginning.isascii() or b"\0" in beginning or is_utf8(whole):
        return None
    given = usable(named) if named else None
    if given is not None:
        return given
    found = settled(Document(whole))
    return found.codec if found is not None else likeliest(whole)


def encoding_of_file(opened: int, named: str = "") -> str | None:
    """The same for an open file, whose position does not change."""
    try:
        return encoding_of(os.pread(opened, _JUDGED, 0), named)
    except OSError:
        return None


def label_of(encoding: str | None) -> str:
    """What ripgrep calls an encoding; '' for none, and for one that it does not know."""
    return _LABELS.get(encoding or "", "")
