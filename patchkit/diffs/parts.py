"""Texts that begin or end inside a line of the file, as the whole lines they are meant for.

Takes a file's lines and the two texts of an edit; gives both texts with what the file has around them on their first
and last line. From there on the edit is a hunk like any other: `locate` finds its place, by the same passes.
"""

from __future__ import annotations

from patchkit.core.matching.indentation import margin_of
from patchkit.core.matching.passes import TYPOGRAPHY
from patchkit.values import Record

ONE_FOR_ONE = {code: plain for code, plain in TYPOGRAPHY.items() if len(plain) == 1}
_RUNS = {mark * 2 for mark in ONE_FOR_ONE.values()}  # of which a text is not a part, such as two dashes
_MOST_PLACES = 20
_MOST_LINES = 2_000_000  # that are compared


class WholeLines(Record):
    """The two texts of an edit as lines, and the line of the file (from 0) that the first one is."""

    line: int
    old: list[str]
    new: list[str]


def whole_lines(texts: list[str], old: str, new: str) -> list[WholeLines]:
    """The first places where a text is a part of lines but for whitespace at its ends, margins and typography.

    None where the text is whole lines, which `locate` finds, and where it begins or ends inside a word.
    """
    bare = old.strip()
    wanted = [line.strip() for line in bare.translate(ONE_FOR_ONE).split("\n")]
    if not bare:
        return []
    begins, ends = "\n" in old[: old.index(bare)], "\n" in old[old.index(bare) + len(bare) :]
    plain = "\n".join(texts).translate(ONE_FOR_ONE).split("\n") if texts else []
    places = _within(plain, wanted[0]) if len(wanted) == 1 else _across(plain, wanted)
    found: list[WholeLines] = []
    for row, start, stop in places:
        head, tail = texts[row][:start], texts[row + len(wanted) - 1][stop:]
        if not head.strip() and not tail.strip():
            return []
        if (head.strip() and begins) or (tail.strip() and ends):
            continue  # a line end of the text is one that the file has not
        begun = head[-1:] + wanted[0][:1] in _RUNS and not new.strip().startswith(bare.split("\n")[0])
        ended = wanted[-1][-1:] + tail[:1] in _RUNS and not new.strip().endswith(bare.split("\n")[-1])
        if begun or ended or new.rstrip()[-1:] + tail[:1] in (",,", ";;"):
            continue  # a line that stays is the file's in any case, and a new one may have the end that it has there
        if not (is_within_word(head[-1:] + bare[:1]) or is_within_word(bare[-1:] + tail[:1])):
            found.append(completed(row, head, old, new, tail))
    return found


def completed(row: int, head: str, old: str, new: str, tail: str) -> WholeLines:
    """The texts with what is before them on the first line and behind them on the last; whitespace alone is a margin,
    and the texts have their own.
    """
    sides = []
    for text in (old, new):
        inner = text.strip("\r\n")
        lead = head if head.strip() else margin_of(inner if inner.strip() else old.lstrip("\r\n"))
        sides.append((lead + text.strip() + (tail if tail.strip() else "")).replace("\r\n", "\n").split("\n"))
    return WholeLines(row, *sides)


def without_blank_ends(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Old and new lines without the blank lines around the old ones, of which one at least is not blank."""
    old, new = [*old], [*new]
    while not old[0].strip():
        del old[0]
        del new[: 1 if new and not new[0].strip() else 0]
    while not old[-1].strip():
        del old[-1]
        del new[len(new) - 1 if new and not new[-1].strip() else len(new) :]
    return old, new


def _within(plain: list[str], wanted: str) -> list[tuple[int, int, int]]:
    """The lines that have a text, and where it begins and ends in each."""
    found: list[tuple[int, int, int]] = []
    for row, line in enumerate(plain):
        at = line.find(wanted)
        while at >= 0 and len(found) < _MOST_PLACES:
            found.append((row, at, at + len(wanted)))
            at = line.find(wanted, at + 1)
    return found


def _across(plain: list[str], wanted: list[str]) -> list[tuple[int, int, int]]:
    """The lines at which several begin: the first ends its line, the last begins its one; where these parts are."""
    first, last, middle = wanted[0], wanted[-1], wanted[1:-1]
    found: list[tuple[int, int, int]] = []
    left = _MOST_LINES
    ending = [row for row, line in enumerate(plain[: 1 - len(wanted)]) if line.rstrip().endswith(first)]
    for row in ending:
        if len(found) == _MOST_PLACES or left < 0:
            break
        below = plain[row + len(wanted) - 1]
        start = len(below) - len(below.lstrip())
        if below.startswith(last, start):
            left -= len(middle)
            if all(plain[row + at].strip() == each for at, each in enumerate(middle, 1)):
                found.append((row, len(plain[row].rstrip()) - len(first), start + len(last)))
    return found


def is_within_word(pair: str) -> bool:
    """Whether two characters side by side are of one word."""
    return len(pair) == 2 and all(char.isalnum() or char == "_" for char in pair)
