"""Check patches: whether they can be read, whether they apply, whether they keep to the limits. Nothing is written.

Takes any number of patches and what to check them against (the files on disk, a git commit, nothing but the language);
returns a Report with the outcome of every patch, file and hunk. Output formats are in `report`.
"""

from __future__ import annotations

import sys

from patchkit.checking.limits import project
from patchkit.checking.report import STDIN, CheckedPatch, Report
from patchkit.checking.run import MOST_BYTES, CheckRequest, CheckRun, PatchSource, checked_in_turn
from patchkit.checking.text import check_result
from patchkit.core.language.lenience import refuse_half_characters
from patchkit.errors import PatchkitError
from patchkit.report.result import Result
from patchkit.tools.apply_patch import ALIASES, COMMAND_LINE, PATCH_EXTRAS, SCHEMA, options_of
from patchkit.tools.declaration import Declaration, ToolCall, field
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.core.workspace.root import Workspace
    from patchkit.policy.deeds import Deed, Deeds
    from patchkit.policy.oversight import Oversight
    from patchkit.policy.permissions import Judged
    from patchkit.processes.workers import Workers
    from patchkit.report.result import Json

    Outcome = tuple[list[CheckedPatch], list[Judged]]


# Patches checked, one after the other or by several processes at once.
#
# Takes patches and what to check them against; returns the outcome of each, in their order. Processes take the next few
# patches when they are done with some; a patch that ends its process is refused, and the others are checked by another.
# How work is dealt out is in `processes.workers`.
_WORTH_IT = 25  # patches for each process: starting one takes as long as checking about so many
_MOST_AT_ONCE = 25  # patches of a share


class Share(Record):
    """Some patches in their order; `start` is the place of the first among all."""

    start: int
    patches: list[PatchSource]

    def split(self) -> list[Share]:
        """One share for each patch; nothing for a share of one."""
        if len(self.patches) < 2:
            return []
        return [Share(self.start + index, [patch]) for index, patch in enumerate(self.patches)]

    def lost(self, fate: str) -> Outcome:
        """What is said of a patch that ends its process."""
        checked = CheckedPatch(self.patches[0].name)
        checked.errors.append(PatchkitError("P499", reason=f"the process that checked the patch {fate}"))
        return [checked], []


def check(
    patches: list[PatchSource],
    request: CheckRequest,
    jobs: int = 1,
    files: Workspace | None = None,
    on_done: Callable[[int], None] | None = None,
    watch: Oversight | None = None,
) -> Report:
    """Checks every patch; `jobs` processes share the work, `on_done` gets the number of patches that are done.

    Where `watch` is given, every patch is judged by the rules, and `watch` gets the decisions. Raises for what concerns
    the whole run: a root that is not a directory, a revision that does not exist.
    """
    with CheckRun(request, files, watch) as run:
        report = run.report
        if jobs > 1 and len(patches) > 1 and not request.sequence:
            report.patches = in_parallel(patches, request, jobs, run, on_done)
        else:
            report.patches = checked_in_turn(patches, run, on_done)
        if watch is not None and run.checker.permissions is not None:
            watch.learn(run.checker.permissions.parts)
    return report


def in_parallel(
    patches: list[PatchSource],
    request: CheckRequest,
    jobs: int,
    run: CheckRun,
    on_done: Callable[[int], None] | None = None,
) -> list[CheckedPatch]:
    """Checks every patch, by this process where there are few."""
    count = min(jobs, len(patches) // _WORTH_IT) if sys.executable else 1
    if count < 2:
        return checked_in_turn(patches, run, on_done)
    from patchkit.processes.workers import Workers  # most checks are of a few patches

    agent = run.watch.agent if run.watch is not None else None
    size = max(1, min(_MOST_AT_ONCE, len(patches) // (4 * count)))
    shares = (Share(start, patches[start : start + size]) for start in range(0, len(patches), size))
    workers: Workers[Share, Outcome] = Workers(
        f"{__name__}:ShareChecker", (request, agent), count, Share.split, Share.lost
    )
    found: dict[int, CheckedPatch] = {}
    for each in workers.answers(shares):
        if each is not None:
            share, (checked, parts) = each
            found.update(enumerate(checked, share.start))
            if run.checker.permissions is not None:
                run.checker.permissions.parts += parts
            if on_done is not None:
                on_done(len(found))
    return [found[number] for number in range(len(patches))]


class ShareChecker:
    """Checks shares in another process, on files that are opened once; `agent` is None where nothing is judged."""

    def __init__(self, setup: tuple[CheckRequest, bool | None]) -> None:
        request, agent = setup
        watch = None
        if agent is not None:
            from patchkit.policy.oversight import Oversight
            from patchkit.tools.registry import effect_and_name

            watch = Oversight("check", agent, tool_names=effect_and_name)
        self._run = CheckRun(request, watch=watch)

    def __call__(self, share: Share) -> Outcome:
        found = checked_in_turn(share.patches, self._run)
        permissions = self._run.checker.permissions
        if permissions is None:
            return found, []
        parts, permissions.parts = permissions.parts, []
        return found, parts


DESCRIPTION = """\
Says whether a patch applies, and writes nothing.
The patch is what apply_patch takes. For every file and every hunk the answer says whether it applies (and by which
tolerance), is already there, matches in several places, matches nowhere (with the closest place), or overlaps another
hunk."""


def run(call: ToolCall) -> Result:
    request = CheckRequest(call.caller.root, call.caller.start, options_of(call, check=True))
    request.syntax_only = call.flag("syntax_only")
    request.limits = project(call.files.root)
    request.options.max_pass = request.limits.max_pass or request.options.max_pass
    refuse_half_characters(call.text("input"))
    patch = PatchSource(STDIN, MOST_BYTES, call.text("input").encode("utf-8", "surrogateescape"))
    report = check([patch], request, files=None if request.syntax_only else call.files)
    for error in report.patches[0].every_error:
        call.addressed(error)
    return check_result(report)


def _deeds(deeds: Deeds, arguments: Json) -> list[Deed]:
    if arguments.get("syntax_only"):
        return []
    return deeds.of_patch(arguments["input"], bool(arguments.get("strict")), check=True)


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras={
        "syntax_only": field("boolean", "Read the patch and no file"),
        **PATCH_EXTRAS,
    },
    aliases=ALIASES,
    command_line=COMMAND_LINE,
    deeds=_deeds,
)
