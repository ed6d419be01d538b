"""The directory a script is in, and the one `cd` takes it to.

Takes a starting directory, the environment and the arguments of `cd`; gives the directory the shell
would be in. Reads the file system, for a `cd` to a directory that is not there fails and the rest of the
script means something else. Shells remember the path they came by, so `..` leads back over a symbolic
link; by which path they came at first is not always known, and then all possible ones must agree.
"""

from __future__ import annotations

import os

from patchkit.errors import PatchkitError
from patchkit.values import Record

_LONGEST = 3000  # beyond this the shells' own buffers begin to matter


class ShellDirectory(Record):
    """A directory, as the paths by which the shell may know it; the first is the one to show."""

    paths: list[str]
    search: bool  # whether CDPATH is set

    @property
    def path(self) -> str:
        return self.paths[0]


def start(cwd: str, env: dict[str, str]) -> ShellDirectory:
    """The directory a shell starts in; refuses a directory that is not there."""
    try:
        path = cwd if os.path.isabs(cwd) else os.path.join(os.getcwd(), cwd)
    except OSError:  # this process's own directory is gone
        path = ""
    if not _can_enter(path):
        raise PatchkitError("P521", path=cwd)
    # Taking '..' out of the text would be wrong after a symbolic link: the system follows the link first.
    path = os.path.realpath(path) if ".." in path.split("/") else os.path.normpath(path)
    paths = [path, os.path.realpath(path)]
    known = env.get("PWD", "")
    if known.startswith("/") and _can_enter(known) and os.path.samefile(known, path):
        paths.append(known)
    return ShellDirectory(_distinct(paths), bool(env.get("CDPATH")))


def change(directory: ShellDirectory, path: str, physical: bool = False) -> ShellDirectory:
    """The directory after `cd path`; refuses what fails, searches elsewhere or cannot be known."""
    if not path or len(path) > _LONGEST:
        raise PatchkitError("P512", path=path)
    if directory.search and not path.startswith("/") and path.split("/")[0] not in (".", ".."):
        raise PatchkitError("P517", what="CDPATH")
    if physical:
        # Asked of the system as it is written: realpath forgives a missing part.
        whole = os.path.join(directory.path, path)
        found = [os.path.realpath(whole) if _can_enter(whole) else ""]
    else:
        found = [_steps(old, path) for old in directory.paths]
    if not all(_can_enter(new) for new in found) or len({os.path.realpath(new) for new in found}) != 1:
        raise PatchkitError("P512", path=path)
    return ShellDirectory(_distinct(found), directory.search)


def inherited(directory: ShellDirectory) -> ShellDirectory:
    """The directory as a shell started from there knows it: whether it learns the path it came by is not known."""
    return ShellDirectory(_distinct([*directory.paths, os.path.realpath(directory.path)]), directory.search)


def _steps(base: str, path: str) -> str:
    """Goes from `base` along `path`, each part of which must be a directory now; '' when one is not."""
    at = "/" if path.startswith("/") else base
    for part in path.split("/"):
        if part in ("", "."):
            continue
        at = os.path.dirname(at.rstrip("/")) or "/" if part == ".." else os.path.join(at, part)
        if len(at) > _LONGEST or not _can_enter(at):
            return ""
    return at


def _can_enter(path: str) -> bool:
    return os.path.isdir(path) and os.access(path, os.X_OK)


def _distinct(paths: list[str]) -> list[str]:
    return list(dict.fromkeys(paths))
