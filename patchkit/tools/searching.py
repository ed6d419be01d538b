"""What ls, glob and grep share: limits, how names are shown, and the words around them.

Takes a Call; gives pieces of answers. How a caller gets what is missing stands in `continuing`.
"""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.tools.calling import Call
from patchkit.workspace.root import Workspace

_SHOWN_PLACES = 3
_HARMLESS = bytes(range(0x20, 0x7F))

COMMON: dict[str, dict[str, object]] = {
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


def limit_field(most: int, usual: int, things: str) -> dict[str, object]:
    about = f"The most {things} to return, 1 to {most} (default: {usual})"
    return {"type": "integer", "minimum": 1, "maximum": most, "description": about}


def timeout_field(usual: int, endless: str) -> dict[str, object]:
    about = f"Seconds to search at most (default: {usual}); 0 for {endless}"
    return {"type": "number", "minimum": 0, "description": about}


def unbounded(field: dict[str, object]) -> dict[str, object]:
    """A limit as the command line takes it: it is checked by `limit_of`, which owes its callers words of its own."""
    about = f"{field['description']}; on the command line 0 stands for all"
    return {"type": "integer", "description": about}


def limit_of(call: Call, most: int, usual: int) -> int:
    """How many results are wanted; 0 stands for all, which only a person may ask for."""
    limit = call.number("limit", usual)
    if 1 <= limit <= most or (limit == 0 and call.caller.by_hand):
        return limit
    allowed = f"a whole number between 1 and {most}" + (", or 0 for all" if call.caller.by_hand else "")
    said = f"limit must be an integer between 1 and {most}."
    raise PatchkitError("P603", field="limit", given=str(limit), allowed=allowed, said=said)


# -- names ---------------------------------------------------------------------------------------


def spelled(files: Workspace, path: str) -> str:
    """A path from the root as a caller would write it: from where relative paths start."""
    start = files.parts(".")
    parts = path.split("/")
    shared = 0
    while shared < min(len(start), len(parts) - 1) and start[shared] == parts[shared]:
        shared += 1
    return "/".join([*([".."] * (len(start) - shared)), *parts[shared:]])


def absolute(files: Workspace, paths: list[str]) -> list[str]:
    root = files.root.rstrip("/") + "/"
    return [root + path for path in paths]


def visible(call: Call, names: list[str]) -> list[str]:
    """Names as they may be written on a line: what cannot be seen, or would act, is written with escapes."""
    if not "".join(names).encode("utf-8", "surrogateescape").translate(None, _HARMLESS):
        return names  # of ASCII alone and nothing to hide, as nearly all are: seen at a glance
    if all(name.isprintable() for name in names):
        return names
    call.notes.append(Note("P961"))
    return [escaped(name) for name in names]


def escaped(name: str) -> str:
    """A name that cannot do harm to a line of text."""
    return name if name.isprintable() else "".join(map(_visible, name))


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    if "\udc80" <= char <= "\udcff":  # a byte that is no text
        return f"\\x{ord(char) - 0xDC00:02x}"
    if char < "\x80":
        return char.encode("unicode_escape").decode("ascii")
    return f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}"


# -- words ---------------------------------------------------------------------------------------


def some_of(places: list[str]) -> str:
    """A few of many places, in quotes."""
    shown = ", ".join(f"'{escaped(place) or '.'}'" for place in places[:_SHOWN_PLACES])
    return shown + (f" and {len(places) - _SHOWN_PLACES} more" if len(places) > _SHOWN_PLACES else "")


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def text_of(lines: list[str], remarks: list[str]) -> str:
    """The answer: its lines, and below them in brackets what there is to be said about it."""
    about = "\n".join(f"({remark})" for remark in remarks)
    return "\n".join(lines) + ("\n\n" if lines and about else "") + about
