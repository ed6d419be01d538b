"""Finish or undo what an interrupted run left behind.

Takes the journal at the root, under the lock; gives notes of what was done. An intent is undone by removing what was
staged. A run under proof is taken back whatever its names hold: a command may have changed them, or a person since, so
what is replaced is kept in the state directory. A commit is finished, unless a name holds content that is neither its
old nor its new: then that stays as it is, every other name gets its old content back, and the note says so. A journal
about version control is followed only if its run was allowed to change that (`vouch`). Recovery never blocks later
runs: a journal that cannot be read or acted on is renamed and reported.
"""

from __future__ import annotations

import os
import stat

from patchkit.core.workspace import (
    DIRECTORY,
    INSIDE,
    NEW,
    READING,
    Directories,
    JournalStep,
    Parts,
    close,
    content,
    in_place,
    make,
    read_all,
    root_id,
    state_directory,
    write_closing,
    write_record,
)
from patchkit.core.workspace.transaction import (
    FIELDS,
    HEAD,
    IN_GIT,
    JOURNAL,
    TAIL,
    UNDER_PROOF,
    YES,
    claim,
    concerns_protected,
    dump,
    forget,
    goes_along,
    put_back,
    remove_leftovers,
    remove_replaced,
    switch,
    vouching_path,
)
from patchkit.errors import Note
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Look = Callable[[Directories, JournalStep], None]


class Journal(Record):
    """A record as it was written: 'intent', 'commit', or 'done' when only leftovers remain; and the steps.

    A run that is to be proved has UNDER_PROOF in the place of 'commit', and IN_GIT while it is put into a commit.

    `successor` is the name under which the next record is written before it replaces this one.
    """

    state: str
    successor: str
    steps: list[JournalStep]


def look_again(directories: Directories, is_in_git: Callable[[str, list[str]], bool] | None = None) -> list[Note]:
    """Deals with what has the journal's name, once no other run can: the lock is taken.

    `is_in_git` is asked with the id and the names of a run that was put into a commit when it was interrupted.
    """
    status = directories.status((), JOURNAL)
    if status is None:
        return []
    try:
        if stat.S_ISREG(status.st_mode):
            return recover(directories, content(directories, (), JOURNAL), is_in_git)
        if stat.S_ISLNK(status.st_mode):
            target = os.readlink(os.fsencode(JOURNAL), dir_fd=directories.handle(()))
            intent = load(target.replace(b"\n", b"\0"))  # as `as_target` wrote it
            if intent is not None and intent.state == "intent":  # no run writes another record as a link
                return _recovered(directories, intent)
    except PermissionError:
        pass
    return set_aside(directories)


def recover(
    directories: Directories, data: bytes, is_in_git: Callable[[str, list[str]], bool] | None = None
) -> list[Note]:
    """Deals with a journal found at the root; returns notes about it."""
    journal = load(data)
    if journal is not None and journal.state.startswith(f"{IN_GIT} "):
        run = journal.state.removeprefix(f"{IN_GIT} ")
        there = is_in_git is not None and is_in_git(run, [step.name for step in journal.steps])
        journal.state = "done" if there else UNDER_PROOF
    return _broken(directories, data) if journal is None else _recovered(directories, journal)


def _recovered(directories: Directories, journal: Journal) -> list[Note]:
    protected = concerns_protected(journal.steps)
    run = journal.successor
    if protected and not (run and os.path.lexists(vouching_path(directories.root, run))):
        return set_aside(directories)
    finish = {"commit": _finish, "done": _finished, UNDER_PROOF: _take_back}.get(journal.state, _tidy)
    notes = finish(directories, journal.steps)
    if journal.state == "commit" and any(step.in_place for step in journal.steps):
        completed = notes == _finished(directories, journal.steps)
        _settle(directories, journal, "done" if completed else "intent")
    for step in journal.steps:
        remove_leftovers(directories, step)
    if notes[0].facts["outcome"] == "completed":
        remove_replaced(directories, journal.steps)
    directories.remove((), journal.successor)
    # The journal goes last: a name that comes back after another power cut needs it.
    directories.sync({(), *(step.directory for step in journal.steps)}, quietly=True)
    directories.remove((), JOURNAL)
    directories.sync({()}, quietly=True)
    if protected:
        forget(directories.root, journal.successor)
    return notes


