"""Make a Plan true, or leave no trace.

Takes a Plan whose every byte is computed. After each of these steps an interrupted run can be recovered:

1. the journal's intent names what will be staged, and is synced, so that what a killed run or a power cut leaves can
   be found;
2. new content is written beside its targets and synced; old content gets a second name;
3. every target that exists is checked once more: one that changed meanwhile is refused (as one that appears is at 5);
4. the journal's commit record replaces the intent by one rename: from here on a kill is recovered by finishing;
5. names are switched, one rename or unlink each, and directories synced;
6. the second names are removed, that is synced, and at last the journal is removed.

A kill before 4 is undone by the next run, one after 4 finished by it. A run that is to be proved says so in its commit
record: between 5 and 6 its proof looks at the files, and may change them; a kill until it has succeeded is undone. What
it leaves at the names of the run belongs to the run, and is taken back with it. An error at any point, also after 4,
puts every name back at once. One file changed in an existing directory needs no commit record: its rename is all or
nothing by itself.

Everything that rolling back needs is in this module and in those it imports: a run may fail because no file can be
opened, and then nothing could be imported either.
"""

from __future__ import annotations

import os
import stat

from patchkit.core.changes import Entry, FileChange, Plan, RewrittenChange, Whole, protected_part, watched
from patchkit.core.workspace import (
    DIRECTORY,
    Directories,
    JournalStep,
    Location,
    NewFiles,
    Parts,
    content,
    file_type,
    location_of,
    make,
    metadata_of,
    same,
    sign,
    state_directory,
    write_record,
)
from patchkit.errors import Note, PatchkitError, is_any, reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

JOURNAL = ".patchkit-journal"
UNDER_PROOF = "under verification"  # the state of a run whose files are new, and whose commands have not succeeded yet
IN_GIT = "in git"  # and of one that is put into a commit of git; the id of the run follows
HEAD, TAIL = "patchkit journal 1", "whole"
_LONGEST_TARGET = 1000  # bytes; XFS takes 1,024, others more
YES = "through"  # how `in_place` is written; the word is older than the attribute's name

FIELDS = JournalStep.__slots__  # a record has these of each step, in this order
_TRIES = 5  # of rolling back, each ended by a signal


