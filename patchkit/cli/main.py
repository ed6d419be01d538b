"""The `patchkit` command: a table of commands, each loaded when it is called.

`patchkit apply` is `apply_patch` and loads as little, as `intercept`, `hook` and `mcp` do; a tool's command is made
from its declaration; everything else is a `Subcommand` in its module. What this module loads, it loads by name from the
table: it imports nothing of ours.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# name: (module, its Subcommand in it, one line of help). The help is here so that listing imports no command; a tool
# has it in the registry. Where no Subcommand is named, the module has a `main` of its own. Tools that are not here have
# no module of their own.
COMMANDS = {
    "apply": ("patchkit.cli.apply_patch", "", ""),
    "exec": ("patchkit.cli.exec", "exec_command", ""),
    "intercept": ("patchkit.cli.intercept", "", "Report whether a shell command is exactly one apply_patch call."),
    "check": ("patchkit.cli.check", "check", ""),
    "hook": ("patchkit.cli.hook", "", "Answer an agent runtime that is about to run a tool."),
    "mcp": ("patchkit.cli.mcp", "", "Serve the tools to an agent by the Model Context Protocol."),
    "call": ("patchkit.cli.call", "call", "Call any tool with its arguments as JSON."),
    "schema": ("patchkit.cli.call", "schema", "Print the tools as a model API or an agent protocol takes them."),
    "policy": ("patchkit.cli.policy", "policy", "Report what the rules decide about a call, without making it."),
    "trust": ("patchkit.cli.trust", "trust", "Let the rules of a project allow calls, after showing them."),
    "prompt": ("patchkit.cli.prompt", "prompt", "Print what belongs in an agent's system prompt."),
    "session": ("patchkit.cli.session", "session", "Show which files were seen in this session, or forget them."),
    "diff": ("patchkit.cli.diff", "diff", "Print the patch that turns one file, tree or revision into another."),
    "convert": ("patchkit.cli.convert", "convert", "Write a text in one edit format as a text in another."),
    "batch": ("patchkit.cli.batch", "batch", "Judge the patches of many rows: whether each applies, and why not."),
    "study": (
        "patchkit.cli.study",
        "study",
        "Report which slips the patches of a batch have, with rates and examples.",
    ),
    "log": ("patchkit.cli.history", "log", "List what was applied in this workspace."),
    "serve": ("patchkit.cli.serve", "serve", "Show what was changed in a browser, with a way to undo it."),
    "undo": ("patchkit.cli.history", "undo", "Undo what was applied last, exactly, or not at all."),
    "redo": ("patchkit.cli.history", "redo", "Take back the last undo."),
    "recover": ("patchkit.cli.history", "recover", "Finish or undo what an interrupted run left behind."),
    "explain": ("patchkit.cli.explain", "explain", "Print what a code means, what causes it and what to do."),
    "doctor": (
        "patchkit.cli.doctor",
        "doctor",
        "Report what is installed, where things are kept, and what is missing.",
    ),
    "completion": ("patchkit.cli.completion", "completion", "Print the script that lets a shell complete commands."),
    "help": ("patchkit.cli.commands", "help_command", "Explain a command, or list all of them."),
    "grammar": ("patchkit.cli.grammar", "grammar", "Print the grammar of the patch language, or one for some files."),
}


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    words = sys.argv[1:] if words is None else words
    name = words[0] if words else ""
    if not name and "_PATCHKIT_COMPLETE" in os.environ:  # a shell asks what could be typed next
        _loaded("patchkit.cli.completion").complete("patchkit")
    if name == "help" and len(words) == 2 and words[1][:1].isalpha() and words[1] != "statuses":
        words = [words[1], "--help"]
        name = words[0]
    module, command, _help = COMMANDS.get(name, ("", "", ""))
    if name in ("exec", "convert"):
        gc.disable()  # what a run makes is in use to its end
    if name == "apply":
        _loaded(module).main(words[1:], by_name=True)
    if module and not command:
        _loaded(module).main(words[1:])
    if module:
        getattr(_loaded(module), command).main(words[1:])
    if name[:1].isalpha():
        _loaded("patchkit.cli.tool_command").main(words)
    else:
        _loaded("patchkit.cli.overview").main(words)
    _loaded("patchkit.cli.commands").main(words)


def _loaded(name: str) -> Any:
    __import__(name)  # importlib, which is for this, is a package to load of its own
    return sys.modules[name]
