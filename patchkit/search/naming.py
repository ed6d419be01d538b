"""Files by name: everything a walk finds, the newest first.

Takes a walk; gives the paths of the files it meets. A link that leads to a file inside the root is found under its own
name; what lies behind other links is not looked at.
"""

from __future__ import annotations

import os

from patchkit.errors import PatchkitError
from patchkit.search.halves import gather
from patchkit.search.walk import Folder, Walk
from patchkit.workspace.directories import reason
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.search.halves import Found


def files_named(files: Workspace, walk: Walk, shared: bool) -> list[str]:
    """The files of a walk as paths from the root: the newest first, those of one time by name.

    `shared` lets two processes walk, which pays where there is no end to the visits.
    """
    found = gather(walk, lambda folder: _dated(files, folder), shared)
    found.sort()  # each process has sorted what it found: only a merge is left
    return [path for _, path in found]  # type: ignore[misc]


def _dated(files: Workspace, folder: Folder) -> Found:
    """The entries of a directory that are files, each with its age: what is newer sorts first."""
    path = folder.path
    found: Found = []
    for entry in folder.entries:
        try:
            if entry.is_file(follow_symlinks=False):
                found.append((-entry.stat(follow_symlinks=False).st_mtime, path + entry.name))
            elif entry.is_symlink():
                status = _behind(files, folder, entry.name)
                if status is not None:
                    found.append((-status.st_mtime, path + entry.name))
        except FileNotFoundError:
            continue
        except OSError as error:  # a directory that may be listed and not entered
            folder.unreadable.append((path + entry.name, reason(error)))
    return found


def _behind(files: Workspace, folder: Folder, name: str) -> os.stat_result | None:
    """The status of the file that a link leads to, None where it leads out of the root or to no file."""
    try:
        goal = files.reach(name, [*folder.path.split("/")[:-1], name])
    except PatchkitError:
        return None
    return goal.standing.status if goal.kind == "file" else None
