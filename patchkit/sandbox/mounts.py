"""A tree of mounts of its own for a process: only what may be written is writable, what may not be read is covered.

Takes MountSteps, outermost first; `enter` makes them true for the calling thread, which has to have mounts of its own
by then. A superuser's thread gets them by `own_mounts`. Others need a user namespace, which a process with threads
cannot have: a process of our own enters one first (`own_user_namespace`), and for a host a fork does (`own_namespace`).
That needs no privileges, but a kernel that lets users make namespaces.
Places are named by paths, since handles lead to the mounts of the host; each is compared with what was found there when
the rules were applied.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from errno import ENOSPC, ESTALE

from patchkit.handles import OpenHandle
from patchkit.sandbox.run_directory import SHARED_MEMORY
from patchkit.sandbox.system_calls import call
from patchkit.values import Record

OPEN, CLOSED, HIDDEN = "writable", "read-only", "hidden"
_NEW_USER, _NEW_MOUNTS, _NEW_IPC = 0x10000000, 0x00020000, 0x08000000
_RECURSIVE, _PRIVATE = 0x4000, 0x40000
_NO_SETUID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8
_READ_ONLY = (1).to_bytes(32, "little")  # MOUNT_ATTR_RDONLY is set, nothing is cleared
_EVERY_MOUNT, _EMPTY_PATH = 0x8000, 0x1000  # AT_RECURSIVE, AT_EMPTY_PATH
_CLONE = 1 | os.O_CLOEXEC  # OPEN_TREE_CLONE
_BOTH_EMPTY = 0x04 | 0x40  # MOVE_MOUNT_F_EMPTY_PATH, MOVE_MOUNT_T_EMPTY_PATH
_PATH = 0x200000 | os.O_NOFOLLOW | os.O_CLOEXEC  # O_PATH
TERMINALS = "/dev/pts"
_NOTHING, _EMPTY = f"{SHARED_MEMORY}/nothing", f"{SHARED_MEMORY}/empty"


class MountStep(Record):
    """What one place becomes: writable, read-only or hidden. `identity` is the device and the number of the file."""

    path: str
    kind: str
    identity: tuple[int, int]
    is_directory: bool


def in_order(steps: list[MountStep]) -> list[MountStep]:
    """All steps, outermost first. What is below a hidden directory is seen by no path, and needs none."""
    hidden = {step.path: step for step in steps if step.kind == HIDDEN}
    needed = [step for step in steps if step is hidden.get(step.path) or not _is_below(step.path, hidden)]
    return sorted(needed, key=lambda step: step.path.count("/"))


def own_mounts() -> bool:
    """Gives the calling thread mounts of its own, which only a superuser may; False where it may not."""
    try:
        call("unshare", _NEW_MOUNTS | _NEW_IPC)
    except OSError:
        return False
    return True


def own_user_namespace() -> bool:
    """Puts this process into a user namespace, for good: its threads may make mounts then. False where it cannot be.

    Its user, its files and what others may do to it stay the same. It must have one thread.
    """
    if not os.access("/proc/self/uid_map", os.W_OK):
        return False  # it would be left in one without its user
    try:
        _own_users(0)
    except OSError:
        return False
    return True


def own_namespace() -> None:
    """Gives the calling process mounts of its own, in a user namespace; raises OSError. It must have one thread."""
    _own_users(_NEW_MOUNTS | _NEW_IPC)


def _own_users(more: int) -> None:
    user, group = os.geteuid(), os.getegid()
    call("unshare", _NEW_USER | more)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def enter(steps: list[MountStep]) -> list[str]:
    """Makes the steps true for a thread with mounts of its own; returns which devices are private. Raises OSError.

    What is writable is taken out of the tree before all of it becomes read-only, and put back with the rights that
    each mount in it had: one that was read-only before stays so.
    """
    call("mount", None, b"/", None, _RECURSIVE | _PRIVATE, None)
    taken: dict[str, int] = {}
    try:
        for step in steps:
            place = _found(step) if step.kind == OPEN else None  # one that is gone needs no rights
            if place is not None:
                with OpenHandle(place):
                    taken[step.path] = call("open_tree", place, b"", _CLONE | _EMPTY_PATH | _EVERY_MOUNT)
        with OpenHandle(os.open("/", _PATH)) as root:
            call("mount_setattr", root, b"", _EMPTY_PATH | _EVERY_MOUNT, _READ_ONLY, len(_READ_ONLY))
        private = _private_devices()
        covers = _covers() if any(step.kind == HIDDEN for step in steps) else {}
        for step in steps:
            if step.kind != OPEN:
                _cover(step, covers.get(step.is_directory, "") if step.kind == HIDDEN else "")
            elif step.path in taken and (place := _found(step)) is not None:
                with OpenHandle(place):
                    call("move_mount", taken[step.path], b"", place, b"", _BOTH_EMPTY)
        for path in covers.values():
            (os.rmdir if path == _EMPTY else os.unlink)(path)
    finally:
        for handle in taken.values():
            os.close(handle)
    return private


def missing() -> str:
    """Why this machine has no mounts for a user, '' where it has: tried in a fork of a process with one thread."""
    child = os.fork()
    if child == 0:
        failed = 0
        try:
            if not own_mounts():
                own_namespace()
            enter([])
        except OSError as error:
            failed = min(error.errno or 1, 255)
        finally:
            os._exit(failed)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == ENOSPC:  # which has nothing to do with a disk
        return "their number is limited by 'user.max_user_namespaces'"
    return os.strerror(status).lower() if status > 0 else ""


def _private_devices() -> list[str]:
    """Makes shared memory and terminals of its own, as far as it can be; returns where."""
    made = []
    for kind, place, flags, options in (
        (b"tmpfs", SHARED_MEMORY, _NO_SETUID | _NO_DEVICES, b"mode=1777"),
        (b"devpts", TERMINALS, _NO_SETUID | _NO_PROGRAMS, b"newinstance,ptmxmode=0666,mode=620"),
    ):
        with suppress(OSError):  # a machine without it: what needs it fails, as without the mount
            call("mount", kind, os.fsencode(place), kind, flags, options)
            made.append(place)
    return made


def _covers() -> dict[bool, str]:
    """An empty file and an empty directory that no one may open, in the private memory: they end with the mounts."""
    os.close(os.open(_NOTHING, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0))
    os.mkdir(_EMPTY, 0)
    return {False: _NOTHING, True: _EMPTY}


def _cover(step: MountStep, cover: str) -> None:
    """Puts a read-only copy of the place itself, or of a cover, over exactly the file of the step.

    One that is gone may be found under another name.
    """
    place = _found(step)
    if place is None:
        raise _replaced(step.path)
    with OpenHandle(place):
        source = os.open(cover, _PATH) if cover else place
        try:
            copy = call("open_tree", source, b"", _CLONE | _EMPTY_PATH | _EVERY_MOUNT)
        finally:
            if cover:
                os.close(source)
        with OpenHandle(copy):
            call("mount_setattr", copy, b"", _EMPTY_PATH | _EVERY_MOUNT, _READ_ONLY, len(_READ_ONLY))
            call("move_mount", copy, b"", place, b"", _BOTH_EMPTY)


def _found(step: MountStep) -> int | None:
    """A handle of the file of a step, and of no other; None where it is gone, raises where it was replaced."""
    try:
        handle = os.open(step.path, _PATH)
    except FileNotFoundError:
        return None
    found = os.fstat(handle)
    if (found.st_dev, found.st_ino) != step.identity or stat.S_ISDIR(found.st_mode) != step.is_directory:
        os.close(handle)
        raise _replaced(step.path)
    return handle


def _is_below(path: str, hidden: dict[str, MountStep]) -> bool:
    """Whether one of these is the path, or above it."""
    while path:
        if path in hidden:
            return True
        path = path.rpartition("/")[0]
    return False


def _replaced(path: str) -> OSError:
    return OSError(ESTALE, f"'{path}' was replaced")


def _write(path: str, text: str) -> None:
    with OpenHandle(os.open(path, os.O_WRONLY | os.O_CLOEXEC)) as handle:
        os.write(handle, text.encode())
