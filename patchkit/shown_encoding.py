"""The likeliest encoding of a file: good enough to show it and to search it.

Takes the bytes of a file; gives the name of an encoding. What is certain, and what a change is written in, is decided
in `core.text.encodings`.
"""

from __future__ import annotations

from patchkit.core.text import Document
from patchkit.core.text.encodings import bytes_of, is_text, settled

_SAMPLE = 1 << 16  # bytes that are judged
# Of encodings with two bytes a character: the first bytes of common ideographs, and of letters of a script of its own.
_COMMON = {
    "gb18030": (range(0xB0, 0xD8), range(0)),
    "big5": (range(0xA4, 0xC7), range(0)),
    "cp932": (range(0x88, 0x99), range(0x82, 0x84)),
    "euc_jp": (range(0xB0, 0xD0), range(0xA4, 0xA6)),
    "cp949": (range(0), range(0xB0, 0xC9)),
}
_LEAST = 0.5  # of the characters have to look like text
_PUNCTUATION = "«»“”„‘’–—…°§©®£€·•¿¡ºª×±½\xa0"
_OTHER_SCRIPTS = ("cp1251", "koi8-r", "iso8859-5", "cp1253", "iso8859-7")
_LATIN = ("cp1252", "latin-1", "cp1250")


def codec_of(data: bytes, named: str | None = None, setting: str = "") -> tuple[str | None, bool]:
    """The encoding, other than UTF-8, that a file is read in, None for none; and whether that is certain."""
    document = Document(data)
    if document.bom:
        return None, True
    found = settled(document, named, setting)
    return (found.codec, True) if found is not None else (likeliest(data), False)


def likeliest(data: bytes) -> str | None:
    """The encoding that a file most probably has, None for no text."""
    if b"\0" in data:
        return None
    sample = data[: data.rfind(b"\n", 0, _SAMPLE) + 1 or _SAMPLE] if len(data) > _SAMPLE else data
    scores = [(_likelihood(sample, name), name) for name in (*_COMMON, *_OTHER_SCRIPTS, *_LATIN)]
    for score, name in sorted(scores, key=lambda each: -each[0]):  # stable: of equal ones the first
        if is_text(data, name):
            return name if score >= _LEAST else None
    return None


def _likelihood(sample: bytes, name: str) -> float:
    """How much of the characters beyond ASCII look like text, from 0 to 1."""
    text = sample.decode(name, "replace")
    places = [at for at, char in enumerate(text) if not char.isascii()]
    if not places:
        return 0.0
    if name in _COMMON:
        good = sum(_in_two_bytes(text[at], name) for at in places)
    elif name in _LATIN:
        good = sum(_in_latin_words(text, at) for at in places)
    else:
        good = sum(_in_other_words(text, at) for at in places)
    return good / len(places)


def _in_two_bytes(char: str, name: str) -> float:
    raw = bytes_of(char, name) or b""
    ideographs, letters = _COMMON[name]
    if len(raw) != 2:
        return 0.0
    if raw[0] in letters:
        return 1.0
    if raw[0] in ideographs and (name == "cp932" or name == "big5" or raw[1] >= 0xA1):
        return 0.9
    return 0.8 if "\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uff5e" else 0.0


def _in_latin_words(text: str, at: int) -> float:
    """A letter beside letters of ASCII, no capital inside a word; or a usual mark."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if not char.isalpha():
        return 0.7 if char in _PUNCTUATION else 0.0
    if char.isupper() and before.islower():
        return 0.0
    beside = (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha())
    return 0.9 if beside else 0.3


def _in_other_words(text: str, at: int) -> float:
    """A letter in a word of its own script, no capital inside a word."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if not char.isalpha() or "a" <= before.lower() <= "z" or "a" <= after.lower() <= "z":
        return 0.0
    if char.isupper():
        return 0.8 if after.isalpha() and not before.isalpha() else 0.0
    return 0.85 if before.isalpha() or after.isalpha() else 0.3
