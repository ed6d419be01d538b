"""Whether an edit format can say what a commit changes in a file, found in its two contents and not by patchkit.

A refusal is right only where this finds a cause; so a converter that refuses too much is counted.
"""

from __future__ import annotations

import re

from benchmarks.roundtrip.histories import Change, endings, gets_other_endings

_NO_DELETION = ("search-replace", "json-edits", "whole-file")
_MARKER = re.compile(rb"(?m)^\\?((<{5,9}|={5,9}|>{5,9}|-{5,9}|\+{5,9}) ?(SEARCH|REPLACE)?\s*$|:(start|end)_line:)")
_NAME = re.compile(r"(?=.*\w)[^`*<>|\"'?]+")
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
    if name in ("json-edits", "openai-ops"):
        return not _is_unicode(b"".join(set((old or b"").split(b"\n")) ^ set(new.split(b"\n"))))
    if name not in ("whole-file", "search-replace"):
        return False
    if len(endings(new)) > 1 or (old is None and b"\r" in new) or not (_NAME.fullmatch(path) and path.isprintable()):
        return True  # lines of these texts end as those of the file do; a path is a line that looks like one
    if old is None and " " in path and "." not in path:
        return True  # which is a sentence if there is no such file
    ended, was = new[-1:] in _ENDED, (old or b"")[-1:] in _ENDED
    if name == "whole-file":
        return not ended or (old is not None and old[:3] != new[:3] and _MARK in (old[:3], new[:3]))
    if ended != was or (not ended and (old is None or old.split(b"\n")[-1] != new.split(b"\n")[-1])):
        return True
    return _has_marker(old or b"", new) or (old is not None and not old.strip())


def _have_several_endings(change: Change) -> bool:
    """Whether files that may be one under two names have lines that end with CR alone, or in several ways."""
    gone = [data for path, data in change.before.items() if path not in change.after]
    new = [data for path, data in change.after.items() if path not in change.before]
    kinds = [endings(data) for data in (*gone, *new)]
    return bool(gone and new) and any(b"\r" in each or len(each) > 1 for each in kinds)


def _has_marker(old: bytes, new: bytes) -> bool:
    """Whether a file has a line that opens, divides or closes a block."""
    return _MARKER.search(old) is not None or _MARKER.search(new) is not None


def _is_unicode(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
