"""Removed lines that the file has in another form: partly changed as the hunk wants it, or with more around them.

Takes a refused hunk, how its old lines lie on the file, and the file's lines; gives the reading with the file's own
form of those lines. Whether a correction is made of it is left to `corrections`.
"""

from __future__ import annotations

from patchkit.core.language import Hunk
from patchkit.repair.alignment import Alignment, likeness

_PART = 0.75  # how much of a line of the file a part of it is
_REACH = 8  # lines below the last one that is there in which a brace is looked for
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


def closed(hunk: Hunk, reading: Alignment, texts: list[str]) -> Alignment:
    """The reading with a place for the brace that ends the old lines: the next one at its depth, a few lines below."""
    rows, alike = list(reading.rows), list(reading.likeness)
    old = [line for line in hunk.lines if line[0] != "+"]
    last = len(rows) - 1
    if last < 1 or rows[last] >= 0 or rows[last - 1] < 0 or old[last][0] != " " or any(map(str.isalnum, old[last])):
        return reading
    brace = old[last][1:].rstrip()
    depth = len(brace) - len(brace.lstrip())
    for row in range(rows[last - 1] + 1, min(rows[last - 1] + 1 + _REACH, len(texts))):
        text = texts[row].rstrip()
        if brace and text == brace:
            rows[last], alike[last] = row, 1.0
            return Alignment(rows, alike, reading.score)
        if text and len(text) - len(text.lstrip()) <= depth:
            break  # what the brace would close has ended
    return reading


def is_replaced(hunk: Hunk, index: int, text: str) -> bool:
    """Whether the added line in place of the old line `index` is a change of the file's line, too."""
    return likeness(added_for(hunk, index).strip(), text.strip()) >= _ALIKE


def added_for(hunk: Hunk, index: int) -> str:
    """The added line in place of the old line `index`; '' where there is none."""
    numbers = [at for at, line in enumerate(hunk.lines) if line[0] != "+"]
    partner = replacing(hunk.lines).get(numbers[index])
    return "" if partner is None else hunk.lines[partner][1:]


def completed(hunk: Hunk, reading: Alignment, texts: list[str]) -> tuple[Hunk, Alignment]:
    """A block whose removed lines are parts of the file's: both texts with what is around the part.

    A line is completed if one added line takes its place, and that does not have what is around the part already.
    """
    lines, alike = list(hunk.lines), list(reading.likeness)
    partners = replacing(hunk.lines)
    one_for_one = _one_for_one(hunk.lines)
    numbers = [at for at, line in enumerate(hunk.lines) if line[0] != "+"]
    for index, (at, row) in enumerate(zip(numbers, reading.rows)):
        partner = partners.get(at)
        if row < 0 or alike[index] == 1 or partner is None or at not in one_for_one:
            continue
        before, after = _around(lines[at][1:].strip(), texts[row].strip())
        new = lines[partner][1:].strip()
        if (before or after) and new and not (new.startswith(before) and new.endswith(after)):
            margin = texts[row][: len(texts[row]) - len(texts[row].lstrip())]
            lines[at], lines[partner] = "-" + texts[row], "+" + margin + before + new + after
            alike[index] = 1.0
    if lines == hunk.lines:
        return hunk, reading
    return hunk.with_lines(lines), Alignment(reading.rows, alike, reading.score)


def _one_for_one(lines: list[str]) -> set[int]:
    """The removed lines of a hunk that as many added ones take the place of, by their numbers among all lines."""
    found: set[int] = set()
    removed: list[int] = []
    added = 0
    for at, line in enumerate([*lines, " "]):
        if line[0] == "+":
            added += 1
        elif line[0] == " " or added:
            found.update(removed if len(removed) == added else ())
            removed, added = [], 0
        if line[0] == "-":
            removed.append(at)
    return found


def _around(part: str, text: str) -> tuple[str, str]:
    """What a line has before and after a part of it; nothing where that is little of it, or cuts a word."""
    if text.count(part) != 1 or len(part) < _PART * len(text):
        return "", ""
    before, _, after = text.partition(part)
    cut = (before[-1:].isalnum() and part[0].isalnum()) or (after[:1].isalnum() and part[-1].isalnum())
    return ("", "") if cut else (before, after)
