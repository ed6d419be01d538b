"""Undistorted patches: 3, 1 or 0 lines of context, and the ones that say too little."""

from itertools import islice

from ..edits import Change, hunks_of, splice
from ..placement import placements, positions, well_posed
from .draft import draft


def clean(context):
    def make(edit, draw, others):
        hunks = hunks_of(edit, context)
        if hunks and well_posed(hunks, edit.before):
            return draft(edit, hunks)
        return None

    return make


def ambiguous(edit, draw, others):
    """Fits in two or more ways that give different files; which one is meant cannot be known."""
    for context in draw.sample((0, 1, 3), 3):
        hunks = hunks_of(edit, context)
        if hunks and len(_results(hunks, edit.before)) > 1:
            return draft(edit, hunks)
    return None


def _results(hunks, lines):
    choices = [positions(hunk, lines) for hunk in hunks]
    found = set()
    for starts in islice(placements(choices, [len(hunk.old) for hunk in hunks]), 200):
        changes = [change for hunk, start in zip(hunks, starts) for change in changes_at(hunk, start)]
        found.add(splice(lines, changes))
        if len(found) > 1:
            break
    return found


def changes_at(hunk, start):
    """What the hunk does to the file when it is placed at `start`."""
    changes, at, begin, new = [], start, None, []
    for line in [*hunk.lines, None]:
        if line is None or line.op == " ":
            if begin is not None:
                changes.append(Change(begin, at, tuple(new)))
            begin, new = None, []
        elif begin is None:
            begin = at
        if line is not None and line.op == "+":
            new.append(line.text)
        if line is not None and line.op in " -":
            at += 1
    return changes
