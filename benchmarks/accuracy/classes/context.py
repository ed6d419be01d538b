"""Context lines that are bare, dropped, unprefixed, misspelt or rewritten."""

import difflib

from ..edits import Line, hunks_of
from ..nearness import is_lone, is_lone_with_gap
from ..placement import LOOSE, Likeness, admissible, exact, loose, positions, ways, well_posed
from .draft import draft, has, replaced


def blank_bare(edit, draw, others):
    hunks = hunks_of(edit) or []
    if not has(hunks, " ", lambda text: text == "") or not well_posed(hunks, edit.before):
        return None
    bare = [
        hunk.with_lines(Line(" ", "", "") if (line.op, line.text) == (" ", "") else line for line in hunk.lines)
        for hunk in hunks
    ]
    return draft(edit, bare)


def blank_between(edit, draw, others):
    hunks = hunks_of(edit) or []
    if hunks and well_posed(hunks, edit.before):
        return draft(edit, [hunk.with_lines([*hunk.lines, Line("?", "", "")]) for hunk in hunks], diff=False)
    return None


def blank_dropped(edit, draw, others):
    return _without_one(edit, draw, lambda text: text == "")


def ctx_omitted(edit, draw, others):
    return _without_one(edit, draw, lambda text: text.strip())


def _without_one(edit, draw, wanted):
    """One context line is missing, always from between two context lines.

    Next to a change it could not be distinguished from a hunk that was applied before.
    """
    hunks = hunks_of(edit) or []
    places = [
        (number, i)
        for number, hunk in enumerate(hunks)
        for i in range(1, len(hunk.lines) - 1)
        if wanted(hunk.lines[i].text) and all(line.op == " " for line in hunk.lines[i - 1 : i + 2])
    ]
    if not places:
        return None
    number, i = draw.choice(places)
    hunk = hunks[number]
    gap = sum(line.op in " -" for line in hunk.lines[:i])
    short = hunk.with_lines(hunk.lines[:i] + hunk.lines[i + 1 :])
    if is_lone_with_gap(short, edit.before, gap) and _others_well_posed(hunks, number, edit.before):
        return draft(edit, replaced(hunks, number, short))
    return None


def _others_well_posed(hunks, number, lines):
    """One joint placement exists, the altered hunk being where it truly is."""
    choices = [admissible(hunk, lines) for hunk in hunks]
    choices[number] = [hunks[number].start]
    return ways(choices, [len(hunk.old) for hunk in hunks]) == 1


def ctx_unprefixed(edit, draw, others):
    """Context without its leading space; lines that would then read as something else are avoided."""
    hunks = hunks_of(edit) or []
    if has(hunks, " ", lambda text: text[:1] in ("+", "-") or text.startswith(("@@", "***", "\\"))):
        return None
    if not has(hunks, " ", str.strip) or not well_posed(hunks, edit.before, Likeness(str.lstrip, exact)):
        return None
    bare = [
        hunk.with_lines(Line(" ", line.text, line.text) if line.op == " " else line for line in hunk.lines)
        for hunk in hunks
    ]
    return draft(edit, bare)


def ctx_typo(edit, draw, others):
    return _altered(edit, draw, " ", lambda text: slip(text, draw))


def ctx_rewritten(edit, draw, others):
    return _altered(edit, draw, " ", lambda text: _something_else(text, edit, draw, others))


def stale_removal(edit, draw, others):
    """A removed line with a slip; as written the hunk fits nowhere, not even loosely."""
    return _altered(edit, draw, "-", lambda text: slip(text, draw))


def _altered(edit, draw, op, change):
    hunks = hunks_of(edit) or []
    places = [
        (number, i)
        for number, hunk in enumerate(hunks)
        for i, line in enumerate(hunk.lines)
        if line.op == op and sum(map(str.isalnum, line.text)) >= 4
    ]
    if not places or not well_posed(hunks, edit.before):
        return None
    number, i = draw.choice(places)
    text = hunks[number].lines[i].text
    other = change(text)
    if not other or loose(other) == loose(text):
        return None
    hunk = hunks[number].with_lines(replaced(hunks[number].lines, i, Line(op, other)))
    if positions(hunk, edit.before, LOOSE):
        return None
    if op == "-" or (is_lone(hunk, edit.before) and _others_well_posed(hunks, number, edit.before)):
        return draft(edit, replaced(hunks, number, hunk))
    return None


def slip(text, draw):
    """One slip of the finger inside a word: two letters swapped, one dropped, doubled or replaced."""
    places = [i for i in range(1, len(text)) if text[i - 1].isalnum() and text[i].isalnum()]
    if not places:
        return None
    i = draw.choice(places)
    a, b = text[i - 1], text[i]
    slips = [a, a + b + b, a + ("e" if b != "e" else "a")]
    if a != b:
        slips.append(b + a)
    return text[: i - 1] + draw.choice(slips) + text[i + 1 :]


def _something_else(text, edit, draw, others):
    """A line of another file in the same language, at the indentation of the one it replaces."""
    indent = text[: len(text) - len(text.lstrip())]
    for _ in range(20):
        other = draw.choice(draw.choice(others).before).strip()
        unlike = difflib.SequenceMatcher(None, other, text.strip()).ratio() < 0.6
        if len(other) > 7 and unlike and indent + other not in edit.before:
            return indent + other
    return None
