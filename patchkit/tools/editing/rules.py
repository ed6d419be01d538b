"""The rules of replacing one text by another: `valid` says what is wrong with an edit, `execute` makes it.

Both take a content (bytes, text, or a Text that remembers what was searched) and the strings of the edit, and are
what Edit and MultiEdit stand on. Files, sessions and commits are none of their business.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.matching.model import listed
from patchkit.tools.editing.text import Edited, Text

_MOST_LISTED = 100  # places that are told apart by their lines

SAME = "<tool_use_error>No changes to make: old_string and new_string are exactly the same.</tool_use_error>"
EXISTS = "<tool_use_error>Cannot create new file - file already exists.</tool_use_error>"
MISSING = "<tool_use_error>String to replace not found in file.\nString: {old}</tool_use_error>"
SEVERAL = (
    "<tool_use_error>Found {count} matches of the string to replace, but replace_all is false. To replace all "
    "occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely "
    "identify the instance.\nString: {old}</tool_use_error>"
)


def valid(
    content: Text | bytes | str, old_string: str, new_string: str, replace_all: bool = False
) -> PatchkitError | None:
    """What stands in the way of an edit; None when it can be made."""
    text = content if isinstance(content, Text) else Text(content)
    if old_string == new_string:
        return unchanged()
    if not old_string:
        return PatchkitError("P623", said=EXISTS)
    places = text.places(old_string)
    if not places:
        said = MISSING.replace("{old}", old_string)
        return PatchkitError("P621", what="old_string", said=said)
    if len(places) > 1 and not replace_all:
        return _several(text, old_string)
    return None


def execute(content: Text | bytes | str, old_string: str, new_string: str, replace_all: bool = False) -> Edited:
    """The content with the edit made; raises what `valid` finds wrong with it."""
    text = content if isinstance(content, Text) else Text(content)
    fault = valid(text, old_string, new_string, replace_all)
    if fault is not None:
        raise fault
    return text.replaced(old_string, new_string)


def unchanged() -> PatchkitError:
    """The refusal of an edit that changes nothing."""
    return PatchkitError("P620", what="old_string", said=SAME)


def _several(text: Text, old: str) -> PatchkitError:
    count = max(2, text.count(old))  # places that overlap are two as well
    document = text.document
    lines: list[int] = []
    number, seen = 1, 0
    for start, _ in text.spans(old, _MOST_LISTED):
        number += document.data.count(document.separator, seen, start)
        seen = start
        lines.append(number)
    facts = {**listed(lines), "count": count}
    said = SEVERAL.replace("{count}", str(count)).replace("{old}", old)
    return PatchkitError("P622", what="old_string", said=said, **facts)
