"""The journal that an interrupted run left, read. Loaded when there is one."""

from __future__ import annotations

import os

from patchkit.values import Value
from patchkit.workspace.journal import HEAD, TAIL, THROUGH, Step

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
