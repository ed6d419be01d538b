"""Edits whose old text is not in the file exactly: the place that matches with a tolerance, or the nearest miss.

Takes a Text and the strings of an edit that has no exact match. `quoted` and `fuzzy` return the content after the
edit, or None: one place or none, every line that the edit keeps stays as the file has it, and added lines take the
indentation of the place. `fuzzy` finds whole lines as hunks of a patch find theirs, then parts of lines without the
whitespace around them or with other typography. `nearest` returns a NearMiss as a hunk of a patch would have it.
Unlike a hunk, an old text may begin and end inside a line: such a line is compared with the part of the file's line
that it would replace.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from patchkit.core.changes.options import Options
from patchkit.core.changes.splice import replacements, splice
from patchkit.core.language import Hunk
from patchkit.core.matching import Match, Miss, WorkBudget
from patchkit.core.matching.indentation import follow, is_flat
from patchkit.core.matching.locate import locate
from patchkit.core.matching.search import REWRITES
from patchkit.errors import PatchkitError
from patchkit.repair.near_miss import NearMiss, NearMissSearch
from patchkit.tools.editing.line_numbers import without_some_numbers
from patchkit.tools.editing.margins import margin_of, margin_pairs, margin_rule
from patchkit.tools.editing.text import SEVERAL, Edited, Text, execute, valid
from patchkit.tools.editing.typography import ONE_FOR_ONE, QUOTES, as_in_the_file, line_as_in_the_file
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MOST_TOLERANT = "typography"  # beyond it, lines that are not there would count as there
_REWRITES = ("entities", "escapes", "line-numbers")  # of a patch's rewrites those that an edit can need
_LARGEST = 32 << 20  # bytes of a text that is searched line by line
_MOST_LINES = 50  # that are compared letter by letter
_LONGEST_LINE = 1000  # characters of such a line
_ALIKE = 0.6


class PlacedLines(Value):
    """The lines of an edit and where they match: old and new lines as they were read, and what was ignored."""

    __slots__ = ("match", "before", "after", "level")
    match: Match
    before: list[str]
    after: list[str]
    level: str

    def __init__(self, match: Match, before: list[str], after: list[str], level: str) -> None:
        self.match = match
        self.before = before
        self.after = after
        self.level = level


def quoted(text: Text, old: str, new: str) -> Edited | None:
    """The edit made at the one place where its old text matches but for typographic quotes; None without one."""
    return _with_other_characters(text, old, new, QUOTES, "quotes")


def _with_other_characters(text: Text, old: str, new: str, alike: dict[int, str], level: str) -> Edited | None:
    if len(text.document.data) > _LARGEST:
        return None
    places = text.places_alike(old, alike)
    if len(places) != 1:
        return None
    found = text.text_of(places[0])
    return text.replaced_at(
        places[0], as_in_the_file(old.replace("\r\n", "\n"), found, new.replace("\r\n", "\n")), level
    )


def fuzzy(text: Text, old: str, new: str) -> Edited | None:
    """The edit made at the one place where its old text matches but for whitespace and typography; None without one.

    Raises P622 when there is more than one place.
    """
    if len(text.document.data) > _LARGEST:
        return None
    placed = whole_lines(text, old, new)
    if placed is not None:
        return _made(text, placed)
    undone = _with_escapes_undone(text, old, new)
    if undone is not None:
        return undone
    return _without_outer_whitespace(text, old, new) or _with_other_characters(
        text, old, new, ONE_FOR_ONE, "typography"
    )


def whole_lines(text: Text, old: str, new: str) -> PlacedLines | None:
    """The one place where the lines of an old text match but for whitespace and typography; None without one.

    Raises P622 when there is more than one place.
    """
    before, after = _without_blank_ends(old, new)
    for name, mine, wanted in _ways_to_read(text, before, after) if before else ():
        found = locate(text.document, [_removing(mine)], Options(max_pass=_MOST_TOLERANT))[0]
        if isinstance(found, Match):
            return PlacedLines(found, mine, wanted, name or found.pass_name)
        if found.code == "P202":
            raise _several(found, old)
    return None


def _without_blank_ends(old: str, new: str) -> tuple[list[str], list[str]]:
    """Old and new lines without the blank lines around the old ones; no old line where all are blank."""
    before, after = _lines(old), _lines(new)
    while before and not before[0].strip():
        del before[0]
        del after[: 1 if after and not after[0].strip() else 0]
    while before and not before[-1].strip():
        del before[-1]
        del after[len(after) - 1 if after and not after[-1].strip() else len(after) :]
    return before, after


def _ways_to_read(text: Text, before: list[str], after: list[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """The lines as they were sent, then with what may have happened to them undone, and the name of that."""
    yield "", before, after
    signed = [*("-" + line for line in before), *("+" + line for line in after)]
    for name in _REWRITES:
        for rewrite in REWRITES[name]:
            lines = rewrite(signed)
            if lines != signed:
                yield (
                    name,
                    [line[1:] for line in lines if line[0] == "-"],
                    [line[1:] for line in lines if line[0] == "+"],
                )
    bare = without_some_numbers(text.document.texts, before, after)
    if bare is not None:
        yield ("line-numbers", *bare)


def _removing(lines: list[str]) -> Hunk:
    return Hunk([], ["-" + line for line in lines])


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _made(text: Text, placed: PlacedLines) -> Edited | None:
    """The edit at its place; None where the matched lines do not show how to indent new ones."""
    document, match = text.document, placed.match
    lines = signed_lines(document.texts[match.line : match.line + match.count], placed.before, placed.after)
    if lines is None:
        return None
    match = Match(match.line, match.offset, lines, match.count, match.pass_name)
    made = [each for each in replacements(document, match) if not each.changes_nothing_in(document)]
    return Edited(document, splice(document, made), made, 1, placed.level)


def signed_lines(found: list[str], before: list[str], after: list[str]) -> list[str] | None:
    """What is done to the file's lines `found`, which `before` matched: as the lines of a hunk.

    Lines that stay are the file's, others have its margins and, where they repeat the old ones, its characters.
    """
    pairs = margin_pairs(before, found)
    if len({theirs for _, theirs in pairs}) > 1 and is_flat(before):
        return _with_lost_margins(found, before, after)
    rule = margin_rule(pairs, [margin_of(line) for line in [*before, *after] if line.strip()])
    lines: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [" " + line for line in found[a:b]]
            continue
        lines += ["-" + line for line in found[a:b]]
        for row, line in enumerate(after[c:d]):
            if not line.strip():
                lines.append("+" + line)
                continue
            margin = rule(margin_of(line)) if rule is not None else None
            if margin is None:
                return None
            bare = line.strip() if d - c != b - a else _as_found(before[a + row], found[a + row], line)
            lines.append("+" + margin + bare + line[len(line.rstrip()) :])
    return lines


def _with_lost_margins(found: list[str], before: list[str], after: list[str]) -> list[str] | None:
    """The same for lines that lost all indentation: as a hunk's added lines get theirs."""
    hunk: list[str] = []
    theirs: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        sign = " " if tag == "equal" else "-"
        hunk += [sign + line for line in before[a:b]]
        theirs += found[a:b]
        hunk += ["+" + line for line in after[c:d]] if tag != "equal" else []
    lines = follow(hunk, theirs)
    if lines is None:
        return None
    rows = iter(theirs)
    return [line if line[0] == "+" else line[0] + next(rows) for line in lines]


