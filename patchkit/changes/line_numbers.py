"""Whether hunks are where their line numbers say.

Takes the hunks of one file and their places; gives whether every number of every `@@` line is right. A model seldom
counts so; a diff of a program has such numbers, on the text that it was made for. So nothing about it was guessed, and
`git apply` would take it without an offset.
"""

from __future__ import annotations

from patchkit.language.model import Hunk
from patchkit.matching.model import Match, Miss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def is_where_it_says(hunks: list[Hunk], results: Sequence[Match | Miss]) -> bool:
    """Whether all hunks have numbers, and each is placed exactly, with these numbers and these counts."""
    moved = 0  # how many lines later the next hunk begins in the new file
    for hunk, result in zip(hunks, results):
        if hunk.numbers is None or type(result) is not Match or result.pass_name != "exact":
            return False
        start, old, new_start, new = hunk.numbers
        removed, added = (len([line for line in hunk.lines if line[0] != sign]) for sign in "+-")
        first = start + (not old)  # the number of a side without lines is that of the line above
        if (old, new) != (removed, added) or first != result.line + 1 or new_start + (not new) != first + moved:
            return False
        moved += new - old
    return True
