"""The files of a workspace by name, as far as somebody who mistyped one may have meant them.

Takes where relative paths start; gives paths spelled from there, those in the nearest directories first. The look
is bounded: so many names are read and no more, no link is followed, and what cannot be listed is passed over.
"""

from __future__ import annotations

import os
from collections import deque

from patchkit.workspace.directories import Directories, Parts

_LEFT_OUT = ("node_modules", "__pycache__")  # and whatever begins with a dot: names by the thousand, and never meant


def names(directories: Directories, start: list[str], most: int) -> list[str]:
    """Returns the paths of files, spelled from `start`; `most` names are read."""
    found: list[str] = []
    waiting: deque[Parts] = deque([tuple(start), ()])
    seen: set[Parts] = set()
    while waiting and most > 0:
        directory = waiting.popleft()
        if directory in seen:
            continue
        seen.add(directory)
        spelled = _spelled(directory, start)
        for name, is_directory in _listed(directories, directory, most):
            most -= 1
            if not is_directory:
                found.append(spelled + name)
            elif not name.startswith(".") and name not in _LEFT_OUT:
                waiting.append((*directory, name))
    return found


def _listed(directories: Directories, directory: Parts, most: int) -> list[tuple[str, bool]]:
    """The regular files and the directories in a directory, in order; none where it cannot be listed."""
    listed: list[tuple[str, bool]] = []
    try:
        with os.scandir(directories.handle(directory)) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    listed.append((entry.name, True))
                elif entry.is_file(follow_symlinks=False):
                    listed.append((entry.name, False))
                if len(listed) == most:
                    break
    except OSError:
        pass  # looking for what somebody may have meant is no reason to fail
    return sorted(listed)


def _spelled(directory: Parts, start: list[str]) -> str:
    """The path to a directory from where relative paths start, ready for a name to follow."""
    common = 0
    while common < min(len(directory), len(start)) and directory[common] == start[common]:
        common += 1
    return "".join(part + "/" for part in [*[".."] * (len(start) - common), *directory[common:]])
