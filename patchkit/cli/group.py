"""`patchkit` as a click program: its commands by name, their groups in help, and what a mistake is answered with.

A command is loaded when it is called; listing and completing them loads none, for the table has a line of help for
each. The hot ones among them come here only where the quick reader gives up: see `main`.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from patchkit import __version__
from patchkit.cli import DONE, REFUSED, USAGE, complain, refused
from patchkit.cli.completion import OFFERS, offered_words
from patchkit.cli.parameters import (
    HELP,
    CliCommand,
    HelpPage,
    Option,
    command,
    command_of,
    echo,
    listed,
    page_width,
)
from patchkit.cli.quick import QuickCommand
from patchkit.cli.statuses import MEANINGS, SIGNALS
from patchkit.cli.tools import declared as tool_declared
from patchkit.errors import PatchkitError
from patchkit.report.spans import Spans
from patchkit.report.width import filled, visible
from patchkit.tools.registry import TOOLS

# The module of each command that is not made from a tool's declaration alone, and one line of help. The help is here so
# that listing imports no command; a tool has it in the registry. Without another name the attribute has the command's.
COMMANDS = {
    "apply": ("apply_patch", ""),
    "exec": ("commands.exec:EXEC", ""),
    "intercept": ("commands.intercept:INTERCEPT", "Report whether a shell command is exactly one apply_patch call."),
    "check": ("commands.check:CHECK", ""),
    "hook": ("commands.hook:HOOK", "Answer an agent runtime that is about to run a tool."),
    "install": ("commands.install", "Put the hook and the MCP server into an agent client."),
    "uninstall": ("commands.install", "Take the hook and the MCP server out of an agent client."),
    "mcp": ("commands.mcp:MCP", "Serve the tools to an agent by the Model Context Protocol."),
    "call": ("commands.call", "Call any tool with its arguments as JSON."),
    "schema": ("commands.call", "Print the tools as a model API or an agent protocol takes them."),
    "policy": ("commands.policy", "Report what the rules decide about a call, without making it."),
    "trust": ("commands.policy", "Let the rules of a project allow calls, after showing them."),
    "prompt": ("commands.call", "Print what belongs in an agent's system prompt."),
    "session": ("commands.history", "Show which files were seen in this session, or forget them."),
    "diff": ("commands.diff", "Print the patch that turns one file, tree or revision into another."),
    "convert": ("commands.diff", "Write a text in one edit format as a text in another."),
    "batch": ("commands.batch", "Check patches from a table: whether each applies, and why not."),
    "study": ("commands.batch", "Summarise the mistakes in a batch, with rates and examples."),
    "log": ("commands.history", "List what was applied in this workspace."),
    "serve": ("commands.serve", "Show what was changed in a browser, with a way to undo it."),
    "undo": ("commands.history", ""),
    "redo": ("commands.history", "Take back the last undo."),
    "recover": ("commands.history", "Finish or undo what an interrupted run left behind."),
    "explain": ("commands.explain", "Print what a code means, what causes it and what to do."),
    "doctor": ("commands.doctor", "Report what is installed, where things are kept, and what is missing."),
    "completion": ("completion", "Print the script that lets a shell complete commands."),
    "help": ("group:help_command", "Explain a command, or list all of them."),
    "grammar": ("commands.grammar", "Print the grammar of the patch language, or one for some files."),
}
# The commands below their headings in help, man pages and docs/commands.md: first those that one comes for.
GROUPS = {
    "Start here": "apply check undo log serve install",
    "Change files": "write edit multi-edit notebook-edit insert delete move",
    "Look at files": "read ls glob grep diff convert",
    "Many patches, and rules": "batch study policy trust",
    "Agents": "mcp hook uninstall intercept exec call schema prompt session",
    "History": "redo recover",
    "Setup and help": "doctor completion explain grammar help",
}
ABOUT = "Apply patches exactly where intended, or not at all, inside one workspace; and read, edit and search files."
_NEAR = 0.65  # how alike two words are, from 0 to 1, when one may be meant for the other
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


def summaries() -> dict[str, str]:
    """Every command with its line of help, in the order of help."""
    about = {tool.command: tool.summary for tool in TOOLS}
    about.update({name: words for name, (_module, words) in COMMANDS.items() if words})
    return {name: about[name] for names in grouped().values() for name in names}


def grouped() -> dict[str, list[str]]:
    """Every command below the heading of its group; a name in GROUPS counts once there is a command of that name."""
    there = {*COMMANDS, *(tool.command for tool in TOOLS)}
    return {title: [name for name in names.split() if name in there] for title, names in GROUPS.items()}


class Commands(click.Group):
    """The group of all commands, each loaded when it is called."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*self.params, *HELP]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(summaries())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_named(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        found = command_named(args[0])
        if found is None and not ctx.resilient_parsing:
            raise click.UsageError(unknown_command(args[0]), ctx)
        return (args[0] if found else None), found, args[1:]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands and the options of the group; no command is loaded for that."""
        named = [CompletionItem(name, help=words) for name, words in summaries().items() if name.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def page(self, ctx: click.Context, brief: bool = False) -> HelpPage:
        """The help of `patchkit` itself; a brief one has the commands that one comes for first."""
        page = HelpPage(ABOUT, ["patchkit COMMAND [ARGUMENTS]"])
        about = summaries()
        page.lists = [(title, [(name, about[name]) for name in names]) for title, names in grouped().items()]
        if brief:
            page.lists = page.lists[:1]
            page.paragraphs = ["'patchkit --help' lists all commands, 'patchkit COMMAND --help' explains one."]
            return page
        page.paragraphs = [
            "'patchkit help COMMAND' explains a command, 'patchkit help statuses' lists all exit statuses."
        ]
        shown = [("--version", "show the version"), ("-h", "show the first of these commands"), ("--help", "show all")]
        page.lists.append(("Options", shown))
        return page


def command_named(name: str) -> CliCommand | None:
    if name == "apply":
        return _apply_command(by_name=True)
    if name in COMMANDS:
        module, _, attribute = COMMANDS[name][0].partition(":")
        found: CliCommand | QuickCommand = getattr(import_module(f"patchkit.cli.{module}"), attribute or name)
        return command_of(found, OFFERS) if isinstance(found, QuickCommand) else found
    tool = next((tool for tool in TOOLS if tool.command == name), None)
    return command_of(tool_declared(tool)) if tool is not None else None


def _apply_command(by_name: bool) -> CliCommand:
    return program_of(import_module("patchkit.cli.apply_patch").declared(by_name))


def program_of(declared: QuickCommand) -> CliCommand:
    """`apply_patch` or `patchkit apply`, which have a version."""
    made = command_of(declared)
    made.params.append(_version("apply_patch"))
    return made


def _version(program: str) -> Option:
    def show(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value:
            echo(1, [(f"{program} {__version__}{'' if program == 'patchkit' else ' (patchkit)'}\n", "")])
            ctx.exit()

    eager: Any = {"is_flag": True, "is_eager": True, "expose_value": False}
    return Option(["--version"], help="show the version", callback=show, **eager)


patchkit = Commands("patchkit", help=ABOUT, add_help_option=False, params=[_version("patchkit")])


def run(words: list[str]) -> int:
    """Runs a command of `patchkit`; returns its status."""
    if words[:1] == ["help"] and len(words) == 2 and words[1][:1].isalpha() and words[1] != "statuses":
        words = [words[1], "--help"]
    return _status(patchkit, words, "patchkit")


def run_declared(declared: QuickCommand, words: list[str], program: str) -> int:
    """Runs a command that is declared by rows, by click; returns its status."""
    return _status(program_of(declared), words, program)


def _status(program: click.Command, words: list[str], name: str) -> int:
    if isinstance(program, Commands) and not words and "_PATCHKIT_COMPLETE" not in os.environ:
        with program.make_context(name, ["--help"], resilient_parsing=True) as ctx:
            program.page(ctx).show(2)
        return USAGE
    try:
        status = program.main(words, prog_name=name, standalone_mode=False)
    except click.UsageError as error:
        return complain(_sentence(error), error.ctx.command_path if error.ctx is not None else name)
    except PatchkitError as error:  # of help, which is shown before a command runs
        return refused(error)
    except (KeyboardInterrupt, click.Abort):
        return REFUSED
    return status or DONE


def _sentence(error: click.UsageError) -> str:
    """Click's message in the look of all errors: small, without a full stop."""
    if isinstance(error, click.NoSuchOption):
        field = error.option_name.lstrip("-").replace("-", "_")  # the names of fields are known from the tools
        known = error.ctx.command.params if error.ctx is not None else []
        meant = [each.opts[-1] if each.opts[-1] != field else field.upper() for each in known if each.name == field]
        near = "".join([f" (did you mean '{each}'?)" for each in (*meant, *(error.possibilities or ()))][:1])
        return f"unknown option '{visible(error.option_name, 80)}'{near}"
    message = error.format_message().rstrip()
    if isinstance(error, click.MissingParameter):  # its choices are on lines of their own
        message = " ".join(message.split()).replace(". Choose from:", "; choose from:")
    words = visible(message, 1000).removesuffix(".")
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]  # a name in capitals stays one


