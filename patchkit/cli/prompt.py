"""`patchkit prompt`: prints what belongs in an agent's system prompt. The words are in `runtimes.prompt`."""

from __future__ import annotations

from patchkit.cli.call import named_tool
from patchkit.cli.flags import Flag, argument
from patchkit.cli.streams import write
from patchkit.cli.subcommand import Subcommand
from patchkit.runtimes.prompt import words
from patchkit.tools.registry import TOOLS

CHARACTERS_A_TOKEN = 4
_SHAPES = ("markdown", "text")


def _prompt(tools: tuple[str, ...], shape: str) -> None:
    wanted = {named_tool(name).name for name in tools} or {tool.name for tool in TOOLS}
    text = words(wanted, shape == "markdown")
    write(1, text)
    write(2, f"about {-(-len(text) // CHARACTERS_A_TOKEN)} tokens\n")


prompt = Subcommand(
    "prompt",
    """Print what belongs in an agent's system prompt, for all tools or for these.

The number of tokens, at four characters each, is printed on standard error.
""",
    _prompt,
    (argument("tools", "[TOOL]...", many=True, offers="tools"),),
    (
        Flag(
            *("--format", "shape", "how it is marked up", f": {', '.join(_SHAPES)} (default: {_SHAPES[0]})"),
            value="NAME",
            choices=_SHAPES,
            default=_SHAPES[0],
        ),
    ),
)
