"""What every run changed: the content of each file before and after it.

Takes the runs of a root and the workspace; gives the changes of each run. A record holds only what undoing needs, so
contents are worked out backwards: from what the files hold now, through the newest run to the oldest, in memory.
Where a file was changed by another program since, its older contents cannot be worked out; then only the old text that
the record kept is known. Writes nothing.
"""

from __future__ import annotations

from patchkit.core.changes import Entry
from patchkit.core.workspace.root import Workspace
from patchkit.diffs.diff import FileDiff
from patchkit.errors import PatchkitError
from patchkit.history import MOST_HASHED
from patchkit.history.reading import Commit, NameRecord, Run, Touched
from patchkit.history.undo import Content, Inverse
from patchkit.values import Record


class Held(Record):
    """What a name holds at a moment: `kind` 'file', 'link' or 'missing', and the bytes, or the target of a link."""

    kind: str
    data: bytes = b""


class Changed(Record):
    """One name that a run changed. Without `before` or `after` that content is not known, and `why` says the reason."""

    path: str
    before: Held | None
    after: Held | None
    why: str = ""
    kept: bytes = b""  # the old text in the record, where the contents are not known

    @property
    def lines(self) -> tuple[int, int] | None:
        """How many lines were added and removed; None for links, binary files and contents that are not known."""
        if self.before is None or self.after is None or "link" in (self.before.kind, self.after.kind):
            return None
        old, new = self.before.data, self.after.data
        if b"\0" in old or b"\0" in new:
            return None
        diff = FileDiff((self.path, self.path), (None, None), old, new)
        return diff.added, diff.removed


def file_changes(changes: list[Changed], touched: list[Touched]) -> list[tuple[Touched, Changed | None]]:
    """Every file of a run with what was changed; one that was moved is compared with what it was under its old name."""
    by_path = {each.path: each for each in changes}
    pairs: list[tuple[Touched, Changed | None]] = []
    for line in touched:
        change, old = by_path.get(line.path), by_path.get(line.moved_from or "")
        if change is not None and old is not None:
            change = Changed(change.path, old.before, change.after, change.why or old.why, change.kept or old.kept)
        pairs.append((line, change))
    return pairs


def changes_of(known: list[Run], workspace: Workspace) -> dict[str, list[Changed]]:
    """The changes of every run, by its id."""
    walk = _Walk(workspace)
    events = [(run.since, 1, run) for run in known]
    # A run that was undone was applied at `time` and taken back at `since`: two events.
    events += [(run.time, 0, run) for run in known if run.state == "undone"]
    for _moment, is_latest, run in sorted(events, key=lambda event: event[:2], reverse=True):
        if is_latest:
            walk.go_back(run)
        else:
            walk.forget(run)
    return walk.found


class _Walk(Record):
    """The contents of all names at a moment, on the way from now to the first run."""

    _workspace: Workspace
    found: dict[str, list[Changed]] = {}
    _contents: dict[str, Content] = {}

    def go_back(self, run: Run) -> None:
        """Back over the moment in which a run came into its state."""
        inverse = Inverse(run, self._workspace, self._contents)
        first: dict[str, Held] = {}  # what each name holds after the run, or when it was undone
        problems: dict[str, tuple[str, bytes]] = {}
        for commit in reversed(run.commits):
            fitting = []
            for kept in commit.names:
                why = self._hindrance(run, inverse, kept)
                if why:
                    problems.setdefault(kept.name, (why, kept.content))
                else:
                    first.setdefault(kept.name, held(inverse.content(kept.name)))
                    fitting.append(kept)
            # What was made of a file that is gone, or was changed since, cannot be worked out either.
            for kept in [each for each in fitting if each.base in problems]:
                problems.setdefault(kept.name, (problems[kept.base][0], kept.content))
                fitting.remove(kept)
            self._take_back(inverse, Commit(commit.directories, fitting), problems)
        changes = []
        for name in dict.fromkeys(kept.name for commit in run.commits for kept in commit.names):
            if name in problems:
                why, text = problems[name]
                changes.append(Changed(name, None, None, why, text))
            else:
                after, before = first[name], held(inverse.content(name))
                if run.state == "undone":
                    before, after = after, before
                changes.append(Changed(name, before, after))
        self.found[run.id] = changes

    def forget(self, run: Run) -> None:
        """Back over the moment in which a run that is undone by now was applied: as if it had not been."""
        for change in self.found.get(run.id, []):
            content = self._contents.get(change.path)
            if content is None or change.after is None or change.before is None or held(content) != change.after:
                continue
            kind, data = change.before.kind, change.before.data
            content.becomes(kind, [data] if kind == "file" else None)
            content.target = data.decode("utf-8", "surrogateescape") if kind == "link" else ""

    def _hindrance(self, run: Run, inverse: Inverse, kept: NameRecord) -> str:
        """Why the old content of a name cannot be worked out; '' when it can."""
        if not run.whole:
            return run.hindrance
        if kept.way == "lost":
            return kept.needs[0]
        try:
            if kept.size.isdecimal() and int(kept.size) > MOST_HASHED:
                return "the file is too large to be shown"
            if inverse.is_what_the_run_left(kept):
                return ""
            return "the file was changed or removed since by another program, or by a run that is forgotten"
        except (PatchkitError, ValueError, OSError):
            return "the file cannot be read"

    def _take_back(self, inverse: Inverse, commit: Commit, problems: dict[str, tuple[str, bytes]]) -> None:
        """One commit: those names whose base is known, too; the others are reported with their reason."""
        try:
            inverse.take_back(commit)
        except (PatchkitError, ValueError, IndexError, OSError):
            for kept in commit.names:
                problems.setdefault(
                    kept.name, ("the record is damaged, or a file that it needs was changed", kept.content)
                )


def held(content: Content | Entry) -> Held:
    if content.kind == "file":
        return Held("file", bytes(content.data))
    return Held(content.kind, content.target.encode("utf-8", "surrogateescape") if content.kind == "link" else b"")
