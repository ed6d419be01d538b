"""A refused block written anew, from how the text that it wants lies on the file.

Takes a hunk that was made from two texts and the file's lines; gives the lines of a hunk that turns the file's text
into the new one, and where it begins. That is for a file that has an earlier form of the new text: the block is for the
state before. Lines of the file that neither text shows stay, and nothing is given where new lines would go beside them
or in their place.
"""

from __future__ import annotations

from patchkit.core.language import Hunk
from patchkit.core.matching import SEVERAL
from patchkit.core.matching.indentation import margin_of
from patchkit.core.matching.passes import PASSES
from patchkit.core.matching.scopes.openings import defines_another
from patchkit.guards.placeholders import elision
from patchkit.repair.alignment import (
    COMPARISON,
    HALF,
    LONGEST_GAP,
    MOST_LINES,
    SLACK,
    TELLING,
    Alignment,
    align,
    likeness,
)
from patchkit.repair.garbled import GARBLED
from patchkit.repair.near_miss import letters_of
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.matching import WorkBudget
    from patchkit.core.matching.passes import View


class _Gap(Value):
    """What a hunk has between two lines that are the same in the file."""

    __slots__ = ("wanted", "removed")
    wanted: list[tuple[str, bool]]  # lines of the new text, and whether the old text has them
    removed: list[str]

    def __init__(self) -> None:
        self.wanted = []
        self.removed = []

    @property
    def has_words(self) -> bool:
        return any(text.strip() for text, _ in self.wanted) or any(map(str.strip, self.removed))


def wanted_text(hunk: Hunk, view: View, texts: list[str], budget: WorkBudget) -> tuple[list[str], int] | None:
    """The lines of the hunk that makes the new text, and where it begins; None where that is not clear.

    `view` has the file's lines as the most tolerant pass compares them.
    """
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
    return any(GARBLED in line for line in new) or bool(elision(new, texts))


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
    once = [rows[0] for rows in (view.numbers(line) for line in kept if _letters(line) >= TELLING) if len(rows) == 1]
    if not once:
        return None
    middle = sorted(once)[len(once) // 2]
    near = [row for row in once if abs(row - middle) <= size + SLACK]
    if 2 * len(near) < len(once):
        return None
    return max(0, min(near) - size), min(len(view.lines), max(near) + size + 1)


def _kept_beside_changes(lines: list[str]) -> list[int]:
    """Which of the new lines are kept and have a line beside them that is added or removed."""
    found: list[int] = []
    index = -1
    for at, line in enumerate(lines):
        if line[0] != "-":
            index += 1
            beside = {other[0] for other in lines[max(at - 1, 0) : at + 2]}
            if line[0] == " " and beside != {" "}:
                found.append(index)
    return found


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
    telling, without = (sum(_letters(text) >= TELLING for text in some) for some in (kept, missing))
    return lost <= (1 - HALF) * total and telling - without >= SEVERAL


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


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
