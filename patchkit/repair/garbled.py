"""Lines of a hunk that were garbled on their way to the model: bytes that a decoder could not read.

Takes a refused hunk; gives the hunk without the changes that would only mend such lines, since the file has them
whole. Whether a correction is made of it is left to `corrections`.
"""

from __future__ import annotations

from patchkit.core.language import Hunk
from patchkit.repair.alignment import likeness

GARBLED = "\ufffd"  # what a decoder puts in place of bytes it cannot read
_MOST_COMPARED = 100  # added lines that a garbled one is held against
_MENDED = 0.9  # how alike the letters of a garbled line and of what it shall become are


def without_mending(hunk: Hunk) -> Hunk:
    """The hunk without changes to lines that were garbled on their way to the model: the file has them whole.

    Such a hunk removes a garbled line and adds the same line without the garbled part; it is kept instead.
    """
    if not any(GARBLED in line for line in hunk.lines):
        return hunk
    lines: list[str] = []
    removed: list[str] = []
    added: list[str] = []
    for line in [*hunk.lines, " "]:
        if line[0] == "-" and not added:
            removed.append(line)
        elif line[0] == "+":
            added.append(line)
        else:
            lines += _kept_where_mended(removed, added)
            removed, added = ([line], []) if line[0] == "-" else ([], [])
            lines += [line] if line[0] == " " else []
    return hunk.with_lines(lines[:-1])


def _kept_where_mended(removed: list[str], added: list[str]) -> list[str]:
    """Removed and added lines of one change, with a kept line for each pair that differs in garbled text alone."""
    lines: list[str] = []
    start = 0
    for line in added[:_MOST_COMPARED]:
        pairs = (
            number
            for number in range(start, len(removed))
            if removed[number][1:] == line[1:]
            or (GARBLED in removed[number] and likeness(_letters(removed[number]), _letters(line)) > _MENDED)
        )
        at = next(pairs, None)
        if at is None:
            lines.append(line)
        else:
            lines += [*removed[start:at], " " + removed[at][1:]]
            start = at + 1
    if start == 0:
        return [*removed, *added]
    return [*lines, *removed[start:], *added[_MOST_COMPARED:]]


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isascii() and char.isalnum())
