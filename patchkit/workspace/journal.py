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


# -- left_journal: The journal that an interrupted run left, read. Loaded when there is one.

_FIELDS = 8  # of a step


class Journal(Value):
    """A record as it was written: 'intent', 'commit', or 'done' when only leavings are left; and the steps.

    `successor` is the name that the next record is written under before it takes this one's place.
    """

    __slots__ = ("state", "successor", "steps")
    state: str
    successor: str
    steps: list[Step]

    def __init__(self, state: str, successor: str, steps: list[Step]) -> None:
        self.state = state
        self.successor = successor
        self.steps = steps


def load(data: bytes) -> Journal | None:
    """Returns the record, None when it is not whole or not ours."""
    head, *fields = os.fsdecode(data).split("\0")
    if head != HEAD or len(fields) < 3 or fields[-1] != TAIL or (len(fields) - 3) % _FIELDS:
        return None
    steps = []
    for at in range(2, len(fields) - 1, _FIELDS):
        directory, missing, leaf, staged, saved, old, new, through = fields[at : at + _FIELDS]
        step = Step(_parts(directory), _parts(missing), leaf)
        step.staged, step.saved, step.old, step.new, step.through = staged, saved, old, new, through == THROUGH
        if not _plain((*step.home, leaf)) or not all(map(_ours, (staged, saved))):
            return None
        steps.append(step)
    return Journal(fields[0], fields[1], steps) if _ours(fields[1]) else None


def _plain(parts: tuple[str, ...]) -> bool:
    """Whether these are names and nothing else: a journal may come from anywhere, with a cloned tree for instance."""
    return all(part not in ("", ".", "..") and "/" not in part for part in parts)


def _ours(name: str) -> bool:
    """Whether a file of this name is one a run of ours may have left; '' is none."""
    return not name or (name.startswith(".patchkit-") and name.endswith(".tmp") and "/" not in name)


def _parts(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("/")) if joined else ()
