"""How the old lines of a refused hunk lie on the file: the one best reading, if there is one.

Takes the file's lines and the lines that a hunk keeps and removes; gives for each of them the file's line that is the
same or like it, in order, or nothing where no reading is clearly the best. Lines of the file may be left out of the
hunk, and lines of the hunk may be missing from the file. The work is counted against the budget of the run.
"""

from __future__ import annotations

from patchkit.core.matching import FEW, LIKE, LONGEST, SEVERAL, SHOWN, WORD, WorkBudget
from patchkit.core.matching.candidates import alike
from patchkit.core.matching.passes import PASSES, View
from patchkit.values import Record

# The numbers that several modules of corrections compare with, each set by what it does to the 318 patches that models
# wrote and Codex refused: `benchmarks.answers` counts that for any other set of them. In brackets how many answers (of
# 248 up to HALF, of 217 below) change with half and with twice of it, as `python -m benchmarks.thresholds` counts them.
MOSTLY = 0.75  # how much of two lines is the same where same or added lines are beside them [3, two wrong; 1]
ALIKE = 0.8  # and where one is taken for the other with a slip [0, 1]
NEARLY = 0.9  # and where nothing but a slip is different; how near a second reading may come to the best [0, 0]
HALF = 0.5  # how much of what a hunk shows has to be found, or may be there already [1; 3, one wrong]
QUARTER = 0.25  # how much speaks against a reading: a gap in it, or a line like another that is there [1, one wrong; 0]
TELLING = 8  # letters and digits of a line that is recognised without others [1, 0]
LONGEST_GAP = 8  # lines left out that are put back, or looked at below a line [0, 0]
MOST_LINES = 400  # of a hunk that are aligned: bounds work
COMPARISON = 50_000  # what comparing two lines counts for, in characters searched: bounds work
_NEAR = 2 * SHOWN  # lines around a place that are looked at
_CELL = 3_000  # what an old line and a line of the file count for, before they are compared: bounds work
_TWIN = 0.98  # how near a reading may come that shares lines with the best [0, 0]
_STEP = 0.01  # what each line of a gap takes away [0; 2, one wrong]
_DULL = HALF * QUARTER  # what a line without words counts: less than a gap takes away
WORD_CHARACTERS = "".join([chr(code) if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128)])


class Alignment(Record):
    """For each old line the file's line (from 0) or -1, and how alike they are, from 0 to 1."""

    rows: list[int]
    likeness: list[float]
    score: float


def align(
    old: list[str],
    pivots: list[int],
    view: View,
    budget: WorkBudget,
    start: int,
    stop: int,
    below: set[int] | frozenset[int] = frozenset(),
    taken: set[int] | frozenset[int] = frozenset(),
) -> Alignment | None:
    """The best reading of the old lines between two lines of the file; None when there is none, or a second as good.

    A second one is any that has one of the lines `pivots`, which say what is changed, at another place. `below` are
    those of them that are kept below added lines: where the line above is the same in the file, it alone says where
    those go. No old line lies on a line that is `taken`. `view` has the file's lines as the most tolerant pass compares
    them.
    """
    if not old or len(old) > MOST_LINES:
        return None
    seen = PASSES[-1].lines(old)
    weights = [_weight(line) for line in seen]
    pivots = [each for each in pivots if weights[each] > _DULL]
    readings: list[Alignment] = []
    for first, last in _windows(seen, view, start, stop):
        if not budget.spend(_CELL * len(seen) * (last - first)):
            return None  # which of several readings is the best would not be known
        alike = _all_likeness(seen, view.lines[first:last], budget)
        for row in taken.intersection(range(first, last)):
            for each in alike:
                each.pop(row - first, None)
        best = _best(weights, alike, first, last - first)
        if best is not None:
            readings.append(best)
            readings += _others(best, pivots, weights, alike, first, last - first)
    if not readings:
        return None
    best = max(readings, key=lambda reading: reading.score)
    for other in readings:
        moved = any(
            other.rows[each] not in (-1, best.rows[each]) and not (each in below and _is_placed(best, other, each))
            for each in pivots
        )
        apart = set(other.rows).isdisjoint(row for row in best.rows if row >= 0)
        if moved and other.score > (NEARLY if apart else _TWIN) * best.score:
            return None
    return best


