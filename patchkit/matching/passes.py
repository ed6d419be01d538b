"""The tolerances, strictest first.

A pass is a name and a function that converts lines before they are compared; the file's lines and the
hunk's are both converted. Adding a tolerance is adding a row.
"""

from __future__ import annotations

from patchkit.matching.model import NAMES
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Characters that look alike, and what a keyboard types for them. Invisible ones count for nothing.
_LOOK_ALIKES = {
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d",
    "'": "\u2018\u2019\u201a\u201b\u2032\u02bc\uff07",
    '"': "\u201c\u201d\u201e\u201f\u2033\uff02",
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
    "...": "\u2026",
    "": "\u200b\u2060\ufeff\u00ad",
}
_FULL_WIDTH = {0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)}  # as Chinese and Japanese text has them
TYPOGRAPHY = {**_FULL_WIDTH, **{ord(char): plain for plain, chars in _LOOK_ALIKES.items() for char in chars}}
_BY_FIRST_BYTE: dict[bytes, list[str]] = {}  # the same characters, by the byte they begin with in UTF-8
for _char in map(chr, TYPOGRAPHY):
    _BY_FIRST_BYTE.setdefault(_char.encode()[:1], []).append(_char)


class Pass(Value):
    """One tolerance. `reindents`: leading whitespace may differ, so added lines must follow the file's."""

    __slots__ = ("name", "reindents", "_normalise")
    name: str
    reindents: bool

    def __init__(self, name: str, normalise: Callable[[list[str]], list[str]], reindents: bool = False) -> None:
        self.name = name
        self.reindents = reindents
        self._normalise = normalise

    def lines(self, texts: list[str]) -> list[str]:
        """Returns the lines as this pass compares them; those of a large file are converted where they are read."""
        if type(texts) is list:
            return self._normalise(texts)
        return texts.changed(self._normalise)  # type: ignore[attr-defined,no-any-return]  # LazyLines, which serve as a list


def _as_they_are(texts: list[str]) -> list[str]:
    return texts


def _without_trailing_space(texts: list[str]) -> list[str]:
    return list(map(str.rstrip, texts))


def _without_surrounding_space(texts: list[str]) -> list[str]:
    return list(map(str.strip, texts))


def _with_plain_typography(texts: list[str]) -> list[str]:
    joined = "\n".join(texts)
    if texts and not joined.isascii():
        from unicodedata import is_normalized, normalize

        # One replacement a character that is there: several times as fast as str.translate on large files.
        data = joined.encode("utf-8", "surrogatepass")
        for char in [char for byte, chars in _BY_FIRST_BYTE.items() if byte in data for char in chars]:
            if char in joined:
                joined = joined.replace(char, TYPOGRAPHY[ord(char)])
        if not is_normalized("NFC", joined):
            joined = normalize("NFC", joined)
        texts = joined.split("\n")
    return list(map(str.strip, texts))


PASSES = (
    Pass("exact", _as_they_are),
    Pass("trailing-space", _without_trailing_space),
    Pass("surrounding-space", _without_surrounding_space, reindents=True),
    Pass("typography", _with_plain_typography, reindents=True),
)

INVISIBLE = 1  # up to this pass, trailing-space, a difference cannot be seen


def up_to(name: str) -> tuple[Pass, ...]:
    """Returns the passes no more tolerant than the one named."""
    return PASSES[: NAMES.index(name) + 1]


def allows(most: str, name: str) -> bool:
    """Whether a caller that allows `most` allows the tolerance `name`."""
    return NAMES.index(name) <= NAMES.index(most)
