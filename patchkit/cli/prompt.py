"""`patchkit prompt`: prints what belongs in an agent's system prompt. The words are in `runtimes.prompt`."""

from __future__ import annotations

import click

from patchkit.cli.call import complete_tool, named_tool
from patchkit.cli.click_commands import command
from patchkit.cli.streams import write
from patchkit.runtimes.prompt import words
from patchkit.tools.registry import TOOLS

CHARACTERS_A_TOKEN = 4


@command()
@click.argument("tools", nargs=-1, metavar="[TOOL]...", shell_complete=complete_tool)
@click.option("--format", "shape", type=click.Choice(["markdown", "text"]), default="markdown", show_default=True)
def prompt(tools: tuple[str, ...], shape: str) -> None:
    """Print what belongs in an agent's system prompt, for all tools or for these.

    The number of tokens, at four characters each, is printed on standard error.
    """
    wanted = {named_tool(name).name for name in tools} or {tool.name for tool in TOOLS}
    text = words(wanted, shape == "markdown")
    write(1, text)
    write(2, f"about {-(-len(text) // CHARACTERS_A_TOKEN)} tokens\n")
