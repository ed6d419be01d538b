"""Outputs that are too large to be shown whole: kept in files of our state, which `read` and `grep` may open.

`keep` opens a new file for one output; its path is announced to the caller. `announced` returns the file that a path
names if it is one of those files, or their directory; `opened` opens it, for reading only. They are in the state
directory of the root, or in `<root>/.patchkit` where there is none, and are kept within bounds: the oldest are removed
first. What is in them, and when an output is too large, is left to the tools.
"""

from __future__ import annotations

import os
import stat

from patchkit.core.workspace import INSIDE, NEW, OUTPUTS, Location, WorkspaceEntry, make, open_kept, state_directory
from patchkit.core.workspace.root import Workspace
from patchkit.history.bounds import of_all_roots, prune
from patchkit.history.sessions import make_inside
from patchkit.reading import Opened
from patchkit.values import Record

_MOST_FILES, _MOST_BYTES = 100, 512 << 20
_NEW = NEW & ~os.O_WRONLY | os.O_RDWR
_LONGEST_NAME = 100
_TRIES = 100


class OutputFile(Record):
    """A new file for one output, open for writing and reading; the caller closes it."""

    path: str
    fd: int


def new_id() -> str:
    """A name for an output whose caller has none."""
    return f"call_{os.urandom(6).hex()}"


def places(root: str, kind: str) -> list[str]:
    """The directories in which state of a kind may be kept, the usual one first."""
    above = state_directory(root)
    usual = [f"{above}/{kind}"] if above is not None else []
    return [*usual, f"{root.rstrip('/')}/{INSIDE}/{kind}"]


def keep(files: Workspace, call_id: str, replace: bool = False) -> OutputFile:
    """Opens a new file for the output of `call_id`; raises OSError where nothing can be kept."""
    directory = place(files, OUTPUTS)
    _tidy(directory)
    name = file_name(call_id)
    if replace and _is_ours(f"{directory}/{name}"):
        os.unlink(f"{directory}/{name}")
    for attempt in range(_TRIES):
        path = f"{directory}/{name}-{attempt + 1}" if attempt else f"{directory}/{name}"
        try:
            return OutputFile(path, os.open(path, _NEW, 0o600))
        except FileExistsError:
            continue  # the same id once more: its earlier output stays readable
    raise FileExistsError(17, "the file exists in too many versions", name)


def announced(files: Workspace, path: str) -> str | None:
    """The real path of the output file that `path` names, or of the directory of all of them; None for any other.

    An agent may also spell the directory `/large_tool_results`, as its instructions say.
    """
    if not path.startswith("/") or "\0" in path:
        return None
    wanted = os.path.normpath(path)
    for directory in places(files.real, OUTPUTS):
        for spelled in (directory, os.path.realpath(directory), f"/{OUTPUTS}"):
            if wanted == spelled and os.path.isdir(directory):
                return directory
            if os.path.dirname(wanted) == spelled and _is_ours(f"{directory}/{os.path.basename(wanted)}"):
                return f"{directory}/{os.path.basename(wanted)}"
    return None


def opened(files: Workspace, path: str) -> Opened | None:
    """The output file at `path`, open for reading; None when the path is not one that was announced."""
    found = announced(files, path)
    if found is None:
        return None
    try:
        fd = open_kept(found, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    status = os.fstat(fd)
    return Opened(fd, status, WorkspaceEntry(files.directories, path, found, "file", Location((), (), found, status)))


def place(files: Workspace, name: str) -> str:
    """A directory of ours for `name`, made and writable: in the state directory, else in the root; raises OSError."""
    for directory in places(files.real, name):
        try:
            if directory.endswith(f"/{INSIDE}/{name}"):
                make_inside(files.directories, name)
            else:
                make(directory)
            if os.access(directory, os.W_OK | os.X_OK):
                return directory
        except OSError:
            continue
    raise PermissionError(13, "there is no place to keep it", name)


def file_name(call_id: str) -> str:
    """An id as a file name, with an underscore for every character that is not plain."""
    plain = "".join(char if char.isascii() and (char.isalnum() or char in "._-") else "_" for char in call_id)
    return plain[:_LONGEST_NAME].lstrip(".-") or new_id()


def _is_ours(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _tidy(directory: str) -> None:
    """Keeps so many files, bytes and days; the outputs of other roots are kept within the same bounds."""
    prune(directory, _MOST_FILES - 1, _MOST_BYTES)
    if directory.endswith(f"/{INSIDE}/{OUTPUTS}"):
        return
    for other in of_all_roots(directory):
        prune(other, _MOST_FILES, _MOST_BYTES)
