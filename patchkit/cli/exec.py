"""`patchkit exec`: the tool as a command, with output as it comes on a terminal."""

from __future__ import annotations

import os
import stat
from shlex import join

import click

from patchkit.cli.answer import status_of, tell
from patchkit.cli.signals import Interrupted, finish_in_spite_of_signals, roll_back_on_signals
from patchkit.cli.streams import say
from patchkit.cli.tool_command import with_agent
from patchkit.errors import PatchkitError
from patchkit.tools import exec as tool
from patchkit.tools.calling import Caller, call
from patchkit.tools.result import Result, failure

_SIGNALS = {"SIGHUP": 129, "SIGINT": 130, "SIGTERM": 143}


@with_agent
@click.command("exec")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--timeout", type=int, metavar="S", help="Seconds it may run (default: 120, at most 3600).")
@click.option("--cwd", metavar="DIR", help="Where it runs, inside the workspace.")
@click.option("--tool-call-id", metavar="ID", help="The id under which a large output is kept.")
@click.option("--no-intercept", is_flag=True, default=None, help="Leave calls of apply_patch to the shell.")
@click.option(
    "--root", metavar="DIR", envvar="PATCHKIT_ROOT", help="The workspace (default: PATCHKIT_ROOT, else here)."
)
@click.option("-C", "start", metavar="DIR", help="Where relative paths start, inside the workspace.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON result instead of text.")
def exec_command(command: tuple[str, ...], **given: object) -> None:
    """Run a COMMAND in the workspace: the text of a script as one argument, or words after '--'.

    The status is that of the command; 124 when its time was up, 126 when it was refused, 127 when it could not be
    started.
    """
    as_json = bool(given.pop("as_json"))
    caller = Caller(given.pop("root") or None, given.pop("start"), bool(given.pop("agent")))  # type: ignore[arg-type]
    caller.stdin = _input()
    streams = not as_json and os.isatty(1)
    if streams:
        caller.on_output = lambda data: say(1, data)
    arguments = {name: value for name, value in given.items() if value is not None}
    result = _called({"command": command[0] if len(command) == 1 else join(command), **arguments}, caller)
    if streams and "output" in result.data:
        _tell_the_rest(result)
    else:
        tell(result, as_json)
    os._exit(_status(result))


def _called(arguments: dict[str, object], caller: Caller) -> Result:
    caller.on_commit = finish_in_spite_of_signals
    try:
        roll_back_on_signals()
        return call("Bash", arguments, caller)
    except Interrupted as signal:
        return failure(PatchkitError("P645", signal=str(signal), data={"stopped_by": str(signal)}))


def _input() -> int | None:
    """What the command may read: our own standard input where something was put there, never a terminal."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return None
    return 0 if stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode) else None


def _tell_the_rest(result: Result) -> None:
    """What a person has not seen yet when all output has gone by: how it ended, and the notes."""
    words = tool.remarks(result.data)
    if result.data["output_file"]:
        words += f"[all of it: {result.data['output_file']}]\n"
    say(2, words + "".join(f"note[{note['code']}]: {note['message']}\n" for note in result.notes))


def _status(result: Result) -> int:
    stopped = result.data.get("stopped_by")
    return _SIGNALS.get(str(stopped), 1) if stopped else tool.exit_status(result, status_of(result))
