"""The click group behind `patchkit`: commands come from the table in `main` and load when called."""

from __future__ import annotations

from importlib import import_module

import click

from patchkit import __version__
from patchkit.cli.commands import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Commands(click.Group):
    """A group whose commands are known by name and help line before any of them is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, function, help_line = COMMANDS[cmd_name]
        if module == "tool":
            from patchkit.cli.tool_command import tool_command

            return tool_command(function)
        if not function:
            return _lean_command(cmd_name, module, help_line)
        command: click.Command = getattr(import_module(module), function)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands from the table, and the group's own options: a shell that asks must not wait for imports."""
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=help_line)
            for name, (_, _, help_line) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_line) for name, (_, _, help_line) in COMMANDS.items()])


class _Lean(click.Command):
    """A command that click knows no options of, but when a shell asks what could be typed next."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        if ctx.resilient_parsing and self.name == "apply":
            from patchkit.cli.completion import apply_parameters

            return apply_parameters()
        return super().get_params(ctx)


def _lean_command(name: str, module: str, help_line: str) -> click.Command:
    """A command with its own reader of arguments, dressed as a click command."""

    @click.command(
        name,
        cls=_Lean,
        help=help_line,
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
    """Change files with patches that say what they mean: all or nothing, inside one workspace."""
