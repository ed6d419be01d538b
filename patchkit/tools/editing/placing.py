"""Edits whose old text is not in the file exactly: placed as a hunk of a patch is, or refused with what is known.

Takes a Text and the strings of an edit that has no exact match. `placed` returns the content after the edit, or an
Unplaced edit: one place or none, every line that the edit keeps stays as the file has it, and added lines take the
indentation of the place. An old text may begin and end inside a line: it is completed to whole lines first.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from patchkit.core.changes import Options, replacements, splice
from patchkit.core.language import Hunk
from patchkit.core.matching import NAMES, Match, Miss
from patchkit.core.matching.locate import locate
from patchkit.core.matching.search import REWRITES
from patchkit.diffs.parts import whole_lines, without_blank_ends
from patchkit.diffs.unique_hunks import hunk_of_texts
from patchkit.formats.edits import Edited, Text, execute, several, valid
from patchkit.values import Record

_LARGEST = 32 << 20  # bytes of a text that is searched line by line
PROVING = NAMES[: NAMES.index("typography") + 1]  # passes that look at every line: by them an encoding is proved
_IN_TEXTS = ("entities", "escapes", "escaped quotes", "lost backslashes")  # rewrites that parts of lines can need


class Unplaced(Record):
    """An edit that has no place: its lines, as a hunk, and why."""

    hunk: Hunk
    miss: Miss


def placed(text: Text, old: str, new: str, strict: bool = False) -> Edited | Unplaced | None:
    """The edit made at the one place where its old text matches by a pass; else why it has none, as it has if `strict`.

    None where there is nothing to look for, or too much to look through. Raises P622 for more than one place.
    """
    if len(text.document.data) > _LARGEST or not old.strip():
        return None
    parts = whole_lines(text.document.texts, old, new)
    if len(parts) > 1:
        rows = [part.line + 1 for part in parts]
        raise several(old, count=len(rows), places="lines " + ", ".join(map(str, rows)), line=rows[0])
    lines = (parts[0].old, parts[0].new) if parts else (_lines(old), _lines(new))
    before, after = lines if parts else without_blank_ends(*lines)
    try:
        hunk = hunk_of_texts(before, after)
    except UnicodeError:
        return None  # half of a character is in no file
    if strict:
        exact = locate(text.document, [hunk], Options(max_pass="exact"))[0]
        return Unplaced(hunk, exact if isinstance(exact, Miss) else Miss("P207", [exact.line], line=exact.line + 1))
    whole = hunk if (before, after) == lines else hunk_of_texts(*lines)
    found, cut = _located(text, whole, old), False
    if before != lines[0] and _tolerance(found) > NAMES.index("rewritten"):
        bare_found = _located(text, hunk, old)
        cut = _tolerance(bare_found) < _tolerance(found)  # blank lines at the ends are not there
        found = bare_found if cut else found
    undone = _rewritten(text, old, new) if isinstance(found, Miss) else None
    if undone is not None:
        return undone
    if isinstance(found, Miss) and found.code == "P201":
        bare = without_some_numbers(text.document.texts, before, after)
        again = _located(text, hunk_of_texts(*bare), old) if bare is not None else found
        if isinstance(again, Match):
            return _made(text, again, "line-numbers")
    if isinstance(found, Miss):
        return Unplaced(hunk, found)
    if "\n" not in old and any(note.facts.get("tolerance") == "escapes" for note in found.notes):
        # The lines of a text that was one: those that the edit does not change stay as they are.
        for name, was, becomes in rewrites(old, new):
            several_lines = placed(text, was, becomes) if name == "escapes" and "\n" in was else None
            if isinstance(several_lines, Edited):
                several_lines.level = name
                return several_lines
    level = "surrounding-space" if parts else "blank-lines" if cut else ""
    return _made(text, found, level if found.pass_name == "exact" else "")


def _tolerance(found: Match | Miss) -> int:
    return NAMES.index(found.pass_name) if isinstance(found, Match) else len(NAMES)


def _located(text: Text, hunk: Hunk, old: str) -> Match | Miss:
    found = locate(text.document, [hunk], Options())[0]
    if isinstance(found, Miss) and found.code == "P202":
        raise several(old, **{name: found.facts[name] for name in ("count", "places", "line")})
    return found


def _made(text: Text, match: Match, level: str) -> Edited:
    document = text.document
    match.lines = with_own_characters(match, document.texts)
    made = [each for each in replacements(document, match) if not each.changes_nothing_in(document)]
    named = next((str(note.facts["tolerance"]) for note in match.notes if note.code == "P921"), match.pass_name)
    return Edited(document, splice(document, made), made, 1, level or named)


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _rewritten(text: Text, old: str, new: str) -> Edited | None:
    """The edit of texts that were escaped once too often or too seldom, by the one change that makes the old text fit.

    It is made to all of the new text: a text is never escaped by half.
    """
    for name, was, becomes in rewrites(old, new):
        if was != old and was != becomes and valid(text, was, becomes) is None:
            edited = execute(text, was, becomes)
            edited.level = name
            return edited
    return None


def rewrites(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """The texts with what may have happened to them undone, and the name of that."""
    signed = [*("-" + line for line in old.split("\n")), *("+" + line for line in new.split("\n"))]
    ways = [(name, [undo]) for name in _IN_TEXTS for undo in REWRITES[name]]
    ways += [("escapes", [undo, undo]) for undo in REWRITES["escapes"]]  # a text can be escaped twice
    for name, undone in ways:
        lines = signed
        for undo in undone:
            lines = undo(lines)
        was, becomes = ("\n".join([line[1:] for line in lines if line[0] == sign]) for sign in "-+")
        yield name, was, becomes


# -- line numbers that were copied from a listing into some lines of an edit -----------------------
# The file proves them: the rest of the line is its line of that number. Numbers on all lines are found as in a patch.

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
    kept = set(bare)
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


# -- characters that look alike: an edit keeps those that the file has -----------------------------
# An added line has them wherever it repeats the removed line that it is made from.

_LONGEST_LINE = 2000  # characters of a line that is compared letter by letter
_ALIKE = 0.6


def with_own_characters(match: Match, texts: list[str]) -> list[str]:
    """The lines of a match as they are to be applied."""
    if match.pass_name != "typography" or match.pairs is not None:
        return match.lines
    made: list[str] = []
    removed: list[tuple[str, str]] = []  # lines of the hunk, and of the file, without their margins
    row = match.line
    for line in match.lines:
        if line[0] == "+":
            origin = next((at for at, (old, _) in enumerate(removed) if _are_alike(old, line[1:].strip())), None)
            if origin is not None:
                margin = line[1 : len(line) - len(line[1:].lstrip())]
                line = "+" + margin + _as_found(*removed[origin], line[1:].strip())
                del removed[: origin + 1]
        else:
            removed = [*removed, (line[1:].strip(), texts[row].strip())] if line[0] == "-" else []
            row += 1
        made.append(line)
    return made


def _are_alike(one: str, other: str) -> bool:
    if max(len(one), len(other)) > _LONGEST_LINE:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def _as_found(old: str, found: str, new: str) -> str:
    """One changed line: what it repeats of `old` as `found` has it. The two have the same length."""
    if old == found or len(old) != len(found):
        return new
    made = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        made.append(found[a:b] if tag == "equal" else new[c:d])
    return "".join(made)
