"""Paths of a call, and names in its answer.

Takes a ToolCall and what it found; returns the path that the call names, the error for a path without a file (with the
names that may have been meant), and names as an answer shows them: as the caller would write them, and harmless on a
line of text.
"""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.tools.declaration import ToolCall
from patchkit.workspace.reading import nearest_names
from patchkit.workspace.root import Workspace

_SHOWN_PATHS = 3
_HARMLESS = bytes(range(0x20, 0x7F))


def path_of(call: ToolCall) -> str:
    """The path as the caller spells it; an empty one is refused."""
    path = call.text("file_path")
    if not path.strip():
        raise PatchkitError("P603", field="file_path", given=f"'{path}'", allowed="the path of a file")
    return path


def with_suggestion(call: ToolCall, path: str, error: PatchkitError) -> PatchkitError:
    """The error; where it is about a path without a file, with the names that may have been meant."""
    if error.code in ("P302", "P310"):
        names = nearest_names(call.files, path)
        quoted = " or ".join(f"'{name}'" for name in names)
        error.facts.update(data={"suggestions": names}, suggestion=f" (did you mean {quoted}?)" if names else "")
    return error


# -- names in answers ----------------------------------------------------------------------------


def spelled(files: Workspace, path: str) -> str:
    """A path from the root as a caller would write it: relative to where relative paths start."""
    start, parts = files.start, path.split("/")
    shared = 0
    while shared < min(len(start), len(parts) - 1) and start[shared] == parts[shared]:
        shared += 1
    return "/".join([*([".."] * (len(start) - shared)), *parts[shared:]])


def absolute(files: Workspace, paths: list[str]) -> list[str]:
    root = files.root.rstrip("/") + "/"
    return [root + path for path in paths]


def visible(call: ToolCall, names: list[str]) -> list[str]:
    """Names as they may be written on a line: characters that cannot be seen, or control a terminal, are escaped."""
    if not "".join(names).encode("utf-8", "surrogateescape").translate(None, _HARMLESS):
        return names  # printable ASCII, as nearly all names are
    if all(name.isprintable() for name in names):
        return names
    call.notes.append(Note("P961"))
    return [escaped(name) for name in names]


def escaped(name: str) -> str:
    """A name that is safe in a line of text."""
    return name if name.isprintable() else "".join(map(_visible, name))


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    if "\udc80" <= char <= "\udcff":  # a byte that is not text
        return f"\\x{ord(char) - 0xDC00:02x}"
    if char < "\x80":
        return char.encode("unicode_escape").decode("ascii")
    return f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}"


def some_of(paths: list[str]) -> str:
    """The first few paths, in quotes, and how many more there are."""
    shown = ", ".join(f"'{escaped(path) or '.'}'" for path in paths[:_SHOWN_PATHS])
    return shown + (f" and {len(paths) - _SHOWN_PATHS} more" if len(paths) > _SHOWN_PATHS else "")
