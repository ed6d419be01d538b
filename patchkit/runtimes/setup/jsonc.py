"""Change a JSON text that a person wrote: comments, order and all other entries stay as they are.

Takes a text, which may have comments and commas at the end of lists as settings of editors do, and the keys of an
entry; returns the text with that entry set or removed. What is changed is the entry and the comma beside it. The text
is parsed with the place of every value, so nothing is found by how it looks. Raises ValueError for a text that is not
JSON even so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from patchkit.values import Record

_SKIPPED = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\n]|\\.)*"|[-+.\w]+')
_REST_OF_LINE = re.compile(r"[ \t]*(?:/\*[^\n]*?\*/[ \t]*)*(?://[^\n]*)?(?=\r?\n)")


class Node(Record):
    """One value in a text: where it begins and ends, and what is in it."""

    value: Any
    start: int
    end: int
    children: list[tuple[str | None, Node]] = []  # a key, None in a list, and the value
    starts: list[int] = []  # where these entries begin, the key included

    def child(self, key: str) -> int | None:
        """The number of the entry of this name; the last one counts where there are several."""
        found = [number for number, (name, _node) in enumerate(self.children) if name == key]
        return found[-1] if found else None


def value_of(text: str) -> Any:
    """What the text says; an empty one says nothing: an object without entries."""
    return _parsed(text).value if text.strip("\ufeff \t\r\n") else {}


def with_value(text: str, keys: tuple[str, ...], value: object) -> str:
    """The text with an entry set; objects that lead to it are made where they are missing."""
    if not text.strip("\ufeff \t\r\n"):
        text += "{}\n"
    node = _parsed(text)
    for depth, key in enumerate(keys):
        if not isinstance(node.value, dict):
            raise ValueError(f"'{'.'.join(keys[:depth])}' is not an object")
        number = node.child(key)
        if number is None:
            for name in reversed(keys[depth + 1 :]):
                value = {name: value}
            return _inserted(text, node, f"{json.dumps(key)}: ", value)
        node = node.children[number][1]
    if node.value == value:
        return text
    return text[: node.start] + _written(text, value, _indentation(text, node.start)) + text[node.end :]


def with_element(text: str, keys: tuple[str, ...], value: object, is_ours: Callable[[object], bool]) -> str:
    """The text with an element in a list: it takes the place of the one that `is_ours`, else it is added."""
    node = _found(text, keys)
    if node is None:
        return with_value(text, keys, [value])
    if not isinstance(node.value, list):
        raise ValueError(f"'{'.'.join(keys)}' is not a list")
    for _key, each in node.children:
        if is_ours(each.value):
            if each.value == value:
                return text
            return text[: each.start] + _written(text, value, _indentation(text, each.start)) + text[each.end :]
    return _inserted(text, node, "", value)


def without(text: str, keys: tuple[str, ...], is_ours: Callable[[object], bool] | None = None) -> str:
    """The text without an entry, or without the elements of a list that are ours; what is empty then goes with it."""
    node = _found(text, keys)
    if node is None:
        return text
    if is_ours is None:
        return _pruned(_dropped(text, keys), keys[:-1])
    if not isinstance(node.value, list):
        return text
    kept = text
    for number in reversed(range(len(node.children))):
        if is_ours(node.children[number][1].value):
            kept = _without_child(kept, _must_find(kept, keys), number)
    return kept if kept == text else _pruned(kept, keys)


def _pruned(text: str, keys: tuple[str, ...]) -> str:
    """The text without an object or a list that is empty now, and without those that are empty for that."""
    while keys and not _must_find(text, keys).value:
        text, keys = _dropped(text, keys), keys[:-1]
    return text


def _dropped(text: str, keys: tuple[str, ...]) -> str:
    parent = _must_find(text, keys[:-1])
    number = parent.child(keys[-1])
    return text if number is None else _without_child(text, parent, number)


def _inserted(text: str, node: Node, head: str, value: object) -> str:
    """The text with one more entry at the end of an object or a list."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    if not node.children:
        outer = _indentation(text, node.start)
        inner = outer + _step(text)
        entry = f"{line_end}{inner}{head}{_written(text, value, inner)}"
        inside = text[node.start + 1 : node.end - 1]
        return text[: node.start + 1] + entry + (inside.rstrip() or "") + line_end + outer + text[node.end - 1 :]
    last = node.children[-1][1]
    if "\n" not in text[node.start : node.starts[-1]]:  # all on one line
        return f"{text[: last.end]}, {head}{json.dumps(value, ensure_ascii=False)}{text[last.end :]}"
    indent = _indentation(text, node.starts[-1])
    entry = f"{line_end}{indent}{head}{_written(text, value, indent)}"
    after = _skip(text, last.end)
    comma = "" if text[after] == "," else ","
    place = after + 1 if text[after] == "," else last.end
    rest = _REST_OF_LINE.match(text, place)  # a remark beside the last entry stays there
    place = rest.end() if rest else place
    return text[: last.end] + comma + text[last.end : place] + entry + text[place:]


