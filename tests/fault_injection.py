"""Faults on demand: a run in a forked child whose every file call is counted, and one of them struck.

Takes a piece of work and a Fault; gives what became of the run. The child is a real process on a real tree: what a
kill leaves behind is what the kernel leaves behind. Nothing here judges; the tests do.

Work that can be sent to another process is forked by a small one: to fork the process of the tests, which holds all of
them, takes five times as long.
"""

from __future__ import annotations

import builtins
import ctypes
import errno
import fcntl
import gc
import json
import os
import pickle
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from child_processes import HANG
from forked_commands import FORKS

_REAL = {name: getattr(os, name) for name in dir(os)}
_STREAMS = (1, 2)  # what a command prints is not a file call
_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "struck_run.py")
_LIBC = ctypes.CDLL(None, use_errno=True)
CAN_EXCHANGE = hasattr(_LIBC, "renameat2")

# Every function of `os` that touches files, with the ways in which it may fail. What a platform lacks is left out.
_LOOK = (errno.EIO, errno.EACCES)
_GROW = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EDQUOT)
_GIVE = (errno.EIO, errno.EPERM)
CAUSES = {
    **dict.fromkeys(["stat", "lstat", "fstat", "readlink", "listxattr", "getxattr", "scandir", "listdir"], _LOOK),
    **dict.fromkeys(["link", "rename", "replace", "mkdir", "symlink", "setxattr"], _GROW),
    **dict.fromkeys(["unlink", "remove", "rmdir", "removexattr"], _LOOK),
    **dict.fromkeys(["write", "writev", "pwrite", "ftruncate", "truncate", "sendfile", "copy_file_range"], _GROW),
    **dict.fromkeys(["fsync", "fdatasync"], (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EINTR)),
    **dict.fromkeys(["fchmod", "chmod", "fchown", "chown", "lchown", "utime"], _GIVE),
    **dict.fromkeys(["read", "pread", "close"], (errno.EIO, errno.EINTR)),
    "open": (errno.EIO, errno.EACCES, errno.EMFILE, errno.EINTR),
    "creating open": (*_GROW, errno.EMFILE, errno.EINTR),
    "flock": (errno.EIO, errno.ENOLCK),
    "getcwd": (errno.ENOENT, errno.EACCES),
}
CHANGING = {
    *["creating open", "write", "writev", "pwrite", "ftruncate", "truncate", "link", "symlink", "rename", "replace"],
    *["unlink", "remove", "mkdir", "rmdir", "fchmod", "fchown", "setxattr", "removexattr", "utime"],
}
GROWING = {"creating open", "write", "writev", "pwrite", "link", "symlink", "mkdir", "setxattr"}


class Fault(NamedTuple):
    """What happens at the file call number `at`: SIGKILL, another signal, an errno, something else entirely.

    An errno may stay; a signal may come right behind the call. `only` counts and strikes calls of these names alone.
    `again` is a second fault, counted from the first on.
    """

    at: int
    kill: bool = False
    signal: int = 0
    code: int = 0
    stays: bool = False
    action: Callable[[], None] | None = None
    only: frozenset[str] | set[str] | None = None
    again: Any = None
    behind: bool = False


class Run(NamedTuple):
    """What became of a run: exit status (a signal's number below zero), words, the call that was struck, all calls."""

    status: int
    words: str
    struck: str
    calls: list[str]


