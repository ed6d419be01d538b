"""The names that clients have for the fields of an edit, and the tags that some have around a call.

Takes a field's name as a client spells it; gives the names it can mean here, in any case and with or without
underscores. Takes a text with calls as elements; gives the fields of each.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache

# Our name, and the others that mean the same: `oldString` is `oldstring` here.
_NAMES = {
    "file_path": "path file filename target_file absolute_path file_name relative_path relative_workspace_path uri",
    "path": "directory dir dir_path directory_path target_directory search_path search_directory absolute_path",
    "notebook_path": "target_notebook path file_path target_file absolute_path",
    "old_string": "old_str old_text old search before target_content original_text old_content search_text find",
    "new_string": "new_str new_text new replace after replacement_content replacement new_code replace_text",
    "replace_all": "allow_multiple replace_all_occurrences replace_every all_occurrences",
    "content": "contents file_text new_content code_content file_content text",
    "edits": "replacements replacement_chunks changes operations",
    "input": "patch patch_text diff patch_content",
    "offset": "start_line line_start start_line_one_indexed",
    "command": "cmd command_line",
    "pattern": "query search_pattern search_term regex",
    "line": "insert_line line_number",
    "text": "insert_text new_str new_text content",
    "cell_id": "id",
    "new_source": "source new_string new_str new_code content",
    "edit_mode": "mode",
    "cell_number": "cell_index cell",
    "expected_replacements": "expected_count",
}
_CALLS = re.compile(r"<(tool_call|invoke|function|write_to_file)\b([^>\n]*)>")
_TOOL = re.compile(r"=[\"']?([\w.-]+)")
_PARAMETER = re.compile(r"<parameter(?:\s+name=[\"']?|=)([\w-]+)[\"']?\s*>")
# What is around the name of a tool and its arguments in the messages of model APIs, and what these are called there.
_CALL = ("function", "functionCall", "function_call", "toolCall", "tool_call")
_ARGUMENTS = ("arguments", "args", "input", "parameters", "params", "tool_input")
_CHILD = re.compile(r"<([\w-]+)>")


def plain_name(name: str) -> str:
    """A name as all its spellings have it in common."""
    return name.replace("_", "").replace("-", "").lower()


@cache
def _meanings() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for ours, others in _NAMES.items():
        for name in (ours, *others.split()):
            found.setdefault(plain_name(name), []).append(ours)
    return {name: tuple(each) for name, each in found.items()}


@lru_cache(1_000)
def meanings(name: str) -> tuple[str, ...]:
    """Our names for a field of this name, the one that it is first; () for one that is not known."""
    return _meanings().get(plain_name(name), ())


def has_elements(text: str) -> bool:
    """Whether a text has calls that are written as elements."""
    return _CALLS.search(text) is not None


def calls_in(text: str) -> list[tuple[str, object]]:
    """The calls of a text that are written as elements: the tool ('' where only the object in it names one) and an
    object. [] where one is not whole.
    """
    found: list[tuple[str, object]] = []
    at = 0
    while opening := _CALLS.search(text, at):
        name = opening[1]
        stop = text.find(f"</{name}>", opening.end())
        if name == "write_to_file":
            following = text.find(f"<{name}>", opening.end())  # the next element of the same name
            limit = following if following >= 0 else len(text)
            stop = max(stop, text.rfind(f"</{name}>", opening.end(), limit))
        if stop < 0:
            return []
        body = text[opening.end() : stop]
        if name == "tool_call" and body.strip()[:1] in ("{", "["):
            try:
                found.append(("", json.loads(body)))
            except (ValueError, RecursionError):
                return []
        elif name != "tool_call":
            fields = _children(body) if name == "write_to_file" else _parameters(body)
            if fields:
                named = _TOOL.search(opening[2])
                found.append((named[1] if named else name, fields))
        at = opening.end() if name == "tool_call" and body.strip()[:1] == "<" else stop
    return found


def unwrapped(given: object) -> tuple[str, object] | None:
    """The tool and the arguments in a call that is given whole, as a text of elements or an object; else None."""
    name = ""
    if isinstance(given, str):
        calls = calls_in(given)
        if len(calls) != 1:
            return None
        name, given = calls[0]
        if name:
            return name, given
    if not isinstance(given, dict):
        return None
    call = next((given[key] for key in _CALL if isinstance(given.get(key), dict)), given)
    name = next((call[key] for key in ("name", "tool_name") if isinstance(call.get(key), str)), "")
    fields = next((call[key] for key in _ARGUMENTS if key in call), None)
    if isinstance(fields, str):
        try:
            fields = json.loads(fields)
        except (ValueError, RecursionError):
            return None
    return (name, fields) if name and isinstance(fields, dict) else None


def _parameters(body: str) -> dict[str, object]:
    found: dict[str, object] = {}
    starts = [*_PARAMETER.finditer(body)]
    for number, start in enumerate(starts):
        limit = starts[number + 1].start() if number + 1 < len(starts) else len(body)
        stop = body.rfind("</parameter>", start.end(), limit)
        value = body[start.end() : stop if stop >= 0 else limit]
        on_lines = value.startswith("\n") and value.endswith("\n")
        found[start[1]] = value[1:-1] if on_lines and len(value) > 1 else value
    return found


def _children(body: str) -> dict[str, object]:
    found: dict[str, object] = {}
    at = 0
    while start := _CHILD.search(body, at):
        end = f"</{start[1]}>"
        stop = body.rfind(end, start.end()) if start[1] == "content" else body.find(end, start.end())
        if stop < 0:
            break
        value = body[start.end() : stop]
        found[start[1]] = value.removeprefix("\n") if start[1] == "content" else value.strip()
        at = stop + len(end)
    return found
