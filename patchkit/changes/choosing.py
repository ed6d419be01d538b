"""Hunks that fit several places, and the patch in which a person has chosen between them.

Takes the plan of a refused patch; gives its ambiguous hunks with their places, and each hunk as it has to be sent to
go to one of them: with the anchors or context that choose it, or with as many lines of the file as it takes.
"""

from __future__ import annotations

from patchkit.changes.model import Plan, Section
from patchkit.language.model import FileOp, Hunk, Patch, UpdateFile
from patchkit.matching.disambiguation import SHOWN, Chooser
from patchkit.matching.model import Miss
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.matching.disambiguation import Choice

_MOST_CONTEXT = 60  # lines of the file on either side that may be needed to choose a place

Chosen = dict[tuple[int, int], "Hunk | None"]  # by the line of a section and the number of a hunk; None leaves it out


class OpenHunk(Value):
    """One ambiguous hunk: the section it is in, its number there (from 0), and the first of its places."""

    __slots__ = ("section", "index", "hunk", "choices", "count")
    section: Section
    index: int
    hunk: Hunk
    choices: list[Choice]
    count: int  # of all places

    def __init__(self, section: Section, index: int, hunk: Hunk, miss: Miss) -> None:
        self.section = section
        self.index = index
        self.hunk = hunk
        self.choices = miss.chooser.first(SHOWN) if isinstance(miss.chooser, Chooser) else []
        self.count = max(len(self.choices), len(miss.candidates))

    @property
    def key(self) -> tuple[int, int]:
        return self.section.op.line, self.index

    @property
    def texts(self) -> list[str]:
        """The lines of the file."""
        return self.section.document.texts if self.section.document is not None else []

    def placed(self, choice: Choice) -> Hunk | None:
        """The hunk as it goes to one of its places; None where no lines around it differ from those of the others."""
        if choice.add:
            return choice.followed(self.hunk)
        size = len(self.hunk.old())
        place = choice.line - 1 if size else choice.line
        texts = self.texts
        for count in range(1, _MOST_CONTEXT + 1):
            first, last = max(0, place - count), min(len(texts), place + size + count)
            if _is_once(texts[first:last], texts):
                above, below = texts[first:place], texts[place + size : last]
                lines = [*(" " + text for text in above), *self.hunk.lines, *(" " + text for text in below)]
                return self.hunk.with_lines(lines)
        return None


def open_hunks(plan: Plan) -> list[OpenHunk]:
    """The hunks of a plan that fit several places, in the patch's order."""
    return [
        OpenHunk(section, index, hunk, result)
        for section in plan.sections
        if isinstance(section.op, UpdateFile)
        for index, (hunk, result) in enumerate(zip(section.op.hunks, section.results))
        if isinstance(result, Miss) and result.chooser is not None
    ]


def with_chosen(patch: Patch, chosen: Chosen) -> tuple[Patch, list[FileOp]]:
    """The patch with hunks as they were chosen, and what was left out of it, as sections."""
    made = Patch([], patch.environment_id)
    left: list[FileOp] = []
    made.notes = patch.notes
    for op in patch.sections:
        if not isinstance(op, UpdateFile):
            made.sections.append(op)
            continue
        both = [(hunk, chosen.get((op.line, index), hunk)) for index, hunk in enumerate(op.hunks)]
        hunks = [new for _, new in both if new is not None]
        out = [old for old, new in both if new is None]
        left += [UpdateFile(op.path, None, out, op.line)] if out else []
        if hunks or op.move_to is not None:
            made.sections.append(UpdateFile(op.path, op.move_to, hunks, op.line))
    return made, left


def _is_once(lines: list[str], texts: list[str]) -> bool:
    """Whether a run of lines is in a file exactly once."""
    size, seen = len(lines), 0
    for start, text in enumerate(texts):
        seen += text == lines[0] and texts[start : start + size] == lines
        if seen > 1:
            return False
    return seen == 1
