"""Edits whose old text is not in the file exactly: the place that matches with a tolerance, or the nearest miss.

Takes a Text and the strings of an edit that has no exact match. `fuzzy` returns the content after the edit, or None:
the lines of the two strings become a hunk, so the rules of patches hold: one place or none, every line keeps its
ending, added lines take the indentation of the place. A part of a line is searched for without the whitespace around
it. `nearest` returns a NearMiss as a hunk of a patch would have it. Unlike a hunk, an old text may begin and end
inside a line: such a line is compared with the part of the file's line that it would replace.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from patchkit.changes.options import Options
from patchkit.changes.splice import replacements, splice
from patchkit.errors import PatchkitError
from patchkit.language.model import Hunk
from patchkit.matching.locate import locate
from patchkit.matching.model import Match, Miss
from patchkit.matching.near_miss import NearMiss
from patchkit.tools.editing.text import SEVERAL, Edited, Text, valid

_MOST_TOLERANT = "rewritten"  # beyond it, lines that are not there would count as there
_LARGEST = 32 << 20  # bytes of a text that is searched line by line
_MOST_LINES = 50  # that are compared letter by letter
_LONGEST_LINE = 1000  # characters of such a line
_ALIKE = 0.6


def fuzzy(text: Text, old: str, new: str) -> Edited | None:
    """The edit made at the one place where its old text matches but for whitespace and typography; None without one.

    Raises P622 when there is more than one place.
    """
    if len(text.document.data) > _LARGEST:
        return None
    hunk = _hunk(old, new)
    if hunk is not None:
        found = locate(text.document, [hunk], Options(max_pass=_MOST_TOLERANT))[0]
        if isinstance(found, Match):
            return _made(text, found)
        if found.code == "P202":
            raise _several(found, old)
    return _without_outer_whitespace(text, old, new)


def _hunk(old: str, new: str) -> Hunk | None:
    """Old and new lines as a hunk; what both begin and end with is its context. None where no line is left."""
    before, after = _lines(old), _lines(new)
    while before and not before[0].strip():
        del before[0]
        del after[: 1 if after and not after[0].strip() else 0]
    while before and not before[-1].strip():
        del before[-1]
        del after[len(after) - 1 if after and not after[-1].strip() else len(after) :]
    if not before:
        return None
    least = min(len(before), len(after))
    head = next((row for row in range(least) if before[row] != after[row]), least)
    tail = next((row for row in range(least - head) if before[-1 - row] != after[-1 - row]), least - head)
    kept, end = before[:head], len(before) - tail
    lines = [
        *(" " + line for line in kept),
        *("-" + line for line in before[head:end]),
        *("+" + line for line in after[head : len(after) - tail]),
        *(" " + line for line in before[end:]),
    ]
    return Hunk([], lines)


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _made(text: Text, match: Match) -> Edited:
    document = text.document
    made = [each for each in replacements(document, match) if not each.changes_nothing_in(document)]
    rewrites = [str(note.facts["rewrite"]) for note in match.notes if note.code == "P928"]
    return Edited(document, splice(document, made), made, 1, rewrites[0] if rewrites else match.pass_name)


def _several(miss: Miss, old: str) -> PatchkitError:
    facts = {name: miss.facts[name] for name in ("count", "places", "line") if name in miss.facts}
    said = SEVERAL.replace("{count}", str(facts["count"])).replace("{old}", old)
    return PatchkitError("P622", what="old_string", said=said, **facts)


def _without_outer_whitespace(text: Text, old: str, new: str) -> Edited | None:
    """The edit of a part of a line, or of several lines, that is there without the whitespace around it.

    A part that ends inside a word is not what was meant: 'return x' is not in 'return xyz'.
    """
    inner = old.strip()
    if inner == old or not inner or valid(text, inner, new.strip()) is not None:
        return None
    start, stop = text.spans(inner, 1)[0]
    data = text.document.data
    if _goes_on(data[max(0, start - 4) : start], inner[0], -1) or _goes_on(data[stop : stop + 4], inner[-1], 0):
        return None
    edited = text.replaced(inner, new.strip())
    edited.level = "outer-space"
    return edited


def _goes_on(beside: bytes, edge: str, at: int) -> bool:
    """Whether a word goes on beyond the edge of a text."""
    around = beside.decode("utf-8", "ignore")
    return bool(around) and all(char.isalnum() or char == "_" for char in (edge, around[at]))


# -- the nearest place ---------------------------------------------------------------------------


def nearest(text: Text, old: str) -> NearMiss | None:
    """The nearest place, None where nothing comes near."""
    if len(text.document.data) > _LARGEST:
        return None
    lines = old.replace("\r\n", "\n").split("\n")
    ended = len(lines) > 1 and not lines[-1]
    if ended:
        lines.pop()
    if len(lines) == 1:
        return _line_with_most(text.document.texts, lines[0]) or _by_lines(text, lines)
    near = _by_lines(text, lines)
    return _with_open_ends(text.document.texts, lines, near, ended) if near is not None else None


def _by_lines(text: Text, lines: list[str]) -> NearMiss | None:
    """The nearest place for whole lines, as a patch finds it."""
    found = locate(text.document, [Hunk([], ["-" + line for line in lines])], Options(max_pass="exact"))[0]
    if not isinstance(found, Miss):
        return None  # the lines are there, and something else is wrong
    near = found.facts.get("near")
    if isinstance(near, NearMiss):
        return near
    if found.candidates:  # it matches but for whitespace, for example
        return _differing(text.document.texts, lines, found.candidates[0], open_start=False, open_end=False)
    return None


def _with_open_ends(texts: list[str], lines: list[str], near: NearMiss, ended: bool) -> NearMiss:
    """The same place, its first line compared with the end of the file's line and its last with the beginning."""
    return _differing(texts, lines, near.line, open_start=True, open_end=not ended) or near


