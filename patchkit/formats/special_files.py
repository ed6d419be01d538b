"""What only a diff of git says of files: modes, links, binary content, copies.

Sections that the readers of diffs make, and what they come to in a plan.
"""

from __future__ import annotations

from patchkit.core.changes import Entry, LinkChange, Section, is_executable, refuse_protected
from patchkit.core.language import AddFile, Hunk, SpecialFile, UpdateFile
from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.changes.planner import PlanBuilder
    from patchkit.formats.model import BinaryPart

LINK, EXECUTABLE = "120000", "100755"


class GitAdd(AddFile, SpecialFile):
    """A new file of which a diff of git says more than a patch can. Of a link, `text` is where it leads."""

    mode: str = ""  # '100755', or '120000' for a link
    exact: bool = False  # whether it gets no other line endings
    source: str = ""  # the file that it is a copy of, whose mode it has then
    blob: str | None = None  # as in a HashedAdd, None where git gives no hash

    def plan_in(self, planner: PlanBuilder) -> None:
        entry = planner.find(self.path, follow=False)
        data = self.text.encode("utf-8", "surrogateescape")
        planner.plan.sections.append(Section(self, "A", self.path, entry.name))
        if not self.exact and self.mode != LINK:
            data = planner.ended(entry, data)
        if entry.name not in planner.plan.changes and planner.is_there(self, self._content_of(entry), data):
            return
        planner.refuse_existing(self.path, entry, "P303")
        if self.mode == LINK:
            _leave_link(planner, self.path, entry, data)
            return
        source = planner.find(self.source, follow=True) if self.source else None
        made = planner.plan.changes.get(source.name) if source is not None else None
        keeps = planner.keeps(source) if source is not None else planner.original(entry)
        planner.leave(self.path, entry, [data] if data else [], keeps)
        runs = self.mode == EXECUTABLE if self.mode or source is None else getattr(made, "executable", None)
        planner.plan.changes[entry.name].executable = runs

    def _content_of(self, entry: Entry) -> list[bytes] | None:
        """What is there; None for something with another mode than the one this file is to have."""
        if self.mode == LINK:
            return [entry.target.encode("utf-8", "surrogateescape")] if entry.kind == "link" else None
        fits = (self.source and not self.mode) or is_executable(entry) in (None, self.mode == EXECUTABLE)
        return [entry.data] if entry.kind == "file" and fits else None


class GitUpdate(UpdateFile, SpecialFile):
    """A change of which a diff of git says more than a patch can."""

    __slots__ = ("modes", "content", "was", "forward", "backward", "blobs")
    modes: tuple[str, str]  # the old and the new one, both '' where they stay
    content: bytes | None  # all of the new content, or where a link leads
    was: bytes | None  # where it led
    forward: BinaryPart | None
    backward: BinaryPart | None
    blobs: tuple[str, str]  # the ids of both contents, of a binary change

    def __init__(self, path: str, move_to: str | None, hunks: list[Hunk], line: int, modes: tuple[str, str]) -> None:
        super().__init__(path, move_to, hunks, line)
        self.modes = modes
        self.content = self.was = None
        self.forward = self.backward = None
        self.blobs = ("", "")

    def plan_in(self, planner: PlanBuilder) -> None:
        if self._plan_link(planner):
            return
        section = planner.update(self, [self.content] if self.content is not None else None)
        if section is not None and self.modes[1]:
            planner.plan.changes[section.name].executable = self.modes[1] == EXECUTABLE

    def _plan_link(self, planner: PlanBuilder) -> bool:
        """Plans the change of a link, or its new name; False where the section is about a file."""
        entry = planner.find(self.path, follow=False)
        change = planner.plan.changes.get(entry.name)
        is_link = change.is_link if change is not None else entry.kind == "link"
        is_absent = change is None and entry.kind == "missing"
        if is_absent or (self.modes[1] != LINK and (not is_link or self.hunks or self.content is not None)):
            return False
        target = b"".join(change.after or []) if change is not None else entry.target.encode("utf-8", "surrogateescape")
        if not is_link or (self.was is not None and self.was != target):
            raise PatchkitError("P125", file=self.path, changes=True)
        section = Section(self, "M", self.move_to or self.path, entry.name, self.path if self.move_to else None)
        planner.plan.sections.append(section)
        new = target if self.content is None else self.content
        if self.move_to is None:
            _leave_link(planner, self.path, entry, new)
            return True
        goal = planner.find(self.move_to, follow=False)
        planner.refuse_existing(self.move_to, goal, "P304", source=self.path)
        _leave_link(planner, self.move_to, goal, new)
        section.name = goal.name
        planner.leave(self.path, entry, None, None)
        return True


def _leave_link(planner: PlanBuilder, path: str, entry: Entry, target: bytes) -> None:
    """Records that a name is a link after this section."""
    refuse_protected(path, entry.name, planner.options.allow_vcs)
    planner.leave(path, entry, [target], None)  # which knows the directories of the plan
    before = planner.plan.changes[entry.name].before
    planner.plan.changes[entry.name] = LinkChange(path, before, [target], None)
