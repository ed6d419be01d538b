"""Make a Plan true, or leave no trace.

Takes a Plan whose every byte is computed. The order of work makes every moment one to recover from:

1. the journal's intent names what will be staged, so that a dead run's leavings can be found;
2. new content is written beside its targets and synced; old content gets a second name;
3. every target that stands is looked at once more: changed meanwhile means refused (as one that appears is at 5);
4. the journal's commit record takes the intent's place by one rename: the point of no return for a kill;
5. names are switched, one rename or unlink each, and directories synced;
6. the second names and at last the journal go.

A kill before 4 is undone by the next run, one after 4 finished by it. An error at any point, also after
4, puts every name back here and now. One file changed in an existing directory needs no commit record:
its rename is all or nothing by itself.
"""

from __future__ import annotations

import os

from patchkit.changes.model import Entry, FileChange, Plan, Whole, watched
from patchkit.errors import Note, PatchkitError
from patchkit.workspace import journal as records
from patchkit.workspace.directories import Directories, Parts, close, reason, same, sign
from patchkit.workspace.journal import NAME, JournalStep
from patchkit.workspace.metadata import NEW, Metadata, NewFiles, write_all
from patchkit.workspace.root import Standing, Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    Switched = list[tuple[FileChange, JournalStep]]


class Transaction:
    """The making of one plan in one workspace, under the workspace's lock."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.directories = workspace.directories
        self.made = False  # every name is new: from here on nothing may fail
        self._id = f".patchkit-{os.getpid()}-{os.urandom(4).hex()}"
        self._successor = f"{self._id}.tmp"  # the commit record until it takes the intent's place
        self._new_files = NewFiles(self.directories, workspace.sync, workspace.owner_may_change)
        self._changes: list[FileChange] = []
        self._steps: list[JournalStep] = []  # one for each change
        self._switched = 0  # how many of them have been
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
                left = roll_back(self, list(zip(self._changes, self._steps))[: self._switched])
                # What could not be put back needs the journal and the second names: the next run tries again.
                if not left and not self._clear() and self._committed:
                    left = [records.NAME]
                raise explained(error, self._at, left) from None
        self._clear()
        for change, step in zip(changes, self._steps):
            if isinstance(change.after, Whole):  # whoever looks at it from now on finds it under its new name
                moved: Standing = change.after.entry.standing  # type: ignore[assignment]
                moved.directory, moved.leaf = step.parent, step.leaf
        plan.notes.extend(self._link_notes())

    @property
    def outcome(self) -> list[tuple[FileChange, str]]:
        """Every change with the sign of what its name holds now."""
        return [(change, step.new) for change, step in zip(self._changes, self._steps)]

    @property
    def written_to(self) -> list[str]:
        """The names of files that were written to and not replaced."""
        return [change.before.name for change, step in zip(self._changes, self._steps) if step.in_place]

    @property
    def new_directories(self) -> list[Parts]:
        return self._made

    def _link_notes(self) -> list[Note]:
        """Replacing a file parts it from its other hard links: that is worth a word."""
        notes = []
        for change, step in zip(self._changes, self._steps):
            status = change.before.standing.status  # type: ignore[attr-defined]
            if change.before.kind == "file" and change.after is not None and status.st_nlink > 1 and not step.in_place:
                notes.append(Note("P932", file=change.path, count=status.st_nlink))
        return notes

    # -- forward ---------------------------------------------------------------------------------

    def _prepare(self, changes: list[FileChange]) -> None:
        """Steps 1 to 4: afterwards only names are left to switch."""
        self._changes = changes
        self._steps = [self._step(number, change) for number, change in enumerate(changes)]
        first = self._steps[0]
        simple = len(changes) == 1 and first.staged != "" and not first.missing and not first.in_place
        if simple:
            first.saved = ""
        for directory in {step.directory for step in self._steps}:
            self._remove_orphans(directory)
        try:
            self._write_journal("intent")
        except PermissionError:
            if not simple:  # a root we may not write to: one rename elsewhere needs no journal
                raise
        for change, step in watched(self.workspace, "writing", zip(changes, self._steps), len(changes)):
            self._at = change
            self._stage(step, change)
        for change, step in zip(changes, self._steps):
            self._at = change
            seen: os.stat_result | None = change.before.standing.status  # type: ignore[attr-defined]
            if seen is not None and not same(self.directories.status(step.directory, step.leaf), seen):
                raise PatchkitError("P311", file=change.path)
        if not simple:
            self.sync_directories({step.directory for step in self._steps})
            self._write_journal("commit")

    def _remove_orphans(self, directory: Parts) -> None:
        """Removes what runs left here whose journal is lost and whose process is gone."""
        for name in os.listdir(self.directories.handle(directory)):
            if name.startswith(".patchkit-") and name.endswith(".tmp"):
                owner = name.split("-")[1]
                if owner.isdecimal() and not _alive(int(owner)):
                    self.directories.remove(directory, name)

    def _step(self, number: int, change: FileChange) -> JournalStep:
        standing: Standing = change.before.standing  # type: ignore[assignment]
        step = JournalStep(standing.directory, standing.missing, standing.leaf)
        if change.after is not None:
            step.staged = f"{self._id}-{number}.new.tmp"
        if standing.status is not None:
            step.saved = f"{self._id}-{number}.old.tmp"
            step.old = sign(standing.status)
            step.in_place = self.workspace.keep_links and standing.status.st_nlink > 1 and _keeps_its_place(change)
        return step

    def _stage(self, step: JournalStep, change: FileChange) -> None:
        """Writes the new content beside its target; the old one gets a second name if it will lose its only one."""
        if change.after is None:
            return
        if step.in_place:
            from patchkit.workspace.in_place import stage

            stage(self._new_files, self.directories, step, change)
            return
        if step.saved:
            self._save(step, change)
        if change.is_link:
            directory = self.directories.handle(step.directory)
            os.symlink(b"".join(change.after), os.fsencode(step.staged), dir_fd=directory)
            step.new = self.directories.sign(step.directory, step.staged)
            return
        if isinstance(change.after, Whole) and change.before.kind == "missing" and self._link(step, change.after.entry):
            return
        keeps = self._metadata(change.keeps) if change.keeps is not None else None
        step.new = self._new_files.write(step.directory, step.staged, change.after, keeps, change.path)

    def _link(self, step: JournalStep, source: Entry) -> bool:
        """Stages a file that only gets another name as a link to it: nothing is copied, and it stays the file it is."""
        old: Standing = source.standing  # type: ignore[assignment]
        above, directory = self.directories.pair(old.directory, step.directory)
        try:
            os.link(old.leaf, step.staged, src_dir_fd=above, dst_dir_fd=directory, follow_symlinks=False)
        except (FileNotFoundError, FileExistsError):
            raise
        except OSError:
            return False  # a file system without links, another one, or a file that is not ours to link
        step.new = self.directories.sign(step.directory, step.staged)
        if old.status is None or step.new != sign(old.status):
            raise PatchkitError("P311", file=source.name)
        return True

    def save_copy(self, name: str, directory: Parts, change: FileChange, sync: bool = True) -> None:
        """Writes the old content of a name once more, under another."""
        if change.before.kind == "link":
            os.symlink(change.before.target, name, dir_fd=self.directories.handle(directory))
            return
        keeps = self._metadata(change.before)
        self._new_files.write(directory, name, [change.before.data], keeps, change.path, sync)

    def _metadata(self, entry: Entry) -> Metadata:
        """The metadata of a file, which comes with reading it."""
        standing: Standing = entry.standing  # type: ignore[assignment]
        if standing.metadata is None:
            _ = entry.data
        return standing.metadata  # type: ignore[return-value]

    def _save(self, step: JournalStep, change: FileChange) -> None:
        """Gives the old content a second name, or a copy where the file system knows no second names."""
        directory = self.directories.handle(step.directory)
        try:
            os.link(step.leaf, step.saved, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
        except (FileNotFoundError, FileExistsError):
            raise
        except OSError:
            self.save_copy(step.saved, step.directory, change)

    def _switch_all(self) -> None:
        for change, step in zip(self._changes, self._steps):
            self._at = change
            if step.missing:
                self.directories.make(step.directory, step.missing, self._made)
            self._switched += 1
            try:
                switch(self.directories, step, self.workspace.sync)
            except OSError as error:
                if step.staged and not step.in_place:
                    self._switched -= 1  # a call that fails has changed nothing; taking away is more than one
                if isinstance(error, FileExistsError):  # somebody else's since, or ours under another spelling
                    twice = any(
                        other.name.casefold() == step.name.casefold() for other in self._steps if other is not step
                    )
                    raise PatchkitError("P303" if twice and not step.old else "P311", file=change.path) from None
                raise
        self.sync_directories({step.parent for step in self._steps} | {made[:-1] for made in self._made})

    # -- away ---------------------------------------------------------------------------------------

    def _clear(self) -> bool:
        """Removes second names, leftovers and at last the journal that would lead to them; False when that stays."""
        if self._committed and any(step.in_place for step in self._steps):
            self._settle()
        for step in watched(self.workspace, "tidying", self._steps, len(self._steps)):
            if not self.made or step.in_place:
                remove_leavings(self.directories, step)
            elif step.saved or not step.old:  # a staged file that was renamed is not there any more
                self.directories.remove(step.directory, step.saved or step.staged)
        gone = True
        if self._journalled:
            if not self.made:  # else it has taken the journal's place, or was never needed
                self.directories.remove((), self._successor)
            gone = self.directories.remove((), records.NAME)
            if len(self._steps) > 1:
                try:
                    self.sync_directories({step.directory for step in self._steps} | {()})
                except OSError:
                    pass  # a journal that comes back after a power cut finds everything done
        return gone

    def _settle(self) -> None:
        """Writes down that nothing is to be done any more: without its copies, a file written to tells no story."""
        try:
            self._write_journal("done" if self.made else "intent")
        except OSError:  # it takes a kill in the next moments, too, to need it
            self.directories.remove((), self._successor)

    def _write_journal(self, state: str) -> None:
        data = records.dump(state, self._successor, self._steps)
        root = self.directories.handle(())
        first = not self._journalled
        name = records.NAME if first else self._successor
        self._at = None
        self._journalled = True  # before it stands there: a signal may come right behind the call
        try:
            opened = os.open(name, NEW, 0o600, dir_fd=root)
        except OSError:
            self._journalled = not first  # whatever stands there is not ours
            raise
        try:
            write_all(opened, [data])
            if self.workspace.sync and not first:
                os.fsync(opened)
        finally:
            close(opened)
        if not first:
            self._committed = True
            os.rename(name, records.NAME, src_dir_fd=root, dst_dir_fd=root)
            self.sync_directories({()})

    def sync_directories(self, directories: set[tuple[str, ...]]) -> None:
        if self.workspace.sync:
            for directory in sorted(directories):  # each below the one before: its handle is at hand
                os.fsync(self.directories.handle(directory))


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def _keeps_its_place(change: FileChange) -> bool:
    """Whether a file gets new content and stays the file it is."""
    return change.before.kind == "file" and change.keeps is change.before and change.after is not None


# -- switching: Give a name its new content: what a run and the recovery of a dead one have in common. Takes one
# JournalStep at a time; can be called again after a kill. The order of steps, and what to do when one fails
# (`rollback` puts names back), is the caller's affair.
def switch(directories: Directories, step: JournalStep, sync: bool = True) -> None:
    """Gives one name its new content, or takes it away."""
    if step.in_place:
        from patchkit.workspace import in_place

        in_place.switch(directories, step, sync)
    elif not step.staged:
        _take_away(directories, step)
    elif step.old:
        directory = directories.handle(step.directory)
        os.rename(step.staged, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)
    else:
        source, home = directories.pair(step.directory, step.parent)
        try:  # a link refuses to replace what someone else put there meanwhile; a rename would not
            os.link(step.staged, step.leaf, src_dir_fd=source, dst_dir_fd=home, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:
            if directories.sign(step.parent, step.leaf):
                raise
            os.rename(step.staged, step.leaf, src_dir_fd=source, dst_dir_fd=home)


def _take_away(directories: Directories, step: JournalStep) -> None:
    """Takes a name away by giving the file one of ours: what somebody put there at the last moment can be put back."""
    directory = directories.handle(step.directory)
    os.rename(step.leaf, step.saved, src_dir_fd=directory, dst_dir_fd=directory)
    if directories.sign(step.directory, step.saved) != step.old:
        os.link(step.saved, step.leaf, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
        raise FileExistsError("another file stands there")


# -- rollback: Put back what a run had switched when it failed, and remove what it had made. Takes the changes and
# steps of a Transaction, or of the journal a dead one left; every function can be called again after
# a kill. Loaded with every run, not when one fails: that may be for want of the very files an import
# would open.


def roll_back(run: Transaction, switched: Switched) -> list[str]:
    """Puts every switched name back; returns those that could not be."""
    left = _put_all_back(run, [each for each in switched if not each[1].old])
    for made in reversed(run.new_directories):  # before the old files: one may belong where a directory stands now
        run.directories.unmake(made)
    left += _put_all_back(run, [each for each in switched if each[1].old])
    try:
        run.sync_directories({step.parent for _, step in switched if not step.missing})
    except OSError:
        pass  # the names are back; whether a power cut now would forget that is out of our hands
    return left


def _put_all_back(run: Transaction, switched: Switched) -> list[str]:
    left = []
    for change, step in reversed(switched):
        try:
            if not put_back(run.directories, step):
                _restage_old(run, step, change)
        except (OSError, PatchkitError):
            left.append(change.path)
    return left


def put_back(directories: Directories, step: JournalStep) -> bool:
    """Gives one name its old content again if it has the new; False when there is no second name to do it with."""
    if step.in_place:
        from patchkit.workspace import in_place

        in_place.put_back(directories, step)
        return True
    now = directories.sign(step.parent, step.leaf)
    if now != step.new:
        return True  # not switched, or somebody else's since
    directory = directories.handle(step.parent)
    if not step.old:
        os.unlink(step.leaf, dir_fd=directory)
    elif not step.saved:
        return False
    elif now or directories.sign(step.directory, step.saved):  # else it was not we who took the name away
        os.rename(step.saved, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)
    return True


def _restage_old(run: Transaction, step: JournalStep, change: FileChange) -> None:
    """Brings the old content of a single file back from memory: it had no second name."""
    if run.directories.sign(step.parent, step.leaf) != step.new:
        return
    run.save_copy(step.staged, step.parent, change, sync=False)  # the disk may be what failed
    directory = run.directories.handle(step.parent)
    os.rename(step.staged, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)


def remove_leavings(directories: Directories, step: JournalStep) -> None:
    """Removes the staged file and the second name of a step, if they are there."""
    for name in (step.staged, step.saved):
        if name:
            directories.remove(step.directory, name)


def explained(error: BaseException, at: FileChange | None, left: list[str]) -> BaseException:
    """The error as one of ours: what failed, and whether everything is as it was."""
    path = at.path if at is not None else NAME
    if not left and not isinstance(error, OSError):
        return error
    why = reason(error) if isinstance(error, OSError) else type(error).__name__
    if left:
        return PatchkitError("P404", file=path, reason=why, left=", ".join(left))
    return PatchkitError("P402", file=path, reason=why)
