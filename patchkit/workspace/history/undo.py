"""Work out how to take a run back.

Takes a Run and the workspace it ran in; gives the Plan that makes every name what it was before, or raises with
every name that is no longer what the run left: newer work is never overwritten. The plan goes the way of every
other: found through the workspace, committed by its transaction, and recorded, which is what redoing needs.
"""

from __future__ import annotations

import os
import time

from patchkit.changes.model import Entry, FileChange, Plan, Whole
from patchkit.errors import PatchkitError, raise_all
from patchkit.workspace.directories import sign
from patchkit.workspace.history.reading import Commit, Kept, Run
from patchkit.workspace.history.recording import THROUGH, Edit, Recorder, directory_of, known_by, write_closing
from patchkit.workspace.metadata import NEW, Metadata
from patchkit.workspace.root import Standing, Workspace, WorkspaceEntry

_OTHER = {"applied": "undone", "undone": "applied"}


class LinkChange(FileChange):
    """A name that becomes a symbolic link. Only undoing a deletion makes one."""

    __slots__ = ()
    is_link = True


def reverse(run: Run, workspace: Workspace, since: int = 0) -> Plan:
    """Takes a run back, or an undone one forth again; returns the plan that did it.

    The record tells no earlier time than `since`, in nanoseconds, for when that was.
    """
    if run.hindrance:
        raise PatchkitError("P324", run=run.id, verb=verb(run), reason=run.hindrance)
    inverse = Inverse(run, workspace)
    try:
        plan = inverse.plan()
    except (ValueError, IndexError):  # numbers that are none, fields that are not there
        raise PatchkitError("P324", run=run.id, verb=verb(run), reason="its record is damaged") from None
    directory = directory_of(workspace.real)
    if directory is not None:
        workspace.recorder = Renewal(workspace.real, directory, run, since)
        workspace.recorder.known = inverse.known
    workspace.keep_links = any(THROUGH in kept.needs[4:] for commit in run.commits for kept in commit.names)
    plan.commit()
    for commit in reversed(run.commits):
        for made in reversed(commit.directories):
            workspace.directories.unmake(made)
    return plan


def verb(run: Run) -> str:
    return "undo" if run.state == "applied" else "redo"


class Renewal(Recorder):
    """The record of a run in its other state, which takes the place of the one there is."""

    def __init__(self, root: str, directory: str, run: Run, since: int) -> None:
        super().__init__(root, directory)
        self.run = run.id
        self._other = _OTHER[run.state]
        self._first = run.time
        self._since = since  # a clock may stand still, the order of what happened must not

    def save(self, frame: list[bytes]) -> None:
        temporary = f"{self.path}.tmp"
        opened = os.open(temporary, NEW & ~os.O_EXCL | os.O_TRUNC, 0o600)
        write_closing(opened, self.head(self._other, self._first, max(time.time_ns(), self._since)), *frame)
        os.rename(temporary, self.path)


class Content:
    """What a name holds on the way back: at first what stands there, at last what stood there before the run."""

    __slots__ = ("entry", "kind", "target", "keeps", "standing", "_pieces")

    def __init__(self, entry: WorkspaceEntry) -> None:
        self.entry = entry  # what stands there now
        self.kind = entry.kind
        self.target = entry.target
        self.keeps: Entry | None = entry
        self.standing = True  # nothing of this is changed yet
        self._pieces: list[bytes] | None = None

    @property
    def data(self) -> bytes:
        return self.entry.data if self._pieces is None else b"".join(self._pieces)

    def becomes(self, kind: str, pieces: list[bytes] | None = None, keeps: Entry | None = None) -> None:
        self.kind, self._pieces, self.keeps, self.standing = kind, pieces, keeps, False

    def change(self, name: str) -> FileChange:
        if self.kind == "link":
            return LinkChange(name, self.entry, [os.fsencode(self.target)], None)
        return FileChange(name, self.entry, self._pieces if self.kind == "file" else None, self.keeps)


