"""Directory handles under one root, what is read and written through them, and what a workspace finds: an Entry.

Takes a root, and for every operation a directory by its real components from there and a file in it by its plain name;
gives statuses, signs, lists of names, content and metadata. No path is ever given to the kernel, so a directory that is
swapped for a link cannot lead out of the root. Which names a path means is the work of `root`.

Some directories treat names that differ only in case as one name. A directory is known to do so when a name and the
same name in the other case are one inode, and it lists only one of them. Every spelling then means the listed name, so
that one file is never taken for two.
"""

from __future__ import annotations

import os
import stat
import time
from sys import version_info

from patchkit.core.changes import Entry
from patchkit.errors import PatchkitError, is_any, reason
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


Parts = tuple[str, ...]
INSIDE = ".patchkit"  # in the root, where there is no state directory
HISTORY, SESSIONS, OUTPUTS = "history", "tracker", "large_tool_results"  # the kinds of state, by directory
_LONGEST = 160  # bytes of a path that is used as a file name; a file name may have 255
READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # how a file is opened: no link, no waiting
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_MOST_HANDLES = 100
AT_ONCE = 32  # files that are kept open to be synced together
_TOGETHER = 8  # of them that are waited for at once: more took longer on ext4
_LONG = 0.05  # seconds of waiting that are worth threads
_MOST_PIECES = 512  # in one call; the system takes 1,024
_ACCESS_LIST = "system.posix_acl_access"
# Attributes that the kernel sets itself; failing to set them again loses nothing.
_SYSTEM_OWNED = ("security.", "trusted.")
_HAS_ATTRIBUTES = hasattr(os, "listxattr")
DIRECTORY = "directory"  # the sign of one
_TYPES = {
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "link",
    stat.S_IFREG: "file",
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}


