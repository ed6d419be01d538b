"""Hunks that were sent for the wrong file of a patch.

Takes a plan with hunks that were found nowhere in their file, and the errors that say so; adds to those whose
lines stand in another file that the patch names where that is. The search is counted work like that for near misses.
"""

from __future__ import annotations

from patchkit.changes.model import Plan, Section
from patchkit.errors import PatchkitError
from patchkit.language.model import AddFile, Hunk, UpdateFile
from patchkit.matching.miss import Miss
from patchkit.matching.near import Budget
from patchkit.text.document import Document

Lost = dict[tuple[str | None, int | None, int | None], PatchkitError]  # by file, number of the hunk, line in the patch

_TELLING = 8  # characters that a single line must have to say where it is from


def look_elsewhere(plan: Plan, lost: Lost, budget: Budget) -> None:
    """Adds the fact `elsewhere`, a path and a line, to errors whose hunk stands in another file of the patch."""
    if len(plan.sections) < 2:
        return
    texts = _Texts(plan)
    for section in plan.sections:
        hunks = section.op.hunks if isinstance(section.op, UpdateFile) else []
        for number, (hunk, result) in enumerate(zip(hunks, section.results), 1):
            fault = lost.get((section.op.path, number, hunk.line))
            if isinstance(result, Miss) and result.code == "P201" and fault is not None:
                found = texts.find(hunk, section, budget)
                if found is not None:
                    for facts in (result.facts, fault.facts):
                        facts.update(elsewhere=found, near=None)
                        facts.pop("differs_at", None)


class _Texts:
    """The files that a patch names, each as one text of lines without their margins."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._joined: dict[int, str] = {}

    def find(self, hunk: Hunk, own: Section, budget: Budget) -> tuple[str, int] | None:
        """The first other file that has all old lines of the hunk, and the line where they begin."""
        lines = [text.strip() for text in hunk.old()]
        if sum(map(bool, lines)) < 2 and len("".join(lines)) < _TELLING:
            return None
        wanted = "\n".join(["", *lines, ""])
        for number, section in enumerate(self._plan.sections):
            if section.source != own.source:
                joined = self._text(number, section)
                position = joined.find(wanted) if budget.spend(len(joined)) else -1
                if position >= 0:
                    return section.op.path, joined.count("\n", 0, position) + 1
        return None

    def _text(self, number: int, section: Section) -> str:
        if number not in self._joined:
            lines = [text.strip() for text in self._lines(section)]
            self._joined[number] = "\n".join(["", *lines, ""])
        return self._joined[number]

    def _lines(self, section: Section) -> list[str]:
        if section.document is not None:
            return section.document.texts
        if isinstance(section.op, AddFile):
            return section.op.text.split("\n")
        change = self._plan.changes.get(section.name)
        if change is None or change.before.kind != "file":
            return []
        try:
            return Document(change.before.data).texts
        except PatchkitError:
            return []  # it cannot be read, and nobody asked for it
