"""System calls that Python has no function for, by number; and what takes rights away from the calling thread.

Takes names of calls and plain arguments; returns what the kernel returns, or raises OSError. Numbers are known for
x86-64 and aarch64: on any other machine `is_known` is false and nothing here may be called. All that is restricted
is restricted for the calling thread and the processes it starts, for ever: the caller decides which thread that is.
Structures are numbers, written with their first field in the lowest bits: both machines are little-endian. Of `ctypes`
only the part in C is loaded, which is all that one function needs: loading the rest takes longer than the calls.
"""

from __future__ import annotations

import os
import sys
from _ctypes import (
    FUNCFLAG_CDECL,
    FUNCFLAG_USE_ERRNO,
    CFuncPtr,
    _SimpleCData,
    addressof,
    dlopen,
    dlsym,
    get_errno,
)
from typing import Any

# name: its number on x86-64, on aarch64; -1 where the machine has no such call
NUMBERS = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "ioctl": (16, 29),
    "clone": (56, 220),
    "clone3": (435, 435),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "open_by_handle_at": (304, 265),
    "prlimit64": (302, 261),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "prctl": (157, 167),
    "capset": (126, 91),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
}
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # the column above, and what audit calls it
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_CAPABILITY_VERSION = 0x20080522

_MACHINE = os.uname().machine if hasattr(os, "uname") else ""


def machine() -> str:
    return _MACHINE


def is_known() -> bool:
    """Whether system calls can be made here by number: Linux, one of the machines above, and a 64-bit Python."""
    return sys.platform == "linux" and machine() in ARCHITECTURES and sys.maxsize > 1 << 32


def number(name: str) -> int:
    return NUMBERS[name][ARCHITECTURES[machine()][0]]


class _Number(_SimpleCData):  # type: ignore[type-arg]  # not generic at run time
    _type_ = "l"


class _Text(_SimpleCData):  # type: ignore[type-arg]  # nor is this one
    _type_ = "z"


class _SystemCall(CFuncPtr):
    _flags_ = FUNCFLAG_CDECL | FUNCFLAG_USE_ERRNO
    _restype_ = _Number


_function: Any = None


def call(name: str, *arguments: int | bytes | None) -> int:
    """Makes a system call; raises OSError where it fails. Bytes are passed by their address."""
    global _function
    if _function is None:
        program = dlopen(None, os.RTLD_NOW)  # type: ignore[arg-type]  # None is this process, with its C library
        _function = _SystemCall(dlsym(program, "syscall"))
    given = [_Number(each) if isinstance(each, int) else each for each in arguments]
    done: int = _function(_Number(number(name)), *given)
    if done < 0:
        failed = get_errno()
        raise OSError(failed, os.strerror(failed))
    return done


# -- rights of the calling thread ----------------------------------------------------------------


def take_privileges() -> None:
    """No program that this thread starts can have more rights than it has, by a setuid bit for instance."""
    call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def drop_capabilities() -> None:
    """Gives up what a superuser may do besides. With `take_privileges` a new program does not bring it back."""
    call("capset", _CAPABILITY_VERSION.to_bytes(8, "little"), bytes(24))


def filter_calls(program: bytes) -> None:
    """Installs a filter over system calls: the instructions of `seccomp.program`."""
    text = _Text(program)
    place = _Number.from_address(addressof(text)).value
    call("prctl", _SET_SECCOMP, _FILTER, (len(program) // 8 | place << 64).to_bytes(16, "little"), 0, 0)
