"""Make a Plan true, or leave no trace.

Takes a Plan whose every byte is computed. The order of work makes every moment one to recover from:

1. the journal's intent names what will be staged, so that a dead run's leavings can be found;
2. new content is written beside its targets and synced; old content gets a second name;
3. every target is looked at once more: changed meanwhile means refused;
4. the journal's commit record takes the intent's place by one rename: the point of no return for a kill;
5. names are switched, one rename or unlink each, and directories synced;
6. the second names and at last the journal go.

A kill before 4 is undone by the next run, one after 4 finished by it. An error at any point, also after
4, puts every name back here and now. One file changed in an existing directory needs no commit record:
its rename is all or nothing by itself.
"""

from __future__ import annotations

import os
from errno import EEXIST, ENOENT

from patchkit.changes.model import Entry, FileChange, Plan
from patchkit.errors import Note, PatchkitError
from patchkit.workspace import journal as records
from patchkit.workspace.directories import Directories, Parts, close, reason, sign
from patchkit.workspace.journal import Journal, Step
from patchkit.workspace.metadata import Metadata, give
from patchkit.workspace.root import Standing, Workspace

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class LinkChange(FileChange):
    """A name that becomes a symbolic link; `after` is where it leads. Only undoing a deletion makes one."""

    __slots__ = ()