def _is_placed(best: Alignment, other: Alignment, index: int) -> bool:
    """Whether two readings differ in a line that the file has others like, and not in the one above, which is there."""
    alike = max(best.likeness[index], other.likeness[index])
    above = index - 1
    return alike < 1 and best.likeness[above] == 1 and best.rows[above] == other.rows[above]


def _others(
    best: Alignment, pivots: list[int], weights: list[float], alike: list[dict[int, float]], first: int, count: int
) -> list[Alignment]:
    """Other readings in the same part of the file: with a pivot elsewhere, and without the lines of the best one."""
    found: list[Alignment | None] = []
    telling = [each for each in pivots if best.rows[each] >= 0]
    for pivot in dict.fromkeys((*telling[:1], *telling[-1:])):
        row = best.rows[pivot] - first
        like = alike[pivot].pop(row)
        found.append(_best(weights, alike, first, count))
        alike[pivot][row] = like
    for row in best.rows:
        for each in alike if row >= 0 else ():
            each.pop(row - first, None)
    found.append(_best(weights, alike, first, count))
    return [each for each in found if each is not None]


def _weight(line: str) -> float:
    """How much a line shows of its place."""
    letters = sum(map(str.isalnum, line))
    return 1.0 if letters >= TELLING else HALF if letters >= SEVERAL else _DULL if line else _DULL / SEVERAL


def _windows(seen: list[str], view: View, start: int, stop: int) -> list[tuple[int, int]]:
    """Parts of the file in which rare lines or long words of the hunk occur, the likeliest first."""
    if stop - start <= 2 * _NEAR + len(seen):
        return [(start, stop)]
    votes: dict[int, float] = {}
    for index, line in enumerate(seen):
        hits = view.numbers(line) if line else []
        if 0 < len(hits) <= FEW:
            for number in hits:
                if start <= number < stop:
                    votes[number - index] = votes.get(number - index, 0) + _weight(line) / len(hits)
    words = {(word, index) for index, line in enumerate(seen) for word in _words(line)}
    longest = sorted(words, key=lambda each: (-len(each[0]), each))[:SHOWN]
    for (_, index), lines in zip(longest, view.holding([word for word, _ in longest], FEW)):
        for number in lines:
            if start <= number < stop:
                votes[number - index] = votes.get(number - index, 0) + QUARTER / len(lines)
    parts: list[list[float]] = []  # first line, last line, votes
    least = max(votes.values(), default=0) / SHOWN
    for at in sorted(at for at, count in votes.items() if count >= least):
        if parts and at - parts[-1][1] <= _NEAR:
            parts[-1][1], parts[-1][2] = at, parts[-1][2] + votes[at]
        else:
            parts.append([at, at, votes[at]])
    parts.sort(key=lambda part: -part[2])
    return [
        (max(start, int(first) - _NEAR), min(stop, int(last) + len(seen) + _NEAR))
        for first, last, _votes in parts[:SEVERAL]
    ]


def _words(line: str) -> list[str]:
    return [word for word in words_of(line) if len(word) >= WORD]


def words_of(text: str) -> list[str]:
    """The words of a text: letters, digits and underscores."""
    if text.isascii():
        return text.translate(WORD_CHARACTERS).split()
    return "".join([char if char.isalnum() or char == "_" else " " for char in text]).split()


def likeness(one: str, other: str) -> float:
    """How much of two lines is the same, from 0 to 1; 0 where it is too little to mean anything."""
    if one == other:
        return 1.0
    return _likeness(_shortened(one), _shortened(other))


