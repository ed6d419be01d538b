"""Where two lines differ.

Takes the line that is expected and the one that was found; gives the position of the first difference, and the expected
line as it would be with the margin of the other. Why they differ is said by `report.causes`.
"""

from __future__ import annotations


def indented_alike(expected: str, found: str) -> str:
    """The expected line with the indentation of the one that was found, where they differ in more than that."""
    mine, theirs = expected.lstrip(), found.lstrip()
    if not mine or not theirs or mine.rstrip() == theirs.rstrip():
        return expected
    return found[: len(found) - len(theirs)] + mine


def first_difference(one: str, other: str) -> int:
    """The first position at which two lines differ. A line may be a whole minified program, so it is halved."""
    same, end = 0, min(len(one), len(other)) + 1
    while end - same > 1:
        middle = (same + end) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            end = middle
    return same