class Inverse:
    """A run taken back in memory, from its last commit to its first."""

    def __init__(self, run: Run, workspace: Workspace) -> None:
        self.known: dict[tuple[str, str], list[Edit]] = {}  # for the record of the way back
        self._run = run
        self._workspace = workspace
        self._contents: dict[str, Content] = {}
        # Names whose content old content is made of, unless it is that content as it stands.
        self._bases = {
            kept.base for commit in run.commits for kept in commit.names if kept.way == "spans" and kept.needs[3]
        }

    def plan(self) -> Plan:
        for commit in reversed(self._run.commits):
            raise_all([self._foreign(kept) for kept in commit.names if not self._is_what_the_run_left(kept)])
            self._take_back(commit)
        plan = Plan(self._workspace)
        for name, content in self._contents.items():
            if not content.standing:
                plan.changes[name] = content.change(name)
        return plan

    def _content(self, name: str) -> Content:
        if name not in self._contents:
            # From the root and not from where relative paths start; and never through a link.
            path = f"{self._workspace.root.rstrip('/')}/{name}"
            self._contents[name] = Content(self._workspace.find(path, follow=False))
        return self._contents[name]

    # -- is it still what the run left? ----------------------------------------------------------

    def _is_what_the_run_left(self, kept: Kept) -> bool:
        content = self._content(kept.name)
        entry = content.entry
        if content.kind != kept.after or entry.name != kept.name or entry.blocker:
            return False
        if content.kind == "missing":
            return True
        if content.kind == "link":
            return content.target == kept.hash
        if content.standing and entry.standing.status.st_size != int(kept.size):  # type: ignore[union-attr]
            return False
        if kept.hash:
            # Not the sign: a file written in place within one tick of the clock, and with the same size, keeps it;
            # and one that was touched, or restored by another undo, is what it was in spite of a new one.
            return known_by([content.data]) == [kept.size, kept.hash]
        if not content.standing:
            return True
        if kept.name in self._bases:
            _ = entry.data  # read first: the sign looked at is then that of the content used
        return sign(entry.standing.status) == kept.sign  # type: ignore[arg-type]

    def _foreign(self, kept: Kept) -> PatchkitError:
        return PatchkitError("P323", run=self._run.id, verb=verb(self._run), file=kept.name)

    # -- the way back ----------------------------------------------------------------------------

    def _take_back(self, commit: Commit) -> None:
        """One commit: what was is worked out for every name before any of them is given it, as names may swap."""
        before = [self._before(kept) for kept in commit.names]
        for kept, (kind, pieces, keeps) in zip(commit.names, before):
            content = self._content(kept.name)
            content.becomes(kind, pieces, keeps)
            if kept.way == "link":
                content.target = kept.needs[0]

    def _before(self, kept: Kept) -> tuple[str, list[bytes] | None, Entry | None]:
        if kept.way == "whole":
            return "file", [kept.content] if kept.content else [], _remembered(kept)
        if kept.way == "spans":
            base = self._content(kept.base)
            same = base.standing and not kept.needs[3]  # it only had another name
            return "file", self._checked(kept, Whole(base.entry)) if same else self._spliced(kept, base), base.keeps
        return kept.before, None, None

    def _spliced(self, kept: Kept, base: Content) -> list[bytes]:
        """The old content: the present one with the old bytes where they stood."""
        data, view, old = base.data, memoryview(base.data), kept.content
        edits: list[Edit] = []
        pieces: list[bytes] = []
        end = used = 0
        numbers = list(map(int, kept.needs[3].split()))
        for start, length, size in zip(numbers[::3], numbers[1::3], numbers[2::3]):
            pieces += [view[end:start], old[used : used + size]]  # type: ignore[list-item]
            edits.append((start, start + length, size))
            end, used = start + length, used + size
        pieces.append(view[end:] if edits else data)  # type: ignore[arg-type]
        self._checked(kept, pieces)
        if len(self._run.commits) == 1:
            self.known[(kept.base, kept.name)] = edits
        return [piece for piece in pieces if piece]

    def _checked(self, kept: Kept, pieces: list[bytes]) -> list[bytes]:
        if known_by(pieces) != kept.needs[1:3]:
            raise PatchkitError("P324", run=self._run.id, verb=verb(self._run), reason="its record is damaged")
        return pieces


def _remembered(kept: Kept) -> Entry:
    """An entry that has nothing but the metadata of a file that is gone."""
    numbers, *attributes = kept.needs
    mode, uid, gid = map(int, numbers.split())
    metadata = object.__new__(Metadata)
    metadata.status = os.stat_result((mode, 0, 0, 1, uid, gid, 0, 0, 0, 0))
    metadata.attributes = [(name, bytes.fromhex(value)) for name, value in zip(attributes[::2], attributes[1::2])]
    entry = Entry(kept.name, "file")
    standing = Standing((), (), kept.name, metadata.status)
    standing.metadata = metadata
    entry.standing = standing
    return entry
