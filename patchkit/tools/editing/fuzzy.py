"""Edits whose old text is not in the file to the letter: the passes of the matching room find its place.

Takes a Text and the strings of an edit that has no exact place; gives what the edit makes of it, or None. The lines of
the two strings become a hunk like that of a patch, so the same rules hold: one place or none, every line keeps its
ending, lines that come in take the indentation of the place. What is only part of a line is looked for without the
blanks around it.
"""

from __future__ import annotations

from patchkit.changes.options import Options
from patchkit.changes.splice import replacements, splice
from patchkit.errors import PatchkitError
from patchkit.language.model import Hunk
from patchkit.matching.locate import locate
from patchkit.matching.model import Match, Miss
from patchkit.tools.editing.rules import SEVERAL, valid
from patchkit.tools.editing.text import Change, Edited, Text

_MOST_TOLERANT = "rewritten"  # beyond it, lines that are not there would count as there
_LARGEST = 32 << 20  # bytes of a text that is searched line by line


def fuzzy(text: Text, old: str, new: str) -> Edited | None:
    """The edit made at the one place where its old text stands but for blanks and typography; None without one.

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
    return _without_outer_blanks(text, old, new)


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
    changes = [Change(each.start, each.stop, each.new) for each in made]
    return Edited(document, splice(document, made), changes, 1, rewrites[0] if rewrites else match.pass_name)


def _several(miss: Miss, old: str) -> PatchkitError:
    facts = {name: miss.facts[name] for name in ("count", "places", "line") if name in miss.facts}
    said = SEVERAL.replace("{count}", str(facts["count"])).replace("{old}", old)
    return PatchkitError("P622", what="old_string", said=said, **facts)


def _without_outer_blanks(text: Text, old: str, new: str) -> Edited | None:
    """The edit of a part of a line, or of several, that stands there without the blanks around it.

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
