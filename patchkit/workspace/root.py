"""The root, and the one door to every path under it.

Takes a path as a patch or a tool spells it; gives the Entry that stands there, found by walking directory
handles one component at a time without ever following a link blindly. A link that stays inside is
expanded by hand and walked again, so a directory swapped for a link at any moment leads nowhere.
"""

from __future__ import annotations

import os
import stat
from errno import EINVAL, ELOOP, ENOENT, ENOTDIR

from patchkit.changes.model import Entry, Plan
from patchkit.changes.paths import as_written_or_bare, joined
from patchkit.errors import Note, PatchkitError
from patchkit.workspace.directories import Directories, Parts, close, file_type, reason
from patchkit.workspace.journal import NAME as JOURNAL
from patchkit.workspace.metadata import Metadata, read_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.text.endings import Conventions
    from patchkit.workspace.history.recording import Recorder


READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST_LINKS, _DEEPEST = 40, 2000  # links on one way, components of one name


class Standing:
    """Where an entry stands: its directory, the directories still to be made below that, its own name.

    `status` is what the file was when it was looked at, `metadata` what it was when it was read.
    """

    __slots__ = ("directory", "missing", "leaf", "status", "metadata")

    def __init__(self, directory: Parts, missing: Parts, leaf: str, status: os.stat_result | None) -> None:
        self.directory = directory
        self.missing = missing
        self.leaf = leaf
        self.status = status
        self.metadata: object = None


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
        self.directories = Directories(self.root)
        self.sync = True
        self.owner_may_change = False
        self.keep_links = False  # whether a file with several names is written to instead of replaced
        self.on_commit: Callable[[], None] | None = None  # called once every name is new
        self.on_progress: Callable[[str, int, int], None] | None = None  # told what is done, how many, of how many
        self.may_read: Callable[[str], bool] | None = None  # which files may be named as meant; None: all of them
        self.history = True  # whether what is done here can be undone later
        self.recorder: Recorder | None = None  # the record of the run under way
        self.tracked = False  # whether whoever works here counts as having seen what they write
        self._real = self.root if self.root == here else None  # the current directory's name is a real one
        self._locked = self._begun = False
        self._conventions: Conventions | None = None
        self._start = self._start_parts(here, start)

    def _start_parts(self, here: str, start: str | os.PathLike[str] | None) -> list[str]:
        """Where relative paths start: as asked, else the current directory if it is inside, else the root."""
        if start is not None:
            return self.parts(os.path.join(here, os.fspath(start)))
        return [] if here == self.root else self._below(here) or []

    def close(self) -> None:
        """Gives the directory handles back, and the lock with them."""
        self.directories.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def prepare(self, options: object) -> None:
        """Takes over what the options of a run say about writing."""
        self.sync = not options.no_sync  # type: ignore[attr-defined]
        self.owner_may_change = options.allow_owner_change  # type: ignore[attr-defined]
        self.keep_links = options.keep_links  # type: ignore[attr-defined]
        self.history = options.history  # type: ignore[attr-defined]

    # -- runs ------------------------------------------------------------------------------------

    def begin(self, writing: bool = True) -> list[Note]:
        """Starts a run: takes the lock if it will write, and deals with what an interrupted run left."""
        try:
            return self._begin(writing)
        except OSError as error:
            raise PatchkitError("P401", file=JOURNAL, reason=reason(error)) from None

    def _begin(self, writing: bool) -> list[Note]:
        self.recorder = self._conventions = None
        self._begun = True
        if writing:
            self._lock()
        if self.directories.status((), JOURNAL) is None:
            return []
        self._lock()  # the journal may have been that of a run still at work
        from patchkit.workspace.recovery import look_again

        return look_again(self.directories)

    def commit(self, plan: Plan) -> None:
        """Makes a plan true under this root, and writes down how to undo it."""
        alone = not self._begun  # a plan made without a run around it
        if alone:
            plan.notes.extend(self.begin())
        try:
            self._commit(plan)
        finally:
            if alone:
                self._unlock()

    def _commit(self, plan: Plan) -> None:
        from patchkit.workspace.history.recording import committed, recorder_for  # before: afterwards nothing may fail
        from patchkit.workspace.transaction import Transaction

        self._lock()
        if self.recorder is None and self.history:
            self.recorder = recorder_for(self.real)
        transaction = Transaction(self)
        if self.recorder is not None:
            self.recorder.look(plan)
        transaction.commit(plan)
        if transaction.made:
            committed(self, plan, transaction)

    def _unlock(self) -> None:
        from patchkit.workspace.lock import release

        release(self.directories.handle(()))
        self._locked = self._begun = False

    def _lock(self) -> None:
        if not self._locked:
            from patchkit.workspace.lock import acquire

            acquire(self.directories.handle(()), self.root, told=self.on_progress)
            self._locked = True

    # -- names -----------------------------------------------------------------------------------

    @property
    def real(self) -> str:
        """The root without links in its name."""
        if self._real is None:
            self._real = os.path.realpath(self.root)
        return self._real

    def parts(self, path: str) -> list[str]:
        """The components of a path from the root, `.` and `..` worked out by their text; refused when it leaves."""
        if "\0" in path:
            raise PatchkitError("P309", file=path, reason="it contains a NUL character")
        if not path.isascii() and any("\ud800" <= char < "\udc80" or "\udcff" < char < "\ue000" for char in path):
            raise PatchkitError("P309", file=path, reason="it contains half of a character")
        if path.startswith("/"):
            below = self._below(path)
            if below is None:
                raise PatchkitError("P301", file=path, root=self.root)
            return below
        parts = joined(self._start, path)
        if parts is None:
            raise PatchkitError("P301", file=path, root=self.root)
        return parts

    def _below(self, path: str) -> list[str] | None:
        """The components of an absolute path below the root, as spelled or as resolved; None outside."""
        path = os.path.normpath(path)
        for base in (self.root, self.real):
            if path == base or base == "/":
                return [part for part in path[len(base) :].split("/") if part]
            if path.startswith(base + "/"):
                return path[len(base) + 1 :].split("/")
        return None

    def names(self, most: int) -> list[str]:
        found = self.directories.names(self._start, most)
        return [name for name in found if self.may_read is None or self.may_read("/".join(self.parts(name)))]

    # -- walking ---------------------------------------------------------------------------------

    def find(self, path: str, follow: bool = True) -> WorkspaceEntry:
        """Returns what stands at `path`; a link there is followed inside the root when `follow` is set.

        A name that exists exactly as written wins over the same name without blanks at its ends.
        """
        if path.strip(" \t") == path:
            return self.reach(path, self.parts(path), follow)
        return as_written_or_bare(  # type: ignore[return-value]
            path, lambda name: self.reach(path, self.parts(name), follow)
        )

    def reach(self, spelled: str, parts: list[str], follow: bool = True) -> WorkspaceEntry:
        """What stands at the end of components counted from the root; a refusal names it as `spelled`."""
        target = ""
        for _ in range(_MOST_LINKS):
            if not parts:
                return WorkspaceEntry(self, spelled, ".", "directory", Standing((), (), ".", None))
            if len(parts) > _DEEPEST:
                raise PatchkitError("P309", file=spelled, reason="it is too long")
            try:
                walked = self._walk(parts)
            except OSError as error:
                raise _refusal(spelled, error) from None
            except PatchkitError as error:
                error.facts.update(file=spelled, target=target)
                raise
            if not isinstance(walked, WorkspaceEntry):
                directory, target, rest = walked
            elif walked.kind == "link" and follow:
                directory, target, rest = walked.standing.directory, walked.target, []
            else:
                walked.path = spelled
                walked.target = walked.target or target
                return walked

            parts = expanded(self, spelled, directory, target, rest)
        raise PatchkitError("P307", file=spelled, target=target, fate="leads in a circle")

    def _walk(self, parts: list[str]) -> WorkspaceEntry | tuple[Parts, str, list[str]]:
        """Goes down `parts`: gives the entry at their end, or (directory, link target, rest) at a link on the way."""
        leaf, directory = parts[-1], tuple(parts[:-1])
        if self.directories.is_open(directory) and leaf != "..":  # walked before, and no link among its names
            return self._entry(directory, (), leaf, self.directories.status(directory, leaf))
        directory = ()
        for index, part in enumerate(parts[:-1]):
            if part == "..":
                directory = self._above(directory, parts)
                continue
            try:
                directory = self.directories.enter(directory, part)
            except FileNotFoundError:
                return self._entry(directory, tuple(parts[index:-1]), parts[-1], None)
            except OSError as error:
                if not is_in_the_way(error):
                    raise
                target = link_target(part, self.directories.handle(directory))
                if target is not None:
                    return directory, target, parts[index + 1 :]
                entry = self._entry(directory, tuple(parts[index:-1]), parts[-1], None)
                entry.blocker = "/".join((*directory, part))
                return entry
        if parts[-1] == "..":
            above = self._above(directory, parts)
            return WorkspaceEntry(self, "", "/".join(above) or ".", "directory", Standing(above, (), ".", None))
        return self._entry(directory, (), parts[-1], self.directories.status(directory, parts[-1]))

    def _above(self, directory: Parts, parts: list[str]) -> Parts:
        if not directory:
            raise PatchkitError("P307")  # who asked for what is known one floor up
        return directory[:-1]

    def _entry(self, directory: Parts, missing: Parts, leaf: str, status: os.stat_result | None) -> WorkspaceEntry:
        if status is None:
            kind = "missing"
            missing, leaf = self.directories.first_spelling(directory, missing, leaf)
        else:
            kind = file_type(status)
            leaf = self.directories.listed_name(directory, leaf, status)
        name = "/".join((*directory, *missing, leaf))
        entry = WorkspaceEntry(self, name, name, kind, Standing(directory, missing, leaf, status))
        if kind == "link":
            entry.target = link_target(leaf, self.directories.handle(directory)) or ""
        return entry

    # -- content ---------------------------------------------------------------------------------

    def read(self, entry: WorkspaceEntry) -> bytes:
        """The content of a regular file, opened without following links or waiting for anyone."""
        standing = entry.standing
        try:
            return self._read_file(self.directories.handle(standing.directory), standing.leaf, entry)
        except OSError as error:
            raise PatchkitError("P401", file=entry.path, reason=reason(error)) from None

    def _read_file(self, directory: int, leaf: str, entry: WorkspaceEntry) -> bytes:
        opened = os.open(leaf, READING, dir_fd=directory)
        try:
            found = Metadata(opened)
            if not stat.S_ISREG(found.status.st_mode):
                raise PatchkitError("P306", file=entry.path, type=file_type(found.status))
            entry.standing.status, entry.standing.metadata = found.status, found
            return read_all(opened, found.status.st_size)
        finally:
            close(opened)

    def new_ending(self, name: str) -> bytes:
        """How the lines of a new file of this name end, as settings files on the way to it say."""
        if self._conventions is None:
            from patchkit.text.endings import Conventions

            self._conventions = Conventions(self.settings)
        return self._conventions.ending(name)

    def settings(self, name: str) -> bytes | None:
        """The content of a settings file; None where there is none that we may read."""
        try:
            entry = self.reach(name, name.split("/"))
            return entry.data if entry.kind == "file" else None
        except PatchkitError:
            return None