def _settle(directories: Directories, journal: Journal, state: str) -> None:
    """Records that only leftovers remain: without its copies, the state of a file written in place is unknown."""
    root = directories.handle(())
    try:
        directories.remove((), journal.successor)
        write_record(directories, journal.successor, dump(state, journal.successor, journal.steps))
        os.rename(journal.successor, JOURNAL, src_dir_fd=root, dst_dir_fd=root)
    except OSError:
        return  # only a kill in the next moments would need it
    directories.sync({()}, quietly=True)


def _broken(directories: Directories, data: bytes) -> list[Note]:
    """An incomplete record: an intent cut short names nothing that exists; anything else is kept for a person.

    A power cut may leave zeros in the place of what was written. Other records were synced before they got this name.
    """
    if len(data) < 40 or b"\0intent" in data[:40] or not data[:40].strip(b"\0"):
        directories.remove((), JOURNAL)
        return [Note("P941", outcome="cleaned-up")]
    return set_aside(directories)


def set_aside(directories: Directories) -> list[Note]:
    """Renames a journal that cannot be read, whatever it is, so that later runs are not stopped by it."""
    root = directories.handle(())
    for number in range(100):
        aside = f"{JOURNAL}.broken{number or ''}"
        if directories.sign((), aside):
            continue
        try:
            os.rename(JOURNAL, aside, src_dir_fd=root, dst_dir_fd=root)
        except OSError:
            break
        return [Note("P943", file=aside)]
    return [Note("P943", file=JOURNAL)]


def _tidy(directories: Directories, steps: list[JournalStep]) -> list[Note]:
    """The note about a run that ended after its intent; a single file may have been switched all the same."""
    step = steps[0] if steps else None
    if step is not None and len(steps) == 1 and step.staged and not step.in_place:
        now, staged = directories.sign(step.parent, step.leaf), directories.sign(step.directory, step.staged)
        if now and (now == staged or (not staged and now != step.old)):
            return [Note("P941", outcome="completed", count=1)]
    return [Note("P941", outcome="cleaned-up")]


def _finished(_: Directories, steps: list[JournalStep]) -> list[Note]:
    return [Note("P941", outcome="completed", count=len(steps))]


def _finish(directories: Directories, steps: list[JournalStep]) -> list[Note]:
    """Rolls a committed run forward, or back where that fails."""
    made = _made(steps)
    foreign = [step.name for step in steps if not _ours(directories, step, made)]
    mine = [step for step in steps if step.name not in foreign]
    if not foreign or _past_undoing(directories, mine, made):
        now_made: list[Parts] = []
        held = goes_along(mine)
        try:
            for step in mine:
                if _state(directories, step, made) != "new":
                    directories.make(step.directory, step.missing, now_made)
                    switch(directories, step, held)
            directories.sync({step.parent for step in steps} | {each[:-1] for each in now_made}, quietly=True)
            if not foreign:
                return _finished(directories, steps)
            return [Note("P944", outcome="completed", foreign=", ".join(foreign))]
        except OSError:
            pass
    left = _undo_all(directories, steps)
    if not foreign and not left:
        return [Note("P941", outcome="rolled-back", count=len(steps))]
    return [Note("P944", outcome="rolled-back", count=len(steps), foreign=", ".join(foreign + left))]


def _take_back(directories: Directories, steps: list[JournalStep]) -> list[Note]:
    """Takes back a run that was under proof: every name gets its old content, whatever it holds now."""
    made = _made(steps)
    changed = [step for step in steps if _state(directories, step, made) == "foreign"]
    foreign = [step.name for step in changed if _keep(directories, step)]
    left = _undo_all(directories, steps, claim)
    if left:
        return [Note("P944", outcome="rolled-back", count=len(steps), foreign=", ".join(left))]
    if foreign:
        kept = _kept_in(directories)
        return [Note("P941", outcome="taken-back", count=len(steps), foreign=", ".join(foreign), kept=kept)]
    return [Note("P941", outcome="rolled-back", count=len(steps))]


def _keep(directories: Directories, step: JournalStep) -> bool:
    """Copies what a name holds into the state directory, before it is replaced; False where there is nothing."""
    try:
        opened = os.open(step.leaf, READING, dir_fd=directories.handle(step.parent))
    except OSError:
        return False
    try:
        home = _kept_in(directories)
        make(home)
        copy = os.open(f"{home}/{root_id(step.name)}", NEW & ~os.O_EXCL | os.O_TRUNC, 0o600)
        write_closing(copy, read_all(opened, os.fstat(opened).st_size))
    except OSError:
        pass  # what a command of the run left there is not worth a failure
    finally:
        close(opened)
    return True


