"""The patches that a command line names: files, directories, globs, standard input.

Takes the words as they were given; returns one PatchSource for each patch, in a fixed order; each is read when it is
checked. These are a person's own files, not paths of the workspace: they may be anywhere.
"""

from __future__ import annotations

import os

from patchkit.checking.report import STDIN
from patchkit.core.workspace import reason
from patchkit.errors import PatchkitError
from patchkit.values import Record

SUFFIXES = (".patch", ".apply_patch", ".applypatch")  # what counts as a patch in a directory
OF_DIFFS = (".diff",)  # and where patches in other formats are checked
_PIECE = 1 << 20


class PatchSource(Record):
    """One patch to check: its name, and how many bytes of it are read at most."""

    name: str
    limit: int
    data: bytes | None = None  # of standard input, which only one process can read

    def read(self) -> bytes:
        """The bytes of the patch; raises for a file that cannot be read, and for one that is too large."""
        data = self.data if self.data is not None else self._from_disk()
        if len(data) > self.limit:
            raise PatchkitError("P115", limit=self.limit)
        return data

    def _from_disk(self) -> bytes:
        try:
            with open(self.name, "rb") as file:
                return file.read(self.limit + 1)
        except OSError as error:
            raise PatchkitError("P401", file=self.name, reason=reason(error)) from None


def sources(words: list[str], limit: int, suffixes: tuple[str, ...] = SUFFIXES) -> list[PatchSource]:
    """The patches that `words` name, each once; raises P661 for a word that names none.

    `suffixes` are those of the patches in a directory.
    """
    names: dict[str, None] = {}
    for word in words:
        found = [STDIN] if word == STDIN else _named(word, suffixes)
        if not found:
            raise PatchkitError("P661", given=word, **_why_none(word, suffixes))
        names.update(dict.fromkeys(found))
    return [PatchSource(name, limit, _stdin(limit) if name == STDIN else None) for name in names]


def _why_none(word: str, suffixes: tuple[str, ...]) -> dict[str, str]:
    """What there is in the place of patches: nothing of the name, or a directory of files with other names."""
    facts = {"suffixes": ", ".join(f"'*{suffix}'" for suffix in suffixes)}
    if os.path.isdir(word):
        others = _below(word, ("",))[:1]
        return {**facts, "example": others[0]} if others else facts
    return facts if any(char in word for char in "*?[") else {**facts, "missing": word}


def _named(word: str, suffixes: tuple[str, ...]) -> list[str]:
    """The files a word means. A file of exactly this name wins over what it says as a glob."""
    if os.path.isdir(word):
        return _below(word, suffixes)
    if os.path.lexists(word):
        return [word]
    if not any(char in word for char in "*?["):
        return []
    found: list[str] = []
    from glob import glob  # it loads `re`

    for path in sorted(glob(word, recursive=True)):
        found += [path] if os.path.isfile(path) else _below(path, suffixes) if "**" not in word else []
    return found


def _below(directory: str, suffixes: tuple[str, ...]) -> list[str]:
    """The patches in a directory and below it, by their names; hidden directories are left out."""
    found = []
    for base, names, files in os.walk(directory):
        names[:] = sorted(name for name in names if not name.startswith("."))
        paths = [os.path.join(base, name) for name in sorted(files) if name.endswith(suffixes)]
        found += [path for path in paths if os.path.isfile(path)]  # a FIFO is not a patch
    return found


def _stdin(limit: int) -> bytes:
    """All of standard input, or enough of it to see that it is too much."""
    pieces, size = [], 0
    try:
        while size <= limit and (piece := os.read(0, _PIECE)):
            pieces.append(piece)
            size += len(piece)
    except OSError as error:
        raise PatchkitError("P403", reason=reason(error)) from None
    return b"".join(pieces)
