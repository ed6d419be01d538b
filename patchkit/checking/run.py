"""One run of check: what was asked for, and the files it is about.

Takes a CheckRequest; opens the workspace or the git commit that patches are checked against, once for all of them, and
checks one patch after the other. Several processes at once are the work of `jobs`.
"""

from __future__ import annotations

import os

from patchkit.checking.limits import Guard, Limits, PatchPermissions
from patchkit.checking.patch import PatchChecker
from patchkit.checking.report import CheckedPatch, Report
from patchkit.checking.sources import PatchSource
from patchkit.core.changes.options import Options
from patchkit.core.changes.sources import Overlay
from patchkit.core.matching.known import DocumentMemory
from patchkit.core.workspace.root import Workspace
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.diffs.git_tree import GitTree
    from patchkit.policy.oversight import Oversight


MOST_BYTES = 64 << 20  # of one patch
_MEMORY = 32 << 20  # bytes that a run takes to remember files that several patches are about


class CheckRequest(Value):
    """What to check patches against, and how.

    `against` is a git revision, with `git_dir` where the repository is not that of `root`; `base` names what patches
    were made for: a revision, a directory or 'auto'; `sequence` plans each patch on top of those before it; `pictures`
    asks for the lines of hunks and files, `brief` for no more of good patches than how many files and hunks they have.
    """

    __slots__ = (
        "root",
        "start",
        "against",
        "git_dir",
        "base",
        "syntax_only",
        "sequence",
        "options",
        "limits",
        "pictures",
        "brief",
    )
    root: str | None
    start: str | None
    against: str | None
    git_dir: str | None
    base: str | None
    syntax_only: bool
    sequence: bool
    options: Options
    limits: Limits
    pictures: bool
    brief: bool

    def __init__(self, root: str | None = None, start: str | None = None, options: Options | None = None) -> None:
        self.root = root
        self.start = start
        self.against = self.git_dir = self.base = None
        self.syntax_only = self.sequence = self.pictures = self.brief = False
        self.options = options or Options(check=True)
        self.limits = Limits()

    def rules(self) -> list[str]:
        """What is asked for beyond applying, in words."""
        rules = ["syntax only"] if self.syntax_only else []
        if self.sequence:
            rules.append("each patch on top of those before it")
        if self.base is not None:
            rules.append(f"merged from the base '{self.base}'")
        if self.options.strict:
            rules.append("strict")
        elif self.options.max_pass != Options().max_pass:
            rules.append(f"no pass beyond {self.options.max_pass}")
        return rules + self.limits.rules()


class CheckRun:
    """One run of check: the files, opened once for all patches, and what every patch is checked against.

    `files` are those of a caller who has opened them already, and who will close them. `watch` says who calls, where
    the call has not been judged yet.
    """

    def __init__(self, request: CheckRequest, files: Workspace | None = None, watch: Oversight | None = None) -> None:
        self._own: Workspace | GitTree | None = None
        self.report = Report([], os.path.realpath(request.root or "."))
        self.report.rules = request.rules()
        source = files if files is not None else self._opened(request)
        if isinstance(source, Workspace):
            source.prepare(request.options)
            self.report.notes = source.begin(writing=False)
        self.report.start = _start(request, source)
        files_of_patches = Overlay(source) if request.sequence and source is not None else source
        options = request.options.limited_to(request.options.max_pass, None)
        options.memory = DocumentMemory(_MEMORY)
        self.checker = PatchChecker(files_of_patches, options, Guard(request.limits))
        self.checker.pictures, self.checker.layered = request.pictures, request.sequence
        self.checker.brief = request.brief
        if request.base is not None and isinstance(source, Workspace):
            from patchkit.bases import PatchBases  # which loads all that reads repositories

            self.checker.workspace, self.checker.bases = source, PatchBases(request.base)
            self.checker.bases.open(source)
        self.watch = watch
        if watch is not None and source is not None:
            self.checker.permissions = _permissions(watch, source)

    def _opened(self, request: CheckRequest) -> Workspace | GitTree | None:
        if request.syntax_only:
            return None
        if request.against is None:
            self._own = Workspace(request.root, request.start)
            return self._own
        from patchkit.diffs.git_tree import GitTree

        commit = self._own = GitTree(request.against, request.git_dir, request.root, request.start)
        self.report.against = commit.commit_id
        return commit

    def __enter__(self) -> CheckRun:
        return self

    def __exit__(self, *_: object) -> None:
        if self.checker.bases is not None:
            self.checker.bases.close()
        if self._own is not None:
            self._own.close()


def _start(request: CheckRequest, source: Workspace | GitTree | None) -> str:
    """Where the paths of patches begin, as a directory; '' in a repository without a work tree."""
    if request.git_dir:
        return ""
    if source is None:
        return os.path.realpath(request.start or request.root or ".")
    return os.path.realpath(os.path.join(source.root, *source.parts("")))


def _permissions(watch: Oversight, source: Workspace | GitTree) -> PatchPermissions | None:
    judge = watch.judge_over(source)
    if judge is None:
        return None
    if isinstance(source, Workspace):
        source.may_read = judge.reader(watch.tool, watch.agent)
    return PatchPermissions(judge, watch.agent)


def checked_in_turn(
    patches: list[PatchSource], run: CheckRun, on_done: Callable[[int], None] | None = None
) -> list[CheckedPatch]:
    """Checks the patches one after the other, in this process; `on_done` gets the number of those done."""
    found = []
    for number, patch in enumerate(patches, 1):
        found.append(run.checker.check(patch.name, patch.read))
        if on_done is not None:
            on_done(number)
    return found
