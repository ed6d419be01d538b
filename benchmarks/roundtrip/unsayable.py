"""Whether an edit format can say what a commit changes in a file, found in its two contents and not by patchkit.

A refusal is right only where this finds a cause; so a converter that refuses too much is counted.
"""

from __future__ import annotations

import re

from benchmarks.roundtrip.histories import Change, endings, gets_other_endings, is_misdeclared

_NO_DELETION = ("search-replace", "json-edits", "whole-file")
_MARKER = re.compile(  # a line that opens, divides or closes a block, or that Roo would take for a setting
    r"(?m)^(?:(?:<{5,9}|-{5,9}) ?SEARCH>?|={5,9}|(?:>{5,9}|\+{5,9}) ?REPLACE>?)[^\S\n]*$"
    r"|^:(?:start|end)_line:[^\S\n]*\d*[^\S\n]*$"
    r"|^\\(?:[<=>+-]{5}|:).*"
)
_RAW = re.compile("[\udc80-\udcff]")  # a byte that is not UTF-8
_RAW_LINE = re.compile("(?m)^[^\n\udc80-\udcff]*[\udc80-\udcff].*")  # found at its beginning alone: lines may be long
_NAME = re.compile(r"(?=.*\w)(?!.*:\d+$)[^`*<>|\"'?]+")
_MARK = b"\xef\xbb\xbf"
_ENDED = (b"\n", b"")


def is_unsayable(trip: str, change: Change, path: str | None) -> bool:
    """Whether a trip has to refuse what a commit changes at a path."""
    name = trip.removeprefix("to ")
    old, new = change.before.get(path or ""), change.after.get(path or "")
    if path is None:
        return any("\n" in each for each in (*change.before, *change.after))
    if path != path.strip():
        return True
    if path in change.modes or any(b"\0" in (data or b"")[:8192] for data in (old, new)):
        return True
    if any(each.startswith(f"{path}/") for each in (*change.before, *change.after)):
        return True  # a directory that becomes a file, or is one again when that is taken back
    if (old is None) != (new is None) and _have_several_endings(change):
        return True
    if new is None:
        return old is None or name in _NO_DELETION or name == "reverse"
    if b"\r" in endings(old or b"") | endings(new) or (old is not None and gets_other_endings(old, new)):
        return True
    misdeclared = any(is_misdeclared(data) for data in (*change.before.values(), *change.after.values()))
    if misdeclared and path in change.other_encodings and trip not in ("diff", "mail", "to unified"):
        return True  # only a diff with git's hashes says that its lines are bytes
    if name in ("json-edits", "openai-ops"):
        if path in change.other_encodings:
            return True  # JSON is text: its characters are written in the encoding of the file, and never as they are
        if old is None or (name == "json-edits" and not _RAW.search(_text(new))):
            return _RAW.search(_text(new)) is not None  # a whole file
        if (old[-1:] in _ENDED) != (new[-1:] in _ENDED):
            last = [_text(data).removesuffix("\n").rpartition("\n")[2] for data in (old, new)]
            if _RAW.search("".join(last)):
                return True  # a line is shown when its newline comes or goes
        return not _stays(old, new, _RAW_LINE)
    if name not in ("whole-file", "search-replace"):
        return False
    changed = [each + _text(data) for each, data in change.after.items() if change.before.get(each) != data]
    if (
        name == "whole-file" and path.isprintable() and not _RAW.search("".join(changed))
    ):  # which can be strings of JSON
        return change.has_placeholder or (old is not None and old[:3] != new[:3] and _MARK in (old[:3], new[:3]))
    if len(endings(new)) > 1 or (old is None and b"\r" in new) or not (_NAME.fullmatch(path) and path.isprintable()):
        return True  # lines of these texts end as those of the file do; a path is a line that looks like one
    if old is None and ((" " in path and "." not in path) or path.endswith((")", "(", ";", ",", "{"))):
        return True  # which is a sentence if there is no such file
    ended, was = new[-1:] in _ENDED, (old or b"")[-1:] in _ENDED
    if name == "whole-file":
        changes_mark = old is not None and old[:3] != new[:3] and _MARK in (old[:3], new[:3])
        return not ended or changes_mark or change.has_placeholder
    if ended != was or (not ended and (old is None or old.split(b"\n")[-1] != new.split(b"\n")[-1])):
        return True
    if old is None:
        return _MARKER.search(_text(new)) is not None
    return not old.strip() or not _stays(old, new, _MARKER)


def _have_several_endings(change: Change) -> bool:
    """Whether files that may be one under two names have lines that end with CR alone, in several ways or in others."""
    gone = [data for path, data in change.before.items() if path not in change.after]
    new = [data for path, data in change.after.items() if path not in change.before]
    kinds = [endings(data) for data in (*gone, *new)]
    if gone and new and any(b"\r" in each or len(each) > 1 for each in kinds):
        return True
    return any(gets_other_endings(old, data) and _lines(old) & _lines(data) for old in gone for data in new)


def _lines(data: bytes) -> set[bytes]:
    return {line.rstrip(b"\r") for line in data.split(b"\n")} - {b""}


def _stays(old: bytes, new: bytes, unshown: re.Pattern[str]) -> bool:
    """Whether what a format cannot show stays as it is, and what changes has a text around it that is there once."""
    first = "\n" if unshown is not _RAW else ""  # before a line, too
    was, becomes = first + _text(old), first + _text(new)
    if [each[0] for each in unshown.finditer(was)] != [each[0] for each in unshown.finditer(becomes)]:
        return False
    pieces = zip(unshown.split(was), unshown.split(becomes))
    changed = [piece for piece, other in pieces if piece != other]
    if unshown is _MARKER and not all(piece.strip() for piece in changed):
        return False  # a block of blank lines is not found
    return unshown.search(was) is None or all(was.count(piece) == 1 for piece in changed)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
