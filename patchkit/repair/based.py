"""Carry a patch over from the files it was made for to the files that are there now.

Takes the text of a patch, the base it was made for, and the target; gives a Patch for the target. The patch is
planned on the base as usual, and every file is merged by lines: merge first, never "apply, else merge", because a
hunk that still fits may fit a place that has changed its meaning. What both sides changed is refused.
"""

from __future__ import annotations

from functools import partial
from posixpath import commonprefix

from patchkit.core.changes import Files, Options, Plan
from patchkit.core.language import DeleteFile, FileOp, HashedAdd, HashedUpdate, Patch
from patchkit.diffs.diff import lines_of
from patchkit.diffs.merge import ended, merged
from patchkit.diffs.unique_hunks import hunks_between
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.repair import planned
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_LINES = 12  # of a conflict that are shown


def based_patch(patch: Patch, base: Files, files: Files, options: Options) -> Patch:
    """Returns the patch that makes in `files` what `patch` makes in `base`; raises P220 where both have changed."""
    made = planned_on_base(patch, base, options)
    return _carried(patch, _steps(made), made.notes, files, options)


def taken_back_patch(patch: Patch, base: Files, files: Files, options: Options) -> Patch:
    """Returns the patch that takes back from `files` what `patch` makes in `base`.

    The base knows what a patch does not say: the content of deleted files, and where removed lines were.
    """
    made = planned_on_base(patch, base, options)
    return _carried(patch, [_turned(each) for each in reversed(_steps(made))], [], files, options)


def planned_on_base(patch: Patch, base: Files, options: Options) -> Plan:
    """The plan of a patch on its base."""
    return planner_for(base)(patch, base, options.limited_to(options.max_pass, None))


def planner_for(base: Files) -> Callable[[Patch, Files, Options], Plan]:
    """How to plan on a base, or on what patches make of it.

    Additions that look like a slip are meant where the patch is known to be made for the base: then it is not an older
    state of the file that it was written for, and git would apply it, too.
    """
    return partial(planned, doubting=getattr(base, "is_guessed", False))


class _CarriedChange(Record):
    """What a plan makes of one file: its content before and after, None where there is none.

    `source` is the name that it had before. A link that is deleted has no content at all.
    """

    name: str
    source: str | None
    before: bytes | None
    after: bytes | None


def _steps(made: Plan) -> list[_CarriedChange]:
    """The changes of a plan, with a moved file as one."""
    sources = {
        section.name: section.source
        for section in made.sections
        if section.moved_from and section.name != section.source and section.source in made.changes
    }
    found, moved = [], set(sources.values())
    for name, change in made.changes.items():
        if not change.changed or (name in moved and change.after is None):
            continue  # the new name of a moved file takes it along
        entry = made.changes[sources[name]].before if name in sources else change.before
        before = entry.data if entry.kind == "file" else None
        after = b"".join(change.after) if change.after is not None else None
        found.append(_CarriedChange(name, sources.get(name), before, after))
    return found


def _turned(step: _CarriedChange) -> _CarriedChange:
    if step.before is None and step.after is None:
        raise deleted_content_unknown(DeleteFile(step.name))
    if step.source is None:
        return _CarriedChange(step.name, None, step.after, step.before)
    return _CarriedChange(step.source, step.name, step.after, step.before)


def deleted_content_unknown(section: DeleteFile) -> PatchkitError:
    """The error for a deletion that cannot be taken back, because the content is not known."""
    what = f"the content of '{section.path}', which the patch deletes, to add it again"
    instead = "name what the patch was made for, with '--base REV' or '--base auto', or run 'patchkit undo'"
    return PatchkitError("P112", file=section.path, patch_line=section.line or None, what=what, instead=instead)


def _carried(patch: Patch, steps: list[_CarriedChange], notes: list[Note], files: Files, options: Options) -> Patch:
    carrier = _Carrier(files, options)
    for step in steps:
        carrier.add(step)
    raise_all(carrier.errors)
    if carrier.there and not options.forward:
        if not carrier.sections:
            raise PatchkitError("P223", file=carrier.there[0])
        # It may have another name by now; git refuses the whole patch, too.
        raise_all(
            [
                PatchkitError("P221", file=path, what="the patch deletes it, and it is not there any more")
                for path in carrier.gone
            ]
        )
    carried = Patch(carrier.sections, patch.environment_id, [*patch.notes, *notes, *carrier.notes])
    carried.notes += [Note("P929", why="applied", file=path, what="its changes") for path in carrier.there]
    return carried


