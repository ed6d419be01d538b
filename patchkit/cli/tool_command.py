"""A tool as a click command, made from its declaration: fields become arguments and options.

Takes a Tool; gives the command. What a field means and how it is checked stands in the tool's schema alone, so the
command line, JSON calls and agent protocols cannot drift apart.
"""

from __future__ import annotations

import os
import sys

import click

from patchkit.cli.answer import status_of, tell
from patchkit.cli.signals import Interrupted, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.errors import PatchkitError
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import Face, Tool, named
from patchkit.tools.result import Result, failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Field = dict[str, object]


def tool_command(name: str) -> click.Command:
    """The command of the tool that `name` calls."""
    tool = named(name)
    schema = tool.schema(extended=True)
    fields: dict[str, Field] = schema["properties"]  # type: ignore[assignment]
    parameters = [_parameter(field, fields[field], tool.face, schema) for field in _ordered(fields, tool.face)]
    parameters += [_from_file(field, option) for field, option in tool.face.from_file.items()]
    return click.Command(
        tool.command,
        params=[*parameters, *_common()],
        callback=lambda **given: _run(tool, given),
        help=tool.summary,
    )


def _ordered(fields: dict[str, Field], face: Face) -> list[str]:
    return [*face.positional, *(field for field in fields if field not in face.positional)]


def _parameter(name: str, field: Field, face: Face, schema: Field) -> click.Parameter:
    required = name in schema.get("required", ()) and name not in face.from_file and name != face.from_stdin  # type: ignore[operator]
    if name in face.positional:
        many = field["type"] == "array"
        return click.Argument(
            [name], required=required, nargs=-1 if many else 1, type=_kind(field), metavar=name.upper()
        )
    option = face.options.get(name, "--" + name.replace("_", "-"))
    about = str(field.get("description", ""))
    if field["type"] == "boolean":
        return click.Option([option, name], is_flag=True, default=None, help=about)
    many = field["type"] == "array" and field.get("items", {}).get("type") == "string"  # type: ignore[attr-defined]
    return click.Option([*option.split("/"), name], type=_kind(field), multiple=many, required=required, help=about)


def _kind(field: Field) -> click.ParamType[object]:
    if "enum" in field:
        return click.Choice(field["enum"])  # type: ignore[arg-type]
    return click.INT if field["type"] in ("number", "integer") else click.STRING


def _from_file(field: str, option: str) -> click.Option:
    return click.Option([option, f"{field}__file"], metavar="FILE", help=f"Take {field} from this file.")


def _common() -> list[click.Parameter]:
    return [
        click.Option(
            ["--root"], metavar="DIR", envvar="PATCHKIT_ROOT", help="The workspace (default: PATCHKIT_ROOT, else here)."
        ),
        click.Option(["-C", "start"], metavar="DIR", help="Where relative paths start, inside the workspace."),
        click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON result instead of text."),
    ]


def _run(tool: Tool, given: dict[str, object]) -> None:
    caller = Caller(given.pop("root") or None, given.pop("start"))  # type: ignore[arg-type]
    as_json = bool(given.pop("as_json"))
    answer(tool, lambda: _arguments(tool, given), caller, as_json)


def answer(tool: Tool, arguments: Callable[[], object], caller: Caller, as_json: bool) -> None:
    """Calls the tool, tells what came of it, and ends the process with the status that says so."""
    caller.on_commit = finish_in_spite_of_signals
    roll_back_on_signals()
    try:
        result = call(tool.name, arguments(), caller)
    except PatchkitError as error:  # the arguments could not be read
        result = failure(error)
    except Interrupted as signal:
        result = failure(PatchkitError("P406", signal=str(signal)))
    tell(result, as_json)
    sys.stdout.flush()
    os._exit(exit_status(tool, result))


def exit_status(tool: Tool, result: Result) -> int:
    """The status of the process: the tool's own answer where it has one, else the usual."""
    try:
        own = tool.part("exit_status")
    except AttributeError:
        return status_of(result)
    return own(result, status_of(result))  # type: ignore[operator, no-any-return]


def _arguments(tool: Tool, given: dict[str, object]) -> dict[str, object]:
    """What the command line said, as the arguments of a call: what was not said is left out."""
    face = tool.face
    said = {name: _plain(value) for name, value in given.items() if value is not None and value != ()}
    for field in face.from_file:
        path = said.pop(f"{field}__file", None)
        if path is not None:
            said[field] = _content(str(path))
    if face.from_stdin and said.get(face.from_stdin) in (None, "-"):
        said.pop(face.from_stdin, None)
        if not os.isatty(0):
            said[face.from_stdin] = _all(0).decode("utf-8", "surrogateescape")
    return said


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _content(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise PatchkitError("P401", file=path, reason=str(error.strerror).lower()) from None


def _all(stream: int) -> bytes:
    pieces = []
    try:
        while piece := os.read(stream, 1 << 20):
            pieces.append(piece)
    except OSError as error:
        raise PatchkitError("P401", file="standard input", reason=str(error.strerror).lower()) from None
    return b"".join(pieces)
