"""Remember which files a session has seen, and with which content: what was not read is not written over.

Takes a Workspace; gives for a name what was last seen or left there, and whether the file still is that. A session is
that of the caller, else `PATCHKIT_SESSION`, else the workspace itself. Its file holds a line for each thing seen, and
the latest line of a path counts. Whether an unread file may be written is decided by the tools.
"""

from __future__ import annotations

import fcntl
import os
import time

from patchkit.core.workspace import INSIDE, NEW, SESSIONS, Directories, make, root_id, state_directory, write_closing
from patchkit.core.workspace import sha256 as new_sha256
from patchkit.core.workspace import sign as sign_of
from patchkit.errors import reason
from patchkit.handles import OpenHandle
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.core.changes import FileChange, Plan
    from patchkit.core.workspace.root import Workspace


# -- the file of one session of a workspace: lines that several processes append at once -----------
# Takes a Workspace and a name; gives what was written, and appends to it. The file is in the state directory, or in
# `<root>/.patchkit` where there is none. Lines are only appended, each time in one write, so that processes need not
# wait for each other; a process that finds the file too large rewrites it under a lock. Nothing is synced, and nothing
# here raises: state that is broken or cannot be written is not a failure of the work it is about. What the lines mean
# is left to `sessions`.


_LARGEST = 1 << 20  # bytes of a file before it is rewritten
_OLDEST = 30 * 86400  # seconds after which the file of a session is removed
_TRIES, _PAUSE = 50, 0.01  # for the lock, which is held for an instant
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPENDING = os.O_RDWR | os.O_APPEND | os.O_CREAT | _FILE


def make_inside(directories: Directories, kind: str) -> None:
    """Makes a directory of ours in the root itself, which version control ignores; no link is followed there."""
    directories.make((), (INSIDE, kind), [])
    try:
        write_closing(os.open(".gitignore", NEW, 0o600, dir_fd=directories.handle((INSIDE,))), b"*\n")
    except FileExistsError:
        pass


class SessionDirectory(Record):
    """A directory for session files: its path for people, and how it is opened and made."""

    path: str
    opened: Callable[[], int]
    make: Callable[[], None]


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
                # The first ending closes a line that was cut short.
                self._append(where, b"\n" + b"\n".join(lines) + b"\n", keeps)
            except OSError as error:
                why = reason(error)
            else:
                return ""
        return why

    def remove(self) -> None:
        for where in self._directories:
            try:
                with OpenHandle(where.opened()) as directory:
                    os.unlink(self.name, dir_fd=directory)
            except OSError:
                pass

    def _content(self, where: SessionDirectory) -> bytes:
        try:
            with OpenHandle(where.opened()) as directory:
                opened = os.open(self.name, os.O_RDONLY | _FILE, dir_fd=directory)
            with OpenHandle(opened):
                return _all(opened)
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
        with OpenHandle(directory):
            while not self._append_in(directory, data, keeps):
                pass

    def _append_in(self, directory: int, data: bytes, keeps: Callable[[bytes], bytes]) -> bool:
        """Appends to the file; False when it was rewritten at that moment, and another file has its name."""
        with OpenHandle(os.open(self.name, _APPENDING, 0o600, dir_fd=directory)) as opened:
            if _locked(opened) and not self._is(opened, directory):
                return False
            if os.fstat(opened).st_size == 0:
                _prune(directory)
            os.write(opened, data)
            if os.fstat(opened).st_size > _LARGEST:
                temporary = f".{os.getpid()}-{os.urandom(4).hex()}.tmp"
                write_closing(os.open(temporary, NEW, 0o600, dir_fd=directory), keeps(_all(opened)))
                os.rename(temporary, self.name, src_dir_fd=directory, dst_dir_fd=directory)
            return True

    def _is(self, opened: int, directory: int) -> bool:
        mine = os.fstat(opened)
        try:
            return os.path.samestat(mine, os.stat(self.name, dir_fd=directory, follow_symlinks=False))
        except FileNotFoundError:
            return False


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


MOST_HASHED = 16 << 20  # bytes of a file that is also known by its content
_MOST_KEPT = 512 << 10  # bytes of lines that are left when there are too many
_SETTLED = 1_000_000_000  # nanoseconds after which a file system shows a further change by its time
_GONE, _FORGOTTEN = b"gone", b"forgotten"  # what moved or was deleted, and what was made to count as unread
_LINES = b"lines"  # which lines of a content were read; such a line does not end with a path


