"""A tool called from a command line: what came of it goes to the streams, and the process ends with its status."""

from __future__ import annotations

import os

from patchkit.cli.answer import status_of, tell
from patchkit.cli.signals import Interrupted, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.cli.streams import say
from patchkit.errors import PatchkitError
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import READ, Tool
from patchkit.tools.result import Result, failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def answer(tool: Tool, arguments: Callable[[], object], caller: Caller, as_json: bool) -> None:
    """Calls the tool, tells what came of it, and ends the process with the status that says so."""
    caller.on_commit = finish_in_spite_of_signals
    try:
        roll_back_on_signals()
        result = call(tool.name, arguments(), caller)
    except PatchkitError as error:  # the arguments could not be read
        result = failure(error)
    except Interrupted as signal:
        result = failure(PatchkitError("P406", signal=str(signal)))
    why = tell(result, as_json)
    if why and tool.effect == READ:  # what changed files has done so, whether that can be told or not
        result = failure(PatchkitError("P402", file="standard output", reason=why))
        say(2, result.text)
    os._exit(exit_status(tool, result))


def exit_status(tool: Tool, result: Result) -> int:
    """The status of the process: the tool's own answer where it has one, else the usual."""
    try:
        own = tool.part("exit_status")
    except AttributeError:
        return status_of(result)
    return own(result, status_of(result))  # type: ignore[operator, no-any-return]
