"""Patterns of permission rules: what a rule covers, and whether one rule lies inside another.

Takes the text of a pattern; gives a Pattern over a row of names: the components of an absolute path, or the words
of a command. `**` is any number of names, `*` any characters of one name, `?` one character; everything else is
itself. What a thing is called, and what is decided about it, is not known here.
"""

from __future__ import annotations

import re

from patchkit.globs.patterns import DEEP, ONE, RULES, STAR, tokens
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    T = TypeVar("T")

NameGlob = tuple[str, ...]  # one name: characters and wildcards
ANY: NameGlob = (DEEP,)  # any number of names


class Pattern(Value):
    """A row of globs, one a name, with ANY for any number of names between them; the first `plain` are names only."""

    __slots__ = ("parts", "plain", "_text", "_regex", "_needed")
    _place = ("_text", "_regex", "_needed")
    parts: tuple[NameGlob, ...]
    plain: int

    def __init__(self, parts: Sequence[NameGlob]) -> None:
        row = [*parts]
        for at in range(len(row) - 1, 0, -1):
            if row[at] == ANY == row[at - 1]:
                del row[at]
        self.parts = tuple(row)
        self.plain = 0
        for part in self.parts:
            if is_wild(part):
                break
            self.plain += 1
        self._text: str | None = None if self.is_open else "".join(f"{''.join(part)}\0" for part in self.parts)
        self._regex: re.Pattern[str] | None = None
        # A name that all it covers has: of a thousand rules nearly all are seen by it to be about something else.
        self._needed = next((f"{''.join(part)}\0" for part in reversed(self.parts) if not is_wild(part)), "")

    @property
    def component(self) -> str:
        """The one name that everything it covers has in it somewhere; '' where that is not known."""
        parts = self.parts
        return "".join(parts[1]) if len(parts) > 1 and parts[0] == ANY and not is_wild(parts[1]) else ""

    @property
    def is_open(self) -> bool:
        """Whether it covers more than one row of names."""
        return self.plain < len(self.parts)

    def within(self, other: Pattern) -> bool:
        """Whether everything this covers is surely covered by `other`."""
        if self._text is None:
            return _covered(self.parts, other.parts, ANY, _name_within)
        # A patch may name ten thousand files, so names that are known take the fast way.
        if other._needed not in self._text:
            return False
        if other._regex is None:
            other._regex = re.compile(_row_regex(other.parts))
        return other._regex.fullmatch(self._text) is not None

    def meets(self, other: Pattern) -> bool:
        """Whether something may be covered by both."""
        return _overlap(self.parts, other.parts)


def is_wild(part: NameGlob) -> bool:
    return part == ANY or STAR in part or ONE in part


def known(names: Sequence[str]) -> Pattern:
    """Names that are all known, as the pattern that covers only them."""
    return Pattern(literal(names))


def names_of(path: str) -> list[str]:
    """The names an absolute path is made of."""
    return [name for name in path.split("/") if name]


def glob(text: str) -> NameGlob:
    """One name with its wildcards."""
    if "*" not in text and "?" not in text:
        return tuple(text)
    return tuple(token for token in tokens(text, RULES) if isinstance(token, str))  # that syntax has no others


def literal(names: Sequence[str]) -> list[NameGlob]:
    """Names that are themselves, whatever characters they hold."""
    return [tuple(name) for name in names]


def path_patterns(text: str, base: Sequence[str], home: Sequence[str]) -> list[Pattern]:
    """What a path with wildcards covers; nothing when the text is not such a path.

    Without a '/' it is compared with every name below `base`. With one it counts from `base` (from '/' or `home` where
    it says so). A plain last name and a closing '/' cover all below what is named, too; the name itself is a separate
    pattern then: 'src/a.py' lies inside 'src/*.py', what could be below it does not.
    """
    if "/" not in text and "\0" not in text and text not in ("", ".", "..", "*", "**"):
        row = (*literal(base), ANY, glob(text))  # most rules are like this
        return [Pattern(row), Pattern((*row, ANY))]
    start = [*base]
    if text.startswith("/"):
        start = []
    elif text.startswith("~/"):
        start, text = [*home], text[1:]
    names = [name for name in text.split("/") if name not in ("", ".")]
    if not text or "\0" in text or ".." in names or (not names and not text.startswith("/")):
        return []
    parts = [ANY if name == "**" else glob(name) for name in names]
    alone = "/" not in text
    if alone:
        parts = [ANY] if names == ["*"] else [ANY, *parts]
    below = alone or text.endswith("/") or not is_wild(parts[-1])
    place = Pattern([*literal(start), *parts])
    return [place, Pattern([*place.parts, ANY])] if below and place.parts[-1:] != (ANY,) else [place]


