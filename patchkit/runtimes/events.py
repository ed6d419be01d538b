"""Hook events as runtimes send them before a tool runs, and answers as they take them.

Takes decoded JSON; returns an Event, whichever runtime it is from, and turns a Decision into that runtime's JSON.
Claude Code and Codex share one shape (`PreToolUse`), Gemini CLI has its own (`BeforeTool`). What to decide is left to
`hooks`.
"""

from __future__ import annotations

import os

from patchkit.values import Value

Json = dict[str, object]

# Tools whose input holds a shell command, by the names the runtimes give them.
SHELL_TOOLS = frozenset(("bash", "shell", "local_shell", "exec_command", "shell_command", "run_shell_command"))
_COMMANDS = ("command", "cmd")
_DIRECTORIES = ("workdir", "cwd", "directory", "dir_path")


class Event(Value):
    """A tool call that is about to be made: its name and input, and the directory of the session."""

    __slots__ = ("kind", "tool", "input", "cwd", "mode", "is_codex")
    kind: str
    tool: str
    input: Json
    cwd: str
    mode: str
    is_codex: bool

    def __init__(self, kind: str, tool: str, given: Json, cwd: str, mode: str, is_codex: bool = False) -> None:
        self.kind = kind
        self.tool = tool
        self.input = given
        self.cwd = cwd
        self.mode = mode
        self.is_codex = is_codex

    @property
    def field(self) -> str:
        """The field of the input that holds a shell command; '' for a tool that runs none."""
        if self.tool.lower() not in SHELL_TOOLS:
            return ""
        return next((name for name in _COMMANDS if isinstance(self.input.get(name), (str, list))), "")

    @property
    def directory(self) -> str:
        """Where the command runs."""
        given = next((self.input[name] for name in _DIRECTORIES if self.input.get(name)), "")
        return os.path.join(self.cwd, given) if isinstance(given, str) else self.cwd


class Decision(Value):
    """What happens to a call: 'allow', 'ask' or 'deny', why, and the input to use instead.

    `hides` says that it is about a file that may not be read, so that no other reason may be given.
    """

    __slots__ = ("verb", "reason", "input", "hides")
    verb: str
    reason: str
    input: Json | None
    hides: bool

    def __init__(self, verb: str, reason: str, given: Json | None = None) -> None:
        self.verb = verb
        self.reason = reason
        self.input = given
        self.hides = False


def read_event(decoded: object) -> Event | str:
    """The event, or what is wrong with it."""
    if not isinstance(decoded, dict):
        return "it is not a JSON object"
    kind, tool, given = decoded.get("hook_event_name"), decoded.get("tool_name"), decoded.get("tool_input")
    if not isinstance(kind, str) or kind not in _ANSWERS:
        return f"its hook_event_name is none of {', '.join(_ANSWERS)}"
    if not isinstance(tool, str) or not isinstance(given, dict):
        return "it has no tool_name or no tool_input"
    cwd = decoded.get("cwd") or _here()
    if not isinstance(cwd, str) or "\0" in cwd or not os.path.isdir(cwd):
        return "its cwd is not a directory"
    return Event(kind, tool, given, cwd, str(decoded.get("permission_mode") or ""), "turn_id" in decoded)


def _here() -> str:
    """The current directory of the process; '' when it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def answer(event: Event, decision: Decision) -> Json:
    """The decision in the words of the runtime that the event is from."""
    return _ANSWERS[event.kind](decision)


def _pre_tool_use(decision: Decision) -> Json:
    said: Json = {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision.verb,
        "permissionDecisionReason": decision.reason,
    }
    if decision.input is not None:
        said["updatedInput"] = decision.input
    return {"hookSpecificOutput": said}


def _before_tool(decision: Decision) -> Json:
    said: Json = {"decision": decision.verb, "reason": decision.reason}
    if decision.input is not None:
        said["hookSpecificOutput"] = {"hookEventName": "BeforeTool", "tool_input": decision.input}
    return said


_ANSWERS = {"PreToolUse": _pre_tool_use, "BeforeTool": _before_tool}
