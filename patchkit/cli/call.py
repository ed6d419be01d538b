"""`patchkit call` and `patchkit schema`: the tools as a program uses them."""

from __future__ import annotations

import json

from patchkit.cli import exit_status
from patchkit.cli.answer import answer, print_result
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import AS_AGENT, JSON, ROOT, START, Flag, argument
from patchkit.cli.inputs import call_arguments
from patchkit.cli.streams import write
from patchkit.cli.subcommand import Subcommand
from patchkit.errors import PatchkitError
from patchkit.report.result import failure
from patchkit.tools.calling import Caller
from patchkit.tools.registry import TOOLS, Tool, named
from patchkit.tools.wording import WORDINGS, published


def _call(tool: str, arguments: str | None, root: str | None, start: str | None, as_json: bool, agent: bool) -> int:
    try:
        found = named(tool)
    except PatchkitError as error:
        result = failure(error)
        print_result(result, as_json)
        return exit_status.of_result(result)
    answer(found, lambda: call_arguments(arguments), Caller(root or None, start, agent), as_json)
    return exit_status.DONE


def named_tool(name: str) -> Tool:
    """The tool of this name, for a command where a wrong name is a matter of usage."""
    try:
        return named(name)
    except PatchkitError as error:
        raise CommandLineError(f"{error.message}; {error.hint}") from None


def _schema(tool: str | None, shape: str, extended: bool, wording: str) -> None:
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

call = Subcommand(
    "call",
    "Call a tool by any of its names, with its arguments as one JSON object (or on standard input).",
    _call,
    (argument("tool", "TOOL", required=True, offers="tools"), argument("arguments", "[JSON]")),
    (ROOT, START, JSON, AS_AGENT),
)
schema = Subcommand(
    "schema",
    "Print the declaration of a tool, or of all tools, as a model API or an agent protocol takes it.",
    _schema,
    (argument("tool", "[TOOL]", offers="tools"),),
    (
        Flag(
            *("--format", "shape", "which API or protocol", f": {', '.join(_SHAPES)} (default: mcp)"),
            value="NAME",
            choices=tuple(_SHAPES),
            default="mcp",
        ),
        Flag("--extended", "extended", "with the further fields that calls may use"),
        Flag(
            "--wording",
            "wording",
            "what is true of these tools, or the words of their first specification",
            f": {', '.join(WORDINGS)} (default: own)",
            value="NAME",
            choices=tuple(WORDINGS),
            variable="PATCHKIT_WORDING",
            default="own",
        ),
    ),
)
