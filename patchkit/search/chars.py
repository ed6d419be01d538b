"""Sets of characters as ripgrep's expressions mean them: `.`, `\\d`, `\\w`, `\\s`, classes, with or without case.

Takes characters; says whether they belong. A byte that is no text (a lone surrogate here) belongs to no set, not even
to a negated one.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Test = Callable[[str], bool]

_BLANKS = frozenset(
    "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
)
# Letters by their shape that Unicode files under symbols, and the two characters that join letters.
_ALSO_WORDS = ((0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189), (0x200C, 0x200D))
# What neither upper() nor lower() leads back to.
_TWINS = {"s": "ſ", "S": "ſ", "k": "\u212a", "K": "\u212a", "å": "\u212b", "Å": "\u212b", "ß": "ẞ"}


def is_digit(char: str) -> bool:
    return "0" <= char <= "9" if char < "\x80" else _category(char) == "Nd"


def is_blank(char: str) -> bool:
    return char in _BLANKS


def is_word(char: str) -> bool:
    if char < "\x80":
        return char.isalnum() or char == "_"
    category = _category(char)
    if category[0] in "LM" or category in ("Nd", "Nl", "Pc"):
        return True
    return any(first <= ord(char) <= last for first, last in _ALSO_WORDS)


def is_any(char: str) -> bool:
    """What `.` stands for within a line."""
    return not _is_raw(char)


def opposite(test: Test) -> Test:
    return lambda char: not test(char) and not _is_raw(char)


def exactly(wanted: str) -> Test:
    return wanted.__eq__


def any_of(ranges: list[tuple[str, str]], tests: list[Test]) -> Test:
    """The test of a class: its ranges (a single character is one, too) and its shorthands."""
    return lambda char: any(first <= char <= last for first, last in ranges) or any(test(char) for test in tests)


def in_any_case(test: Test) -> Test:
    return lambda char: any(test(each) for each in _cases(char))


def _cases(char: str) -> set[str]:
    """A character in all its cases, as far as each is one character again."""
    found = {char, char.lower(), char.upper(), char.casefold(), char.title()}
    found |= {_TWINS[each] for each in found if each in _TWINS}
    return {each for each in found | {each.upper() for each in found} if len(each) == 1}


def _is_raw(char: str) -> bool:
    return "\ud800" <= char <= "\udfff"


def _category(char: str) -> str:
    from unicodedata import category

    return category(char)
