"""The root, and the one door to every path under it.

Takes a path as a patch or a tool spells it; gives the Entry that stands there, found by walking directory
handles one component at a time without ever following a link blindly. A link that stays inside is
expanded by hand and walked again, so a directory swapped for a link at any moment leads nowhere.
"""

from __future__ import annotations

import os
import stat
from errno import EACCES, EINVAL, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR

from patchkit.changes.model import Entry, Plan
from patchkit.errors import PatchkitError

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST_LINKS = 40
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


class Standing:
    """Where an entry stands: its directory (real components from the root), those still to be made, its own name."""

    __slots__ = ("directory", "missing", "leaf", "status")

    def __init__(
        self, directory: tuple[str, ...], missing: list[str], leaf: str, status: os.stat_result | None
    ) -> None:
        self.directory = directory
        self.missing = missing
        self.leaf = leaf
        self.status = status


class WorkspaceEntry(Entry):
    """An entry on disk; its content is read through the directory handle, never through a path."""

    __slots__ = ("_workspace", "path")
    standing: Standing

    def __init__(self, workspace: Workspace, path: str, name: str, kind: str, standing: Standing) -> None:
        super().__init__(name, kind)
        self.standing = standing
        self.path = path
        self._workspace = workspace

    def load(self) -> bytes:
        return self._workspace.read(self)


