"""The line endings of a hunk whose lines have CRs.

Takes the lines of a hunk with their signs; gives whether its added lines end as the file would end them. A patch does
not say how lines end: an added line gets the ending of the line that it replaces, or else of its neighbour.
"""

from __future__ import annotations


def ends_as_the_file_does(lines: list[str], unended: set[int]) -> bool:
    """Whether added lines end with CR where the lines do that they get their ending from.

    `unended` has the last lines of files, which have no ending. A hunk of nothing but added lines shows no other
    ending than its own. The CR of a last line without an ending is a part of its text, which no patch says.
    """
    if any(lines[index][0] == "+" and lines[index].endswith("\r") for index in unended):
        return False
    above: bool | None = None
    at = 0
    while at < len(lines):
        if lines[at][0] == " ":
            above = above if at in unended else lines[at].endswith("\r")
            at += 1
            continue
        stop = at
        while stop < len(lines) and lines[stop][0] != " ":
            stop += 1
        old = [_ending(lines, n, unended) for n in range(at, stop) if lines[n][0] == "-"]
        new = [_ending(lines, n, unended) for n in range(at, stop) if lines[n][0] == "+"]
        known = [ending for ending in old if ending is not None]
        usual = known[-1] if known else above
        if usual is None:
            behind = [_ending(lines, n, unended) for n in range(stop, len(lines)) if lines[n][0] != "+"]
            usual = next((ending for ending in behind if ending is not None), None)
        if usual is None:
            usual = next((ending for ending in new if ending is not None), None)
        old += [None] * (len(new) - len(old))
        given = [usual if ending is None else ending for ending in old]
        if any(mine is not None and mine != other for mine, other in zip(new, given)):
            return False
        above = known[-1] if known else above
        at = stop
    return True


def has_lone_returns(lines: list[str], unended: set[int]) -> bool:
    """Whether the only line of a file, which git shows as one, has CRs in it: they end its lines."""
    return any(lines[index][0] != "+" and "\r" in lines[index] for index in unended)


def has_no_endings(lines: list[str], unended: set[int]) -> bool:
    """Whether none of the old lines of a hunk has an ending."""
    return all(line[0] == "+" or index in unended for index, line in enumerate(lines))


def _ending(lines: list[str], index: int, unended: set[int]) -> bool | None:
    """Whether a line ends with CR; None where it has no ending."""
    return None if index in unended else lines[index].endswith("\r")
