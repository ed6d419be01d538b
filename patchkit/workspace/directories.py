"""Directory handles under one root, and the few things done through them.

Every operation names a directory by its real components from the root and a file in it by its plain name; no
path is ever handed to the kernel, so a directory swapped for a link cannot lead it astray.
"""

from __future__ import annotations

import os
import stat
from collections import deque

from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


Parts = tuple[str, ...]
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_MOST_HANDLES = 100
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
    """Open handles of the directories under `root`, as many as are worth keeping."""

    def __init__(self, root: str) -> None:
        self._handles: dict[Parts, int] = {}
        self._held: Parts = ()  # the directory whose handle is in use while another is opened
        self._folds: dict[Parts, bool] = {}  # whether names that differ only in case are one in a directory
        self._spelled: dict[str, Parts] = {}  # there: names that are missing, as they were first spelled
        self.root = root
        try:
            self._handles[()] = os.open(root, _OPEN)
        except OSError as error:
            raise PatchkitError("P312", root=root, reason=reason(error)) from None

    def close(self) -> None:
        """Gives the handles back."""
        while self._handles:
            close(self._handles.popitem()[1])

    def __del__(self) -> None:
        self.close()

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
        """The handles of two directories, both open: making room for the second never closes the first."""
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
            if self._folds.get(directory) is not False:
                true = self.true_name(directory, part, os.fstat(opened))
                if true != part:
                    close(self._handles.pop(wanted))
                    wanted = (*directory, true)
                    self.handle(wanted)
        return wanted

    def true_name(self, directory: Parts, name: str, status: os.stat_result) -> str:
        """The name under which a directory lists what was found under this one."""
        folds = self._folds.get(directory)
        if folds is None:
            folds = self._probe(directory, name, status)
        if not folds:
            return name

        return listed(self, directory, name, status)

    def _probe(self, directory: Parts, name: str, status: os.stat_result) -> bool:
        """Finds out by one look whether a directory tells cases apart."""
        other = other_case(name)
        if other == name:
            return False  # nothing to tell by
        seen = self.status(directory, other)
        folds = seen is not None and (seen.st_dev, seen.st_ino) == (status.st_dev, status.st_ino)
        if folds:
            folds = takes_for_one(self, directory, name)
        self._folds[directory] = folds
        return folds

    def first_spelling(self, directory: Parts, missing: Parts, leaf: str) -> tuple[Parts, str]:
        """A name that is not there, as it was first spelled where case makes no difference."""
        known = directory
        while known and known not in self._folds:
            known = known[:-1]
        if not self._folds.get(known):
            return missing, leaf

        return first_spelling(self._spelled, directory, missing, leaf)

    # -- what is done there ------------------------------------------------------------------------

    def status(self, directory: Parts, name: str) -> os.stat_result | None:
        """What is known of a name without opening it; None when it, or its directory, is not there."""
        try:
            return os.stat(name, dir_fd=self.handle(directory), follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self, start: list[str], most: int) -> list[str]:
        """Paths of files, spelled from `start`, as far as a bounded look finds them."""

        return names(self, start, most)

    def sign(self, directory: Parts, name: str) -> str:
        """What tells a file from another without reading it; '' for no file."""
        status = self.status(directory, name)
        return sign(status) if status is not None else ""

    def make(self, directory: Parts, below: Parts, made: list[Parts]) -> None:
        """Makes the directories `below` that are not there yet, and notes each in `made` before it is: a signal may
        come right behind the call."""
        for depth in range(1, len(below) + 1):
            wanted = (*directory, *below[:depth])
            try:
                self.handle(wanted)
            except FileNotFoundError:
                above = self.handle(wanted[:-1])
                made.append(wanted)
                try:
                    os.mkdir(wanted[-1], dir_fd=above)
                except OSError:
                    made.pop()
                    raise

    def unmake(self, directory: Parts) -> None:
        """Removes a directory this run made, unless somebody put something into it meanwhile."""
        opened = self._handles.pop(directory, None)
        if opened is not None:
            close(opened)
        self._twice(os.rmdir, directory[-1], directory[:-1])

    def remove(self, directory: Parts, name: str) -> bool:
        """Removes a file of ours if it is there; False when it could not be."""
        return self._twice(os.unlink, name, directory)

    def _twice(self, remove: Callable[..., None], name: str, directory: Parts) -> bool:
        """Tries twice: litter is worth a second call."""
        for _ in range(2):
            try:
                remove(name, dir_fd=self.handle(directory))
                return True
            except (FileNotFoundError, NotADirectoryError):
                return True
            except OSError:
                pass
        return False

    def sync_quietly(self, directory: Parts) -> None:
        try:
            os.fsync(self.handle(directory))
        except OSError:
            pass


