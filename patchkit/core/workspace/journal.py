"""The journal: what an interrupted run leaves for the next one to read.

Takes the steps of a transaction; gives the bytes of a record (`dump`), and reads them back (`load`). The journal is one
file at the root and exists only while a run is under way. It begins as an intent, which lists the names of everything
that will be staged. The commit record replaces it by one rename, and from that rename on the run counts as done.

Fields are separated by NUL, which no path contains, and the last field says that the record is complete. An intent that
is short enough is the target of a symbolic link: after a power cut a link exists with its target or not at all, while a
file may exist without its content unless it was synced. Writing the journal is the transaction's work, acting on one
that was left is the work of `recovery`.
"""

from __future__ import annotations

import os

from patchkit.core.changes import protected_part
from patchkit.core.workspace.state import make, state_directory
from patchkit.values import Value

# -- which interrupted run was allowed to change version control: what a journal in the tree cannot say by itself
# Takes a root and the name by which a run is known; keeps it in the user's state directory for as long as the run is
# under way. A journal may come with a cloned tree, or an agent may write one. One that names a file inside version
# control, where hooks are, is followed only if the run that it names was kept here: the run had `--allow-vcs`.


_KIND = "vcs"


def vouch(root: str, run: str) -> None:
    """Keeps that this run may change version control; where that fails, it is not recovered after a kill."""
    path = _path(root, run)
    if not path:
        return
    try:
        make(os.path.dirname(path))
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        os.fsync(opened)
        os.close(opened)
    except OSError:
        pass


def is_vouched(root: str, run: str) -> bool:
    return bool(run) and os.path.lexists(_path(root, run))


def forget(root: str, run: str) -> None:
    """Forgets a run that is over."""
    try:
        os.unlink(_path(root, run))
    except OSError:
        pass


def _path(root: str, run: str) -> str:
    base = state_directory(os.path.realpath(root))
    return f"{base}/{_KIND}/{run}" if base is not None else ""


NAME = ".patchkit-journal"
UNDER_PROOF = "under verification"  # the state of a run whose files are new, and whose commands have not succeeded yet
IN_GIT = "in git"  # and of one that is put into a commit of git; the id of the run follows
_HEAD, _TAIL = "patchkit journal 1", "whole"
_LONGEST_TARGET = 1000  # bytes; XFS takes 1,024, others more
_YES = "through"  # how `in_place` is written; the word is older than the attribute's name


class JournalStep(Value):
    """How one name gets from its old content to its new.

    `directory` holds the staged and the saved file; `missing` are the directories below it that the target still
    needs. `staged` is the name of the new content ('' when the target is deleted), `saved` that of the old: a second
    link to it, or the name it gets when the target is deleted ('' when the target is new). `old` and `new` are the
    signs of both. `in_place` means that the file is written to and not replaced: then both are copies, and `new` is
    the sign of one.
    """

    __slots__ = ("directory", "missing", "leaf", "staged", "saved", "old", "new", "in_place")
    directory: tuple[str, ...]
    missing: tuple[str, ...]
    leaf: str
    staged: str
    saved: str
    old: str
    new: str
    in_place: bool

    def __init__(self, directory: tuple[str, ...], missing: tuple[str, ...], leaf: str) -> None:
        self.directory = directory
        self.missing = missing
        self.leaf = leaf
        self.staged = self.saved = self.old = self.new = ""
        self.in_place = False

    @property
    def parent(self) -> tuple[str, ...]:
        """The directory of the target."""
        return (*self.directory, *self.missing) if self.missing else self.directory

    @property
    def name(self) -> str:
        return "/".join((*self.parent, self.leaf))


_FIELDS = JournalStep.__slots__  # a record has these of each step, in this order


class Journal(Value):
    """A record as it was written: 'intent', 'commit', or 'done' when only leftovers remain; and the steps.

    A run that is to be proved has UNDER_PROOF in the place of 'commit', and IN_GIT while it is put into a commit.

    `successor` is the name under which the next record is written before it replaces this one.
    """

    __slots__ = ("state", "successor", "steps")
    state: str
    successor: str
    steps: list[JournalStep]

    def __init__(self, state: str, successor: str, steps: list[JournalStep]) -> None:
        self.state = state
        self.successor = successor
        self.steps = steps


def concerns_protected(steps: list[JournalStep]) -> bool:
    """Whether any of the names is inside version control, or one of ours."""
    parts = [part for step in steps for part in (*step.directory, *step.missing, step.leaf)]
    return protected_part("/".join(parts)) != ""


def dump(state: str, successor: str, steps: list[JournalStep]) -> bytes:
    """The bytes of a record, see Journal."""
    fields = [_HEAD, state, successor]
    for step in steps:  # the order of _FIELDS, written out: a patch of many files spends its time here
        fields += (
            *("/".join(step.directory), "/".join(step.missing), step.leaf),
            *(step.staged, step.saved, step.old, step.new, _YES if step.in_place else ""),
        )
    return os.fsencode("\0".join([*fields, _TAIL]))


def as_target(record: bytes) -> bytes:
    """A record as the target of a link, which cannot hold NUL; empty where it does not fit."""
    return b"" if len(record) > _LONGEST_TARGET or b"\n" in record else record.replace(b"\0", b"\n")


def from_target(target: bytes) -> bytes:
    """The record that `as_target` was given."""
    return target.replace(b"\n", b"\0")


def load(data: bytes) -> Journal | None:
    """Returns the record, None when it is not complete or not ours."""
    head, *fields = os.fsdecode(data).split("\0")
    size = len(_FIELDS)
    if head != _HEAD or len(fields) < 3 or fields[-1] != _TAIL or (len(fields) - 3) % size:
        return None
    state, successor, *rest = fields[:-1]
    steps = [_step(dict(zip(_FIELDS, rest[at : at + size]))) for at in range(0, len(rest), size)]
    if not _is_ours(successor) or not all(map(_is_safe, steps)):
        return None
    return Journal(state, successor, steps)


def _step(fields: dict[str, str]) -> JournalStep:
    step = JournalStep(_parts(fields["directory"]), _parts(fields["missing"]), fields["leaf"])
    step.staged, step.saved = fields["staged"], fields["saved"]
    step.old, step.new = fields["old"], fields["new"]
    step.in_place = fields["in_place"] == _YES
    return step


def _parts(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("/")) if joined else ()


def _is_safe(step: JournalStep) -> bool:
    """Whether a step names plain components and files of ours: a journal may come with a cloned tree, for instance."""
    plain = all(part not in ("", ".", "..") and "/" not in part for part in (*step.parent, step.leaf))
    return plain and _is_ours(step.staged) and _is_ours(step.saved)


def _is_ours(name: str) -> bool:
    """Whether a file of this name may be one that a run of ours left; '' means no file."""
    return not name or (name.startswith(".patchkit-") and name.endswith(".tmp") and "/" not in name)
