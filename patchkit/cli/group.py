"""The click group behind `patchkit`, and `patchkit completion`: what shells need to complete our commands.

The commands come from the table in `main` and from the registry of tools. A command is loaded when it is called;
listing and completing them loads none. The completion scripts and the answers to them are click's; `apply_patch` and
`intercept` have their own reader of arguments, so their flags become click options for a completion.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click
from click.shell_completion import CompletionItem, get_completion_class, shell_complete

from patchkit import __version__
from patchkit.cli.click_options import option
from patchkit.cli.flags import APPLY, INTERCEPT, MCP, Flag
from patchkit.cli.main import COMMANDS
from patchkit.cli.streams import write
from patchkit.tools.registry import TOOLS

_APPLY_VARIABLE = "_APPLY_PATCH_COMPLETE"  # by which a shell asks what could be typed next
_LEAN_FLAGS = {"apply": APPLY, "intercept": INTERCEPT, "mcp": MCP}


def summaries() -> dict[str, str]:
    """Every command with its line of help: `apply` and the tools, then the others."""
    tools = {tool.command: tool.summary for tool in TOOLS}
    made = [name for name in tools if name not in COMMANDS]  # commands made from a tool's declaration
    first, *others = COMMANDS
    return {name: tools.get(name) or COMMANDS[name][2] for name in [first, *made, *others]}


class Commands(click.Group):
    """A group whose commands are known by name and help line before any of them is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(summaries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            tool = next((tool for tool in TOOLS if tool.command == cmd_name), None)
            if tool is None:
                return None
            from patchkit.cli.tool_command import tool_command  # only for a tool

            return tool_command(tool)
        module, function, _help = COMMANDS[cmd_name]
        if not function:
            return _lean_command(cmd_name, module)
        command: click.Command = getattr(import_module(module), function)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands, and the group's own options: a shell that asks must not wait for imports."""
        found = [CompletionItem(name, help=about) for name, about in summaries().items() if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(summaries().items()))


class _Lean(click.Command):
    """A command that reads its own arguments; click knows its flags only to complete them."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if ctx.resilient_parsing and self.name in _LEAN_FLAGS:
            return lean_parameters(_LEAN_FLAGS[self.name])
        return super().get_params(ctx)


def lean_parameters(flags: tuple[Flag, ...]) -> list[click.Parameter]:
    """Flags as click sees options, and the words beside them."""
    options: list[click.Parameter] = [option(flag, words=flag.about) for flag in flags]
    return [*options, click.Argument(["words"], nargs=-1, shell_complete=_complete_word)]


def _complete_word(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """A patch is text that is not typed; with '-i' the argument of `apply` may be a file."""
    return [CompletionItem(incomplete, type="file")] if context.params.get("interactive") else []


def _lean_command(name: str, module: str) -> click.Command:
    """A command with its own reader of arguments, as a click command."""

    @click.command(
        name,
        cls=_Lean,
        help=summaries()[name],
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
    @click.argument("words", nargs=-1, type=click.UNPROCESSED)
    def command(words: tuple[str, ...]) -> None:
        import_module(module).main(list(words))

    return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="patchkit")
def patchkit() -> None:
    """Apply patches exactly where intended, or not at all, inside one workspace; and read, edit and search files."""


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that lets a SHELL complete patchkit and apply_patch.

    \b
    bash: echo 'eval "$(patchkit completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(patchkit completion zsh)"' >> ~/.zshrc      (below compinit)
    fish: patchkit completion fish > ~/.config/fish/completions/patchkit.fish
    """
    script = get_completion_class(shell)
    if script is None:
        raise click.ClickException(f"this version of click has no completion for {shell}")
    names = {"patchkit": "_PATCHKIT_COMPLETE", "apply_patch": _APPLY_VARIABLE, "applypatch": _APPLY_VARIABLE}
    write(1, "\n".join(script(patchkit, {}, name, variable).source() for name, variable in names.items()))


def complete_apply() -> None:
    """Answers a shell that asks what could be typed next on a command line of `apply_patch`."""
    command = click.Command("apply_patch", params=lean_parameters(APPLY), add_help_option=False)
    sys.exit(shell_complete(command, {}, "apply_patch", _APPLY_VARIABLE, os.environ[_APPLY_VARIABLE]))
