"""The root, and the one place where a path becomes an entry under it.

Takes a path as a patch or a tool spells it; gives the entry at that path, found by walking directory handles one
component at a time. The kernel never follows a link: one that stays inside the root is expanded here and walked again,
so a directory that is swapped for a link at any moment cannot lead out of the root. A link that leaves is refused.

A Workspace also runs a plan's transaction: it takes the lock and recovers what an interrupted run left. Its maker
may give it an observer, which hears of every commit.
"""

from __future__ import annotations

import fcntl
import os
import time

from patchkit.core.changes import DEEPEST, Files, Plan, as_written_or_bare, joined
from patchkit.core.workspace import Directories, Location, Parts, WorkspaceEntry, file_type
from patchkit.core.workspace.transaction import JOURNAL, Transaction
from patchkit.errors import Note, PatchkitError, is_any, reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from patchkit.core.changes import FileChange, Options

    class CommitObserver(Protocol):
        """What hears of the commits of a workspace: that a run begins, what is about to change, what has changed."""

        def begin(self) -> None: ...
        def is_in_git(self, files: Workspace, run: str, names: list[str]) -> bool: ...
        def before(self, files: Workspace, changes: list[FileChange]) -> None: ...
        def after(self, files: Workspace, plan: Plan, done: Transaction) -> None: ...

    class Proof(Protocol):
        """What a run has to pass before it counts: commands that look at the new files, and may change them."""

        def begin(self, plan: Plan) -> bool:
            """Looks at what will be changed; False where there is nothing to prove. May refuse it."""

        def __call__(self, plan: Plan, run: Transaction) -> None: ...


# -- one writer at a time in a workspace -----------------------------------------------------------
# Takes the handle of the root; gives nothing, or refuses when another run holds the lock for too long. The root
# directory itself is locked, so no lock file can be left behind, and the kernel releases the lock when the process that
# holds it has ended, and all that it has forked.


PATIENCE = 30.0  # seconds


def acquire(
    handle: int, root: str, patience: float = PATIENCE, on_progress: Callable[[str, int, int], None] | None = None
) -> None:
    """Takes the lock of the directory behind `handle`, waiting for another holder for so many seconds."""
    pause, deadline = 0.001, None
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            now = time.monotonic()
            deadline = deadline if deadline is not None else now + patience
            if now >= deadline:
                raise PatchkitError("P315", root=root, seconds=round(patience)) from None
            if on_progress is not None:
                on_progress("waiting for another run", 0, 0)
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        except OSError as error:
            raise PatchkitError("P316", root=root, reason=(error.strerror or "").lower()) from None


