"""What apply_patch and check take alike: a patch, and how tolerant to be with it.

One source for both, so that a patch which passes the check with some fields is applied with the same ones.
"""

from __future__ import annotations

import os

from patchkit.changes.options import Options
from patchkit.tools.calling import Call
from patchkit.tools.registry import Face

SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"input": {"type": "string", "description": "The whole patch, from '*** Begin Patch' on"}},
    "required": ["input"],
    "additionalProperties": False,
}
_FLAGS = {
    "strict": "Exact matches and the bare grammar only",
    "overwrite": "Let Add and Move replace existing files",
    "forward": "Skip what is there already",
}
EXTRAS: dict[str, object] = {
    **{name: {"type": "boolean", "description": about} for name, about in _FLAGS.items()},
    "encoding": {
        "type": "string",
        "description": "What files are kept in that are neither UTF-8 nor say what they are, for example 'gbk'",
    },
}
ALIASES = {"patch": "input", "text": "input"}
FACE = Face(positional=("input",), from_stdin="input")


def options_of(call: Call, check: bool) -> Options:
    """The options that a call asks for; raises for those there are not."""
    return Options(
        check=check,
        strict=call.flag("strict"),
        overwrite=call.flag("overwrite"),
        forward=call.flag("forward"),
        dialect=os.environ.get("PATCHKIT_DIALECT") or "safe",  # the same for every entry point
        encoding=call.text("encoding") or None,
        remember=True,
        suggest=True,
    ).checked()