def unknown_command(word: str) -> str:
    """The message for a command there is not: with the one that was perhaps meant."""
    from difflib import get_close_matches  # only for a mistake
    from shlex import quote

    others = {other: tool.command for tool in TOOLS for other in tool.others}
    near = get_close_matches(word, list(summaries()), 1, _NEAR)
    given = f"apply {quote(visible(word, 80))}" if os.path.isfile(word) else ""  # a patch without the command
    meant = _MEANT.get(word) or others.get(word) or given or (near[0] if near else "")
    return f"unknown command '{visible(word, 80)}'" + (f" (did you mean 'patchkit {meant}'?)" if meant else "")


@command("help")
@click.argument(
    "name",
    metavar="[COMMAND]",
    required=False,
    shell_complete=lambda _ctx, _param, begun: offered_words(
        {**summaries(), "statuses": "List the exit statuses of all commands."}, begun
    ),
)
@click.pass_context
def help_command(ctx: click.Context, name: str | None) -> None:
    """Explain a command; without one, list all commands.

    'patchkit help statuses' lists the exit statuses of all commands.
    """
    if name is None:
        patchkit.page(ctx).show()
    elif name == "statuses":
        echo(1, status_table())
    else:  # `run` has made the line '--help' of a command
        raise click.UsageError(unknown_command(name), ctx.parent)


def status_table() -> Spans:
    """The exit statuses of all commands, those with the same ones together."""
    alike: dict[tuple[tuple[int, str], ...], list[str]] = {}
    for name in summaries():
        alike.setdefault(tuple(MEANINGS[name].items()), []).append(name)
    out: Spans = []
    for statuses, names in alike.items():
        entries = [(str(status), words) for status, words in statuses]
        out += [(f"{', '.join(names)}:", "strong"), ("\n", ""), *listed(entries, page_width(1)), ("\n", "")]
    return [*out, *((f"{line}\n", "") for line in filled(SIGNALS.split(), page_width(1)))]


def page_named(name: str) -> HelpPage:
    """The help page of a command, or of `patchkit` and `apply_patch` themselves."""
    if name == "patchkit":
        return patchkit.page(click.Context(patchkit, info_name=name))
    if name == "apply_patch":
        made = _apply_command(by_name=False)
        return made.page(click.Context(made, info_name=name))
    found = command_named(name)
    assert found is not None, "it is one of `summaries`"
    parent = click.Context(patchkit, info_name="patchkit")
    return found.page(click.Context(found, info_name=name, parent=parent))
