"""Removed lines that the file has in another form: partly changed as the hunk wants it.

Takes a refused hunk, how its old lines lie on the file, and the file's lines; gives the reading with the file's own
form of those lines. Whether a correction is made of it is left to `corrections`.
"""

from __future__ import annotations

from patchkit.changes.alignment import Alignment, likeness
from patchkit.language.model import Hunk

_ALIKE = 0.8  # how alike a line of the file and the added line that takes its place are


def replacing(lines: list[str]) -> dict[int, int]:
    """For each removed line of a hunk the added line that takes its place, by their numbers among all lines."""
    found: dict[int, int] = {}
    run: list[int] = []
    count = 0
    for at, line in enumerate([*lines, " "]):
        if line[0] == "-":
            run, count = (run if not count else []) + [at], 0
        elif line[0] == "+":
            if count < len(run):
                found[run[count]] = at
            count += 1
        else:
            run, count = [], 0
    return found


def filled(hunk: Hunk, reading: Alignment, texts: list[str]) -> Alignment:
    """The reading with a place for removed lines where the file has as many others, each like the one that is added."""
    rows, alike = list(reading.rows), list(reading.likeness)
    partners = replacing(hunk.lines)
    numbers = [at for at, line in enumerate(hunk.lines) if line[0] != "+"]  # of old lines among all lines
    first = 0
    while first < len(rows):
        last = first
        while last < len(rows) and rows[last] < 0 and hunk.lines[numbers[last]][0] == "-":
            last += 1
        if 0 < first < last < len(rows) and rows[last] - rows[first - 1] == last - first + 1 and rows[first - 1] >= 0:
            for index in range(first, last):
                row = rows[first - 1] + 1 + index - first
                partner = partners.get(numbers[index])
                if partner is not None and likeness(hunk.lines[partner][1:].strip(), texts[row].strip()) >= _ALIKE:
                    rows[index], alike[index] = row, _ALIKE
        first = max(last, first + 1)
    return Alignment(rows, alike, reading.score)


def is_replaced(hunk: Hunk, index: int, text: str) -> bool:
    """Whether the added line in place of the old line `index` is a change of the file's line, too."""
    return likeness(added_for(hunk, index).strip(), text.strip()) >= _ALIKE


def added_for(hunk: Hunk, index: int) -> str:
    """The added line in place of the old line `index`; '' where there is none."""
    numbers = [at for at, line in enumerate(hunk.lines) if line[0] != "+"]
    partner = replacing(hunk.lines).get(numbers[index])
    return "" if partner is None else hunk.lines[partner][1:]
