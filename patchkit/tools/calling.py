"""Every call of a tool goes through here: the command line, `patchkit call`, the library, agent protocols.

Takes a tool's name and arguments as a caller gives them; returns a Result, for errors too: a caller gets one shape and
no exception. Streams, exit statuses and signals are left to the callers.
"""

from __future__ import annotations

import os
import time

from patchkit.core.workspace import current_directory
from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note, PatchkitError
from patchkit.history import tracked_workspace
from patchkit.policy import EXECUTE, READ, WRITE, author, is_overseen
from patchkit.report.result import Result, failure, note_data
from patchkit.tools.arguments import checked
from patchkit.tools.declaration import Caller, Tool, ToolCall, addressed, path_in
from patchkit.tools.registry import effect_and_name, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.policy.oversight import Oversight
    from patchkit.report.result import Json

__all__ = ["ToolCall", "Caller", "call"]


def call(name: str, given: object, caller: Caller | None = None) -> Result:
    """Runs the tool and returns its Result; what went wrong is a Result as well."""
    started = time.monotonic()
    caller = caller or Caller()
    resolved: str | None = None
    notes: list[Note] = []
    tool: Tool | None = None
    watch = _oversight(name, caller)
    try:
        tool = named(name)
        if watch is not None:
            watch.tool, watch.effect = tool.name, tool.effect
        arguments = checked(tool, given, notes, caller.strict)
        with tracked_workspace(caller.root, caller.start) as files:
            files.on_commit, files.session = caller.on_commit, caller.session
            files.on_progress = caller.on_progress
            asked = ToolCall(tool, arguments, files, caller)
            asked.notes = notes
            resolved = _resolved(files, arguments)
            files.before_commit = asked.refuse_cancelled
            if watch is None:
                files.author = author(caller.agent, caller.session, tool.name)
                result = _ran(asked)
            else:
                with watch.over(
                    files, lambda judge: judge.judge(asked.tool.name, asked.tool.deeds(judge.deeds, asked.arguments))
                ):
                    asked.may_read, asked.judge = watch.may_read, watch.judge
                    result = _ran(asked)
    except PatchkitError as error:
        if tool is not None and tool.effect != WRITE:
            error.facts["read_only"] = True  # its help does not say that nothing was written
        result = failure(addressed(_with_fixed_text(tool, error), caller, tool))
    except Exception as error:  # an internal error is an answer too
        from patchkit.report.diagnostics import as_error

        result = failure(as_error(error))
    except BaseException as signal:  # is reported by the program that takes signals; the call is recorded all the same
        if watch is not None:
            watch.record_failure(signal)
        raise
    if watch is not None:
        notes += watch.record(result.status, result.errors[0]["code"] if result.errors else None)
    if notes:
        result.notes.extend(map(note_data, notes))
    result.stats = {"time_ms": round((time.monotonic() - started) * 1000), **result.stats}
    result.context = {"cwd": current_directory(), "params_input": given, "path_resolved": resolved}
    return result


def _oversight(name: str, caller: Caller) -> Oversight | None:
    """What judges and records the call; None where there are no rules to ask and no log to keep."""
    try:
        asks = caller.agent or caller.approves is not None
        if not is_overseen(asks, os.path.realpath(caller.root or ".")):
            return None
    except OSError:
        pass  # the current directory was removed; the user's own settings may name a log
    from patchkit.policy.oversight import Oversight  # and all that rules need: most workspaces have none

    return Oversight(
        *(name, caller.agent, caller.root),
        tool_names=effect_and_name,
        session=caller.session,
        approves=caller.approves,
    )


def _ran(asked: ToolCall) -> Result:
    """Runs the tool, unless the call was cancelled before."""
    asked.refuse_cancelled()
    result = _restricted(asked)
    if asked.tool.effect == READ:  # a search that was cancelled stopped early; a change that was made is reported
        asked.refuse_cancelled()
    return result


def _restricted(asked: ToolCall) -> Result:
    """Runs the tool; where the environment asks for it, a tool for files is kept in the workspace by the kernel."""
    if asked.tool.effect == EXECUTE or os.environ.get("PATCHKIT_SANDBOX", "") in ("", "0"):
        return asked.tool.run(asked)
    from patchkit.sandbox.self_restriction import restricted  # it loads ctypes

    logs = asked.judge.protected if asked.judge is not None else []
    return restricted(lambda: asked.tool.run(asked), asked.files.real, logs, asked.caller.owns_process)


def _with_fixed_text(tool: Tool | None, error: PatchkitError) -> PatchkitError:
    """The error with the fixed text that every tool has for a path it cannot use (the fact `said`).

    The declaration of a tool that works on one file says with `verb` what it does to it.
    """
    if tool is None or "said" in error.facts:
        return error
    if error.code == "P301" or (error.code == "P307" and error.facts.get("fate") != "leads in a circle"):
        error.facts["said"] = f"Path escapes workspace: {error.file}"
    verb = tool.declaration.verb
    if verb and error.code in ("P302", "P310"):
        error.facts["said"] = "<tool_use_error>File does not exist.</tool_use_error>"
    elif verb and error.code == "P305":
        error.facts["said"] = f"<tool_use_error>Illegal operation on a directory. {verb}</tool_use_error>"
    return error


def _resolved(files: Workspace, arguments: Json) -> str | None:
    """The real absolute path the call is about, if it has one."""
    path = path_in(arguments)
    if not isinstance(path, str):
        return files.real
    try:
        return os.path.realpath(os.path.join(files.root, *files.parts(path)))
    except (PatchkitError, ValueError):
        return None
