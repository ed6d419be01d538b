"""The edits of strings that turn one content of a file into another.

Takes the two contents; gives edits that each find their text once in what those before them leave. A string cannot hold
bytes that are not UTF-8: where they stay as they are, edits are made between them.
"""

from __future__ import annotations

import re
from itertools import accumulate

from patchkit.diffs.compare import Span, compared
from patchkit.diffs.unique_hunks import hunks_between
from patchkit.formats.json_edits import is_unicode
from patchkit.formats.model import TextEdit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from patchkit.core.language import Hunk

_MOST_SEARCHED = 2_000_000_000  # characters: every edit is looked for in the whole text, here and by each reader
_TRIES = ((True, False), (True, True), (False, False), (False, True))  # whether with care, and whether backwards
_RAW = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as they are decoded


# The lines of a piece before and after, the lines that change, and where those are in the text before and after.
_Change = tuple[list[str], list[str], Span, int, int]


def text_edits(path: str, old: bytes, new: bytes, hunks: list[Hunk] | None) -> list[TextEdit] | None:
    """Returns the edits of a file, by the hunks that are known to change it or by comparing; None if there are none."""
    before, after = (data.decode("utf-8", "surrogateescape") for data in (old, new))
    hunks = hunks or hunks_between(path, old, new, anchored=False, as_bytes=False)
    edits = _by_hunks(path, before, after, hunks, careful=True)
    if edits is None:
        whole = hunks_between(path, old, new, anchored=False, one=True, as_bytes=False)
        edits = _by_hunks(path, before, after, whole, careful=True) or _by_hunks(path, before, after, hunks)
    if edits is not None and all(is_unicode(edit.old) and is_unicode(edit.new) for edit in edits):
        return edits
    return _between_bytes(path, before, after)


def _by_hunks(path: str, text: str, after: str, hunks: list[Hunk], careful: bool = False) -> list[TextEdit] | None:
    """The edits of hunks, one after the other; with care, None if one leaves what another seems to have made."""
    if len(hunks) * len(text) > _MOST_SEARCHED:
        return None
    ending = "\r\n" if "\r\n" in text else "\n"
    found = []
    for hunk in hunks:
        piece, put = (ending.join([*lines, ""]) if lines else "" for lines in (hunk.old(), hunk.new()))
        at = _only_place(text, piece)
        if at < 0:
            piece, put = piece.removesuffix(ending), put.removesuffix(ending)
            at = _only_place(text, piece)
        is_made = len(put) > len(piece) and (text.startswith(put, at) or text.endswith(put, 0, at + len(piece)))
        if at < 0 or (careful and is_made):
            return None
        text = text[:at] + put + text[at + len(piece) :]
        found.append(TextEdit(path, piece, put))
    return found if text == after else None


def _only_place(text: str, piece: str) -> int:
    """Where the piece is in a text, if it is there once; else -1. Places that overlap count as one, as for edits."""
    at = text.find(piece) if piece else -1
    return at if at < 0 or text.find(piece, at + len(piece)) < 0 else -1


def _between_bytes(path: str, text: str, after: str) -> list[TextEdit] | None:
    """Edits of the pieces between bytes that are not UTF-8; None if those bytes do not stay, all and in order."""
    if not (kept := _RAW.findall(text)) or kept != _RAW.findall(after):
        return None
    changes: list[_Change] = []
    was = now = 0  # where the piece is in the text before and after
    for piece, put in zip(_RAW.split(text), _RAW.split(after)):
        if piece != put:
            old, new = _lines(piece), _lines(put)
            olds, news = ([0, *accumulate(map(len, each))] for each in (old, new))
            spans = compared([line.encode() for line in old], [line.encode() for line in new])
            changes += [(old, new, (a, b, c, d), was + olds[a], now + news[c]) for a, b, c, d in spans]
        was, now = was + len(piece) + 1, now + len(put) + 1
    # What one edit writes may be like what another looks for, and like what is there: the other order, or less care,
    # may do. The text is proved in any case.
    found = (_one_by_one(path, text, changes, careful, backwards) for careful, backwards in _TRIES)
    return next((edits for edits in found if edits is not None), None)


def _one_by_one(path: str, text: str, changes: list[_Change], careful: bool, backwards: bool) -> list[TextEdit] | None:
    """An edit for each change, each of which is found at one place of what those before it leave; None without one.

    With care, none can be taken for an edit that has been made.
    """
    found: list[TextEdit] = []
    searched = 0
    for old, new, (a, b, c, d), was, now in changes[::-1] if backwards else changes:
        above, below, first, last, at = (old, new, a, d, was) if backwards else (new, old, c, b, now)
        for size in _sizes(len(old) + len(new)):
            head, tail = "".join(above[max(0, first - size) : first]), "".join(below[last : last + size])
            edit = TextEdit(path, "".join([head, *old[a:b], tail]), "".join([head, *new[c:d], tail]))
            searched += len(text)
            if len(_TRIES) * searched > _MOST_SEARCHED:
                return None
            if not edit.old:
                continue
            is_made = careful and edit.new in text and edit.new not in edit.old
            place = at - len(head)
            if not is_made and text.find(edit.old) == place and text.find(edit.old, place + 1) < 0:
                break
        else:
            return None
        text = text[:place] + edit.new + text[place + len(edit.old) :]
        found.append(edit)
    return found


def _lines(text: str) -> list[str]:
    """The lines of a text, with their line feeds."""
    *ended, last = text.split("\n")
    return [*(line + "\n" for line in ended), last]


def _sizes(most: int) -> Iterator[int]:
    """How many lines of context to try on either side."""
    size = 0
    while size < 2 * most:
        yield size
        size = 2 * size or 1