class Directories:
    """Open handles of the directories under `root`, the most recent of them kept open."""

    def __init__(self, root: str) -> None:
        self._handles: dict[Parts, int] = {}
        self._held: Parts = ()  # the directory whose handle is in use while another is opened
        self._ignores_case: dict[Parts, bool] = {}  # whether names that differ only in case are one in a directory
        self._spelled: dict[str, Parts] = {}  # there: names that are missing, as they were first spelled
        self.modes: dict[Parts, int] = {}  # of directories that will be made again, where they are known
        self.root = root
        try:
            self._handles[()] = os.open(root, _OPEN)
        except OSError as error:
            raise PatchkitError("P312", root=root, reason=reason(error)) from None

    def close(self) -> None:
        """Closes the handles."""
        while self._handles:
            close(self._handles.popitem()[1])

    def __del__(self) -> None:
        self.close()

    def forget(self, above: Parts = ()) -> None:
        """Closes every handle but the root's, or those below one directory: it may have been moved or replaced."""
        for directory in [each for each in self._handles if each and each[: len(above)] == above]:
            close(self._handles.pop(directory))

    def is_open(self, directory: Parts) -> bool:
        return directory in self._handles

    def handle(self, directory: Parts) -> int:
        """An open handle of a directory; no link is followed on the way down."""
        found = self._handles.get(directory)
        if found is not None:
            return found
        depth = len(directory)
        while depth and directory[:depth] not in self._handles:
            depth -= 1
        above = self._handles.get(directory[:depth])
        if above is None:
            raise OSError("the workspace is closed")
        for end in range(depth + 1, len(directory) + 1):  # no recursion: a path may have two thousand components
            above = os.open(directory[end - 1], _OPEN | os.O_NOFOLLOW, dir_fd=above)
            if len(self._handles) >= _MOST_HANDLES:
                for old in [each for each in self._handles if each and each != self._held][: _MOST_HANDLES // 2]:
                    close(self._handles.pop(old))
            self._handles[directory[:end]] = above
        return above

    def pair(self, one: Parts, other: Parts) -> tuple[int, int]:
        """The handles of two directories, both open: opening the second never closes the first."""
        first, self._held = self.handle(one), one
        try:
            return first, self.handle(other)
        finally:
            self._held = ()

    # -- names as they are listed ----------------------------------------------------------------

    def enter(self, directory: Parts, part: str) -> Parts:
        """Opens a directory in another; returns its components as they are listed."""
        wanted = (*directory, part)
        if wanted not in self._handles:
            opened = self.handle(wanted)
            if self._ignores_case.get(directory) is not False:
                listed = self.listed_name(directory, part, os.fstat(opened))
                if listed != part:
                    close(self._handles.pop(wanted))
                    wanted = (*directory, listed)
                    self.handle(wanted)
        return wanted

    def listed_name(self, directory: Parts, name: str, status: os.stat_result) -> str:
        """The name under which a directory lists what was found under this one."""
        ignores_case = self._ignores_case.get(directory)
        if ignores_case is None:
            ignores_case = self._probe(directory, name, status)
        if not ignores_case:
            return name
        with os.scandir(self.handle(directory)) as names:
            same = [each.name for each in names if each.inode() == status.st_ino]
        if name in same or not same:
            return name
        return next((each for each in same if each.casefold() == name.casefold()), same[0])

    def _probe(self, directory: Parts, name: str, status: os.stat_result) -> bool:
        """Finds out by one look whether a directory ignores the case of names."""
        other = "".join([each.swapcase() if each.isascii() else each for each in name])
        if other == name:
            return False  # a name without letters decides nothing
        seen = self.status(directory, other)
        ignores_case = seen is not None and (seen.st_dev, seen.st_ino) == (status.st_dev, status.st_ino)
        if ignores_case:  # unless they are two names of one inode, which are both listed
            names = os.listdir(self.handle(directory))
            ignores_case = not (name in names and other in names)
        self._ignores_case[directory] = ignores_case
        return ignores_case

    def first_spelling(self, directory: Parts, missing: Parts, leaf: str) -> tuple[Parts, str]:
        """A name that does not exist, as it was first spelled where case makes no difference: it will exist as that."""
        known = directory
        while known and known not in self._ignores_case:
            known = known[:-1]
        if not self._ignores_case.get(known):
            return missing, leaf
        name = (*directory, *missing, leaf)
        first = self._spelled.setdefault("/".join(name).casefold(), name)
        return first[len(directory) : -1], first[-1]

    # -- operations ----------------------------------------------------------------------------------

    def status(self, directory: Parts, name: str) -> os.stat_result | None:
        """The status of a name, without opening it; None when it, or its directory, does not exist."""
        try:
            return os.stat(name, dir_fd=self.handle(directory), follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def listed(self, directory: Parts, most: int) -> list[tuple[str, bool]]:
        """So many names in a directory, in order, each with whether it is a directory; links are left out."""
        with os.scandir(self.handle(directory)) as entries:
            return sorted((each.name, each.is_dir()) for each, _ in zip(entries, range(most)) if not each.is_symlink())

    def sign(self, directory: Parts, name: str) -> str:
        """The sign of a file, by which it is known without reading it; '' when there is none."""
        status = self.status(directory, name)
        return sign(status) if status is not None else ""

    def make(self, directory: Parts, below: Parts, made: list[Parts]) -> None:
        """Makes the directories `below` that are not there yet, and notes each in `made` first: a signal may come right
        after the call."""
        for depth in range(1, len(below) + 1):
            wanted = (*directory, *below[:depth])
            try:
                self.handle(wanted)
            except FileNotFoundError:
                above = self.handle(wanted[:-1])
                made.append(wanted)
                try:
                    os.mkdir(wanted[-1], self.modes.get(wanted, 0o777), dir_fd=above)
                except OSError:
                    made.pop()
                    raise
                if wanted in self.modes:  # which the umask has narrowed
                    os.fchmod(self.handle(wanted), self.modes[wanted])

    def change(self, wanted: Iterable[Parts], unwanted: Iterable[Parts]) -> None:
        """Makes directories that may be empty, and removes those that are, the innermost first."""
        try:
            for each in wanted:
                self.make((), each, [])
        except OSError:
            pass  # the files are changed: what has the name of a directory now stays
        for each in reversed([*unwanted]):
            self.unmake(each)

    def make_again(self, directory: Parts) -> None:
        """Makes a directory that a command removed; what has the name of one of them now is set aside."""
        for depth in range(1, len(directory) + 1):
            above, name = directory[: depth - 1], directory[depth - 1]
            found = self.status(above, name)
            if found is None or not stat.S_ISDIR(found.st_mode):
                self.set_aside(above, name)
                os.mkdir(name, dir_fd=self.handle(above))

    def set_aside(self, directory: Parts, name: str) -> None:
        """Gives what a command left at a name another one, if there is anything."""
        free, number = f"{name}.aside", 1
        while self.status(directory, free) is not None:
            free, number = f"{name}.aside{number}", number + 1
        if self.status(directory, name) is not None:
            above = self.handle(directory)
            os.rename(name, free, src_dir_fd=above, dst_dir_fd=above)

    def below(self, directory: Parts) -> list[tuple[Parts, bool]]:
        """Everything below a directory, the outermost first, each with whether it is a directory itself."""
        found: list[tuple[Parts, bool]] = []
        waiting = [directory]
        for each in waiting:  # which grows meanwhile
            with os.scandir(self.handle(each)) as entries:
                listed = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
            found += [((*each, name), is_directory) for name, is_directory in listed]
            waiting += [(*each, name) for name, is_directory in listed if is_directory]
        return found

    def unmake_all(self, directory: Parts) -> None:
        """Removes a directory and those in it, unless one of them holds a file."""
        for _ in range(2):  # as in `_twice`
            try:
                for parts, _ in reversed([each for each in self.below(directory) if each[1]]):
                    self.unmake(parts)
                break
            except OSError:
                pass
        self.unmake(directory)

    def unmake(self, directory: Parts) -> None:
        """Removes a directory that this run made, unless it is no longer empty."""
        opened = self._handles.pop(directory, None)
        if opened is not None:
            close(opened)
        self._twice(os.rmdir, directory[-1], directory[:-1])

    def remove(self, directory: Parts, name: str) -> bool:
        """Removes a file of ours if it exists; False when that failed."""
        return self._twice(os.unlink, name, directory)

    def _twice(self, remove: Callable[..., None], name: str, directory: Parts) -> bool:
        """Tries twice: a file left behind is worse than a second call."""
        for _ in range(2):
            try:
                remove(name, dir_fd=self.handle(directory))
                return True
            except (FileNotFoundError, NotADirectoryError):
                return True
            except OSError:
                pass
        return False

    def sync(self, directories: set[Parts], quietly: bool = False) -> None:
        """Waits until the disk has the names in directories; `quietly` where nothing can be done about an error."""
        ordered = sorted(directories)  # the handle of the directory above is open then
        for first in range(0, len(ordered), AT_ONCE):
            opened: list[int] = []  # of their own: opening the next directory may close the handle of another
            errors: list[OSError] = []
            for each in ordered[first : first + AT_ONCE]:
                try:
                    opened.append(os.dup(self.handle(each)))
                except OSError as error:
                    errors.append(error)
            errors += sync_all(opened)
            for handle in opened:
                close(handle)
            if errors and not quietly:
                raise errors[0]


def close(opened: int) -> None:
    """Closes a handle. It is closed even where the kernel reports an error, and no data depends on it."""
    try:
        os.close(opened)
    except OSError:
        pass


def sync_all(opened: list[int]) -> list[OSError]:
    """Waits until the disk has what was written to these handles; gives the errors, each with its handle as `filename`.

    Where the first one takes long, the others wait together: a disk ends several syncs in little more time than one.
    """
    begun = time.perf_counter()
    errors, rest = _not_synced(opened[:1]), opened[1:]
    if (time.perf_counter() - begun) * len(rest) > _LONG:
        try:
            from concurrent.futures import ThreadPoolExecutor  # takes 10 ms

            with ThreadPoolExecutor(_TOGETHER) as pool:
                found = [*pool.map(_not_synced, [[each] for each in rest])]
            return errors + [error for each in found for error in each]
        except (ImportError, OSError, RuntimeError):
            pass  # nothing can be loaded now, or no thread is to be had
    return errors + _not_synced(rest)


def _not_synced(opened: list[int]) -> list[OSError]:
    errors = []
    for each in opened:
        try:
            os.fsync(each)
        except OSError as error:
            error.filename = each
            errors.append(error)
    return errors


def sign(status: os.stat_result) -> str:
    """Inode, size, time of change, type and mode: equal signs mean that the file was not touched.

    All directories have one sign: what is in them counts.
    """
    if stat.S_ISDIR(status.st_mode):
        return DIRECTORY
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_mode}"


def file_type(status: os.stat_result) -> str:
    """The type of file that a status describes, as a word."""
    return _TYPES.get(stat.S_IFMT(status.st_mode), "special file")


def same(status: os.stat_result | None, other: os.stat_result) -> bool:
    """Whether two statuses of a name are of the same, untouched file: the comparison of their signs."""
    return (
        status is not None
        and status.st_ino == other.st_ino
        and status.st_size == other.st_size
        and status.st_mtime_ns == other.st_mtime_ns
        and status.st_mode == other.st_mode
    )


# -- what a file has besides its content: owner, mode, extended attributes, access control lists ---
# `WorkspaceEntry` reads it from an open file; `NewFiles` writes files that have the same. Where these are, and what
# becomes of them, is the transaction's work.


class Metadata(Value):
    """A file's status and extended attributes."""

    __slots__ = ("status", "attributes")

    def __init__(self, status: os.stat_result, attributes: list[tuple[str, bytes]]) -> None:
        self.status = status
        self.attributes = attributes


def _metadata(opened: int) -> Metadata:
    names = []
    if _HAS_ATTRIBUTES:
        try:
            names = os.listxattr(opened)
        except OSError as error:
            if not _is_without(error):
                raise  # not knowing them would mean losing them
    return Metadata(os.fstat(opened), [(name, os.getxattr(opened, name)) for name in names] if names else [])


class NewFiles:
    """Writes new files: the content, the metadata that is kept of an old file, and the sync.

    What a new file has at first (an owner, a mode, perhaps an access control list from its directory) depends on its
    directory and the mode it is opened with, so that is looked up once for each of these and not for each of thousands
    of files; what a file has at the end is checked for every one.
    """

    def __init__(self, directories: Directories, sync: bool, owner_may_change: bool) -> None:
        self._directories = directories
        self._sync = sync
        self._owner_may_change = owner_may_change
        self._first_states: dict[tuple[Parts, int], Metadata] = {}
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
                first = self._first_states[directory, mode] = _metadata(opened)
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
                    self._give(opened, _metadata(opened), keeps, path)
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
        if first is None or first.attributes or keeps.attributes or not _same_owner(first.status, status):
            return 0o600
        return status.st_mode & 0o777

    def _has(self, status: os.stat_result, wanted: os.stat_result) -> bool:
        return status.st_mode == wanted.st_mode and (_same_owner(status, wanted) or self._owner_may_change)

    def _give(self, opened: int, first: Metadata, wanted: Metadata, path: str) -> None:
        """Sets the metadata of an old file on a new one; an owner that cannot be kept is refused."""
        status = wanted.status
        settled = first.status.st_mode == status.st_mode
        if not _same_owner(first.status, status):
            self._give_owner(opened, status, path)
            settled = False  # a change of owner clears setuid
        if first.attributes and _ACCESS_LIST in dict(first.attributes).keys() - dict(wanted.attributes).keys():
            _drop_list(opened)
            settled = False
        if not settled:
            os.fchmod(opened, stat.S_IMODE(status.st_mode))
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


def _same_owner(status: os.stat_result, other: os.stat_result) -> bool:
    return status.st_uid == other.st_uid and status.st_gid == other.st_gid


def _drop_list(opened: int) -> None:
    """Removes the access control list that a new file got from its directory."""
    try:
        os.removexattr(opened, _ACCESS_LIST)
    except OSError as error:
        if not _is_without(error):
            raise


def _is_without(error: OSError) -> bool:
    """Whether the file, its file system or the kernel has no such attributes at all."""
    return is_any(error, "ENOTSUP", "ENODATA", "ENOSYS")


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
                metadata = _metadata(opened)
                status = metadata.status
                if not stat.S_ISREG(status.st_mode):
                    raise PatchkitError("P306", file=self.path, type=file_type(status))
                location.status, location.metadata = status, metadata
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


# -- where patchkit keeps what it remembers about a root: outside of it, in the user's state directory ---------------
#
# Every root has a directory of its own there, with one below it for each kind of state: the history of runs, the files
# that sessions have seen, large outputs. Directories are made when there is something to keep, and only this user may
# read them. What is written there, and for how long it is kept, is decided by the module of each kind. Where there is
# no state directory, what has to be remembered is kept in `.patchkit` in the root.


if TYPE_CHECKING:
    from hashlib import sha256 as sha256
else:

    def sha256(data=b""):
        """A hash, begun with some bytes. Its module is loaded here: a plain run makes none."""
        if version_info >= (3, 12):  # `hashlib` loads OpenSSL: that takes as long as a small read
            from _sha2 import sha256 as begun
        else:
            from _sha256 import sha256 as begun
        return begun(data)


def state_directory(root: str) -> str | None:
    """The directory for what is kept about `root`; None where there is none.

    There is none either where it would be inside the root, or inside version control, whose tools may follow it.
    """
    base = os.environ.get("XDG_STATE_HOME") or ""
    if not base.startswith("/"):  # the standard says to ignore a relative one
        user = os.path.expanduser("~")
        if not user.startswith("/"):
            return None
        base = f"{user}/.local/state"
    if f"{base}/".startswith(root if root == "/" else f"{root}/"):
        return None
    if "/.git/" in f"{base}/" or "/.hg/" in f"{base}/" or "/.svn/" in f"{base}/":
        return None
    return f"{base}/patchkit/{root_id(root)}"


def root_id(root: str) -> str:
    """A path as one file name: '/work/my-app' is '+work+my-app'. Two paths never have the same one.

    A path that is too long for a file name is a hash, followed by the end of the path for people.
    """
    name = root.replace("=", "==").replace("+", "=+").replace("/", "+")
    if len(os.fsencode(name)) <= _LONGEST:
        return name
    end = os.fsencode(root)[-60:].decode("utf-8", "ignore").replace("/", "+")
    return f"{sha256(os.fsencode(root)).hexdigest()[:32]}={end}"


def make(directory: str) -> None:
    """Makes a directory of ours and those above it, for this user only."""
    if not os.path.isdir(directory):
        make(os.path.dirname(directory))
        try:
            os.mkdir(directory, 0o700)
        except FileExistsError:
            pass  # another run made it meanwhile


def open_kept(path: str, flags: int = os.O_RDONLY) -> int:
    """Opens a file of ours; raises OSError, also where something else has its name: a FIFO would wait for ever."""
    opened = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    if os.fstat(opened).st_mode & 0o170000 != 0o100000:
        os.close(opened)
        raise OSError(0, "it is not a regular file")
    return opened
