"""The `patchkit` command: what an agent calls often is answered by the quick reader, everything else by click.

A module of a hot command has `quick`, which takes the words and returns the status, or None for a line that is not
plainly right. This module imports nothing but the end of a process: what it loads, it loads by name.
"""

from __future__ import annotations

import gc
import os
import sys

from patchkit.cli import Interrupted, crashed, end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TOOLS = ("read", "write", "edit", "multi-edit", "notebook-edit", "insert", "delete", "move", "ls", "glob", "grep")
HOT = {
    "apply": "patchkit.cli.apply_patch",
    "check": "patchkit.cli.commands.check",
    "exec": "patchkit.cli.commands.exec",
    "hook": "patchkit.cli.commands.hook",
    "intercept": "patchkit.cli.commands.intercept",
    "mcp": "patchkit.cli.commands.mcp",
    **dict.fromkeys(_TOOLS, "patchkit.cli.tools"),
}


def main(words: list[str] | None = None) -> None:
    """Runs the command and ends the process."""
    words = sys.argv[1:] if words is None else words
    if words and words[0] != "mcp" and (words[0] in HOT or words[0] == "convert"):
        gc.disable()  # a run is short, and what it makes is in use to its end
    end(run(words))


def run(words: list[str]) -> int:
    try:
        if words and words[0] in HOT and "_PATCHKIT_COMPLETE" not in os.environ:
            status: int | None = loaded(HOT[words[0]]).quick(words)
            if status is not None:
                return status
        answered: int = loaded("patchkit.cli.group").run(words)
        return answered
    except Exception as error:
        return crashed(error)
    except Interrupted as signal:
        return signal.status


def loaded(name: str) -> Any:
    __import__(name)  # importlib, which is for this, is a package to load of its own
    return sys.modules[name]
