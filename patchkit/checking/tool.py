"""Check patches: whether they can be read, whether they apply, whether they keep to the limits. Nothing is written.

Takes any number of patches and what to check them against (the files on disk, a git commit, nothing but the language);
returns a Report with the outcome of every patch, file and hunk. Output formats are in `report`.
"""

from __future__ import annotations

from patchkit.checking.limits import project
from patchkit.checking.report import STDIN, Report
from patchkit.checking.run import CheckRequest, CheckRun, checked_in_turn
from patchkit.checking.sources import PatchSource
from patchkit.checking.text import check_result
from patchkit.core.language.lenience import refuse_half_characters
from patchkit.core.workspace.root import Workspace
from patchkit.report.result import Result
from patchkit.tools.apply_patch import ALIASES, COMMAND_LINE, PATCH_EXTRAS, SCHEMA, options_of
from patchkit.tools.declaration import Declaration, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.policy.deeds import Deed, Deeds
    from patchkit.policy.oversight import Oversight
    from patchkit.report.result import Json

__all__ = ["MOST_BYTES", "TOOL", "CheckRequest", "check"]

DESCRIPTION = """\
Says whether a patch applies, and writes nothing.
The patch is what apply_patch takes. For every file and every hunk the answer says whether it applies (and by which
tolerance), is already there, matches in several places, matches nowhere (with the closest place), or overlaps another
hunk."""
MOST_BYTES = 64 << 20  # of one patch


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
            from patchkit.checking.jobs import in_parallel

            report.patches = in_parallel(patches, request, jobs, run, on_done)
        else:
            report.patches = checked_in_turn(patches, run, on_done)
        if watch is not None and run.checker.permissions is not None:
            watch.learn(run.checker.permissions.parts)
    return report


def run(call: ToolCall) -> Result:
    """Checks the one patch of a tool call."""
    request = CheckRequest(call.caller.root, call.caller.start, options_of(call, check=True))
    request.syntax_only = call.flag("syntax_only")
    rules = project(call.files.root)
    request.limits, request.options.max_pass = rules.limits, rules.max_pass or request.options.max_pass
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
        "syntax_only": {"type": "boolean", "description": "Read the patch and no file"},
        **PATCH_EXTRAS,
    },
    aliases=ALIASES,
    command_line=COMMAND_LINE,
    deeds=_deeds,
)
