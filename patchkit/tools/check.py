"""Check patches: whether they can be read, whether they apply, whether they keep to the limits. Nothing is written.

Takes any number of patches and what to hold them against (the files on disk, a git commit, nothing but the language);
gives a Report with what became of every patch, file and hunk. Faces are the report room's work.
"""

from __future__ import annotations

import os

from patchkit.changes.options import Options
from patchkit.language.wrapping import refuse_half_characters
from patchkit.policy.limits import Guard, Limits
from patchkit.report.checked import STDIN, CheckedPatch, Report
from patchkit.tools import patch_fields
from patchkit.tools.calling import Call
from patchkit.tools.checking.patch import Judge
from patchkit.tools.checking.sources import Source
from patchkit.tools.patch_fields import ALIASES, FACE, SCHEMA, options_of
from patchkit.tools.result import Result
from patchkit.values import Value
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.changes.sources import Files
    from patchkit.policy.limits import Gate
    from patchkit.policy.oversight import Oversight
    from patchkit.workspace.git_tree import GitTree

__all__ = ["ALIASES", "FACE", "SCHEMA"]

DESCRIPTION = """\
Says whether a patch applies, and writes nothing.
The patch is what apply_patch takes. For every file and every hunk the answer tells whether it applies (and by which
tolerance), is there already, fits several places, fits none (with the closest place), or meets another hunk."""
EXTRAS: dict[str, object] = {
    "syntax_only": {"type": "boolean", "description": "Read the patch and look at no file"},
    **patch_fields.EXTRAS,
}
MOST_BYTES = 64 << 20  # of one patch


class Wanted(Value):
    """What to hold patches against, and how.

    `against` is a git revision, with `git_dir` where the repository is not that of `root`; `sequence` plans each
    patch on top of those before it; `pictures` asks for the lines of hunks and files.
    """

    __slots__ = ("root", "start", "against", "git_dir", "syntax_only", "sequence", "options", "limits", "pictures")
    root: str | None
    start: str | None
    against: str | None
    git_dir: str | None
    syntax_only: bool
    sequence: bool
    options: Options
    limits: Limits
    pictures: bool

    def __init__(self, root: str | None = None, start: str | None = None, options: Options | None = None) -> None:
        self.root = root
        self.start = start
        self.against = self.git_dir = None
        self.syntax_only = self.sequence = self.pictures = False
        self.options = options or Options(check=True)
        self.limits = Limits()

    def rules(self) -> list[str]:
        """What is asked for beyond applying, in words."""
        told = ["syntax only"] if self.syntax_only else []
        if self.sequence:
            told.append("each patch on top of those before it")
        if self.options.strict:
            told.append("strict")
        elif self.options.max_pass != Options().max_pass:
            told.append(f"no pass beyond {self.options.max_pass}")
        return told + self.limits.rules()


class Bench:
    """Where patches are judged: the files, opened once for all of them.

    `files` are those of a caller who has opened them already, and who will close them. `watch` says who calls, where
    the rules have not been asked about the call yet.
    """

    def __init__(self, wanted: Wanted, files: Workspace | None = None, watch: Oversight | None = None) -> None:
        self._own: Workspace | GitTree | None = None
        self.report = Report([], os.path.realpath(wanted.root or "."))
        self.report.rules = wanted.rules()
        source = files if files is not None else self._opened(wanted)
        if isinstance(source, Workspace):
            source.prepare(wanted.options)
            self.report.notes = source.begin(writing=False)
        self.report.start = _start(wanted, source)
        self.judge = Judge(
            _layered(source) if wanted.sequence and source is not None else source, wanted.options, Guard(wanted.limits)
        )
        self.judge.pictures, self.judge.layered = wanted.pictures, wanted.sequence
        self.watch = watch
        if watch is not None and source is not None:
            self.judge.gate = _gate(watch, source)

    def _opened(self, wanted: Wanted) -> Workspace | GitTree | None:
        if wanted.syntax_only:
            return None
        if wanted.against is None:
            self._own = Workspace(wanted.root, wanted.start)
            return self._own
        from patchkit.workspace.git_tree import GitTree

        commit = self._own = GitTree(wanted.against, wanted.git_dir, wanted.root, wanted.start)
        self.report.against = commit.commit_id
        return commit

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own is not None:
            self._own.close()


def _start(wanted: Wanted, source: Workspace | GitTree | None) -> str:
    """Where the paths of patches begin, as a directory; '' in a repository without a work tree."""
    if wanted.git_dir:
        return ""
    if source is None:
        return os.path.realpath(wanted.start or wanted.root or ".")
    return os.path.realpath(os.path.join(source.root, *source.parts("")))


def _gate(watch: Oversight, source: Workspace | GitTree) -> Gate | None:
    judge = watch.judge_over(source)
    if judge is None:
        return None
    if isinstance(source, Workspace):
        source.may_read = judge.reader(watch.tool, watch.agent)
    from patchkit.policy.limits import Gate

    return Gate(judge, watch.agent)


def _layered(source: Files) -> Files:
    from patchkit.changes.sources import Overlay

    return Overlay(source)


def check(
    patches: list[Source],
    wanted: Wanted,
    jobs: int = 1,
    files: Workspace | None = None,
    on_done: Callable[[int], None] | None = None,
    watch: Oversight | None = None,
) -> Report:
    """Checks every patch; `jobs` processes share the work, `on_done` is told how many patches are done.

    Where `watch` is given, the rules are asked about every patch, and it learns what they said. Raises for what
    concerns no single patch: a root that is none, a revision that does not exist.
    """
    with Bench(wanted, files, watch) as bench:
        report = bench.report
        if jobs > 1 and len(patches) > 1 and not wanted.sequence:
            from patchkit.tools.checking.jobs import in_parallel

            report.patches = in_parallel(patches, wanted, jobs, bench, on_done)
        else:
            report.patches = judged(patches, bench, on_done)
        if watch is not None and bench.judge.gate is not None:
            watch.learn(bench.judge.gate.parts)
    return report


def judged(patches: list[Source], bench: Bench, on_done: Callable[[int], None] | None = None) -> list[CheckedPatch]:
    """The patches one after the other, in this process."""
    found = []
    for number, patch in enumerate(patches, 1):
        found.append(bench.judge.judge(patch.name, patch.read))
        if on_done is not None:
            on_done(number)
    return found


def run(call: Call) -> Result:
    """One patch, checked as a tool among the tools."""
    from patchkit.policy.limits import project
    from patchkit.report.check_json import check_result

    wanted = Wanted(call.caller.root, call.caller.start, options_of(call, check=True))
    wanted.syntax_only = call.flag("syntax_only")
    rules = project(call.files.root)
    wanted.limits, wanted.options.max_pass = rules.limits, rules.max_pass or wanted.options.max_pass
    refuse_half_characters(call.text("input"))
    patch = Source(STDIN, MOST_BYTES, call.text("input").encode("utf-8", "surrogateescape"))
    return check_result(check([patch], wanted, files=None if wanted.syntax_only else call.files))
