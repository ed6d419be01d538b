"""System calls that Python has no function for, by number; and what takes rights away from the calling thread.

Takes names of calls and plain arguments; returns what the kernel returns, or raises OSError. Numbers are known for
x86-64 and aarch64: on any other machine `is_known` is false and nothing here may be called. All that is restricted
is restricted for the calling thread and the processes it starts, for ever: the caller decides which thread that is.
"""

from __future__ import annotations

import ctypes
import os
import sys
from struct import pack

TYPE_CHECKING = False
if TYPE_CHECKING:
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
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "capset": (126, 91),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
}
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # the column above, and what audit calls it
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_CAPABILITY_VERSION = 0x20080522

_library: Any = None


_MACHINE = os.uname().machine if hasattr(os, "uname") else ""


def machine() -> str:
    return _MACHINE


def is_known() -> bool:
    """Whether system calls can be made here by number: Linux, one of the machines above, and a 64-bit Python."""
    return sys.platform == "linux" and machine() in ARCHITECTURES and sys.maxsize > 1 << 32


def number(name: str) -> int:
    return NUMBERS[name][ARCHITECTURES[machine()][0]]


def call(name: str, *arguments: int | bytes | None) -> int:
    """Makes a system call; raises OSError where it fails. Bytes are passed by their address."""
    return _made(_libc().syscall, number(name), *arguments)


def control(option: int, *arguments: int | bytes | None) -> int:
    """Makes a `prctl`; raises OSError where it fails."""
    return _made(_libc().prctl, option, *arguments, *[0] * (4 - len(arguments)))


def _libc() -> Any:
    global _library
    if _library is None:
        _library = ctypes.CDLL(None, use_errno=True)
        _library.syscall.restype = ctypes.c_long
    return _library


def _made(function: Any, *arguments: int | bytes | None) -> int:
    given = [ctypes.c_char_p(each) if isinstance(each, bytes) else ctypes.c_long(each or 0) for each in arguments]
    done: int = function(*given)
    if done < 0:
        failed = ctypes.get_errno()
        raise OSError(failed, os.strerror(failed))
    return done


# -- rights of the calling thread ----------------------------------------------------------------


def take_privileges() -> None:
    """No program that this thread starts can have more rights than it has, by a setuid bit for instance."""
    control(_NO_NEW_PRIVILEGES, 1)


def drop_capabilities() -> None:
    """Gives up what a superuser may do besides. With `take_privileges` a new program does not bring it back."""
    call("capset", pack("=II", _CAPABILITY_VERSION, 0), pack("=6I", *[0] * 6))


def filter_calls(program: bytes) -> None:
    """Installs a filter over system calls: the instructions of `seccomp.program`."""
    code = ctypes.create_string_buffer(program, len(program))
    control(_SET_SECCOMP, _FILTER, pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(code)))
