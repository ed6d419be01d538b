"""Characters that look alike: an edit keeps those that the file has.

Takes a Match and the file's lines; returns the lines of its hunk, added ones with the file's own characters wherever
they repeat the removed line that they are made from.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from patchkit.core.matching import Match

_LONGEST_LINE = 2000  # characters of a line that is compared letter by letter
_ALIKE = 0.6


def with_own_characters(match: Match, texts: list[str]) -> list[str]:
    """The lines of a match as they are to be applied."""
    if match.pass_name != "typography" or match.pairs is not None:
        return match.lines
    made: list[str] = []
    removed: list[tuple[str, str]] = []  # lines of the hunk, and of the file, without their margins
    row = match.line
    for line in match.lines:
        if line[0] == "+":
            origin = next((at for at, (old, _) in enumerate(removed) if _are_alike(old, line[1:].strip())), None)
            if origin is not None:
                margin = line[1 : len(line) - len(line[1:].lstrip())]
                line = "+" + margin + _as_found(*removed[origin], line[1:].strip())
                del removed[: origin + 1]
        else:
            removed = [*removed, (line[1:].strip(), texts[row].strip())] if line[0] == "-" else []
            row += 1
        made.append(line)
    return made


def _are_alike(one: str, other: str) -> bool:
    if max(len(one), len(other)) > _LONGEST_LINE:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _as_found(old: str, found: str, new: str) -> str:
    """One changed line: what it repeats of `old` as `found` has it. The two have the same length."""
    if old == found or len(old) != len(found):
        return new
    made = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        made.append(found[a:b] if tag == "equal" else new[c:d])
    return "".join(made)
