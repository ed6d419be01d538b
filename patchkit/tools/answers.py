"""What the answers of several tools share: the path of a call, names, limits, remarks, and the call to make next.

Takes a ToolCall and what it found; returns the path that the call names, the error for a path without a file (with the
names that may have been meant), names as they are written in an answer, and what LS, Glob and Grep have in common:
fields, limits, the shape of their texts.
"""

from __future__ import annotations

from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note, PatchkitError
from patchkit.report.result import Json
from patchkit.tools.declaration import Tool, ToolCall, field
from patchkit.values import Record

_SHOWN_PATHS = 3
_HARMLESS = bytes(range(0x20, 0x7F))


def path_of(call: ToolCall) -> str:
    """The path as the caller spells it; an empty one is refused."""
    path = call.text("file_path", call.text("notebook_path"))
    if not path.strip():
        raise PatchkitError("P603", field="file_path", given=f"'{path}'", allowed="the path of a file")
    return path


def with_suggestion(call: ToolCall, path: str, error: PatchkitError) -> PatchkitError:
    """The error; where it is about a path without a file, with the names that may have been meant."""
    if error.code in ("P302", "P310"):
        from patchkit.repair.names import nearest_names

        names = nearest_names(call.files, path)
        quoted = " or ".join(f"'{name}'" for name in names)
        error.facts.update(data={"suggestions": names}, suggestion=f" (did you mean {quoted}?)" if names else "")
    return error


# As the caller would write them, and harmless on a line of text.


def spelled(files: Workspace, path: str) -> str:
    """A path from the root as a caller would write it: relative to where relative paths start."""
    start, parts = files.start, path.split("/")
    shared = 0
    while shared < min(len(start), len(parts) - 1) and start[shared] == parts[shared]:
        shared += 1
    return "/".join([*([".."] * (len(start) - shared)), *parts[shared:]])


def absolute(files: Workspace, paths: list[str]) -> list[str]:
    root = files.root.rstrip("/") + "/"
    return [root + path for path in paths]


def visible(call: ToolCall, names: list[str]) -> list[str]:
    """Names as they may be written on a line: characters that cannot be seen, or control a terminal, are escaped."""
    if not "".join(names).encode("utf-8", "surrogateescape").translate(None, _HARMLESS):
        return names  # printable ASCII, as nearly all names are
    if all(name.isprintable() for name in names):
        return names
    call.notes.append(Note("P961"))
    return [escaped(name) for name in names]


def escaped(name: str) -> str:
    """A name that is safe in a line of text."""
    return name if name.isprintable() else "".join(map(_visible, name))


def _visible(char: str) -> str:
    if char.isprintable():
        return char
    if "\udc80" <= char <= "\udcff":  # a byte that is not text
        return f"\\x{ord(char) - 0xDC00:02x}"
    if char < "\x80":
        return char.encode("unicode_escape").decode("ascii")
    return f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}"


def some_of(paths: dict[str, str]) -> str:
    """The first few paths, in quotes, each with the reason that it has, and how many more there are."""
    reasons = [f"'{escaped(path) or '.'}'" + (f": {why}" if why else "") for path, why in paths.items()]
    shown = ", ".join(reasons[:_SHOWN_PATHS])
    return shown + (f" and {len(paths) - _SHOWN_PATHS} more" if len(paths) > _SHOWN_PATHS else "")


# -- limits of LS, Glob and Grep -----------------------------------------------------------------
SECONDS = 2  # that a search may take, unless the caller says otherwise
COMMON: dict[str, Json] = {
    "include_hidden": field("boolean", "Include names that begin with a dot (default: false)"),
    "include_ignored": field(
        "boolean",
        "Include what ignore files and the default ignore list leave out, "
        "such as node_modules, dist and .git (default: false)",
    ),
    "offset": field("integer", "How many results to leave out at the beginning", minimum=0, maximum=1_000_000_000),
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


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def text_of(lines: list[str], remarks: list[str]) -> str:
    """The answer: its lines, and below them the remarks about it, in brackets."""
    about = "\n".join(f"({remark})" for remark in remarks)
    return "\n".join(lines) + ("\n\n" if lines and about else "") + about


# Every cut names the call that continues, so that a caller does not have to work it out.

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


class FollowUp(Record):
    """A call of a tool to make next; as a str, as the caller of `call` would write it."""

    call: ToolCall
    tool: Tool
    arguments: Json

    def __str__(self) -> str:
        if self.call.caller.by_hand:
            return " ".join(map(_quoted, _words(self.call, self.tool, self.arguments)))
        from json import dumps  # most answers are whole, and need no next call

        return f"{self.tool.name} {dumps(self.arguments, ensure_ascii=False)}"


def follow_up(call: ToolCall, changes: Json) -> FollowUp:
    """The same call with some arguments changed; None takes one out."""
    arguments = {name: value for name, value in {**call.arguments, **changes}.items() if value is not None}
    return FollowUp(call, call.tool, arguments)


def going_on(call: ToolCall, data: Json, changes: Json, words: str) -> str:
    """A remark that ends with the call that continues; that of the first remark goes into the data."""
    again = follow_up(call, changes)
    data["next"] = data["next"] or again.arguments
    return f"{words}: {again}"


def _words(call: ToolCall, tool: Tool, arguments: Json) -> list[str]:
    """The words of the command line."""
    spelling = tool.declaration.command_line
    words = ["patchkit", tool.command]
    if call.caller.root is not None:
        words += ["--root", call.caller.root]
    if call.caller.start is not None:
        words += ["--start", call.caller.start]
    for name, value in arguments.items():
        if name not in spelling.positional and value is not False:
            option = spelling.names(name)[-1]
            for each in value if isinstance(value, list) else [value]:
                words += [option] if each is True else [option, str(each)]
    given = [arguments[name] for name in spelling.positional if name in arguments]
    positional = [str(each) for value in given for each in (value if isinstance(value, list) else [value])]
    return [*words, *(["--"] if any(word.startswith("-") for word in positional) else []), *positional]


def _quoted(word: str) -> str:
    if word and _PLAIN.issuperset(word):
        return word
    if word.isprintable():
        return "'" + word.replace("'", "'\\''") + "'"
    # What cannot be seen is written as bash, zsh and ksh read it, so that the line can be copied and does no harm.
    inside = "".join(char if char.isprintable() and char not in "'\\" else _escaped_bytes(char) for char in word)
    return f"$'{inside}'"


def _escaped_bytes(char: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))
