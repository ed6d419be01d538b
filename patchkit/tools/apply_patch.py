"""apply_patch as a tool among the tools: the road of `tools.apply`, with the one Result at its end."""

from __future__ import annotations

import os

from patchkit.changes.model import Plan
from patchkit.errors import PatchkitError
from patchkit.report.summary import summary
from patchkit.tools.apply import Applied, Options, apply
from patchkit.tools.apply_result import apply_data
from patchkit.tools.calling import Call
from patchkit.tools.registry import Face
from patchkit.tools.result import Result, failure

DESCRIPTION = """\
Changes files with one patch: several places, several files, all of it or nothing.
The patch begins with '*** Begin Patch' and ends with '*** End Patch'; between them stand sections
'*** Add File: PATH' (every line with a leading '+'), '*** Delete File: PATH' and '*** Update File: PATH'
(optionally followed by '*** Move to: PATH', then hunks). A hunk opens with '@@', optionally followed by a line
of the file such as a class or function header, and holds lines with a leading ' ' (kept), '-' (removed) or
'+' (added). Give about three lines of context around a change; there are no line numbers."""
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"input": {"type": "string", "description": "The whole patch, from '*** Begin Patch' on"}},
    "required": ["input"],
    "additionalProperties": False,
}
EXTRAS: dict[str, object] = {
    "check": {"type": "boolean", "description": "Say whether the patch applies; write nothing"},
    "strict": {"type": "boolean", "description": "Exact matches and the bare grammar only"},
    "overwrite": {"type": "boolean", "description": "Let Add and Move replace existing files"},
    "forward": {"type": "boolean", "description": "Skip what is there already"},
}
ALIASES = {"patch": "input", "text": "input"}
FACE = Face(positional=("input",), from_stdin="input")


def run(call: Call) -> Result:
    text = call.text("input")
    done = Applied()
    dialect = os.environ.get("PATCHKIT_DIALECT") or "safe"  # the same patch means the same through every door
    options = Options(**{name: call.flag(name) for name in EXTRAS}, dialect=dialect, remember=True).checked()
    try:
        done = apply(text, call.files, options)
    except PatchkitError as error:
        done.plans = [each.plan for each in error.errors if isinstance(each.plan, Plan)]
        result = failure(error, text)
        result.data = apply_data(done, error.errors, options.dialect)
        return result
    call.notes.extend(done.notes)
    return Result("success", apply_data(done, [], options.dialect), summary(done.sections, options.check).rstrip("\n"))
