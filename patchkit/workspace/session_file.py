"""The file of one session of a workspace: lines that several processes append at once.

Takes a Workspace and a name; gives what was written, and appends to it. The file is in the state directory, or in
`<root>/.patchkit` where there is none. Lines are only appended, each time in one write, so that processes need not
wait for each other; a process that finds the file too large rewrites it under a lock. Nothing is synced, and nothing
here raises: state that is broken or cannot be written is not a failure of the work it is about. What the lines mean is
left to `sessions`.
"""

from __future__ import annotations

import fcntl
import os
import time

from patchkit.values import Value
from patchkit.workspace.directories import close, reason
from patchkit.workspace.state import INSIDE, SESSIONS, make, make_inside, state_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.workspace.root import Workspace

_LARGEST = 1 << 20  # bytes of a file before it is rewritten
_OLDEST = 30 * 86400  # seconds after which the file of a session is removed
_TRIES, _PAUSE = 50, 0.01  # for the lock, which is held for an instant
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPENDING = os.O_RDWR | os.O_APPEND | os.O_CREAT | _FILE


class SessionDirectory(Value):
    """A directory for session files: its path for people, and how it is opened and made."""

    __slots__ = ("path", "opened", "make")
    path: str
    opened: Callable[[], int]
    make: Callable[[], None]

    def __init__(self, path: str, opened: Callable[[], int], make: Callable[[], None]) -> None:
        self.path = path
        self.opened = opened
        self.make = make


def session_directories(files: Workspace) -> list[SessionDirectory]:
    """Where session files of a workspace may be, the usual directory first."""
    found = []
    above = state_directory(files.real)
    if above is not None:
        path = f"{above}/{SESSIONS}"
        found.append(SessionDirectory(path, lambda: os.open(path, _OPEN), lambda: make(path)))
    # Inside the root only by directory handles: a link of that name, which may come with a tree, is not followed.
    found.append(
        SessionDirectory(
            f"{files.real.rstrip('/')}/{INSIDE}/{SESSIONS}",
            lambda: os.dup(files.directories.handle((INSIDE, SESSIONS))),
            lambda: make_inside(files.directories, SESSIONS),
        )
    )
    return found


class SessionFile:
    """The file of one session, in one directory or the other."""

    def __init__(self, files: Workspace, name: str) -> None:
        self.name = name
        self._directories = session_directories(files)

    @property
    def path(self) -> str | None:
        """The path of the file; None while there is none."""
        return next((f"{each.path}/{self.name}" for each in self._directories if self._content(each)), None)

    def contents(self) -> list[bytes]:
        """What is written in each directory."""
        return [self._content(each) for each in self._directories]

    def append(self, lines: list[bytes], keeps: Callable[[bytes], bytes]) -> str:
        """Appends lines; returns why that failed, else ''. `keeps` selects what remains when the file is too large."""
        why = ""
        for where in self._directories:
            try:
                self._append(
                    where, b"\n" + b"\n".join(lines) + b"\n", keeps
                )  # the first ending closes a line that was cut short
            except OSError as error:
                why = reason(error)
            else:
                return ""
        return why

    def remove(self) -> None:
        for where in self._directories:
            try:
                directory = where.opened()
                try:
                    os.unlink(self.name, dir_fd=directory)
                finally:
                    close(directory)
            except OSError:
                pass

    # -- one directory ---------------------------------------------------------------------------

    def _content(self, where: SessionDirectory) -> bytes:
        try:
            directory = where.opened()
            try:
                opened = os.open(self.name, os.O_RDONLY | _FILE, dir_fd=directory)
            finally:
                close(directory)
            try:
                return _all(opened)
            finally:
                close(opened)
        except OSError:
            return b""

    def _append(self, where: SessionDirectory, data: bytes, keeps: Callable[[bytes], bytes]) -> None:
        try:
            directory = where.opened()
        except FileNotFoundError:
            try:
                where.make()
            except FileExistsError:
                time.sleep(_PAUSE)  # another process makes it at this moment
            directory = where.opened()
        try:
            while not self._append_in(directory, data, keeps):
                pass
        finally:
            close(directory)

    def _append_in(self, directory: int, data: bytes, keeps: Callable[[bytes], bytes]) -> bool:
        """Appends to the file; False when it was rewritten at that moment, and another file has its name."""
        opened = os.open(self.name, _APPENDING, 0o600, dir_fd=directory)
        try:
            if _locked(opened) and not self._is(opened, directory):
                return False
            if os.fstat(opened).st_size == 0:
                _prune(directory)
            os.write(opened, data)
            if os.fstat(opened).st_size > _LARGEST:
                self._rewrite(directory, keeps(_all(opened)))
            return True
        finally:
            close(opened)

    def _is(self, opened: int, directory: int) -> bool:
        mine = os.fstat(opened)
        try:
            return os.path.samestat(mine, os.stat(self.name, dir_fd=directory, follow_symlinks=False))
        except FileNotFoundError:
            return False

    def _rewrite(self, directory: int, data: bytes) -> None:
        temporary = f".{os.getpid()}-{os.urandom(4).hex()}.tmp"
        fresh = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o600, dir_fd=directory)
        try:
            os.write(fresh, data)
        finally:
            close(fresh)
        os.rename(temporary, self.name, src_dir_fd=directory, dst_dir_fd=directory)


def _locked(opened: int) -> bool:
    """Takes the lock of a file, which closing releases; False when another process holds it for too long."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(_PAUSE)
        except OSError:
            break  # a file system without locks
    return False


def _all(opened: int) -> bytes:
    pieces, at = [], 0
    while piece := os.pread(opened, 1 << 20, at):
        pieces.append(piece)
        at += len(piece)
        if at > 4 * _LARGEST:
            break  # no file of ours is that large
    return b"".join(pieces)


def _prune(directory: int) -> None:
    """Removes the files of sessions in which nothing was seen for a month."""
    oldest = time.time() - _OLDEST
    for name in os.listdir(directory):
        try:
            if os.stat(name, dir_fd=directory, follow_symlinks=False).st_mtime < oldest:
                os.unlink(name, dir_fd=directory)
        except OSError:
            pass