class Seen(Record):
    """What a session knows of a path: the file's status when it was seen, and the hash of its content."""

    path: str
    sha256: str  # '' for a file too large to be hashed
    mtime_ns: int
    ctime_ns: int
    size: int
    inode: int  # 0 for one that is to be known by its content alone
    at_ns: int

    def is_current(self, status: os.stat_result, sha256: Callable[[], str]) -> bool:
        """Whether the file is still what was seen. Its content decides; its status spares the reading.

        A file that was changed right before it was seen can change again within the same tick of the clock, so then
        its status proves nothing. Of a file too large for a hash there is nothing but the status.
        """
        if (self.mtime_ns, self.ctime_ns, self.size, self.inode) == _numbers(status):
            settled = self.at_ns - max(self.mtime_ns, self.ctime_ns) > _SETTLED
            if settled or not self.sha256:
                return True
        if self.inode and self.size != status.st_size:
            return False
        return bool(self.sha256) and self.sha256 == sha256()

    def line(self) -> bytes:
        numbers = b"%d\t%d\t%d\t%d\t%d" % (self.mtime_ns, self.ctime_ns, self.size, self.inode, self.at_ns)
        return b"%b\t%b\t%b" % (numbers, self.sha256.encode() or b"-", _written(self.path))


class Tracker:
    """What one session has seen in a workspace."""

    def __init__(self, files: Workspace) -> None:
        self.session = files.session or os.environ.get("PATCHKIT_SESSION") or ""
        self._files = files
        self._file = SessionFile(files, f"session={root_id(self.session)}" if self.session else "workspace")

    @property
    def state_file(self) -> str | None:
        """The path of the session's file; None while there is none."""
        return self._file.path

    def seen(self, name: str) -> Seen | None:
        """What is known of the file of this name from the root; None for one that was not seen."""
        path = self.path(name)
        wanted = b"\t" + _written(path) + b"\n"
        found = [_latest(data, wanted) for data in self._file.contents()]
        return max((each for each in found if each is not None), key=lambda seen: seen.at_ns, default=None)

    def all(self) -> list[Seen]:
        """Everything that was seen, by path."""
        known: dict[str, Seen] = {}
        for data in self._file.contents():
            for line in _latest_lines(data):
                seen = _parsed(line)
                if seen is not None and (seen.path not in known or known[seen.path].at_ns < seen.at_ns):
                    known[seen.path] = seen
        return [known[path] for path in sorted(known)]

    def record(self, name: str, status: os.stat_result, sha256: str, lines: tuple[int, int] | None = None) -> str:
        """Records what a file is, and which of its lines were read; returns why that failed, else ''."""
        rows = [self._now(name, status, sha256).line()]
        if lines is not None and sha256:
            rows.append(b"%b\t%b\t%b\t%d\t%d" % (_LINES, sha256.encode(), _written(self.path(name)), *lines))
        return self._append(rows)

    def lines_read(self, name: str, sha256: str) -> list[tuple[int, int]]:
        """The first and last lines of every part of a content that was read since the file was last forgotten."""
        written = _written(self.path(name))
        begins, forgotten = b"%b\t%b\t%b\t" % (_LINES, sha256.encode(), written), _FORGOTTEN + b"\t" + written
        found: list[tuple[int, int]] = []
        for data in self._file.contents():
            for line in data.split(b"\n"):
                if line == forgotten:
                    found = []
                elif line.startswith(begins):
                    first, _, last = line[len(begins) :].partition(b"\t")
                    if first.isdigit() and last.isdigit():
                        found.append((int(first), int(last)))
        return found

    def forget(self, names: list[str]) -> str:
        """Makes files count as unseen; returns why that failed, else ''."""
        return self._append([_FORGOTTEN + b"\t" + _written(self.path(name)) for name in names])

    def clear(self) -> None:
        self._file.remove()

    def after(self, plan: Plan, outcome: list[tuple[FileChange, str]], everything: bool) -> None:
        """Records what a commit made of files: of all of them, or only of those that were seen before.

        A file that moved stays seen under its new name; one that is gone is forgotten.
        """
        known = {each.path for each in self.all()}
        moved = {each.name: each.source for each in plan.sections if each.moved_from is not None}
        lines = []
        for change, sign in outcome:
            name = change.before.name
            if change.after is None:
                lines += [_GONE + b"\t" + _written(self.path(name))] if self.path(name) in known else []
            elif everything or self.path(name) in known or self.path(moved.get(name, name)) in known:
                lines.append(self._made(name, change.after, sign).line())
        if lines:
            self._append(lines)

    def restored(self, plan: Plan) -> None:
        """Records which files got back a content that this session has seen in them.

        Then undoing does not count as a change by another program. A content that the session never saw does.
        """
        states = self._states()
        lines = []
        for name, change in plan.changes.items():
            sha256 = hashed(change.after) if change.after is not None else ""
            if sha256 and sha256.encode() in states.get(_written(self.path(name)), ()):
                lines.append(self._now(name, None, sha256).line())
        if lines:
            self._append(lines)

    def _states(self) -> dict[bytes, set[bytes]]:
        """The hashes by which every path was known since it was last forgotten, also earlier ones."""
        states: dict[bytes, set[bytes]] = {}
        for data in self._file.contents():
            for line in data.split(b"\n"):
                fields = line.split(b"\t")
                if len(fields) == 7:
                    states.setdefault(fields[6], set()).add(fields[5])
                elif fields[0] == _FORGOTTEN:
                    states.pop(fields[-1], None)
        return states

    def path(self, name: str) -> str:
        """The real absolute path of a name from the root."""
        return f"{self._files.real.rstrip('/')}/{name}"

    def _made(self, name: str, content: list[bytes], sign: str) -> Seen:
        """What a commit left at a name; only its content is known where the file was changed since."""
        *above, leaf = name.split("/")
        status = self._files.directories.status(tuple(above), leaf)
        return self._now(name, status if status is not None and sign_of(status) == sign else None, hashed(content))

    def _now(self, name: str, status: os.stat_result | None, sha256: str) -> Seen:
        numbers = _numbers(status) if status is not None else (0, 0, 0, 0)
        return Seen(self.path(name), sha256, *numbers, time.time_ns())

    def _append(self, lines: list[bytes]) -> str:
        return self._file.append(lines, _worth_keeping)


