"""What ls, glob and grep share: the fields for limits and hidden names, and the shape of their texts.

Takes a ToolCall; returns limits and pieces of answers. How a caller gets what is missing is in `follow_up`, how names
are written in `paths`.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.tools.declaration import ToolCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.result import Json

SECONDS = 2  # that a search may take, unless the caller says otherwise
COMMON: dict[str, Json] = {
    "include_hidden": {"type": "boolean", "description": "Include names that begin with a dot (default: false)"},
    "include_ignored": {
        "type": "boolean",
        "description": "Include what ignore files and the default ignore list leave out, "
        "such as node_modules, dist and .git (default: false)",
    },
    "offset": {
        "type": "integer",
        "minimum": 0,
        "maximum": 1_000_000_000,
        "description": "How many results to leave out at the beginning",
    },
}
COMMON_OPTIONS = {"include_hidden": "--hidden", "include_ignored": "--no-ignore"}
COMMON_ALIASES = {"hidden": "include_hidden", "no_ignore": "include_ignored"}


def limit_field(most: int, usual: int, things: str) -> Json:
    about = f"The most {things} to return, 1 to {most} (default: {usual})"
    return {"type": "integer", "minimum": 1, "maximum": most, "description": about}


def timeout_field(usual: int, endless: str) -> Json:
    about = f"Seconds to search at most (default: {usual}); 0 for {endless}"
    return {"type": "number", "minimum": 0, "description": about}


def unbounded(field: Json) -> Json:
    """A limit as the command line takes it; `limit_of` checks it, because its error has a fixed text."""
    about = f"{field['description']}; on the command line 0 means all"
    return {"type": "integer", "description": about}


def limit_of(call: ToolCall, most: int, usual: int) -> int:
    """How many results are wanted; 0 means all, which only a person may ask for."""
    limit = call.number("limit", usual)
    if 1 <= limit <= most or (limit == 0 and call.caller.by_hand):
        return limit
    allowed = f"a whole number between 1 and {most}" + (", or 0 for all" if call.caller.by_hand else "")
    said = f"limit must be an integer between 1 and {most}."
    raise PatchkitError("P603", field="limit", given=str(limit), allowed=allowed, said=said)


# -- texts ---------------------------------------------------------------------------------------


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def text_of(lines: list[str], remarks: list[str]) -> str:
    """The answer: its lines, and below them the remarks about it, in brackets."""
    about = "\n".join(f"({remark})" for remark in remarks)
    return "\n".join(lines) + ("\n\n" if lines and about else "") + about
