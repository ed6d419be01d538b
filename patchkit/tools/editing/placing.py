"""Edits whose old text is not in the file exactly: placed as a hunk of a patch is, or refused with what is known.

Takes a Text and the strings of an edit that has no exact match. `placed` returns the content after the edit, or an
Unplaced edit: one place or none, every line that the edit keeps stays as the file has it, and added lines take the
indentation of the place. An old text may begin and end inside a line: it is completed to whole lines first.
"""

from __future__ import annotations

from patchkit.core.changes.options import Options
from patchkit.core.changes.splice import replacements, splice
from patchkit.core.language import Hunk
from patchkit.core.matching import Match, Miss
from patchkit.core.matching.locate import locate
from patchkit.core.matching.search import REWRITES
from patchkit.diffs.parts import whole_lines
from patchkit.diffs.unique_hunks import hunk_of_texts
from patchkit.errors import PatchkitError
from patchkit.tools.editing.line_numbers import without_some_numbers
from patchkit.tools.editing.text import SEVERAL, Edited, Text, execute, valid
from patchkit.tools.editing.typography import with_own_characters
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGEST = 32 << 20  # bytes of a text that is searched line by line
_IN_TEXTS = ("entities", "escapes", "escaped quotes", "lost backslashes")  # rewrites that parts of lines can need


class Unplaced(Value):
    """An edit that has no place: its lines, as a hunk, and why."""

    __slots__ = ("hunk", "miss")
    hunk: Hunk
    miss: Miss

    def __init__(self, hunk: Hunk, miss: Miss) -> None:
        self.hunk = hunk
        self.miss = miss


def placed(text: Text, old: str, new: str, strict: bool = False) -> Edited | Unplaced | None:
    """The edit made at the one place where its old text matches by a pass; else why it has none, as it has if `strict`.

    None where there is nothing to look for, or too much to look through. Raises P622 for more than one place.
    """
    if len(text.document.data) > _LARGEST or not old.strip():
        return None
    parts = whole_lines(text.document.texts, old, new)
    if len(parts) > 1:
        lines = [part.line + 1 for part in parts]
        raise several(old, count=len(lines), places="lines " + ", ".join(map(str, lines)), line=lines[0])
    before, after = (parts[0].old, parts[0].new) if parts else _without_blank_ends(old, new)
    try:
        hunk = hunk_of_texts(before, after)
    except UnicodeError:
        return None  # half of a character is in no file
    if strict:
        return Unplaced(hunk, _strictly(text, hunk))
    found = _located(text, hunk, old)
    if isinstance(found, Miss) and found.code == "P201":
        undone = _rewritten(text, old, new)
        if undone is not None:
            return undone
        bare = without_some_numbers(text.document.texts, before, after)
        again = _located(text, hunk_of_texts(*bare), old) if bare is not None else found
        if isinstance(again, Match):
            return _made(text, again, "line-numbers")
    if isinstance(found, Miss):
        return Unplaced(hunk, found)
    return _made(text, found, "surrounding-space" if parts and found.pass_name == "exact" else "")


def _located(text: Text, hunk: Hunk, old: str) -> Match | Miss:
    found = locate(text.document, [hunk], Options())[0]
    if isinstance(found, Miss) and found.code == "P202":
        raise several(old, **{name: found.facts[name] for name in ("count", "places", "line")})
    return found


def _strictly(text: Text, hunk: Hunk) -> Miss:
    """Why a hunk has no place for a caller that allows no tolerance."""
    found = locate(text.document, [hunk], Options(max_pass="exact"))[0]
    return found if isinstance(found, Miss) else Miss("P207", [found.line], line=found.line + 1)


def _made(text: Text, match: Match, level: str) -> Edited:
    document = text.document
    match.lines = with_own_characters(match, document.texts)
    made = [each for each in replacements(document, match) if not each.changes_nothing_in(document)]
    named = next((str(note.facts["tolerance"]) for note in match.notes if note.code == "P921"), match.pass_name)
    return Edited(document, splice(document, made), made, 1, level or named)


def _without_blank_ends(old: str, new: str) -> tuple[list[str], list[str]]:
    """Old and new lines without the blank lines around the old ones."""
    before, after = _lines(old), _lines(new)
    while not before[0].strip():
        del before[0]
        del after[: 1 if after and not after[0].strip() else 0]
    while not before[-1].strip():
        del before[-1]
        del after[len(after) - 1 if after and not after[-1].strip() else len(after) :]
    return before, after


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def _rewritten(text: Text, old: str, new: str) -> Edited | None:
    """The edit of texts that were escaped once too often or too seldom, by the one change that makes the old text fit.

    It is made to all of the new text: a text is never escaped by half.
    """
    for name, was, becomes in _rewrites(old, new):
        if was != old and was != becomes and valid(text, was, becomes) is None:
            edited = execute(text, was, becomes)
            edited.level = name
            return edited
    return None


def _rewrites(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """The texts with what may have happened to them undone, and the name of that."""
    signed = [*("-" + line for line in old.split("\n")), *("+" + line for line in new.split("\n"))]
    for name in _IN_TEXTS:
        for undo in REWRITES[name]:
            lines = undo(signed)
            was, becomes = ("\n".join([line[1:] for line in lines if line[0] == sign]) for sign in "-+")
            yield name, was, becomes


def several(old: str, **facts: object) -> PatchkitError:
    """The refusal of a text that matches more than one place."""
    said = SEVERAL.replace("{count}", str(facts["count"])).replace("{old}", old)
    return PatchkitError("P622", what="old_string", said=said, **facts)
