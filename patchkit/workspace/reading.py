"""The door for tools that only read: open a file, list a directory, find what a wrong name may have meant.

Each function takes a Workspace and a path as a tool spells it, and goes the same walk as everything else: no link is
followed out of the root, and nothing here can hang: a FIFO or a device is refused, also one that was put there a moment
ago. What is done with the bytes and the names is left to the tools.
"""

from __future__ import annotations

import os
import stat
from itertools import islice

from patchkit.changes.model import Entry
from patchkit.errors import PatchkitError
from patchkit.values import Value
from patchkit.workspace.directories import Parts, close, file_type, reason
from patchkit.workspace.links import link_target
from patchkit.workspace.root import READING, Workspace, WorkspaceEntry

_MOST_NAMES = 5000  # of a directory that are compared with a wrong name
_MOST_VISITS = 5000  # names seen on the way to one that stands elsewhere
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
    """A name in a directory: its kind ('file', 'directory', 'link', 'FIFO', …) and its status.

    Of a link that stays inside the root, kind and status are those of what it leads to; one that leaves or leads
    nowhere is a 'link' with a status of its own. `target` is the text of a link, '' for anything else.
    """

    __slots__ = ("name", "kind", "status", "target")
    name: str
    kind: str
    status: os.stat_result
    target: str

    def __init__(self, name: str, kind: str, status: os.stat_result, target: str = "") -> None:
        self.name = name
        self.kind = kind
        self.status = status
        self.target = target


def open_file(files: Workspace, path: str) -> Opened:
    """Opens the regular file at `path`; refused when there is none, or something else stands there."""
    entry = files.find(path)
    _refuse_unless_file(path, entry)
    standing = entry.standing
    try:
        opened = os.open(standing.leaf, READING, dir_fd=files.directories.handle(standing.directory))
    except FileNotFoundError:
        raise PatchkitError("P302", file=path) from None
    except OSError as error:
        raise PatchkitError("P401", file=path, reason=reason(error)) from None
    found = Opened(opened, os.fstat(opened), entry)
    if not stat.S_ISREG(found.status.st_mode):  # swapped since it was looked at
        found.close()
        raise PatchkitError("P306", file=path, type=file_type(found.status))
    return found


def listing(files: Workspace, path: str) -> list[Listed]:
    """Everything in the directory at `path`, by name."""
    entry = files.find(path)
    if entry.kind == "missing":
        _refuse_unless_file(path, entry)
    if entry.kind != "directory":
        raise PatchkitError("P319", file=path)
    directory = _parts_of(entry)
    try:
        with os.scandir(files.directories.handle(directory)) as names:
            found = [_listed(files, directory, each) for each in names]
    except OSError as error:
        raise PatchkitError("P401", file=path, reason=reason(error)) from None
    return sorted((each for each in found if each is not None), key=_name)


def nearest_names(files: Workspace, path: str, most: int = 3) -> list[str]:
    """The existing paths that a path without a file may have meant, the likeliest first, spelled the same way.

    Those are the names most like the first wrong one in its directory, and then files of the wanted name elsewhere.
    """
    try:
        wanted = files.parts(path.strip(" \t"))
        names = [*_alike(files, wanted), *_elsewhere(files, wanted)]
        below = [each for each in dict.fromkeys(names) if each != "/".join(wanted)]
        return [_spelled(files, path, name) for name in below[:most]]
    except (OSError, PatchkitError):
        return []  # a guess that cannot be made is no fault


# -- what stands there ---------------------------------------------------------------------------


def _refuse_unless_file(path: str, entry: Entry) -> None:
    if entry.blocker:
        raise PatchkitError("P310", file=path, parent=entry.blocker)
    if entry.kind == "missing":
        raise PatchkitError("P302", file=path)
    if entry.kind == "directory":
        raise PatchkitError("P305", file=path)
    if entry.kind != "file":
        raise PatchkitError("P306", file=path, type=entry.kind)


def _parts_of(directory: WorkspaceEntry) -> Parts:
    standing = directory.standing
    return standing.directory if standing.leaf == "." else (*standing.directory, standing.leaf)


def _listed(files: Workspace, directory: Parts, found: os.DirEntry[str]) -> Listed | None:
    """One name of a directory; None when it is gone again."""
    try:
        status = found.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISLNK(status.st_mode):
        return Listed(found.name, file_type(status), status)
    target = link_target(found.name, files.directories.handle(directory)) or ""
    try:
        goal = files.reach(found.name, [*directory, found.name])
    except PatchkitError:  # out of the root, or round in circles
        return Listed(found.name, "link", status, target)
    seen = goal.standing.status
    if goal.kind == "directory" and seen is None:  # the root, or a directory that `..` led to
        seen = os.fstat(files.directories.handle(_parts_of(goal)))
    if seen is None:
        return Listed(found.name, "link", status, target)
    return Listed(found.name, goal.kind, seen, target)


# -- what may have been meant --------------------------------------------------------------------


def _alike(files: Workspace, wanted: list[str], most: int = 10, wrong: int = 3) -> list[str]:
    """Paths like the wanted one, of which up to so many components are wrong."""
    from difflib import get_close_matches

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
    """The deepest directory on the way to a path that is there, and how many components led to it."""
    reached: Parts = ()
    for index, part in enumerate(wanted):
        entry = files.reach(part, [*reached, part])
        if entry.kind != "directory":
            return reached, index
        reached = _parts_of(entry)
    return reached, len(wanted)


def _elsewhere(files: Workspace, wanted: list[str]) -> list[str]:
    """Files of the wanted name in other directories, the nearest to the root first; hidden ones are not searched."""
    found: list[str] = []
    leaf, visits = wanted[-1] if wanted else "", 0
    level: list[Parts] = [()]
    while level and visits < _MOST_VISITS:
        deeper: list[Parts] = []
        for directory in level:
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
    """The names of a directory that are no directories, and the directories; none of one that cannot be read."""
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
    return os.path.relpath(f"/{name}", "/" + "/".join(files.parts(".")))


def _name(listed: Listed) -> str:
    return listed.name
