"""A long walk shared by two processes.

Takes a Walk and what to do in each directory; gives everything that was found, in no certain order. The second process
is a fork that reads, tells what it found and ends. Without a second processor, where the host has threads (a fork would
copy their locks and not them), or where forking fails, one process walks alone and finds the same.
"""

from __future__ import annotations

import marshal
import os
import sys

from patchkit.search.walk import Folder, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Found = list[tuple[object, ...]]  # plain values, which `marshal` carries from process to process
    Take = Callable[[Folder], Found]

_ENOUGH = 64  # directories to come: so many can be dealt out evenly, and are worth a fork
_KILLED = 9


def gather(walk: Walk, take: Take, shared: bool = True) -> Found:
    """Everything `take` finds in the directories of a walk, which is `shared` where it can be."""
    try:
        found: Found = []
        shared = shared and may_fork()
        for folder in walk:
            found += take(folder)
            if shared and walk.to_come >= _ENOUGH:
                return found + _in_two(walk, take)
        return found
    finally:
        walk.close()


def may_fork() -> bool:
    """Whether this process is alone with itself, and has a second processor."""
    if sys.platform != "linux":
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1 and len(os.sched_getaffinity(0)) > 1
    except OSError:
        return False


def _in_two(walk: Walk, take: Take) -> Found:
    """Walks one half here and the other in a fork; alone where there is none to be had."""
    told, tells = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(told)
        os.close(tells)
        return _walked(walk, take)
    if child == 0:
        _tell(tells, walk, take)
    os.close(tells)
    others = walk.leave_half()
    try:
        found = _walked(walk, take)
        answer = _all(told)
    except BaseException:
        os.kill(child, _KILLED)
        raise
    finally:
        os.close(told)
        _reap(child)
    try:
        more, account = marshal.loads(answer)
    except (EOFError, ValueError, TypeError):  # somebody killed it before it had told everything
        more, account = [], (0, "killed", [], others)
    walk.add(account)
    found += more
    return found


def _tell(tells: int, walk: Walk, take: Take) -> None:
    """The life of the fork: walks, tells, ends. Whatever happens, it never returns into the host's program."""
    try:
        walk.take_half()
        found = _walked(walk, take)
        data = memoryview(marshal.dumps((found, walk.account())))  # type: ignore[arg-type]
        while data:
            data = data[os.write(tells, data) :]
    finally:
        os._exit(0)


def _walked(walk: Walk, take: Take) -> Found:
    found: Found = []
    for folder in walk:
        found += take(folder)
    found.sort()  # here and there at the same time: whoever sorts all of it afterwards has only to merge
    return found


def _all(told: int) -> bytes:
    pieces = []
    while piece := os.read(told, 1 << 20):
        pieces.append(piece)
    return b"".join(pieces)


def _reap(child: int) -> None:
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        pass  # the host lets the system reap its children