def release(handle: int) -> None:
    """Gives the lock back; where that fails, closing the handle does it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_UN)
    except OSError:
        pass


_MOST_LINKS = 40  # that one path leads through


class Workspace(Files):
    """A root directory and where relative paths start under it."""

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        start: str | os.PathLike[str] | None = None,
        observer: CommitObserver | None = None,
    ) -> None:
        here = _current_directory(root)
        self.root = os.path.normpath(os.path.join(here, os.fspath(root))) if root is not None else here
        self.directories = Directories(self.root)
        self.sync = True
        self.owner_may_change = False
        self.allow_vcs = False  # whether an undo may change version control
        self.keep_links = False  # whether a file with several names is written to instead of replaced
        self.on_commit: Callable[[], None] | None = None  # called once every name is new
        self.on_progress: Callable[[str, int, int], None] | None = None  # called with what is done, how many, of all
        self.may_read: Callable[[str], bool] | None = None  # which files may be suggested for a misspelt name
        # Called with the path and the name of everything found: what is opened is judged under the name it has then.
        self.on_found: Callable[[str, str], None] | None = None
        # Called with a corrected patch that names other files than the one that was judged; may refuse it.
        self.on_renamed: Callable[..., None] | None = None
        self.observer = observer
        self.history = True  # for the observer: whether what is done here can be undone later
        self.author: list[str] = []  # and who does it: 'agent' or 'person', the session, the tool
        self.remarks: list[str] = []  # and what else is known of the run, each 'name=value'
        self.before_commit: Callable[[], None] | None = None  # called before anything is written; may refuse it
        # Called when all names are new: where it raises, they are old again. Its `begin` is called before.
        self.proof: Proof | None = None
        self.gone: set[str] = set()  # links that the plan under way removes or replaces: nothing is found below them
        self.session: str | None = None  # the session of the caller; None for the one of the environment
        self.tracked = False  # whether a session counts as having seen what it writes
        self._real = self.root if self.root == here else None  # the current directory is reported without links
        self._locked = self._begun = self._lent = False
        self.start = self._start_parts(here, start)  # the components that relative paths begin with

    def _start_parts(self, here: str, start: str | os.PathLike[str] | None) -> list[str]:
        """Where relative paths start: as asked, else the current directory if it is inside, else the root."""
        if start is not None:
            return self.parts(os.path.join(here, os.fspath(start)))
        return [] if here == self.root else self._below(here) or []

    def close(self) -> None:
        """Closes the directory handles, which releases the lock."""
        if self._lent:
            release(self.directories.handle(()))
        self.directories.close()

    def lend_lock(self) -> int:
        """The handle that holds the lock, for a command of the run: if we are killed, the next run waits for it."""
        self._lent = True
        return self.directories.handle(())

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def prepare(self, options: Options) -> None:
        """Takes over what the options of a run say about writing."""
        self.sync = not options.no_sync
        self.owner_may_change = options.allow_owner_change
        self.keep_links = options.keep_links
        self.history = options.history

    # -- runs ------------------------------------------------------------------------------------

    def begin(self, writing: bool = True) -> list[Note]:
        """Starts a run: takes the lock if it will write, and deals with what an interrupted run left."""
        try:
            return self._begin(writing)
        except OSError as error:
            raise PatchkitError("P401", file=JOURNAL, reason=reason(error)) from None

    def _begin(self, writing: bool) -> list[Note]:
        self._begun = True
        if self.observer is not None:
            self.observer.begin()
        if writing:
            self._lock()
        if self.directories.status((), JOURNAL) is None:
            return []
        from patchkit.core.workspace.recovery import look_again  # after an interrupted run only

        self._lock()  # the journal may have been that of a run that was still at work
        observer = self.observer
        return look_again(
            self.directories, lambda run, names: observer is not None and observer.is_in_git(self, run, names)
        )

    def commit(self, plan: Plan) -> None:
        """Makes a plan true under this root."""
        if self.before_commit is not None:
            self.before_commit()
        alone = not self._begun  # a plan made without a run around it
        if alone:
            plan.notes.extend(self.begin())
        try:
            self._commit(plan)
        finally:
            if alone:
                release(self.directories.handle(()))
                self._locked = self._begun = False

    def _commit(self, plan: Plan) -> None:
        self._lock()
        proof = self.proof if self.proof is not None and self.proof.begin(plan) else None
        transaction = Transaction(
            self.directories,
            sync=self.sync,
            owner_may_change=self.owner_may_change,
            keep_links=self.keep_links,
            on_commit=self.on_commit,
            on_progress=self.on_progress,
            prove=proof,
        )
        changes = plan.effective
        if self.observer is not None:
            self.observer.before(self, changes)
        transaction.commit(plan, changes)
        if self.observer is not None and transaction.made:
            self.observer.after(self, plan, transaction)

    def _lock(self) -> None:
        if not self._locked:
            acquire(self.directories.handle(()), self.root, on_progress=self.on_progress)
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
        parts = joined(self.start, path)
        if parts is None:
            raise PatchkitError("P301", file=path, root=self.root)
        return parts

    def _below(self, path: str) -> list[str] | None:
        """The components of an absolute path below the root, as spelled, resolved or named by the shell; else None."""
        path = os.path.normpath(path)
        for base in (self.root, self.real):
            if f"{path}/".startswith(f"{base.rstrip('/')}/"):
                return [part for part in path[len(base) :].split("/") if part]
        shell = os.environ.get("PWD", "").rstrip("/")  # the system names the current directory without links
        if shell and f"{path}/".startswith(f"{shell}/"):
            real = os.path.realpath(shell)
            if real != shell and real == os.path.realpath(_current_directory(self.root)):
                return self._below(real + path[len(shell) :])
        return None

    def below(self, name: str) -> list[str]:
        try:
            found = self.directories.below(tuple(name.split("/")))
        except OSError as error:
            raise _refusal(name, error) from None
        return ["/".join(parts) for parts, is_directory in found if not is_directory]

    # -- walking ---------------------------------------------------------------------------------

    def find(self, path: str, follow: bool = True) -> WorkspaceEntry:
        """Returns what is at `path`; a link there is followed inside the root when `follow` is set.

        A name that exists exactly as written wins over the same name without spaces at its ends.
        """
        if path.strip(" \t") == path:
            return self.reach(path, self.parts(path), follow)
        return as_written_or_bare(path, lambda name: self.reach(path, self.parts(name), follow))

    def reach(self, spelled: str, parts: list[str], follow: bool = True) -> WorkspaceEntry:
        """The entry at the end of components counted from the root; a refusal names it as `spelled`."""
        target = ""
        for _ in range(_MOST_LINKS):
            if not parts:
                return WorkspaceEntry(self.directories, spelled, ".", "directory", Location((), (), ".", None))
            if len(parts) > DEEPEST:
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
            elif walked.kind == "link" and follow and walked.name not in self.gone:
                directory, target, rest = walked.location.directory, walked.target, []
            else:
                walked.path = spelled
                walked.target = walked.target or target
                if self.on_found is not None:
                    self.on_found(spelled, walked.name)
                return walked
            parts = self._expanded(spelled, directory, target, rest)
        raise PatchkitError("P307", file=spelled, target=target, fate="leads in a circle")

    def _walk(self, parts: list[str]) -> WorkspaceEntry | tuple[Parts, str, list[str]]:
        """Goes down `parts`: gives the entry at their end, or (directory, link target, rest) at a link on the way."""
        leaf, directory = parts[-1], tuple(parts[:-1])
        if self.directories.is_open(directory) and leaf != "..":  # walked before, and no link among its names
            return self._entry(directory, (), leaf, self.directories.status(directory, leaf))
        directory = ()
        for index, part in enumerate(parts[:-1]):
            if part == "..":
                directory = self._above(directory)
                continue
            try:
                directory = self.directories.enter(directory, part)
            except FileNotFoundError:
                return self._entry(directory, tuple(parts[index:-1]), parts[-1], None)
            except OSError as error:
                if not is_any(error, "ELOOP", "ENOTDIR"):
                    raise  # else the name is a link, or a file
                target = link_target(part, self.directories.handle(directory))
                blocker = "/".join((*directory, part))
                if target is not None and blocker not in self.gone:
                    return directory, target, parts[index + 1 :]
                entry = self._entry(directory, tuple(parts[index:-1]), parts[-1], None)
                entry.blocker = blocker
                return entry
        if parts[-1] == "..":
            above = self._above(directory)
            return WorkspaceEntry(
                self.directories, "", "/".join(above) or ".", "directory", Location(above, (), ".", None)
            )
        return self._entry(directory, (), parts[-1], self.directories.status(directory, parts[-1]))

    def _expanded(self, spelled: str, directory: Parts, target: str, rest: list[str]) -> list[str]:
        """The components to walk instead of a link in `directory`, from the root; refused when they leave it."""
        inside: str | None = target
        start = list(directory)
        if target.startswith("/"):
            inside, start = self._without_root(target), []
        if inside is None:
            raise PatchkitError("P307", file=spelled, target=target)
        # `..` stays: it counts from where the components before it lead, which only walking them shows.
        return [*start, *(part for part in inside.split("/") if part not in ("", ".")), *rest]

    def _without_root(self, path: str) -> str | None:
        """The rest of an absolute path after the root, as spelled or as resolved; None when it is outside.

        Not `_below`: the text of a link may hold `..`, which is worked out by walking.
        """
        for base in (self.root, self.real):
            if path == base or path.startswith(base.rstrip("/") + "/"):
                return path[len(base) :]
        return None

    def _above(self, directory: Parts) -> Parts:
        if not directory:
            raise PatchkitError("P307")  # the caller knows the path and adds it
        return directory[:-1]

    def _entry(self, directory: Parts, missing: Parts, leaf: str, status: os.stat_result | None) -> WorkspaceEntry:
        if status is None:
            kind = "missing"
            missing, leaf = self.directories.first_spelling(directory, missing, leaf)
        else:
            kind = file_type(status)
            leaf = self.directories.listed_name(directory, leaf, status)
        name = "/".join((*directory, *missing, leaf))
        entry = WorkspaceEntry(self.directories, name, name, kind, Location(directory, missing, leaf, status))
        if kind == "link":
            entry.target = link_target(leaf, self.directories.handle(directory)) or ""
        return entry

    # -- settings files ----------------------------------------------------------------------------

    def settings(self, name: str) -> bytes | None:
        """The content of a settings file; None where there is none that we may read."""
        try:
            entry = self.reach(name, name.split("/"))
            return entry.data if entry.kind == "file" else None
        except PatchkitError:
            return None


def _refusal(spelled: str, error: OSError) -> PatchkitError:
    if is_any(error, "ENAMETOOLONG"):
        return PatchkitError("P309", file=spelled, reason="it is too long")
    return PatchkitError("P401", file=spelled, reason=reason(error))


def _current_directory(root: str | os.PathLike[str] | None) -> str:
    try:
        return os.getcwd()
    except OSError as error:
        if root is not None and os.path.isabs(root):
            return os.path.realpath(root)  # it was removed, and such a root does not depend on it
        raise PatchkitError("P312", root=".", reason=reason(error)) from None


def link_target(name: str, directory: int) -> str | None:
    """Where the link of this name leads; None when there is no link of this name."""
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError as error:
        if is_any(error, "EINVAL", "ENOENT"):
            return None
        raise
