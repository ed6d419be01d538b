"""What an interrupted run leaves for the next one to read.

One file at the root, there only while a run is under way. It begins as an intent, which lists the names of
everything that will be staged; the commit record takes its place by one rename, and that rename is
the point at which the run counts as done. Fields are separated by NUL, which no path contains, and
the last field says that the record is whole. `left_journal` reads it.
"""

from __future__ import annotations

import os

from patchkit.values import Value

NAME = ".patchkit-journal"
HEAD, TAIL = "patchkit journal 1", "whole"
THROUGH = "through"


class Step(Value):
    """One name on its way from its old content to its new.

    `directory` holds the staged and the saved file; `missing` are the directories below it that the target still
    needs. `staged` is the new content ('' when the name goes), `saved` the old: a second link to it, or the
    name it goes under when its own is taken away ('' when the name is new); `old` and `new` are the signs of both.
    `through` means that the file is written to and not replaced: then both are copies, and `new` is the sign of one.
    """

    __slots__ = ("directory", "missing", "leaf", "staged", "saved", "old", "new", "through")
    directory: tuple[str, ...]
    missing: tuple[str, ...]
    leaf: str
    staged: str
    saved: str
    old: str
    new: str
    through: bool

    def __init__(self, directory: tuple[str, ...], missing: tuple[str, ...], leaf: str) -> None:
        self.directory = directory
        self.missing = missing
        self.leaf = leaf
        self.staged = self.saved = self.old = self.new = ""
        self.through = False

    @property
    def home(self) -> tuple[str, ...]:
        """The directory the target stands in."""
        return (*self.directory, *self.missing) if self.missing else self.directory

    @property
    def name(self) -> str:
        return "/".join((*self.home, self.leaf))


def dump(state: str, successor: str, steps: list[Step]) -> bytes:
    """A record: 'intent', 'commit', or 'done'; the name that the next one is first written under; the steps."""
    fields = [HEAD, state, successor]
    for step in steps:
        fields.append("/".join(step.directory))
        fields.append("/".join(step.missing))
        fields.extend((step.leaf, step.staged, step.saved, step.old, step.new, THROUGH if step.through else ""))
    return os.fsencode("\0".join([*fields, TAIL]))
