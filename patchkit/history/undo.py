"""Work out how to undo a run, or to redo one that was undone.

Takes a Run and the workspace it ran in; gives the Plan that makes every name what it was before, or raises with
every name that is no longer what the run left: newer work is never overwritten. The plan is committed like every
other: its names are found through the workspace, its transaction is recorded, and redoing needs just that.
"""

from __future__ import annotations

import os
import time

from patchkit.core.changes import Entry, FileChange, LinkChange, Plan, Whole, ancestors, hindrance_in, refuse_protected
from patchkit.core.workspace import NEW, Location, Metadata, WorkspaceEntry, open_kept, sign, write_closing
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError, raise_all
from patchkit.history import EXECUTABLE, IN_PLACE, PLAIN, CommitRecords, Edit, Recorder, directory_of, is_known_by
from patchkit.history.reading import Commit, NameRecord, Run, runs

_OTHER = {"applied": "undone", "undone": "applied"}


def inverse_of(run: Run, workspace: Workspace) -> Inverse:
    """The inverse of a run; raises where it cannot be taken back at all."""
    if run.hindrance:
        raise PatchkitError("P324", run=run.id, verb=verb(run), reason=run.hindrance)
    return Inverse(run, workspace)


def planned(inverse: Inverse, run: Run) -> Plan:
    """What taking back a run would change."""
    try:
        return inverse.plan()
    except (ValueError, IndexError):  # a field that is not a number, or is missing
        raise PatchkitError("P324", run=run.id, verb=verb(run), reason="its record is damaged") from None


def reverse(run: Run, workspace: Workspace, since: int = 0) -> Plan:
    """Undoes a run, or redoes one that was undone, at `since` (in ns) or later; returns the plan that did it."""
    inverse = inverse_of(run, workspace)
    plan = planned(inverse, run)
    directory = directory_of(workspace.real)
    if directory is not None:
        renewal = Renewal(workspace.real, directory, run, since)
        renewal.known = inverse.known
        workspace.observer = CommitRecords(renewal)
    wanted, unwanted = map(run.directories, ("had", "has") if run.state == "applied" else ("has", "had"))
    workspace.directories.modes |= wanted
    workspace.keep_links = any(IN_PLACE in kept.needs[2:] for commit in run.commits for kept in commit.names)
    plan.commit()
    workspace.directories.change(wanted, unwanted)
    for commit in reversed(run.commits):
        for made in reversed(commit.directories):
            workspace.directories.unmake(made)
    return plan


def verb(run: Run) -> str:
    return "undo" if run.state == "applied" else "redo"


class Renewal(Recorder):
    """The record of a run in its other state, which replaces the one that exists."""

    def __init__(self, root: str, directory: str, run: Run, since: int) -> None:
        super().__init__(root, directory)
        self.run = run.id
        self.author = run.author if any(run.author) else []
        self.remarks = run.remarks
        self._other = _OTHER[run.state]
        self._first = run.time
        self._since = since  # a clock may not advance, but the order of events must be kept

    def save(self, frame: list[bytes]) -> None:
        temporary = f"{self.path}.tmp"
        opened = open_kept(temporary, NEW & ~os.O_EXCL | os.O_TRUNC)
        write_closing(opened, self.head(self._other, self._first, max(time.time_ns(), self._since)), *frame)
        os.rename(temporary, self.path)


class Content:
    """What a name holds while a run is undone in memory: at first what it holds now, at last what it held before."""

    def __init__(self, entry: WorkspaceEntry) -> None:
        self.is_directory = entry.kind == "directory"
        if self.is_directory:  # which goes with its last file
            entry.kind = "missing"
        self.entry = entry  # what the name holds now
        self.kind = entry.kind
        self.target = entry.target
        self.keeps: Entry | None = entry
        self.unchanged = True
        self.executable: bool | None = None  # whether it was, where the run changed that
        self._pieces: list[bytes] | None = None

    @property
    def data(self) -> bytes:
        return self.entry.data if self._pieces is None else b"".join(self._pieces)

    def becomes(self, kind: str, pieces: list[bytes] | None = None, keeps: Entry | None = None) -> None:
        self.kind, self._pieces, self.keeps, self.unchanged = kind, pieces, keeps, False

    def change(self, name: str) -> FileChange:
        if self.kind == "link":
            return LinkChange(name, self.entry, [os.fsencode(self.target)], None)
        made = FileChange(name, self.entry, self._pieces if self.kind == "file" else None, self.keeps)
        made.executable = self.executable
        return made


