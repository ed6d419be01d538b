"""What a file has besides its content: owner, mode, extended attributes, access control lists.

`Metadata` is taken from an open file; `NewFiles` writes files that have the same. Where they stand and what becomes
of them is the transaction's work.
"""

from __future__ import annotations

import os
import stat

from patchkit.errors import PatchkitError
from patchkit.workspace.directories import Directories, Parts, close, sign

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_PIECES = 512  # in one call; the system takes 1,024
_ACCESS_LIST = "system.posix_acl_access"
# Attributes the kernel hands out itself; failing to set them again is not a loss.
_SYSTEM_OWNED = ("security.", "trusted.")
_HAS_ATTRIBUTES = hasattr(os, "listxattr")


class Metadata:
    """A file's status and extended attributes, taken while it was open."""

    __slots__ = ("status", "attributes")

    def __init__(self, opened: int) -> None:
        self.status = os.fstat(opened)
        self.attributes = [(name, os.getxattr(opened, name)) for name in _attributes(opened)]


def _attributes(opened: int) -> list[str]:
    if _HAS_ATTRIBUTES:
        try:
            return os.listxattr(opened)
        except OSError as error:
            if not _is_without(error):
                raise  # not knowing them would mean losing them
    return []


class Birth:
    """What a new file has before anything is given to it: owner, mode, perhaps a list inherited from its directory."""

    __slots__ = ("owner", "mode", "inherits")

    def __init__(self, opened: int) -> None:
        status = os.fstat(opened)
        self.owner = (status.st_uid, status.st_gid)
        self.mode = stat.S_IMODE(status.st_mode)
        self.inherits = _ACCESS_LIST in _attributes(opened)


class NewFiles:
    """Writes files of ours: the content, what they shall keep of an old file, and the wait for the disk.

    What a file is born with depends on its directory and the mode asked for, so that is asked once for each of these
    and not for each of thousands of files; what a file has become is looked at for every one.
    """

    __slots__ = ("_directories", "_sync", "_owner_may_change", "_births")

    def __init__(self, directories: Directories, sync: bool, owner_may_change: bool) -> None:
        self._directories = directories
        self._sync = sync
        self._owner_may_change = owner_may_change
        self._births: dict[tuple[Parts, int], Birth] = {}

    def write(
        self,
        directory: Parts,
        name: str,
        pieces: list[bytes],
        keeps: Metadata | None,
        path: str,
        sync: bool = True,
        mode: int = 0o666,
    ) -> str:
        """Writes a file with the metadata it shall keep, or with this mode, synced; returns its sign."""
        if keeps is not None:
            mode = self._first_mode(directory, keeps)
        sync = sync and self._sync
        opened = os.open(name, NEW, mode, dir_fd=self._directories.handle(directory))
        try:
            write_all(opened, pieces)
            if keeps is not None:
                birth = self._births.get((directory, mode))
                if birth is None:
                    birth = self._births[directory, mode] = Birth(opened)
                self._give(opened, birth, keeps, path)
            if sync:
                os.fsync(opened)
            status = os.fstat(opened)
            if keeps is not None and not self._has(status, keeps.status):  # born otherwise than the one before it
                self._give(opened, Birth(opened), keeps, path)
                if sync:
                    os.fsync(opened)
                status = os.fstat(opened)
            return sign(status)
        finally:
            close(opened)

    def _first_mode(self, directory: Parts, keeps: Metadata) -> int:
        """The mode to open a file with: the right one, or for us alone where it has yet to get its owner and list."""
        status = keeps.status
        birth = self._births.get((directory, 0o600))
        if birth is None or birth.inherits or keeps.attributes or birth.owner != (status.st_uid, status.st_gid):
            return 0o600
        return status.st_mode & 0o777

    def _has(self, status: os.stat_result, wanted: os.stat_result) -> bool:
        same_owner = status.st_uid == wanted.st_uid and status.st_gid == wanted.st_gid
        return status.st_mode == wanted.st_mode and (same_owner or self._owner_may_change)

    def _give(self, opened: int, birth: Birth, wanted: Metadata, path: str) -> None:
        """Gives an open new file the metadata of an old one; an owner that cannot be kept is refused."""
        status = wanted.status
        mode = stat.S_IMODE(status.st_mode)
        settled = birth.mode == mode
        if birth.owner != (status.st_uid, status.st_gid):
            self._give_owner(opened, status, path)
            settled = False  # a change of owner takes setuid away
        if birth.inherits and all(name != _ACCESS_LIST for name, _ in wanted.attributes):
            _drop_list(opened)
            settled = False
        if not settled:
            os.fchmod(opened, mode)
        for name, value in wanted.attributes:
            try:
                os.setxattr(opened, name, value)
            except OSError:
                if not name.startswith(_SYSTEM_OWNED):
                    raise

    def _give_owner(self, opened: int, status: os.stat_result, path: str) -> None:
        try:
            os.fchown(opened, status.st_uid, status.st_gid)
        except PermissionError:
            if not self._owner_may_change:
                raise PatchkitError("P317", file=path, owner=f"{status.st_uid}:{status.st_gid}") from None


def _drop_list(opened: int) -> None:
    """Takes off the access control list a new file got from its directory when the old one had none."""
    try:
        os.removexattr(opened, _ACCESS_LIST)
    except OSError as error:
        if not _is_without(error):
            raise


def _is_without(error: OSError) -> bool:
    """Whether the file, its file system or the kernel simply has no such attributes."""
    from errno import ENODATA, ENOSYS, ENOTSUP  # here: every import counts in a run that goes well

    return error.errno in (ENOTSUP, ENODATA, ENOSYS)


def read_all(opened: int, size: int) -> bytes:
    """Everything there is: a file may have grown since its size was asked, and one read gives 2 GB at the most."""
    data = os.read(opened, size + 1)
    if len(data) == size:
        return data  # less than was asked for is the end; and growing from here on makes it another file
    pieces, left = [data], size - len(data)
    while piece := os.read(opened, max(left, 65536)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def write_all(opened: int, pieces: list[bytes]) -> None:
    """Writes all pieces, many in one call."""
    for first in range(0, len(pieces), _MOST_PIECES):
        batch = pieces[first : first + _MOST_PIECES]
        written = os.writev(opened, batch)
        if written < sum(map(len, batch)):
            _write_rest(opened, batch, written)


def _write_rest(opened: int, batch: list[bytes], written: int) -> None:
    """Goes on after a call that took only a part."""
    pending = [memoryview(piece) for piece in reversed(batch)]
    while True:
        while pending and written >= len(pending[-1]):
            written -= len(pending.pop())
        if not pending:
            return
        if written:
            pending[-1] = pending[-1][written:]
        written = os.writev(opened, pending[::-1])
