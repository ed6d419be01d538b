"""A tool as a command, made from its declaration: fields become words and flags.

Takes a Tool; gives the command. What a field means and how it is checked is in the tool's schema alone, so the
command line, JSON calls and agent protocols cannot drift apart.
"""

from __future__ import annotations

import gc
import os

from patchkit.cli.answer import answer
from patchkit.cli.flags import AS_AGENT, JSON, ROOT, START, Flag, argument
from patchkit.cli.inputs import from_json, text_of_file, text_of_stream
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import PatchkitError
from patchkit.tools.calling import Caller
from patchkit.tools.registry import TOOLS, FieldSpelling, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.result import Json

Field = dict[str, object]
_FROM_FILE = "__file"  # behind the name of a field whose text a flag takes from a file
_KINDS = {"number": "NUMBER", "integer": "N"}


def main(words: list[str]) -> None:
    """Runs the command of a tool and ends the process; returns where no tool has this command."""
    tool = next((tool for tool in TOOLS if tool.command == words[0]), None)
    if tool is not None:
        gc.disable()  # a call is short, and what it makes is in use to its end
        tool_command(tool).main(words[1:])


def tool_command(tool: Tool) -> Subcommand:
    """The command that calls the tool."""
    schema, spelling = tool.schema(extended=True), tool.command_line
    fields: dict[str, Field] = schema["properties"]
    required = [
        name for name in schema.get("required", ()) if name not in spelling.from_file and name != spelling.from_stdin
    ]
    words = [_word(name, fields[name], name in required) for name in spelling.positional]
    flags = [
        _flag(name, field, spelling, fields, name in required)
        for name, field in fields.items()
        if name not in spelling.positional
    ]
    for name, spelled in spelling.from_file.items():
        about = f"take {_for_people(name, [name], spelling)} from this file"
        flags.append(Flag(spelled, name + _FROM_FILE, about, value="FILE"))
    # grep has lines around a match for -C, as every grep has.
    taken = any(spelled.startswith("-C/") for spelled in spelling.options.values())
    start = START.saying(START.about + START.more, "--start") if taken else START

    def run(**given: object) -> None:
        caller = caller_of(given)
        caller.by_hand = True
        as_json = bool(given.pop("as_json"))
        answer(tool, lambda: _arguments(schema, spelling, given), caller, as_json)

    return Subcommand(
        tool.command, _about(tool.summary, spelling), run, tuple(words), (*flags, ROOT, start, JSON, AS_AGENT)
    )


def _about(summary: str, spelling: FieldSpelling) -> str:
    """What the tool does, and what it reads from standard input."""
    field = spelling.from_stdin
    if not field:
        return summary
    names = [_spelled(field, spelling)[0], *filter(None, [spelling.from_file.get(field)])]
    return f"{summary}\n\nWithout {' and '.join(repr(name) for name in names)} standard input is read."


def _spelled(field: str, spelling: FieldSpelling) -> list[str]:
    return spelling.options.get(field, "--" + field.replace("_", "-")).split("/")


def _for_people(words: str, fields: list[str], spelling: FieldSpelling) -> str:
    """The words about a field with the options of the command line for the names of fields."""
    for field in fields:
        if "_" in field and field not in spelling.positional:
            words = words.replace(field, f"'{_spelled(field, spelling)[-1]}'")
    return words


def _word(name: str, field: Field, required: bool) -> Flag:
    many = field["type"] == "array"
    shown = name.removesuffix("s").upper() if many else name.upper()
    shown = shown if required else f"[{shown}]..." if many else f"[{shown}]"
    return argument(name, shown, many=many, required=required)


def _flag(name: str, field: Field, spelling: FieldSpelling, fields: dict[str, Field], required: bool) -> Flag:
    names = " ".join(_spelled(name, spelling))
    about = _for_people(str(field.get("description", "")), list(fields), spelling)
    about = about if about[1:2].isupper() else about[:1].lower() + about[1:]
    kind = str(field["type"])
    if kind == "boolean":
        return Flag(names, name, about.rstrip("."))
    choices: tuple[str, ...] = tuple(field.get("enum", ()))  # type: ignore[arg-type]  # a schema has texts there
    more = f": {', '.join(choices)}" if choices else ""
    shown = "NAME" if choices else "N" if kind in _KINDS else "TEXT"
    return Flag(
        names,
        name,
        about.rstrip("."),
        more,
        value=shown,
        kind=_KINDS.get(kind, ""),
        choices=choices,
        many=kind == "array" and _items(field).get("type") == "string",
        required=required,
        least=None,
    )


def _items(field: Field) -> Field:
    found = field.get("items")
    return found if isinstance(found, dict) else {}


def caller_of(given: dict[str, object]) -> Caller:
    """Takes what every tool's command has out of the values: where the workspace is, and who calls."""
    root, start = given.pop("root"), given.pop("start")
    return Caller(str(root) if root else None, None if start is None else str(start), bool(given.pop("agent")))


def _arguments(schema: Json, spelling: FieldSpelling, given: dict[str, object]) -> dict[str, object]:
    """The command line as the arguments of a call: what was not given is left out."""
    found = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value is not None and value is not False and value != ()
    }
    for field, name in spelling.from_file.items():
        path = found.pop(field + _FROM_FILE, None)
        if path is not None and field in found:
            raise PatchkitError("P604", field=field, other=name)
        if path is not None:
            found[field] = text_of_file(str(path))
    if spelling.from_stdin and found.get(spelling.from_stdin) in (None, "-"):
        found.pop(spelling.from_stdin, None)
        if not os.isatty(0):
            found[spelling.from_stdin] = text_of_stream()
    for name, spelled in spelling.from_file.items():
        if name in schema.get("required", ()) and name not in found:
            raise PatchkitError(
                "P606", field=_spelled(name, spelling)[-1], allowed=f"a text, or '{spelled}' and a file"
            )
    fields: dict[str, Field] = schema["properties"]
    return {name: _listed(value, fields[name]) for name, value in found.items()}


def _listed(value: object, field: Field) -> object:
    """The value; of a field that is a list of objects, the value of its JSON."""
    items = _items(field)
    if not isinstance(value, str) or items.get("type") != "object":
        return value
    names: list[str] = list(items.get("required", ()))  # type: ignore[call-overload]  # a schema has texts there
    return from_json(value, "[{" + ", ".join(f'"{name}": "…"' for name in names) + "}]")
