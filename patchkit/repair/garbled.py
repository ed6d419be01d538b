"""What a refused hunk changes: not the lines that it removes and adds again, nor those that it only mends.

Takes a refused hunk; gives the hunk with such lines as context. A line that bytes were lost of on its way to the model
is mended by no change: the file has it whole. Whether a correction is made of it is left to `corrections`.
"""

from __future__ import annotations

from patchkit.core.language import Hunk
from patchkit.core.matching import FEW
from patchkit.diffs.compare import compared
from patchkit.repair.alignment import NEARLY, likeness

GARBLED = "\ufffd"  # what a decoder puts in place of bytes it cannot read


def with_less_changed(hunk: Hunk) -> Hunk:
    """The hunk with a kept line in place of each that is removed and added again, or garbled and whole again."""
    lines: list[str] = []
    removed: list[str] = []
    added: list[str] = []
    for line in [*hunk.lines, " "]:
        if line[0] == "-" and not added:
            removed.append(line[1:])
        elif line[0] == "+":
            added.append(line[1:])
        else:
            lines += _less_changed(removed, added)
            removed, added = ([line[1:]], []) if line[0] == "-" else ([], [])
            lines += [line] if line[0] == " " else []
    return hunk if lines[:-1] == hunk.lines else hunk.with_lines(lines[:-1])


def _less_changed(removed: list[str], added: list[str]) -> list[str]:
    """The lines of one change, those that both sides have as context."""
    lines: list[str] = []
    above = 0
    before, after = ([text.encode("utf-8", "surrogatepass") for text in each] for each in (removed, added))
    for a, b, c, d in compared(before, after):
        lines += [" " + text for text in removed[above:a]]
        above, kept, at = b, len(lines), a
        is_garbled = d - c <= FEW and any(GARBLED in each for each in removed[a:b])
        for text in added[c:d] if is_garbled else ():
            mended = next((n for n in range(at, b) if _is_mended(removed[n], text)), None)
            if mended is None:
                lines.append("+" + text)
            else:
                lines += ["-" + each for each in removed[at:mended]] + [" " + removed[mended]]
                at = mended + 1
        if at == a:
            lines[kept:] = ["-" + each for each in removed[a:b]] + ["+" + each for each in added[c:d]]
        else:
            lines += ["-" + each for each in removed[at:b]]
    return lines + [" " + text for text in removed[above:]]


def _is_mended(old: str, new: str) -> bool:
    """Whether a garbled line becomes the same line without the garbled part."""
    mine, theirs = ("".join(char for char in text if char.isascii() and char.isalnum()) for text in (old, new))
    return GARBLED in old and GARBLED not in new and len(theirs) <= len(mine) and likeness(mine, theirs) > NEARLY
