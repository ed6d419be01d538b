"""Hook events as runtimes send them before a tool runs, and answers in the form that each runtime takes.

Takes decoded JSON; returns an Event, whichever runtime it is from, and turns a Decision into that runtime's answer.
What differs between runtimes is data: `SHAPES` has a row for every event that one documents, `TOOL_NAMES` what their
tools do, and the lists of fields where a command, a path or a directory may be. Which decision to make is the work of
`hooks`.
"""

from __future__ import annotations

import json
import os
import re
from shlex import join

from patchkit.report.result import current_directory
from patchkit.shell.mention import is_bare_patch
from patchkit.shell.shells import shell_of
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Json = dict[str, object]

# Tools whose input holds a shell command, by the names that the runtimes use.
SHELL_TOOLS = frozenset(
    "bash shell local_shell exec_command shell_command run_shell_command run_in_terminal runinterminal "
    "runterminalcommand run_terminal_cmd run_terminal_command run_command execute execute_bash execute_command "
    "run_commands developer__shell launch-process terminal powershell exec".split()
)
# Tools that take a patch in this language.
PATCH_TOOLS = frozenset(("apply_patch", "applypatch", "apply-patch"))
# Other tools, by the one of ours that does the same; the registry knows further names.
TOOL_NAMES = {
    name: ours
    for ours, names in {
        "Edit": "notebookedit replace replace_string_in_file multi_replace_string_in_file insert_edit_into_file "
        "editfiles edit_notebook_file strreplace search_replace str-replace-editor str_replace_editor "
        "editor replace_in_file apply_diff insert_content developer__edit developer__text_editor fs_write file_editor",
        "Write": "create_file createfile create write_to_file save-file developer__write",
        "Delete": "remove-files delete",
        "Read": "notebookread readfile read_files fs_read read_many_files view_image developer__read_image",
        "LS": "list_files developer__tree",
        "Grep": "rg search_file_content grep_search search_files findtextinfiles codebase_search search_codebase",
        "Glob": "file_search findfiles",
    }.items()
    for name in names.split()
}
# Fields that a tool of some version may read. All of them are judged, because it is not known which one counts.
COMMANDS = ("command", "cmd", "script", "commands", "command_line", "commandLine", "CommandLine", "program")
_ARGUMENTS = ("args", "argv", "arguments")  # beside a command: its further words
DIRECTORIES = (
    *("workdir", "cwd", "directory", "dir_path", "working_directory", "working_dir", "workingDirectory", "Cwd"),
)
PATHS = (
    *("file_path", "absolute_path", "notebook_path", "path", "dir_path", "paths", "file_paths", "filename"),
    *("target_file", "filePath", "old_path", "new_path", "source", "destination", "files", "filePaths", "file"),
    *("fileName", "file_name", "target_notebook", "TargetFile", "AbsolutePath", "dirPath", "directory_path"),
)
# Fields of a shell tool that change nothing about what the command may do. Any other may ask for more rights.
PLAIN_FIELDS = frozenset(
    "description justification timeout timeout_ms timeout_secs run_in_background is_background isBackground detach "
    "background delay_ms mode initial_wait yield_time_ms max_output_tokens max_output_length login tty sessionId "
    "session_id shellId explanation goal summary wait max_wait_seconds requires_approval riskLevel "
    "riskLevelReason".split()
).union(COMMANDS, DIRECTORIES)
PATCHES = ("input", "patch", "command", "patchText", "patch_text", "diff")
# Modes in which a runtime's own tool for edits does not ask, by the names that the events have.
EDITING_MODES = frozenset(("acceptEdits", "bypassPermissions"))
READ_ONLY = "plan"  # a mode in which nothing may be allowed to write
# Modes in which a runtime does not ask a person, those of Droid too, which runs a call that it is to ask about then.
UNASKED = frozenset("bypassPermissions dontAsk auto auto-low auto-medium auto-high".split())
# Where the parts of an event are, whichever runtime sends it; a dot leads into an object.
_KINDS = ("hook_event_name", "hookEventName", "eventName", "event_type", "event", "agent_action_name", "hookName")
_TOOLS = (
    *("tool_name", "toolName", "tool_call.name", "preToolUse.toolName", "preToolUse.tool"),
    "tool_info.mcp_tool_name",
)
_INPUTS = (
    *("tool_input", "toolInput", "toolArgs", "tool_call.input", "preToolUse.parameters"),
    *("tool_info.mcp_tool_arguments", "tool_info"),
)
_LONGEST_PATH = 4096
_PLACES = ("cwd", "working_dir", "tool_info.cwd", "workspace_roots", "workspaceRoots")
# Words in the name of a field that is not known, which may hold a command or a path.
_COMMAND_WORDS = frozenset("command commands cmd cmdline script shell bash exec exe executable".split())
_PATH_WORDS = frozenset("path paths file files target uri".split())
# Words in the name of an event that is about a call, of one that is not, and of one that comes after it.
_ABOUT_CALLS = ("pre", "before", "tool", "call", "command", "exec", "shell", "write", "edit", "read", "permission")
_ABOUT_OTHERS = ("session", "prompt", "notif", "stop", "start", "end", "compact", "idle", "setup", "message", "turn")
_AFTERWARDS = ("post", "after", "result", "response", "output", "done", "complete")
_SESSIONS = ("session_id", "sessionId", "conversation_id", "trajectory_id", "taskId")


