"""What a refused edit should have been, and where it nearly is.

Takes the file, the hunk of an edit that has no place, and why; gives the file's own lines for its old text and what
the edit makes of them, or the nearest place and what differs there. Both are decided as for a hunk of a patch; a text
that begins or ends inside a line is completed first.
"""

from __future__ import annotations

from patchkit.core.changes import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import FEW, LIKE, LONGEST, Match, Miss, WorkBudget
from patchkit.core.matching.candidates import alike, common_part
from patchkit.core.matching.locate import locate
from patchkit.core.matching.passes import PASSES, Views
from patchkit.core.text import Document
from patchkit.diffs.parts import completed
from patchkit.diffs.unique_hunks import hunk_of_texts
from patchkit.repair.alignment import align, words_of
from patchkit.repair.corrections import Corrections
from patchkit.repair.near_miss import NearMiss, NearMissSearch
from patchkit.values import Record


class CorrectedTexts(Record):
    """Lines of the file from `line` (from 0) on, the lines to put in their place, and how sure that is.

    The same lines twice: the file has what the edit would make.
    """

    line: int
    old: list[str]
    new: list[str]
    certainty: str


def corrected_texts(document: Document, hunk: Hunk, miss: Miss, budget: WorkBudget) -> CorrectedTexts | None:
    """The texts as the file needs them; None where no place is clearly meant."""
    if miss.code == "P201":
        hunk = _with_whole_ends(document.texts, hunk, budget)
    found = Corrections(document, [hunk], budget).of(hunk, miss)
    if found is None:
        return None
    if not found.hunks:
        size = len(hunk.new())
        there = document.texts[miss.candidates[0] : miss.candidates[0] + size] if miss.candidates else []
        return CorrectedTexts(miss.candidates[0], there, there, found.certainty) if there else None
    matches = locate(document, found.hunks, Options(max_pass="exact"))
    places = [match for match in matches if isinstance(match, Match)]
    if [match.line for match in places] != found.lines:
        return None
    first, last = places[0].line, places[-1].line + places[-1].count
    new: list[str] = []
    at = first
    for match in places:
        new += document.texts[at : match.line]
        new += [line[1:] for line in match.lines if line[0] != "-"]
        at = match.line + match.count
    return CorrectedTexts(first, document.texts[first:last], new, found.certainty)


def _with_whole_ends(texts: list[str], hunk: Hunk, budget: WorkBudget) -> Hunk:
    """The hunk with the rest of the file's lines where the old text seems to begin or end inside one."""
    old, new = hunk.old(), hunk.new()
    view = Views(texts).by(PASSES[-1])
    reading = align(old, list(range(len(old))), view, budget, 0, len(texts))
    if reading is None:
        return hunk
    rows = _with_ends(reading.rows, old, texts)
    first, last = rows[0], rows[-1]
    head = _before(texts[first], old[0]) if first >= 0 else ""
    tail = texts[last][len(old[-1]) :] if last >= 0 and texts[last].startswith(old[-1]) and old[-1].strip() else ""
    if not head.strip() and not tail.strip():
        return hunk
    made = completed(first, head, "\n".join(old), "\n".join(new), tail)
    return hunk_of_texts(made.old, made.new)


def _with_ends(rows: list[int], old: list[str], texts: list[str]) -> list[int]:
    """The rows of old lines, also of a first and a last one that are too short a part of the file's lines."""
    rows = list(rows)
    if len(rows) > 1 and rows[0] < 0 < rows[1] and old[0].strip() and texts[rows[1] - 1].endswith(old[0]):
        rows[0] = rows[1] - 1
    if len(rows) > 1 and rows[-1] < 0 <= rows[-2] and old[-1].strip():
        below = texts[rows[-2] + 1 : rows[-2] + 2]
        rows[-1] = rows[-2] + 1 if below and below[0].startswith(old[-1]) else -1
    return rows


def _before(text: str, part: str) -> str:
    """What a line has before a part that ends it."""
    bare = part.strip()
    return text[: len(text.rstrip()) - len(bare)] if bare and text.rstrip().endswith(bare) else ""


def nearest(document: Document, hunk: Hunk, miss: Miss, budget: WorkBudget) -> NearMiss | None:
    """The place that comes nearest to the old lines of an edit, and the first difference between two lines that
    correspond to each other; None where nothing comes near.
    """
    texts = document.texts
    if miss.sought is None:
        start = miss.candidates[0] if miss.candidates else 0
        rows = list(range(start, start + len(hunk.old()))) if miss.candidates else []
        return _first_difference(hunk.old(), rows, texts)
    if len(hunk.old()) == 1:
        part = _line_with_most(texts, hunk.old()[0])
        if part is not None:
            return part
    old = hunk.old()
    reading = align(old, [], Views(texts).by(PASSES[-1]), budget, 0, len(texts))
    near = _first_difference(old, _with_ends(reading.rows, old, texts), texts) if reading is not None else None
    return near if near is not None else NearMissSearch(miss.sought, budget).miss(miss.sought)


def _first_difference(old: list[str], rows: list[int], texts: list[str]) -> NearMiss | None:
    """The first old line that lies on another line of the file, and how many lie on the same one.

    The first line may be the end of the file's, and the last one its beginning.
    """
    lying = [(index, row) for index, row in enumerate(rows) if 0 <= row < len(texts)]
    wanted = {index: old[index] for index, _ in lying}
    for index, row in lying:
        there = texts[row]
        if index == 0:
            wanted[index] = there[: max(0, len(there) - len(old[0]))] + old[0]
        elif index == len(old) - 1 and there.startswith(old[-1]):
            wanted[index] = there
    other = [(index, row) for index, row in lying if wanted[index] != texts[row]]
    if not other:
        return None
    index, row = other[0]
    agree = len(lying) - len(other)
    first = max(0, row - index)
    return NearMiss((first, len(old)), (agree, len(old)), (index, row), wanted[index], texts[row])


def _line_with_most(texts: list[str], wanted: str) -> NearMiss | None:
    """The line with a part most like the wanted one."""
    best: tuple[float, int, str] = (LIKE, -1, "")
    for number in _lines_with_words(texts, wanted):
        line = texts[number][:LONGEST]
        compared = wanted[:LONGEST]
        first, at, _ = common_part(line, compared, 0, len(line), 0, len(compared))
        start = max(0, first - at)
        ratio = alike(line[start : start + len(wanted)], compared)
        if ratio > best[0]:
            best = (ratio, number, texts[number][:start] + wanted + texts[number][start + len(wanted) :])
    _, number, expected = best
    if number < 0 or expected == texts[number]:
        return None
    return NearMiss((number, 1), (0, 1), (0, number), expected, texts[number])


def _lines_with_words(texts: list[str], wanted: str) -> list[int]:
    """The lines that share most with the words of a text."""
    words = sorted(set(words_of(wanted)), key=len, reverse=True)[:8] or [wanted.strip()]
    scores = [(sum(len(word) for word in words if word in line), number) for number, line in enumerate(texts)]
    ranked = sorted((score for score in scores if score[0]), key=lambda score: (-score[0], score[1]))
    return [number for _, number in ranked[:FEW]]
