"""Carry a patch over from the files it was made for to the files that are there now.

Takes the text of a patch, the base it was made for, and the target; gives a Patch for the target. The patch is
planned on the base as usual, and every file is merged by lines: merge first, never "apply, else merge", because a
hunk that still fits may fit a place that has changed its meaning. What both sides changed is refused.
"""

from __future__ import annotations

from patchkit.changes.making import hunks_between
from patchkit.changes.merge import MergeConflict, Merged, merged
from patchkit.changes.model import FileChange, Plan
from patchkit.changes.options import Options
from patchkit.changes.planner import plan
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.language.model import AddFile, DeleteFile, FileOp, Patch, UpdateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.changes.sources import Files

_MOST_LINES = 12  # of a conflict that are shown


def based_patch(patch: Patch, base: Files, files: Files, options: Options) -> Patch:
    """Returns the patch that makes in `files` what `patch` makes in `base`; raises P220 where both have changed."""
    made = plan(patch, base, options)
    carrier = _Carrier(made, files, options)
    for name, change in made.changes.items():
        if change.changed:
            carrier.add(name, change)
    raise_all(carrier.errors)
    notes = [*patch.notes, *made.notes, *carrier.notes]
    if not carrier.sections and carrier.there and not options.forward:
        raise PatchkitError("P223", file=carrier.there[0])
    carried = Patch(carrier.sections, patch.environment_id, notes)
    carried.notes += [Note("P929", file=path, what="its changes") for path in carrier.there]
    return carried


class _Carrier:
    """The changes of a plan on the base, on their way to the target."""

    def __init__(self, made: Plan, files: Files, options: Options) -> None:
        self.files = files
        self.options = options
        self.sections: list[FileOp] = []
        self.notes: list[Note] = []
        self.errors: list[PatchkitError] = []
        self.there: list[str] = []  # files that have the change already
        self._moved = {
            section.name: section.source
            for section in made.sections
            if section.moved_from and section.name != section.source
        }
        self._made = made

    def add(self, name: str, change: FileChange) -> None:
        try:
            if name in self._moved.values() and change.after is None:
                return  # its new name takes it along
            source = self._moved.get(name)
            if source is not None and source in self._made.changes:
                self._add_moved(name, source, change)
            elif change.before.kind == "missing":
                self._add_new(name, b"".join(change.after or []))
            elif change.after is None:
                self._add_deleted(name, change)
            else:
                self._add_update(name, None, change.before.data, b"".join(change.after))
        except PatchkitError as error:
            error.facts.setdefault("file", name)
            self.errors.append(error)

    def _data(self, path: str) -> bytes | None:
        entry = self.files.find(path)
        return entry.data if entry.kind == "file" else None

    def _add_moved(self, name: str, source: str, change: FileChange) -> None:
        before = self._made.changes[source].before
        target = self._data(source)
        after = b"".join(change.after or [])
        if target is None and self._data(name) is not None:
            self._add_update(name, None, before.data, after)  # renamed there as well
        else:
            self._add_update(source, name, before.data, after)

    def _add_new(self, name: str, after: bytes) -> None:
        if self._data(name) == after:
            self.there.append(name)
        else:
            self.sections.append(AddFile(name, after.decode("utf-8", "surrogateescape")))

    def _add_deleted(self, name: str, change: FileChange) -> None:
        target = self._data(name)
        if target is None:
            self.there.append(name)
        elif change.before.kind == "file" and target != change.before.data:
            raise PatchkitError("P221", file=name, what="the patch deletes it, and it has changed since")
        else:
            self.sections.append(DeleteFile(name))

    def _add_update(self, name: str, move_to: str | None, base: bytes, after: bytes) -> None:
        target = self._data(name)
        if target is None:
            raise PatchkitError("P221", file=name, what="the patch changes it, and it is not there any more")
        if target == base:
            result = after
        elif target == after and move_to is None:
            self.there.append(name)
            return
        else:
            result = self._merged(name, base, target, after)
            if result == target and move_to is None:
                self.there.append(name)
                return
            self.notes.append(Note("P988", file=name))
        hunks = hunks_between(name, target, result)
        self.sections.append(UpdateFile(name, move_to, hunks))

    def _merged(self, name: str, base: bytes, target: bytes, after: bytes) -> bytes:
        result = merged(_lines(base), _lines(target), _lines(after))
        if result.conflicts and self.options.conflicts:
            self.notes.append(Note("P982", file=name, count=len(result.conflicts)))
            return b"".join(result.marked("target", "base", "patch"))
        raise_all([_conflict(name, each) for each in result.conflicts])
        return b"".join(_whole(result))


def _whole(result: Merged) -> list[bytes]:
    """The merged lines; only the last may lack its ending."""
    lines = result.lines()
    return [line if line.endswith(b"\n") or n == len(lines) - 1 else line + b"\n" for n, line in enumerate(lines)]


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    last = lines.pop()
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


def _conflict(name: str, conflict: MergeConflict) -> PatchkitError:
    return PatchkitError(
        "P220",
        file=name,
        line=conflict.ours_start + 1,
        ours=_shown(conflict.ours),
        theirs=_shown(conflict.theirs),
    )


def _shown(lines: list[bytes]) -> str:
    """The lines of one side, on one line; the first of many."""
    texts = [line.decode("utf-8", "replace").rstrip("\r\n") for line in lines[:_MOST_LINES]]
    return " / ".join(repr(text) for text in texts) + (" / …" if len(lines) > _MOST_LINES else "") or "nothing"
