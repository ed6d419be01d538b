"""Removed lines that the file has in another form: partly changed as the hunk wants it, or with more around them.

Takes a refused hunk, how its old lines lie on the file, and the file's lines; gives the reading with the file's own
form of those lines. Whether a correction is made of it is left to `corrections`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, groupby
from unicodedata import combining, normalize

from patchkit.core.language import Hunk
from patchkit.diffs.merge import merged
from patchkit.repair.alignment import ALIKE, HALF, LONGEST_GAP, MANY, MOSTLY, Alignment, likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SEVERAL = 4  # lines beside which one may be swapped
_LONGEST = 2000  # characters of a line that is merged by words


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
                if partner is not None and likeness(hunk.lines[partner][1:].strip(), texts[row].strip()) >= ALIKE:
                    rows[index], alike[index] = row, ALIKE
        first = max(last, first + 1)
    lost = [at for at, row in enumerate(rows) if row < 0]
    if hunk.of_texts and len(lost) == 1 and 0 < lost[0] < len(rows) - 1 and len(rows) > _SEVERAL:
        at = lost[0]
        if rows[at + 1] == rows[at - 1] + 2 and texts[rows[at - 1] + 1].strip():
            rows[at], alike[at] = rows[at - 1] + 1, HALF
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
    for row in range(rows[last - 1] + 1, min(rows[last - 1] + 1 + LONGEST_GAP, len(texts))):
        text = texts[row].rstrip()
        if brace and text == brace:
            rows[last], alike[last] = row, 1.0
            return Alignment(rows, alike, reading.score)
        if text and len(text) - len(text.lstrip()) <= depth:
            break  # what the brace would close has ended
    return reading


def is_replaced(hunk: Hunk, index: int, text: str) -> bool:
    """Whether the added line in place of the old line `index` is a change of the file's line, too."""
    return likeness(added_for(hunk, index).strip(), text.strip()) >= ALIKE


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
    old, mine, new = (
        [part.encode("utf-8", "surrogatepass") for part in parts_of(side, _in_word)] for side in (base, ours, theirs)
    )
    both = merged(old, mine, new)
    made = b"".join(both.lines()).decode("utf-8", "surrogatepass")
    return None if both.conflicts or made == ours else made


def parts_of(line: str, belongs: Callable[[str], bool]) -> list[str]:
    """A line as runs of characters that belong together, with a point or comma inside, of spaces, and single others."""
    parts: list[str] = []
    for (together, space), run in groupby(line, lambda char: (belongs(char), char.isspace())):
        text = "".join(run)
        if together and len(parts) > 1 and parts[-1] in (".", ",") and belongs(parts[-2][-1]):
            text = parts.pop(-2) + parts.pop() + text
        parts += [text] if together or space else text
    return parts


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


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
    if text.count(part) != 1 or len(part) < MOSTLY * len(text):
        return "", ""
    before, _, after = text.partition(part)
    cut = (before[-1:].isalnum() and part[0].isalnum()) or (after[:1].isalnum() and part[-1].isalnum())
    return ("", "") if cut else (before, after)


# -- the same text, broken into lines otherwise ------------------------------------------------------


class BareText:
    """The text of a file without whitespace, bullets, accents and backslashes, as one string."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        rows = list(map(_bare, texts))
        self._joined = "".join(rows)
        self._ends = list(accumulate(map(len, rows)))

    def hunk(self, lines: list[str]) -> tuple[list[str], int] | None:
        """The lines of a hunk on those of the file, and its first row, where the file has its old text once.

        What is removed has to be whole lines of the file, or a part of one that one added line takes the place of.
        Added lines have to be in one run.
        """
        at = [number for number, line in enumerate(lines) if line[0] != " "]
        core = lines[at[0] : at[-1] + 1]
        removed, added = ([line[1:] for line in core if line[0] == sign] for sign in "-+")
        head, gone, tail = (
            "".join(_bare(line[1:]) for line in part if line[0] != "+")
            for part in (lines[: at[0]], core, lines[at[-1] + 1 :])
        )
        wanted = head + gone + tail
        found = self._joined.find(wanted)
        if len(wanted) < MANY or found < 0 or self._joined.find(wanted, found + 1) >= 0:
            return None
        if any(line[0] == " " for line in core) or [line[0] for line in core] != ["-"] * len(removed) + ["+"] * len(
            added
        ):
            return None
        start = found + len(head)
        if not gone:
            row = bisect_left(self._ends, start) + 1 if head else bisect_right(self._ends, start)
            if start not in self._ends and start:
                return None  # inside a line
            return (["+" + text for text in added], row) if not removed else None
        row, last = bisect_right(self._ends, start), bisect_left(self._ends, start + len(gone))
        there = self._texts[row : last + 1]
        if any("\\" in text for text in (*removed, *there)) and any(set("\\\"'") & set(text) for text in added):
            return None  # what is added may have been escaped on its way, too
        before, after = start - (self._ends[row - 1] if row else 0), self._ends[last] - start - len(gone)
        if before or after:
            part = _part_of(there[0], before, len(gone)) if row == last and len(added) == 1 else None
            if part is None:
                return None
            added = [there[0][: part[0]] + added[0].strip() + there[0][part[1] :]]
        elif len(there) == len(removed) <= len(added):
            pairs = list(zip(removed, there, added))
            lost = {_opening(old) for old, text, _ in pairs if _opening(old) != _opening(text)}
            if any(_opening(text) in lost for text in added[len(pairs) :]):
                return None  # those may lack their bullet, too
            added = [_in_place_of(*pair) for pair in pairs] + added[len(pairs) :]
        return [*("-" + text for text in there), *("+" + text for text in added)], row


def _bare(text: str) -> str:
    """A line without its margin and bullet, whitespace, accents and backslashes."""
    if not text.isascii():
        text = "".join(char for char in normalize("NFKD", text) if not combining(char))
    return "".join(text[len(_opening(text)) :].replace("\\", "").split())


def _part_of(text: str, before: int, size: int) -> tuple[int, int] | None:
    """Where a part of a line begins and ends, of which the bare line has `before` characters in front; whole words."""
    ends = [len(_bare(text[:end])) for end in range(len(text) + 1)]
    start, stop = bisect_right(ends, before) - 1, bisect_left(ends, before + size)
    cut = text[start - 1 : start + 1].isalnum() if start else False
    return None if cut or (stop < len(text) and text[stop - 1 : stop + 1].isalnum()) else (start, stop)


def _in_place_of(removed: str, there: str, added: str) -> str:
    """An added line with the bullet, and the accents, of the file's line where the removed one lacks them."""
    mine, theirs, new = (_opening(text) for text in (removed, there, added))
    words = merged_words(removed[len(mine) :], there[len(theirs) :], added[len(new) :])
    return (theirs if new == mine else new) + (added[len(new) :] if words is None else words)


def _opening(text: str) -> str:
    """The margin and the bullet of a line."""
    rest = text.lstrip()
    if rest[:1] in ("-", "*", "+") and rest[1:2].isspace():
        rest = rest[1:].lstrip()
    return text[: len(text) - len(rest)]
