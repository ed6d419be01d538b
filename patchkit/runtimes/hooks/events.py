"""Hook events as runtimes send them before a tool runs, and answers in the form that each runtime takes.

Takes decoded JSON; returns an Event, whichever runtime it is from, and turns a Decision into that runtime's JSON.
Claude Code, Codex and Copilot share one shape (`PreToolUse`), Gemini CLI has its own (`BeforeTool`), and Copilot has
another one with camelCase names. Which decision to make is the work of `hooks`.
"""

from __future__ import annotations

import json
import os
import re

from patchkit.shell.mention import is_bare_patch
from patchkit.shell.shells import shell_of
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, object]

# Tools whose input holds a shell command, by the names that the runtimes use.
SHELL_TOOLS = frozenset(("bash", "shell", "local_shell", "exec_command", "shell_command", "run_shell_command"))
# Tools that take a patch in this language.
PATCH_TOOLS = frozenset(("apply_patch", "applypatch", "apply-patch"))
# Fields that a tool of some version may read. All of them are judged, because it is not known which one counts.
COMMANDS = ("command", "cmd", "script", "commands")
DIRECTORIES = ("workdir", "cwd", "directory", "dir_path", "working_directory")
PATHS = (
    *("file_path", "absolute_path", "notebook_path", "path", "dir_path", "paths", "file_paths", "filename"),
    *("target_file", "filePath", "old_path", "new_path", "source", "destination"),
)
# Fields of a shell tool that change nothing about what the command may do. Any other may ask for more rights.
PLAIN_FIELDS = frozenset(
    "description justification timeout timeout_ms run_in_background is_background background detach delay_ms mode "
    "initial_wait yield_time_ms max_output_tokens max_output_length login tty sessionId session_id shellId".split()
).union(COMMANDS, DIRECTORIES)
PATCHES = ("input", "patch", "command", "patchText", "patch_text", "diff")
# Modes in which a runtime's own tool for edits does not ask, by the names that the events have.
EDITING_MODES = frozenset(("acceptEdits", "bypassPermissions"))
READ_ONLY = "plan"  # a mode in which nothing may be allowed to write


class Event(Value):
    """A tool call that is about to be made: its name and input, and the directory of the session.

    A runtime that hands a patch over as one text has it in the field `input`; `is_text` says so.
    """

    __slots__ = ("kind", "tool", "input", "cwd", "mode", "is_codex", "is_text", "session")
    kind: str
    tool: str
    input: Json
    cwd: str
    mode: str
    is_codex: bool
    is_text: bool
    session: str  # by which the runtime knows the conversation; '' where it does not say

    def __init__(self, kind: str, tool: str, given: Json, cwd: str, mode: str, is_codex: bool = False) -> None:
        self.kind = kind
        self.tool = tool
        self.input = given
        self.cwd = cwd
        self.mode = mode
        self.is_codex = is_codex
        self.is_text = False
        self.session = ""

    @property
    def is_shell(self) -> bool:
        return self.tool.lower() in SHELL_TOOLS

    @property
    def fields(self) -> list[str]:
        """The fields of the input that may hold a shell command; none for a tool that does not run commands."""
        if not self.is_shell:
            return []
        return [name for name in COMMANDS if self.input.get(name)]

    @property
    def asks_for_more(self) -> bool:
        """Whether a command is to run in another way than usual: outside of a sandbox, by another shell, and the like.

        What is not known to be plain counts, so that a new field of a runtime is not allowed by a rule for the command.
        """
        return self.is_shell and any(
            value not in (None, False, "", "use_default") and not _is_plain_field(name, value)
            for name, value in self.input.items()
        )

    @property
    def patches(self) -> list[str]:
        """The texts that a runtime's own tool for patches may apply; none for another tool."""
        if self.tool.lower() not in PATCH_TOOLS and not self.is_text:
            return []
        return [text for name in PATCHES if isinstance(text := self.input.get(name), str)]

    @property
    def paths(self) -> list[str]:
        """All paths that the call may be about, also those in lists of edits."""
        found: list[str] = []
        waiting: list[object] = [self.input]
        for value in waiting:  # which grows meanwhile
            if isinstance(value, dict):
                found += [text for name in PATHS for text in _texts(value.get(name))]
                waiting += value.values()
            elif isinstance(value, list):
                waiting += value
        return found

    @property
    def directories(self) -> list[str]:
        """All directories in which the command may run: the session's, where the call names none."""
        given = [text for name in DIRECTORIES for text in _texts(self.input.get(name)) if text]
        return [os.path.join(self.cwd, text) for text in dict.fromkeys(given)] or [self.cwd]


