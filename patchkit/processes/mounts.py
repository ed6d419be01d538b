"""A tree of mounts of its own for a process: only what may be written is writable, what may not be read is covered.

Takes MountSteps, outermost first; `enter` makes them true for the calling process, which has to be a fork with one
thread that will become another program. It needs no privileges, but a kernel that lets users make namespaces. Places
are named by paths, since handles lead to the mounts of the host; each is compared with what was found there when the
rules were applied.
"""

from __future__ import annotations

import os
import stat
from errno import ENOENT, ENOSPC, ESTALE

from patchkit.processes.system_calls import call
from patchkit.values import Value

OPEN, CLOSED, HIDDEN = "writable", "read-only", "hidden"
_NEW_USER, _NEW_MOUNTS, _NEW_IPC = 0x10000000, 0x00020000, 0x08000000
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x40000
_NO_SETUID, _NO_DEVICES, _NO_PROGRAMS = 2, 4, 8
_READ_ONLY = 1
_EVERY_MOUNT, _EMPTY_PATH = 0x8000, 0x1000  # AT_RECURSIVE, AT_EMPTY_PATH
_PATH = 0x200000 | os.O_NOFOLLOW | os.O_CLOEXEC  # O_PATH


class MountStep(Value):
    """What one place becomes: writable, read-only or hidden. `identity` is the device and the number of the file."""

    __slots__ = ("path", "kind", "identity", "is_directory")
    path: str
    kind: str
    identity: tuple[int, int]
    is_directory: bool

    def __init__(self, path: str, kind: str, identity: tuple[int, int], is_directory: bool) -> None:
        self.path = path
        self.kind = kind
        self.identity = identity
        self.is_directory = is_directory

    @property
    def depth(self) -> int:
        return self.path.count("/")


class MountPlan(Value):
    """All steps, and the empty file and directory that cover what is hidden."""

    __slots__ = ("steps", "empty_file", "empty_directory")
    steps: list[MountStep]
    empty_file: str
    empty_directory: str

    def __init__(self, steps: list[MountStep], empty_file: str, empty_directory: str) -> None:
        self.steps = sorted(steps, key=lambda step: step.depth)
        self.empty_file = empty_file
        self.empty_directory = empty_directory


def enter(plan: MountPlan) -> None:
    """Gives the calling process namespaces of its own, with these mounts; raises OSError."""
    user, group = os.geteuid(), os.getegid()
    call("unshare", _NEW_USER | _NEW_MOUNTS | _NEW_IPC)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    call("mount", None, b"/", None, _RECURSIVE | _PRIVATE, None)
    for step in plan.steps:
        if step.kind != HIDDEN:
            _at(step, None, _RECURSIVE)
    _set("/", read_only=True)
    for step in plan.steps:
        if step.kind == HIDDEN:
            _at(step, os.fsencode(plan.empty_directory if step.is_directory else plan.empty_file), 0)
            _set(step.path, read_only=True)
        else:
            _set(step.path, read_only=step.kind == CLOSED, may_be_gone=step.kind == OPEN)


def missing() -> str:
    """Why this machine has no mounts for a user, '' where it has: tried in a fork of a process with one thread."""
    child = os.fork()
    if child == 0:
        failed = 0
        try:
            enter(MountPlan([], "", ""))
        except OSError as error:
            failed = min(error.errno or 1, 255)
        finally:
            os._exit(failed)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == ENOSPC:  # which has nothing to do with a disk
        return "their number is limited by 'user.max_user_namespaces'"
    return os.strerror(status).lower() if status > 0 else ""


def private_devices() -> list[str]:
    """Makes shared memory and terminals of its own, as far as it can be; returns where."""
    made = []
    for kind, place, flags, options in (
        (b"tmpfs", "/dev/shm", _NO_SETUID | _NO_DEVICES, b"mode=1777"),
        (b"devpts", "/dev/pts", _NO_SETUID | _NO_PROGRAMS, b"newinstance,ptmxmode=0666,mode=620"),
    ):
        try:
            call("mount", kind, os.fsencode(place), kind, flags, options)
            made.append(place)
        except OSError:
            pass  # a machine without it: what needs it fails, as without the mount
    return made


def _at(step: MountStep, source: bytes | None, flags: int) -> None:
    """Mounts a source, or the place itself, over exactly the file of the step.

    One that is gone needs no rights, but what is forbidden may be found under another name then.
    """
    try:
        handle = os.open(step.path, _PATH)
    except FileNotFoundError:
        if step.kind == OPEN:
            return
        raise _replaced(step.path) from None
    try:
        found = os.fstat(handle)
        if (found.st_dev, found.st_ino) != step.identity or stat.S_ISDIR(found.st_mode) != step.is_directory:
            raise _replaced(step.path)
        place = b"/proc/self/fd/%d" % handle
        call("mount", source or place, place, None, _BIND | flags, None)
    finally:
        os.close(handle)


def _replaced(path: str) -> OSError:
    return OSError(ESTALE, f"'{path}' was replaced")


def _set(path: str, read_only: bool, may_be_gone: bool = False) -> None:
    """Makes the mount at a path, and all below it, read-only or writable."""
    attributes = (_READ_ONLY if read_only else _READ_ONLY << 64).to_bytes(32, "little")  # to set, to clear
    try:
        handle = os.open(path, _PATH)
    except OSError as error:
        if error.errno == ENOENT:
            if may_be_gone:
                return
            raise _replaced(path) from None
        raise
    try:
        try:
            call("mount_setattr", handle, b"", _EMPTY_PATH | _EVERY_MOUNT, attributes, len(attributes))
        except PermissionError:
            if read_only:
                raise
            # A mount further down was read-only before, and has to stay so.
            call("mount_setattr", handle, b"", _EMPTY_PATH, attributes, len(attributes))
    finally:
        os.close(handle)


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
