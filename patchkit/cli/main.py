"""The `patchkit` command: a table of commands, each loaded when it is called.

`patchkit apply` is `apply_patch` and goes the same lean way; everything else is a click command, and
click itself is imported only then.
"""

from __future__ import annotations

import sys

# name: (module, function, one line of help). The help stands here so that listing imports no command.
COMMANDS = {
    "apply": ("patchkit.cli.apply_patch", "", "Apply a patch: all of it, or nothing (the same as apply_patch)."),
    # Tools: the second word is the tool's own, and the command is made from its declaration.
    "read": ("tool", "read", "Show a file, numbered and bounded."),
    "write": ("tool", "write", "Create or replace a whole file."),
    "edit": ("tool", "edit", "Replace one text in a file."),
    "multi-edit": ("tool", "multi-edit", "Make several replacements in a file: all, or none."),
    "ls": ("tool", "ls", "List a directory."),
    "glob": ("tool", "glob", "Find files by name, newest first."),
    "grep": ("tool", "grep", "Find files by what is in them."),
    "exec": ("tool", "exec", "Run a command in the workspace, within limits."),
    "call": ("patchkit.cli.call", "call", "Call any of these with its arguments as JSON."),
    "schema": ("patchkit.cli.call", "schema", "Print the tools as a model API or an agent protocol takes them."),
    "diff": ("patchkit.cli.diff", "diff", "Print the patch that turns one file or tree into another."),
    "log": ("patchkit.cli.history", "log", "List what was applied in this workspace."),
    "undo": ("patchkit.cli.history", "undo", "Take back what was applied last, exactly, or not at all."),
    "redo": ("patchkit.cli.history", "redo", "Take back the last undo."),
    "recover": ("patchkit.cli.history", "recover", "Finish or undo what an interrupted run left behind."),
    "grammar": ("patchkit.cli.grammar", "grammar", "Print the grammar of the patch language."),
}


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["apply"]:
        try:
            from patchkit import _bundle  # type: ignore[attr-defined]  # made when the wheel is built
        except ImportError:
            pass
        else:
            _bundle.load()
        from patchkit.cli.apply_patch import main as apply_main

        apply_main(words[1:])
    from patchkit.cli.group import patchkit

    patchkit.main(args=words, prog_name="patchkit")