class Transaction:
    """The making of one plan in one workspace, under the workspace's lock."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.directories = workspace.directories
        self.made = False  # every name is new: from here on nothing may fail
        self._id = f".patchkit-{os.getpid()}-{os.urandom(4).hex()}"
        self._successor = f"{self._id}.tmp"  # the commit record until it takes the intent's place
        self._changes: dict[int, FileChange] = {}
        self._steps: list[Step] = []
        self._switched: list[Step] = []
        self._made: list[Parts] = []  # directories of this run
        self._journalled = self._committed = False
        self._at: FileChange | None = None  # the change an error speaks of

    def commit(self, plan: Plan) -> None:
        """Makes every change of the plan, or raises with every name as it was."""
        changes = plan.effective
        if not changes:
            return
        try:
            self._prepare(changes)
            self._switch_all()
            self.made = True
            if self.workspace.on_commit is not None:
                self.workspace.on_commit()
        except BaseException as error:
            if not self.made:
                left = self._roll_back()
                # What could not be put back needs the journal and the second names: the next run tries again.
                if not left and not self._clear() and self._committed:
                    left = [records.NAME]
                raise self._explained(error, left) from None
        self._clear()
        plan.notes.extend(_link_notes(changes))

    @property
    def outcome(self) -> list[tuple[FileChange, str]]:
        """Every change with the sign of what its name holds now."""
        return [(self._changes[id(step)], step.new) for step in self._steps]

    @property
    def new_directories(self) -> list[Parts]:
        return self._made

    # -- forward ---------------------------------------------------------------------------------

    def _prepare(self, changes: list[FileChange]) -> None:
        """Steps 1 to 4: afterwards only names are left to switch."""
        self._steps = [self._step(number, change) for number, change in enumerate(changes)]
        simple = len(changes) == 1 and changes[0].after is not None and not self._steps[0].missing
        if simple:
            self._steps[0].saved = ""
        for directory in {step.directory for step in self._steps}:
            self._remove_orphans(directory)
        try:
            self._write_journal("intent")
        except PermissionError:
            if not simple:  # a root we may not write to: one rename elsewhere needs no journal
                raise
        for step in self._steps:
            self._at = self._changes[id(step)]
            self._stage(step, self._at)
        for step in self._steps:
            self._at = self._changes[id(step)]
            self._check_unchanged(step)
        if not simple:
            self._sync_directories({step.directory for step in self._steps})
            self._write_journal("commit")

    def _remove_orphans(self, directory: Parts) -> None:
        """Removes what runs left here whose journal is lost and whose process is gone."""
        for name in os.listdir(self.directories.handle(directory)):
            if name.startswith(".patchkit-") and name.endswith(".tmp"):
                owner = name.split("-")[1]
                if owner.isdecimal() and not _alive(int(owner)):
                    self.directories.remove(directory, name)

    def _step(self, number: int, change: FileChange) -> Step:
        standing: Standing = change.before.standing  # type: ignore[assignment]
        step = Step(standing.directory, standing.missing, standing.leaf)
        if change.after is not None:
            step.staged = f"{self._id}-{number}.new.tmp"
        if standing.status is not None:
            step.saved = f"{self._id}-{number}.old.tmp"
            step.old = sign(standing.status)
        self._changes[id(step)] = change
        return step

    def _stage(self, step: Step, change: FileChange) -> None:
        directory = self.directories.handle(step.directory)
        if step.saved:
            self._save(step, directory)
        if change.after is None:
            return
        if isinstance(change, LinkChange):
            os.symlink(b"".join(change.after), os.fsencode(step.staged), dir_fd=directory)
            step.new = self.directories.sign(step.directory, step.staged)
            return
        keeps = self._metadata(change.keeps) if change.keeps is not None else None
        step.new = self._write(step.staged, directory, change.after, keeps, change.path)

    def _write(
        self, name: str, directory: int, pieces: list[bytes], keeps: Metadata | None, path: str, sync: bool = True
    ) -> str:
        """Writes a file of ours, synced, with the metadata it shall keep; returns its sign."""
        opened = os.open(name, _NEW, 0o666 if keeps is None else 0o600, dir_fd=directory)
        try:
            write_all(opened, pieces)
            if keeps is not None:
                give(opened, keeps, path, self.workspace.owner_may_change)
            if sync and self.workspace.sync:
                os.fsync(opened)
            return sign(os.fstat(opened))
        finally:
            close(opened)

    def _write_old(self, name: str, directory: int, change: FileChange, sync: bool = True) -> None:
        self._write(name, directory, [change.before.data], self._metadata(change.before), change.path, sync)

    def _metadata(self, entry: Entry) -> Metadata:
        """The metadata of a file, which comes with reading it."""
        standing: Standing = entry.standing  # type: ignore[assignment]
        if standing.metadata is None:
            self.workspace.read(entry)  # type: ignore[arg-type]
        return standing.metadata  # type: ignore[return-value]

    def _save(self, step: Step, directory: int) -> None:
        """Gives the old content a second name, or a copy where the file system knows no second names."""
        try:
            os.link(step.leaf, step.saved, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
        except OSError as error:
            change = self._changes[id(step)]
            if error.errno in (ENOENT, EEXIST) or change.before.kind != "file":
                raise
            self._write_old(step.saved, directory, change)

    def _check_unchanged(self, step: Step) -> None:
        if self.directories.sign(step.home, step.leaf) != step.old:
            raise PatchkitError("P311", file=self._changes[id(step)].path)

    def _switch_all(self) -> None:
        for step in self._steps:
            self._at = self._changes[id(step)]
            self.directories.make(step.directory, step.missing, self._made)
            self._switched.append(step)
            try:
                switch(self.directories, step)
            except OSError:
                self._switched.pop()  # a call that fails has changed nothing
                raise
        self._sync_directories({step.home for step in self._steps} | {made[:-1] for made in self._made})

    # -- back, and away --------------------------------------------------------------------------

    def _roll_back(self) -> list[str]:
        """Puts every switched name back; returns those that could not be."""
        left = self._put_back([step for step in self._switched if not step.old])
        for made in reversed(self._made):  # before the old files: one may belong where a directory stands now
            self.directories.unmake(made)
        left += self._put_back([step for step in self._switched if step.old])
        try:
            self._sync_directories({step.home for step in self._switched if not step.missing})
        except OSError:
            pass  # the names are back; whether a power cut now would forget that is out of our hands
        return left

    def _put_back(self, steps: list[Step]) -> list[str]:
        left = []
        for step in reversed(steps):
            change = self._changes[id(step)]
            try:
                if not put_back(self.directories, step):
                    self._restage_old(step, change)
            except OSError:
                left.append(change.path)
        return left

    def _restage_old(self, step: Step, change: FileChange) -> None:
        """Brings the old content of a single file back from memory: it had no second name."""
        directory = self.directories.handle(step.home)
        if self.directories.sign(step.home, step.leaf) != step.new:
            return
        self._write_old(step.staged, directory, change, sync=False)  # the disk may be what failed
        os.rename(step.staged, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)

    def _clear(self) -> bool:
        """Removes second names, leftovers and at last the journal that would lead to them; False when that stays."""
        for step in self._steps:
            remove_leavings(self.directories, step)
        gone = True
        if self._journalled:
            self.directories.remove((), self._successor)
            gone = self.directories.remove((), records.NAME)
            if len(self._steps) > 1:
                try:
                    self._sync_directories({step.directory for step in self._steps} | {()})
                except OSError:
                    pass  # a journal that comes back after a power cut finds everything done
        return gone

    def _write_journal(self, state: str) -> None:
        data = records.dump(Journal(state, self._successor, self._steps))
        root = self.directories.handle(())
        name = records.NAME if state == "intent" else self._successor
        self._at = None
        opened = os.open(name, _NEW, 0o600, dir_fd=root)
        self._journalled = True
        try:
            write_all(opened, [data])
            if self.workspace.sync and state == "commit":
                os.fsync(opened)
        finally:
            close(opened)
        if state == "commit":
            self._committed = True
            os.rename(name, records.NAME, src_dir_fd=root, dst_dir_fd=root)
            self._sync_directories({()})

    def _sync_directories(self, directories: set[tuple[str, ...]]) -> None:
        if self.workspace.sync:
            for directory in directories:
                os.fsync(self.directories.handle(directory))

    def _explained(self, error: BaseException, left: list[str]) -> BaseException:
        """The error as one of ours: what failed, and whether everything is as it was."""
        path = self._at.path if self._at is not None else records.NAME
        if left:
            return PatchkitError("P404", file=path, reason=_words(error), left=", ".join(left))
        if isinstance(error, OSError):
            return PatchkitError("P402", file=path, reason=_words(error))
        return error


# -- what a run and the recovery of a dead one have in common ---------------------------------------


def switch(directories: Directories, step: Step) -> None:
    """Gives one name its new content, or takes it away."""
    source, home = directories.handle(step.directory), directories.handle(step.home)
    if not step.staged:
        os.unlink(step.leaf, dir_fd=home)
    elif step.old:
        os.rename(step.staged, step.leaf, src_dir_fd=source, dst_dir_fd=home)
    else:
        try:  # a link refuses to replace what someone else put there meanwhile; a rename would not
            os.link(step.staged, step.leaf, src_dir_fd=source, dst_dir_fd=home, follow_symlinks=False)
        except OSError as error:
            if error.errno == EEXIST or directories.sign(step.home, step.leaf):
                raise
            os.rename(step.staged, step.leaf, src_dir_fd=source, dst_dir_fd=home)


def put_back(directories: Directories, step: Step) -> bool:
    """Gives one name its old content again if it has the new; False when there is no second name to do it with."""
    now = directories.sign(step.home, step.leaf)
    if now != step.new:
        return True  # not switched, or somebody else's since
    if not step.old:
        os.unlink(step.leaf, dir_fd=directories.handle(step.home))
        return True
    if not step.saved:
        return False
    source, home = directories.handle(step.directory), directories.handle(step.home)
    os.rename(step.saved, step.leaf, src_dir_fd=source, dst_dir_fd=home)
    return True


def remove_leavings(directories: Directories, step: Step) -> None:
    for name in (step.staged, step.saved):
        if name:
            directories.remove(step.directory, name)


def write_all(opened: int, pieces: list[bytes]) -> None:
    """Writes all pieces, many in one call."""
    pending = [memoryview(piece) for piece in pieces]
    pending.reverse()
    while pending:
        written = os.writev(opened, pending[-1:-513:-1])
        while pending and written >= len(pending[-1]):
            written -= len(pending.pop())
        if pending and written:
            pending[-1] = pending[-1][written:]


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def _words(error: BaseException) -> str:
    return reason(error) if isinstance(error, OSError) else type(error).__name__


def _link_notes(changes: list[FileChange]) -> list[Note]:
    """Replacing a file parts it from its other hard links: that is worth a word."""
    notes = []
    for change in changes:
        status = change.before.standing.status  # type: ignore[attr-defined]
        if change.before.kind == "file" and change.after is not None and status.st_nlink > 1:
            notes.append(Note("P932", file=change.path, count=status.st_nlink))
    return notes
