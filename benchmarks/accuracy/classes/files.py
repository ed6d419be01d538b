"""The file is not what the patch's author saw: moved lines, other line endings, no final newline."""

from dataclasses import replace

from ..edits import Change, hunks_of, splice, text_of
from ..placement import well_posed
from ..writer import unified_diff
from .draft import draft


def drifted(edit, draw, others):
    """Lines inserted and deleted outside the hunks, in the file before and after alike."""
    hunks = hunks_of(edit) or []
    if not hunks:
        return None
    places = _outside(hunks, len(edit.before))
    drift = []
    for at in draw.sample(places, min(len(places), draw.randint(2, 6))):
        if draw.random() < 0.4:
            drift.append((at, at + 1, ()))
        else:
            donor = draw.choice(others).before
            first = draw.randrange(len(donor))
            drift.append((at, at, donor[first : first + draw.randint(1, 8)]))
    moved, before, after = _shifted(edit, hunks, drift)
    if before != edit.before and well_posed(moved, before):
        return draft(edit, moved, before, after)
    return None


def _outside(hunks, size):
    inside = {at for hunk in hunks for at in range(hunk.start, hunk.stop)}
    return [at for at in range(size) if at not in inside]


def _shifted(edit, hunks, drift):
    """The hunks and both files with the drift: no drift lies within a hunk, so one splice does each."""

    def moved(at):
        return at + sum(len(new) - (stop - start) for start, stop, new in drift if start < at)

    def with_drift(changes):
        return splice(edit.before, [*changes, *(Change(*change) for change in drift)])

    # Right behind a hunk, drift and the hunk's own change could begin at one line; that is left out.
    edges = {hunk.stop for hunk in hunks}
    drift = [change for change in drift if change[0] not in edges]
    shifted = [replace(hunk, start=moved(hunk.start)) for hunk in hunks]
    return shifted, with_drift(()), with_drift(edit.changes)


def crlf_file(edit, draw, others):
    hunks = hunks_of(edit)
    if hunks and well_posed(hunks, edit.before):
        return draft(edit, hunks, text_of(edit.before, "\r\n"), text_of(edit.after, "\r\n"))
    return None


def crlf_patch(edit, draw, others):
    hunks = hunks_of(edit)
    if hunks and well_posed(hunks, edit.before):
        made = draft(edit, hunks)
        return made._replace(patch=_crlf(made.patch), diff=_crlf(made.diff))
    return None


def _crlf(text):
    return text.replace("\n", "\r\n")


def mixed_eol(edit, draw, others):
    """A fifth of the lines end in CRLF, none within two lines of a hunk."""
    hunks = hunks_of(edit) or []
    near = {at for hunk in hunks for at in range(hunk.start - 2, hunk.stop + 2)}
    places = [at for at in range(len(edit.before)) if at not in near]
    wanted = len(edit.before) // 5
    if not hunks or len(places) < wanted or not well_posed(hunks, edit.before):
        return None
    chosen = set(draw.sample(places, wanted))
    lines = [line + ("\r\n" if at in chosen else "\n") for at, line in enumerate(edit.before)]
    changes = [replace(c, new=tuple(line + "\n" for line in c.new)) for c in edit.changes]
    return draft(edit, hunks, "".join(lines), "".join(splice(lines, changes)))


def noeol_file(edit, draw, others):
    last = len(edit.before) - 1
    hunks = hunks_of(edit)
    touched = any(change.stop > last for change in edit.changes)
    if not hunks or touched or not edit.before[last] or not well_posed(hunks, edit.before):
        return None
    made = draft(edit, hunks, text_of(edit.before)[:-1], text_of(edit.after)[:-1])
    return made._replace(diff=unified_diff([(edit.path, hunks)], {edit.path: last}))
