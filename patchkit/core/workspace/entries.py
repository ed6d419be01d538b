"""What a workspace finds at a path: an Entry that knows its location on disk.

Takes directory handles and a location; gives content and metadata, read through the handle of the directory and never
by a path. Finding the location that a path means is the work of `root`.
"""

from __future__ import annotations

import os
import stat
from errno import ENODATA, ENOSYS, ENOTSUP

from patchkit.core.changes import Entry
from patchkit.core.workspace import AT_ONCE, READING, Directories, Parts, close, file_type, sign, sync_all
from patchkit.errors import PatchkitError, reason
from patchkit.values import Value

# -- what a file has besides its content: owner, mode, extended attributes, access control lists ---
# `WorkspaceEntry` reads it from an open file; `NewFiles` writes files that have the same. Where these are, and what
# becomes of them, is the transaction's work.


NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_PIECES = 512  # in one call; the system takes 1,024
_ACCESS_LIST = "system.posix_acl_access"
# Attributes that the kernel sets itself; failing to set them again loses nothing.
_SYSTEM_OWNED = ("security.", "trusted.")
_HAS_ATTRIBUTES = hasattr(os, "listxattr")


class Metadata(Value):
    """A file's status and extended attributes."""

    __slots__ = ("status", "attributes")

    def __init__(self, status: os.stat_result, attributes: list[tuple[str, bytes]]) -> None:
        self.status = status
        self.attributes = attributes


def _attributes(opened: int) -> list[str]:
    if _HAS_ATTRIBUTES:
        try:
            return os.listxattr(opened)
        except OSError as error:
            if not _is_without(error):
                raise  # not knowing them would mean losing them
    return []


class FirstState:
    """What a new file has before anything is set: owner, mode, perhaps an access control list from its directory."""

    def __init__(self, opened: int) -> None:
        status = os.fstat(opened)
        self.owner = (status.st_uid, status.st_gid)
        self.mode = stat.S_IMODE(status.st_mode)
        self.inherits = _ACCESS_LIST in _attributes(opened)


