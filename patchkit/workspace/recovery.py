"""Finish or undo what an interrupted run left behind.

Takes the journal at the root, under the lock; gives notes of what was done. An intent is undone by removing
what was staged. A commit is finished, unless a name holds content that is neither its old nor its
new: then that stays as it is, every other name gets its old content back, and the note says so.
Nothing here can wedge: what cannot be read or done is set aside, reported, and the way is free.
"""

from __future__ import annotations

import os

from patchkit.errors import Note
from patchkit.workspace import journal as records
from patchkit.workspace.directories import Directories, Parts
from patchkit.workspace.journal import Step
from patchkit.workspace.transaction import put_back, remove_leavings, switch


def recover(directories: Directories, data: bytes) -> list[Note]:
    """Deals with a journal found at the root; returns what there is to say about it."""
    journal = records.load(data)
    if journal is None:
        return _set_aside(directories, data)
    if journal.state == "commit":
        notes = _finish(directories, journal.steps)
    else:
        notes = [Note("P942", count=len(journal.steps))]
    for step in journal.steps:
        remove_leavings(directories, step)
    directories.remove((), journal.successor)
    directories.remove((), records.NAME)
    directories.sync_quietly(())
    return notes


def _set_aside(directories: Directories, data: bytes) -> list[Note]:
    """A record that is not whole: an intent cut short names nothing that exists; anything else is kept for a person."""
    if not data or b"\0intent" in data[:40] or len(data) < 40:
        directories.remove((), records.NAME)
        return [Note("P942", count=0)]
    aside = f"{records.NAME}.broken"
    root = directories.handle(())
    try:
        os.rename(records.NAME, aside, src_dir_fd=root, dst_dir_fd=root)
    except OSError:
        directories.remove((), records.NAME)
    return [Note("P943", file=aside)]


def _finish(directories: Directories, steps: list[Step]) -> list[Note]:
    """Rolls a committed run forward; back again where it cannot go on."""
    foreign = [step.name for step in steps if not _ours(directories, step)]
    made: list[Parts] = []
    if not foreign:
        try:
            for step in steps:
                if directories.sign(step.home, step.leaf) == step.old:
                    made.extend(directories.make(step.directory, step.missing))
                    switch(directories, step)
            _sync(directories, steps, made)
            return [Note("P941", count=len(steps))]
        except OSError:
            pass
    left = []
    for step in reversed(steps):
        try:
            put_back(directories, step)
        except OSError:
            left.append(step.name)
    for directory in reversed(made):
        directories.unmake(directory)
    _sync(directories, steps, [])
    return [Note("P944", count=len(steps), foreign=", ".join(foreign + left) or "-")]


def _ours(directories: Directories, step: Step) -> bool:
    """Whether a name holds its old or its new content, and can still get the new."""
    try:
        now = directories.sign(step.home, step.leaf)
        if now == step.new:
            return True
        return now == step.old and (not step.staged or directories.sign(step.directory, step.staged) == step.new)
    except OSError:
        return False


def _sync(directories: Directories, steps: list[Step], made: list[Parts]) -> None:
    for directory in {step.home for step in steps} | {each[:-1] for each in made}:
        directories.sync_quietly(directory)
