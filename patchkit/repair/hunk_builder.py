"""A refused hunk written anew, from how its old lines lie on the file.

Takes the hunk, the reading of its old lines and the file's lines; gives the lines of one hunk or several, with the
file's own text for old lines and the lines that were left out put back. Nothing is given where it is not clear where
added lines go, or where the hunk expects a line beside them that the file lacks.
"""

from __future__ import annotations

from patchkit.core.language import Hunk
from patchkit.core.matching import SEVERAL, indentation
from patchkit.core.matching.scopes.openings import opening
from patchkit.guards.placeholders import elision
from patchkit.repair.alignment import ALIKE, LONGEST_GAP, MOSTLY, Alignment
from patchkit.repair.garbled import GARBLED

_FENCES = ("```", "~~~")  # of the answer that a hunk came in: its last line may be one that the file lacks
_ONE_SIDE = ("above", "below")


class HunkBuilder:
    """Writes a hunk anew from how its old lines lie on the file."""

    def __init__(self, hunk: Hunk, reading: Alignment, texts: list[str]) -> None:
        self._hunk = hunk
        self._reading = reading
        self._texts = texts
        self._hunks: list[tuple[list[str], int]] = []  # lines, and the file's line of the first old one
        self._lines: list[str] = []
        self._first = -1
        self._unlike = {row for row, like in zip(reading.rows, reading.likeness) if like < ALIKE}
        self.is_guess = False  # whether the file does not show how to indent what is added

    def build(self) -> list[tuple[list[str], int]]:
        """The lines of each hunk and where it begins; nothing where no change is left or its place is unclear."""
        if self._is_adrift():
            return []
        index, last = -1, -1  # of old lines; the file's line of the last one that lies on the file
        added: list[str] = []
        above = ""  # the sign of the last old line
        lost = ""  # where kept lines are that the file lacks: above the added ones, below them, or both
        count, worded = 0, True  # how many of them, and whether each has words or follows a few lines below
        lines = self._indented()
        if lines is None:
            return []
        lines = self._each_at_its_own(lines)
        for line in lines:
            if line[0] == "+":
                if "below" in lost:
                    return []  # a line between two additions is not in the file
                added.append(line)
                continue
            index += 1
            row = self._reading.rows[index]
            if row < 0:
                fence = index == len(self._reading.rows) - 1 and line[1:].strip() in _FENCES
                if line[0] == " " and line[1:].strip() and not fence:
                    lost += "below" if added else "above"
                    count += 1
                    worded = worded and (any(map(str.isalnum, line)) or self._is_below(line[1:], last))
                continue
            if added and last < 0 and lost:
                return []  # the lines that say where they go are not in the file
            if added and (count > row - last - 1 or not worded) and not (lost in _ONE_SIDE and self._is_sure()):
                return []  # the hunk expects a line beside them that nothing in the file is another form of
            if above == line[0] == "-" and not added and self._leaves_block(last, row):
                return []
            if added and above == "-" and line[0] == " " and any(map(str.strip, self._texts[last + 1 : row])):
                return []  # whether the lines that were left out go with those that are replaced is not said
            if above == line[0] == "-" and not added and self._replaces_what_is_between(index, row - last - 1):
                for number in range(last + 1, row):
                    self._emit("-" + self._texts[number], number)
                last = row - 1
            self._go_on(last, row, added, above + lost, line[0] + lost)
            added, lost, count, worded = [], "", 0, True
            self._emit(line[0] + self._texts[row], row)
            last, above = row, line[0]
        if added:
            at_end = self._hunk.of_texts and last == len(self._texts) - 1  # no other line can be meant
            if last < 0 or ("above" in lost and not at_end) or not worded:
                return []
            if lost and above == " " and self._stands_alone(last):
                return []  # a brace above them shows no place, and the line below is not in the file
            self._lines.extend(added)
        self._close()
        return [each for each in self._hunks if any(line[0] != " " for line in each[0])]

    def _each_at_its_own(self, lines: list[str]) -> list[str]:
        """The lines with each added one below the removed one that it replaces, where the file has others between."""
        made: list[str] = []
        index, start = -1, 0  # of old lines; of the change at hand among the lines made
        rows = self._reading.rows
        removed: list[int] = []  # of the change at hand
        for line in [*lines, " "]:
            if line[0] == " " or (line[0] == "-" and made[-1:] and made[-1][0] == "+"):
                old, new = made[start : start + len(removed)], made[start + len(removed) :]
                ends = [n for n, (a, b) in enumerate(zip(removed, removed[1:]), 1) if 0 <= rows[a] < rows[b] - 1]
                if ends and len(old) == len(new):
                    parts = zip([0, *ends], [*ends, len(old)])
                    made[start:] = [each for a, b in parts for each in (*old[a:b], *new[a:b])]
                start, removed = len(made) + (line[0] == " "), []
            index += line[0] != "+"
            if line[0] == "-":
                removed.append(index)
            made.append(line)
        return made[:-1]

    def _is_sure(self) -> bool:
        """Whether a text has its place by many lines that are the same, whatever one of them says."""
        same = sum(like == 1 for like in self._reading.likeness)
        missing = [old for old, row in zip(self._hunk.old(), self._reading.rows) if row < 0]
        is_text = not any(GARBLED in old for old in missing) and not elision(missing, ())
        return self._hunk.of_texts and is_text and same > SEVERAL and same >= MOSTLY * len(self._reading.likeness)

    def _replaces_what_is_between(self, index: int, count: int) -> bool:
        """Whether lines that were left out go with those around them: a text as a whole is put in place of another."""
        if not self._hunk.of_texts or not 0 < count <= LONGEST_GAP:
            return False
        old = -1
        for at, line in enumerate(self._hunk.lines):
            old += line[0] != "+"
            if old == index:
                following = "".join(each[0] for each in self._hunk.lines[at:]).lstrip("-")
                return following[:1] == "+"
        return False

    def _leaves_block(self, last: int, row: int) -> bool:
        """Whether a definition that is less deep is opened between two lines that are removed in a row."""
        depth = len(indentation.margin_of(self._texts[last]))
        return any(each[1] < depth for each in map(opening, self._texts[last + 1 : row]) if each is not None)

    def _stands_alone(self, row: int) -> bool:
        """Whether a line without words lies on this one, and the hunk has another line above it than the file has."""
        index = self._reading.rows.index(row)
        beside = index > 0 and self._reading.rows[index - 1] == row - 1
        return not beside and not any(map(str.isalnum, self._texts[row]))

    def _is_below(self, text: str, row: int) -> bool:
        """Whether a line of the file is this one, a few lines below another."""
        return text in self._texts[row + 1 : row + 1 + LONGEST_GAP]

    def _is_adrift(self) -> bool:
        """Whether lines are added between kept lines that are far from each other in the file: nothing says where."""
        index, above, adds = -1, -1, False
        for line in self._hunk.lines:
            if line[0] == "+":
                adds = True
                continue
            index += 1
            row = self._reading.rows[index]
            if line[0] == "-":
                above, adds = -1, False
            elif row >= 0 and any(map(str.isalnum, line)):
                if adds and 0 <= above < row - LONGEST_GAP - 1:
                    return True
                above, adds = row, False
        return False

    def _go_on(self, last: int, row: int, added: list[str], above: str, below: str) -> None:
        """Writes added lines, and the lines of the file that were left out before `row`."""
        gap = self._texts[last + 1 : row] if last >= 0 else []
        if added and gap and _holds(gap, added):
            added = []  # they are there already
        if last < 0 or not gap:
            self._lines.extend(added)
            return
        first = self._goes_first(added, above, below, last, row)
        if first:
            self._lines.extend(added)
        if len(gap) <= LONGEST_GAP:
            for number, text in enumerate(gap, last + 1):
                self._emit(" " + text, number)
        else:
            if first and added:
                self._emit(" " + self._texts[last + 1], last + 1)
            self._close()
            if added and not first:
                self._emit(" " + self._texts[row - 1], row - 1)
        if not first:
            self._lines.extend(added)

    def _goes_first(self, added: list[str], above: str, below: str, last: int, row: int) -> bool:
        """Whether added lines belong right below the line above them, and not above the one below them.

        Lines of the hunk that the file lacks are other words for those that were left out.
        """
        lost = above[1:]
        if lost and not ("above" in lost and "below" in lost):
            return "below" in lost
        if above[0] == "-" or below[0] == "-":
            return above[0] == "-"
        return any(map(str.isalnum, self._texts[last])) or not any(map(str.isalnum, self._texts[row]))

    def _emit(self, line: str, row: int) -> None:
        if self._first < 0:
            self._first = row
        self._lines.append(line)

    def _close(self) -> None:
        """Ends a hunk, without context at its ends that is only like the file's."""
        while self._first >= 0 and "".join(line[0] for line in self._lines[:2]) in ("  ", " -"):
            if self._first not in self._unlike:
                break
            self._first += 1
            del self._lines[0]
        last = self._first + sum(line[0] != "+" for line in self._lines) - 1
        while "".join(line[0] for line in self._lines[-2:]) in ("  ", "- ") and last in self._unlike:
            last -= 1
            del self._lines[-1]
        if self._lines and self._first >= 0:
            self._hunks.append((self._lines, self._first))
        self._lines, self._first = [], -1

    def _indented(self) -> list[str] | None:
        """The hunk's lines, the added ones indented as the file's lines show, or as the nearest are that it has.

        Lines that are only like those of the file show it where no others do.
        """
        found = list(zip(self._reading.rows, self._reading.likeness))
        enough = 1 if any(row >= 0 and like == 1 and self._texts[row].strip() for row, like in found) else 0
        matched = [self._texts[row] if row >= 0 and like >= enough else "" for row, like in found]
        unit = indentation.unit_of(self._texts)
        lines = indentation.follow(self._hunk.lines, matched, unit)
        self.is_guess = lines is None
        return lines if lines is not None else indentation.likely(self._hunk.lines, matched, unit)


def _holds(gap: list[str], added: list[str]) -> bool:
    """Whether all that is added is in the lines that were left out, in order."""
    there = iter([text.strip() for text in gap])
    return all(line[1:].strip() in there for line in added if line[1:].strip())
