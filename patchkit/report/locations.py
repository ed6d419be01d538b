"""Where an error or a note is to be shown, for output formats that point into files: in the patch, and in the tree.

Takes a Report's findings and the directory that paths shall be relative to; gives FileLines. A patch that came through
a pipe is not a file that a tool could open, so its findings are shown in the tree, as far as they have a place there.
"""

from __future__ import annotations

import os

from patchkit.errors import Note, PatchkitError
from patchkit.report.advice import choices_of, near_of
from patchkit.report.checked import STDIN, CheckedPatch, Report, counted
from patchkit.values import Value

_MOST = 20  # locations of one error


class FileLine(Value):
    """A line of a file, the path as the reader's tools know it; `words` say what is there."""

    __slots__ = ("path", "line", "words")
    path: str
    line: int
    words: str

    def __init__(self, path: str, line: int, words: str = "") -> None:
        self.path = path
        self.line = line
        self.words = words


class Locator:
    """Finds the locations of one report's findings; paths below `base` are relative to it."""

    def __init__(self, report: Report, base: str) -> None:
        self._report = report
        self._base = os.path.realpath(base)

    def main(self, patch: CheckedPatch, finding: PatchkitError | Note) -> FileLine | None:
        """The line to show a finding at: that of the patch file; of a piped patch, that of the file in the tree."""
        if patch.name == STDIN:
            found = self.in_the_tree(finding)
            return found[0] if found else None
        line = finding.facts.get("differs_at") or finding.facts.get("patch_line")
        return FileLine(self._shown(patch.name), _positive(line))

    def in_the_tree(self, finding: PatchkitError | Note) -> list[FileLine]:
        """The lines of the tree that a finding is about: the closest place, or every place in question."""
        facts = finding.facts
        file = facts.get("file")
        if not isinstance(file, str) or "\0" in file:
            return []
        path = self._in_tree(file)
        if path is None:
            return []
        near = near_of(facts)
        if near is not None:
            agree = f"{near.agree} of {counted(near.total, 'line')} agree"
            return [FileLine(path, near.line + 1 + near.index, f"closest place ({agree})")]
        choices = choices_of(facts)
        if choices:
            return [FileLine(path, each.line, f"in '{each.inside}'" if each.inside else "") for each in choices[:_MOST]]
        return [FileLine(path, _positive(facts.get("line")))]

    def _shown(self, path: str) -> str:
        """A path from the base; an absolute one when the file is elsewhere."""
        full = os.path.realpath(path)
        base = self._base.rstrip("/") + "/"
        return full[len(base) :] if full.startswith(base) else full

    def _in_tree(self, path: str) -> str | None:
        """A path of a patch as the reader's tools know it; None for one that leaves the workspace."""
        if not self._report.start:
            return path  # of a commit: there may be no work tree
        full = os.path.normpath(os.path.join(self._report.start, path.strip(" \t")))
        root = self._report.root.rstrip("/")
        return self._shown(full) if full.startswith(root + "/") else None


def _positive(line: object) -> int:
    return line if isinstance(line, int) and line > 0 else 1
