"""One operation on one file, as model APIs send it, written as a patch.

Takes the type, path and diff of an operation; returns a patch that does this and nothing else, or raises. A diff comes
in many forms: hunks alone, with the header of a unified diff, in a code fence, as a section with its marker, or as a
whole patch. Whatever it says, the path that the operation names is the only one that changes, because that is what a
host has approved.
"""

from __future__ import annotations

import os

from patchkit.core.language import AddFile, DeleteFile, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.result import Json

_SECTIONS = {"create_file": AddFile, "update_file": UpdateFile, "delete_file": DeleteFile}
_MARKERS = ("*** Add File:", "*** Update File:", "*** Delete File:")
_ENDS = ("*** End Patch", "*** End of File")
_HEADERS = ("diff --git ", "index ", "new file mode ", "old mode ", "new mode ", "--- ", "+++ ")
_NO_LINE_END = "\\ No newline at end of file"


def patch_of(operation: Json, root: str) -> str:
    """The patch that does one operation; raises where it would touch any other path than the one it names."""
    kind, path, diff = operation.get("type"), operation.get("path"), operation.get("diff") or ""
    move_to = operation.get("move_to")
    section = _SECTIONS.get(kind) if isinstance(kind, str) else None
    if section is None:
        raise _wrong("type", kind, ", ".join(_SECTIONS))
    for name, value in (("path", path), ("move_to", move_to)):
        if (value is not None or name == "path") and not _is_path(value):
            raise _wrong(name, value, "one path on one line")
    if not isinstance(diff, str):
        raise _wrong("diff", diff, "the text of a diff")
    text = _text(section, str(path), diff, move_to)
    sections = parse(text).sections
    found = [(type(each), _place(each.path, root), _place(getattr(each, "move_to", None), root)) for each in sections]
    if found != [(section, _place(path, root), _place(move_to, root))]:
        raise _wrong("diff", "one that names another file or operation", f"changes of '{path}' alone")
    return text


def _text(section: type, path: str, diff: str, move_to: str | None) -> str:
    lines = _unfenced(diff.replace("\r\n", "\n").removesuffix("\n").split("\n"), section)
    if lines[0].lstrip().startswith("*** Begin Patch"):
        return "\n".join(lines) + "\n"
    if lines[0].startswith(_MARKERS):  # the section with its marker
        return _enveloped(lines if lines[-1] != _ENDS[0] else lines[:-1])
    if section is DeleteFile:
        return _enveloped([f"*** Delete File: {path}"])
    if lines[-1] == _ENDS[0]:
        del lines[-1]
    if section is AddFile:
        return _enveloped([f"*** Add File: {path}", *_added(path, lines)])
    head = [f"*** Update File: {path}"]
    if move_to is not None and not (lines and lines[0].startswith("*** Move to:")):
        head.append(f"*** Move to: {move_to}")
    return _enveloped(head + (_without_header(lines) if lines != [""] else []))


def _enveloped(lines: list[str]) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def _added(path: str, lines: list[str]) -> list[str]:
    """The lines of a new file, each after a plus: as they came, or of a text that has none."""
    if lines and lines[-1] == _ENDS[1]:
        lines = lines[:-1]
    if any(line.startswith("*** ") for line in lines):
        raise _wrong("diff", "one with markers of a patch", f"the lines of '{path}' alone, each after a '+'")
    if lines in ([], [""]):
        return []
    body = _without_header(lines)
    if body[0].startswith("@@"):
        body = body[1:]
    body = [line for line in body if line != _NO_LINE_END]
    if len(body) < len(lines) and any(body) and all(line.startswith("+") or not line for line in body):
        return body  # the header of a hunk, and added lines only
    return lines if any(line.startswith("+") for line in lines) else [f"+{line}" for line in lines]


def _without_header(lines: list[str]) -> list[str]:
    """The lines from the first hunk on, where nothing but the header of a unified diff is before it."""
    for number, line in enumerate(lines):
        if line.startswith("@@"):
            return lines[number:]
        if not line.startswith(_HEADERS):
            break
    return lines


def _unfenced(lines: list[str], section: type) -> list[str]:
    """The lines inside a code fence, where all of them have the signs of a diff."""
    if len(lines) < 3 or not lines[0].startswith("```") or lines[-1].strip() != "```":
        return lines
    inside = lines[1:-1]
    signs = ("+", "@@", "*** ") if section is AddFile else ("+", "-", " ", "@@", "*** ", *_HEADERS)
    return inside if all(line.startswith(signs) or not line for line in inside) else lines


def _place(path: str | None, root: str) -> str | None:
    """A path as it can be compared: two spellings of one name are the same, a `..` stays as it is."""
    if path is None or ".." in path.split("/"):
        return path
    return os.path.normpath(os.path.join(root, path))


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.splitlines() == [value]


def _wrong(field: str, given: object, allowed: str) -> PatchkitError:
    return PatchkitError("P603", field=field, given=f"'{str(given)[:80]}'", allowed=allowed)