def _shortened(line: str) -> str:
    """A line, or both ends of a long one: it may differ from others at either."""
    return line if len(line) <= LONGEST else line[: LONGEST // 2] + line[-LONGEST // 2 :]


def _likeness(one: str, other: str) -> float:
    least = LIKE if len(one) >= FEW and other.startswith(one) else 0.0  # a long line, shown up to some word
    if 2 * min(len(one), len(other)) < LIKE * (len(one) + len(other)):
        return least
    chars = set(one)
    shared = sum(map(min, map(one.count, chars), map(other.count, chars)))  # wherever they are
    if 2 * shared < LIKE * (len(one) + len(other)):
        return 0.0
    ratio = alike(one, other)
    return ratio if ratio >= LIKE else 0.0


def _best(weights: list[float], alike: list[dict[int, float]], first: int, count: int) -> Alignment | None:
    """The reading with the highest score, by dynamic programming over the hunk's lines and `count` of the file's.

    `alike` has for each old line how alike it is to the file's lines, counted from line `first` on.
    """
    size = len(weights)
    none = -1e9
    # ends[j]: the best score of the lines so far when the last one that lies anywhere lies on line j.
    ends = [none] * count
    # Per old line and file line: -2 skipped, -1 begins here, else where the one above lies.
    origins: list[list[int]] = []
    skipped = 0.0  # what leaving out all lines so far takes away
    live: set[int] = set()
    for weight, likes in zip(weights, alike):
        loss = HALF * weight
        above, at, last = none, -1, 0  # the best end above the line at hand, less what the gap takes away
        new = [none] * count
        origin = [-2] * count
        live.update(likes)
        for j in sorted(live):  # the only lines on which one of those so far can lie
            above, last = above - _STEP * (j - last), j
            like = likes.get(j)
            if like:
                gain = weight * (1.0 if like == 1.0 else like - QUARTER)
                begins = gain - skipped
                goes_on = above + gain if at >= 0 else none
                directly = ends[j - 1] + gain if j else none
                best = max(begins, goes_on, directly)
                new[j] = best
                origin[j] = -1 if best == begins else j - 1 if best == directly else at
            end = ends[j]
            if end - loss > new[j]:
                new[j], origin[j] = end - loss, -2
            above, last = above - _STEP, j + 1
            if end - QUARTER > above:
                above, at = end - QUARTER, j
        ends = new
        origins.append(origin)
        skipped += loss
    score = max(ends, default=none)
    if score <= 0:
        return None
    j = ends.index(score)
    rows, alikes = [-1] * size, [0.0] * size
    for index in range(size - 1, -1, -1):
        origin_at = origins[index][j]
        if origin_at == -2:
            continue
        rows[index], alikes[index] = first + j, alike[index].get(j, 0.0)
        if origin_at == -1:
            break
        j = origin_at
    return Alignment(rows, alikes, score)


def _all_likeness(seen: list[str], lines: list[str], budget: WorkBudget) -> list[dict[int, float]]:
    """For each old line the lines of the file that are the same or like it, as far as the budget allows."""
    found: list[dict[int, float]] = [{} for _ in seen]
    places: dict[str, list[int]] = {}
    for j, line in enumerate(lines):
        places.setdefault(line, []).append(j)
    indexes: dict[str, list[int]] = {}
    for index, line in enumerate(seen):
        indexes.setdefault(line, []).append(index)
    words = {line: set(_words(line)) if _weight(line) > _DULL else None for line in [*indexes, *places]}
    for text, rows in places.items():
        for line, these in indexes.items():
            like = 1.0 if line == text else 0.0
            # A line with words that is there is hardly another one with a slip.
            if not like and (line not in places or words[line] is None) and _may_be_like(line, text, words):
                like = _likeness(_shortened(line), _shortened(text)) if budget.spend(COMPARISON) else 0.0
                like -= QUARTER if like and line in places else 0
            if like:
                for index in these:
                    found[index].update(dict.fromkeys(rows, like))
    return found


def _may_be_like(one: str, other: str, words: dict[str, set[str] | None]) -> bool:
    """Whether two lines may be alike: both have words, and where they have several, one in common.

    Lines with few letters or none may differ in the comma or semicolon at their end.
    """
    if one.rstrip(",;") == other.rstrip(",;") != "":
        return True
    mine, theirs = words[one], words[other]  # none of a line that shows little of its place
    if mine is None or theirs is None:
        return False
    return len(mine) < 2 or len(theirs) < 2 or not mine.isdisjoint(theirs)
