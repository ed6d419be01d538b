"""What a project allows its patches: which files, how many, how many lines.

Takes a parsed patch and the names its paths come to; gives the errors of whatever goes beyond the limits. How far a
hunk may be from the text it meets (`max-pass`) is a matter of matching, and judged there.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.language.model import AddFile, FileOp, Patch, UpdateFile
from patchkit.report.checked import counted
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pathspec import GitIgnoreSpec


class Limits(Value):
    """The limits of a run. Globs are written as in a `.gitignore`; an empty `allow` allows every file."""

    __slots__ = ("forbid", "allow", "max_files", "max_lines")
    forbid: list[str]
    allow: list[str]
    max_files: int | None
    max_lines: int | None

    def __init__(
        self,
        forbid: list[str] | None = None,
        allow: list[str] | None = None,
        max_files: int | None = None,
        max_lines: int | None = None,
    ) -> None:
        self.forbid = forbid or []
        self.allow = allow or []
        self.max_files = max_files
        self.max_lines = max_lines

    def rules(self) -> list[str]:
        """The limits in words, for reports."""
        told = [f"forbid {glob}" for glob in self.forbid] + [f"allow {glob}" for glob in self.allow]
        told += [f"at most {counted(self.max_files, 'file')}"] if self.max_files is not None else []
        return told + ([f"at most {counted(self.max_lines, 'line')}"] if self.max_lines is not None else [])


class Guard:
    """The limits of a run, ready to be held against one patch after the other."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._forbidden = [(glob, _spec([glob])) for glob in limits.forbid]
        self._allowed = _spec(limits.allow) if limits.allow else None

    def refusals(self, patch: Patch, names: Callable[[FileOp], list[str]], lines: int) -> list[PatchkitError]:
        """Every limit the patch breaks. `names` gives the workspace names a section touches, `lines` is its size."""
        found = [error for op in patch.sections for error in self._of_names(op, names(op))]
        files = len({op.path for op in patch.sections})
        if self._limits.max_files is not None and files > self._limits.max_files:
            found.append(PatchkitError("P664", count=files, limit=self._limits.max_files))
        if self._limits.max_lines is not None and lines > self._limits.max_lines:
            found.append(PatchkitError("P665", count=lines, limit=self._limits.max_lines))
        return found

    def _of_names(self, op: FileOp, names: list[str]) -> list[PatchkitError]:
        for name in names:
            for glob, spec in self._forbidden:
                if spec.match_file(name):
                    return [PatchkitError("P662", file=name, glob=glob, patch_line=op.line)]
            if self._allowed is not None and not self._allowed.match_file(name):
                globs = ", ".join(f"'{glob}'" for glob in self._limits.allow)
                return [PatchkitError("P663", file=name, globs=globs, patch_line=op.line)]
        return []


def lines_of(patch: Patch) -> int:
    """How many lines a patch adds and removes, as far as it says so itself: a deleted file's are not in it."""
    count = 0
    for op in patch.sections:
        if isinstance(op, AddFile):
            count += op.text.count("\n") + (bool(op.text) and not op.text.endswith("\n"))
        elif isinstance(op, UpdateFile):
            count += sum(line[0] != " " for hunk in op.hunks for line in hunk.lines)
    return count


def is_glob(text: str) -> bool:
    """Whether a text is a pattern that can match something: no comment, no negation, nothing that cannot be read."""
    if not text.strip() or text.startswith(("#", "!")):
        return False
    try:
        _spec([text])
    except ValueError:
        return False
    return True


def _spec(globs: list[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(globs)
