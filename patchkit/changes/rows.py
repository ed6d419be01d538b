"""The replacements of a match that skips lines of the file, or has lines that the file lacks. Loaded for such a one."""

from __future__ import annotations

from patchkit.changes.splice import Replacement, replacement
from patchkit.matching.model import Match
from patchkit.text.document import Document


def by_rows(document: Document, match: Match, pairs: list[int]) -> list[Replacement]:
    """What a match replaces: each run of removed and added lines; `pairs` tell the file's line for each old one."""
    every = document.boundaries(match.offset, match.count)
    made: list[Replacement] = []
    start = stop = 0  # the run at hand, in old lines
    added: list[str] = []
    for line in [*match.lines, " "]:
        if line[0] == "+":
            added.append(line[1:])
            continue
        if line[0] == " ":
            if added or stop > start:
                row = _row(pairs, start, match.line)
                made.append(replacement(document, match, row, every[row : row + stop - start + 1], added))
                added = []
            start = stop + 1
        stop += 1
    return made


def _row(pairs: list[int], index: int, line: int) -> int:
    """The row an old line lies on; for one the file lacks, the row after the last line above it that it has."""
    if index < len(pairs) and pairs[index] >= 0 and (index == 0 or pairs[index - 1] == pairs[index] - 1):
        return pairs[index] - line
    above = [pair for pair in pairs[:index] if pair >= 0]
    return above[-1] + 1 - line if above else 0
