"""Line numbers that were copied from a listing into some lines of an edit.

Takes the file's lines and the lines of an edit; returns the lines without the numbers where the file proves them: the
rest of a numbered line is the file's line with that number. Numbers on all lines are recognised as in a patch.
"""

from __future__ import annotations

_MARKS = ("\u2192", "\t", " | ", "|", ": ", ":", "")  # between a number and its line; in some listings nothing is


def without_some_numbers(texts: list[str], before: list[str], after: list[str]) -> tuple[list[str], list[str]] | None:
    """Old and new lines without line numbers; None where the file proves none, or has a numbered line as it is."""
    bare: list[str] = []
    proved: list[int] = []
    for line in before:
        number, rest = _parts(texts, line)
        if number is not None:
            proved.append(number)
        bare.append(line if number is None else rest)
    rising = all(one < other for one, other in zip(proved, proved[1:]))
    if not proved or not rising:
        return None
    if any(one != other and one in texts for one, other in zip(before, bare)):
        return None  # the file has the number
    new = _new_lines(after, {line for one, line in zip(before, bare) if one != line})
    kept = {*before, *bare}
    return None if any(_split(line)[0] and line not in kept for line in new) else (bare, new)


def _parts(texts: list[str], line: str) -> tuple[int | None, str]:
    """The number in front of a line and the rest, where that is the file's line with the number."""
    digits, rest = _split(line)
    number = int(digits) if digits and len(digits) < 10 else 0
    if 0 < number <= len(texts):
        there = texts[number - 1].rstrip()
        for mark in _MARKS:
            if there and rest.startswith(mark) and rest[len(mark) :].rstrip() == there:
                return number, rest[len(mark) :]
    return None, line


def _split(line: str) -> tuple[str, str]:
    start = line.lstrip(" ")
    digits = start[: len(start) - len(start.lstrip("0123456789"))]
    return digits if digits.isascii() else "", start[len(digits) :]


def _new_lines(after: list[str], known: set[str]) -> list[str]:
    """New lines without numbers: runs of lines that count up by one and have a line that the file proved."""
    made = list(after)
    start = 0
    while start < len(after):
        stop = start + 1
        number = _split(after[start])[0]
        while number and stop < len(after) and _split(after[stop])[0] == str(int(number) + stop - start):
            stop += 1
        if number:
            run = [_split(line)[1] for line in after[start:stop]]
            for mark in _MARKS:
                if all(rest.startswith(mark) or not rest for rest in run):
                    bare = [rest[len(mark) :] for rest in run]
                    if not known.isdisjoint(bare):
                        made[start:stop] = bare
                        break
        start = stop
    return made
