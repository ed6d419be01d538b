"""What a project allows its patches: which files, how many, how many lines.

Takes a parsed patch and the workspace names of its paths; returns an error for every limit it breaks. The limits come
from the settings of a root (`project`) and from the command line. How tolerant matching may be (`max-pass`) is checked
by matching.
"""

from __future__ import annotations

from patchkit.core.language import AddFile, FileOp, Patch, UpdateFile
from patchkit.core.matching import NAMES
from patchkit.errors import PatchkitError
from patchkit.globs.patterns import IgnoreRules, ignore_rule
from patchkit.policy.settings import CHECK_KEYS, Settings, settings
from patchkit.report.width import counted
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.policy.permissions import Judge, Judged


class Limits(Record):
    """The limits of a run. Globs are written as in a `.gitignore`; an empty `allow` allows every file."""

    forbid: list[str] = []
    allow: list[str] = []
    max_files: int | None = None
    max_lines: int | None = None
    max_pass: str | None = None  # the most tolerant one

    def rules(self) -> list[str]:
        """The limits in words, for reports."""
        rules = [f"forbid {glob}" for glob in self.forbid] + [f"allow {glob}" for glob in self.allow]
        rules += [f"at most {counted(self.max_files, 'file')}"] if self.max_files is not None else []
        return rules + ([f"at most {counted(self.max_lines, 'line')}"] if self.max_lines is not None else [])


class Guard:
    """The limits of a run, compiled for checking many patches."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._forbidden = [(glob, IgnoreRules([glob])) for glob in limits.forbid]
        self._allowed = IgnoreRules(limits.allow) if limits.allow else None

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
            for glob, rules in self._forbidden:
                if rules.ignores_file(name):
                    return [PatchkitError("P662", file=name, glob=glob, patch_line=op.line)]
            if self._allowed is not None and not self._allowed.ignores_file(name):
                globs = ", ".join(f"'{glob}'" for glob in self._limits.allow)
                return [PatchkitError("P663", file=name, globs=globs, patch_line=op.line)]
        return []


def lines_of(patch: Patch) -> int:
    """How many lines a patch adds and removes, as far as the patch has them: it has none of a deleted file."""
    count = 0
    for op in patch.sections:
        if isinstance(op, AddFile):
            count += op.text.count("\n") + (bool(op.text) and not op.text.endswith("\n"))
        elif isinstance(op, UpdateFile):
            count += sum(line[0] != " " for hunk in op.hunks for line in hunk.lines)
    return count


def is_glob(text: str) -> bool:
    """Whether a text is a pattern that can match something: not a comment, not a negation, nothing unreadable."""
    return not text.startswith("!") and ignore_rule(text) is not None


class PatchPermissions(Record):
    """Whether the files of patches may be read, by the rules of a project; `parts` is what was decided so far."""

    judge: Judge
    agent: bool
    parts: list[Judged] = []

    def refusals(self, patch: Patch) -> list[PatchkitError]:
        """Why the files of this patch may not be read, each with the section that names the file."""
        found = []
        for section in patch.sections:
            judgement = self.judge.judge("check", self.judge.deeds.of_section(section, check=True))
            self.parts += judgement.parts
            for error in judgement.refusals(self.agent):
                error.facts["patch_line"] = section.line
                found.append(error)
        return found


def project(root: str) -> Limits:
    """What the settings of a root say about patches; raises for a value of `check` that is not allowed."""
    known = settings(root)
    table = known.table("check")
    for key in table:
        if key not in CHECK_KEYS:
            source = known.source("check") or known.user
            assert source is not None, "a key comes from a file"
            raise source.unknown(f"check.{key}", CHECK_KEYS)
    forbid, allow = (_globs(known, table, key) for key in ("forbid", "allow"))
    files, lines = (_count(known, table, key) for key in ("max-files", "max-lines"))
    most_tolerant = table.get("max-pass")
    if most_tolerant is not None and most_tolerant not in NAMES:
        raise known.wrong("check.max-pass", most_tolerant, "one of " + ", ".join(f"'{name}'" for name in NAMES))
    return Limits(forbid, allow, files, lines, str(most_tolerant) if most_tolerant else None)


def _globs(known: Settings, table: dict[str, object], key: str) -> list[str]:
    given = table.get(key, [])
    globs: list[object] = given if isinstance(given, list) else [given]
    if not all(isinstance(each, str) and is_glob(each) for each in globs):
        raise known.wrong(f"check.{key}", given, "a list of patterns as in a '.gitignore', such as 'vendor/**'")
    return [str(each) for each in globs]


def _count(known: Settings, table: dict[str, object], key: str) -> int | None:
    given = table.get(key)
    if given is None:
        return None
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise known.wrong(f"check.{key}", given, "a whole number of at least 0")
    return given
