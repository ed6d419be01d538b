"""apply_patch as a tool among the tools: the road of `tools.apply`, with the one Result at its end."""

from __future__ import annotations

from patchkit.changes.apply import Applied, apply
from patchkit.changes.model import Plan
from patchkit.errors import PatchkitError
from patchkit.report.summary import summary
from patchkit.tools import patch_fields
from patchkit.tools.apply_result import apply_data
from patchkit.tools.calling import Call
from patchkit.tools.patch_fields import ALIASES, FACE, SCHEMA, options_of
from patchkit.tools.result import Result, failure

__all__ = ["ALIASES", "FACE", "SCHEMA"]

DESCRIPTION = """\
Changes files with one patch: several places, several files, all of it or nothing.
The patch begins with '*** Begin Patch' and ends with '*** End Patch'; between them stand sections
'*** Add File: PATH' (every line with a leading '+'), '*** Delete File: PATH' and '*** Update File: PATH'
(optionally followed by '*** Move to: PATH', then hunks). A hunk opens with '@@', optionally followed by a line
of the file such as a class or function header, and holds lines with a leading ' ' (kept), '-' (removed) or
'+' (added). Give about three lines of context around a change; there are no line numbers."""
EXTRAS: dict[str, object] = {
    "check": {"type": "boolean", "description": "Say whether the patch applies; write nothing"},
    **patch_fields.EXTRAS,
}


def run(call: Call) -> Result:
    text = call.text("input")
    done = Applied()
    options = options_of(call, check=call.flag("check"))
    try:
        done = apply(text, call.files, options)
    except PatchkitError as error:
        done.plans = [each.plan for each in error.errors if isinstance(each.plan, Plan)]
        result = failure(error, text)
        result.data = apply_data(done, error.errors, options.dialect)
        return result
    call.notes.extend(done.notes)
    return Result("success", apply_data(done, [], options.dialect), summary(done.sections, options.check).rstrip("\n"))