class NewFiles:
    """Writes new files: the content, the metadata that is kept of an old file, and the sync.

    What a new file has at first depends on its directory and the mode it is opened with, so that is looked up once for
    each of these and not for each of thousands of files; what a file has at the end is checked for every one.
    """

    def __init__(self, directories: Directories, sync: bool, owner_may_change: bool) -> None:
        self._directories = directories
        self._sync = sync
        self._owner_may_change = owner_may_change
        self._first_states: dict[tuple[Parts, int], FirstState] = {}
        # What is still open, by its handle: its path, what it keeps, who may execute it, the step its sign is for.
        self._open: dict[int, tuple[str, Metadata | None, bool | None, JournalStep | None]] = {}

    def write(
        self,
        directory: Parts,
        name: str,
        pieces: list[bytes],
        keeps: Metadata | None,
        path: str,
        step: JournalStep | None = None,
        mode: int = 0o666,
        executable: bool | None = None,
    ) -> None:
        """Writes a file with the metadata to keep, or with this mode; `complete` syncs it and gives its step the sign.

        `executable` lets those execute it who may read it; False lets no user.
        """
        if keeps is not None:
            mode = self._first_mode(directory, keeps)
        opened = os.open(name, NEW, mode, dir_fd=self._directories.handle(directory))
        self._open[opened] = path, keeps, executable, step
        write_all(opened, pieces)
        if keeps is not None:
            first = self._first_states.get((directory, mode))
            if first is None:
                first = self._first_states[directory, mode] = FirstState(opened)
            self._give(opened, first, keeps, path)
        if len(self._open) == AT_ONCE:
            self.complete(self._sync)

    def complete(self, sync: bool) -> None:
        """Syncs what was written, and checks what each file has at the end."""
        path = ""
        try:
            for error in sync_all([*self._open]) if sync else ():
                raise error
            for opened, (path, keeps, executable, step) in self._open.items():
                status = os.fstat(opened)
                changed = keeps is not None and not self._has(status, keeps.status)
                if changed and keeps is not None:  # it did not begin as the one before it did
                    self._give(opened, FirstState(opened), keeps, path)
                if executable is not None:
                    bits, changed = stat.S_IMODE(os.fstat(opened).st_mode), True
                    os.fchmod(opened, bits | (bits & 0o444) >> 2 if executable else bits & ~0o111)
                if changed and sync:
                    os.fsync(opened)
                if step is not None:
                    step.new = sign(os.fstat(opened) if changed else status)
        except OSError as error:
            path = self._open[error.filename][0] if error.filename in self._open else path
            raise PatchkitError("P402", file=path, reason=reason(error)) from None
        finally:
            self.close()

    def close(self) -> None:
        """Closes what is still open."""
        while self._open:
            close(self._open.popitem()[0])

    def _first_mode(self, directory: Parts, keeps: Metadata) -> int:
        """The mode to open a file with: the final one, or for this user only until owner and list are set."""
        status = keeps.status
        first = self._first_states.get((directory, 0o600))
        if first is None or first.inherits or keeps.attributes or first.owner != (status.st_uid, status.st_gid):
            return 0o600
        return status.st_mode & 0o777

    def _has(self, status: os.stat_result, wanted: os.stat_result) -> bool:
        same_owner = status.st_uid == wanted.st_uid and status.st_gid == wanted.st_gid
        return status.st_mode == wanted.st_mode and (same_owner or self._owner_may_change)

    def _give(self, opened: int, first: FirstState, wanted: Metadata, path: str) -> None:
        """Sets the metadata of an old file on a new one; an owner that cannot be kept is refused."""
        status = wanted.status
        mode = stat.S_IMODE(status.st_mode)
        settled = first.mode == mode
        if first.owner != (status.st_uid, status.st_gid):
            self._give_owner(opened, status, path)
            settled = False  # a change of owner clears setuid
        if first.inherits and all(name != _ACCESS_LIST for name, _ in wanted.attributes):
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
    """Removes the access control list that a new file got from its directory."""
    try:
        os.removexattr(opened, _ACCESS_LIST)
    except OSError as error:
        if not _is_without(error):
            raise


def _is_without(error: OSError) -> bool:
    """Whether the file, its file system or the kernel has no such attributes at all."""
    return error.errno in (ENOTSUP, ENODATA, ENOSYS)