def _kept_in(directories: Directories) -> str:
    return f"{state_directory(os.path.realpath(directories.root)) or INSIDE}/taken_back"


def _undo_all(directories: Directories, steps: list[JournalStep], look: Look = lambda *_: None) -> list[str]:
    """Gives all names their old content back, each once it was looked at; returns those for which that failed."""
    left = _undo(directories, [step for step in steps if not step.old], look)
    for step in steps:
        for depth in range(len(step.missing), 0, -1):  # directories the dead run made, where they are empty again
            directories.unmake((*step.directory, *step.missing[:depth]))
    left += _undo(directories, [step for step in steps if step.old], look)
    directories.sync({step.parent for step in steps}, quietly=True)
    return left


def _past_undoing(directories: Directories, steps: list[JournalStep], made: set[Parts]) -> bool:
    """Whether the run had switched every name and begun to remove old contents: then those are lost."""
    if any(_state(directories, step, made) != "new" for step in steps):
        return False
    return any(step.saved and not directories.sign(step.directory, step.saved) for step in steps)


def _undo(directories: Directories, steps: list[JournalStep], look: Look) -> list[str]:
    """Gives names their old content back; returns those for which that failed."""
    left = []
    for step in reversed(steps):
        try:
            look(directories, step)
            if not put_back(directories, step):
                left.append(step.name)  # its second name is lost
        except OSError:
            left.append(step.name)
    return left


def _made(steps: list[JournalStep]) -> set[Parts]:
    """The directories that a run makes."""
    return {step.parent[:depth] for step in steps for depth in range(len(step.directory) + 1, len(step.parent) + 1)}


def _ours(directories: Directories, step: JournalStep, made: set[Parts]) -> bool:
    """Whether a name holds its old or its new content, and can still get the new."""
    try:
        if step.staged and not step.new:
            return False  # no run of ours writes that
        state = _state(directories, step, made)
        if state in ("new", "foreign"):
            return state == "new"
        return not step.staged or directories.sign(step.directory, step.staged) == step.new
    except OSError:
        return False


def _state(directories: Directories, step: JournalStep, made: set[Parts]) -> str:
    """What a name holds: 'old', 'new', something 'foreign'; or 'torn' when it was written in place, not to the end."""
    if step.in_place:
        return in_place.state(directories, step)
    now = directories.sign(step.parent, step.leaf)
    if not now and step.old == DIRECTORY and directories.sign(step.directory, step.saved):
        return "old"  # a kill came between the two calls
    if now == DIRECTORY and (*step.parent, step.leaf) in made:
        now = ""  # the run made it in the place of the file
    return "new" if now == step.new else "old" if now == step.old else "foreign"


# -- reading a journal ---------------------------------------------------------------------------


def load(data: bytes) -> Journal | None:
    """Returns the record, None when it is not complete or not ours."""
    head, *fields = os.fsdecode(data).split("\0")
    size = len(FIELDS)
    if head != HEAD or len(fields) < 3 or fields[-1] != TAIL or (len(fields) - 3) % size:
        return None
    state, successor, *rest = fields[:-1]
    steps = [_step(dict(zip(FIELDS, rest[at : at + size]))) for at in range(0, len(rest), size)]
    if not _is_ours(successor) or not all(map(_is_safe, steps)):
        return None
    return Journal(state, successor, steps)


def _step(fields: dict[str, str]) -> JournalStep:
    step = JournalStep(_parts(fields["directory"]), _parts(fields["missing"]), fields["leaf"])
    step.staged, step.saved = fields["staged"], fields["saved"]
    step.old, step.new = fields["old"], fields["new"]
    step.in_place = fields["in_place"] == YES
    return step


def _parts(joined: str) -> tuple[str, ...]:
    return tuple(joined.split("/")) if joined else ()


def _is_safe(step: JournalStep) -> bool:
    """Whether a step names plain components and files of ours: a journal may come with a cloned tree, for instance."""
    plain = all(part not in ("", ".", "..") and "/" not in part for part in (*step.parent, step.leaf))
    return plain and _is_ours(step.staged) and _is_ours(step.saved)


def _is_ours(name: str) -> bool:
    """Whether a file of this name may be one that a run of ours left; '' means no file."""
    return not name or (name.startswith(".patchkit-") and name.endswith(".tmp") and "/" not in name)