def _as_found(old: str, found: str, new: str) -> str:
    return line_as_in_the_file(old.strip(), found.strip(), new.strip())


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
    if not text.is_apart(text.spans(inner, 1)[0]):
        return None
    edited = text.replaced(inner, new.strip())
    edited.level = "outer-space"
    return edited


def _with_escapes_undone(text: Text, old: str, new: str) -> Edited | None:
    """The edit of texts that were escaped once too often or too seldom, by the one change that makes the old text fit.

    It is made to all of the new text: a text is never escaped by half.
    """
    for name, change in _ESCAPES:
        was, becomes = change(old), change(new)
        if was != old and valid(text, was, becomes) is None:
            edited = execute(text, was, becomes)
            edited.level = name
            return edited
    return None


def _decoded(text: str) -> str:
    """A text as a program reads it that takes a backslash for an escape."""
    made, at = [], 0
    while at < len(text):
        known = text[at] == "\\" and text[at + 1 : at + 2] in _ESCAPED
        made.append(_ESCAPED[text[at + 1]] if known else text[at])
        at += 2 if known else 1
    return "".join(made)


_ESCAPED = {"n": "\n", "t": "\t", '"': '"', "'": "'", "\\": "\\"}
_ESCAPES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("escaped quotes", lambda text: "\n".join(REWRITES["escaped quotes"][0](text.split("\n")))),
    ("escapes", lambda text: text.replace("\\n", "\n") if "\\\\" not in text else text),
    ("escapes", _decoded),
    ("lost backslashes", lambda text: text.replace('"', '\\"')),
    ("lost backslashes", lambda text: text.replace("\\", "\\\\").replace('"', '\\"')),
)


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
    if found.sought is not None:
        return NearMissSearch(found.sought, WorkBudget()).miss(found.sought)
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