def _without_child(text: str, parent: Node, number: int) -> str:
    """The text without one entry and the comma beside it; lines that were its own are gone, too."""
    start, end = parent.starts[number], parent.children[number][1].end
    after = _skip(text, end)
    if text[after] == ",":
        text = text[:start] + text[end:after] + text[after + 1 :]
    elif number:
        comma = _skip(text, parent.children[number - 1][1].end)
        text = text[:comma] + text[comma + 1 : start] + text[end:]
        start -= 1
    else:
        text = text[:start] + text[end:]
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", start)
    if last >= 0 and not text[first:last].strip():
        return text[:first] + text[last + 1 :]
    if text[start : start + 1] == " ":
        return text[:start] + text[start + 1 :]
    return text[:start].rstrip(" ") + text[start:] if text[first:start].strip() else text


def _written(text: str, value: object, indent: str) -> str:
    line_end = "\r\n" if "\r\n" in text else "\n"
    step = _step(text)
    return json.dumps(value, indent=step, ensure_ascii=False).replace("\n", line_end + indent)


def _step(text: str) -> str:
    """By how much the text indents: as its first line inside the outermost braces."""
    found = re.search(r"^[ \t]+(?=[\"/}])", text, re.MULTILINE)
    return found[0] if found else "  "


def _indentation(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _found(text: str, keys: tuple[str, ...]) -> Node | None:
    if not text.strip("\ufeff \t\r\n"):
        return None
    node = _parsed(text)
    for key in keys:
        number = node.child(key)
        if number is None:
            return None
        node = node.children[number][1]
    return node


def _must_find(text: str, keys: tuple[str, ...]) -> Node:
    node = _found(text, keys)
    assert node is not None
    return node


def _parsed(text: str) -> Node:
    try:
        node = _node(text, _skip(text, 1 if text.startswith("\ufeff") else 0))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if _skip(text, node.end) != len(text):
        raise _wrong(text, _skip(text, node.end))
    return node


def _skip(text: str, at: int) -> int:
    """Where the next thing is that is neither space nor a comment."""
    found = _SKIPPED.match(text, at)
    return found.end() if found else at


def _node(text: str, at: int) -> Node:
    opening = text[at : at + 1]
    if opening not in ("{", "["):
        found = _SCALAR.match(text, at)
        if found is None:
            raise _wrong(text, at)
        try:
            return Node(json.loads(found[0], strict=False), at, found.end())
        except ValueError:
            raise _wrong(text, at) from None
    closing = "}" if opening == "{" else "]"
    made = Node(None, at, at)
    at = _skip(text, at + 1)
    while text[at : at + 1] != closing:
        made.starts.append(at)
        key = None
        if opening == "{":
            named = _node(text, at)
            key = named.value
            at = _skip(text, named.end)
            if not isinstance(key, str) or text[at : at + 1] != ":":
                raise _wrong(text, at)
            at = _skip(text, at + 1)
        child = _node(text, at)
        made.children.append((key, child))
        at = _skip(text, child.end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _wrong(text, at)
    made.end = at + 1
    values = [(key, child.value) for key, child in made.children]
    made.value = dict(values) if opening == "{" else [value for _key, value in values]
    return made


def _wrong(text: str, at: int) -> ValueError:
    return ValueError(f"it is not JSON (line {text.count(chr(10), 0, at) + 1})")
