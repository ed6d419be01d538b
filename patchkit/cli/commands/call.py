"""`patchkit call`, `schema` and `prompt`: the tools as a program, a model API and a system prompt have them."""

from __future__ import annotations

import json

import click

from patchkit.cli import CommandLineError, taken, write
from patchkit.cli.completion import tool_names
from patchkit.cli.inputs import call_arguments
from patchkit.cli.parameters import command, one_of, options
from patchkit.cli.quick import OF_CALLS, Flag
from patchkit.cli.tools import answer, caller_of
from patchkit.errors import PatchkitError
from patchkit.runtimes.prompt import words
from patchkit.tools.registry import TOOLS, Tool, named
from patchkit.tools.wording import WORDINGS, published

_WORDING = Flag(
    "--wording",
    "the words of the first specification, those of patchkit, or these with all further fields",
    f": {', '.join(WORDINGS)} (default: {WORDINGS[0]})",
    value="NAME",
    choices=tuple(WORDINGS),
    variable="PATCHKIT_WORDING",
)
_SHAPE_NAMES = ("openai", "openai-chat", "anthropic", "mcp")
_MARKUPS = ("markdown", "text")
_CHARACTERS_A_TOKEN = 4


@command()
@click.argument("tool", metavar="TOOL", shell_complete=tool_names)
@click.argument("arguments", metavar="[JSON]", required=False)
@click.option("--strict", is_flag=True, help="refuse fields, names and types that the schema does not have")
@options(*OF_CALLS)
def call(tool: str, arguments: str | None, strict: bool, **given: object) -> int:
    """Call a tool by any of its names, with its arguments as one JSON object (or on standard input)."""
    caller, as_json = caller_of(given)
    caller.strict, caller.by_call = strict, True
    return answer(named(tool, strict), lambda: call_arguments(arguments, strict), caller, as_json, tool)


def named_tool(name: str) -> Tool:
    """The tool of this name, for a command where a wrong name is a matter of usage."""
    try:
        return named(name)
    except PatchkitError as error:
        raise CommandLineError(f"{error.message}; {error.hint}") from None


@command()
@click.argument("tool", metavar="[TOOL]", required=False, shell_complete=tool_names)
@one_of("--format shape", "which API or protocol", _SHAPE_NAMES, " (default: mcp)", default="mcp")
@click.option("--extended", is_flag=True, help="with the further fields that calls may use")
@options(_WORDING)
def schema(tool: str | None, shape: str, extended: bool, wording: str | None) -> None:
    """Print the declaration of a tool, or of all tools, as a model API or an agent protocol takes it."""
    tools = [named_tool(tool)] if tool else TOOLS
    shown = [_shaped(shape, each, *published(each, extended, wording or WORDINGS[0])) for each in tools]
    taken(write(1, json.dumps(shown[0] if tool else shown, ensure_ascii=False, indent=2) + "\n"))


def _shaped(shape: str, tool: Tool, description: str, parameters: dict[str, object]) -> dict[str, object]:
    named: dict[str, object] = {"name": tool.name, "description": description}
    if shape == "anthropic":
        return {**named, "input_schema": parameters}
    if shape == "openai":
        return {"type": "function", **named, "parameters": parameters}
    if shape == "openai-chat":
        return {"type": "function", "function": {**named, "parameters": parameters}}
    return {
        **named,
        "inputSchema": parameters,
        "annotations": {
            "title": tool.summary.rstrip("."),
            "readOnlyHint": tool.effect == "read",
            "destructiveHint": tool.effect != "read",
            "openWorldHint": tool.effect == "execute",
        },
        "_meta": {"effect": tool.effect},
    }


@command()
@click.argument("tools", metavar="[TOOL]...", nargs=-1, shell_complete=tool_names)
@one_of("--format markup", "how it is marked up", _MARKUPS, f" (default: {_MARKUPS[0]})", default=_MARKUPS[0])
def prompt(tools: tuple[str, ...], markup: str) -> None:
    """Print what belongs in an agent's system prompt, for all tools or for these.

    The number of tokens, at four characters each, is printed on standard error.
    """
    wanted = {named_tool(name).name for name in tools} or {tool.name for tool in TOOLS}
    text = words(wanted, markup == "markdown")
    taken(write(1, text))
    write(2, f"about {-(-len(text) // _CHARACTERS_A_TOKEN)} tokens\n")
