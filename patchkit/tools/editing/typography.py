"""Characters that look alike: which of them the file has, and how a new text keeps them.

Takes an old text, the text of the file that it matched but for typography, and a new text; returns the new text with
the file's own characters wherever it does not change the old one.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from patchkit.core.matching.passes import TYPOGRAPHY

_LONGEST_LINE = 2000  # characters of a line that is compared letter by letter
_ALIKE = 0.6

# Those that one character is typed for; quotes alone may differ without being asked for.
ONE_FOR_ONE = {code: plain for code, plain in TYPOGRAPHY.items() if len(plain) == 1}
QUOTES = {code: plain for code, plain in ONE_FOR_ONE.items() if plain in "'\""}


def as_in_the_file(old: str, found: str, new: str) -> str:
    """`new` with the characters of `found`, the file's text for `old`, where it repeats `old`."""
    before, theirs, after = old.split("\n"), found.split("\n"), new.split("\n")
    made: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            made += theirs[a:b]
        else:
            made += _lines_as_in_the_file(before[a:b], theirs[a:b], after[c:d])
    return "\n".join(made)


def _lines_as_in_the_file(before: list[str], theirs: list[str], after: list[str]) -> list[str]:
    """Changed lines, each with the characters of the line that it was made from, if there is one."""
    made, row = [], 0
    for line in after:
        origin = next((at for at in range(row, len(before)) if _are_alike(before[at], line)), None)
        if origin is None:
            made.append(line)
        else:
            made.append(line_as_in_the_file(before[origin], theirs[origin], line))
            row = origin + 1
    return made


def _are_alike(one: str, other: str) -> bool:
    if max(len(one), len(other)) > _LONGEST_LINE:
        return False
    return SequenceMatcher(None, one.strip(), other.strip(), autojunk=False).ratio() >= _ALIKE


def line_as_in_the_file(old: str, found: str, new: str) -> str:
    """One changed line: what it repeats of `old` as `found` has it. The two have the same length."""
    if old == found or len(old) != len(found) or max(len(old), len(new)) > _LONGEST_LINE:
        return new
    made = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        made.append(found[a:b] if tag == "equal" else new[c:d])
    return "".join(made)
