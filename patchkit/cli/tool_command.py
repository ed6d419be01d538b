"""A tool as a click command, made from its declaration: fields become arguments and options.

Takes a Tool; gives the command. What a field means and how it is checked stands in the tool's schema alone, so the
command line, JSON calls and agent protocols cannot drift apart.
"""

from __future__ import annotations

import os

import click

from patchkit.cli.answer import answer
from patchkit.errors import PatchkitError
from patchkit.policy.settings_files import is_agent
from patchkit.tools.calling import Caller
from patchkit.tools.registry import Face, Tool, named

Field = dict[str, object]
MOST_BYTES = 256 << 20  # of a text that comes from a file or from standard input


def tool_command(name: str) -> click.Command:
    """The command of the tool that `name` calls."""
    tool = named(name)
    schema = tool.schema(extended=True)
    fields: dict[str, Field] = schema["properties"]  # type: ignore[assignment]
    parameters = [_parameter(field, fields[field], tool.face, schema) for field in _ordered(fields, tool.face)]
    parameters += [_from_file(field, option) for field, option in tool.face.from_file.items()]
    return click.Command(
        tool.command,
        params=[*parameters, *_common(tool.face)],
        callback=lambda **given: _run(tool, given),
        help=tool.summary,
    )


def _ordered(fields: dict[str, Field], face: Face) -> list[str]:
    return [*face.positional, *(field for field in fields if field not in face.positional)]


def _parameter(name: str, field: Field, face: Face, schema: Field) -> click.Parameter:
    required = name in schema.get("required", ()) and name not in face.from_file and name != face.from_stdin  # type: ignore[operator]
    if name in face.positional:
        many = field["type"] == "array"
        shown = name.removesuffix("s").upper() if many else name.upper()
        shown = shown if required else f"[{shown}]..." if many else f"[{shown}]"
        return click.Argument([name], required=required, nargs=-1 if many else 1, type=_kind(field), metavar=shown)
    option = face.options.get(name, "--" + name.replace("_", "-"))
    about = str(field.get("description", ""))
    if field["type"] == "boolean":
        return click.Option([*option.split("/"), name], is_flag=True, default=None, help=about)
    many = field["type"] == "array" and field.get("items", {}).get("type") == "string"  # type: ignore[attr-defined]
    return click.Option([*option.split("/"), name], type=_kind(field), multiple=many, required=required, help=about)


def _kind(field: Field) -> click.ParamType[object]:
    if "enum" in field:
        return click.Choice(field["enum"])  # type: ignore[arg-type]
    if field["type"] == "number":
        return _Number()
    return click.INT if field["type"] == "integer" else click.STRING


class _Number(click.ParamType[object]):
    """A number, whole or not; which ones a field takes is the tool's to say."""

    name = "number"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        try:
            return int(str(value)) if str(value).lstrip("+-").isdecimal() else float(str(value))
        except ValueError:
            return self.fail(f"'{value}' is not a number", param, ctx)


def _from_file(field: str, option: str) -> click.Option:
    return click.Option([option, f"{field}__file"], metavar="FILE", help=f"Take {field} from this file.")


def _common(face: Face) -> list[click.Parameter]:
    # grep has lines around a match for -C, as every grep has.
    short = [] if any(option.startswith("-C/") for option in face.options.values()) else ["-C"]
    return [
        click.Option(
            ["--root"], metavar="DIR", envvar="PATCHKIT_ROOT", help="The workspace (default: PATCHKIT_ROOT, else here)."
        ),
        click.Option(
            [*short, "--start", "start"], metavar="DIR", help="Where relative paths start, inside the workspace."
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON result instead of text."),
        _as_agent(),
    ]


def _as_agent() -> click.Option:
    about = "Nobody approved this call: refuse what the rules would ask for (also: PATCHKIT_AGENT=1)."
    return click.Option(["--as-agent", "agent"], is_flag=True, default=is_agent, help=about)


def with_agent(command: click.Command) -> click.Command:
    """Gives a command the option that says whether an agent calls, as its parameter `agent`."""
    command.params.append(_as_agent())
    return command


def _run(tool: Tool, given: dict[str, object]) -> None:
    caller = Caller(given.pop("root") or None, given.pop("start"), bool(given.pop("agent")))  # type: ignore[arg-type]
    caller.by_hand = True
    as_json = bool(given.pop("as_json"))
    answer(tool, lambda: _arguments(tool, given), caller, as_json)


def _arguments(tool: Tool, given: dict[str, object]) -> dict[str, object]:
    """What the command line said, as the arguments of a call: what was not said is left out."""
    face = tool.face
    said = {name: _plain(value) for name, value in given.items() if value is not None and value != ()}
    for field, option in face.from_file.items():
        path = said.pop(f"{field}__file", None)
        if path is not None and field in said:
            raise PatchkitError("P604", field=field, other=option)
        if path is not None:
            said[field] = _content(str(path))
    if face.from_stdin and said.get(face.from_stdin) in (None, "-"):
        said.pop(face.from_stdin, None)
        if not os.isatty(0):
            said[face.from_stdin] = everything_from(0).decode("utf-8", "surrogateescape")
    fields: dict[str, Field] = tool.schema(extended=True)["properties"]  # type: ignore[assignment]
    return {name: _listed(value, fields[name]) for name, value in said.items()}


def _listed(value: object, field: Field) -> object:
    """The value; of a field that is a list of objects, what its JSON says."""
    items: Field = field.get("items", {})  # type: ignore[assignment]
    if not isinstance(value, str) or items.get("type") != "object":
        return value
    from patchkit.cli.call import decoded

    return decoded(value, _example(items))


def _example(items: Field) -> str:
    required: list[str] = items["required"]  # type: ignore[assignment]
    return "[{" + ", ".join(f'"{name}": "…"' for name in required) + "}]"


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _content(path: str) -> str:
    try:
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise PatchkitError("P401", file=path, reason=str(error.strerror).lower()) from None
    try:
        return everything_from(opened, path).decode("utf-8", "surrogateescape")
    finally:
        os.close(opened)


def everything_from(stream: int, name: str = "standard input") -> bytes:
    """All that a stream gives, to its end; one that has none is refused when it has given too much."""
    pieces = []
    room = MOST_BYTES
    try:
        while piece := os.read(stream, 1 << 20):
            pieces.append(piece)
            room -= len(piece)
            if room < 0:
                raise PatchkitError("P401", file=name, reason=f"it has more than {MOST_BYTES >> 20} MB")
    except OSError as error:
        raise PatchkitError("P401", file=name, reason=str(error.strerror).lower()) from None
    return b"".join(pieces)
