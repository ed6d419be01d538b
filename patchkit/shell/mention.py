"""The word itself: a command that does not have it in it is never looked at further.

Takes text or bytes; gives a plain yes or no, in the time it takes to search them. Imports nothing: most commands that
a hook sees are not about apply_patch, and this is all they load.
"""

from __future__ import annotations

CALL_NAMES = ("apply_patch", "applypatch")
BEGIN = "*** Begin Patch"
_BLANK = " \t\r\n\ufeff"


def mentions(text: str | bytes) -> bool:
    """Whether the name of the command is anywhere in `text`."""
    if isinstance(text, bytes):
        return any(name.encode() in text for name in CALL_NAMES)
    return any(name in text for name in CALL_NAMES)


def is_bare_patch(text: str) -> bool:
    """Whether `text` begins as a patch does: the call of the command was forgotten."""
    return text[:64].lstrip(_BLANK).startswith(BEGIN)