class Event(Record):
    """A tool call that is about to be made: its name and input, and the directory of the session."""

    kind: str
    tool: str
    input: Json
    cwd: str
    mode: str
    shape: Shape  # how its runtime wrote it
    is_text: bool = False  # the runtime handed a patch over as one text, which is in the field `input`
    session: str = ""  # by which the runtime knows the conversation; '' where it does not say

    @property
    def is_codex(self) -> bool:
        return self.shape.runtime == "Codex"

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
    def command(self) -> object:
        """What the only field with a command holds: a script, or an argument vector; None for several scripts."""
        (field,) = self.fields
        command = self.input[field]
        if field == "commands" and isinstance(command, list):  # scripts, one after the other
            return command[0] if len(command) == 1 else None
        return command

    def with_script(self, script: str) -> Json:
        """The input with another script in the place of its command."""
        (field,) = self.fields
        if not isinstance(self.input[field], list):
            return {**self.input, field: script}
        return {**self.input, field: [script] if field == "commands" else ["bash", "-c", script]}

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
    def commands(self) -> list[tuple[str, object]]:
        """All that the call may run, by the field that has it: at any depth, and with its further words."""
        found: list[tuple[str, object]] = []
        for given in _objects(self.input):
            for name in COMMANDS if self.is_shell else _meant(given, COMMANDS, _COMMAND_WORDS):
                if command := given.get(name):
                    found.append((name, command))
                    words = [each for more in _ARGUMENTS for each in texts_of(given.get(more))]
                    if isinstance(command, str) and words:
                        found.append((name, f"{command} {join(words)}"))
            if not found and not self.is_shell:
                found += [(name, words) for name in _ARGUMENTS if len(words := [*texts_of(given.get(name))]) > 1]
        return found

    @property
    def paths(self) -> list[str]:
        """All paths that the call may be about, also those in lists of edits."""
        return [path_of(text) for given in _objects(self.input) for name in PATHS for text in texts_of(given.get(name))]

    @property
    def existing(self) -> list[str]:
        """What names a file that exists, or is in a field whose name says so, in a field that is not known."""
        found = []
        for given in _objects(self.input):
            meant = _meant(given, (), _PATH_WORDS)
            for name, path in [(each, path_of(text)) for each in given for text in texts_of(given[each])]:
                is_short = 0 < len(path) < _LONGEST_PATH and "\0" not in path
                says_so = name in meant and "\n" not in path
                if is_short and (says_so or os.path.isfile(os.path.normpath(os.path.join(self.cwd, path)))):
                    found.append(path)
        return found

    @property
    def bare_patches(self) -> list[str]:
        texts = [text for given in _objects(self.input) for value in given.values() for text in texts_of(value)]
        return [text for text in texts if is_bare_patch(text)]

    @property
    def directories(self) -> list[str]:
        """All directories in which the command may run: the session's, where the call names none."""
        given = [text for name in DIRECTORIES for text in texts_of(self.input.get(name)) if text]
        return [os.path.join(self.cwd, text) for text in dict.fromkeys(given)] or [self.cwd]


def path_of(text: str) -> str:
    """The path that a text of a call means, which may be an address."""
    if not text.startswith("file:"):
        return text
    from urllib.parse import unquote, urlsplit

    return unquote(urlsplit(text).path) or text


def _objects(given: Json) -> Iterator[Json]:
    """An input and all objects in it, those that are a text of JSON too."""
    waiting: list[object] = [given]
    for value in waiting:  # which grows meanwhile
        if isinstance(value, dict):
            yield value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str) and value.lstrip()[:1] == "{":
            waiting.append(_decoded(value))