def read_all(opened: int, size: int) -> bytes:
    """The whole content: a file may have grown since its size was read, and one call reads 2 GB at the most."""
    data = os.read(opened, size + 1)
    if len(data) == size:
        return data  # fewer bytes than asked for are the end; a file that grows later has another sign
    pieces, left = [data], size - len(data)
    while piece := os.read(opened, max(left, 65536)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def content(directories: Directories, directory: Parts, name: str) -> bytes:
    """What a file holds, opened without following a link and without waiting for a writer."""
    opened = os.open(name, READING, dir_fd=directories.handle(directory))
    try:
        return read_all(opened, os.fstat(opened).st_size)
    finally:
        close(opened)


def write_all(opened: int, pieces: list[bytes]) -> None:
    """Writes all pieces, many in one call."""
    for first in range(0, len(pieces), _MOST_PIECES):
        batch = pieces[first : first + _MOST_PIECES]
        written = os.writev(opened, batch)
        if written < sum(map(len, batch)):
            _write_rest(opened, batch, written)


def write_record(directories: Directories, name: str, data: bytes, sync: bool = True) -> None:
    """Writes a file of ours at the root; raises OSError, and leaves nothing there then."""
    opened = os.open(name, NEW, 0o600, dir_fd=directories.handle(()))
    try:
        write_all(opened, [data])
        if sync:
            os.fsync(opened)
    except OSError:  # a full disk, for instance: half a record is of no use
        directories.remove((), name)
        raise
    finally:
        close(opened)


def write_closing(opened: int, *pieces: bytes) -> None:
    """Writes all pieces to a file of our state, and closes it; an error of closing counts, too."""
    try:
        write_all(opened, list(pieces))
    finally:
        os.close(opened)


def _write_rest(opened: int, batch: list[bytes], written: int) -> None:
    """Continues after a call that wrote only a part."""
    pending = [memoryview(piece) for piece in reversed(batch)]
    while True:
        while pending and written >= len(pending[-1]):
            written -= len(pending.pop())
        if not pending:
            return
        if written:
            pending[-1] = pending[-1][written:]
        written = os.writev(opened, pending[::-1])


class Location(Value):
    """Where an entry is: its directory, the directories that are still missing below that, its own name.

    `status` is what the file was when it was found, `metadata` what it was when it was read.
    """

    __slots__ = ("directory", "missing", "leaf", "status", "metadata")
    metadata: Metadata | None

    def __init__(self, directory: Parts, missing: Parts, leaf: str, status: os.stat_result | None) -> None:
        self.directory = directory
        self.missing = missing
        self.leaf = leaf
        self.status = status
        self.metadata = None

    @property
    def parts(self) -> Parts:
        """The components of the entry from the root; the root itself has none."""
        return self.directory if self.leaf == "." else (*self.directory, *self.missing, self.leaf)


class WorkspaceEntry(Entry):
    """An entry on disk; `path` is how it was spelled."""

    __slots__ = ("path", "_directories")
    location: Location

    def __init__(self, directories: Directories, path: str, name: str, kind: str, location: Location) -> None:
        super().__init__(name, kind)
        self.location = location
        self.path = path
        self._directories = directories

    @property
    def size(self) -> int:
        status = self.location.status
        return status.st_size if status is not None else 0

    def load(self) -> bytes:
        """The content of a regular file, opened without following a link and without waiting for a writer."""
        location = self.location
        try:
            opened = os.open(location.leaf, READING, dir_fd=self._directories.handle(location.directory))
            try:
                status = os.fstat(opened)
                if not stat.S_ISREG(status.st_mode):
                    raise PatchkitError("P306", file=self.path, type=file_type(status))
                attributes = [(name, os.getxattr(opened, name)) for name in _attributes(opened)]
                location.status, location.metadata = status, Metadata(status, attributes)
                return read_all(opened, status.st_size)
            finally:
                close(opened)
        except OSError as error:
            raise PatchkitError("P401", file=self.path, reason=reason(error)) from None


def location_of(entry: Entry) -> Location:
    """The location of an entry that a workspace has found."""
    location = entry.location
    if not isinstance(location, Location):
        raise TypeError(f"'{entry.name}' was not found in a workspace")
    return location


def metadata_of(entry: Entry) -> Metadata:
    """The metadata of a file, which comes with reading it."""
    location = location_of(entry)
    if location.metadata is None:
        _ = entry.data
    if location.metadata is None:
        raise TypeError(f"'{entry.name}' has no metadata")
    return location.metadata


class JournalStep(Value):
    """How one name gets from its old content to its new.

    `directory` holds the staged and the saved file; `missing` are the directories below it that the target still
    needs. `staged` is the name of the new content ('' when the target is deleted), `saved` that of the old: a second
    link to it, or the name it gets when the target is deleted ('' when the target is new). `old` and `new` are the
    signs of both. `in_place` means that the file is written to and not replaced: then both are copies, and `new` is
    the sign of one. A directory that a file or a link replaces is renamed to `saved`, with the files in it that the run
    deletes: their steps have no names of their own.
    """

    __slots__ = ("directory", "missing", "leaf", "staged", "saved", "old", "new", "in_place")

    def __init__(self, directory: Parts, missing: Parts, leaf: str) -> None:
        self.directory = directory
        self.missing = missing
        self.leaf = leaf
        self.staged = self.saved = self.old = self.new = ""
        self.in_place = False

    @property
    def parent(self) -> Parts:
        """The directory of the target."""
        return (*self.directory, *self.missing) if self.missing else self.directory

    @property
    def name(self) -> str:
        return "/".join((*self.parent, self.leaf))
