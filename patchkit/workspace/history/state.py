"""Where patchkit keeps what it remembers of a workspace: outside of it, in the user's state directory.

Every root has a directory of its own there (`home`). Directories are made when there is something to keep,
for this user only, and what is in them is kept within bounds.
"""

from __future__ import annotations

import os
import time

# These two stand there and not here because every plain apply needs them, and a module is a tenth of a millisecond.
from patchkit.workspace.history.recording import home, root_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.workspace.directories import Directories

__all__ = ["home", "root_id", "make", "tidy"]

INSIDE = ".patchkit"  # in the root, for what has to be remembered where there is no state directory
_MOST_RUNS, _MOST_BYTES, _OLDEST = 200, 64 << 20, 30 * 86400


def short_id(root: str) -> str:
    """The name of a root whose path is too long to be one: a hash, and the end of the path for people."""
    from hashlib import sha256

    kept = os.fsencode(root)[-60:].decode("utf-8", "ignore").replace("/", "+")
    return f"{sha256(os.fsencode(root)).hexdigest()[:32]}={kept}"


def make(directory: str) -> None:
    """Makes a directory of ours and those above it, for this user only."""
    if not os.path.isdir(directory):
        make(os.path.dirname(directory))
        try:
            os.mkdir(directory, 0o700)
        except FileExistsError:
            pass  # made by another run meanwhile


def make_inside(directories: Directories, name: str) -> None:
    """Makes a directory of ours in the root itself, which version control ignores; no link is followed there."""
    directories.make((), (INSIDE, name), [])
    from patchkit.workspace.history.recording import write_closing
    from patchkit.workspace.metadata import NEW

    try:
        write_closing(os.open(".gitignore", NEW, 0o600, dir_fd=directories.handle((INSIDE,))), b"*\n")
    except FileExistsError:
        pass


def tidy(directory: str) -> None:
    """Keeps a history within bounds, and removes those of roots in which nothing was applied for a month."""
    _prune(directory)
    homes = os.path.dirname(os.path.dirname(directory))
    try:
        names = os.listdir(homes)
    except OSError:
        return
    oldest = time.time() - _OLDEST
    for name in names:
        other = f"{homes}/{name}/history"
        try:
            if os.stat(other).st_mtime < oldest:
                _prune(other)
                os.rmdir(other)
                os.rmdir(f"{homes}/{name}")
        except OSError:
            pass  # not empty: something else is remembered there


def _prune(directory: str) -> None:
    """Keeps so many runs, so many bytes, so many days; the oldest go first."""
    room, oldest = _MOST_BYTES, time.time() - _OLDEST
    try:
        names = sorted(os.listdir(directory), reverse=True)
    except OSError:
        return
    for number, name in enumerate(names):
        path = f"{directory}/{name}"
        try:
            status = os.stat(path, follow_symlinks=False)
            room -= status.st_size
            if number >= _MOST_RUNS or room < 0 or status.st_mtime < oldest:
                os.unlink(path)
        except OSError:
            pass
