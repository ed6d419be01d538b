"""Where two lists of lines differ, with as few lines changed as can be.

Takes two lists; gives the spans that differ. Myers' greedy search finds the least change. Where texts differ so
much that it would take too long, lines that occur once in each hold the rest together, and what lies between is
searched as far as the work allowed still reaches: the cost stays linear, whatever the texts are.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

Span = tuple[int, int, int, int]  # old lines from, to; new lines from, to
Pair = tuple[int, int]  # an old line and the new line it is

_WORK = 500_000  # steps of the search: some tenths of a second


def compared(old: list[bytes], new: list[bytes]) -> list[Span]:
    """The differing spans of two lists of lines, in order. Common ends are taken off first: most edits are local."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = _Comparison(old[head : len(old) - tail], new[head : len(new) - tail])
    spans, at, now = [], head, head
    for mine, theirs in [*middle.pairs(), (len(old) - tail - head, len(new) - tail - head)]:
        if mine + head > at or theirs + head > now:
            spans.append((at, mine + head, now, theirs + head))
        at, now = mine + head + 1, theirs + head + 1
    return spans


class _Comparison:
    """The lines that stay, of two lists that share no first and no last line."""

    def __init__(self, old: list[bytes], new: list[bytes]) -> None:
        common = set(old) & set(new)
        # A line that only one side has is changed in any case: leaving it out keeps the answer and saves most work.
        self.old_rows = [row for row, line in enumerate(old) if line in common]
        self.new_rows = [row for row, line in enumerate(new) if line in common]
        self.old = [old[row] for row in self.old_rows]
        self.new = [new[row] for row in self.new_rows]
        self.work = _WORK

    def pairs(self) -> list[Pair]:
        ends = (0, len(self.old), 0, len(self.new))
        found = self._least(ends)
        if found is None:
            self.work = _WORK
            found = self._between(ends, self._landmarks())
        return [(self.old_rows[mine], self.new_rows[theirs]) for mine, theirs in found]

    def _between(self, ends: Span, landmarks: list[Pair]) -> list[Pair]:
        """The landmarks, and what the search finds between them."""
        at, stop, now, end = ends
        found: list[Pair] = []
        for mine, theirs in [*landmarks, (stop, end)]:
            found.extend(self._least((at, mine, now, theirs)) or [])
            if mine < stop:
                found.append((mine, theirs))
            at, now = mine + 1, theirs + 1
        return found

    def _landmarks(self) -> list[Pair]:
        """Lines that occur once on either side, the most of them that are in the same order on both."""
        mine, theirs = _once(self.old), _once(self.new)
        pairs = sorted((row, theirs[line]) for line, row in mine.items() if line in theirs)
        ends: list[int] = []  # for each length, the least new row that a run of it can end in
        rows: list[int] = []
        before: list[int] = []
        for index, (_, row) in enumerate(pairs):
            length = bisect_left(ends, row)
            before.append(rows[length - 1] if length else -1)
            ends[length : length + 1] = [row]
            rows[length : length + 1] = [index]
        chain, at = [], rows[-1] if rows else -1
        while at >= 0:
            chain.append(pairs[at])
            at = before[at]
        return chain[::-1]

    def _least(self, ends: Span) -> list[Pair] | None:
        """Pairs of equal lines, as many as there can be; None when finding them takes more work than is left.

        A row of the search holds, for each diagonal that so many changes can lead to, how far it was followed.
        """
        at, stop, now, end = ends
        old, new = self.old[at:stop], self.new[now:end]
        if not old or not new:
            return []  # as after the usual edit
        rows: list[array[int]] = []
        above = array("q")  # the row before
        high, wide = len(old), len(new)
        while self.work > 0:
            changes = len(rows)
            row = array("q")
            work = 0
            for step in range(changes + 1):
                # `_reached`, written out: most of the time of a large comparison is spent here.
                if not changes:
                    mine = 0
                elif not step:
                    mine = above[0]
                else:
                    mine = above[step - 1] + 1
                    if step < changes and mine <= above[step]:
                        mine = above[step]
                theirs = mine - 2 * step + changes
                start = mine
                while mine < high and theirs < wide and old[mine] == new[theirs]:
                    mine += 1
                    theirs += 1
                work += 1 + mine - start
                row.append(mine)
                if mine >= high and theirs >= wide:
                    self.work -= work
                    return [(a + at, b + now) for a, b in _retraced(rows, high, wide)]
            self.work -= work
            rows.append(row)
            above = row
        return None


def _is_down(row: array[int], step: int) -> bool:
    """Whether a diagonal is reached by adding a new line, from the one to its right; else by removing an old one."""
    return step == 0 or (step < len(row) and row[step - 1] < row[step])


def _reached(row: array[int], step: int) -> int:
    return row[step] if _is_down(row, step) else row[step - 1] + 1


def _retraced(rows: list[array[int]], mine: int, theirs: int) -> list[Pair]:
    """The equal lines on the way that a finished search took, followed from its end; `rows` are those before it."""
    pairs: list[Pair] = []
    for changes in range(len(rows), -1, -1):
        begin = 0
        if changes:
            step = (mine - theirs + changes) // 2
            begin = _reached(rows[changes - 1], step)
        while mine > begin:
            mine, theirs = mine - 1, theirs - 1
            pairs.append((mine, theirs))
        if changes and _is_down(rows[changes - 1], step):
            theirs -= 1
        else:
            mine -= 1
    return pairs[::-1]


def _once(lines: list[bytes]) -> dict[bytes, int]:
    """The rows of the lines that occur once."""
    rows: dict[bytes, int] = {}
    for row, line in enumerate(lines):
        rows[line] = -1 if line in rows else row
    return {line: row for line, row in rows.items() if row >= 0}
