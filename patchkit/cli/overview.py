"""The commands of `patchkit` below the headings of their groups, and the help that lists them.

Takes the table in `main` and the registry of tools; gives names, lines of help and the page of `patchkit --help`. Loads
no command: listing them is quick.
"""

from __future__ import annotations

from patchkit.cli import exit_status
from patchkit.cli.flags import HELP
from patchkit.cli.help import HelpPage, version
from patchkit.cli.main import COMMANDS
from patchkit.cli.signals import end
from patchkit.cli.streams import write
from patchkit.tools.registry import TOOLS

VERSION = "--version"
ABOUT = "Apply patches exactly where intended, or not at all, inside one workspace; and read, edit and search files."


def summaries() -> dict[str, str]:
    """Every command with its line of help: `apply` and the tools, then the others."""
    tools = {tool.command: tool.summary for tool in TOOLS}
    made = [name for name in tools if name not in COMMANDS]  # commands made from a tool's declaration
    first, *others = COMMANDS
    return {name: COMMANDS.get(name, ("",) * 3)[2] or tools[name] for name in [first, *made, *others]}


# The commands below their headings in help, man pages and docs/commands.md.
GROUPS = {
    "Change files": "apply write edit multi-edit insert delete move",
    "Look at files": "read ls glob grep diff convert",
    "Check": "check batch study policy trust",
    "Agents": "mcp intercept hook exec call schema prompt session",
    "History": "log serve undo redo recover",
    "Setup and help": "doctor completion explain grammar help",
}
_OTHERS = "Other commands"


def grouped() -> dict[str, list[str]]:
    """Every command below the heading of its group, in the order of help."""
    known = list(summaries())
    found = {title: [name for name in names.split() if name in known] for title, names in GROUPS.items()}
    placed = {name for names in found.values() for name in names}
    found[_OTHERS] = [name for name in known if name not in placed]
    return {title: names for title, names in found.items() if names}


def main(words: list[str]) -> None:
    """Answers 'patchkit', '--help' and '--version', and ends the process; returns for any other word."""
    if not words:
        overview().show(2)
        end(exit_status.USAGE)
    if words[0] in HELP.names:
        overview().show()
        end(exit_status.DONE)
    if words[0] == VERSION:
        write(1, version("patchkit"))
        end(exit_status.DONE)


def overview() -> HelpPage:
    """The help of `patchkit` itself: every command below the heading of its group."""
    page = HelpPage(ABOUT, ["patchkit COMMAND [ARGUMENTS]"])
    about = summaries()
    page.lists = [(title, [(name, about[name]) for name in names]) for title, names in grouped().items()]
    page.lists.append(("Options", [(VERSION, "show the version"), ("-h, --help", "show this text")]))
    page.paragraphs = ["'patchkit help COMMAND' explains a command, 'patchkit help statuses' lists all exit statuses."]
    return page