def _meant(given: Json, known: tuple[str, ...], words: frozenset[str]) -> list[str]:
    """The fields of an object that are known, or have one of some words in their name and a text as their value."""
    return [
        name
        for name, value in given.items()
        if name in known
        or (any(texts_of(value)) and not words.isdisjoint(map(str.lower, re.findall("[A-Z]?[a-z]+|[A-Z]+", name))))
    ]


def _is_plain_field(name: str, value: object) -> bool:
    if name == "shell":  # the program that is to run the command
        return isinstance(value, str) and shell_of(value) is not None
    return name in PLAIN_FIELDS


def texts_of(value: object) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each


class Decision(Record):
    """The decision about a call."""

    verb: str  # 'allow', 'ask', 'deny', or '' to leave it to the runtime
    reason: str
    input: Json | None = None  # to use instead
    hides: bool = False  # it is about a file that may not be read, so no other reason may be given for it
    by_default: bool = False  # no rule says so: it may be left to a runtime that does not ask
    session: str = ""  # for which a person approved the call


def read_event(decoded: object) -> Event | str:
    """The event, or what is wrong with it."""
    if not isinstance(decoded, dict):
        return "it is not a JSON object"
    kind, tool = _first(decoded, _KINDS), _first(decoded, _TOOLS)
    if kind is None and "toolName" in decoded:
        kind = "preToolUse"
    shape = next((each for each in SHAPES if each.fits(kind, tool, decoded)), None)
    if shape is None:
        return "it is no event before a tool runs that is known here"
    given = decoded if shape.is_flat else _first(decoded, _INPUTS)
    tool = shape.tool or tool
    text = isinstance(given, str) and is_bare_patch(given)
    if isinstance(given, str):
        given = {"input": given} if text else _decoded(given)
    if not isinstance(tool, str) or not isinstance(given, dict):
        return "it has no tool_name or no tool_input"
    if shape.is_flat:
        given = {name: given[name] for name in (*COMMANDS, *DIRECTORIES, *PATHS) if given.get(name)}
    return _event(shape, str(kind), tool, given, decoded, text)


def unknown_event(decoded: object) -> Event | None:
    """An event in no shape that is known here, with the part of it that could carry a command or a path; else None.

    One that comes after a call is not asked about, and cannot stop it.
    """
    if not isinstance(decoded, dict):
        return None
    kind = str(_first(decoded, _KINDS) or "")
    about, afterwards = (any(word in kind.lower() for word in words) for words in (_ABOUT_CALLS, _AFTERWARDS))
    if afterwards or (not about and any(word in kind.lower() for word in _ABOUT_OTHERS)):
        return None
    names = (*COMMANDS, *PATHS)
    carriers = [
        each for each in _objects(decoded) if any(map(each.get, _meant(each, names, _COMMAND_WORDS | _PATH_WORDS)))
    ]
    tool = _first(decoded, (*_TOOLS, "tool"))
    shape = next((each for each in SHAPES if each.fits(kind, tool, decoded)), UNKNOWN)
    given = {**carriers[0], "event": decoded} if carriers else decoded
    event = _event(shape, kind, tool if isinstance(tool, str) else "", given, decoded, False)
    return event if isinstance(event, Event) and (carriers or event.bare_patches) else None


def unread_event(data: bytes) -> Event | None:
    """What is known of an event that cannot be read: enough to answer it. None for one of another kind."""
    names = "|".join(_KINDS)
    kinds = [kind.decode() for kind in re.findall(rb'"(?:%b)"\s*:\s*"([\w.]+)"' % names.encode(), data)]
    if not kinds:
        kinds = ["preToolUse" if b'"toolName"' in data else "PreToolUse"]
    for shape in SHAPES:
        marked = not shape.marks or any(f'"{mark}"'.encode() in data for mark in shape.marks.split())
        if shape.kind in kinds and marked and not shape.tools:
            return Event(shape.kind, "", {}, "", "", shape)
    return None


def _event(shape: Shape, kind: str, tool: str, given: Json, decoded: Json, is_text: bool) -> Event | str:
    cwd = _first(decoded, _PLACES) or current_directory() or ""
    cwd = cwd[0] if isinstance(cwd, list) and cwd else cwd
    if not isinstance(cwd, str) or "\0" in cwd or not os.path.isdir(cwd):
        return "its cwd is not a directory"
    mode = _first(decoded, ("permission_mode", "permissionMode"))
    event = Event(kind, tool, given, cwd, str(mode or ""), shape)
    event.is_text = is_text
    event.session = str(_first(decoded, _SESSIONS) or "")
    return event