def _differing(texts: list[str], lines: list[str], start: int, open_start: bool, open_end: bool) -> NearMiss | None:
    """The first difference between lines and the file's lines from `start` on; None without one."""
    expected: list[tuple[str, str]] = []
    for row, line in enumerate(lines):
        found = texts[start + row] if start + row < len(texts) else ""
        if open_start and row == 0:
            line = found[: max(0, len(found) - len(line))] + line
        elif open_end and row == len(lines) - 1:
            line += found[len(line) :]
        expected.append((line, found))
    wrong = [row for row, (line, found) in enumerate(expected) if line != found]
    if not wrong:
        return None
    return NearMiss(start, len(lines) - len(wrong), len(lines), wrong[0], *expected[wrong[0]])


def _line_with_most(texts: list[str], wanted: str) -> NearMiss | None:
    """The line with a part most like the wanted one."""
    best: tuple[float, int, str] = (_ALIKE, -1, "")
    for number in _lines_with_words(texts, wanted):
        line = texts[number][:_LONGEST_LINE]
        same = SequenceMatcher(None, line, wanted[:_LONGEST_LINE], autojunk=False)
        block = same.find_longest_match()
        start = max(0, block.a - block.b)
        part = line[start : start + len(wanted)]
        ratio = SequenceMatcher(None, part, wanted[:_LONGEST_LINE], autojunk=False).ratio()
        if ratio > best[0]:
            best = (ratio, number, texts[number][:start] + wanted + texts[number][start + len(wanted) :])
    _, number, expected = best
    return NearMiss(number, 0, 1, 0, expected, texts[number]) if number >= 0 and expected != texts[number] else None


def _lines_with_words(texts: list[str], wanted: str) -> list[int]:
    """The lines that share most with the words of a text."""
    plain = "".join(char if char.isalnum() or char == "_" else " " for char in wanted)
    words = sorted(set(plain.split()), key=len, reverse=True)[:8] or [wanted.strip()]
    scores = [(sum(len(word) for word in words if word in line), number) for number, line in enumerate(texts)]
    ranked = sorted((score for score in scores if score[0]), key=lambda score: (-score[0], score[1]))
    return [number for _, number in ranked[:_MOST_LINES]]