class Faults:
    """The file calls of this process, counted; in force once `install` was called."""

    def __init__(self, fault: Fault | None, tell: Callable[[str], None]) -> None:
        self.fault = fault
        self.calls: list[str] = []
        self._counted = 0
        self._tell = tell
        self._coming = 0  # a signal that comes once the call is done

    def install(self) -> None:
        for name in CAUSES:
            if name in _REAL:
                setattr(os, name, self._wrapped(name, _REAL[name]))
        fcntl.flock = self._wrapped("flock", fcntl.flock)
        builtins.open = self._wrapped("open", builtins.open)

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            if name == "write" and given[0] in _STREAMS:
                return real(*given, **named)
            code = self.strike(_kind(name, given))
            if code and name == "close":
                real(*given, **named)  # a close that fails has closed all the same
            if code:
                raise OSError(code, os.strerror(code))
            result = real(*given, **named)
            if self._coming:
                number, self._coming = self._coming, 0
                os.kill(os.getpid(), number)  # whose handler raises: the result of the call is lost
            return result

        return call

    def strike(self, kind: str) -> int:
        """Counts a call and does what the fault says; returns the errno it shall fail with, 0 for none."""
        self.calls.append(kind)
        fault = self.fault
        if fault is None or (fault.only is not None and kind not in fault.only):
            return 0
        self._counted += 1
        if self._counted < fault.at or (self._counted > fault.at and not fault.stays):
            return 0
        if self._counted == fault.at:
            self._tell(f"{len(self.calls)} {kind}")
        if fault.again is not None:
            self.fault, self._counted = fault.again, 0
        if fault.action is not None:
            fault.action()
        if fault.kill:
            os.kill(os.getpid(), signal.SIGKILL)
        if fault.behind:
            self._coming = fault.signal
        elif fault.signal:
            os.kill(os.getpid(), fault.signal)  # whose handler may raise
        return fault.code


def _kind(name: str, given: tuple[Any, ...]) -> str:
    if name == "open" and len(given) > 1 and isinstance(given[1], int) and given[1] & os.O_CREAT:
        return "creating open"
    return name


def attempt(work: Callable[[], tuple[int, str]], fault: Fault | None = None, here: bool = False) -> Run:
    """Runs `work` in a child with the fault; `work` gives an exit status and what there is to say.

    With `here` it is a child of this process, with all that a test has replaced in it.
    """
    try:
        sent = b"" if here else pickle.dumps((work, fault, _umask()))
    except (AttributeError, TypeError, pickle.PicklingError):  # a function of a test
        sent = b""
    if not sent:
        status, report = _forked_here(work, fault)
    else:
        status, report, _ = FORKS.run([_SCRIPT], os.getcwd(), dict(os.environ), sent)
    lines = [json.loads(line) for line in report.splitlines()]
    struck = next((line["struck"] for line in lines if "struck" in line), "")
    end = next((line for line in lines if "words" in line), {"words": "", "calls": []})
    if status == -signal.SIGALRM:
        raise TimeoutError(f"hung after {struck or 'no fault'}")
    return Run(status, end["words"], struck, end["calls"])


def _forked_here(work: Callable[[], tuple[int, str]], fault: Fault | None) -> tuple[int, bytes]:
    receive, send = os.pipe()
    child = _fork()
    if child == 0:
        os.close(receive)
        _be_the_child(work, fault, send)
    os.close(send)
    with open(receive, "rb") as file:
        report = file.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), report


def be_the_child_of_a_small_process() -> None:
    """Does the work that standard input names, and reports on standard output."""
    work, fault, umask = pickle.loads(sys.stdin.buffer.read())
    os.umask(umask)
    send = os.dup(1)
    os.dup2(2, 1)
    _be_the_child(work, fault, send)


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


@contextmanager
def stopped(work: Callable[[], tuple[int, str]], fault: Fault) -> Iterator[list[int]]:
    """A run that is stopped before the call of the fault, for as long as the block lasts; then it goes on.

    The list it gives holds the run's exit status once the block is left.
    """
    statuses: list[int] = []
    child = _fork()
    if child == 0:
        _be_the_child(work, fault._replace(signal=signal.SIGSTOP), os.open(os.devnull, os.O_WRONLY))
    try:
        _, status = os.waitpid(child, os.WUNTRACED)
        assert os.WIFSTOPPED(status), f"it ended with {os.waitstatus_to_exitcode(status)} before it came so far"
        yield statuses
    finally:
        os.kill(child, signal.SIGCONT)
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def as_nobody(work: Callable[[], tuple[int, str]]) -> Callable[[], tuple[int, str]]:
    """The work done by a user who owns nothing and may do nothing special; needs root."""
    return partial(_as_nobody, work)


def _as_nobody(work: Callable[[], tuple[int, str]]) -> tuple[int, str]:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    return work()


def exchange(one: str, other: str) -> None:
    """Swaps two names in one step: there is no moment at which either is missing."""
    if _LIBC.renameat2(-100, os.fsencode(one), -100, os.fsencode(other), 2) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), one)


def exchange_if_there(one: str, other: str) -> None:
    """The same, unless the first name is gone."""
    if os.path.lexists(one):
        exchange(one, other)


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads; the child uses none of them
        return os.fork()


