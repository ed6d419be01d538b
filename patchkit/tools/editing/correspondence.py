"""Which line of a file each line of an old text corresponds to, where the text as a whole is nowhere in the file.

Takes the file's lines and the lines of an old text; returns for each of these the file's line that is the same but for
whitespace and typography, or much like it, in order. Lines of the file may be left out of the old text, and it may
have lines that the file lacks. There is an answer only where one part of the file is clearly the one that is meant.
The lines of a hunk are aligned by `changes.alignment`, which counts lines that were left out for more: a model leaves
fewer of them out of a hunk, and an edit of real use would be corrected wrongly twice as often by it.
"""

from __future__ import annotations

from patchkit.core.matching.passes import PASSES
from patchkit.repair.alignment import likeness
from patchkit.values import Value

_COMMON = 30  # a line that occurs more often shows no place
_WINDOWS = 4  # parts of a file that are compared closely
_VOTING = 16  # words of an old text, the longest first
_SLACK = 12  # lines around such a part
_MOST_LINES = 400  # of an old text
_MOST_PAIRS = 4000  # of lines that are compared letter by letter
_GAP = 0.01  # what a line of the file that is left out takes away
_BLANK = 0.03  # what a line without letters counts
_SHARED = 0.5  # how much of an old text must be found
_RIVAL = 0.8  # of which another part of the file may have so much before neither is meant


class Correspondence(Value):
    """For each old line the file's line (from 0), -1 for none; how much of the old text that is, from 0 to 1.

    `exact` is the part of it that is the same, the rest is alike.
    """

    __slots__ = ("rows", "share", "exact")
    rows: list[int]
    share: float
    exact: float

    def __init__(self, rows: list[int], share: float, exact: float) -> None:
        self.rows = rows
        self.share = share
        self.exact = exact

    @property
    def first(self) -> int:
        return min(row for row in self.rows if row >= 0)

    @property
    def last(self) -> int:
        return max(self.rows)


def correspondence(texts: list[str], old: list[str]) -> Correspondence | None:
    """Where the old lines are meant to be; None where that is not clear."""
    if not 0 < len(old) <= _MOST_LINES:
        return None
    seen, lines = PASSES[-1].lines(old), PASSES[-1].lines(texts)
    weights = [_weight(line) for line in seen]
    total = sum(weights)
    if not total:
        return None
    found: list[Correspondence] = []
    for first, last in _windows(lines, seen, weights):
        window = lines[first:last]
        for _ in range(2):  # the best reading, and the best one without its lines
            rows = _rows(seen, window)
            pairs = [(line, window[row], weight) for line, row, weight in zip(seen, rows, weights) if row >= 0]
            share = sum(weight * _worth(line, there) for line, there, weight in pairs) / total
            if not share:
                break
            exact = sum(weight for line, there, weight in pairs if line == there) / total
            found.append(Correspondence([first + row if row >= 0 else -1 for row in rows], share, exact))
            window = [line if at not in rows else "" for at, line in enumerate(window)]
    found.sort(key=lambda each: -each.share)
    if not found or found[0].share < _SHARED:
        return None
    best = found[0]
    apart = [each for each in found[1:] if set(each.rows).isdisjoint({*best.rows} - {-1})]
    rivals = [each for each in apart if each.share >= _RIVAL * best.share and each.exact >= _RIVAL * best.exact]
    return None if rivals else best


def _worth(line: str, found: str) -> float:
    """What a pair of lines counts: all of it for the same line, less for one that is much like it."""
    return 1.0 if line == found else likeness(line, found) - 0.1


def _weight(line: str) -> float:
    """How much a line shows of its place: its letters, up to a point."""
    return min(sum(map(str.isalnum, line)), 20) / 20


def _windows(lines: list[str], seen: list[str], weights: list[float]) -> list[tuple[int, int]]:
    """Parts of the file in which lines or long words of the old text occur, the likeliest first."""
    votes: dict[int, float] = {}
    places: dict[str, list[int]] = {line: [] for line in seen if line}
    for number, line in enumerate(lines):
        if line in places:
            places[line].append(number)
    for index, line in enumerate(seen):
        hits = places.get(line, [])
        for number in hits if len(hits) <= _COMMON else ():
            votes[number - index] = votes.get(number - index, 0) + weights[index]
    words = {(word, index) for index, line in enumerate(seen) if not places.get(line) for word in _words(line)}
    for word, index in sorted(words, key=lambda each: (-len(each[0]), each))[:_VOTING]:
        hits = [number for number, line in enumerate(lines) if word in line]
        for number in hits if len(hits) <= _COMMON else ():
            votes[number - index] = votes.get(number - index, 0) + 0.02 * len(word) / len(hits)
    parts: list[list[float]] = []  # the first start, the last, and the votes for them
    for start in sorted(votes):
        if parts and start - parts[-1][1] <= _SLACK:
            parts[-1][1:] = [start, parts[-1][2] + votes[start]]
        else:
            parts.append([start, start, votes[start]])
    parts.sort(key=lambda part: (-part[2], part[0]))
    return [
        (max(0, int(first) - _SLACK), min(len(lines), int(last) + len(seen) + _SLACK))
        for first, last, _votes in parts[:_WINDOWS]
    ]


def _words(line: str) -> set[str]:
    words = "".join(char if char.isalnum() or char == "_" else " " for char in line).split()
    return {word for word in words if len(word) >= 4}


def _rows(seen: list[str], lines: list[str]) -> list[int]:
    """The line for each old line: the pairs in order that are worth most in sum, those side by side before others."""
    worth = _worths(seen, lines)
    ends: dict[int, tuple[float, tuple[int, int]]] = {}  # by its last line: what the best reading so far is worth
    origins: dict[tuple[int, int], tuple[int, int]] = {}
    for row, of_row in enumerate(worth):
        new: dict[int, tuple[float, tuple[int, int]]] = {}
        best, at = 0.0, (-1, -1)
        above = -1
        for j in sorted({*of_row, *ends}):
            best -= _GAP * (j - above) if at[0] >= 0 else 0
            above = j
            if j in of_row:
                score, origin = (best, at) if best > 0 else (0.0, (-1, -1))
                new[j] = (score + of_row[j], (row, j))
                origins[row, j] = origin
            if j in ends and ends[j][0] > best:
                best, at = ends[j]
        for j, end in new.items():
            if j not in ends or end[0] > ends[j][0]:
                ends[j] = end
    rows = [-1] * len(seen)
    pair = max(ends.values(), default=(0.0, (-1, -1)))[1]
    while pair[0] >= 0:
        rows[pair[0]] = pair[1]
        pair = origins[pair]
    return rows


def _worths(seen: list[str], lines: list[str]) -> list[dict[int, float]]:
    """For each old line the lines it may be, and what each pair counts; lines that are alike where none is the same."""
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        places.setdefault(line, []).append(number)
    words = [_words(line) for line in lines]
    left = _MOST_PAIRS
    worths = []
    for line in seen:
        same = places.get(line, [])
        found = dict.fromkeys(same, _weight(line) or _BLANK)
        mine = _words(line)
        for number, text in enumerate(lines) if not same else ():
            if left and (not mine or not words[number] or not mine.isdisjoint(words[number])):
                left -= 1
                like = likeness(line, text) if _weight(line) and _weight(text) else 0.0
                if like:
                    found[number] = _weight(line) * (like - 0.1)
        worths.append(found)
    return worths