class Inverse:
    """A run that is undone in memory, from its last commit to its first.

    `contents` is what names hold: what is missing there is looked up in the workspace.
    """

    def __init__(self, run: Run, workspace: Workspace, contents: dict[str, Content] | None = None) -> None:
        self.known: dict[tuple[str, str], list[Edit]] = {}  # for the record of the undo
        self._run = run
        self._workspace = workspace
        self._contents: dict[str, Content] = {} if contents is None else contents
        # Names whose content old content is made of, unless it is that content unchanged.
        self._bases = {
            kept.base for commit in run.commits for kept in commit.names if kept.way == "spans" and kept.needs[1]
        }

    def plan(self) -> Plan:
        for commit in reversed(self._run.commits):
            raise_all([self._foreign(kept.name) for kept in commit.names if not self.is_what_the_run_left(kept)])
            self.take_back(commit)
        plan = Plan(self._workspace)
        changed = [each for each in self._contents.items() if not each[1].unchanged]
        # What needs the place of a directory, or of a file above it, comes when that is gone.
        for name, content in sorted(changed, key=lambda each: each[1].is_directory or each[1].entry.blocker != ""):
            refuse_protected(name, name, self._workspace.allow_vcs)
            plan.changes[name] = content.change(name)
        for name, content in changed:
            if content.kind == "missing":
                continue
            held = hindrance_in(content.entry, plan) if content.is_directory else None
            blocker = content.entry.blocker
            if blocker and (blocker not in plan.changes or plan.changes[blocker].after is not None):
                held = blocker
            if held is not None:
                raise self._foreign(held or name)
        return plan

    def content(self, name: str) -> Content:
        if name not in self._contents:
            # From the root and not from where relative paths start; never through a link; and with spaces at its ends.
            path = f"{self._workspace.root.rstrip('/')}/{name}"
            self._workspace.gone, gone = {*ancestors(name)}, self._workspace.gone
            self._contents[name] = Content(self._workspace.reach(path, name.split("/"), follow=False))
            self._workspace.gone = gone
        return self._contents[name]

    def is_what_the_run_left(self, kept: NameRecord) -> bool:
        content = self.content(kept.name)
        entry = content.entry
        if content.kind != kept.after or entry.name != kept.name:
            return False
        if content.kind == "missing":
            return True
        if content.kind == "link":
            return content.target == kept.hash
        if content.unchanged and entry.size != int(kept.size):
            return False
        if kept.hash:
            # Not the sign: a file written in place within one tick of the clock, and with the same size, keeps it;
            # and one that was touched, or restored by another undo, has a new one and is what it was.
            return is_known_by([content.data], [kept.size, kept.hash])
        if not content.unchanged:
            return True
        if kept.name in self._bases:
            _ = entry.data  # read first: then the sign is that of the content used
        status = entry.location.status
        return status is not None and sign(status) == kept.sign

    def _foreign(self, name: str) -> PatchkitError:
        others = [run for run in runs(self._workspace.real) if run.state == "applied" and run.since > self._run.since]
        newer = [run.id for run in others for commit in run.commits for kept in commit.names if kept.name == name]
        facts = {"newer": newer[0]} if newer else {}
        return PatchkitError("P323", run=self._run.id, verb=verb(self._run), file=name, **facts)

    def take_back(self, commit: Commit) -> None:
        """One commit: the old content of every name is worked out before any of them gets it, as names may swap."""
        before = [(*self._before(kept), self._executable(kept)) for kept in commit.names]
        for kept, (kind, pieces, keeps, executable) in zip(commit.names, before):
            content = self.content(kept.name)
            content.becomes(kind, pieces, keeps)
            if kept.way == "link":
                content.target = kept.needs[0]
            if kept.way == "none" and kept.needs:  # a directory, which is made again for the files in it
                self._workspace.directories.modes[(*kept.name.split("/"),)] = int(kept.needs[0])
            content.executable = executable

    def _executable(self, kept: NameRecord) -> bool | None:
        """Whether a file was executable, where the run has changed that; else what is known of the one it became."""
        if kept.way != "spans":
            return None
        modes = [each for each in kept.needs[2:] if each in (EXECUTABLE, PLAIN)]
        return modes[0] == EXECUTABLE if modes else self.content(kept.base).executable

    def _before(self, kept: NameRecord) -> tuple[str, list[bytes] | None, Entry | None]:
        if kept.way == "whole":
            return "file", [kept.content] if kept.content else [], _remembered(kept)
        if kept.way == "spans":
            base = self.content(kept.base)
            same = base.unchanged and not kept.needs[1]  # it only had another name
            return "file", Whole(base.entry) if same else self._spliced(kept, base), base.keeps
        return kept.before, None, None

    def _spliced(self, kept: NameRecord, base: Content) -> list[bytes]:
        """The old content: the present one with the old bytes where they were."""
        data, view, old = base.data, memoryview(base.data), kept.content
        edits: list[Edit] = []
        pieces: list[bytes] = []
        end = used = 0
        numbers = list(map(int, kept.needs[1].split()))
        for start, length, size in zip(numbers[::3], numbers[1::3], numbers[2::3]):
            pieces += [view[end:start], old[used : used + size]]  # type: ignore[list-item]  # a view is written like bytes
            edits.append((start, start + length, size))
            end, used = start + length, used + size
        pieces.append(view[end:] if edits else data)  # type: ignore[arg-type]  # as above
        if len(self._run.commits) == 1:
            self.known[(kept.base, kept.name)] = edits
        return [piece for piece in pieces if piece]


def _remembered(kept: NameRecord) -> Entry:
    """An entry that has nothing but the metadata of a file that is gone."""
    numbers, *attributes = kept.needs
    mode, uid, gid = map(int, numbers.split())
    status = os.stat_result((mode, 0, 0, 1, uid, gid, 0, 0, 0, 0))
    entry = Entry(kept.name, "file")
    location = Location((), (), kept.name, status)
    values = [(name, bytes.fromhex(value)) for name, value in zip(attributes[::2], attributes[1::2])]
    location.metadata = Metadata(status, values)
    entry.location = location
    return entry
