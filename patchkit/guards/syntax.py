"""What a plan does to the syntax of the files it changes.

Takes a plan; adds a note for each file that gets new syntax errors, or raises where the options refuse them. Where no
grammar is installed for a language, nothing is noted about its files; a caller who refuses errors learns what to
install. Python, JSON and TOML are read by the interpreter itself, and by a grammar only where it cannot read the file
before either: of another version, or with comments. A parser does not understand every file, so only what the change
itself shows counts: errors on changed lines, where the old file had none in the same top-level part; in C and C++ only
if the old file had none at all.
"""

from __future__ import annotations

from patchkit.core.changes import FileChange, Plan
from patchkit.diffs.compare import compared
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.structure import python_source
from patchkit.structure.grammars import has_grammar, language_of, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node, Tree

    Span = tuple[int, int, int, int]  # lines before: from, to; lines after: from, to

_WHOLE = ("c", "c++")
_MOST = 20


def check_syntax(made: Plan, how: str) -> None:
    """Adds notes for new syntax errors to the plan; under 'error' raises them instead."""
    errors: list[PatchkitError] = []
    moved = {section.name: section.source for section in made.sections if section.moved_from}
    lines = {section.name: section.op.line for section in made.sections}
    for name, change in made.changes.items():
        if how == "error" and change.after is not None and change.changed and language_of(name) and not can_check(name):
            wanted = {"file": name, "language": language_of(name), "patch_line": lines.get(name)}
            errors.append(PatchkitError("P227", **wanted))
            continue
        found = _found(name, change, made.changes.get(moved.get(name, "")))
        if found and how == "error":
            places = ", ".join(map(str, found))
            errors.append(PatchkitError("P226", file=name, line=found[0], places=places, patch_line=lines.get(name)))
        elif found:
            made.notes.append(Note("P967", file=name, line=found[0], lines=found, places=", ".join(map(str, found))))
    if errors:
        errors[0].plan = made
        raise_all(errors)


def _found(name: str, change: FileChange, source: FileChange | None) -> list[int]:
    if change.after is None or not change.changed or not language_of(name):
        return []
    entry = source.before if source is not None else change.before
    before = entry.data if entry.kind == "file" else None
    after = b"".join(change.after)
    spans = compared((before or b"").splitlines(True), after.splitlines(True))
    return new_errors(name, before, after, spans)


def new_errors(path: str, before: bytes | None, after: bytes, spans: list[Span]) -> list[int]:
    """The lines of `after` with errors that `before` does not have; `before` is None for a new file.

    `spans` are the runs of lines that differ.
    """
    if not language_of(path):
        return []
    fault = _FAULTS.get(language_of(path))
    if fault is not None and (before is None or not fault(before)):
        line = fault(after)
        return [line] if line else []
    new = parsed(path, after)
    if new is None or not new.root_node.has_error:
        return []
    old = parsed(path, before) if before is not None else None
    found = _errors(new.root_node)
    if old is None or not old.root_node.has_error:
        return _lines(found, spans)
    if language_of(path) in _WHOLE or len(found) <= len(_errors(old.root_node)):
        return []
    sound = [span for span in spans if not _is_broken(old, span)]
    touched = [each for each in found if any(each[0] <= span[3] and span[2] <= each[1] + 1 for span in sound)]
    return _lines(touched, sound) if touched else []


def can_check(path: str) -> bool:
    """Whether new syntax errors of a file of this name would be found here."""
    return language_of(path) in _FAULTS or has_grammar(language_of(path))


def _json_fault(data: bytes) -> int:
    import json  # slower to load than a small patch takes

    if not data.strip():
        return 0
    try:
        json.loads(data)
    except json.JSONDecodeError as error:
        commented = any(line.lstrip().startswith((b"//", b"/*")) for line in data.split(b"\n"))
        return 0 if commented else error.lineno  # with comments it is another language of the same suffix
    except (ValueError, RecursionError):
        return 0
    return 0


def _toml_fault(data: bytes) -> int:
    import tomllib  # it loads `re`

    try:
        tomllib.loads(data.decode())
    except tomllib.TOMLDecodeError as error:
        place = str(error).rpartition("(at line ")[2].partition(",")[0]
        return int(place) if place.isdecimal() else data.count(b"\n") or 1
    except (ValueError, RecursionError):
        return 0
    return 0


_FAULTS: dict[str, Callable[[bytes], int]] = {"python": python_source.fault, "json": _json_fault, "toml": _toml_fault}


def _lines(found: list[tuple[int, int]], spans: list[Span]) -> list[int]:
    """The lines to name: those of errors on changed lines, and where there are none the first changed line.

    A brace that is missing shows at the end of the file, where the change is not.
    """
    on = [max(first, span[2]) for first, last in found for span in spans if first < span[3] + 1 and span[2] <= last + 1]
    return sorted({line + 1 for line in on or [span[2] for span in spans[:1]] or [found[0][0]]})[:_MOST]


def _errors(root: Node) -> list[tuple[int, int]]:
    """The first and last line of every error, and of every sign that the parser had to put in."""
    found: list[tuple[int, int]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            found.append((node.start_point[0], node.end_point[0]))
        elif node.has_error:
            waiting.extend(node.children)
    return sorted(found)


def _is_broken(tree: Tree, span: Span) -> bool:
    """Whether the part of the old file that a change is in has errors already."""
    first, last = span[0], max(span[0], span[1] - 1)
    parts = [node for node in tree.root_node.children if node.start_point[0] <= last and first <= node.end_point[0]]
    return any(node.has_error or node.is_error for node in parts)