def _be_the_child(work: Callable[[], tuple[int, str]], fault: Fault | None, send: int) -> None:
    status = 99
    gc.disable()  # as in the command; and a collection would copy every page that is shared with the parent
    try:
        for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.alarm(HANG)

        def tell(**facts: object) -> None:
            _REAL["write"](send, json.dumps(facts).encode() + b"\n")

        faults = Faults(fault, lambda struck: tell(struck=struck))
        faults.install()
        try:
            status, words = work()
        except BaseException:
            status, words = 98, traceback.format_exc()
        faults.fault = None
        tell(words=words, calls=faults.calls)
    finally:
        os._exit(status)


def every(make: Callable[[int], Fault], work: Callable[[Fault], Any], limit: int = 2000) -> list[Any]:
    """Calls `work` with the fault at 1, 2, 3, … until it returns None: the run ended before the fault came."""
    found = []
    for at in range(1, limit):
        result = work(make(at))
        if result is None:
            return found
        found.append(result)
    raise AssertionError(f"the run did not end within {limit} calls")


# -- two ways to apply ---------------------------------------------------------------------------


def through_library(root: str, patch: str | bytes, **options: Any) -> Callable[[], tuple[int, str]]:
    """patchkit.apply as work, with history: 0 and the codes of the notes, or the command's status and the refusal."""
    return partial(_apply, patch, root, **{"history": True, **options})


def _apply(patch: str | bytes, root: str, **options: Any) -> tuple[int, str]:
    import patchkit

    try:
        done = patchkit.apply(patch, root, **options)
    except patchkit.PatchkitError as error:
        return (5 if error.code == "P404" else 1), str(error)
    return 0, " ".join(note.code for note in done.notes)


def through_command(root: str, patch: str, *words: str, by_name: bool = False) -> Callable[[], tuple[int, str]]:
    """The command's `run` as work: its exit status and what it wrote to both streams; `patch` may name its file."""
    return partial(_run, ["--root", root, *words, patch], by_name)


def _run(words: list[str], by_name: bool) -> tuple[int, str]:
    from patchkit.cli.apply_patch import run

    hear, speak = os.pipe()
    for stream in _STREAMS:
        os.dup2(speak, stream)
    status = run(words, by_name=by_name)
    for stream in (speak, *_STREAMS):
        _REAL["close"](stream)
    return status, _REAL["read"](hear, 1 << 16).decode("utf-8", "surrogateescape")


def import_everything(root: str) -> None:
    """A run with a recovery and a refusal, in an empty directory: what is forked now finds every module loaded."""
    import patchkit
    from patchkit import writer  # noqa: F401
    from patchkit.cli import apply_patch, refusals  # noqa: F401
    from patchkit.core.matching import indentation  # noqa: F401
    from patchkit.repair import corrections, suggestion  # noqa: F401
    from patchkit.report import diagnostics  # noqa: F401

    with open(f"{root}/.patchkit-journal", "wb") as file:
        file.write(b"patchkit journal 1\0intent\0")
    patchkit.apply("*** Begin Patch\n*** Add File: a\n+a\n*** End Patch\n", root)
    try:
        patchkit.apply("*** Begin Patch\n*** Delete File: b\n*** End Patch\n", root)
    except patchkit.PatchkitError as refusal:
        str(refusal)  # which loads its words


# -- a pause in the installed command -------------------------------------------------------------

PAUSE = "PATCHKIT_TESTS_PAUSE"  # "<call number> <fd to announce it on> <fd to wait for>"


def pause_as_the_environment_says() -> None:
    """Makes the Nth file call of patchkit say that it has come, and wait until the other end is closed."""
    at, announce, wait = map(int, os.environ[PAUSE].split())
    counted = 0

    def wrapped(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            nonlocal counted
            if (
                sys._getframe(1)
                .f_globals.get("__name__", "")
                .startswith(("patchkit.core.workspace", "patchkit.history"))
            ):
                counted += 1
                if counted == at:
                    _REAL["write"](announce, _kind(name, given).encode())
                    _REAL["read"](wait, 1)
            return real(*given, **named)

        return call

    for name in CAUSES:
        if name in _REAL:
            setattr(os, name, wrapped(name, _REAL[name]))
