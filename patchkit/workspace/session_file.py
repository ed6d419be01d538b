"""One file of lines for each session of a workspace, which several processes write at once.

Takes a Workspace and a name; gives what was written, and appends to it. It stands in the state directory, or in
`<root>/.patchkit` where that is not to be had. Lines are only ever appended, each time in one write, so that nobody
waits for anybody; who finds the file grown rewrites it under a lock. Nothing is synced, and nothing here raises: state
that is broken or cannot be written is no failure of the work it is about. What the lines say is left to the tracker.
"""

from __future__ import annotations

import fcntl
import os
import time

from patchkit.values import Value
from patchkit.workspace.directories import close, reason
from patchkit.workspace.history.state import INSIDE, home, make, make_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.workspace.root import Workspace

DIRECTORY = "tracker"
_LARGEST = 1 << 20  # bytes of a file before it is rewritten
_OLDEST = 30 * 86400  # seconds after which the file of a session goes
_TRIES, _PAUSE = 50, 0.01  # for the lock: who holds it needs it for an instant
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPENDING = os.O_RDWR | os.O_APPEND | os.O_CREAT | _FILE


class Place(Value):
    """A directory for session files: its path for people, and how it is opened and made."""

    __slots__ = ("path", "opened", "make")
    path: str
    opened: Callable[[], int]
    make: Callable[[], None]

    def __init__(self, path: str, opened: Callable[[], int], make: Callable[[], None]) -> None:
        self.path = path
        self.opened = opened
        self.make = make


def places(files: Workspace) -> list[Place]:
    """Where session files of a workspace may stand, the usual place first."""
    found = []
    above = home(files.real)
    if above is not None:
        path = f"{above}/{DIRECTORY}"
        found.append(Place(path, lambda: os.open(path, _OPEN), lambda: make(path)))
    # Inside the root only by directory handles: a link of that name, come with a tree perhaps, leads nowhere.
    found.append(
        Place(
            f"{files.real.rstrip('/')}/{INSIDE}/{DIRECTORY}",
            lambda: os.dup(files.directories.handle((INSIDE, DIRECTORY))),
            lambda: make_inside(files.directories, DIRECTORY),
        )
    )
    return found


class SessionFile:
    """The file of one session, wherever it stands."""

    def __init__(self, files: Workspace, name: str) -> None:
        self.name = name
        self._places = places(files)

    @property
    def path(self) -> str | None:
        """Where the file stands; None while there is none."""
        return next((f"{each.path}/{self.name}" for each in self._places if self._content(each)), None)

    def contents(self) -> list[bytes]:
        """What is written in each place."""
        return [self._content(each) for each in self._places]

    def append(self, lines: list[bytes], keeps: Callable[[bytes], bytes]) -> str:
        """Adds lines; gives the reason why that was not possible, else ''. `keeps` is asked when there are too many."""
        why = ""
        for place in self._places:
            try:
                self._append(place, b"\n" + b"\n".join(lines) + b"\n", keeps)  # whatever a torn write left ends here
            except OSError as error:
                why = reason(error)
            else:
                return ""
        return why

    def remove(self) -> None:
        for place in self._places:
            try:
                directory = place.opened()
                try:
                    os.unlink(self.name, dir_fd=directory)
                finally:
                    close(directory)
            except OSError:
                pass

    # -- one place -------------------------------------------------------------------------------

    def _content(self, place: Place) -> bytes:
        try:
            directory = place.opened()
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

    def _append(self, place: Place, data: bytes, keeps: Callable[[bytes], bytes]) -> None:
        try:
            directory = place.opened()
        except FileNotFoundError:
            try:
                place.make()
            except FileExistsError:
                time.sleep(_PAUSE)  # another process makes it, in this moment
            directory = place.opened()
        try:
            while not self._append_in(directory, data, keeps):
                pass
        finally:
            close(directory)

    def _append_in(self, directory: int, data: bytes, keeps: Callable[[bytes], bytes]) -> bool:
        """Adds to the file; False when it was rewritten in that moment, and another file has its name."""
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
    """Takes the lock of a file, which closing it gives back; False when somebody holds it for too long."""
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
            break  # none of ours is that large
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
