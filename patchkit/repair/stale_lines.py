"""Removed lines that the file has in another form: partly changed as the hunk wants it, or with more around them.

Takes a refused hunk, how its old lines lie on the file, and the file's lines; gives the reading with the file's own
form of those lines. Whether a correction is made of it is left to `corrections`.
"""

from __future__ import annotations

from re import findall

from patchkit.core.language import Hunk
from patchkit.diffs.merge import merged
from patchkit.repair.alignment import Alignment, likeness

_SEVERAL = 4  # lines beside which one may be swapped
_SWAPPED = 0.5  # how alike a line counts that says something else than the one in its place
_PART = 0.75  # how much of a line of the file a part of it is
_LONGEST = 2000  # characters of a line that is merged by words
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
    """The reading with a place for removed lines where the file has as many others, each like the one that is added.

    In a text of which most other lines are the same, one line lies on the one that the file has in its place.
    """
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
    lost = [at for at, row in enumerate(rows) if row < 0]
    if hunk.of_texts and len(lost) == 1 and 0 < lost[0] < len(rows) - 1 and len(rows) > _SEVERAL:
        at = lost[0]
        if rows[at + 1] == rows[at - 1] + 2 and texts[rows[at - 1] + 1].strip():
            rows[at], alike[at] = rows[at - 1] + 1, _SWAPPED
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
    """A block whose removed lines are others in the file by now: both texts with what the file has.

    A line is completed if one added line takes its place: with what is around it where it is a part of the file's line,
    and that is not there already; else with the file's words where only those around them are changed.
    """
    lines, alike = list(hunk.lines), list(reading.likeness)
    partners = replacing(hunk.lines)
    one_for_one = _one_for_one(hunk.lines)
    numbers = [at for at, line in enumerate(hunk.lines) if line[0] != "+"]
    for index, (at, row) in enumerate(zip(numbers, reading.rows)):
        partner = partners.get(at)
        if row < 0 or alike[index] == 1 or partner is None or at not in one_for_one:
            continue
        old, there, new = lines[at][1:].strip(), texts[row].strip(), lines[partner][1:].strip()
        margin = texts[row][: len(texts[row]) - len(texts[row].lstrip())]
        before, after = _around(old, there)
        if (before or after) and new and not (new.startswith(before) and new.endswith(after)):
            lines[at], lines[partner] = "-" + texts[row], "+" + margin + before + new + after
            alike[index] = 1.0
        elif not before and not after:
            words = merged_words(old, there, new)
            lines[partner] = lines[partner] if words is None else lines[partner][: -len(new)] + words
    if lines == hunk.lines:
        return hunk, reading
    return hunk.with_lines(lines), Alignment(reading.rows, alike, reading.score)


def merged_words(base: str, ours: str, theirs: str) -> str | None:
    """A line with the changes of both sides; None where they meet, and where nothing is left to be changed."""
    if not theirs or max(len(base), len(ours), len(theirs)) > _LONGEST:
        return None
    both = merged(_words(base), _words(ours), _words(theirs))
    made = b"".join(both.lines()).decode("utf-8", "surrogatepass")
    return None if both.conflicts or made == ours else made


def _words(line: str) -> list[bytes]:
    """A line as words and whole numbers, runs of spaces and single other characters."""
    return [word.encode("utf-8", "surrogatepass") for word in findall(r"\w+(?:[.,]\w+)*|\s+|.", line)]


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
