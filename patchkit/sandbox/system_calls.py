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
from errno import EAFNOSUPPORT, ENOSYS, EPERM
from typing import Any

from patchkit.values import Record

# name: its number on x86-64, on aarch64; -1 where the machine has no such call
NUMBERS = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "ioctl": (16, 29),
    "clone": (56, 220),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
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
    # Newer calls have one number on all machines: these from so many on.
    **{
        name: (number, number)
        for first, names in (
            (
                425,
                "io_uring_setup io_uring_enter io_uring_register open_tree move_mount fsopen fsconfig fsmount fspick",
            ),
            (435, "clone3"),
            (442, "mount_setattr"),
            (444, "landlock_create_ruleset landlock_add_rule landlock_restrict_self"),
            (467, "open_tree_attr"),
        )
        for number, name in enumerate(names.split(), first)
    },
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


def take_privileges() -> None:
    """No program that this thread starts can have more rights than it has, by a setuid bit for instance."""
    call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def drop_capabilities() -> None:
    """Gives up what a superuser may do besides. With `take_privileges` a new program does not bring it back."""
    call("capset", _CAPABILITY_VERSION.to_bytes(8, "little"), bytes(24))


def filter_calls(program: bytes) -> None:
    """Installs a filter over system calls: the instructions of `filter_program`."""
    text = _Text(program)
    place = _Number.from_address(addressof(text)).value
    call("prctl", _SET_SECCOMP, _FILTER, (len(program) // 8 | place << 64).to_bytes(16, "little"), 0, 0)


# Which system calls a sandboxed process may make: a table, and the filter made of it.
#
# Takes whether there is a network and whether the process has an IPC namespace of its own; returns the instructions of
# a filter (classic BPF) for one machine. A filter sees numbers and plain arguments, no memory: what is decided by a
# path or a structure is left to Landlock. Everything that is not in the table is allowed.
_NEW_USER = 0x10000000  # CLONE_NEWUSER
_INJECT, _CONSOLE = 0x5412, 0x541C  # TIOCSTI, TIOCLINUX: put characters into a terminal
_UNIX, _STREAM, _KIND, _PACKET = 1, 1, 0xF, 5


class Refusal(Record):
    """One row: a call is refused with `error` when all conditions hold, each about one half of an argument.

    A condition is (half, mask, values, whether the masked half has to be one of the values); the low half of argument
    n is 2n, the high one 2n + 1. The kernel takes only the low half of a number that it declares as an `int`.
    """

    name: str
    error: int
    why: str
    conditions: tuple[tuple[int, int, tuple[int, ...], bool], ...] = ()
    unless: str = ""  # what makes the row unnecessary: 'network' or 'ipc'


_ALL = 0xFFFFFFFF
_OTHER_FAMILIES = ((0, _ALL, (_UNIX,), False),)
# A pair of datagram sockets can be connected again, to the path of any other program's socket.
_DATAGRAMS = ((2, _KIND, (_STREAM, _PACKET), False),)
_KERNEL = "reaches deep into the kernel, and no build or test needs it"
_MOUNTS = "would change the tree of mounts that the rules are enforced in"
_SHARED = "shared memory and queues of other programs are found by number, not by path"
REFUSALS = (
    Refusal("socket", EAFNOSUPPORT, "every connection begins with one; Landlock knows only TCP", (), "network"),
    Refusal("socketpair", EAFNOSUPPORT, "other families reach other programs", _OTHER_FAMILIES, "network"),
    Refusal("socketpair", EAFNOSUPPORT, "can be connected again", _DATAGRAMS, "network"),
    Refusal("ioctl", EPERM, "types into the terminal of a person", ((2, _ALL, (_INJECT, _CONSOLE), True),)),
    *(
        Refusal(f"io_uring_{name}", ENOSYS, "its requests pass this filter by")
        for name in ("setup", "enter", "register")
    ),
    *(Refusal(name, EPERM, "keys of other programs") for name in ("add_key", "request_key", "keyctl")),
    *(Refusal(name, EPERM, _KERNEL) for name in ("bpf", "perf_event_open", "userfaultfd", "open_by_handle_at")),
    *(
        Refusal(name, EPERM, _MOUNTS)
        for name in ("mount", "umount2", "pivot_root", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount")
    ),
    *(Refusal(name, EPERM, _MOUNTS) for name in ("fspick", "mount_setattr", "open_tree_attr", "setns")),
    Refusal("unshare", EPERM, _MOUNTS, ((0, _NEW_USER, (_NEW_USER,), True),)),
    Refusal("clone", EPERM, _MOUNTS, ((0, _NEW_USER, (_NEW_USER,), True),)),
    Refusal("clone3", ENOSYS, "its flags are in memory; the C library uses clone instead"),
    *(  # a new limit is given, which is an address, for another process
        Refusal("prlimit64", EPERM, "limits of other processes", ((0, _ALL, (0,), False), (half, _ALL, (0,), False)))
        for half in (4, 5)
    ),
    # Their numbers are small and can be guessed, so it is not enough that none is asked for by its key.
    *(Refusal(name, EPERM, _SHARED, (), "ipc") for name in ("shmget", "shmat", "shmctl", "mq_open", "mq_unlink")),
    *(Refusal(f"sem{name}", EPERM, _SHARED, (), "ipc") for name in ("get", "op", "timedop", "ctl")),
    *(Refusal(f"msg{name}", EPERM, _SHARED, (), "ipc") for name in ("get", "snd", "rcv", "ctl")),
)

_LOAD, _EQUAL, _ABOVE, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in what a filter sees; the machines are little-endian
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_X32 = 0x40000000


def filter_program(machine: str, network: bool, own_ipc: bool) -> bytes:
    """The instructions for a machine; a call of another architecture, also x32, gets EPERM."""
    column, architecture = ARCHITECTURES[machine]
    given = {"network": network, "ipc": own_ipc}
    code = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, architecture, 1, 0),
        _step(_RETURN, _ERROR | EPERM),
        _step(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        code += [_step(_ABOVE, _X32, 0, 1), _step(_RETURN, _ERROR | EPERM)]
    for row in REFUSALS:
        if not given.get(row.unless, False):
            code += _refusing(row, NUMBERS[row.name][column])
    return b"".join([*code, _step(_RETURN, _ALLOW)])


def _refusing(row: Refusal, number: int) -> list[bytes]:
    """The instructions of a row. They begin and end with the number of the call loaded."""
    end = [_step(_RETURN, _ERROR | row.error)]
    if row.conditions:
        end.append(_step(_LOAD, _NUMBER))  # reached by a jump only
    for half, mask, values, wanted in reversed(row.conditions):
        tests: list[bytes] = []
        for left in range(len(values)):  # from the last to the first
            value = values[-1 - left]
            behind = left  # tests that follow this one
            hit, miss = (behind, 0) if wanted else (behind + len(end) - 1, 0)
            if not left and wanted:
                miss = len(end) - 1
            tests.insert(0, _step(_EQUAL, value, hit, miss))
        end = [_step(_LOAD, _ARGUMENTS + 4 * half), _step(_AND, mask), *tests, *end]
    return [_step(_EQUAL, number, 0, len(end)), *end]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return (code | if_true << 16 | if_false << 24 | value << 32).to_bytes(8, "little")
