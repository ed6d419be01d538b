"""The definitions of a source file, by its syntax tree.

Takes a path and the file's bytes; gives the first and last line of each definition and of its head, or None where
the language has none here.
"""

from __future__ import annotations

from patchkit.structure.grammars import language_of, parsed
from patchkit.structure.parsed_scopes import DEFINES
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


LONGEST = 200  # characters of a line, on average: in longer ones a line has many definitions, and is no anchor


def is_minified(data: bytes) -> bool:
    return len(data) > LONGEST * (data.count(b"\n") + 1)


class SourceDefinition(Value):
    """A definition: the line of its head (from 0), the line of its body, the line behind it."""

    __slots__ = ("line", "body", "end")
    line: int
    body: int
    end: int

    def __init__(self, line: int, body: int, end: int) -> None:
        self.line = line
        self.body = body
        self.end = end


def definitions_of(path: str, data: bytes) -> list[SourceDefinition] | None:
    """The definitions with a body, in the file's order; None where there is no grammar."""
    types = frozenset(DEFINES.get(language_of(path), "").split())
    tree = parsed(path, data) if types else None
    if tree is None:
        return None
    found: list[SourceDefinition] = []
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "function_definition" and language_of(path) in ("c", "c++") and _is_within(node):
            continue  # C has no functions within functions: the parser takes macros and what follows for one
        if node.type in types:
            body = node.child_by_field_name("body")
            if body is not None:
                found.append(SourceDefinition(_first(node), body.start_point[0], node.end_point[0] + 1))
        waiting.extend(reversed(node.children))
    return sorted(found, key=lambda each: (each.line, -each.end))


def _is_within(node: Node) -> bool:
    """Whether a statement of a function is around a node; a class of C++ in a function has functions of its own."""
    parent = node.parent
    while parent is not None and parent.type not in ("compound_statement", "field_declaration_list"):
        parent = parent.parent
    return parent is not None and parent.type == "compound_statement"


def _first(node: Node) -> int:
    """The first line of a definition's head, behind its annotations and attributes, and comments on them."""
    for child in node.children:
        if child.type in ("annotation", "marker_annotation", "attribute_list", "decorator", "attribute_item"):
            continue
        if "comment" in child.type:
            continue
        if child.type == "modifiers":
            plain = [
                each for each in child.children if not any(name in each.type for name in ("annotation", "comment"))
            ]
            if not plain:
                continue
            return plain[0].start_point[0]
        return child.start_point[0]
    return node.start_point[0]
