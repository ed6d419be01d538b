"""The order in which the sections of one diff can be made one after the other.

A diff speaks of the old tree throughout, a patch of what its earlier sections left: a name must be free before
another section takes it, and a copy must be taken before its source changes.
"""

from __future__ import annotations

from patchkit.formats.model import CopyFile, ForeignOp
from patchkit.language.model import AddFile, DeleteFile, UpdateFile


def ordered(sections: list[ForeignOp]) -> list[ForeignOp]:
    """The sections in an order in which each finds what it needs; a circle of renames goes through another name."""
    if not any(isinstance(each, CopyFile) or (isinstance(each, UpdateFile) and each.move_to) for each in sections):
        return _freed_first(sections)
    left: list[ForeignOp] = [each for each in sections if isinstance(each, CopyFile)]
    left += [each for each in sections if not isinstance(each, CopyFile)]
    made: list[ForeignOp] = []
    while left:
        ready = next((each for each in left if not _waits(each, left)), None)
        if ready is None:
            index = next((n for n, each in enumerate(left) if isinstance(each, UpdateFile) and each.move_to), -1)
            moved = left[index]
            if not isinstance(moved, UpdateFile):
                return made + left  # nothing can be done about it here: planning says what is in the way
            outer = moved.move_to if moved.move_to and _is_under(moved.path, moved.move_to) else moved.path
            away = _another_name(outer, sections)
            left[index] = UpdateFile(away, moved.move_to, [], moved.line)
            made.append(UpdateFile(moved.path, away, moved.hunks, moved.line))
            continue
        left = [each for each in left if each is not ready]
        made.append(ready)
    return made


def directories_that_become_files(sections: list[ForeignOp]) -> list[str]:
    """The names that sections take while others still free what is below them: directories before, files after."""
    above = {parent for free in map(_frees, sections) if free for parent in _parents(free)}
    return [name for name in map(_takes, sections) if name in above] if above else []


def _parents(path: str) -> list[str]:
    return [path[:at] for at, char in enumerate(path) if char == "/" and at]


def _freed_first(sections: list[ForeignOp]) -> list[ForeignOp]:
    """Deletes before adds that need their names; everything else where it is."""
    deletes = [each for each in sections if isinstance(each, DeleteFile)]
    added = [each.path for each in sections if isinstance(each, AddFile)]
    early = {
        id(each) for each in deletes if any(_is_under(path, each.path) or _is_under(each.path, path) for path in added)
    }
    if not early:
        return sections
    first = [each for each in sections if id(each) in early]
    return first + [each for each in sections if id(each) not in early]


def _takes(section: ForeignOp) -> str | None:
    if isinstance(section, AddFile):
        return section.path
    if isinstance(section, CopyFile):
        return section.to
    return section.move_to if isinstance(section, UpdateFile) else None


def _frees(section: ForeignOp) -> str | None:
    if isinstance(section, DeleteFile) or (isinstance(section, UpdateFile) and section.move_to):
        return section.path
    return None


def _waits(section: ForeignOp, left: list[ForeignOp]) -> bool:
    wanted = _takes(section)
    if wanted is None:
        return False
    for other in left:
        free = _frees(other)
        touches = free is not None and (_is_under(wanted, free) or _is_under(free, wanted))
        if touches and (other is not section or wanted != free):
            return True
    return False


def _is_under(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory + "/")


def _another_name(path: str, sections: list[ForeignOp]) -> str:
    used = {each.path for each in sections} | {_takes(each) for each in sections}
    number = 1
    while f"{path}.moved-{number}" in used:
        number += 1
    return f"{path}.moved-{number}"