class _Carrier:
    """The changes of a plan on the base, on their way to the target."""

    def __init__(self, files: Files, options: Options) -> None:
        self.files = files
        self.options = options
        self.sections: list[FileOp] = []
        self.notes: list[Note] = []
        self.errors: list[PatchkitError] = []
        self.there: list[str] = []  # files that have the change already
        self.gone: list[str] = []  # those of them that are not there any more
        self._start: list[str] = getattr(files, "start", [])  # the directory that paths of a patch count from

    def add(self, step: _CarriedChange) -> None:
        try:
            if step.after is None:
                self._add_deleted(step)
            elif step.before is not None:
                source = step.source or step.name
                if self._data(source) is None and self._data(step.name) is not None:
                    source = step.name  # renamed there as well
                self._add_update(source, step.name if source != step.name else None, step.before, step.after)
            elif self._data(step.name) == step.after:
                self.there.append(step.name)
            else:
                text = step.after.decode("utf-8", "surrogateescape")
                self.sections.append(HashedAdd(self._path(step.name), text, 0, ""))
        except PatchkitError as error:
            error.facts.setdefault("file", step.name)
            self.errors.append(error)

    def _path(self, name: str) -> str:
        """The path of a file, which has its name from the root, as a patch has to write it."""
        parts = name.split("/")
        common = len(commonprefix([self._start, parts[:-1]]))
        return "/".join([*[".."] * (len(self._start) - common), *parts[common:]])

    def _data(self, name: str) -> bytes | None:
        entry = self.files.find(self._path(name))
        return entry.data if entry.kind == "file" else None

    def _add_deleted(self, step: _CarriedChange) -> None:
        target = self._data(step.name)
        if target is None:
            self.there.append(step.name)
            self.gone.append(step.name)
        elif step.before is not None and target != step.before:
            raise PatchkitError("P221", file=step.name, what="the patch deletes it, and it has changed since")
        else:
            self.sections.append(DeleteFile(self._path(step.name)))

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
        # The merge has found the place of all that is added: the hunks are made for this content.
        self.sections.append(HashedUpdate(self._path(name), self._path(move_to) if move_to else None, hunks, 0, ""))

    def _merged(self, name: str, base: bytes, target: bytes, after: bytes) -> bytes:
        if _ending(base) == b"\n" and _ending(target) == b"\r\n" == self.files.new_ending(name):
            base, after = (each.replace(b"\n", b"\r\n") for each in (base, after))  # as a checkout makes it
        result = merged(lines_of(base), lines_of(target), lines_of(after))
        if result.conflicts and self.options.conflicts:
            self.notes.append(Note("P982", file=name, count=len(result.conflicts)))
            return b"".join(result.marked("target", "base", "patch"))
        errors: list[PatchkitError] = []
        for each in result.conflicts:
            sides = {"ours": _shown(each.ours), "theirs": _shown(each.theirs)}
            errors.append(PatchkitError("P220", file=name, line=each.ours_start + 1, **sides))
        raise_all(errors)
        lines = result.lines()
        return b"".join([*map(ended, lines[:-1]), *lines[-1:]])


def _ending(data: bytes) -> bytes:
    """The ending that all lines have; b'' where they have different ones or none."""
    count, pairs = data.count(b"\n"), data.count(b"\r\n")
    return b"" if not count or 0 < pairs < count else b"\r\n" if pairs else b"\n"


def _shown(lines: list[bytes]) -> str:
    """The lines of one side, on one line; the first of many."""
    texts = [line.decode("utf-8", "replace").rstrip("\r\n") for line in lines[:_MOST_LINES]]
    return " / ".join(repr(text) for text in texts) + (" / …" if len(lines) > _MOST_LINES else "") or "nothing"