def after_commit(files: Workspace, plan: Plan, outcome: list[tuple[FileChange, str]]) -> None:
    """Records for the session what a commit made of files."""
    Tracker(files).after(plan, outcome, files.tracked)


def after_undo(files: Workspace, plan: Plan) -> None:
    """Records for the session what an undo or a redo gave back; a failure of this is not reported."""
    try:
        Tracker(files).restored(plan)
    except Exception:  # not only OSError: the files are changed, and reporting a failure would be wrong
        pass


def hashed(content: list[bytes]) -> str:
    """The hash of a content; '' for one so large that hashing it would cost more than the work it is for."""
    if sum(map(len, content)) > MOST_HASHED:
        return ""
    whole = new_sha256()
    for piece in content:
        whole.update(piece)
    return whole.hexdigest()


def _numbers(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _written(path: str) -> bytes:
    """A path as the end of a line: no tab, no line end."""
    raw = os.fsencode(path).replace(b"\\", b"\\\\")
    return raw.replace(b"\t", b"\\t").replace(b"\n", b"\\n")


def _read(written: bytes) -> str:
    parts = [part.replace(b"\\t", b"\t").replace(b"\\n", b"\n") for part in written.split(b"\\\\")]
    return os.fsdecode(b"\\".join(parts))


def _parsed(line: bytes) -> Seen | None:
    """What a line says; None for one that is broken, or says that something is forgotten."""
    fields = line.split(b"\t")
    try:
        sha256 = fields[5].decode("ascii")
        numbers = map(int, fields[:5])
        return Seen(_read(fields[6]), "" if sha256 == "-" else sha256, *numbers) if len(fields) == 7 else None
    except (ValueError, IndexError):
        return None


def _latest(data: bytes, wanted: bytes) -> Seen | None:
    """What the last line with this end says."""
    end = data.rfind(wanted)
    return _parsed(data[data.rfind(b"\n", 0, end) + 1 : end + len(wanted) - 1]) if end >= 0 else None


def _latest_lines(data: bytes) -> list[bytes]:
    """The last line of each path, in the order they were written."""
    lines: dict[bytes, bytes] = {}
    for line in data.split(b"\n"):
        written = line.rpartition(b"\t")[2]
        lines.pop(written, None)
        lines[written] = line
    return list(lines.values())


def _worth_keeping(data: bytes) -> bytes:
    """What is left of lines that became too many: the latest of each path, and of those the newest."""
    kept: list[bytes] = []
    room = _MOST_KEPT
    for line in reversed(_latest_lines(data)):
        if _parsed(line) is not None:
            room -= len(line) + 1
            if room < 0:
                break
            kept.append(line)
    return b"".join(line + b"\n" for line in reversed(kept))
