"""Patches that must not be applied as they are: sent twice, or their lines are gone."""

import re

from ..edits import hunks_of, text_of
from ..nearness import best_window, fewest_misses
from ..placement import LOOSE, positions, well_posed
from ..writer import patch_text, unified_diff
from .context import slip
from .draft import Draft, draft


def already_applied(edit, draw, others):
    """Sent twice: no hunk fits the file that already has it."""
    hunks = hunks_of(edit) or []
    after = edit.after
    if hunks and well_posed(hunks, edit.before) and not any(positions(hunk, after, LOOSE) for hunk in hunks):
        return draft(edit, hunks, before=after)
    return None


def target_gone(edit, draw, others):
    """The lines of one hunk were deleted and nothing similar remains: refuse."""
    gone = _gone(edit, draw)
    if gone:
        hunks, before = gone
        return draft(edit, hunks, before=before)._replace(expected=None)
    return None


def _gone(edit, draw):
    hunks = hunks_of(edit) or []
    if not hunks or not well_posed(hunks, edit.before):
        return None
    number = draw.randrange(len(hunks))
    before = _without(edit.before, hunks[number])
    old = hunks[number].old
    if before and any(map(str.strip, old)) and fewest_misses(old, before) > len(old) // 2:
        return hunks, before
    return None


def _without(lines, hunk):
    return lines[: hunk.start] + lines[hunk.stop :]


def twin_decoy(edit, draw, others):
    """The same, but a similar block with at least half the lines remains, two or more of them different.

    A similar block of the file where it has one; else the block itself with some lines rewritten.
    """
    hunks = hunks_of(edit) or []
    if not hunks or not well_posed(hunks, edit.before):
        return None
    number = draw.randrange(len(hunks))
    hunk = hunks[number]
    if len(hunk.old) < 4:
        return None
    before = _without(edit.before, hunk)
    if 2 * best_window(hunk.old, before)[1] < len(hunk.old):
        before = edit.before[: hunk.start] + _similar_block(hunk.old, draw) + edit.before[hunk.stop :]
    _, equal = best_window(hunk.old, before)
    if 2 * equal >= len(hunk.old) and fewest_misses(hunk.old, before) >= 2:
        return draft(edit, hunks, before=before)._replace(expected=None)
    return None


def _similar_block(old, draw):
    places = [i for i, text in enumerate(old) if sum(map(str.isalnum, text)) >= 4]
    count = min(len(places), draw.randint(2, max(2, len(old) // 2)))
    lines = list(old)
    words = re.findall(r"[A-Za-z_]{3,}", " ".join(old)) or ["other"]
    for i in draw.sample(places, count):
        if draw.random() < 0.5:
            lines[i] = re.sub(r"[A-Za-z_]{3,}", draw.choice(words), lines[i], count=1)
        else:
            lines[i] = slip(slip(lines[i], draw) or lines[i], draw) or lines[i]
    return tuple(lines)


def multifile_bad_second(edit, draw, others):
    """Two files, and the second's lines are gone: nothing at all may be written."""
    hunks = hunks_of(edit)
    if not hunks or not well_posed(hunks, edit.before):
        return None
    for _ in range(10):
        second = draw.choice(others)
        gone = second.path != edit.path and _gone(second, draw)
        if gone:
            files = [(edit.path, hunks), (second.path, gone[0])]
            before = {edit.path: text_of(edit.before), second.path: text_of(gone[1])}
            return Draft(before, patch_text(files), None, unified_diff(files))
    return None
