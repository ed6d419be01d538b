"""Every call of a tool goes through here: the command line, `patchkit call`, the library, agent protocols.

Takes a tool's name and arguments as a caller gives them; returns a Result, for errors too: a caller gets one shape and
no exception. Streams, exit statuses and signals are left to the callers.
"""

from __future__ import annotations

import os
import time

from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note, PatchkitError
from patchkit.history import tracked_workspace
from patchkit.policy import EXECUTE, READ, WRITE, author, is_overseen
from patchkit.report.result import Json, Result, context, failure, note_data, resolved
from patchkit.tools.arguments import checked, shown
from patchkit.tools.declaration import Caller, Tool, ToolCall, addressed, path_in
from patchkit.tools.registry import effect_and_name, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.policy.oversight import Oversight

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
        tool, fields = _meant(name, given, notes, caller.strict)
        if watch is not None:
            watch.tool, watch.effect = tool.name, tool.effect
        arguments = checked(tool, fields, notes, caller.strict)
        with tracked_workspace(caller.root, caller.start) as files:
            files.on_commit, files.session = caller.on_commit, caller.session
            files.on_progress = caller.on_progress
            asked = ToolCall(tool, arguments, files, caller, notes)
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
        result.text += "".join(map(_rewriting, notes))
    result.stats = {"time_ms": round((time.monotonic() - started) * 1000), **result.stats}
    result.context = context(given, resolved)
    return result


_LONGEST_DIFF = 8_000  # characters of what a command changed
# What a whole call has beside or around its arguments.
_AROUND = frozenset(("name", "tool_name", "function", "functionCall", "function_call", "toolCall", "tool_call"))
# An editor of other clients, and the tools that its commands are.
_EDITORS = ("str_replace_editor", "str_replace_based_edit_tool")
_COMMANDS = {"view": "Read", "create": "Write", "str_replace": "Edit", "insert": "Insert"}


def _meant(name: str, given: object, notes: list[Note], strict: bool) -> tuple[Tool, object]:
    """The tool that is called and its arguments, also where these are inside the whole call as a model wrote it."""
    tool = named(name, strict)
    if strict:
        return tool, given
    if isinstance(given, str) or (isinstance(given, dict) and not _AROUND.isdisjoint(given)):
        from patchkit.formats.fields import unwrapped  # few callers send one

        inner = unwrapped(given)
        if inner is not None:
            name, given = inner[0].replace(".", "__").rpartition("__")[2], inner[1]
            if named(name) is not tool:
                wrong = {"field": "arguments", "given": f"a call of '{inner[0]}'"}
                raise PatchkitError("P603", **wrong, allowed=f"the arguments of {tool.name}")
            notes.append(Note("P956", lenience="wrapped", field="arguments", tool=tool.name))
    if isinstance(given, dict) and name.lower().replace("-", "_") in _EDITORS:
        return _of_editor(given)
    return tool, given


def _of_editor(given: Json) -> tuple[Tool, Json]:
    """The tool that a command of an editor is, and its arguments."""
    from patchkit.formats.json_edits import edits_of  # it loads json

    command = given.get("command", "str_replace")
    if command not in _COMMANDS:
        allowed = "one of " + ", ".join(f"'{each}'" for each in _COMMANDS)
        raise PatchkitError("P603", field="command", given=shown(command), allowed=allowed)
    fields = {name: value for name, value in given.items() if name not in ("command", "view_range")}
    edits = edits_of(given) if command == "str_replace" else []
    if edits:  # with numbers, as `old_str_1`
        fields = {name: value for name, value in fields.items() if not name.rpartition("_")[2].isdigit()}
        return named("MultiEdit"), {**fields, "edits": edits}
    if command == "str_replace" and not any("new" in name for name in fields):
        fields["new_str"] = ""  # which may be left out
    span = given.get("view_range")
    if command == "view" and isinstance(span, list) and len(span) == 2 and all(type(each) is int for each in span):
        fields["offset"] = span[0]
        fields.update({"limit": span[1] - span[0] + 1} if span[1] >= span[0] else {})
    return named(_COMMANDS[command]), fields


def _rewriting(note: Note) -> str:
    """What a command of the run changed, where a note says so: the next edit needs the text as it is."""
    diff = str(note.facts.get("diff", "")) if note.code == "P991" else ""
    if len(diff) > _LONGEST_DIFF:
        diff = "Read the file again before you change it.\n"
    return f"\n{note.message}:\n{diff}" if diff else ""


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
        *(name, caller.agent, caller.root), tool_names=effect_and_name, session=caller.session, approves=caller.approves
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
        return asked.tool.declaration.run(asked)
    from patchkit.sandbox.self_restriction import restricted  # it loads ctypes

    logs = asked.judge.protected if asked.judge is not None else []
    return restricted(lambda: asked.tool.declaration.run(asked), asked.files.real, logs, asked.caller.owns_process)


def _with_fixed_text(tool: Tool | None, error: PatchkitError) -> PatchkitError:
    """The error with the fixed text that every tool has for a path it cannot use (the fact `said`)."""
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
        return resolved(os.path.join(files.root, *files.parts(path)))
    except (PatchkitError, ValueError):
        return None
