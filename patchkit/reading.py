"""What tools that only read need of a workspace: open a file, list a directory, find what a wrong name may mean.

Each function takes a Workspace and a path as a tool spells it, which is found as every other path is: no link is
followed out of the root. Nothing here waits: a FIFO or a device is refused, also one that replaced a file a moment ago.
What is done with the bytes and the names is left to the tools.
"""

from __future__ import annotations

import os
import stat
import time
from itertools import islice

from patchkit.core.changes import Entry
from patchkit.core.workspace import READING, Parts, close, file_type, reason
from patchkit.core.workspace.entries import WorkspaceEntry
from patchkit.core.workspace.root import Workspace, link_target
from patchkit.errors import PatchkitError
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_NAMES = 5000  # of a directory that are compared with a wrong name
_MOST_VISITS = 5000  # names seen while one is searched in other directories
_MOST_PARTS = 100  # components of a path that is compared with others
_SECONDS = 0.5  # for a guess: deep directories take long even if they hold few names
_STRETCH = 500  # names between two checks of the time
_ALIKE = 0.6


class Opened:
    """A regular file, open for reading, with the status of the open file; closed by `close` or at a block's end."""

    __slots__ = ("fd", "status", "entry")

    def __init__(self, fd: int, status: os.stat_result, entry: WorkspaceEntry) -> None:
        self.fd = fd
        self.status = status
        self.entry = entry

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


class Listed(Value):
    """A name in a directory and its kind: 'file', 'directory', 'link', 'FIFO', …

    A link that stays inside the root is of the kind it leads to; one that leaves or leads nowhere is a 'link'. `target`
    is the text of a link, '' for anything else.
    """

    __slots__ = ("name", "kind", "target")
    name: str
    kind: str
    target: str

    def __init__(self, name: str, kind: str, target: str = "") -> None:
        self.name = name
        self.kind = kind
        self.target = target


def open_file(files: Workspace, path: str) -> Opened:
    """Opens the regular file at `path`; refused when there is none, or when it is something else."""
    entry = files.find(path)
    _refuse_unless_file(path, entry)
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
        _refuse_unless_file(path, entry)
    if entry.kind != "directory":
        raise PatchkitError("P319", file=path)
    directory = entry.location.parts
    found: list[Listed] = []
    complete = True
    try:
        with os.scandir(files.directories.handle(directory)) as names:
            for number, each in enumerate(names, 1):
                if late is not None and not number % _STRETCH and late():
                    complete = False
                    break
                listed = _listed(files, directory, each)
                if listed is not None:
                    found.append(listed)
    except OSError as error:
        raise PatchkitError("P401", file=path, reason=reason(error)) from None
    return sorted(found, key=lambda listed: listed.name), complete


def nearest_names(files: Workspace, path: str, most: int = 3) -> list[str]:
    """The existing paths that a path without a file may mean, the likeliest first, spelled the same way.

    Those are the names most like the first wrong one in its directory, and then files of the wanted name elsewhere.
    """
    try:
        wanted = files.parts(path.strip(" \t"))
        if len(wanted) > _MOST_PARTS:
            return []
        names = [*_alike(files, wanted), *_elsewhere(files, wanted)]
        below = [each for each in dict.fromkeys(names) if each != "/".join(wanted)]
        if files.may_read is not None:
            below = [each for each in below if files.may_read(each)]
        return [_spelled(files, path, name) for name in below[:most]]
    except (OSError, PatchkitError):
        return []  # a guess that cannot be made is not an error


def _refuse_unless_file(path: str, entry: Entry) -> None:
    if entry.blocker:
        raise PatchkitError("P310", file=path, parent=entry.blocker)
    if entry.kind == "missing":
        raise PatchkitError("P302", file=path)
    if entry.kind == "directory":
        raise PatchkitError("P305", file=path)
    if entry.kind != "file":
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


# -- what a wrong name may mean ------------------------------------------------------------------
def _alike(files: Workspace, wanted: list[str], most: int = 10, wrong: int = 3) -> list[str]:
    """Paths like the wanted one, of which up to so many components are wrong."""
    from difflib import get_close_matches  # it loads `re`, and most names are right

    directory, index = _deepest(files, wanted)
    if index == len(wanted) or not wrong:
        return []
    plain: dict[str, str] = {}
    for name in sorted(os.listdir(files.directories.handle(directory)))[:_MOST_NAMES]:
        if not name.startswith(".patchkit-"):
            plain.setdefault(name.lower(), name)
    found = []
    for each in get_close_matches(wanted[index].lower(), list(plain), n=most, cutoff=_ALIKE):
        path = [*directory, plain[each], *wanted[index + 1 :]]
        if files.reach(each, path).kind != "missing":
            found.append("/".join(path))
        elif index + 1 < len(wanted):
            found += _alike(files, path, 1, wrong - 1)
    return found


def _deepest(files: Workspace, wanted: list[str]) -> tuple[Parts, int]:
    """The deepest directory of a path that exists, and how many components lead to it."""
    reached: Parts = ()
    for index, part in enumerate(wanted):
        entry = files.reach(part, [*reached, part])
        if entry.kind != "directory":
            return reached, index
        reached = entry.location.parts
    return reached, len(wanted)


def _elsewhere(files: Workspace, wanted: list[str]) -> list[str]:
    """Files of the wanted name in other directories, the nearest to the root first; hidden ones are not searched."""
    found: list[str] = []
    leaf, visits = wanted[-1] if wanted else "", 0
    level: list[Parts] = [()]
    deadline = time.monotonic() + _SECONDS
    while level and visits < _MOST_VISITS:
        deeper: list[Parts] = []
        for directory in level:
            if time.monotonic() > deadline:
                return found
            names, below = _names_in(files, directory)
            visits += len(names)
            if leaf in names:
                found.append("/".join((*directory, leaf)))
            deeper += below
            if visits >= _MOST_VISITS:
                break
        level = deeper
    return found


def _names_in(files: Workspace, directory: Parts) -> tuple[set[str], list[Parts]]:
    """The files in a directory and its directories; none of one that cannot be read."""
    try:
        with os.scandir(files.directories.handle(directory)) as each:
            seen = [(found.name, found.is_dir(follow_symlinks=False)) for found in islice(each, _MOST_VISITS)]
    except OSError:
        return set(), []
    below = sorted(name for name, is_directory in seen if is_directory and not name.startswith("."))
    return {name for name, is_directory in seen if not is_directory}, [(*directory, name) for name in below]


def _spelled(files: Workspace, path: str, name: str) -> str:
    """A name from the root as a path of the same kind as `path`: absolute, or from where relative paths start."""
    if path.startswith("/"):
        return f"{files.root.rstrip('/')}/{name}"
    return os.path.relpath(f"/{name}", "/" + "/".join(files.start))
