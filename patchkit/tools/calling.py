"""One road for every call of a tool: the command line, `patchkit call`, the library, agent protocols.

Takes a tool's name and arguments as a caller gives them; gives a Result, also for what went wrong: whoever calls
gets one shape and no exception. Streams, exit statuses and signals are the callers' own.
"""

from __future__ import annotations

import os
import time

from patchkit.errors import Note, PatchkitError
from patchkit.policy import WRITE
from patchkit.policy.oversight import Oversight
from patchkit.tools.arguments import checked
from patchkit.tools.registry import Tool, named
from patchkit.tools.result import Result, failure, note_data
from patchkit.values import Value
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Caller(Value):
    """Who calls, and from where.

    `root` is the workspace and `start` where relative paths begin in it; `agent` says that nobody approved this call
    in person, `by_hand` that it is a command line, on which a limit of 0 stands for no limit; `stdin` is a descriptor
    for what is run to read from; `on_output` takes pieces of output as they come; `on_commit` is told when every name
    is new.
    """

    __slots__ = ("root", "start", "agent", "by_hand", "stdin", "on_output", "on_commit")
    root: str | None
    start: str | None
    agent: bool
    by_hand: bool
    stdin: int | None
    on_output: Callable[[bytes], None] | None
    on_commit: Callable[[], None] | None

    def __init__(self, root: str | None = None, start: str | None = None, agent: bool = False) -> None:
        self.root = root
        self.start = start
        self.agent = agent
        self.by_hand = False
        self.stdin = None
        self.on_output = None
        self.on_commit = None


class Call(Value):
    """What a handler gets: the checked arguments, the workspace, and who asks.

    `may_read` tells of a workspace name that a search comes across whether it may be shown; None when all may be.
    """

    __slots__ = ("tool", "arguments", "files", "caller", "notes", "may_read")
    tool: Tool
    arguments: dict[str, object]
    files: Workspace
    caller: Caller
    notes: list[Note]
    may_read: Callable[[str], bool] | None

    def __init__(self, tool: Tool, arguments: dict[str, object], files: Workspace, caller: Caller) -> None:
        self.tool = tool
        self.arguments = arguments
        self.files = files
        self.caller = caller
        self.notes = []
        self.may_read = None

    def get(self, field: str, otherwise: object = None) -> object:
        return self.arguments.get(field, otherwise)

    def text(self, field: str, otherwise: str = "") -> str:
        return self.arguments.get(field, otherwise)  # type: ignore[return-value]

    def number(self, field: str, otherwise: int) -> int:
        """A number as it was given; one that the schema calls an integer is whole."""
        return self.arguments.get(field, otherwise)  # type: ignore[return-value]

    def whole(self, field: str, otherwise: int) -> int:
        """A number without its fraction, for counts that a published schema calls numbers."""
        return int(self.number(field, otherwise))

    def flag(self, field: str) -> bool:
        return bool(self.arguments.get(field, False))


def call(name: str, given: object, caller: Caller | None = None) -> Result:
    """Runs the tool and returns what came of it, whatever that is."""
    started = time.monotonic()
    caller = caller or Caller()
    resolved: str | None = None
    notes: list[Note] = []
    tool: Tool | None = None
    watch = Oversight(name, caller.agent, caller.root)
    try:
        tool = named(name)
        watch.tool, watch.effect = tool.name, tool.effect
        arguments = checked(tool, given)
        with Workspace(caller.root, caller.start) as files:
            files.on_commit = caller.on_commit
            resolved = _resolved(files, arguments)
            asked = Call(tool, arguments, files, caller)
            notes = asked.notes
            with watch.over(files, lambda judge: judge.call(asked.tool, asked.arguments)):
                asked.may_read = watch.may_read
                result = tool.run(asked)
    except PatchkitError as error:
        if tool is not None and tool.effect != WRITE:
            error.facts["read_only"] = True  # its help does not say that nothing was written
        result = failure(_in_owed_words(tool, error))
    except Exception as error:  # a defect of ours is an answer too
        from patchkit.report.diagnostics import as_error

        result = failure(as_error(error))
    except BaseException as signal:  # is told by whoever takes signals; the call is recorded all the same
        watch.record_failure(signal)
        raise
    notes += watch.record(result.status, result.errors[0]["code"] if result.errors else None)
    result.notes.extend(note_data(note) for note in notes)
    result.stats = {"time_ms": round((time.monotonic() - started) * 1000), **result.stats}
    result.context = {"cwd": current_directory(), "params_input": given, "path_resolved": resolved}
    return result


def _in_owed_words(tool: Tool | None, error: PatchkitError) -> PatchkitError:
    """The error with the words that every tool owes its caller for a path that is not to be had (the fact `said`).

    A tool that works on one file says in its module, as VERB, what it does to it.
    """
    if tool is None or "said" in error.facts:
        return error
    if error.code == "P301" or (error.code == "P307" and error.facts.get("fate") != "leads in a circle"):
        error.facts["said"] = f"Path escapes workspace: {error.file}"
    verb = tool.part("VERB", "")
    if verb and error.code in ("P302", "P310"):
        error.facts["said"] = "<tool_use_error>File does not exist.</tool_use_error>"
    elif verb and error.code == "P305":
        error.facts["said"] = f"<tool_use_error>Illegal operation on a directory. {verb}</tool_use_error>"
    return error


def current_directory() -> str | None:
    """Where the process stands; None when that was removed under its feet."""
    try:
        return os.getcwd()
    except OSError:
        return None


def resolved(root: str | None) -> str | None:
    """The workspace that is meant, without links in its name; None when it is where the process stands no more."""
    try:
        return os.path.realpath(root or ".")
    except OSError:
        return None


def _resolved(files: Workspace, arguments: dict[str, object]) -> str | None:
    """The real absolute path the call is about, as far as it has one."""
    path = arguments.get("file_path", arguments.get("path"))
    if not isinstance(path, str):
        return files.real
    try:
        return os.path.realpath(os.path.join(files.root, *files.parts(path)))
    except (PatchkitError, ValueError):
        return None
