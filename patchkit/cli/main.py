"""The `patchkit` command: a table of commands, each loaded when it is called.

`patchkit apply` is `apply_patch` and goes the same lean way, as `intercept` and `hook` do; everything else is a click
command, and click itself is imported only then.
"""

import sys

from patchkit.cli.commands import COMMANDS

_LEAN = ("apply", "intercept", "hook")  # commands that read their own arguments: click costs more than their work


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    words = sys.argv[1:] if words is None else words
    command = words[0] if words else ""
    home = COMMANDS.get(command, ("",))[0]
    if home == "tool" or command == "apply":
        load_bundle(command)
    if command in _LEAN:
        __import__(home)  # importlib, which is for this, is a package to load of its own
        sys.modules[home].main(words[1:])
    if home == "tool":
        from patchkit.cli.plain_words import answer_if_plain

        answer_if_plain(words)
    from patchkit.cli.group import patchkit

    patchkit.main(args=words, prog_name="patchkit")


def load_bundle(command: str) -> None:
    """Takes what a command loads from one file, where the wheel brought it (see hatch_build.py)."""
    try:
        __import__(f"patchkit._bundle_{command}")
    except ImportError:
        pass
