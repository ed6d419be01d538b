"""The rules of a project, held against one patch after the other: a file that may not be read is not looked at.

Takes the judge of the files that patches are checked against; gives what stands in the way of each patch, and keeps
what was decided, for the record. One patch that is refused hinders no other.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.language.model import Patch
from patchkit.tools.permissions import Judge, Judged


class Gate:
    """What every patch has to pass before its files are read; `parts` is what was decided so far."""

    def __init__(self, judge: Judge, agent: bool) -> None:
        self._judge = judge
        self._agent = agent
        self.parts: list[Judged] = []

    def refusals(self, patch: Patch) -> list[PatchkitError]:
        """Why the files of this patch may not be read, each with the section that names the file."""
        found = []
        for section in patch.sections:
            judgement = self._judge.judge("check", self._judge.deeds.of_section(section, check=True))
            self.parts += judgement.parts
            for error in judgement.refusals(self._agent):
                error.facts["patch_line"] = section.line
                found.append(error)
        return found
