"""Check patches: whether they can be read, whether they apply, whether they keep to the limits. Nothing is written.

Takes any number of patches and what to check them against (the files on disk, a git commit, nothing but the language);
returns a Report with the outcome of every patch, file and hunk. Output formats are in `report`.
"""

from __future__ import annotations

from patchkit.checking.jobs import check
from patchkit.checking.limits import project
from patchkit.checking.report import STDIN
from patchkit.checking.run import MOST_BYTES, CheckRequest
from patchkit.checking.sources import PatchSource
from patchkit.checking.text import check_result
from patchkit.core.language.lenience import refuse_half_characters
from patchkit.report.result import Result
from patchkit.tools.apply_patch import ALIASES, COMMAND_LINE, PATCH_EXTRAS, SCHEMA, options_of
from patchkit.tools.declaration import Declaration, ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.policy.deeds import Deed, Deeds
    from patchkit.report.result import Json

DESCRIPTION = """\
Says whether a patch applies, and writes nothing.
The patch is what apply_patch takes. For every file and every hunk the answer says whether it applies (and by which
tolerance), is already there, matches in several places, matches nowhere (with the closest place), or overlaps another
hunk."""


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
