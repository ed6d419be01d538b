"""apply_patch as a tool; the fields that `check` has as well are declared here, so that both take a patch alike."""

from __future__ import annotations

from patchkit.applying import Applied, apply, summary
from patchkit.core.changes import Options, Plan
from patchkit.errors import PatchkitError
from patchkit.policy import variable
from patchkit.report.result import Json, Result, failure
from patchkit.tools.apply_result import apply_data, partial_result
from patchkit.tools.asked_proof import PROOF, proof_deeds, prove
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.policy.deeds import Deed, Deeds

DESCRIPTION = """\
Changes files with one patch: several places, several files, all of it or nothing.
The patch begins with '*** Begin Patch' and ends with '*** End Patch'; between them are sections
'*** Add File: PATH' (every line with a leading '+'), '*** Delete File: PATH' and '*** Update File: PATH'
(optionally followed by '*** Move to: PATH', then hunks). A hunk opens with '@@', optionally followed by a line
of the file such as a class or function header, and holds lines with a leading ' ' (kept), '-' (removed) or
'+' (added). Give about three lines of context around a change; there are no line numbers."""
SCHEMA: Json = fields("input", input=field("string", "The whole patch, from '*** Begin Patch' on"))
_FLAGS = {
    "strict": "Exact matches and the bare grammar only",
    "overwrite": "Let Add and Move replace existing files",
    "forward": "Skip changes that are already there",
}
PATCH_EXTRAS: Json = {
    **{name: field("boolean", about) for name, about in _FLAGS.items()},
    "encoding": field(
        "string", "The encoding of files that are not UTF-8 and have no byte order mark, for example 'gbk'"
    ),
}
_FIX: Json = field(
    "string",
    "Apply the correction of a refused patch: one that is certain, or also one that is likely",
    enum=["certain", "likely"],
)
ALIASES = {"patch": "input", "text": "input"}
COMMAND_LINE = FieldSpelling(positional=("input",), from_stdin="input")


def options_of(call: ToolCall, check: bool) -> Options:
    """The options that a call asks for; raises for values that are not allowed."""
    return Options(
        check=check,
        strict=call.flag("strict"),
        overwrite=call.flag("overwrite"),
        forward=call.flag("forward"),
        dialect=variable("PATCHKIT_DIALECT"),  # the same for every entry point
        encoding=call.text("encoding") or None,
        fix=call.text("fix"),
        partial=call.text("partial"),
        remember=True,
        suggest=True,
        syntax=variable("PATCHKIT_SYNTAX"),
        commit=call.get("commit"),
    ).checked()


def run(call: ToolCall) -> Result:
    text = call.text("input")
    done = Applied()
    options = options_of(call, check=call.flag("check"))
    try:
        prove(call, options)
        done = apply(text, call.files, options)
    except PatchkitError as error:
        done.plans = [each.plan for each in error.errors if isinstance(each.plan, Plan)]
        result = failure(call.addressed(error), text)
        result.data = apply_data(done, error.errors, options.dialect)
        return result
    call.notes.extend(done.notes)
    if done.errors:
        return partial_result(done, options, text)
    return Result("success", apply_data(done, [], options.dialect), summary(done.updated, options.check).rstrip("\n"))


def _deeds(deeds: Deeds, arguments: Json) -> list[Deed]:
    found = deeds.of_patch(arguments["input"], bool(arguments.get("strict")), bool(arguments.get("check")))
    return [*found, *proof_deeds(deeds, arguments, found)]


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras={
        "check": field("boolean", "Say whether the patch applies; write nothing"),
        "fix": _FIX,
        "partial": field(
            "string",
            "Apply the files whose hunks all fit, or also the hunks that fit, and give the rest back",
            enum=["files", "hunks"],
        ),
        **PATCH_EXTRAS,
        **PROOF,
        "commit": field("string", "Put the files into a git commit with this message"),
    },
    aliases=ALIASES,
    command_line=COMMAND_LINE,
    deeds=_deeds,
)
