"""The patch text around the hunks: their order, unified headers, wrappings, the end-of-file mark."""

from dataclasses import replace

from ..definitions import Scopes
from ..edits import Change, Edit, hunks_of
from ..placement import positions, well_posed
from ..writer import new_starts, ranges
from .draft import draft


def hunks_reordered(edit, draw, others):
    hunks = hunks_of(edit) or []
    if len(hunks) < 2 or any(positions(hunk, edit.before) != [hunk.start] for hunk in hunks):
        return None
    shuffled = list(hunks)
    while shuffled == hunks:
        draw.shuffle(shuffled)
    return draft(edit, shuffled)


def udiff_header(edit, draw, others):
    return _unified(edit, draw, lambda hunk: "")


def udiff_header_func(edit, draw, others):
    """The section text is git's: the nearest definition above the hunk, cut at 80 characters."""
    scopes = Scopes(edit.before, edit.language)
    hunks = hunks_of(edit) or []
    if any(scopes.above(hunk.start) is not None for hunk in hunks):
        return _unified(edit, draw, lambda hunk: _section(hunk, scopes))
    return None


def _section(hunk, scopes):
    at = scopes.above(hunk.start)
    return "" if at is None else " " + scopes.lines[at].strip()[:80]


def _unified(edit, draw, section):
    """The numbers decide nothing: the patch is well-posed without them, and a quarter are wrong."""
    hunks = hunks_of(edit) or []
    if not hunks or not well_posed(hunks, edit.before):
        return None
    off = draw.choice((-40, -7, 3, 12, 90)) if draw.random() < 0.25 else 0
    headed = []
    for hunk, start in zip(hunks, new_starts(hunks)):
        shown = replace(hunk, start=max(0, hunk.start + off))
        numbers = ranges(shown, max(0, start + off))
        headed.append(replace(hunk, anchors=(f"{numbers} @@{section(hunk)}",)))
    return draft(edit, headed, diff=False)


def no_first_header(edit, draw, others):
    hunks = hunks_of(edit)
    if hunks and well_posed(hunks, edit.before):
        return draft(edit, hunks, diff=False, first_header=False)
    return None


def wrap_heredoc(edit, draw, others):
    hunks = hunks_of(edit)
    if not hunks or not well_posed(hunks, edit.before):
        return None
    made = draft(edit, hunks, diff=False)
    opening = draw.choice(("<<'EOF'", "<<EOF", "apply_patch <<'EOF'"))
    if opening == "<<EOF" and set(made.patch) & set("$`\\"):
        opening = "<<'EOF'"  # unquoted, a shell would have changed the text
    return made._replace(patch=f"{opening}\n{made.patch}EOF\n")


def wrap_fence(edit, draw, others):
    hunks = hunks_of(edit)
    if hunks and well_posed(hunks, edit.before):
        made = draft(edit, hunks)
        opening = "```" + draw.choice(("", "diff", "patch", "text"))
        return made._replace(patch=f"{opening}\n{made.patch}```\n", diff=f"{opening}\n{made.diff}```\n")
    return None


def eof_anchor(edit, draw, others):
    """Lines appended under `*** End of File`: where the release did so, else its added lines moved there."""
    edit = _appending(edit)
    return edit and _at_end(edit)


def eof_anchor_dup(edit, draw, others):
    """The same, and the last lines of the file also occur earlier in it."""
    edit = _appending(edit, alone=True)
    if not edit or len(edit.before) < 12:
        return None
    size = len(edit.before)
    at = draw.randrange(size - 6)
    before = edit.before[:at] + edit.before[-3:] + edit.before[at:]
    change = replace(edit.changes[0], start=size + 3, stop=size + 3)
    return _at_end(Edit(edit.package, edit.releases, edit.path, before, (change,)))


def _appending(edit, alone=False):
    size = len(edit.before)
    added = [change for change in edit.changes if change.start == change.stop and any(change.new)]
    if not added:
        return None
    changes = edit.changes
    if alone or changes[-1].start < size:
        changes = (Change(size, size, added[-1].new),)
    return Edit(edit.package, edit.releases, edit.path, edit.before, changes)


def _at_end(edit):
    hunks = hunks_of(edit) or []
    if not hunks:
        return None
    hunks[-1] = replace(hunks[-1], at_eof=True)
    if hunks[-1].stop == len(edit.before) and well_posed(hunks, edit.before):
        return draft(edit, hunks, diff=False)
    return None