def _refusal(spelled: str, error: OSError) -> PatchkitError:
    from errno import ENAMETOOLONG

    if error.errno == ENAMETOOLONG:
        return PatchkitError("P309", file=spelled, reason="it is too long")
    return PatchkitError("P401", file=spelled, reason=reason(error))


def _current_directory() -> str:
    try:
        return os.getcwd()
    except OSError as error:
        raise PatchkitError("P312", root=".", reason=reason(error)) from None


# -- links: Symbolic links met on a walk: where one leads, counted from the root. Takes the text of a link and
# the directory it stands in; gives the components to walk instead, or refuses a link that leaves the
# root. Walking them is the workspace's work; nothing here follows anything. Loaded when a link is
# met.


def is_in_the_way(error: OSError) -> bool:
    """Whether a directory could not be opened because a link, or a file, stands there."""
    return error.errno in (ELOOP, ENOTDIR)


def link_target(name: str, directory: int) -> str | None:
    """Where the link of this name leads; None when there is no link of this name."""
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError as error:
        if error.errno in (EINVAL, ENOENT):
            return None
        raise


def expanded(workspace: Workspace, spelled: str, directory: Parts, target: str, rest: list[str]) -> list[str]:
    """The components a link stands for, counted from the root; refused when they leave it."""
    inside: str | None = target
    start = list(directory)
    if target.startswith("/"):
        inside, start = _without_root(workspace, target), []
    if inside is None:
        raise PatchkitError("P307", file=spelled, target=target)
    # `..` stays: it counts from where the components before it lead, which only walking them shows.
    return [*start, *(part for part in inside.split("/") if part not in ("", ".")), *rest]


def _without_root(workspace: Workspace, path: str) -> str | None:
    """What an absolute path says behind the root, as spelled or as resolved; None when it lies elsewhere."""
    for base in (workspace.root, workspace.real):
        if path == base or path.startswith(base.rstrip("/") + "/"):
            return path[len(base) :]
    return None
