"""The place that comes nearest to a text that is nowhere.

Takes a Text and the old text of an edit; gives a NearMiss as a hunk of a patch would have it. Other than a hunk, an old
text may begin and end inside a line: such a line is held against the part of the file's line that it would replace.
"""

from __future__ import annotations

from patchkit.changes.options import Options
from patchkit.language.model import Hunk
from patchkit.matching.locate import locate
from patchkit.matching.model import Miss
from patchkit.matching.near_miss import NearMiss
from patchkit.tools.editing.text import Text

_LARGEST = 32 << 20  # bytes of a text that is searched line by line
_MOST_LINES = 50  # that are compared letter by letter
_LONGEST_LINE = 1000  # characters of such a line
_ALIKE = 0.6


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
    if found.candidates:  # there but for blanks, say
        return _differing(text.document.texts, lines, found.candidates[0], open_start=False, open_end=False)
    return None


def _with_open_ends(texts: list[str], lines: list[str], near: NearMiss, ended: bool) -> NearMiss:
    """The same place, its first line held against the end of the file's and its last against the beginning."""
    return _differing(texts, lines, near.line, open_start=True, open_end=not ended) or near


def _differing(texts: list[str], lines: list[str], start: int, open_start: bool, open_end: bool) -> NearMiss | None:
    """The first difference of lines that are held against the file's from `start` on; None without one."""
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
    from difflib import SequenceMatcher

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