def close(opened: int) -> None:
    """Gives a handle back. Whatever the kernel says to that, the handle is gone and nothing hangs on it."""
    try:
        os.close(opened)
    except OSError:
        pass


def other_case(name: str) -> str:
    """A name with its letters in the other case; only those that every file system knows."""
    return "".join([each.swapcase() if each.isascii() else each for each in name])


def sign(status: os.stat_result) -> str:
    """Inode, size, time of change, type and mode: equal signs mean nobody touched the file."""
    return f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_mode}"


def file_type(status: os.stat_result) -> str:
    """What kind of thing a status is of, in a word."""
    return _TYPES.get(stat.S_IFMT(status.st_mode), "special file")


def same(status: os.stat_result | None, other: os.stat_result) -> bool:
    """Whether two looks at a name saw the same file, as a sign would tell."""
    return (
        status is not None
        and status.st_ino == other.st_ino
        and status.st_size == other.st_size
        and status.st_mtime_ns == other.st_mtime_ns
        and status.st_mode == other.st_mode
    )


def reason(error: OSError) -> str:
    """The system's own words for what went wrong, in lower case like the rest of a sentence."""
    words = error.strerror or str(error)
    return words[:1].lower() + words[1:]


# -- cases: Names that differ only in case, where a directory takes them for one. A directory is known to do so
# when a name and the same name in the other case are one inode, and it lists only one of them. Then
# every spelling stands for the listed name, so that one file is never taken for two. Loaded only
# where such a directory, or a hard link that looks like it, is met.
def takes_for_one(directories: Directories, directory: Parts, name: str) -> bool:
    """Whether a name and the same in the other case, which are one inode, are also one name: else both are listed."""
    names = os.listdir(directories.handle(directory))
    return not (name in names and other_case(name) in names)


def listed(directories: Directories, directory: Parts, name: str, status: os.stat_result) -> str:
    """The name that a directory lists for an inode which was found under this one."""
    with os.scandir(directories.handle(directory)) as names:
        same = [each.name for each in names if each.inode() == status.st_ino]
    if name in same or not same:
        return name
    return next((each for each in same if each.casefold() == name.casefold()), same[0])


def first_spelling(spelled: dict[str, Parts], directory: Parts, missing: Parts, leaf: str) -> tuple[Parts, str]:
    """What a name that is not there was first called: it will be there under that."""
    name = (*directory, *missing, leaf)
    first = spelled.setdefault("/".join(name).casefold(), name)
    return first[len(directory) : -1], first[-1]


# -- nearby: The files of a workspace by name, as far as somebody who mistyped one may have meant them. Takes
# where relative paths start; gives paths spelled from there, those in the nearest directories first.
# The look is bounded: so many names are read and no more, no link is followed, and what cannot be
# listed is passed over.

_LEFT_OUT = ("node_modules", "__pycache__")  # and whatever begins with a dot: names by the thousand, and never meant


def names(directories: Directories, start: list[str], most: int) -> list[str]:
    """Returns the paths of files, spelled from `start`; `most` names are read."""
    found: list[str] = []
    waiting: deque[Parts] = deque([tuple(start), ()])
    seen: set[Parts] = set()
    while waiting and most > 0:
        directory = waiting.popleft()
        if directory in seen:
            continue
        seen.add(directory)
        spelled = _spelled(directory, start)
        for name, is_directory in _listed(directories, directory, most):
            most -= 1
            if not is_directory:
                found.append(spelled + name)
            elif not name.startswith(".") and name not in _LEFT_OUT:
                waiting.append((*directory, name))
    return found


def _listed(directories: Directories, directory: Parts, most: int) -> list[tuple[str, bool]]:
    """The regular files and the directories in a directory, in order; none where it cannot be listed."""
    listed: list[tuple[str, bool]] = []
    try:
        with os.scandir(directories.handle(directory)) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    listed.append((entry.name, True))
                elif entry.is_file(follow_symlinks=False):
                    listed.append((entry.name, False))
                if len(listed) == most:
                    break
    except OSError:
        pass  # looking for what somebody may have meant is no reason to fail
    return sorted(listed)


def _spelled(directory: Parts, start: list[str]) -> str:
    """The path to a directory from where relative paths start, ready for a name to follow."""
    common = 0
    while common < min(len(directory), len(start)) and directory[common] == start[common]:
        common += 1
    return "".join(part + "/" for part in [*[".."] * (len(start) - common), *directory[common:]])