class Workspace:
    """A root directory and where relative paths start under it."""

    def __init__(self, root: str | os.PathLike[str] | None = None, start: str | os.PathLike[str] | None = None) -> None:
        here = _current_directory()
        self.root = os.path.normpath(os.path.join(here, os.fspath(root))) if root is not None else here
        self._real: str | None = None
        self._handles: dict[tuple[str, ...], int] = {}
        self._open_root()
        self._start = self._start_parts(here, start)

    def _open_root(self) -> None:
        try:
            self._handles[()] = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise PatchkitError("P312", root=self.root, reason=reason(error)) from None

    def _start_parts(self, here: str, start: str | os.PathLike[str] | None) -> list[str]:
        """Where relative paths start: as asked, else the current directory if it is inside, else the root."""
        if start is not None:
            return self.parts(os.path.join(here, os.fspath(start)))
        if here == self.root:
            return []
        inside = self._below(here)
        return inside if inside is not None else []

    def close(self) -> None:
        """Gives the directory handles back."""
        while self._handles:
            os.close(self._handles.popitem()[1])

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- names -----------------------------------------------------------------------------------

    def parts(self, path: str) -> list[str]:
        """The components of a path from the root, `.` and `..` worked out by their text; refused when it leaves."""
        if "\0" in path:
            raise PatchkitError("P309", file=path, reason="it contains a NUL character")
        parts = [] if path.startswith("/") else list(self._start)
        if path.startswith("/"):
            below = self._below(path)
            if below is None:
                raise PatchkitError("P301", file=path, root=self.root)
            return below
        for part in path.split("/"):
            if part == "..":
                if not parts:
                    raise PatchkitError("P301", file=path, root=self.root)
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        return parts

    def _below(self, path: str) -> list[str] | None:
        """The components of an absolute path below the root, as spelled or as resolved; None outside."""
        path = os.path.normpath(path)
        if self._real is None:
            self._real = os.path.realpath(self.root)
        for base in (self.root, self._real):
            if path == base or base == "/":
                return [part for part in path[len(base) :].split("/") if part]
            if path.startswith(base + "/"):
                return path[len(base) + 1 :].split("/")
        return None

    # -- walking ---------------------------------------------------------------------------------

    def find(self, path: str, follow: bool = True) -> WorkspaceEntry:
        """Returns what stands at `path`; a link there is followed inside the root when `follow` is set."""
        bare = path.strip(" \t")
        if bare == path:
            return self._find(path, path, follow)
        exact = self._find(path, path, follow)
        trimmed = self._find(path, bare, follow)
        if exact.kind != "missing" and trimmed.kind != "missing":
            raise PatchkitError("P313", file=path, other=bare)
        return exact if exact.kind != "missing" else trimmed

    def _find(self, spelled: str, path: str, follow: bool) -> WorkspaceEntry:
        parts = self.parts(path)
        links = 0
        while True:
            if not parts:
                return WorkspaceEntry(self, spelled, ".", "directory", Standing((), [], ".", None))
            try:
                walked = self._walk(parts)
            except OSError as error:
                raise self._refusal(spelled, path, error) from None
            if isinstance(walked, WorkspaceEntry):
                if walked.kind == "link" and follow:
                    parts = self._expanded(spelled, (*walked.standing.directory,), walked.target, [])
                else:
                    walked.path = spelled
                    return walked
            else:
                parts = self._expanded(spelled, *walked)
            links += 1
            if links > _MOST_LINKS:
                raise PatchkitError("P307", file=spelled, target="/".join(parts))

    def _walk(self, parts: list[str]) -> WorkspaceEntry | tuple[tuple[str, ...], str, list[str]]:
        """Goes down `parts`: gives the entry at their end, or (directory, link target, rest) at a link on the way."""
        directory: tuple[str, ...] = ()
        for index, part in enumerate(parts[:-1]):
            try:
                self.handle((*directory, part))
            except OSError as error:
                if error.errno == ENOENT:
                    return self._entry(directory, parts[index:-1], parts[-1], None)
                if error.errno not in (ELOOP, ENOTDIR):
                    raise
                target = _link_target(part, self.handle(directory))
                if target is None:
                    raise
                return directory, target, parts[index + 1 :]
            directory = (*directory, part)
        leaf = parts[-1]
        try:
            status = os.stat(leaf, dir_fd=self.handle(directory), follow_symlinks=False)
        except OSError as error:
            if error.errno != ENOENT:
                raise
            status = None
        return self._entry(directory, [], leaf, status)

    def _entry(
        self, directory: tuple[str, ...], missing: list[str], leaf: str, status: os.stat_result | None
    ) -> WorkspaceEntry:
        kind = "missing" if status is None else _TYPES.get(stat.S_IFMT(status.st_mode), "special file")
        name = "/".join((*directory, *missing, leaf))
        entry = WorkspaceEntry(self, name, name, kind, Standing(directory, missing, leaf, status))
        if kind == "link":
            entry.target = _link_target(leaf, self.handle(directory)) or ""
        return entry

    def _expanded(self, spelled: str, directory: tuple[str, ...], target: str, rest: list[str]) -> list[str]:
        """The components a link stands for, counted from the root; refused when they leave it."""
        if target.startswith("/"):
            below = self._below(target)
            if below is None:
                raise PatchkitError("P307", file=spelled, target=target)
            return [*below, *rest]
        parts = list(directory)
        for part in target.split("/"):
            if part == "..":
                if not parts:
                    raise PatchkitError("P307", file=spelled, target=target)
                parts.pop()
            elif part not in ("", "."):
                parts.append(part)
        return [*parts, *rest]

    def handle(self, directory: tuple[str, ...]) -> int:
        """An open handle of a directory given by its real components; no link is followed on the way."""
        found = self._handles.get(directory)
        if found is not None:
            return found
        if not directory:
            self._open_root()
            return self._handles[()]
        opened = os.open(directory[-1], _DIRECTORY, dir_fd=self.handle(directory[:-1]))
        if len(self._handles) >= _MOST_HANDLES:
            self._forget_some()
        self._handles[directory] = opened
        return opened

    def forget(self, directory: tuple[str, ...]) -> None:
        """Closes the handle of a directory that is about to go."""
        opened = self._handles.pop(directory, None)
        if opened is not None:
            os.close(opened)

    def _forget_some(self) -> None:
        for directory in [each for each in self._handles if each][: _MOST_HANDLES // 2]:
            os.close(self._handles.pop(directory))

    # -- content ---------------------------------------------------------------------------------

    def read(self, entry: WorkspaceEntry) -> bytes:
        """The content of a regular file, opened without following links or waiting for anyone."""
        standing = entry.standing
        try:
            opened = os.open(standing.leaf, _FILE, dir_fd=self.handle(standing.directory))
            try:
                status = os.fstat(opened)
                if not stat.S_ISREG(status.st_mode):
                    raise PatchkitError(
                        "P306", file=entry.path, type=_TYPES.get(stat.S_IFMT(status.st_mode), "special file")
                    )
                standing.status = status
                return _read_all(opened, status.st_size)
            finally:
                os.close(opened)
        except OSError as error:
            raise PatchkitError("P401", file=entry.path, reason=reason(error)) from None

    def commit(self, plan: Plan) -> None:
        """Makes a plan true under this root."""
        from patchkit.workspace.transaction import Transaction

        Transaction(self).commit(plan)

    def _refusal(self, spelled: str, path: str, error: OSError) -> PatchkitError:
        if error.errno == ENOTDIR:
            return PatchkitError("P310", file=spelled, parent=path.rpartition("/")[0] or path)
        if error.errno == ENAMETOOLONG:
            return PatchkitError("P309", file=spelled, reason="it is too long")
        return PatchkitError("P401", file=spelled, reason=reason(error))


def reason(error: OSError) -> str:
    """The system's own words for what went wrong, in lower case like the rest of a sentence."""
    words = error.strerror or str(error)
    return words[:1].lower() + words[1:]


def _current_directory() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise PatchkitError("P312", root=".", reason=reason(error)) from None


def _link_target(name: str, directory: int) -> str | None:
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError as error:
        if error.errno in (EINVAL, ENOENT, EACCES):
            return None
        raise


def _read_all(opened: int, size: int) -> bytes:
    data = os.read(opened, size + 1)
    if len(data) <= size and not (more := os.read(opened, 65536)):
        return data
    pieces = [data]
    while more:
        pieces.append(more)
        more = os.read(opened, 1 << 20)
    return b"".join(pieces)
