"""The commands of `patchkit` by name: `patchkit` without one, names there are not, and `patchkit help`.

The commands come from the table in `main` and from the registry of tools. A command is loaded when it is called;
listing and completing them loads none.
"""

from __future__ import annotations

from importlib import import_module

from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.exit_table import SIGNALS, statuses_of
from patchkit.cli.flags import HELP, argument
from patchkit.cli.help import PAGES, HelpPage, command_help, listed, page_width
from patchkit.cli.main import COMMANDS
from patchkit.cli.mistakes import nearest, unknown_option
from patchkit.cli.overview import VERSION, grouped, overview, summaries
from patchkit.cli.signals import end
from patchkit.cli.streams import show
from patchkit.cli.subcommand import Subcommand, complain
from patchkit.cli.tool_command import tool_command
from patchkit.report.spans import Spans
from patchkit.report.width import filled, visible
from patchkit.tools.registry import TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

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


def main(words: list[str]) -> NoReturn:
    """Says that there is no such command, or no such option before one, and ends the process."""
    word = words[0]
    end(complain(unknown_option(word, [*HELP.names, VERSION]) if word.startswith("-") else _unknown(word)))


def _unknown(word: str) -> str:
    """The message for a command there is not: with the one that was perhaps meant."""
    others = {other: tool.command for tool in TOOLS for other in tool.others}
    meant = _MEANT.get(word) or others.get(word) or nearest(word, list(summaries()))
    hint = f" (did you mean 'patchkit {meant}'?)" if meant else ""
    return f"unknown command '{visible(word, 80)}'{hint}; 'patchkit --help' lists the commands"


def command_named(name: str) -> Subcommand | None:
    """The command of this name; None where there is none, or where it has a `main` of its own."""
    module, attribute, _help = COMMANDS.get(name, ("", "", ""))
    if attribute:
        found: Subcommand = getattr(import_module(module), attribute)
        return found
    tool = next((tool for tool in TOOLS if tool.command == name), None)
    return tool_command(tool) if tool is not None and not module else None


def page_of(name: str) -> HelpPage:
    """The help page of a command."""
    found = command_named(name)
    return PAGES[name]() if found is None else command_help(found.name, found.about, found.words, found.flags)


def _help(name: str | None) -> None:
    if name is None:
        overview().show()
    elif name == "statuses":
        show(1, status_table())
    else:  # `main` has made the line '--help' of a command
        raise CommandLineError(_unknown(name))


help_command = Subcommand(
    "help",
    "Explain a command; without one, list all commands.\n\n"
    "'patchkit help statuses' lists the exit statuses of all commands.",
    _help,
    (argument("name", "[COMMAND]", offers="commands"),),
)


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