def _first(decoded: Json, names: tuple[str, ...]) -> object:
    """The first of some fields that an event has and that is not empty."""
    found: object = None
    for name in names:
        value: object = decoded
        for step in name.split("."):
            value = value.get(step) if isinstance(value, dict) else None
        if value:
            return value
        found = value if found is None else found
    return found


def _decoded(text: str) -> object:
    """Arguments that a runtime sends as a text of JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _flat(decision: Decision, name: str = "modifiedArgs") -> Json:
    """The decision with its reason, and another input under a name."""
    said: Json = {}
    if decision.verb:
        said = {"permissionDecision": decision.verb, "permissionDecisionReason": decision.reason}
    return said if decision.input is None else {**said, name: decision.input}


def _pre_tool_use(decision: Decision) -> Json:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **_flat(decision, "updatedInput")}}


def _before_tool(decision: Decision) -> Json:
    said: Json = {"decision": decision.verb, "reason": decision.reason} if decision.verb else {}
    if decision.input is not None:
        said["hookSpecificOutput"] = {"hookEventName": "BeforeTool", "tool_input": decision.input}
    return said


def _cursor(decision: Decision) -> Json:
    said: Json = {}
    if decision.verb:
        words = decision.reason
        said = {"permission": decision.verb, "user_message": words.partition("\n")[0], "agent_message": words}
    if decision.input is not None:
        said["updated_input"] = decision.input
    return said


def _cancelling(decision: Decision) -> Json:
    if decision.verb == "deny":
        return {"cancel": True, "errorMessage": decision.reason}
    return {"overrideInput": decision.input}


def _blocking(decision: Decision) -> Json:
    return {"decision": "block", "reason": decision.reason}


class Shape(Record):
    """How one runtime writes an event, and which answers it takes."""

    runtime: str
    kind: str  # the name of the event
    answer: Callable[[Decision], Json] | None  # without one the exit status says it
    takes: str  # the decisions that the runtime carries out, and 'rewrite' where it takes another input
    marks: str = ""  # fields that the same event of other runtimes does not have
    tools: str = ""  # names of tools that no other runtime has
    tool: str = ""  # what an event is about that names no tool
    is_flat: bool = False  # the command or the path is in the event itself

    @property
    def verbs(self) -> list[str]:
        return self.takes.split()

    def fits(self, kind: object, tool: object, decoded: Json) -> bool:
        if kind != self.kind or (self.tools and tool not in self.tools.split()):
            return False
        return not self.marks or any(mark in decoded for mark in self.marks.split())


_KIRO = "execute_bash executeBash fs_write fs_read use_aws"
# A row for every event, the more specific ones of a name first: the last one of a name is taken without a mark.
SHAPES = (
    Shape("Cursor", "beforeShellExecution", _cursor, "allow ask deny", tool="Shell", is_flat=True),
    Shape("Cursor", "beforeReadFile", _cursor, "allow deny", tool="Read", is_flat=True),
    Shape("Cursor", "beforeMCPExecution", _cursor, "allow ask deny"),
    Shape("Cursor", "preToolUse", _cursor, "allow deny rewrite", "cursor_version generation_id conversation_id"),
    Shape("Kiro", "preToolUse", None, "deny", "tool_name"),
    Shape("Copilot", "preToolUse", _flat, "allow ask deny rewrite"),
    Shape("Windsurf", "pre_run_command", None, "deny", tool="run_command"),
    Shape("Windsurf", "pre_write_code", None, "deny", tool="Edit"),
    Shape("Windsurf", "pre_read_code", None, "deny", tool="Read"),
    Shape("Windsurf", "pre_mcp_tool_use", None, "deny"),
    Shape("Gemini CLI", "BeforeTool", _before_tool, "allow ask deny rewrite"),
    Shape("Cline", "PreToolUse", _cancelling, "deny", "hookName clineVersion"),
    Shape("Cline", "tool_call", _cancelling, "deny rewrite"),
    Shape("opencode", "tool.execute.before", _pre_tool_use, "deny rewrite"),
    Shape("Goose", "PreToolUse", _blocking, "deny", "event"),
    Shape("OpenHands", "PreToolUse", _before_tool, "deny", "event_type"),
    Shape("Codex", "PreToolUse", _pre_tool_use, "allow deny rewrite", "turn_id"),
    Shape("Kiro", "PreToolUse", None, "deny", tools=_KIRO),
    Shape("Qwen Code", "PreToolUse", _pre_tool_use, "deny", tools="run_shell_command"),
    Shape("Claude Code", "PreToolUse", _pre_tool_use, "allow ask deny rewrite"),
)
UNKNOWN = Shape("unknown", "", None, "deny")
