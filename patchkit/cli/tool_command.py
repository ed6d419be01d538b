"""A tool as a click command, made from its declaration: fields become arguments and options.

Takes a Tool; gives the command. What a field means and how it is checked is in the tool's schema alone, so the
command line, JSON calls and agent protocols cannot drift apart.
"""

from __future__ import annotations

import os

import click

from patchkit.cli.answer import answer
from patchkit.cli.click_commands import StyledCommand
from patchkit.cli.click_options import option
from patchkit.cli.flags import AS_AGENT, JSON, ROOT, START
from patchkit.cli.inputs import from_json, text_of_file, text_of_stream
from patchkit.errors import PatchkitError
from patchkit.tools.calling import Caller
from patchkit.tools.registry import FieldSpelling, Tool

Field = dict[str, object]
_PATHS = ("file_path", "path", "paths")  # fields whose values a shell completes as names of files


def tool_command(tool: Tool) -> click.Command:
    """The command that calls the tool."""
    schema = tool.schema(extended=True)
    fields = _fields(tool)
    parameters = [
        _parameter(field, fields[field], tool.command_line, schema) for field in _ordered(fields, tool.command_line)
    ]
    parameters += [_from_file(field, name, tool.command_line) for field, name in tool.command_line.from_file.items()]
    return StyledCommand(
        tool.command,
        params=[*parameters, *_common(tool.command_line)],
        callback=lambda **given: _run(tool, given),
        help=_help(tool),
    )


def _help(tool: Tool) -> str:
    """What the tool does, and what it reads from standard input."""
    field = tool.command_line.from_stdin
    if not field:
        return tool.summary
    names = [_spelled(field, tool.command_line)[0], *filter(None, [tool.command_line.from_file.get(field)])]
    return f"{tool.summary}\n\nWithout {' and '.join(repr(name) for name in names)} standard input is read."


def _spelled(field: str, spelling: FieldSpelling) -> list[str]:
    return spelling.options.get(field, "--" + field.replace("_", "-")).split("/")


def _for_people(words: str, fields: list[str], spelling: FieldSpelling) -> str:
    """The words about a field with the options of the command line for the names of fields."""
    for field in fields:
        if "_" in field and field not in spelling.positional:
            words = words.replace(field, f"'{_spelled(field, spelling)[-1]}'")
    return words


def _fields(tool: Tool) -> dict[str, Field]:
    fields: dict[str, Field] = tool.schema(extended=True)["properties"]
    return fields


def _ordered(fields: dict[str, Field], spelling: FieldSpelling) -> list[str]:
    return [*spelling.positional, *(field for field in fields if field not in spelling.positional)]


def _parameter(name: str, field: Field, spelling: FieldSpelling, schema: Field) -> click.Parameter:
    required = name in _names(schema, "required") and name not in spelling.from_file and name != spelling.from_stdin
    if name in spelling.positional:
        many = field["type"] == "array"
        shown = name.removesuffix("s").upper() if many else name.upper()
        shown = shown if required else f"[{shown}]..." if many else f"[{shown}]"
        kind = click.Path() if name in _PATHS else _kind(field)
        return click.Argument([name], required=required, nargs=-1 if many else 1, type=kind, metavar=shown)
    spelled = _spelled(name, spelling)
    about = _for_people(str(field.get("description", "")), list(_properties(schema)), spelling)
    if field["type"] == "boolean":
        return click.Option([*spelled, name], is_flag=True, default=None, help=about)
    many = field["type"] == "array" and _items(field).get("type") == "string"
    return click.Option([*spelled, name], type=_kind(field), multiple=many, required=required, help=about)


def _properties(schema: Field) -> Field:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _names(schema: Field, key: str) -> list[str]:
    found = schema.get(key)
    return found if isinstance(found, list | tuple) else []  # type: ignore[return-value]  # a tuple is read alike


def _items(field: Field) -> Field:
    found = field.get("items")
    return found if isinstance(found, dict) else {}


def _kind(field: Field) -> click.ParamType[object]:
    if "enum" in field:
        return click.Choice(_names(field, "enum"))
    if field["type"] == "number":
        return _Number()
    return click.INT if field["type"] == "integer" else click.STRING


class _Number(click.ParamType[object]):
    """A number, whole or not; which ones a field takes is for the tool to say."""

    name = "number"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        try:
            return int(str(value)) if str(value).lstrip("+-").isdecimal() else float(str(value))
        except ValueError:
            return self.fail(f"'{value}' is not a number", param, ctx)


def _from_file(field: str, name: str, spelling: FieldSpelling) -> click.Option:
    about = f"take {_for_people(field, [field], spelling)} from this file"
    return click.Option([name, f"{field}__file"], type=click.Path(dir_okay=False), metavar="FILE", help=about)


def _common(spelling: FieldSpelling) -> list[click.Parameter]:
    # grep has lines around a match for -C, as every grep has.
    taken = any(spelled.startswith("-C/") for spelled in spelling.options.values())
    start = tuple(name for name in START.names if name != "-C" or not taken)
    return [option(ROOT), option(START, start), option(JSON), option(AS_AGENT)]


def _run(tool: Tool, given: dict[str, object]) -> None:
    caller = caller_of(given)
    caller.by_hand = True
    as_json = bool(given.pop("as_json"))
    answer(tool, lambda: _arguments(tool, given), caller, as_json)


def caller_of(given: dict[str, object]) -> Caller:
    """Takes what every tool's command has out of the parameters: where the workspace is, and who calls."""
    root, start = given.pop("root"), given.pop("start")
    return Caller(str(root) if root else None, None if start is None else str(start), bool(given.pop("agent")))


def _arguments(tool: Tool, given: dict[str, object]) -> dict[str, object]:
    """The command line as the arguments of a call: what was not given is left out."""
    spelling = tool.command_line
    found = {name: _plain(value) for name, value in given.items() if value is not None and value != ()}
    for field, name in spelling.from_file.items():
        path = found.pop(f"{field}__file", None)
        if path is not None and field in found:
            raise PatchkitError("P604", field=field, other=name)
        if path is not None:
            found[field] = text_of_file(str(path))
    if spelling.from_stdin and found.get(spelling.from_stdin) in (None, "-"):
        found.pop(spelling.from_stdin, None)
        if not os.isatty(0):
            found[spelling.from_stdin] = text_of_stream()
    fields = _fields(tool)
    return {name: _listed(value, fields[name]) for name, value in found.items()}


def _listed(value: object, field: Field) -> object:
    """The value; of a field that is a list of objects, the value of its JSON."""
    items = _items(field)
    if not isinstance(value, str) or items.get("type") != "object":
        return value
    return from_json(value, "[{" + ", ".join(f'"{name}": "…"' for name in _names(items, "required")) + "}]")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
