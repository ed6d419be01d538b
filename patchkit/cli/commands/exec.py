"""`patchkit exec`: the tool as a command, with output as it comes on a terminal."""

from __future__ import annotations

import os
import stat
from shlex import join

from patchkit.cli import Interrupted, finish_in_spite_of_signals, roll_back_on_signals, show, write
from patchkit.cli.inputs import check_start
from patchkit.cli.quick import OF_CALLS, Flag, Given, QuickCommand
from patchkit.cli.statuses import of_tool
from patchkit.cli.tools import caller_of, print_result
from patchkit.errors import PatchkitError
from patchkit.report.result import Result, failure
from patchkit.report.spans import note_line
from patchkit.sandbox.choice import MODES, NETWORKS, REQUIRE
from patchkit.tools import exec as tool
from patchkit.tools.calling import Caller, call

_HOW = ("sandbox", "network")


def _run(said: Given) -> int:
    """Runs the command; returns its status, or what came of it instead."""
    given = EXEC.filled(said)
    caller, as_json = caller_of(given)
    command: tuple[str, ...] = given.pop("command")  # type: ignore[assignment]  # the reader gives texts
    caller.stdin = _input()
    caller.sandbox, caller.network = (str(word) if (word := given.pop(name)) else None for name in _HOW)
    passthrough = bool(given.pop("passthrough"))
    caller.streams = (1, 2) if passthrough else None
    streams = not as_json and not passthrough and os.isatty(1)
    if streams:
        caller.on_output = lambda data: write(1, data)  # a reader that is gone does not stop the command
    arguments = {name: value for name, value in given.items() if value is not None and value is not False}
    result = _called({"command": command[0] if len(command) == 1 else join(command), **arguments}, caller)
    if passthrough and "output" in result.data:
        write(1, result.data["output"].encode("utf-8", "surrogateescape"))  # of a patch that was applied here
    elif streams and "output" in result.data:
        _print_the_rest(result)
    else:
        print_result(result, as_json)
    return of_tool("Bash", result)


def _called(arguments: dict[str, object], caller: Caller) -> Result:
    caller.on_commit = finish_in_spite_of_signals
    caller.may_fork = caller.owns_process = True
    try:
        roll_back_on_signals()
        check_start(caller.start)
        return call("Bash", arguments, caller)
    except PatchkitError as error:
        return failure(error)
    except Interrupted as signal:
        return failure(PatchkitError("P645", signal=str(signal), data={"stopped_by": str(signal)}))


def _input() -> int | None:
    """What the command may read: our own standard input where something was put there, never a terminal."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return None
    return 0 if stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode) else None


def _print_the_rest(result: Result) -> None:
    """What a person has not seen yet when all output has gone by: how it ended, and the notes."""
    words = tool.remarks(result.data)
    if result.data["output_file"]:
        words += f"[all of it: {result.data['output_file']}]\n"
    notes = [span for note in result.notes for span in note_line(str(note["code"]), str(note["message"]))]
    show(2, [(words, ""), *notes])


EXEC = QuickCommand(
    "exec",
    """Run a COMMAND in the workspace: the text of a script as one argument, or words after '--'.

It runs in the directory of -C. The status is that of the command; 124 when it timed out, 126 when it was refused,
127 when it could not be started.
""",
    _run,
    (Flag("", value="COMMAND...", many=True, required=True, field="command"),),
    (
        Flag("--timeout", "seconds it may run", " (default: 120, at most 3600)", value="S", kind="N", least=None),
        Flag("--cwd", "", value="DIR"),  # the name that -C has in the tool
        Flag("--tool-call-id", "the id under which a large output is kept", value="ID"),
        Flag(
            "--sandbox",
            "let the kernel enforce the rules",
            ": off, auto (for agents by default), require (without a mode)",
            value="MODE",
            choices=tuple(MODES),
            alone=REQUIRE,
        ),
        Flag(
            "--network",
            "what a sandboxed command can reach (default: none)",
            f": {', '.join(NETWORKS)}",
            value="NAME",
            choices=tuple(NETWORKS),
        ),
        Flag("--passthrough", "let the command write to the two streams itself; add nothing"),
        Flag("--no-intercept", "leave calls of apply_patch to the shell"),
        *OF_CALLS,
    ),
)
quick = EXEC.called