class Transaction:
    """The commit of one plan under one root, whose lock the caller holds.

    `sync` waits for the disk; `owner_may_change` accepts an owner that cannot be kept; `keep_links` writes to a file
    with several hard links instead of replacing it. `on_commit` is called once every name is new, `on_progress` with
    what is done, how many times, and of how many.
    """

    def __init__(
        self,
        directories: Directories,
        *,
        sync: bool,
        owner_may_change: bool,
        keep_links: bool,
        on_commit: Callable[[], None] | None,
        on_progress: Callable[[str, int, int], None] | None,
        prove: Callable[[Plan, Transaction], None] | None = None,
    ) -> None:
        self.made = False  # every name is new: from here on nothing may fail
        self.new_directories: list[Parts] = []  # directories that this run made
        self._directories = directories
        self._sync = sync
        self._keep_links = keep_links
        self._on_commit = on_commit
        self._on_progress = on_progress
        self._prove = prove
        self._id = f".patchkit-{os.getpid()}-{os.urandom(4).hex()}"
        self._successor = f"{self._id}.tmp"  # the commit record until it replaces the intent
        self._new_files = NewFiles(directories, sync, owner_may_change)
        self._changes: list[FileChange] = []
        self._steps: list[JournalStep] = []  # one for each change
        self._seen: list[os.stat_result | None] = []  # what each of them was when it was planned
        self._protected = False  # whether one of them is inside version control
        self._switched = 0  # how many of them are switched
        self._journalled = self._committed = False
        self._proving = False  # the proof was begun: what a name holds is the run's, whatever it is
        self._at: FileChange | None = None  # the change that an error is about

    def commit(self, plan: Plan, changes: list[FileChange]) -> None:
        """Makes these changes of the plan, all that have an effect, or raises with every name as it was."""
        if not changes:
            return
        try:
            self._prepare(changes)
            self._switch_all()
            if self._prove is not None:
                self._proving = True
                self._prove(plan, self)
                if not self.made:  # by a commit of git, which its record names
                    self._write_journal("done")  # from here on a kill finishes the run
            self.made = True
            if self._on_commit is not None:
                self._on_commit()
        except BaseException as error:
            if not self.made:
                raise self._taken_back(error) from None
        self._clear()
        for change, step in zip(changes, self._steps):
            if isinstance(change.after, Whole):  # the file is found under its new name from now on
                moved = location_of(change.after.entry)
                moved.directory, moved.leaf = step.parent, step.leaf
        plan.notes.extend(self._link_notes())

    def record(self, state: str) -> None:
        """Replaces the commit record of a run under proof by one of another state, see `recovery`."""
        self._write_journal(state)

    def rewritten(self, plan: Plan) -> list[FileChange]:
        """The changes whose names hold something else than was written; from here on that belongs to the run."""
        found: list[FileChange] = []
        self._directories.forget()
        for number, (change, step) in enumerate(zip(self._changes, self._steps)):
            self._at = change
            if change.is_link:
                continue
            after = self._held(change, step)  # not the sign: a file changed within one tick of the clock may keep it
            step.new = self._directories.sign(step.parent, step.leaf) if after is not None else ""
            if after == (b"".join(change.after) if change.after is not None else None):
                continue
            new = RewrittenChange(change, [after] if after is not None else None)
            plan.changes[change.before.name] = self._changes[number] = new
            found.append(new)
        return found

    def _held(self, change: FileChange, step: JournalStep) -> bytes | None:
        """The content of the file at a name; None where there is none."""
        status = self._directories.status(step.parent, step.leaf)
        if status is None or (*step.parent, step.leaf) in self.new_directories:
            return None
        if not stat.S_ISREG(status.st_mode):
            raise PatchkitError("P306", file=change.path, type=file_type(status))
        return content(self._directories, step.parent, step.leaf)

    @property
    def outcome(self) -> list[tuple[FileChange, str]]:
        """Every change with the sign of what its name holds now."""
        return [(change, step.new) for change, step in zip(self._changes, self._steps)]

    @property
    def written_to(self) -> list[str]:
        """The names of files that were written in place."""
        return [change.before.name for change, step in zip(self._changes, self._steps) if step.in_place]

    def _link_notes(self) -> list[Note]:
        """Notes about replaced files whose other hard links keep the old content."""
        notes = []
        for change, step, status in zip(self._changes, self._steps, self._seen):
            if status is None or status.st_nlink < 2:
                continue
            if change.before.kind == "file" and change.after is not None and not step.in_place:
                notes.append(Note("P932", file=change.path, count=status.st_nlink))
        return notes

    # -- forward ---------------------------------------------------------------------------------

    def _prepare(self, changes: list[FileChange]) -> None:
        """Steps 1 to 4: afterwards only names are left to switch."""
        self._changes = changes
        for number, change in enumerate(changes):
            location = location_of(change.before)
            self._seen.append(location.status)  # what is read for the first time below has another there
            self._steps.append(self._step(number, change, location))
        self._let_go_along()
        first = self._steps[0]
        simple = len(changes) == 1 and first.staged and not (first.missing or first.in_place or self._prove is not None)
        if simple:
            first.saved = ""
        homes = self._homes()
        for directory in homes:
            self._remove_orphans(directory)
        self._protected = concerns_protected(self._steps)
        if self._protected:
            vouch(self._directories.root, self._successor)
        try:
            self._write_journal("intent")
        except OSError as error:
            # A root that may not be written to, or is mounted read-only: one rename below it needs no journal.
            if not simple or not is_any(error, "EACCES", "EPERM", "EROFS"):
                raise
        for change, step in watched(self._on_progress, "writing", zip(changes, self._steps), len(changes)):
            self._at = change
            self._stage(step, change)
        self._new_files.complete(self._sync)
        for change, step, seen in zip(changes, self._steps, self._seen):
            self._at = change
            if seen is not None and not same(self._directories.status(step.directory, step.leaf), seen):
                raise PatchkitError("P311", file=change.path)
        if not simple:
            self._sync_directories(homes)
            self._write_journal("commit" if self._prove is None else UNDER_PROOF)

    def _remove_orphans(self, directory: Parts) -> None:
        """Removes what runs left here whose journal is lost and whose process has ended."""
        for name in os.listdir(self._directories.handle(directory)):
            if name.startswith(".patchkit-") and name.endswith(".tmp"):
                owner = name.split("-")[1]
                if owner.isdecimal() and not _alive(int(owner)):
                    self._directories.remove(directory, name)

    def _step(self, number: int, change: FileChange, location: Location) -> JournalStep:
        step = JournalStep(location.directory, location.missing, location.leaf)
        if change.after is not None:
            step.staged = f"{self._id}-{number}.new.tmp"
        if location.status is not None:
            step.saved = f"{self._id}-{number}.old.tmp"
            step.old = sign(location.status)
            step.in_place = self._keep_links and location.status.st_nlink > 1 and _stays_the_same_file(change)
        return step

    def _let_go_along(self) -> None:
        """Lets deleted files go with the directory they are in, where a file or a link replaces that."""
        replaced = {(*step.directory, step.leaf) for step in self._steps if step.old == DIRECTORY}
        for step in self._steps if replaced else ():
            if not step.staged and any(step.directory[: depth + 1] in replaced for depth in range(len(step.directory))):
                step.saved = ""

    def _homes(self) -> set[Parts]:
        """The directories of what is staged and saved."""
        return {step.directory for step in self._steps if step.staged or step.saved}

    def _stage(self, step: JournalStep, change: FileChange) -> None:
        """Writes the new content beside its target; the old content gets a second name if it will lose its only one."""
        if change.after is None:
            return
        if step.in_place:
            from patchkit.core.workspace import in_place  # hard links that are kept are rare

            in_place.stage(self._new_files, self._directories, step, change)
            return
        if step.saved and step.old != DIRECTORY:
            self._save(step, change)
        if change.is_link:
            directory = self._directories.handle(step.directory)
            os.symlink(b"".join(change.after), os.fsencode(step.staged), dir_fd=directory)
            step.new = self._directories.sign(step.directory, step.staged)
            return
        whole = change.after if isinstance(change.after, Whole) and change.before.kind == "missing" else None
        # Not where a command may write to the file: that would change the old content, too.
        if whole is not None and self._prove is None and change.executable is None and self._link(step, whole.entry):
            return
        keeps = metadata_of(change.keeps) if change.keeps is not None else None
        runs = change.executable
        self._new_files.write(step.directory, step.staged, change.after, keeps, change.path, step, executable=runs)

    def _link(self, step: JournalStep, source: Entry) -> bool:
        """Stages a file that is only renamed as a link to it: nothing is copied, and the file stays the same."""
        old = location_of(source)
        above, directory = self._directories.pair(old.directory, step.directory)
        try:
            os.link(old.leaf, step.staged, src_dir_fd=above, dst_dir_fd=directory, follow_symlinks=False)
        except (FileNotFoundError, FileExistsError):
            raise
        except OSError:
            return False  # no hard links here, another file system, or a file that this user may not link
        step.new = self._directories.sign(step.directory, step.staged)
        if old.status is None or step.new != sign(old.status):
            raise PatchkitError("P311", file=source.name)
        return True

    def _save_copy(self, name: str, directory: Parts, change: FileChange) -> None:
        """Writes the old content of a name once more, under another."""
        if change.before.kind == "link":
            os.symlink(change.before.target, name, dir_fd=self._directories.handle(directory))
            return
        keeps = metadata_of(change.before)
        self._new_files.write(directory, name, [change.before.data], keeps, change.path)

    def _save(self, step: JournalStep, change: FileChange) -> None:
        """Gives the old content a second name, or copies it where the file system has no hard links."""
        directory = self._directories.handle(step.directory)
        try:
            os.link(step.leaf, step.saved, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
        except (FileNotFoundError, FileExistsError):
            raise
        except OSError:
            self._save_copy(step.saved, step.directory, change)

    def _switch_all(self) -> None:
        held = goes_along(self._steps)
        for change, step, seen in zip(self._changes, self._steps, self._seen):
            self._at = change
            if step.missing:
                self._directories.make(step.directory, step.missing, self.new_directories)
            self._switched += 1
            try:
                looks = self._committed and step.staged and not (step.in_place and self._switched > 1)
                if looks and seen is not None and not same(self._directories.status(step.directory, step.leaf), seen):
                    raise FileExistsError("it was changed while the disk was waited for")
                switch(self._directories, step, held, self._sync)
            except OSError as error:
                if step.staged and not step.in_place and step.old != DIRECTORY:
                    self._switched -= 1  # the call that failed has changed nothing; a deletion is two calls
                if isinstance(error, FileExistsError):  # another program made it, or we did, under another spelling
                    twice = any(
                        other.name.casefold() == step.name.casefold() for other in self._steps if other is not step
                    )
                    raise PatchkitError("P303" if twice and not step.old else "P311", file=change.path) from None
                raise
        first = self._steps[0]
        if not self._committed and not first.old:  # one sync then covers both names of the new file
            self._directories.remove(first.directory, first.staged)
        parents = {step.parent for step in self._steps if step.staged or step.saved}
        self._sync_directories(parents | {made[:-1] for made in self.new_directories})

    # -- back ------------------------------------------------------------------------------------

    def _taken_back(self, error: BaseException) -> BaseException:
        """Rolls back, and returns what to raise; where a signal comes meanwhile, it begins again."""
        for _ in range(_TRIES):
            try:
                left = self._roll_back()
                # What could not be put back needs the journal and the second names: the next run tries again.
                if not left and not self._clear() and self._committed:
                    left = [JOURNAL]
                return _explained(error, self._at, left)
            except BaseException as later:
                error = later
        return error

    def _roll_back(self) -> list[str]:
        """Puts every switched name back and removes new directories; returns the names for which that failed."""
        switched = list(zip(self._changes, self._steps))[: self._switched]
        self._new_files.close()
        if self._proving:
            self._directories.forget()
        left: dict[Parts, str] = {}
        self._put_all_back([each for each in switched if not each[1].old], left)
        for made in reversed(self.new_directories):  # before the old files: one may have the name of a new directory
            self._directories.unmake(made)
        self._put_all_back([each for each in switched if each[1].old], left)
        self._sync_directories({step.parent for _, step in switched if not step.missing}, quietly=True)
        return [*left.values()]

    def _put_all_back(self, switched: list[tuple[FileChange, JournalStep]], left: dict[Parts, str]) -> None:
        """Puts names back; one above or below a name that is left waits for it, and the next run does both."""
        above = {place[:at] for place in left for at in range(1, len(place))}
        for change, step in reversed(switched):
            place = (*step.parent, step.leaf)
            if place in above or any(place[:at] in left for at in range(1, len(place))):
                left[place] = change.path
                continue
            try:
                if self._proving:
                    claim(self._directories, step)
                if not put_back(self._directories, step):
                    self._restage_old(step, change)
            except (OSError, PatchkitError):
                left[place] = change.path

    def _restage_old(self, step: JournalStep, change: FileChange) -> None:
        """Restores the old content of a file from memory: it had no second name, or a command removed that."""
        if self._directories.sign(step.parent, step.leaf) != step.new:
            return
        self._directories.make_again(step.parent)
        copy = f"{self._id}.back.tmp"
        self._save_copy(copy, step.parent, change)
        self._new_files.complete(sync=False)  # the disk may be what failed
        directory = self._directories.handle(step.parent)
        os.rename(copy, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)

    # -- clearing up -----------------------------------------------------------------------------

    def _clear(self) -> bool:
        """Removes second names, leftovers and at last the journal that lists them; False when that stays."""
        if self._committed and any(step.in_place for step in self._steps):
            self._settle()
        made, committed, directories = self.made, self._committed, self._directories
        for step in watched(self._on_progress, "tidying", self._steps, len(self._steps)):
            if not made or step.in_place or step.old == DIRECTORY:
                remove_leftovers(directories, step)
            elif committed and (step.saved or not step.old):  # a staged file that was renamed does not exist
                directories.remove(step.directory, step.saved or step.staged)
        if self.made:
            remove_replaced(self._directories, self._steps)
        gone = True
        if self._journalled:
            if not self.made:  # else it has replaced the journal, or was never needed
                self._directories.remove((), self._successor)
            if self._committed or not self.made:  # a name that comes back after a power cut needs the journal
                self._sync_directories(self._homes(), quietly=True)
            gone = self._directories.remove((), JOURNAL)
            if gone and self._protected:
                forget(self._directories.root, self._successor)
            if self._committed:  # if it came back later, it would be about files that have changed since
                self._sync_directories({()}, quietly=True)
        return gone

    def _settle(self) -> None:
        """Records that the run is over: without its copies, the state of a file written in place is unknown."""
        try:
            self._write_journal("done" if self.made else "intent")
        except OSError:  # only a kill in the next moments would need it
            self._directories.remove((), self._successor)

    def _write_journal(self, state: str) -> None:
        data = dump(state, self._successor, self._steps)
        root = self._directories.handle(())
        first = not self._journalled
        self._at = None
        self._journalled = True  # before it exists: a signal may come right after the call
        if not first:
            write_record(self._directories, self._successor, data, self._sync)
            self._committed = True
            os.rename(self._successor, JOURNAL, src_dir_fd=root, dst_dir_fd=root)
        else:
            try:
                self._write_intent(data, root)
            except OSError:
                self._journalled = False  # the file that exists is not ours
                raise
        self._sync_directories({()})

    def _write_intent(self, data: bytes, root: int) -> None:
        """Writes the first record: as the target of a link where it fits, because a link needs no sync of its own."""
        target = as_target(data)
        if target:
            try:
                os.symlink(target, os.fsencode(JOURNAL), dir_fd=root)
                return
            except FileExistsError:
                raise
            except OSError:
                pass  # no symbolic links here
        write_record(self._directories, JOURNAL, data, self._sync)

    def _sync_directories(self, directories: set[Parts], quietly: bool = False) -> None:
        """`quietly` where the names are as they should be: nothing more can be done against a power cut."""
        if self._sync:
            self._directories.sync(directories, quietly)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def _stays_the_same_file(change: FileChange) -> bool:
    """Whether a file gets new content and is not moved or replaced by another."""
    same = change.before.kind == "file" and change.keeps is change.before and change.executable is None
    return same and change.after is not None


# -- one name: used by recovery as well; each function can be called again after a kill ----------


def goes_along(steps: list[JournalStep]) -> dict[Parts, str]:
    """The signs of the files that are deleted with their directories."""
    return {(*step.parent, step.leaf): step.old for step in steps if not step.staged and not step.saved}


def switch(directories: Directories, step: JournalStep, held: dict[Parts, str], sync: bool = True) -> None:
    """Gives one name its new content, or removes it; a directory that is replaced may hold only what is in `held`."""
    if step.in_place:
        from patchkit.core.workspace import in_place  # hard links that are kept are rare

        in_place.switch(directories, step, sync)
    elif not step.staged:
        if step.saved:
            _remove_name(directories, step)
    elif step.old and step.old != DIRECTORY:
        directory = directories.handle(step.directory)
        os.rename(step.staged, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)
    else:
        if step.old:
            _move_away(directories, step, held)
        source, parent = directories.pair(step.directory, step.parent)
        try:  # a link does not replace a file that another program made meanwhile; a rename would
            os.link(step.staged, step.leaf, src_dir_fd=source, dst_dir_fd=parent, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:
            if directories.sign(step.parent, step.leaf):
                raise
            os.rename(step.staged, step.leaf, src_dir_fd=source, dst_dir_fd=parent)


def _remove_name(directories: Directories, step: JournalStep) -> None:
    """Removes a name by renaming the file to one of ours: if it was replaced at the last moment, it can be put back."""
    directory = directories.handle(step.directory)
    os.rename(step.leaf, step.saved, src_dir_fd=directory, dst_dir_fd=directory)
    if directories.sign(step.directory, step.saved) != step.old:
        os.link(step.saved, step.leaf, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
        raise FileExistsError("the file was replaced")


def _move_away(directories: Directories, step: JournalStep, held: dict[Parts, str]) -> None:
    """Renames a directory that is replaced to one of our names; one that holds anything else is put back."""
    place, saved = (*step.directory, step.leaf), (*step.directory, step.saved)
    directories.forget(place)
    above = directories.handle(step.directory)
    if not directories.sign(step.directory, step.saved):  # else an earlier attempt did this
        os.rename(step.leaf, step.saved, src_dir_fd=above, dst_dir_fd=above)
    if directories.sign(step.directory, step.saved) != DIRECTORY:
        os.link(step.saved, step.leaf, src_dir_fd=above, dst_dir_fd=above, follow_symlinks=False)
        raise FileExistsError("the directory was replaced")
    for parts, is_directory in directories.below(saved):
        known = held.get((*place, *parts[len(saved) :]))
        if not is_directory and directories.sign(parts[:-1], parts[-1]) != known:
            put_back(directories, step)
            raise FileExistsError("the directory holds another file")


def claim(directories: Directories, step: JournalStep) -> None:
    """Takes what a name holds now for what the run left there, after a command that may have changed it."""
    now = directories.sign(step.parent, step.leaf)
    is_old = step.old == DIRECTORY and not directories.sign(step.directory, step.saved)
    if now == DIRECTORY and not is_old:  # no rename of a file replaces one
        directories.set_aside(step.parent, step.leaf)
    step.new = directories.sign(step.parent, step.leaf)
    if step.saved and not directories.sign(step.directory, step.saved):
        step.saved = ""  # the command removed it


def put_back(directories: Directories, step: JournalStep) -> bool:
    """Gives one name its old content again if it has the new; False when the old has no second name."""
    if step.in_place:
        from patchkit.core.workspace import in_place  # hard links that are kept are rare

        in_place.put_back(directories, step)
        return True
    now = directories.sign(step.parent, step.leaf)
    if step.old == DIRECTORY:
        _put_directory_back(directories, step, now)
        return True
    if now != step.new or (now and now == step.old):
        return True  # not switched, put back already, or replaced by another program since
    if not step.old:
        if now:  # else a command has removed it already
            os.unlink(step.leaf, dir_fd=directories.handle(step.parent))
    elif not step.saved:
        return False
    elif now or directories.sign(step.directory, step.saved):  # else it was not this run that removed the name
        directory = directories.handle(step.parent)
        os.rename(step.saved, step.leaf, src_dir_fd=directory, dst_dir_fd=directory)
    return True


def _put_directory_back(directories: Directories, step: JournalStep, now: str) -> None:
    """Gives a directory its name again, with all that was in it; what another program made there is set aside."""
    if now == step.new and now not in ("", DIRECTORY):
        os.unlink(step.leaf, dir_fd=directories.handle(step.parent))
    if directories.sign(step.directory, step.saved) == DIRECTORY:
        directories.set_aside(step.parent, step.leaf)
        directories.forget((*step.directory, step.saved))
        above = directories.handle(step.directory)
        os.rename(step.saved, step.leaf, src_dir_fd=above, dst_dir_fd=above)


def remove_replaced(directories: Directories, steps: list[JournalStep]) -> None:
    """Removes the directories that were replaced, and of the files in them those that the run deleted."""
    replaced = {(*step.directory, step.leaf): (*step.directory, step.saved) for step in steps if step.old == DIRECTORY}
    for step in steps if replaced else ():
        place = next((at for at in range(1, len(step.parent) + 1) if step.parent[:at] in replaced), 0)
        if place and not step.staged and not step.saved:
            directories.remove((*replaced[step.parent[:place]], *step.parent[place:]), step.leaf)
    for directory in replaced.values():
        directories.unmake_all(directory)


def remove_leftovers(directories: Directories, step: JournalStep) -> None:
    """Removes the staged file and the second name of a step, if they exist."""
    for name in (step.staged, step.saved):
        if name:
            directories.remove(step.directory, name)


def _explained(error: BaseException, at: FileChange | None, left: list[str]) -> BaseException:
    """The error as a PatchkitError: what failed, and whether every name is as it was."""
    path = at.path if at is not None else JOURNAL
    if not left and not isinstance(error, OSError):
        return error
    why = reason(error) if isinstance(error, OSError) else type(error).__name__
    if isinstance(error, PatchkitError):
        path, why = left[0], f"taken back because of {error.code}"
    if left:
        return PatchkitError("P404", file=path, reason=why, left=", ".join(left))
    return PatchkitError("P402", file=path, reason=why)


# -- the journal: what an interrupted run leaves for the next one to read
# One file at the root, which exists only while a run is under way. It begins as an intent, which lists the names of
# everything that will be staged. The commit record replaces it by one rename, and from that rename on the run counts as
# done. Fields are separated by NUL, which no path contains, and the last field says that the record is complete. An
# intent that is short enough is the target of a symbolic link: after a power cut a link exists with its target or not
# at all, while a file may exist without its content unless it was synced. `recovery` reads it.


def dump(state: str, successor: str, steps: list[JournalStep]) -> bytes:
    """The bytes of a record, see Journal."""
    fields = [HEAD, state, successor]
    for step in steps:  # the order of FIELDS, written out: a patch of many files spends its time here
        fields += "/".join(step.directory), "/".join(step.missing), step.leaf
        fields += step.staged, step.saved, step.old, step.new, YES if step.in_place else ""
    return os.fsencode("\0".join([*fields, TAIL]))


def as_target(record: bytes) -> bytes:
    """A record as the target of a link, which cannot hold NUL; empty where it does not fit."""
    return b"" if len(record) > _LONGEST_TARGET or b"\n" in record else record.replace(b"\0", b"\n")


def concerns_protected(steps: list[JournalStep]) -> bool:
    """Whether any of the names is inside version control, or one of ours."""
    parts = [step.leaf for step in steps]
    for directory, missing in {(step.directory, step.missing) for step in steps}:  # far fewer than there are files
        parts += (*directory, *missing)
    return protected_part("/".join(parts)) != ""


# -- which interrupted run was allowed to change version control: what a journal in the tree cannot say by itself
# Takes a root and the name by which a run is known; keeps it in the user's state directory for as long as the run is
# under way. A journal may come with a cloned tree, or an agent may write one. One that names a file inside version
# control, where hooks are, is followed only if the run that it names was kept here: the run had `--allow-vcs`.


_KIND = "vcs"


def vouch(root: str, run: str) -> None:
    """Keeps that this run may change version control; where that fails, it is not recovered after a kill."""
    path = vouching_path(root, run)
    if not path:
        return
    try:
        make(os.path.dirname(path))
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        os.fsync(opened)
        os.close(opened)
    except OSError:
        pass


def forget(root: str, run: str) -> None:
    """Forgets a run that is over."""
    try:
        os.unlink(vouching_path(root, run))
    except OSError:
        pass


def vouching_path(root: str, run: str) -> str:
    base = state_directory(os.path.realpath(root))
    return f"{base}/{_KIND}/{run}" if base is not None else ""
