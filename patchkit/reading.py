"""What tools that only read need of a workspace: open a file, list a directory.

Each function takes a Workspace and a path as a tool spells it, which is found as every other path is: no link is
followed out of the root. Nothing here waits: a FIFO or a device is refused, also one that replaced a file a moment ago.
What is done with the bytes and the names is left to the tools.
"""

from __future__ import annotations

import os
import stat

from patchkit.core.changes import Entry
from patchkit.core.workspace import READING, Parts, WorkspaceEntry, close, file_type
from patchkit.core.workspace.root import Workspace, link_target
from patchkit.errors import PatchkitError, reason
from patchkit.handles import ReportedAs
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_STRETCH = 500  # names between two checks of the time


class Opened(Record):
    """A regular file, open for reading, with the status of the open file; closed by `close` or at a block's end."""

    fd: int
    status: os.stat_result
    entry: WorkspaceEntry

    def content(self) -> bytes:
        pieces = []
        while piece := os.read(self.fd, 1 << 20):
            pieces.append(piece)
        return b"".join(pieces)

    def close(self) -> None:
        if self.fd >= 0:
            close(self.fd)
            self.fd = -1

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class Listed(Record):
    """A name in a directory and its kind: 'file', 'directory', 'link', 'FIFO', …"""

    name: str
    kind: str  # of a link that stays inside the root what it leads to
    target: str = ""  # the text of a link


def open_file(files: Workspace, path: str) -> Opened:
    """Opens the regular file at `path`; refused when there is none, or when it is something else."""
    entry = files.find(path)
    refuse_unless(path, entry, "file")
    location = entry.location
    try:
        opened = os.open(location.leaf, READING, dir_fd=files.directories.handle(location.directory))
    except FileNotFoundError:
        raise PatchkitError("P302", file=path) from None
    except OSError as error:
        raise PatchkitError("P401", file=path, reason=reason(error)) from None
    found = Opened(opened, os.fstat(opened), entry)
    if not stat.S_ISREG(found.status.st_mode):  # replaced since it was found
        found.close()
        raise PatchkitError("P306", file=path, type=file_type(found.status))
    return found


def listing(files: Workspace, path: str, late: Callable[[], bool] | None = None) -> tuple[list[Listed], bool]:
    """What is in the directory at `path`, by name, and whether that is all of it: it stops when it is `late`."""
    entry = files.find(path)
    if entry.kind == "missing":
        refuse_unless(path, entry)
    if entry.kind != "directory":
        raise PatchkitError("P319", file=path)
    directory = entry.location.parts
    found: list[Listed] = []
    complete = True
    with ReportedAs("P401", file=path), os.scandir(files.directories.handle(directory)) as names:
        for number, each in enumerate(names, 1):
            if late is not None and not number % _STRETCH and late():
                complete = False
                break
            listed = _listed(files, directory, each)
            if listed is not None:
                found.append(listed)
    return sorted(found, key=lambda listed: listed.name), complete


def refuse_unless(path: str, entry: Entry, *kinds: str) -> None:
    """Raises unless a path leads to one of these kinds of things, by nothing but directories."""
    if entry.blocker:
        raise PatchkitError("P310", file=path, parent=entry.blocker)
    if entry.kind == "missing" and "missing" not in kinds:
        raise PatchkitError("P302", file=path)
    if entry.kind == "directory" and "directory" not in kinds:
        raise PatchkitError("P305", file=path)
    if entry.kind not in kinds:
        raise PatchkitError("P306", file=path, type=entry.kind)


def _listed(files: Workspace, directory: Parts, found: os.DirEntry[str]) -> Listed | None:
    """One name of a directory; None when it is gone again."""
    # What the directory itself says about its names comes first: it needs no further permission and no further call.
    if found.is_file(follow_symlinks=False):
        return Listed(found.name, "file")
    if found.is_dir(follow_symlinks=False):
        return Listed(found.name, "directory")
    try:
        if not found.is_symlink():
            return Listed(found.name, file_type(found.stat(follow_symlinks=False)))
        target = link_target(found.name, files.directories.handle(directory)) or ""
    except FileNotFoundError:
        return None
    except OSError:  # in a directory that may be listed and not entered
        return Listed(found.name, "link" if found.is_symlink() else "special file")
    try:
        goal = files.reach(found.name, [*directory, found.name])
    except PatchkitError:  # it leads out of the root, or in a circle
        return Listed(found.name, "link", target)
    return Listed(found.name, "link" if goal.kind == "missing" else goal.kind, target)
