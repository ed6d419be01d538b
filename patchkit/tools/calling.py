"""One road for every call of a tool: the command line, `patchkit call`, the library, agent protocols.

Takes a tool's name and arguments as a caller gives them; gives a Result, also for what went wrong: whoever calls
gets one shape and no exception. Streams, exit statuses and signals are the callers' own.
"""

from __future__ import annotations

import os
import time

from patchkit.errors import Note, PatchkitError
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
    in person; `on_output` takes pieces of output as they come; `on_commit` is told when every name is new.
    """

    __slots__ = ("root", "start", "agent", "on_output", "on_commit")
    root: str | None
    start: str | None
    agent: bool
    on_output: Callable[[bytes], None] | None
    on_commit: Callable[[], None] | None

    def __init__(self, root: str | None = None, start: str | None = None, agent: bool = False) -> None:
        self.root = root
        self.start = start
        self.agent = agent
        self.on_output = None
        self.on_commit = None


class Call(Value):
    """What a handler gets: the checked arguments, the workspace, and who asks."""

    __slots__ = ("tool", "arguments", "files", "caller", "notes")
    tool: Tool
    arguments: dict[str, object]
    files: Workspace
    caller: Caller
    notes: list[Note]

    def __init__(self, tool: Tool, arguments: dict[str, object], files: Workspace, caller: Caller) -> None:
        self.tool = tool
        self.arguments = arguments
        self.files = files
        self.caller = caller
        self.notes = []

    def get(self, field: str, otherwise: object = None) -> object:
        return self.arguments.get(field, otherwise)

    def text(self, field: str, otherwise: str = "") -> str:
        return self.arguments.get(field, otherwise)  # type: ignore[return-value]

    def number(self, field: str, otherwise: int) -> int:
        return self.arguments.get(field, otherwise)  # type: ignore[return-value]

    def flag(self, field: str) -> bool:
        return bool(self.arguments.get(field, False))


def call(name: str, given: object, caller: Caller | None = None) -> Result:
    """Runs the tool and returns what came of it, whatever that is."""
    started = time.monotonic()
    caller = caller or Caller()
    resolved: str | None = None
    notes: list[Note] = []
    try:
        tool = named(name)
        arguments = checked(tool, given)
        with Workspace(caller.root, caller.start) as files:
            files.on_commit = caller.on_commit
            resolved = _resolved(files, arguments)
            asked = Call(tool, arguments, files, caller)
            notes = asked.notes
            result = tool.run(asked)
    except PatchkitError as error:
        result = failure(error)
    except Exception as error:  # a defect of ours is an answer too
        from patchkit.report.internal import as_error

        result = failure(as_error(error))
    result.notes.extend(note_data(note) for note in notes)
    result.stats = {"time_ms": round((time.monotonic() - started) * 1000), **result.stats}
    result.context = {"cwd": os.getcwd(), "params_input": given, "path_resolved": resolved}
    return result


def _resolved(files: Workspace, arguments: dict[str, object]) -> str | None:
    """The real absolute path the call is about, as far as it has one."""
    path = arguments.get("file_path", arguments.get("path"))
    if not isinstance(path, str):
        return files.real
    try:
        return os.path.realpath(os.path.join(files.root, *files.parts(path)))
    except (PatchkitError, ValueError):
        return None
