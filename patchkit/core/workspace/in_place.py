"""Write a file in place, so that all its hard links show the new content (`--keep-links`).

Takes steps that are marked `in_place`. Writing takes more than one moment, so both contents are staged as copies before
the commit record, and a file that a kill or a power cut left half written is recognised by its content: each block of
it is new up to some byte and old from there on, as blocks reach the disk in any order. Recovery can then finish it or
restore the old content. Content that is neither belongs to another program and stays.
"""

from __future__ import annotations

import os

from patchkit.core.changes import FileChange
from patchkit.core.workspace import Directories, JournalStep, NewFiles, close, content, sign, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_CAPABILITIES = "security.capability"
_BLOCK = 512  # bytes that a disk writes at once; every page of a file begins at a multiple of it
_WRITING = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def stage(new_files: NewFiles, directories: Directories, step: JournalStep, change: FileChange) -> None:
    """Writes copies of both contents that only this user may read, and checks that the file may be written to."""
    new_files.write(step.directory, step.saved, [change.before.data], None, change.path, mode=0o600)
    new_files.write(step.directory, step.staged, list(change.after or ()), None, change.path, step, mode=0o600)
    close(os.open(step.leaf, _WRITING, dir_fd=directories.handle(step.directory)))


def switch(directories: Directories, step: JournalStep, sync: bool = True) -> None:
    """Writes the new content into the file; it must hold the old, or what an earlier attempt left of that."""
    unchanged = directories.sign(step.directory, step.leaf) == step.old
    if not unchanged and state(directories, step) == "foreign":
        raise FileExistsError("the file was replaced")
    step.new = _fill(directories, step, content(directories, step.directory, step.staged), sync)


def put_back(directories: Directories, step: JournalStep) -> None:
    """Writes the old content into the file again, if it holds anything of the new."""
    if state(directories, step) in ("new", "torn"):
        _fill(directories, step, content(directories, step.directory, step.saved))


def state(directories: Directories, step: JournalStep) -> str:
    """What the file holds: 'old', 'new', a part of both ('torn'), or something 'foreign'."""
    now = directories.sign(step.directory, step.leaf)
    if now.split(" ")[0] != step.old.split(" ")[0]:  # another inode
        return "foreign"
    here = content(directories, step.directory, step.leaf)
    try:
        new = content(directories, step.directory, step.staged)
        if here == new:
            return "new"
        old = content(directories, step.directory, step.saved)
    except FileNotFoundError:
        return "old" if now == step.old else "foreign"
    if here == old:  # only the content decides: after a power cut a file may have new content and its old time
        return "old"
    return "torn" if _is_mixed(here, old, new) else "foreign"


def _is_mixed(here: bytes, old: bytes, new: bytes) -> bool:
    """Whether every block is new up to some byte and old after it, each with zeros after its end."""
    if not min(len(old), len(new)) <= len(here) <= max(len(old), len(new)):
        return False
    before, after = old.ljust(len(here), b"\0"), new.ljust(len(here), b"\0")
    for at in range(0, len(here), _BLOCK):
        block = here[at : at + _BLOCK]
        written = agreement(block, after[at : at + len(block)])
        if block[written:] != before[at + written : at + len(block)]:
            return False
    return True


def _fill(directories: Directories, step: JournalStep, data: bytes, sync: bool = True) -> str:
    """Makes this the content of the file; returns the sign it has then."""
    opened = os.open(step.leaf, _WRITING, dir_fd=directories.handle(step.directory))
    try:
        if str(os.fstat(opened).st_ino) != step.old.split(" ")[0]:
            raise FileExistsError("the file was replaced")
        capabilities = _capabilities(opened)
        write_all(opened, [data])
        os.ftruncate(opened, len(data))
        mode = int(step.old.split(" ")[3])
        if os.fstat(opened).st_mode != mode:
            os.fchmod(opened, mode & 0o7777)  # writing clears setuid, and capabilities too
        if capabilities:
            os.setxattr(opened, _CAPABILITIES, capabilities)
        if sync:
            os.fsync(opened)
        return sign(os.fstat(opened))
    finally:
        close(opened)


def _capabilities(opened: int) -> bytes:
    try:
        return os.getxattr(opened, _CAPABILITIES)
    except (OSError, AttributeError):
        return b""


def agreement(one: bytes, other: bytes) -> int:
    """How many bytes two contents have in common at their beginnings."""
    return longest(min(len(one), len(other)), lambda a, b: one[a:b] == other[a:b])


def longest(most: int, agree: Callable[[int, int], bool]) -> int:
    """How far two contents agree, found by halving: each byte is compared about once."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        if agree(low, middle):
            low = middle
        else:
            high = middle
    return low