def command_pattern(text: str) -> Pattern | None:
    """The pattern of a command: its first words, whatever follows them; None when the text has none."""
    words = text.split()
    if not words or "\0" in text:
        return None
    while words[-1:] == ["*"]:  # what follows is free anyway
        words.pop()
    return Pattern([*(ANY if word == "**" else glob(word) for word in words), ANY])


def _name_within(name: NameGlob, other: NameGlob) -> bool:
    return name == other or (is_wild(other) and _covered(name, other, STAR, lambda one, wanted: wanted in (ONE, one)))


def _covered(text: Sequence[T], pattern: Sequence[T], star: T, fits: Callable[[T, T], bool]) -> bool:
    """Whether a row is covered by a pattern in which `star` is any row; the row may hold it too, as itself.

    The usual way with one wildcard to go back to: an earlier one never has to be tried again.
    """
    at = place = 0
    back, resume = -1, 0
    while at < len(text):
        wanted = pattern[place] if place < len(pattern) else None
        if wanted == star:
            back, resume, place = place, at, place + 1
            if place == len(pattern):
                return True
        elif wanted is not None and text[at] != star and fits(text[at], wanted):
            at, place = at + 1, place + 1
        elif back >= 0:
            resume, at, place = resume + 1, resume + 1, back + 1
        else:
            return False
    return all(each == star for each in pattern[place:])


def _overlap(first: Sequence[NameGlob], second: Sequence[NameGlob]) -> bool:
    """Whether two rows of globs have a row of names in common, as far as their plain names show."""
    reach = [True] + [False] * len(second)  # which beginnings of `second` meet the part of `first` so far
    for number in range(len(second)):
        reach[number + 1] = reach[number] and second[number] == ANY
    for part in first:
        row = [part == ANY and reach[0]]
        for number, other in enumerate(second):
            here = reach[number] and (ANY in (part, other) or _names_meet(part, other))
            here = here or (part == ANY and (row[number] or reach[number + 1]))
            row.append(here or (other == ANY and (row[number] or reach[number + 1])))
        reach = row
    return reach[-1]


def _names_meet(name: NameGlob, other: NameGlob) -> bool:
    """Whether one name can be covered by both; true where both have wildcards."""
    if is_wild(name) and is_wild(other):
        return True
    return _name_within(name, other) or _name_within(other, name)


def _row_regex(parts: Sequence[NameGlob]) -> str:
    """The expression of rows in which every name is followed by a NUL."""
    pieces: list[str | None] = []
    for name in parts:
        row = [None if each == STAR else r"[^\x00]" if each == ONE else re.escape(each) for each in name]
        pieces.append(None if name == ANY else _in_order(row, r"[^\x00]*") + r"\x00")
    return _in_order(pieces, r"(?:[^\x00]*\x00)*")


def _in_order(pieces: Sequence[str | None], anything: str) -> str:
    """The regular expression of pieces in a row, with `anything` where a piece is None.

    What is between two stars has a fixed length, so its first place is as good as any: the atomic group `(?>…)` keeps
    it, and only the last piece, which is bound to the end, is looked for from there. Without that a name of many
    equal letters would cost the square, the cube and so on of its length.
    """
    runs = [""]
    for piece in pieces:
        if piece is None:
            runs.append("")
        else:
            runs[-1] += piece
    if len(runs) == 1:
        return runs[0]
    return f"{runs[0]}{''.join(f'(?>{anything}?{run})' for run in runs[1:-1])}{anything}{runs[-1]}"
