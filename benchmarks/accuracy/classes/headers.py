"""Headers after `@@`: one, two stacked, repeated, or the only difference between two blocks.

A hunk gets a header only where both readings of "enclosing", from its first line and from its first
change, agree; where they differ, the definition is in the hunk's own context.
"""

import re
from dataclasses import replace

from ..definitions import OUTER, Scopes
from ..edits import Change, Edit, hunks_of
from ..placement import positions, well_posed
from .draft import draft


def clean_header(edit, draw, others):
    hunks, scopes = _prepared(edit)
    hunks = _with_headers(hunks, scopes)
    return _checked(edit, hunks, scopes) if any(hunk.anchors for hunk in hunks) else None


def nested_headers(edit, draw, others):
    hunks, scopes = _prepared(edit)
    hunks = _with_headers(hunks, scopes, stacked=True)
    return _checked(edit, hunks, scopes) if any(len(hunk.anchors) == 2 for hunk in hunks) else None


def header_in_context(edit, draw, others):
    hunks, scopes = _prepared(edit)
    headed = []
    for hunk in hunks:
        at = _own_header(hunk, scopes)
        headed.append(hunk if at is None else _under(hunk, scopes, at))
    return _checked(edit, headed, scopes) if headed != hunks else None


def header_repeated(edit, draw, others):
    for context in (3, 1):
        hunks, scopes = _prepared(edit, context)
        heads = [_header(hunk, scopes) for hunk in hunks]
        if any(head is not None and head == before for head, before in zip(heads[1:], heads)):
            hunks = [hunk if at is None else _under(hunk, scopes, at) for hunk, at in zip(hunks, heads)]
            return _checked(edit, hunks, scopes)
    return None


def header_above(edit, draw, others):
    """A hunk that shows the first line of its definition, under the one above, as git's own headers have it."""
    hunks, scopes = _prepared(edit)
    headed = []
    for hunk in hunks:
        above = scopes.above(hunk.start) if scopes.is_definition(hunk.start) else None
        headed.append(hunk if above is None else replace(hunk, anchors=(edit.before[above].strip(),)))
    lone = all(len(positions(hunk, edit.before)) == 1 for hunk in hunks)
    return draft(edit, headed, diff=False) if lone and headed != hunks else None


def dup_header(edit, draw, others):
    """An identical block comes earlier: as the file has it, or in a renamed copy of the definition."""
    made = _natural_twin(edit)
    if made:
        return made
    edit = _with_earlier_twin(edit)
    return edit and _natural_twin(edit)


def _natural_twin(edit):
    for context in (3, 1):
        hunks, scopes = _prepared(edit, context)
        headed = _with_headers(hunks, scopes)
        needed = [hunk for hunk in headed if hunk.anchors and positions(hunk, edit.before)[0] < hunk.start]
        if needed and not well_posed(hunks, edit.before) and well_posed(headed, edit.before, scopes=scopes):
            return draft(edit, headed)
    return None


def _with_earlier_twin(edit):
    hunks, scopes = _prepared(edit)
    if not hunks:
        return None
    at = _header(hunks[0], scopes)
    if at is None or hunks[0].stop - at > 40:
        return None
    lines = edit.before
    renamed = re.sub(r"(\w+)(?=\W*$)" if lines[at].startswith("#") else _NAME, r"\1_old", lines[at], count=1)
    if renamed == lines[at]:
        return None
    top = at
    while top and re.match(r"\s*[@#/]", lines[top - 1]) and not scopes.is_definition(top - 1):
        top -= 1
    copy = (renamed, *lines[at + 1 : hunks[0].stop], "")
    changes = tuple(Change(c.start + len(copy), c.stop + len(copy), c.new) for c in edit.changes)
    return Edit(edit.package, edit.releases, edit.path, lines[:top] + copy + lines[top:], changes)


_NAME = r"(?<=[\s*])([A-Za-z_]\w*)(?=\s*[(<:{])"


def _prepared(edit, context=3):
    return hunks_of(edit, context) or [], Scopes(edit.before, edit.language)


def _checked(edit, hunks, scopes):
    if well_posed(hunks, edit.before, scopes=scopes):
        return draft(edit, hunks, diff=False)
    return None


def _with_headers(hunks, scopes, stacked=False):
    """A header on every hunk that has one below the hunk before it: no header is said twice."""
    headed, end = [], 0
    for hunk in hunks:
        at = _header(hunk, scopes)
        if at is not None and at >= end:
            hunk = _under(hunk, scopes, at, stacked)
        headed.append(hunk)
        end = hunk.stop
    return headed


def _header(hunk, scopes):
    """The line number of the definition around the whole hunk, None where there is no such thing."""
    at, *others = scopes.enclosing(hunk, hunk.start)
    return at if at is not None and not others and at < hunk.start else None


def _own_header(hunk, scopes):
    """The line number of the definition in the hunk's own leading context that holds its changes."""
    _, chain = scopes.chains(hunk, hunk.start)
    return chain[0] if chain and hunk.start <= chain[0] else None


def _under(hunk, scopes, at, stacked=False):
    anchors = [scopes.lines[at].strip()]
    if stacked:
        outer = scopes.chain(at, scopes.lines[at])
        if outer and OUTER.match(scopes.lines[outer[0]]):
            anchors.insert(0, scopes.lines[outer[0]].strip())
    return replace(hunk, anchors=tuple(anchors))
