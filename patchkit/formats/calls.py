"""Find the edits of another format inside the JSON of a tool call or of a message.

Takes a text; gives the texts of edits in it, as one. A client of a model has its answer as JSON: `{"path", "diff"}`
with blocks in it, the arguments of `apply_patch` as JSON in JSON, a message whose content is prose with a diff. Edits
that are JSON themselves are left to their own reader, and so is a text that has some of them.
"""

from __future__ import annotations

import json

from patchkit.formats.json_edits import is_edit, path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_TEXTS = ("input", "patch", "diff", "content", "text", "arguments", "command")  # fields whose strings may be edits
_OTHERS = ("user", "system", "developer", "tool", "tool_result", "thinking", "reasoning")  # do not ask for an edit
_JSON = ("{", "[", '"')
_MOST_DEEP = 12


def text_in_calls(text: str, is_text: Callable[[str], bool]) -> str:
    """The texts in the JSON of calls, one below the other, '' where there is none; `is_text` says what is one.

    The path beside a text is the line above it.
    """
    if text.strip()[:1] not in _JSON:
        return ""
    found: list[str] = []
    try:
        whole = _collect(json.loads(text), "", is_text, found, 0)
    except (ValueError, RecursionError):
        return ""
    return "\n\n".join(found) if whole else ""


def _collect(value: object, path: str, is_text: Callable[[str], bool], found: list[str], depth: int) -> bool:
    """Adds the texts in a value; False where some of its edits would be left out."""
    if depth > _MOST_DEEP:
        return False
    if isinstance(value, str):
        try:
            inner = json.loads(value) if value.strip()[:1] in _JSON else None
        except ValueError:
            inner = None
        if inner is not None:
            return _collect(inner, path, is_text, found, depth + 1)
        written = f"{path}\n{value}" if path else value
        if is_text(written):
            found.append(written)
        return True
    if isinstance(value, dict):
        if value.get("role") in _OTHERS or value.get("type") in _OTHERS:
            return True
        if is_edit(value):
            return False
        path = path_of(value) or ""
        parts = [each for name, each in value.items() if name in _TEXTS or isinstance(each, (dict, list))]
    else:
        parts = value if isinstance(value, list) else []
    return all(_collect(each, path, is_text, found, depth + 1) for each in parts)
