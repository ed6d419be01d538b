"""Run a tool for files behind a second wall: the kernel keeps it in the workspace, whatever a defect of ours would do.

Takes the work, the root and the logs; does the work with rights for the root, our state, the logs and what Python and
ripgrep need to run, and without a network. A command that owns its process restricts the process; in the process of a
host the work is done in a thread of its own, which ends with it. The rules are not looked at: they were applied before.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

import patchkit
from patchkit.core.workspace import make
from patchkit.errors import PatchkitError
from patchkit.policy import user_settings_file
from patchkit.policy.trust import state_home, trust_directory
from patchkit.processes.child import unbroken
from patchkit.sandbox import landlock
from patchkit.sandbox.profile import FIXED, readable
from patchkit.sandbox.system_calls import filter_calls, filter_program, machine, take_privileges

T = TypeVar("T")

_restricted: list[str] = []  # the root that this process is kept in


def restricted(work: Callable[[], T], root: str, logs: Sequence[str], owns_process: bool) -> T:
    """What the work returns; raises P670 or P673 where it cannot be restricted."""
    abi = landlock.version()
    if abi < landlock.NEEDED:
        raise PatchkitError("P670", needed=landlock.NEEDED, abi=abi)
    if owns_process:
        if root not in _restricted:
            _restrict(abi, root, logs)
            _restricted.append(root)
        return work()
    done: list[T] = []

    def alone() -> None:
        _restrict(abi, root, logs)
        done.append(work())

    try:
        unbroken(alone, alone=True)
    except RuntimeError as error:
        raise PatchkitError("P673", reason=str(error)) from None
    return done[0]


def _restrict(abi: int, root: str, logs: Sequence[str]) -> None:
    """Restricts the calling thread. Capabilities stay: files keep their owners only with them."""
    try:
        ruleset = landlock.Ruleset(abi, network=False)
        try:
            for path, rights in _granted(root, logs):
                if os.path.exists(path):
                    ruleset.grant_at(path, rights)
            take_privileges()
            ruleset.restrict()
        finally:
            ruleset.close()
        filter_calls(filter_program(machine(), network=False, own_ipc=False))
    except OSError as error:
        raise PatchkitError("P673", reason=error.strerror or str(error)) from None


def _granted(root: str, logs: Sequence[str]) -> Iterator[tuple[str, int]]:
    own = landlock.RUN | landlock.WRITE
    yield root, own
    yield trust_directory(), landlock.READ
    state = state_home()
    if state:
        with suppress(OSError):  # then nothing is kept there
            make(state)
        yield state, own
    for log in logs:
        yield os.path.dirname(log), own  # it may have to be made
    for path, rights, _ in readable(os.environ):
        yield path, rights
    place = os.path.dirname(os.path.abspath(patchkit.__file__))
    yield place, landlock.READ
    yield os.path.dirname(place), landlock.LIST
    yield os.path.dirname(user_settings_file()), landlock.READ
    for path in sys.path:
        if path.startswith("/"):
            yield path, landlock.LIST
    for paths, rights, _ in FIXED:
        for path in paths.split():
            yield path, rights
