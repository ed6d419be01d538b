"""Names that differ only in case, where a directory takes them for one.

A directory is known to do so when a name and the same name in the other case are one inode, and it lists only one of
them. Then every spelling stands for the listed name, so that one file is never taken for two. Loaded only where such
a directory, or a hard link that looks like it, is met.
"""

from __future__ import annotations

import os

from patchkit.workspace.directories import Directories, Parts, other_case


def takes_for_one(directories: Directories, directory: Parts, name: str) -> bool:
    """Whether a name and the same in the other case, which are one inode, are also one name: else both are listed."""
    names = os.listdir(directories.handle(directory))
    return not (name in names and other_case(name) in names)


def listed(directories: Directories, directory: Parts, name: str, status: os.stat_result) -> str:
    """The name that a directory lists for an inode which was found under this one."""
    with os.scandir(directories.handle(directory)) as names:
        same = [each.name for each in names if each.inode() == status.st_ino]
    if name in same or not same:
        return name
    return next((each for each in same if each.casefold() == name.casefold()), same[0])


def first_spelling(spelled: dict[str, Parts], directory: Parts, missing: Parts, leaf: str) -> tuple[Parts, str]:
    """What a name that is not there was first called: it will be there under that."""
    name = (*directory, *missing, leaf)
    first = spelled.setdefault("/".join(name).casefold(), name)
    return first[len(directory) : -1], first[-1]
