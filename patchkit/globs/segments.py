"""One component of a path pattern: what `*`, `?` and classes mean within a name.

Takes the text of a component; gives a test of names, or raises `PatternError` with the reason why there is none. Most
patterns are a text, a beginning or an ending, and are tested as such: `re` is loaded for the others only. No pattern
makes a test slow: a `*` takes the first place where what follows it fits, and never a second one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Test = Callable[[str], object]  # true where a name fits

_SPECIAL = frozenset("*?[\\")


class PatternError(ValueError):
    """A pattern that means nothing; its argument says why, in words that follow 'pattern … cannot be read:'."""


class Segment:
    """A pattern of one component.

    `literal` is the only name that fits, and `ending` what is asked of the end of a name where nothing else is asked:
    None where that is not so. `dotted` says that the pattern begins with a dot itself, and so asks for hidden names.
    """

    __slots__ = ("fits", "literal", "ending", "dotted")

    def __init__(self, fits: Test, literal: str | None = None, ending: str | None = None, dotted: bool = False) -> None:
        self.fits = fits
        self.literal = literal
        self.ending = ending
        self.dotted = dotted


def segment(text: str) -> Segment:
    """The meaning of one component of a pattern."""
    if is_plain(text):
        return Segment(text.__eq__, literal=text, dotted=text.startswith("."))
    parts = _parts(text)
    first, last = parts[0], parts[-1]
    dotted = isinstance(first, str) and first.startswith(".")
    if len(parts) == 1 and isinstance(first, str):
        return Segment(first.__eq__, literal=first, dotted=dotted)
    if first is _STAR and (len(parts) == 1 or (len(parts) == 2 and isinstance(last, str))):
        ending = last if isinstance(last, str) else ""
        return Segment(lambda name: name.endswith(ending), ending=ending)
    return Segment(_simple(parts) or _regular(parts), dotted=dotted)


def is_plain(text: str) -> bool:
    """Whether a component stands for itself."""
    return _SPECIAL.isdisjoint(text)


class _Mark:
    """Something in a pattern that is no text: a star, or the regular expression of one character."""

    __slots__ = ("expression",)

    def __init__(self, expression: str = "") -> None:
        self.expression = expression


_STAR = _Mark()
_ONE = _Mark(".")
_Part = str | _Mark


def _parts(text: str) -> list[_Part]:
    """The texts and marks a component consists of; no two texts and no two stars stand side by side."""
    parts: list[_Part] = []
    at = 0
    while at < len(text):
        part: _Part
        char = text[at]
        if char == "[":
            part, at = _class(text, at)
        else:
            if char == "\\":
                at += 1
                if at == len(text):
                    raise PatternError("it ends with a backslash that escapes nothing")
            part = _STAR if char == "*" else _ONE if char == "?" else text[at]
            at += 1
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        elif part is not _STAR or not parts or parts[-1] is not _STAR:
            parts.append(part)
    return parts or [""]


def _class(text: str, at: int) -> tuple[_Mark, int]:
    """The class that opens at a place, and where it ends."""
    start = at + 2 if text[at + 1 : at + 2] in ("!", "^") else at + 1
    chars: list[str] = []
    at = start
    while at < len(text) and (text[at] != "]" or at == start):
        char, at = _class_char(text, at)
        if text[at : at + 1] == "-" and at + 1 < len(text) and text[at + 1] != "]":
            last, at = _class_char(text, at + 1)
            if char <= last:
                chars.append(f"{_escaped(char)}-{_escaped(last)}")
        else:
            chars.append(_escaped(char))
    if at >= len(text):
        raise PatternError("'[' is not closed; write '\\[' for the bracket itself")
    # A class in which no range is possible holds nothing; the regular expression has no word for an empty one.
    negated = text[start - 1] in "!^"
    inside = "".join(chars)
    return _Mark((f"[^{inside}]" if negated else f"[{inside}]") if inside else "." if negated else "(?!)"), at + 1


def _class_char(text: str, at: int) -> tuple[str, int]:
    return (text[at + 1], at + 2) if text[at] == "\\" and at + 1 < len(text) else (text[at], at + 1)


def _escaped(char: str) -> str:
    return char if char.isalnum() or char == "_" or not char.isascii() else "\\" + char


def _simple(parts: list[_Part]) -> Test | None:
    """The test of a pattern that is a beginning and perhaps an ending with a star between; None for any other."""
    first = parts[0]
    if not isinstance(first, str) or len(parts) > 3 or parts[1] is not _STAR:
        return None
    if len(parts) == 2:
        return lambda name: name.startswith(first)
    last = parts[2]
    if not isinstance(last, str):
        return None
    least = len(first) + len(last)
    return lambda name: len(name) >= least and name.startswith(first) and name.endswith(last)


def _regular(parts: list[_Part]) -> Test:
    """The test of any pattern, as a regular expression whose work grows with the name alone.

    What stands between two stars has a fixed length, so its first place is as good as any: the atomic group
    keeps it, and only the last piece, which is bound to the end, is looked for from there.
    """
    import re

    pieces = [""]
    for part in parts:
        if part is _STAR:
            pieces.append("")
        else:
            pieces[-1] += part.expression if isinstance(part, _Mark) else re.escape(part)
    first, *between, last = pieces if len(pieces) > 1 else [pieces[0], ""]
    middle = "".join(f"(?>.*?{piece})" for piece in between)
    ending = f".*{last}" if len(pieces) > 1 else ""
    return re.compile(f"{first}{middle}{ending}", re.DOTALL).fullmatch
