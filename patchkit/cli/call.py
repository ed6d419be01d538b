"""`patchkit call` and `patchkit schema`: the tools as a program uses them."""

from __future__ import annotations

import json
import sys

import click
from click.shell_completion import CompletionItem

from patchkit.cli import exit_status
from patchkit.cli.answer import answer, print_result
from patchkit.cli.click_commands import command
from patchkit.cli.click_options import by_agents, in_workspace
from patchkit.cli.inputs import call_arguments
from patchkit.cli.streams import write
from patchkit.errors import PatchkitError
from patchkit.report.result import failure
from patchkit.tools.calling import Caller
from patchkit.tools.registry import TOOLS, Tool, named
from patchkit.tools.wording import WORDINGS, published


def complete_tool(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """The tools, by their published names and by those of the command line."""
    names = {name: tool.summary for tool in TOOLS for name in (tool.name, tool.command)}
    return [CompletionItem(name, help=about) for name, about in names.items() if name.startswith(incomplete)]


@by_agents
@in_workspace
@command()
@click.argument("tool", shell_complete=complete_tool)
@click.argument("arguments", required=False, metavar="[JSON]")
def call(tool: str, arguments: str | None, root: str | None, start: str | None, as_json: bool, agent: bool) -> None:
    """Call a tool by any of its names, with its arguments as one JSON object (or on standard input)."""
    try:
        found = named(tool)
    except PatchkitError as error:
        result = failure(error)
        print_result(result, as_json)
        sys.exit(exit_status.of_result(result))
    answer(found, lambda: call_arguments(arguments), Caller(root or None, start, agent), as_json)


def named_tool(name: str) -> Tool:
    """The tool of this name, for a command where a wrong name is a matter of usage."""
    try:
        return named(name)
    except PatchkitError as error:
        raise click.UsageError(f"{error.message}; {error.hint}") from None


@command()
@click.argument("tool", required=False, shell_complete=complete_tool)
@click.option("--format", "shape", type=click.Choice(["openai", "anthropic", "mcp"]), default="mcp", show_default=True)
@click.option("--extended", is_flag=True, help="With the further fields that calls may use.")
@click.option(
    *("--wording", "wording"),
    type=click.Choice(WORDINGS),
    envvar="PATCHKIT_WORDING",
    default="own",
    show_default=True,
    help="What is true of these tools, or the words of their first specification.",
)
def schema(tool: str | None, shape: str, extended: bool, wording: str) -> None:
    """Print the declaration of a tool, or of all tools, as a model API or an agent protocol takes it."""
    tools = [named_tool(tool)] if tool else TOOLS
    shown = [_SHAPES[shape](each, *published(each, extended, wording)) for each in tools]
    words = json.dumps(shown[0] if tool else shown, ensure_ascii=False, indent=2)
    write(1, words + "\n")


def _openai(tool: Tool, description: str, parameters: dict[str, object]) -> dict[str, object]:
    return {
        "type": "function",
        "name": tool.name,
        "description": description,
        "parameters": parameters,
    }


def _anthropic(tool: Tool, description: str, parameters: dict[str, object]) -> dict[str, object]:
    return {"name": tool.name, "description": description, "input_schema": parameters}


def _mcp(tool: Tool, description: str, parameters: dict[str, object]) -> dict[str, object]:
    return {
        "name": tool.name,
        "description": description,
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
