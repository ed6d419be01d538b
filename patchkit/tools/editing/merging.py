"""A merge of three texts: the old text of an edit is the base, the file's lines and the new text are the two sides.

Takes the lines of the three and which line of the file each old line corresponds to; returns the lines that the file
shall have: what the edit does not change as the file has it, and the changes of the edit. A line of the file that the
old text does not show is never removed: where that cannot be kept apart from a change, there is no merge.
"""

from __future__ import annotations

from difflib import SequenceMatcher

_LONGEST_LINE = 2000  # characters of a line that is merged by words


def merged(base: list[str], rows: list[int], found: list[str], new: list[str]) -> tuple[list[str], bool] | None:
    """The merged lines, and whether no change met another; None where a change meets lines that were not shown.

    `rows` has for each line of `base` the line of `found` that it is, -1 for none.
    """
    kept = {}  # the lines of the base that the new text keeps: the line of the new text
    for block in SequenceMatcher(None, base, new, autojunk=False).get_matching_blocks():
        kept.update({block.a + at: block.b + at for at in range(block.size)})
    stable = [(row, rows[row], kept[row]) for row in range(len(base)) if rows[row] >= 0 and row in kept]
    made: list[str] = []
    clean = True
    at = (0, 0, 0)
    for stop in [*stable, (len(base), len(found), len(new))]:
        old, theirs, mine = base[at[0] : stop[0]], found[at[1] : stop[1]], new[at[2] : stop[2]]
        aligned = [row - at[1] for row in rows[at[0] : stop[0]]]
        part = _part(old, aligned, theirs, mine)
        if part is None:
            return None
        made += part[0]
        clean = clean and part[1]
        if stop[0] < len(base):
            made.append(found[stop[1]])
        at = (stop[0] + 1, stop[1] + 1, stop[2] + 1)
    return made, clean


def _part(old: list[str], rows: list[int], theirs: list[str], mine: list[str]) -> tuple[list[str], bool] | None:
    """The lines between two that both sides keep."""
    if old == mine:
        return theirs, True
    if old == theirs:
        return mine, True
    if not old:  # both sides have lines where the base has none
        if "\n".join(mine).strip("\n") in "\n".join(theirs):
            return theirs, True
        return None if any(map(str.strip, theirs)) else ([*mine, *theirs], not theirs)  # which come first is not known
    shown = [row for row in rows if row >= 0]
    if not shown:
        return _beside(old, theirs, mine)
    first, last = min(shown), max(shown) + 1
    hidden = [line for row, line in enumerate(theirs[first:last], first) if row not in shown]
    if any(map(str.strip, hidden)):
        return None  # lines that were not shown lie between lines that are changed
    if len(rows) == len(shown) == len(mine) and not hidden:
        lines = [merged_line(*three) for three in zip(old, theirs[first:last], mine)]
    else:
        lines = mine
    return [*theirs[:first], *lines, *theirs[last:]], old == theirs[first:last]


def _beside(old: list[str], theirs: list[str], mine: list[str]) -> tuple[list[str], bool] | None:
    """Lines that are added beside lines which the file lacks: these stay away. None where they are to be changed."""
    if theirs:
        return None
    if mine[: len(old)] == old:
        return mine[len(old) :], False
    return (mine[: -len(old)], False) if mine[-len(old) :] == old else None


def merged_line(base: str, theirs: str, mine: str) -> str:
    """The same for one line, by words; where both sides change a word, the edit's is taken."""
    if max(len(base), len(theirs), len(mine)) > _LONGEST_LINE:
        return mine
    old, found, new = tokens(base), tokens(theirs), tokens(mine)
    there = _kept(old, found)
    here = _kept(old, new)
    made: list[str] = []
    at = (0, 0, 0)
    stable = [(row, there[row], here[row]) for row in range(len(old)) if row in there and row in here]
    for stop in [*stable, (len(old), len(found), len(new))]:
        old_part, their_part, my_part = old[at[0] : stop[0]], found[at[1] : stop[1]], new[at[2] : stop[2]]
        made += their_part if my_part == old_part else my_part
        if stop[0] < len(old):
            made.append(old[stop[0]])
        at = (stop[0] + 1, stop[1] + 1, stop[2] + 1)
    return "".join(made)


def _kept(old: list[str], other: list[str]) -> dict[int, int]:
    blocks = SequenceMatcher(None, old, other, autojunk=False).get_matching_blocks()
    return {block.a + at: block.b + at for block in blocks for at in range(block.size)}


def tokens(line: str) -> list[str]:
    """A line as words, runs of spaces and single other characters."""
    found: list[str] = []
    above = ""
    for char in line:
        kind = "word" if char.isalnum() or char == "_" else char if char.isspace() else ""
        if kind and kind == above:
            found[-1] += char
        else:
            found.append(char)
        above = kind
    return found
