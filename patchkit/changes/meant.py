"""Which file somebody meant who named one that is not there.

Takes the path and the names there are; gives the few that come near: the same but for case, the same file in
another directory, or a name one or two keystrokes away.
"""

from __future__ import annotations

_MOST = 3
_NEAR = 2  # keystrokes
_COMPARED = 500  # names that are compared letter by letter


def names_like(path: str, names: list[str]) -> list[str]:
    """Returns up to three of the names, of the first kind of nearness that any of them has."""
    wanted = "/".join(part for part in path.strip(" \t").split("/") if part not in ("", "."))
    for near in (_but_for_case, _in_another_directory, _mistyped):
        found = near(wanted, names)
        if found:
            return found[:_MOST]
    return []


def _but_for_case(wanted: str, names: list[str]) -> list[str]:
    folded = wanted.casefold()
    return [name for name in names if name.casefold() == folded]


def _in_another_directory(wanted: str, names: list[str]) -> list[str]:
    """Files of the same name; where there are several, those that share most of the directories above it."""
    parts = wanted.split("/")
    shared: dict[int, list[str]] = {}
    for name in names:
        theirs = name.split("/")
        common = 0
        while common < min(len(parts), len(theirs)) and parts[-1 - common] == theirs[-1 - common]:
            common += 1
        if common:
            shared.setdefault(common, []).append(name)
    return shared[max(shared)] if shared else []


def _mistyped(wanted: str, names: list[str]) -> list[str]:
    """Files in the same directory whose names are a keystroke or two away, the nearest only.

    A short name leaves no room for two, and other digits are another number, not a slip.
    """
    directory, slash, mine = wanted.rpartition("/")
    most = min(_NEAR, len(mine.partition(".")[0]) // 3)
    letters = set(mine)
    near: dict[int, list[str]] = {}
    compared = 0
    for name in names:
        home, _, theirs = name.rpartition("/")
        if home != directory or abs(len(theirs) - len(mine)) > most or len(letters ^ set(theirs)) > 2 * most:
            continue
        compared += 1
        if compared > _COMPARED:
            break
        distance = keystrokes(mine, theirs)
        if distance <= most and _digits(theirs) == _digits(mine):
            near.setdefault(distance, []).append(directory + slash + theirs)
    return near[min(near)] if near else []


def _digits(name: str) -> str:
    return "".join(char for char in name if char.isdigit())


def keystrokes(one: str, other: str) -> int:
    """How many characters have to be put in, left out, changed, or swapped with the next."""
    above: list[int] = []
    row = list(range(len(other) + 1))
    for at, char in enumerate(one):
        below = [at + 1]
        for now, theirs in enumerate(other):
            cost = min(row[now] + (char != theirs), row[now + 1] + 1, below[now] + 1)
            if at and now and char == other[now - 1] and one[at - 1] == theirs:
                cost = min(cost, above[now - 1] + 1)
            below.append(cost)
        above, row = row, below
    return row[-1]
