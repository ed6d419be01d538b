"""The click group behind `patchkit`, its help by groups, and `patchkit help`.

The commands come from the table in `main` and from the registry of tools. A command is loaded when it is called;
listing and completing them loads none.
"""

from __future__ import annotations

import sys
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from patchkit import __version__
from patchkit.cli import exit_status
from patchkit.cli.click_commands import command, complain
from patchkit.cli.completion import lean_parameters
from patchkit.cli.exit_table import SIGNALS, statuses_of
from patchkit.cli.flags import APPLY, HOOK, INTERCEPT, MCP
from patchkit.cli.help import listed, page_width
from patchkit.cli.main import COMMANDS
from patchkit.cli.mistakes import nearest
from patchkit.cli.overview import ABOUT, grouped, overview, summaries
from patchkit.cli.streams import show
from patchkit.report.spans import Spans
from patchkit.report.width import filled, visible
from patchkit.tools.registry import TOOLS

_LEAN_FLAGS = {"apply": APPLY, "intercept": INTERCEPT, "hook": HOOK, "mcp": MCP}


# What people type who come from other tools.
_MEANT = {
    "patch": "apply",
    "cat": "read",
    "find": "glob",
    "search": "grep",
    "rg": "grep",
    "history": "log",
    "revert": "undo",
    "rollback": "undo",
    "validate": "check",
    "lint": "check",
    "test": "check",
    "run": "exec",
    "tools": "schema",
    "version": "--version",
    "rules": "policy",
    "errors": "explain",
    "info": "doctor",
}


class Commands(click.Group):
    """A group whose commands are known by name and help line before any of them is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in grouped().values() for name in names]

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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not ctx.resilient_parsing and args[0] not in summaries():
            raise click.UsageError(unknown_command(args[0]))
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands, and the group's own options: a shell that asks must not wait for imports."""
        found = [CompletionItem(name, help=about) for name, about in summaries().items() if name.startswith(incomplete)]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(overview().text(page_width(1)))

    def run(self, words: list[str]) -> None:
        """Runs a command and ends the process; a mistake in the words is reported on one line."""
        try:
            status = self.main(args=words, prog_name="patchkit", standalone_mode=False)
        except click.Abort:
            status = exit_status.REFUSED
        except click.ClickException as error:
            if words:
                status = complain(error)
            else:  # no command: all of them are shown
                overview().show(2)
                status = exit_status.USAGE
        sys.exit(status if isinstance(status, int) else exit_status.DONE)


def unknown_command(word: str) -> str:
    """The message for a command there is not: with the one that was perhaps meant."""
    others = {other: tool.command for tool in TOOLS for other in tool.others}
    meant = _MEANT.get(word) or others.get(word) or nearest(word, list(summaries()))
    hint = f" (did you mean 'patchkit {meant}'?)" if meant else ""
    return f"unknown command '{visible(word, 80)}'{hint}; 'patchkit --help' lists the commands"


def _show_overview(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        overview().show()
        ctx.exit()


def _complete_command(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    return [CompletionItem(name, help=about) for name, about in summaries().items() if name.startswith(incomplete)]


class _Lean(click.Command):
    """A command that reads its own arguments; click knows its flags only to complete them."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if ctx.resilient_parsing and self.name in _LEAN_FLAGS:
            return lean_parameters(_LEAN_FLAGS[self.name])
        return super().get_params(ctx)


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


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, add_help_option=False)
@click.option("-h", "--help", "help_", is_flag=True, is_eager=True, expose_value=False, callback=_show_overview)
@click.version_option(__version__, prog_name="patchkit", message="%(prog)s %(version)s")
def patchkit() -> None:
    pass


patchkit.help = ABOUT


@command("help")
@click.argument("name", required=False, metavar="[COMMAND]", shell_complete=_complete_command)
def help_command(name: str | None) -> None:
    """Explain a command; without one, list all commands.

    'patchkit help statuses' lists the exit statuses of all commands.
    """
    if name is None:
        overview().show()
    elif name == "statuses":
        show(1, status_table())
    elif name not in summaries():
        raise click.UsageError(unknown_command(name))
    else:
        patchkit.run([name, "--help"])


def status_table() -> Spans:
    """The exit statuses of all commands, those with the same ones together."""
    alike: dict[tuple[tuple[int, str], ...], list[str]] = {}
    for name in (name for names in grouped().values() for name in names):
        alike.setdefault(tuple(statuses_of(name).items()), []).append(name)
    out: Spans = []
    for statuses, names in alike.items():
        entries = [(str(status), words) for status, words in statuses]
        out += [(f"{', '.join(names)}:", "strong"), ("\n", ""), *listed(entries, page_width(1)), ("\n", "")]
    return [*out, *((f"{line}\n", "") for line in filled(SIGNALS.split(), page_width(1)))]
