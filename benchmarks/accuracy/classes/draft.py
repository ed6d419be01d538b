"""What every distortion hands back, and the few questions they all ask of hunks.

Takes an edit and its (distorted) hunks; gives a Draft with the patch already written. The class's
name, its right outcome and the choice of edits are added by the caller.
"""

from collections import namedtuple

from ..edits import text_of
from ..writer import patch_text, unified_diff

# before and expected map paths to text; expected is None where the patch must be refused.
Draft = namedtuple("Draft", "before patch expected diff")

# How many of the lines it may touch a distortion takes: hardly any, some or most.
SHARES = (0.1, 0.3, 0.7)


def draft(edit, hunks, before=None, after=None, patch=None, diff=True, first_header=True):
    """The edit's tree and the hunks written down; `before` and `after` may be lines or text.

    `diff=False` says a unified diff can not show what the class is about.
    """
    files = [(edit.path, hunks)]
    return Draft(
        before={edit.path: _text(edit.before if before is None else before)},
        patch=patch or patch_text(files, first_header),
        expected={edit.path: _text(edit.after if after is None else after)},
        diff=unified_diff(files) if diff else None,
    )


def _text(lines):
    return lines if isinstance(lines, str) else text_of(lines)


def context_of(hunk):
    """(index in the hunk, index in the file) of every context line."""
    return [(i, at) for i, at in old_of(hunk) if hunk.lines[i].op == " "]


def old_of(hunk):
    """(index in the hunk, index in the file) of every context and removed line."""
    found, at = [], hunk.start
    for i, line in enumerate(hunk.lines):
        if line.op in " -":
            found.append((i, at))
            at += 1
    return found


def replaced(items, index, item):
    """The sequence as a list, with another item at one place (or several)."""
    changes = index if isinstance(index, dict) else {index: item}
    return [changes.get(i, old) for i, old in enumerate(items)]


def has(hunks, ops, test):
    return any(line.op in ops and test(line.text) for hunk in hunks for line in hunk.lines)
