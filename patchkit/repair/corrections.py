"""What a hunk that was refused should have said, where one reading is clearly best.

Takes the file, the hunk and why it has no place; gives the hunks to send instead and the lines where they go, or
nothing. A correction takes the file's own text for kept and removed lines, puts back lines that were left out,
splits a hunk where many were left out, and drops what is there already. It changes no added line beyond its
indentation, and removes no line that the hunk does not show. docs/matching.md says what counts as certain.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, groupby, takewhile

from patchkit.core.changes import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import FEW, LONGEST, MANY, SEVERAL, WORD, Match, Miss, WorkBudget, indentation
from patchkit.core.matching.already_applied import known_part, removed_lines, runs
from patchkit.core.matching.indentation import Line, margin_of
from patchkit.core.matching.locate import locate
from patchkit.core.matching.passes import PASSES, View, Views
from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.matching.scopes.openings import defines_another, is_slip, opening
from patchkit.core.text import Document
from patchkit.guards.placeholders import elisions
from patchkit.repair.alignment import (
    ALIKE,
    COMPARISON,
    HALF,
    LONGEST_GAP,
    MOST_LINES,
    MOSTLY,
    NEARLY,
    TELLING,
    Alignment,
    align,
    likeness,
)
from patchkit.repair.garbled import GARBLED, with_less_changed
from patchkit.repair.near_miss import NearMiss, letters_of
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


# A refused block written anew, from how the text that it wants lies on the file.
#
# Takes a hunk that was made from two texts and the file's lines; gives the lines of a hunk that turns the file's text
# into the new one, and where it begins. That is for a file that has an earlier form of the new text: the block is for
# the state before. Lines of the file that neither text shows stay, and nothing is given where new lines would go beside
# them or in their place.
class _Gap(Record):
    """What a hunk has between two lines that are the same in the file."""

    wanted: list[tuple[str, bool]] = []  # lines of the new text, and whether the old text has them
    removed: list[str] = []

    @property
    def has_words(self) -> bool:
        return any(text.strip() for text, _ in self.wanted) or any(map(str.strip, self.removed))


def wanted_text(hunk: Hunk, view: View, texts: list[str], budget: WorkBudget) -> tuple[list[str], int] | None:
    """The lines of the hunk that makes the new text, and where it begins; None where that is not clear."""
    ends = [at for at, line in enumerate(hunk.lines) if line[0] == " "]
    if len(ends) == len(hunk.lines) or len(hunk.lines) > MOST_LINES or _is_unfit(hunk.new(), texts):
        return None
    inner = hunk.lines[ends[0] : ends[-1] + 1] if ends else []
    around = _part(PASSES[-1].lines([line[1:] for line in inner if line[0] == " "]), view, len(hunk.lines))
    if around is None:
        return None
    new = [line[1:] for line in inner if line[0] != "-"]
    reading = align(new, _kept_beside_changes(inner), view, budget, *around)
    if reading is None:
        return None
    gaps, rows = _cut(inner, reading, texts)
    if not rows or gaps[0].has_words or gaps[-1].has_words or not _is_enough(inner, gaps):
        return None
    top, bottom = hunk.lines[: ends[0]], hunk.lines[ends[-1] + 1 :]
    first, last = rows[0] - _removed(top), rows[-1] + 1 + _removed(bottom)
    parts = [
        _edge(top, texts[max(first, 0) : rows[0]]),
        *(_settled(gap, texts[above + 1 : row], budget) for above, row, gap in zip(rows, rows[1:], gaps[1:])),
    ]
    made: list[str] = []
    for row, part in zip([*rows, -1], [*parts, _edge(bottom, texts[rows[-1] + 1 : last])]):
        if part is None:
            return None
        made += [*part, " " + texts[row]] if row >= 0 else part
    added = [line[1:] for line in bottom if line[0] == "+"]
    if not any(line[0] != " " for line in made) or (added and added[:1] == texts[last : last + 1]):
        return None
    return made, first


def _is_unfit(new: list[str], texts: list[str]) -> bool:
    """Whether the new text has lines that no file should get: garbled on their way, or dots in place of others."""
    return any(GARBLED in line for line in new) or bool(set(elisions(new)).difference(map(str.strip, texts)))


def _removed(lines: list[str]) -> int:
    return sum(line[0] == "-" for line in lines)


def _edge(lines: list[str], there: list[str]) -> list[str] | None:
    """Changes above the first kept line or below the last one, where what they remove is there; else None."""
    old = [line[1:].strip() for line in lines if line[0] == "-"]
    if old != [text.strip() for text in there]:
        return None
    own = iter(there)
    return ["-" + next(own) if line[0] == "-" else line for line in lines]


def _part(kept: list[str], view: View, size: int) -> tuple[int, int] | None:
    """The part of the file that the kept lines are in, by those that it has once; None where most are elsewhere."""
    once = _only_rows(kept, view)
    if not once:
        return None
    middle = sorted(once)[len(once) // 2]
    near = [row for row in once if abs(row - middle) <= size + FEW]
    if 2 * len(near) < len(once):
        return None
    return max(0, min(near) - size), min(len(view.lines), max(near) + size + 1)


def _only_rows(lines: list[str], view: View) -> list[int]:
    """Where those of the lines are that say enough and that the file has once."""
    rows = [view.numbers(line) for line in lines if len(_letters(line)) >= TELLING]
    return [each[0] for each in rows if len(each) == 1]


def _kept_beside_changes(lines: list[str]) -> list[int]:
    """Which of the new lines are kept and have a line beside them that is added or removed."""
    new = [row for row, line in enumerate(lines) if line[0] != "-"]
    return [index for index, row in enumerate(new) if lines[row][0] == " " and _signs_around(lines, row) != {" "}]


def _signs_around(lines: list[str], row: int) -> set[str]:
    """The signs of a line and of those above and below it."""
    return {line[0] for line in lines[max(row - 1, 0) : row + 2]}


def _cut(lines: list[str], reading: Alignment, texts: list[str]) -> tuple[list[_Gap], list[int]]:
    """The lines that are the same in the file, as its rows, and what is above each of them and below the last."""
    gaps, rows = [_Gap()], list[int]()
    index = -1
    for line in lines:
        text = line[1:]
        if line[0] == "-":
            gaps[-1].removed.append(text)
            continue
        index += 1
        row = reading.rows[index]
        same = row >= 0 and reading.likeness[index] == 1
        if same and (not text.strip() or margin_of(text) == margin_of(texts[row])):
            rows.append(row)
            gaps.append(_Gap())
        else:
            gaps[-1].wanted.append((text, line[0] == " "))
    return gaps, rows


def _is_enough(lines: list[str], gaps: list[_Gap]) -> bool:
    """Whether half of what the hunk keeps is the same in the file, and several lines of it."""
    kept = [line[1:] for line in lines if line[0] == " "]
    missing = [text for gap in gaps for text, is_kept in gap.wanted if is_kept]
    total, lost = (sum(letters_of(text) for text in some) for some in (kept, missing))
    telling, without = (sum(len(_letters(text)) >= TELLING for text in some) for some in (kept, missing))
    return lost <= (1 - HALF) * total and telling - without >= SEVERAL


def _settled(gap: _Gap, there: list[str], budget: WorkBudget) -> list[str] | None:
    """The lines of a hunk for what the file has in a gap; None where some of it would be a guess."""
    if not budget.spend(COMPARISON * len(gap.wanted) * len(there)):
        return None
    removed = [text.strip() for text in gap.removed]
    made: list[str] = []
    rest = list(there)
    lacks = differs = unseen = False  # a kept line; and whether lines are not those of the new text, nor of the old
    for text, kept in gap.wanted:
        at = next((n for n, other in enumerate(rest) if _is_form_of(text, other)), None)
        if at is None:
            lacks = lacks or (kept and bool(text.strip()))
            made.append("+" + text)
            continue
        made += [_left_or_removed(other, removed) for other in rest[:at]]
        other, rest = rest[at], rest[at + 1 :]
        changed = other.strip() != text.strip()
        if changed and defines_another(text, other):
            return None
        differs = differs or changed
        if other.strip() in removed:
            removed.remove(other.strip())
        else:
            unseen = unseen or (changed and not kept)
        made += [" " + other] if (kept and changed) or other == text else ["-" + other, "+" + text]
    made += [_left_or_removed(other, removed) for other in rest]
    left = [line for line in made if line[0] == "?"]
    if (lacks and (differs or left)) or (unseen and any(removed)):
        return None  # the file may have something else in its place
    if left and (len(left) > LONGEST_GAP or any(line[0] != "?" for line in made) or any(removed)):
        return None
    return [" " + line[1:] if line[0] == "?" else line for line in made]


def _left_or_removed(text: str, removed: list[str]) -> str:
    """A line of the file with its sign: removed where the hunk says so, else '?'; blank lines stay."""
    bare = text.strip()
    if bare in removed:
        removed.remove(bare)
        return "-" + text
    return ("?" if bare else " ") + text


def _is_form_of(wanted: str, text: str) -> bool:
    """Whether a line of the file is a wanted one, or an earlier form of it."""
    one, other = wanted.strip(), text.strip()
    return one == other if not one or not other else likeness(one, other) > 0


# A refused hunk written anew, from how its old lines lie on the file.
#
# Takes the hunk, the reading of its old lines and the file's lines; gives the lines of one hunk or several, with the
# file's own text for old lines and the lines that were left out put back. Nothing is given where it is not clear where
# added lines go, or where the hunk expects a line beside them that the file lacks.
_FENCES = ("```", "~~~")  # of the answer that a hunk came in: its last line may be one that the file lacks


class HunkBuilder(Record):
    """Writes a hunk anew from how its old lines lie on the file."""

    _hunk: Hunk
    _reading: Alignment
    _texts: list[str]
    _hunks: list[tuple[list[str], int]] = []  # lines, and the file's line of the first old one
    _lines: list[str] = []
    _first: int = -1
    is_guess: bool = False  # whether the file does not show how to indent what is added

    def build(self) -> list[tuple[list[str], int]]:
        """The lines of each hunk and where it begins; nothing where no change is left or its place is unclear."""
        if self._is_adrift():
            return []
        index, last = -1, -1  # of old lines; the file's line of the last one that lies on the file
        added: list[str] = []
        above = ""  # the sign of the last old line
        lost = ""  # where kept lines are that the file lacks: above the added ones, below them, or both
        count, worded = 0, True  # how many of them, and whether each has words
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
                    worded = worded and any(map(str.isalnum, line))
                continue
            if added and last < 0 and lost:
                return []  # the lines that say where they go are not in the file
            if added and (count > row - last - 1 or not worded):
                return []  # the hunk expects a line beside them that nothing in the file is another form of
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
        if not all(self._drops_what_is_there(lines) for lines, _ in self._hunks):
            return []
        return [each for each in self._hunks if any(line[0] != " " for line in each[0])]

    def _drops_what_is_there(self, lines: list[str]) -> bool:
        """Takes out added lines that are put back among those left out; False where they are part of a block."""
        shown = {text.strip() for text in self._hunk.old()}
        back = {line[1:].strip() for line in lines if line[0] == " " and len(_letters(line)) >= TELLING} - shown
        there = [line for line in lines if line[0] == "+" and line[1:].strip() in back]
        for line in there:
            lines.remove(line)
        self.is_guess = self.is_guess or bool(there)
        return not there or len({margin_of(line[1:]) for line in lines if line[0] == "+"}) < 2

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

    def _replaces_what_is_between(self, index: int, count: int) -> bool:
        """Whether lines that were left out go with those around them: a text as a whole is put in place of another."""
        if not self._hunk.of_texts or not 0 < count <= LONGEST_GAP:
            return False
        at = _old_rows(self._hunk.lines)[index]
        return "".join(each[0] for each in self._hunk.lines[at:]).lstrip("-")[:1] == "+"

    def _stands_alone(self, row: int) -> bool:
        """Whether a line without words lies on this one, and the hunk has another line above it than the file has."""
        index = self._reading.rows.index(row)
        beside = index > 0 and self._reading.rows[index - 1] == row - 1
        return not beside and not any(map(str.isalnum, self._texts[row]))

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
            added, self.is_guess = [], True  # they are there already
        if last < 0 or not gap:
            self._lines.extend(added)
            return
        if len(gap) == len(added) and all(map(_has_it, [line[1:] for line in added], gap)):
            for number, line in enumerate(added, last + 1):
                self._emit("-" + self._texts[number], number)
                self._lines.append(line)
            self.is_guess = True
            return
        first = self._goes_first(above, below, last, row)
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

    def _goes_first(self, above: str, below: str, last: int, row: int) -> bool:
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
        lines = indentation.follow(self._hunk.lines, matched, lambda: unit)
        self.is_guess = lines is None
        return lines if lines is not None else _likely(self._hunk.lines, matched, unit)


def _has_it(wanted: str, there: str) -> bool:
    """Whether an added line is a line of the file, or all of it and a little more between."""
    one, other = wanted.strip(), there.strip()
    more = len(_letters(other)) >= TELLING and _has_more(one, other) and likeness(other, one) >= ALIKE
    return one == other or more


def _holds(gap: list[str], added: list[str]) -> bool:
    """Whether all that is added is in the lines that were left out, in order."""
    there = iter([text.strip() for text in gap])
    if len(_letters("".join(added))) < TELLING:
        return False  # a brace is everywhere
    return all(line[1:].strip() in there for line in added if line[1:].strip())


# Removed lines that the file has in another form: partly changed as the hunk wants it, or with more around them.
def replacing(lines: list[str], even: bool = False) -> dict[int, int]:
    """For each removed line of a hunk the added line that takes its place, by their numbers among all lines.

    With `even` only those of changes that add as many lines as they remove.
    """
    found: dict[int, int] = {}
    removed: list[int] = []
    added: list[int] = []
    for at, line in enumerate([*lines, " "]):
        if line[0] == "+":
            added.append(at)
            continue
        if line[0] == " " or added:
            found.update(zip(removed, added) if not even or len(removed) == len(added) else ())
            removed, added = [], []
        if line[0] == "-":
            removed.append(at)
    return found


def filled(hunk: Hunk, reading: Alignment, texts: list[str]) -> Alignment:
    """The reading with a place for removed lines where the file has as many others, each like the one that is added."""
    rows, alike = list(reading.rows), list(reading.likeness)
    partners = replacing(hunk.lines)
    numbers = _old_rows(hunk.lines)
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


def added_for(hunk: Hunk) -> list[str]:
    """For each old line the added line in its place; '' where there is none."""
    new = {at: hunk.lines[partner][1:] for at, partner in replacing(hunk.lines).items()}
    return [new.get(at, "") for at in _old_rows(hunk.lines)]


def completed(hunk: Hunk, reading: Alignment, texts: list[str]) -> tuple[Hunk, Alignment]:
    """A block whose removed lines are others in the file by now: both texts with what the file has.

    A line is completed if one added line takes its place: with what is around it where it is a part of the file's line,
    and that is not there already; else with the file's words where only those around them are changed.
    """
    lines, alike = list(hunk.lines), list(reading.likeness)
    partners = replacing(hunk.lines, even=True)
    numbers = _old_rows(hunk.lines)
    for index, (at, row) in enumerate(zip(numbers, reading.rows)):
        partner = partners.get(at)
        if row < 0 or alike[index] == 1 or partner is None:
            continue
        old, there, new = lines[at][1:].strip(), texts[row].strip(), lines[partner][1:].strip()
        margin = margin_of(texts[row])
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
    if not theirs or max(len(base), len(ours), len(theirs)) > LONGEST:
        return None
    from patchkit.diffs.merge import merged  # few refusals come so far

    both = merged(_words(base), _words(ours), _words(theirs))
    made = b"".join(both.lines()).decode("utf-8", "surrogatepass")
    return None if both.conflicts or made == ours else made


def parts_of(line: str, belongs: Callable[[str], bool]) -> list[str]:
    """A line as runs of characters that belong together, of spaces, and single others."""
    parts: list[str] = []
    for (together, space), run in groupby(line, lambda char: (belongs(char), char.isspace())):
        text = "".join(run)
        parts += [text] if together or space else text
    return parts


def _words(line: str) -> list[bytes]:
    return [part.encode("utf-8", "surrogatepass") for part in parts_of(line, in_word)]


def in_word(char: str) -> bool:
    """Whether a character is a letter, a digit or an underscore."""
    return char.isalnum() or char == "_"


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
            if start and self._ends[bisect_left(self._ends, start)] != start:
                return None  # inside a line
            for line in reversed(lines[: at[0]]):
                if line.strip() or row == len(self._texts) or self._texts[row].strip():
                    break
                row += 1
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
            # What is around the part may be in the new text, too.
            front, rest, old, new = there[0][: part[0]], there[0][part[1] :], "".join(removed).strip(), added[0].strip()
            new = new if old.startswith(front.lstrip()) else new.removeprefix(front.lstrip())
            new = new if old.endswith(rest.rstrip()) else new.removesuffix(rest.rstrip())
            added = [front + new + rest]
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
        from unicodedata import combining, normalize  # a library that most refusals do without

        bare = "".join(char for char in text if not combining(char))  # first: ordering many marks takes the square
        text = "".join(char for char in normalize("NFKD", bare) if not combining(char))
    return "".join(text[len(_opening(text)) :].replace("\\", "").split())


def _part_of(text: str, before: int, size: int) -> tuple[int, int] | None:
    """Where a part of a line begins and ends, of which the bare line has `before` characters in front; whole words."""
    margin = len(_opening(text))
    ends = [*[0] * margin, *accumulate((len(_bare(char)) for char in text[margin:]), initial=0)]
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


CERTAIN = "certain"  # only whitespace, typography or order differ
LIKELY = "likely"


class Correction(Record):
    """The hunks to send instead of one, none if it can be left out, the line each goes to (from 0), and how sure."""

    hunks: list[Hunk]
    lines: list[int]
    certainty: str = LIKELY


class Corrections:
    """The refused hunks of one file."""

    def __init__(
        self,
        document: Document,
        hunks: list[Hunk],
        budget: WorkBudget | None = None,
        taken: set[int] | frozenset[int] = frozenset(),
    ) -> None:
        """`hunks` are all of the file's: what one of them removes, another may put elsewhere.

        `taken` are lines of the file that other hunks remove.
        """
        self._taken = taken
        self._document = document
        self._texts = document.texts
        self._views = Views(self._texts)
        self._anchors = Anchors(self._texts, self._views)
        self._gone = removed_lines(hunks)
        self._bare: BareText | None = None
        self._budget = budget if budget is not None else WorkBudget()

    def of(self, hunk: Hunk, miss: Miss, above: int = 0, below: int | None = None) -> Correction | None:
        """The one best correction; None when there is none, or more than one.

        `above` and `below` are the lines between which the hunks around it leave it free.
        """
        correct = CORRECTED.get(miss.code)
        found = correct(self, hunk, miss) if correct is not None else None
        if found is None and miss.code in _ALIGNED:
            stop = len(self._texts) if below is None else below
            found = self._aligned(hunk, above, stop)
            if hunk.of_texts and (found is None or found.certainty == LIKELY):
                found = self._as_wanted(hunk) or found
        if found is not None and found.certainty == LIKELY and _is_elsewhere(found, miss.facts.get("near")):
            return None  # than the lines that come nearest to the hunk's
        if found is not None and miss.code == "P212":
            found.certainty = LIKELY  # how to indent what it adds is what is not clear
        return found

    # -- one for each reason ---------------------------------------------------------------------

    def _left_out(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk that is applied already, at one place, and shows enough to know that."""
        if miss.facts.get("whole"):
            return Correction([], [], CERTAIN)  # it adds definitions, and the file has all of them
        signs = [line[0] for line in hunk.lines if line[1:].strip()]
        adds, kept = "+" in signs, [n for n, sign in enumerate(signs) if sign == " "]
        between = "-" in signs[kept[0] : kept[-1]] if kept else False
        if len(miss.candidates) != 1 or not (adds or between):
            return None
        place, new = miss.candidates[0], hunk.new()
        there = self._texts[place : place + len(new)] == new
        return Correction([], [], CERTAIN) if there or not hunk.old() else None

    def _not_at_the_end(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk whose text is at one place, which is not the end of the file."""
        if len(miss.candidates) != 1 or hunk.final_newline is not None:
            return None
        return Correction([Hunk(hunk.anchors, hunk.lines, line=hunk.line)], miss.candidates[:1])

    def _as_it_stands(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk that fits one place by a pass that is not allowed."""
        return self._located(hunk, CERTAIN) if len(miss.candidates) == 1 else None

    def _located(self, hunk: Hunk, certainty: str) -> Correction | None:
        """A hunk that fits one place by some pass, with the file's own lines."""
        match = locate(self._document, [hunk], Options())[0]
        if not isinstance(match, Match) or match.pairs is not None:
            return None
        return Correction([self._as_the_file(hunk, match.line, match.lines)], [match.line], certainty)

    def _without_anchors(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk whose text is at one place outside its anchors, and does not depend on them.

        It does where the anchor names another definition: then the anchor may be right and the lines a twin. Not so
        where the anchor opens none, or where the hunk shows a line that opens a definition beside it. One inside it
        may have a twin of the same name: a method of another class.
        """
        if len(miss.candidates) != 1:
            return None
        place = miss.candidates[0]
        depths = [each.definition.depth for each in self._anchors.scopes(hunk.anchors) if each.definition is not None]
        shown = [
            each[1] for each in map(opening, self._anchors.lines[place : place + len(hunk.old())]) if each is not None
        ]
        if depths and min(shown, default=max(depths) + 1) > min(depths):
            return None
        return Correction([_with(hunk, [])], [place])

    def _other_anchor(self, hunk: Hunk, miss: Miss) -> Correction | None:
        """A hunk whose anchor is nowhere: without it if its lines have one place, or with the one that was meant."""
        if not hunk.old():
            anchors = self._anchors_meant(hunk)
            scopes = self._anchors.scopes(anchors) if anchors else []
            return Correction([_with(hunk, anchors or [])], [scopes[0].line + 1]) if len(scopes) == 1 else None
        return self._located(_with(hunk, []), LIKELY)

    # -- the best reading of a hunk that fits nowhere ----------------------------------------------

    def _aligned(self, hunk: Hunk, above: int, below: int) -> Correction | None:
        """The hunk as its lines lie on the file, where one reading of them is clearly the best."""
        sent, hunk = hunk, with_less_changed(hunk)
        if any(GARBLED in line for line in hunk.lines if line[0] == "+"):
            return None
        if all(line[0] == " " for line in hunk.lines):
            return self._of_no_change(sent, hunk)
        if 2 * (_removed(sent.lines) - _removed(hunk.lines)) > len(sent.old()):
            wished = self._wished(sent)
            if wished is not None:
                return wished
        start, stop, anchors = self._scope(hunk, above, below)
        only = _only_rows(PASSES[-1].lines(hunk.old()), self._views.by(PASSES[-1])) if anchors else []
        astray = [row for row in only if not start <= row < stop]
        if len(only) == len(astray) > 1:
            start, stop, anchors = above, below, []  # the anchor names another place than the hunk shows
        core = self._by_what_it_changes(hunk, start, stop)
        found = core if core is not None and core.certainty == CERTAIN else None
        if found is None:
            found = self._as_it_lies(hunk, start, stop, anchors)
        if found is None or found.certainty == LIKELY:
            found = self._rewrapped(hunk) or found or core
        if found is not None and (astray or not self._is_together(hunk, found)):
            found.certainty = LIKELY
        return found

    def _is_together(self, hunk: Hunk, found: Correction) -> bool:
        """Whether old lines that follow each other in the file do so at a correction, or as near as a hunk is long."""
        view, old = self._views.by(PASSES[-1]), PASSES[-1].lines(hunk.old())
        spans = [(at - len(old), at + len(each.old()) + len(old)) for at, each in zip(found.lines, found.hunks)]
        pairs = [pair for pair in dict.fromkeys(zip(old, old[1:])) if min(map(len, map(_letters, pair))) >= WORD]
        few = [rows for pair in pairs if 0 < len(rows := view.occurrences([*pair])) <= FEW]
        return all(any(top <= row < end for row in rows for top, end in spans) for rows in few)

    def _as_it_lies(self, hunk: Hunk, start: int, stop: int, anchors: list[str]) -> Correction | None:
        """The hunk with the lines of the file that its old lines are, or are like, in order."""
        of_texts, view = hunk.of_texts, self._views.by(PASSES[-1])
        below = _below_added(hunk.lines)
        reading = align(hunk.old(), _pivots(hunk.lines), view, self._budget, start, stop, below, self._taken)
        reading = closed(hunk, filled(hunk, reading, self._texts), self._texts) if reading is not None else None
        if reading is not None and of_texts:
            hunk, reading = completed(hunk, reading, self._texts)
        if reading is None or not self._is_enough(hunk, reading):
            return None
        if not anchors and not self._is_recognised(hunk, reading):
            return None
        builder = HunkBuilder(hunk, reading, self._texts)
        built = builder.build()
        made = [self._unique(_with(hunk, anchors).with_lines(lines), row) for lines, row in built]
        if not made or any(self._is_known(each.lines) for each, _ in made):
            return None
        is_certain = not builder.is_guess and self._is_certain(hunk, reading)
        return Correction([each for each, _ in made], [row for _, row in made], CERTAIN if is_certain else LIKELY)

    def _of_no_change(self, sent: Hunk, hunk: Hunk) -> Correction | None:
        """A hunk that changes nothing: with the lines that it wants there, or left out.

        One that mostly removes what it adds was written for what an earlier patch should have made. The file's lines
        become those where each lies on one like it; where only some do, what it wants is not known.
        """
        made = self._with_its_plus(hunk)
        view = self._views.by(PASSES[-1])
        again = PASSES[-1].lines([line[1:] for line in sent.lines if line[0] == "-"])
        is_pin = 2 * len(again) < len(hunk.lines)
        if made is not None or is_pin or all(GARBLED in text or view.numbers(text) for text in again):
            texts = [text for text in again or PASSES[-1].lines(hunk.old()) if text]
            known = any(text in line for text in texts for line in view.lines)
            return made or Correction([], [], LIKELY if known else CERTAIN)
        return self._wished(sent)

    def _wished(self, hunk: Hunk) -> Correction | None:
        """A hunk that mostly removes what it adds, with the lines of the file that its lines are, or are like."""
        view, old, new = self._views.by(PASSES[-1]), hunk.old(), hunk.new()
        if len(old) != len(new):
            return None
        reading = align(old, list(range(len(old))), view, self._budget, 0, len(self._texts))
        if reading is None:
            return None
        first = reading.rows[0]
        if reading.rows != list(range(first, first + len(reading.rows))):
            return None
        lines, added = list[str](), {line[1:] for line in hunk.lines if line[0] == "+"}
        for was, text, there, bare, seen in zip(
            old, new, self._texts[first:], PASSES[-1].lines(new), view.lines[first:]
        ):
            stays = text.strip() == there.strip() or (bare == seen and was.strip() != there.strip())
            stays = stays or text not in added  # but context
            lines += [" " + there] if stays else ["-" + there, "+" + text]
        better, row = self._unique(_with(hunk, []).with_lines(lines), first)
        return Correction([better], [row])

    def _with_its_plus(self, hunk: Hunk) -> Correction | None:
        """A hunk of context lines with those that the file lacks as added ones, if the others have one place so."""
        view = self._views.by(PASSES[-1])
        lines = [("+" if text and not view.numbers(text) else " ") + text for text in PASSES[-1].lines(hunk.old())]
        signs = "".join([line[0] for line in lines])
        if not signs.strip(" ") or "+ " in signs.strip(" ") or signs[:1] == "+":
            return None
        made = hunk.with_lines([sign + line[1:] for sign, line in zip(signs, hunk.lines)])
        match = locate(self._document, [made], Options())[0]
        if not isinstance(match, Match) or match.pairs is not None:
            return None
        at = match.line + signs.index("+")
        added = [line[1:] for line in made.lines if line[0] == "+"]
        beside = self._texts[max(0, at - 1) : at + 1]
        signed = any(bare[:1] in ("+", "-") and bare[1:2] != " " for bare in map(str.strip, added))
        if signed or any(likeness(line, text) >= ALIKE for line in added for text in beside):
            return None  # a line of the file with a slip, or with another sign
        return Correction([made], [match.line])

    def _by_what_it_changes(self, hunk: Hunk, start: int, stop: int) -> Correction | None:
        """The hunk with the context that is beside what it removes, where all of that is in the file once.

        Lines that are only added go below the line above them, where that is there once with those above it, and the
        file has all other lines, too.
        """
        changed = [row for row, line in enumerate(hunk.lines) if line[0] != " "]
        first, last = changed[0], changed[-1] + 1
        view, old = self._views.by(PASSES[-1]), PASSES[-1].lines
        core = old([line[1:] for line in hunk.lines[first:last] if line[0] != "+"])
        head, tail = (old([line[1:] for line in part]) for part in (hunk.lines[:first], hunk.lines[last:]))
        if core:
            places = [n for n in view.occurrences(core) if start <= n and n + len(core) <= stop]
            places = [n for n in places if self._taken.isdisjoint(range(n, n + len(core)))]
            if len(places) != 1 or len(_letters("".join(core))) < TELLING:
                return None
            place = places[0]
            if any(opening(line) and not view.numbers(line) for line in (*head, *tail)):
                return None  # it may be meant for another definition
        else:
            if not all(view.numbers(line) for line in (*head, *tail) if line):
                return None
            if not head or len(_letters(head[-1])) < TELLING:
                return None
            # More lines are at fewer places, and at none where fewer are not.
            more = bisect_left(
                range(len(head)), True, key=lambda more: len(self._ends_of(head[-1 - more :], start, stop)) < 2
            )
            ends = self._ends_of(head[-1 - more :], start, stop)
            if len(ends) != 1:
                return None
            place = ends[0]
        above = _agreeing(reversed(head), reversed(view.lines[max(0, place - len(head)) : place]))
        end = place + len(core)
        below = _agreeing(tail, view.lines[end : end + len(tail)])
        if not above + below and len(_letters("".join(core))) < MANY:
            return None
        made = hunk.with_lines(hunk.lines[first - above : last + below])
        if made.lines == hunk.lines or any(GARBLED in line for line in made.lines) or self._is_known(made.lines):
            return None
        texts = self._texts[place - above : end + below]
        lines = indentation.follow(made.lines, texts, lambda: indentation.unit_of(self._texts))
        beside = self._texts[max(0, place - 1) : place] + self._texts[end : end + 1]
        added = [line[1:] for line in lines or () if _letters(line) and line[0] == "+"]
        if lines is None or any(_has_it(line, text) for line in added for text in beside):
            return None  # it would be there twice
        better = self._as_the_file(_with(made, []), place - above, lines)
        hunks, row = self._unique(better, place - above)
        # Beside what is only added, lines of the file may have been left out: above them or below them is not known.
        signs = "".join([line[0] for line in hunk.lines[first:last]])
        change = signs[signs.rfind(" ") + 1 :]  # the last one: with a line at most that is added, others were there
        is_one = "-" in change and change.count("+") <= 1
        mine, theirs = _first_line(hunk.lines[last:])[1:], _first_line(self._texts[end : end + LONGEST_GAP])
        same = _plain(mine) == _plain(theirs) and (_letters(mine) or not _is_other_brace(mine, theirs))
        follows = not tail or same
        precedes = above == len(head) if not core else above or not head
        is_certain = (precedes or signs[0] == "-") and (follows or is_one)
        return Correction([hunks], [row], CERTAIN if is_certain else LIKELY)

    def _ends_of(self, lines: list[str], start: int, stop: int) -> list[int]:
        """The lines behind the places of these lines."""
        found = self._views.by(PASSES[-1]).occurrences(lines)
        return [n + len(lines) for n in found if start <= n and n + len(lines) <= stop]

    def _rewrapped(self, hunk: Hunk) -> Correction | None:
        """The hunk on the file's own lines, where these have its text with other breaks, bullets or accents."""
        view = self._views.by(PASSES[-1])
        if all(view.numbers(text) for text in PASSES[-1].lines(hunk.old()) if text):
            return None
        if self._bare is None:
            self._bare = BareText(self._texts)
        made = self._bare.hunk(hunk.lines)
        if made is None or self._is_known(made[0]):
            return None
        better, row = self._unique(_with(hunk, []).with_lines(made[0]), made[1])
        same = "".join(map(_plain, hunk.old())) in "".join(map(_plain, self._texts))
        bare = any(_lost_its_bullet(mine, text, []) for mine in hunk.old() for text in better.old())
        return Correction([better], [row], CERTAIN if same and not bare else LIKELY)

    def _as_wanted(self, hunk: Hunk) -> Correction | None:
        """The block that makes its new text of an earlier form of it, where one reading of that is clearly the best."""
        made = wanted_text(hunk, self._views.by(PASSES[-1]), self._texts, self._budget)
        if made is None or self._is_known(made[0]):
            return None
        better, row = self._unique(hunk.with_lines(made[0]), made[1])
        return Correction([better], [row])

    def _scope(self, hunk: Hunk, above: int, below: int) -> tuple[int, int, list[str]]:
        """The lines that the hunk may lie on, and the anchors that it should keep."""
        if not hunk.anchors or hunk.hint is not None:
            return above, below, []
        anchors = hunk.anchors if self._anchors.scopes(hunk.anchors) else self._anchors_meant(hunk)
        scopes = self._anchors.scopes(anchors) if anchors else []
        if len(scopes) != 1 or anchors is None:
            return above, below, []
        scope = scopes[0]
        # Lines right above the anchor may belong to it: comments and decorators.
        return max(0, scope.line - len(hunk.old())), scope.end, anchors

    def _is_enough(self, hunk: Hunk, reading: Alignment) -> bool:
        """Whether a reading finds what the hunk needs: most of what it shows, and all that it removes."""
        rows = [line for line in hunk.lines if line[0] != "+"]
        total = found = 0.0
        gone, removed = 0, 0
        pivots = set(_pivots(hunk.lines))
        in_a_row = hunk.of_texts and _is_in_a_row(reading) and not self._is_begun(hunk, reading)
        added = [line[1:] for line in hunk.lines if line[0] == "+" and line[1:].strip()]
        escaped = any("\\" in text for text in added)
        unsigned = {sum(line[0] != "+" for line in hunk.lines[:row]) for row in hunk.unsigned or ()}
        for index, (line, row, like, new) in enumerate(zip(rows, reading.rows, reading.likeness, added_for(hunk))):
            weight = letters_of(line)
            total += weight
            removed += line[0] == "-" and weight > 0
            if row < 0:
                if index in unsigned:
                    return False  # it lost its sign, and may be one to add
                if line[0] == "-" and weight and any(map(str.strip, self._left_out_for(reading.rows, index))):
                    return False  # one of these may be it, and would stay
                gone += line[0] == "-" and weight > 0 and not (new and self._is_gone(line, reading, index))
                continue
            found += weight * like
            if index in pivots and not weight and _is_other_brace(line[1:], self._texts[row]):
                return False
            there = self._texts[row]
            least = MOSTLY if _is_enclosed(reading, index) else ALIKE
            loose = line[0] == "-" and not in_a_row
            if loose and like < least and weight and likeness(new.strip(), there.strip()) < ALIKE:
                return False
            other = loose and _numbers(there) not in (_numbers(line), _numbers(new))
            if other and not _has_more(there, line[1:]):
                return False  # another number is another value, not a slip
            if line[0] == "-" and like < 1 and _is_escaped(line[1:], there) and escaped:
                return False  # the added lines were escaped on their way, too
            if like < 1 and _lost_its_bullet(line[1:], there, [new] if line[0] == "-" else added):
                return False
            if like < 1 and not _has_ended(rows, reading, index, pivots) and defines_another(line[1:], there):
                return False
            if like < 1 and index in pivots and not _is_enclosed(reading, index) and self._is_another(line[1:], there):
                return False
        return found >= max(WORD, HALF * total) and SEVERAL * gone <= removed

    def _left_out_for(self, rows: list[int], index: int) -> list[str]:
        """The lines of the file between those around an old line that is not there; none where one side is open."""
        above = max(rows[:index], default=-1)
        below = next((row for row in rows[index:] if row >= 0), -1)
        return self._texts[above + 1 : below] if 0 <= above < below else []

    def _is_another(self, mine: str, theirs: str) -> bool:
        """Whether two lines differ in one word, no slip of the other, and a third line of the file in that word, too.

        So such lines are different by that word: `send({type: "Patch"})` is not `send({type: "Result"})`.
        """
        one, other = (["".join(run) for _, run in groupby(text.strip(), in_word)] for text in (mine, theirs))
        differing = [at for at, (a, b) in enumerate(zip(one, other)) if a != b]
        if len(one) != len(other) or len(differing) != 1:
            return False
        at = differing[0]
        start, end, words = "".join(one[:at]), "".join(one[at + 1 :]), (one[at], other[at])
        if is_slip(*words) or not all(map(in_word, "".join(words))):
            return False
        if not self._budget.spend(len(self._texts)):
            return True  # not known any more, and a correction less does no harm
        thirds = [text for text in map(str.strip, self._texts) if text.startswith(start) and text.endswith(end)]
        found = {text[len(start) : len(text) - len(end)] for text in thirds}
        return any(word and all(map(in_word, word)) for word in found.difference(words))

    def _is_begun(self, hunk: Hunk, reading: Alignment) -> bool:
        """Whether a removed line is what is added for it by now: the rest may be on its way to something else."""
        return any(
            row >= 0 and like < 1 and new.strip() == self._texts[row].strip()
            for row, like, new in zip(reading.rows, reading.likeness, added_for(hunk))
        )

    def _is_gone(self, line: str, reading: Alignment, index: int) -> bool:
        """Whether a removed line is gone already: the lines around it are the same in the file and follow each other.

        At the end of a hunk nothing is below it; there the file's next line must not begin like it.
        """
        rows, same = reading.rows, [row if like == 1 else -1 for row, like in zip(reading.rows, reading.likeness)]
        above = next((n for n in range(index, -1, -1) if rows[n] >= 0), 0)
        below = next((n for n in range(index, len(rows)) if rows[n] >= 0), -1)
        if not above or same[above - 1] < 0 or same[above] != same[above - 1] + 1:
            return False
        row = same[above] + 1
        if below >= 0:
            return same[below] == row
        following = self._texts[row].split() if row < len(self._texts) else []
        return following[:1] != line[1:].split()[:1]

    def _is_recognised(self, hunk: Hunk, reading: Alignment) -> bool:
        """Whether lines of which none is the same in the file are its own: by the same letters, or by many of them.

        Short lines of code are alike whatever they say. Where a line that is kept says alone where others are added, it
        has to be more alike.
        """
        if any(like == 1 for like in reading.likeness):
            return True
        kept = [line[0] == " " for line in hunk.lines if line[0] != "+"]
        if any(kept[each] and 0 < reading.likeness[each] < MOSTLY for each in _pivots(hunk.lines)):
            return False
        pairs = [(_letters(old), _letters(self._texts[row])) for old, row in zip(hunk.old(), reading.rows) if row >= 0]
        other = [mine for mine, theirs in pairs if mine.casefold() != theirs.casefold()]
        if hunk.of_texts and min(reading.likeness) >= NEARLY and len("".join(other)) > 2 * WORD:
            return True
        return not other or len("".join(other)) >= MANY

    def _is_known(self, lines: list[str]) -> bool:
        """Whether half of what a hunk adds is in the file already: then it was written for an older state of it.

        So it was where a line is added beside the same line.
        """
        view = self._views.by(PASSES[-1])
        if any(_is_twice(one, other) for one, other in zip(lines, lines[1:])):
            return True
        return any(known_part(PASSES[-1].lines(run), view, self._gone) >= HALF for run in runs(lines))

    def _is_certain(self, hunk: Hunk, reading: Alignment) -> bool:
        """Whether all that is removed, and what is beside added lines, is there, but for whitespace and typography.

        Where nothing is removed, the lines alone show the place: each is there, or the two above and below it are.
        Lines that follow each other in a change do so in the file, too, but for blank ones. No line of the hunk is
        elsewhere in the file, or only like one behind others where the change has twins.
        """
        view, old, rows = self._views.by(PASSES[-1]), hunk.old(), reading.rows
        removes = any(line[0] == "-" for line in hunk.lines)
        for at, (text, like) in enumerate(zip(PASSES[-1].lines(old), reading.likeness)):
            shows = not removes and _letters(text) and GARBLED not in text and not _is_enclosed(reading, at)
            if like < 1 and (shows or view.numbers(text)):
                return False
        pivots = _pivots(hunk.lines)
        if any(rows[at] < 0 or _plain(old[at]) != _plain(self._texts[rows[at]]) for at in pivots):
            return False
        alone = any(len(view.numbers(view.lines[rows[at]])) == 1 for at in pivots)
        placed = [(row, alone or like == 1) for row, like in zip(rows, reading.likeness) if row >= 0]
        gaps = [(low - top, a and b) for (top, a), (low, b) in zip(placed, placed[1:])]
        if any(size > (LONGEST_GAP if same else 1) for size, same in gaps):
            return False
        telling = {_plain(old[at]) for at in pivots if _letters(old[at])}
        between = [self._texts[n] for a, b in zip(rows, rows[1:]) if 0 <= a < b for n in range(a + 1, b)]
        if any(_plain(text) in telling for text in between):
            return False
        first, last = (at + side * (not _letters(old[at])) for at, side in ((pivots[0], -1), (pivots[-1], 1)))
        around = rows[max(0, first) : last + 1]
        return not any(
            any(map(str.strip, self._texts[above + 1 : below]))
            for above, below in zip(around, around[1:])
            if above >= 0 and below >= 0
        )

    def _unique(self, hunk: Hunk, row: int) -> tuple[Hunk, int]:
        """The hunk with as many more lines of context as it takes to have one place; `row` is its first old line."""
        lines, size = hunk.lines, len(hunk.old())
        first, last = row, row + size
        view = self._views.by(PASSES[0])
        for _ in range(SEVERAL):
            old = self._texts[first:last]
            touching = (first and lines[0][0] == "+") or (last < len(self._texts) and lines[-1][0] == "+")
            if old and not touching and len(view.occurrences(old)) == 1:
                break
            if first:
                first -= 1
                lines = [" " + self._texts[first], *lines]
            if last < len(self._texts):
                lines = [*lines, " " + self._texts[last]]
                last += 1
        return hunk.with_lines(lines), first

    # -- what they lean on -----------------------------------------------------------------------

    def _as_the_file(self, hunk: Hunk, place: int, lines: list[str]) -> Hunk:
        """The hunk with the file's own text for what it keeps and removes; its first old line lies on `place`."""
        there = iter(self._texts[place:])
        made = [line if line[0] == "+" else line[0] + next(there, line[1:]) for line in lines]
        return Hunk(hunk.anchors, made, hunk.at_eof, hunk.final_newline, hunk.line)

    def _anchors_meant(self, hunk: Hunk) -> list[str] | None:
        """The hunk's anchors, those that are not there replaced by the one line that opens what they name."""
        anchors: list[str] = []
        for anchor in hunk.anchors:
            if not self._anchors.scopes([*anchors, anchor]):
                name = _name(anchor)
                alike = [text for text in self._texts if opening(text) and _name(text) == name] if name else []
                if len(alike) != 1:
                    return None
                anchor = alike[0].strip()
            anchors.append(anchor)
        return anchors


_ALIGNED = ("P201", "P203", "P204", "P206", "P211", "P212")
# What corrects a hunk, by the code of its refusal, before its lines are aligned; docs/matching.md says when.
CORRECTED = {
    "P203": Corrections._other_anchor,
    "P205": Corrections._left_out,
    "P206": Corrections._not_at_the_end,
    "P207": Corrections._as_it_stands,
    "P211": Corrections._without_anchors,
}


def _is_elsewhere(found: Correction, near: object) -> bool:
    """Whether a correction touches no line of the closest place."""
    if not found.hunks or not isinstance(near, NearMiss):
        return False
    first, last = near.line - LONGEST_GAP, near.line + near.size + LONGEST_GAP
    return all(at + len(each.old()) <= first or at >= last for at, each in zip(found.lines, found.hunks))


def _first_line(lines: Iterable[str]) -> str:
    """The first line that is not blank."""
    return next((line for line in lines if line.strip()), "")


def _agreeing(mine: Iterable[str], theirs: Iterable[str]) -> int:
    """How many lines from the first on are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(mine, theirs)))


def _is_in_a_row(reading: Alignment) -> bool:
    """Whether old lines lie on as many lines of the file, one for one, and most of them are the same."""
    first = reading.rows[0]
    one_for_one = reading.rows == list(range(first, first + len(reading.rows)))
    return one_for_one and sum(reading.likeness) > NEARLY * len(reading.rows)


def _is_enclosed(reading: Alignment, index: int) -> bool:
    """Whether the two lines above and below an old line are the same in the file, right above and below its line."""
    around = range(index - 2, index + 3)
    if around[0] < 0 or around[-1] >= len(reading.rows):
        return False
    row = reading.rows[index]
    return all(
        reading.rows[each] == row + each - index and (each == index or reading.likeness[each] == 1) for each in around
    )


def _has_ended(lines: list[str], reading: Alignment, index: int, pivots: set[int]) -> bool:
    """Whether the block of a kept line ends before the change: a line that is there and as deep is between them."""
    depth = len(margin_of(lines[index][1:]))
    between = range(index + 1, min(pivots, default=0))
    return any(
        reading.likeness[each] == 1 and lines[each][1:].strip() and len(margin_of(lines[each][1:])) <= depth
        for each in between
    )


def _is_other_brace(mine: str, theirs: str) -> bool:
    """Whether a line without words, which only its depth identifies, is at another depth in the file."""
    return bool(mine.strip()) and indentation.margin_of(mine) != indentation.margin_of(theirs)


def _lost_its_bullet(mine: str, theirs: str, added: list[str]) -> bool:
    """Whether the file's line begins with a dash or plus that the hunk took for a sign: added lines may lack theirs.

    Not so where all that is `added` for it, or beside it, begins with that dash or plus.
    """
    bare = theirs.lstrip()
    sign = bare[:1]
    lost = sign in ("-", "+") and bare[1:].strip() == mine.strip()
    return lost and not (added and all(text.lstrip().startswith(sign) for text in added))


def _is_twice(one: str, other: str) -> bool:
    """Whether of two neighbouring lines of a hunk one is added and the other kept, and they say the same."""
    return {one[0], other[0]} == {"+", " "} and one[1:].strip() == other[1:].strip() and len(_letters(one)) >= WORD


def _is_escaped(mine: str, theirs: str) -> bool:
    """Whether a line has backslashes that the file's line lacks, and nothing else is different."""
    return "\\" in mine and mine.replace("\\", "").strip() == theirs.replace("\\", "").strip()


def _numbers(text: str) -> list[str]:
    return [part for part in parts_of(text, str.isdecimal) if part[0].isdecimal()]


def _has_more(text: str, line: str) -> bool:
    """Whether a line of the file has all of another and its numbers, in order, and something more between them."""
    return _are_in_order(line.strip(), text.strip()) and _are_in_order(_numbers(line), _numbers(text))


def _are_in_order(some: Sequence[str], others: Sequence[str]) -> bool:
    rest = iter(others)
    return all(each in rest for each in some)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _pivots(lines: list[str]) -> list[int]:
    """The old lines that say what is changed and where: removed ones, and the nearest beside added ones."""
    return [
        index for index, row in enumerate(_old_rows(lines)) if lines[row][0] == "-" or "+" in _signs_around(lines, row)
    ]


def _below_added(lines: list[str]) -> set[int]:
    """The old lines that are kept right below added ones, where the one above those is kept, too."""
    old = _old_rows(lines)
    pairs = enumerate(zip(old, old[1:]), 1)
    return {index for index, (above, row) in pairs if row > above + 1 and lines[above][0] == lines[row][0] == " "}


def _old_rows(lines: list[str]) -> list[int]:
    """Where the lines of a hunk are that it keeps and removes."""
    return [row for row, line in enumerate(lines) if line[0] != "+"]


def _plain(text: str) -> str:
    """A line without whitespace and typography."""
    return "".join(PASSES[-1].lines([text])[0].split())


def _name(text: str) -> str:
    """What a line that opens something opens: its words up to the first sign that goes into details."""
    bare = text.strip()
    return bare[: next((n for n, char in enumerate(bare) if char in "({:<="), len(bare))].rstrip()


def _with(hunk: Hunk, anchors: list[str]) -> Hunk:
    return Hunk(anchors, hunk.lines, hunk.at_eof, hunk.final_newline, hunk.line)


def _likely(lines: list[str], matched: list[str], unit: int) -> list[str] | None:
    """The lines of a hunk where the matched ones do not show how: added lines indented as the nearest of them are.

    For a correction, which is read before it is sent. None where no line is matched.
    """
    rows = _old_rows(lines)
    there = {row: text for row, text in zip(rows, matched) if lines[row][1:].strip() and text.strip()}
    if not there:
        return None
    if indentation.is_flat([line[1:] for line in lines]):
        made = indentation.unflattened(lines, {row: there.get(row, "") for row in rows}, unit, _likely_way)
        if made is None:
            return None
        for row, partner in replacing(lines).items():
            if row in there and likeness(lines[row][1:].strip(), lines[partner][1:].strip()) >= ALIKE:
                made[partner] = "+" + margin_of(there[row]) + lines[partner][1:]
        return made
    out = list(lines)
    for row, line in enumerate(lines):
        if line[0] == "+" and line[1:].strip():
            mine = margin_of(line[1:])
            near = sorted(there, key=lambda each: (margin_of(lines[each][1:]) != mine, abs(each - row)))[0]
            theirs, shown = margin_of(there[near]), margin_of(lines[near][1:])
            deeper = mine[len(shown) :] if mine.startswith(shown) else ""
            out[row] = "+" + theirs + deeper + line[1 + len(mine) :]
    return out


def _likely_way(above: str, added: list[str], step: str) -> list[str]:
    """The margins that added lines have below a line where nothing but their brackets and colons counts."""
    braces = any(text.endswith(("{", ";")) or text.startswith("}") for text in [above.strip(), *added])
    margin, last = margin_of(above), Line(above.strip(), braces)
    found = []
    for text in added:
        line = Line(text, braces)
        if last.opens and text[:1] not in (")", "]", "}"):
            margin += step
        elif not last.opens and line.closes:
            margin = margin.removesuffix(step)
        found.append(margin)
        last = line
    return found