def _is_plain_field(name: str, value: object) -> bool:
    if name == "shell":  # the program that is to run the command
        return isinstance(value, str) and shell_of(value) is not None
    return name in PLAIN_FIELDS


def _texts(value: object) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each


class Decision(Value):
    """The decision about a call: 'allow', 'ask', 'deny', or '' to leave it to the runtime; why; and the input to use.

    `hides` says that it is about a file that may not be read, so no other reason may be given for it.
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
    kind = _first(decoded, "hook_event_name", "hookEventName", "eventName")
    tool = _first(decoded, "tool_name", "toolName")
    given = _first(decoded, "tool_input", "toolInput", "toolArgs")
    if kind is None and "toolName" in decoded:
        kind = "preToolUse"
    if not isinstance(kind, str) or kind not in _ANSWERS:
        return f"its hook_event_name is none of {', '.join(_ANSWERS)}"
    text = isinstance(given, str) and is_bare_patch(given)
    if isinstance(given, str):
        given = {"input": given} if text else _decoded(given)
    if not isinstance(tool, str) or not isinstance(given, dict):
        return "it has no tool_name or no tool_input"
    cwd = decoded.get("cwd") or _here()
    if not isinstance(cwd, str) or "\0" in cwd or not os.path.isdir(cwd):
        return "its cwd is not a directory"
    mode = _first(decoded, "permission_mode", "permissionMode")
    event = Event(kind, tool, given, cwd, str(mode or ""), "turn_id" in decoded)
    event.is_text = text
    event.session = str(_first(decoded, "session_id", "sessionId") or "")
    return event


def unread_event(data: bytes) -> Event | None:
    """What is known of an event that cannot be read: enough to answer it. None for one of another kind."""
    kinds = re.findall(rb'"(?:hook_event_name|hookEventName|eventName)"\s*:\s*"(\w+)"', data)
    known = [kind.decode() for kind in kinds if kind.decode() in _ANSWERS]
    if not known and b'"toolName"' in data:
        known = ["preToolUse"]
    if kinds and not known:
        return None
    return Event(known[0] if known else "PreToolUse", "", {}, "", "", b'"turn_id"' in data)


def _first(decoded: Json, *names: str) -> object:
    return next((decoded[name] for name in names if name in decoded), None)


def _decoded(text: str) -> object:
    """Arguments that a runtime sends as a text of JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _here() -> str:
    """The current directory; '' when it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def answer(event: Event, decision: Decision) -> Json:
    """The decision as the runtime expects it that the event is from."""
    return _ANSWERS[event.kind](decision)


def _pre_tool_use(decision: Decision) -> Json:
    said: Json = {"hookEventName": "PreToolUse"}
    if decision.verb:
        said["permissionDecision"] = decision.verb
        said["permissionDecisionReason"] = decision.reason
    if decision.input is not None:
        said["updatedInput"] = decision.input
    return {"hookSpecificOutput": said}


def _before_tool(decision: Decision) -> Json:
    said: Json = {"decision": decision.verb, "reason": decision.reason} if decision.verb else {}
    if decision.input is not None:
        said["hookSpecificOutput"] = {"hookEventName": "BeforeTool", "tool_input": decision.input}
    return said


def _flat(decision: Decision) -> Json:
    said: Json = {}
    if decision.verb:
        said = {"permissionDecision": decision.verb, "permissionDecisionReason": decision.reason}
    if decision.input is not None:
        said["modifiedArgs"] = decision.input
    return said


_ANSWERS = {"PreToolUse": _pre_tool_use, "BeforeTool": _before_tool, "preToolUse": _flat}
