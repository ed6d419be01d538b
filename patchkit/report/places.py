"""Where an error or a note is to be shown, for faces that point into files: in the patch, and in the tree.

Takes a Report's findings and the directory that paths shall be relative to; gives Places. A patch that came through a
pipe is no file anybody could open, so its findings are shown in the tree, as far as they have a place there.
"""

from __future__ import annotations

import os

from patchkit.errors import Note, PatchkitError
from patchkit.report.checked import STDIN, CheckedPatch, Report, counted
from patchkit.values import Value

_MOST = 20  # places of one error that are told


class Place(Value):
    """A line of a file, the path as the reader's tools know it; `words` say what is there."""

    __slots__ = ("path", "line", "words")
    path: str
    line: int
    words: str

    def __init__(self, path: str, line: int, words: str = "") -> None:
        self.path = path
        self.line = line
        self.words = words


class Map:
    """Paths of one report, relative to `base` where they lie below it."""

    def __init__(self, report: Report, base: str) -> None:
        self._report = report
        self._base = os.path.realpath(base)

    def shown(self, path: str) -> str:
        """A path from the base; an absolute one when it lies elsewhere."""
        full = os.path.realpath(path)
        inside = full.startswith(self._base.rstrip("/") + "/")
        return full[len(self._base.rstrip("/")) + 1 :] if inside else full

    def main(self, patch: CheckedPatch, finding: PatchkitError | Note) -> Place | None:
        """The line to show a finding at: that of the patch file; of a piped patch, that of the file in the tree."""
        if patch.name == STDIN:
            places = self.in_the_tree(finding)
            return places[0] if places else None
        facts = finding.facts
        line = facts.get("differs_at") or facts.get("patch_line")
        return Place(self.shown(patch.name), line if isinstance(line, int) and line > 0 else 1)

    def in_the_tree(self, finding: PatchkitError | Note) -> list[Place]:
        """The lines of the tree that a finding speaks of: the closest place, or every place in question."""
        facts = finding.facts
        file = facts.get("file")
        if not isinstance(file, str) or "\0" in file:
            return []
        path = self._in_tree(file)
        if path is None:
            return []
        near = facts.get("near")
        if near is not None:
            agree = f"{near.agree} of {counted(near.total, 'line')} agree"  # type: ignore[attr-defined]
            return [Place(path, near.line + 1 + near.index, f"closest place ({agree})")]  # type: ignore[attr-defined]
        choices = facts.get("choices")
        if isinstance(choices, list) and choices:
            return [Place(path, each.line, f"in '{each.inside}'" if each.inside else "") for each in choices[:_MOST]]
        line = facts.get("line")
        return [Place(path, line if isinstance(line, int) and line > 0 else 1)]

    def _in_tree(self, path: str) -> str | None:
        """A path of a patch as the reader's tools know it; None for one that leaves the workspace."""
        if not self._report.start:
            return path  # of a commit: where a work tree would stand is not known
        full = os.path.normpath(os.path.join(self._report.start, path.strip(" \t")))
        root = self._report.root.rstrip("/")
        return self.shown(full) if full.startswith(root + "/") else None
