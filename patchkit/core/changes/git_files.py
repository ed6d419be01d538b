"""Plan what only a diff of git says: modes, links, binary content, copies.

Takes a PlanBuilder and a section; leaves in its plan what the section comes to. Loaded for diffs that have such files.
"""

from __future__ import annotations

from patchkit.core.changes import Entry, LinkChange, Section, refuse_protected
from patchkit.core.language import GitAdd, GitUpdate
from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    PlanBuilder = Any  # of `planner`, which imports this module

LINK, EXECUTABLE = "120000", "100755"


def add(planner: PlanBuilder, op: GitAdd) -> None:
    """A new file that may be executed, a link, binary content, or a copy that has the mode of its source."""
    entry = planner._find(op.path, follow=False)
    data = op.text.encode("utf-8", "surrogateescape")
    planner.plan.sections.append(Section(op, "A", op.path, entry.name))
    planner._refuse_existing(op.path, entry, "P303")
    if op.mode == LINK:
        leave_link(planner, op.path, entry, data)
        return
    if not op.exact:
        data = planner._ended(entry, data)
    keeps = planner._find(op.source, follow=True) if op.source else None
    planner._leave(op.path, entry, [data] if data else [], keeps or planner._original(entry))
    if op.mode or not op.source:
        planner.plan.changes[entry.name].executable = op.mode == EXECUTABLE


def update(planner: PlanBuilder, op: GitUpdate) -> bool:
    """The change of a link, or its new name; False where the section is about a file."""
    entry = planner._find(op.path, follow=False)
    change = planner.plan.changes.get(entry.name)
    is_link = change.is_link if change is not None else entry.kind == "link"
    if op.modes[1] != LINK and (not is_link or op.hunks or op.content is not None):
        return False
    if not is_link:
        raise PatchkitError("P125", file=op.path, edit_format="unified")
    target = b"".join(change.after or []) if change is not None else entry.target.encode("utf-8", "surrogateescape")
    if op.was is not None and op.was != target:
        raise PatchkitError("P125", file=op.path, edit_format="unified")
    section = Section(op, "M", op.move_to or op.path, entry.name, op.path if op.move_to else None)
    planner.plan.sections.append(section)
    new = target if op.content is None else op.content
    if op.move_to is None:
        leave_link(planner, op.path, entry, new)
        return True
    goal = planner._find(op.move_to, follow=False)
    planner._refuse_existing(op.move_to, goal, "P304", source=op.path)
    leave_link(planner, op.move_to, goal, new)
    section.name = goal.name
    planner._leave(op.path, entry, None, None)
    return True


def leave_link(planner: PlanBuilder, path: str, entry: Entry, target: bytes) -> None:
    """Records that a name is a link after this section."""
    refuse_protected(path, entry.name, planner.options.allow_vcs)
    planner._leave(path, entry, [target], None)  # which knows the directories of the plan
    before = planner.plan.changes[entry.name].before
    planner.plan.changes[entry.name] = LinkChange(path, before, [target], None)
