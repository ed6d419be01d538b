"""`patchkit call` and `patchkit schema`: the tools as a program uses them."""

from __future__ import annotations

import json
import os
import sys

import click

from patchkit.cli.answer import answer, status_of, tell
from patchkit.cli.streams import say
from patchkit.cli.tool_command import everything_from, with_agent
from patchkit.errors import PatchkitError
from patchkit.tools.calling import Caller
from patchkit.tools.registry import TOOLS, Tool, named
from patchkit.tools.result import failure

_EXAMPLE = '{"file_path": "a.py"}'


@with_agent
@click.command()
@click.argument("tool")
@click.argument("arguments", required=False, metavar="[JSON]")
@click.option(
    "--root", metavar="DIR", envvar="PATCHKIT_ROOT", help="The workspace (default: PATCHKIT_ROOT, else here)."
)
@click.option("-C", "start", metavar="DIR", help="Where relative paths start, inside the workspace.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON result instead of text.")
def call(tool: str, arguments: str | None, root: str | None, start: str | None, as_json: bool, agent: bool) -> None:
    """Call a tool by any of its names, with its arguments as one JSON object (or on standard input)."""
    try:
        found = named(tool)
    except PatchkitError as error:
        result = failure(error)
        tell(result, as_json)
        sys.exit(status_of(result))
    answer(found, lambda: read_arguments(arguments), Caller(root or None, start, agent), as_json)


def read_arguments(arguments: str | None) -> object:
    if arguments is None or arguments == "-":
        arguments = "{}" if os.isatty(0) else everything_from(0).decode("utf-8", "surrogateescape")
    return decoded(arguments, _EXAMPLE)


def decoded(text: str, example: str) -> object:
    """What a JSON text says."""
    try:
        return json.loads(text, object_pairs_hook=_fields)
    except RecursionError:
        reason = "it is nested too deep"
    except json.JSONDecodeError as error:
        reason = str(error)[:1].lower() + str(error)[1:]
    except ValueError:
        reason = "a number in it has too many digits"
    raise PatchkitError("P607", reason=reason, example=example)


def _fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The fields of an object. One that stands there twice is a mistake: nobody knows which of the two was meant."""
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found and found[name] != value:
            raise PatchkitError("P604", field=name, other=name)
        found[name] = value
    return found


def named_tool(name: str) -> Tool:
    try:
        return named(name)
    except PatchkitError as error:
        raise click.UsageError(f"{error.message}; {error.hint}") from None


@click.command()
@click.argument("tool", required=False)
@click.option("--format", "shape", type=click.Choice(["openai", "anthropic", "mcp"]), default="mcp", show_default=True)
@click.option("--extended", is_flag=True, help="With the further fields that calls may use.")
def schema(tool: str | None, shape: str, extended: bool) -> None:
    """Print the declaration of a tool, or of all tools, as a model API or an agent protocol takes it."""
    tools = [named_tool(tool)] if tool else TOOLS
    shown = [_SHAPES[shape](each, each.schema(extended)) for each in tools]
    words = json.dumps(shown[0] if tool else shown, ensure_ascii=False, indent=2)
    say(1, words + "\n")


def _openai(tool: Tool, parameters: dict[str, object]) -> dict[str, object]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": parameters,
    }


def _anthropic(tool: Tool, parameters: dict[str, object]) -> dict[str, object]:
    return {"name": tool.name, "description": tool.description, "input_schema": parameters}


def _mcp(tool: Tool, parameters: dict[str, object]) -> dict[str, object]:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": parameters,
        "annotations": {
            "title": tool.summary.rstrip("."),
            "readOnlyHint": tool.effect == "read",
            "destructiveHint": tool.effect != "read",
            "openWorldHint": tool.effect == "execute",
        },
        "_meta": {"effect": tool.effect},
    }


_SHAPES = {"openai": _openai, "anthropic": _anthropic, "mcp": _mcp}
