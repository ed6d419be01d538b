"""Take some of a plan, and leave the rest as a patch.

Takes a Plan; gives its parts, each a thing that a person can take or leave: a hunk, a new name, a whole file. From
those taken comes a plan, from those left a patch that applies after it, and both together make what the whole
plan would have made.
"""

from __future__ import annotations

from patchkit.changes.model import Plan, Section
from patchkit.changes.names import ancestors
from patchkit.changes.parts import AsOne, ByHunk, BySpan, Part, Parts
from patchkit.language.model import FileOp, Patch, UpdateFile


class Selection:
    """The parts of a plan, and what was said of them. `final_newline` is what the dialect asks of changed files."""

    def __init__(self, plan: Plan, final_newline: bool | None = None) -> None:
        self._plan = plan
        self._groups = [_parts(plan, sections, final_newline) for sections in related(plan.sections)]

    @property
    def parts(self) -> list[Part]:
        return [part for group in self._groups for part in group.parts]

    def taken(self) -> Plan:
        """The plan that makes what was taken true, and nothing else."""
        made = Plan(self._plan.files)
        for group in self._groups:
            group.take(made)
        return made

    def rest(self) -> Patch:
        """What was left, as a patch for the files as the taken parts leave them; raises P112 if that cannot be said."""
        sections: list[FileOp] = []
        for group in self._groups:
            sections.extend(group.rest())
        return Patch(sections)


def _parts(plan: Plan, sections: list[Section], final_newline: bool | None) -> Parts:
    if all(isinstance(section.op, UpdateFile) for section in sections):
        if len(sections) == 1:
            return ByHunk(plan, sections[0], final_newline)
        if not any(section.moved_from for section in sections):
            return BySpan(plan, sections)
    return AsOne(plan, sections)


def related(sections: list[Section]) -> list[list[Section]]:
    """The sections in groups, in order: those that name one file, or a file and something below it, go together.

    Groups are independent: any of them can be left out and the others still mean the same.
    """
    names = {name for section in sections for name in (section.name, section.source)}
    first: dict[str, int] = {}  # the first section that has to do with a name
    leader = list(range(len(sections)))  # a section of the same group, nearer to its first

    def lead(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for number, section in enumerate(sections):
        for name in {section.name, section.source}:
            for each in [name, *(above for above in ancestors(name) if above in names)]:
                one, other = lead(first.setdefault(each, number)), lead(number)
                leader[max(one, other)] = min(one, other)
    groups: dict[int, list[Section]] = {}
    for number, section in enumerate(sections):
        groups.setdefault(lead(number), []).append(section)
    return list(groups.values())
