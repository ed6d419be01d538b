"""The tools that Anthropic's models are trained on, over the tools of patchkit: text editor, memory and bash.

Takes the input of a call as the model gives it; returns the content of its result. `answer` takes a `tool_use` block
and needs no SDK; `TextEditor`, `AsyncTextEditor`, `Memory` and `Bash` are classes for the SDK's tool runner, made when
they are first asked for. A refusal is an error result that the model can read.

    client.beta.messages.tool_runner(tools=[TextEditor(root), Bash(root)], ...)

The text editor has no rule that files are read before they are changed: the prompt may hold them. A text to replace
must be unique, and `create` does not replace a file that was not viewed. Commands run in a new shell each.
"""

from __future__ import annotations

import os
from functools import cache

from patchkit.errors import PatchkitError
from patchkit.report.diagnostics import as_error
from patchkit.report.result import Result, failure
from patchkit.runtimes.answers import Host, images_of, missing_package, sendable, text_of
from patchkit.runtimes.threads import in_thread
from patchkit.tools.registry import TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from patchkit.report.result import Json

    Content = str | list[Json]

EDITOR_NAMES = ("str_replace_based_edit_tool", "str_replace_editor")
MEMORY = "/memories"
_CLASSES = ("TextEditor", "AsyncTextEditor", "Memory", "Bash")
_NAMES = {tool.name for tool in TOOLS}


def answer(block: Any, root: str | os.PathLike[str] | Host = ".", *, agent: bool = False) -> Json | None:
    """The `tool_result` for a `tool_use` block; None for other blocks and for tools that are not ours. Never raises."""
    given = block if isinstance(block, dict) else _plain(block)
    name = given.get("name")
    if given.get("type") != "tool_use" or not isinstance(name, str):
        return None
    host = root if isinstance(root, Host) else Host(root, agent, session=f"anthropic-{os.getpid()}")
    if name in EDITOR_NAMES:
        result = text_editor(given.get("input"), host)
    elif name == "memory":
        result = memory(given.get("input"), host)
    elif name == "bash":
        result = bash(given.get("input"), host)
    elif name in _NAMES:
        result = host.call(name, given.get("input"))
    else:
        return None
    said: Json = {"type": "tool_result", "tool_use_id": given.get("id"), "content": content_of(result)}
    return {**said, "is_error": True} if result.status == "error" else said


def _plain(block: Any) -> Json:
    dump = getattr(block, "model_dump", None)
    shown = dump() if dump is not None else {}
    return shown if isinstance(shown, dict) else {}


def content_of(result: Result) -> Content:
    """A result as content: its text, or blocks where there is an image."""
    images = images_of(result)
    if not images:
        return text_of(result)
    sources = [{"type": "base64", "media_type": each["mime_type"], "data": each["base64"]} for each in images]
    return [{"type": "text", "text": text_of(result)}, *({"type": "image", "source": each} for each in sources)]


# -- the text editor -----------------------------------------------------------------------------


def text_editor(
    given: Any, host: Host, max_characters: int | None = None, cancelled: Callable[[], bool] | None = None
) -> Result:
    """The Result of one command of the text editor. Never raises."""
    return _guarded(given, _Editor(host, cancelled, max_characters).commands())


def memory(given: Any, host: Host, cancelled: Callable[[], bool] | None = None) -> Result:
    """The Result of one command of the memory tool, whose files are in `memories` of the workspace. Never raises."""
    return _guarded(given, _Memory(host, cancelled).commands())


def bash(given: Any, host: Host, timeout: int | None = None, cancelled: Callable[[], bool] | None = None) -> Result:
    """The Result of one call of the bash tool; a restart has nothing to do, because every command has a new shell."""
    if isinstance(given, dict) and given.get("restart"):
        return Result("success", {}, "The shell was restarted. Every command runs in a new shell in the workspace.")
    command = given.get("command") if isinstance(given, dict) else None
    arguments: Json = {"command": command} if timeout is None else {"command": command, "timeout": timeout}
    return host.call("Bash", arguments, cancelled=cancelled)


def _guarded(given: Any, commands: dict[str, Callable[[Json], Result]]) -> Result:
    try:
        if not isinstance(given, dict):
            raise _wrong("input", given, "an object with a command")
        run = commands.get(str(given.get("command")))
        if run is None:
            raise _wrong("command", given.get("command"), ", ".join(commands))
        return run(given)
    except PatchkitError as error:
        return sendable(failure(error))
    except Exception as error:  # an internal error is an answer, too
        return sendable(failure(as_error(error)))


def _wrong(field: str, given: object, allowed: str) -> PatchkitError:
    return PatchkitError("P603", field=field, given=f"'{str(given)[:80]}'", allowed=allowed)


class _Editor:
    """The commands of the text editor."""

    def __init__(
        self, host: Host, cancelled: Callable[[], bool] | None = None, max_characters: int | None = None
    ) -> None:
        self._host = host
        self._unread = Host(host.root, host.agent, host.session)  # for changes that need no reading before
        self._unread.read_first = False
        self._cancelled = cancelled
        self._most = max_characters

    def commands(self) -> dict[str, Callable[[Json], Result]]:
        return {"view": self.view, "create": self.create, "str_replace": self.str_replace, "insert": self.insert}

    def path(self, given: Json, field: str = "path") -> str:
        path = given.get(field)
        if not isinstance(path, str) or not path.strip():
            raise _wrong(field, path, "a path in the workspace")
        return path

    def text(self, given: Json, *fields: str) -> str:
        """The text of the first of some fields that is given: the contract's name, then those of older ones."""
        text = next((given[field] for field in fields if given.get(field) is not None), None)
        if text is None:
            raise PatchkitError("P606", field=fields[0], allowed="a string")
        if not isinstance(text, str):
            raise _wrong(fields[0], text, "a string")
        return text

    def call(self, tool: str, arguments: Json, read_first: bool = False) -> Result:
        host = self._host if read_first else self._unread
        return host.call(tool, arguments, cancelled=self._cancelled)

    def view(self, given: Json) -> Result:
        path, wanted = self.path(given), given.get("view_range")
        arguments: Json = {"file_path": path, "plain": True}
        first = 1
        if wanted is not None:
            first, last = _range(wanted)
            arguments["offset"] = first
            if last >= 0:
                arguments["limit"] = last - first + 1
        result = self.call("Read", arguments)
        if result.errors and result.errors[0]["code"] == "P305" and wanted is None:
            return self.call("LS", {"path": path})
        if not result.errors and result.data.get("kind") == "text":
            total = result.data["total_lines"]
            if total is not None and first > max(1, total):
                raise _wrong("view_range", wanted, f"lines of the file, which has {total}")
            result.text = self._cut(_numbered(result.data))
        return result

    def _cut(self, text: str) -> str:
        if self._most is None or len(text) <= self._most:
            return text
        return text[: self._most] + f"\n[cut at {self._most} characters; view the rest with view_range]"

    def create(self, given: Json) -> Result:
        path, text = self.path(given), self.text(given, "file_text", "content")
        result = self.call("Write", {"file_path": path, "content": text}, read_first=True)
        if not result.errors:
            result.text = f"File created successfully at: {path}"
        return result

    def str_replace(self, given: Json) -> Result:
        path, old = self.path(given), self.text(given, "old_str")
        new = self.text(given, "new_str") if given.get("new_str") is not None else ""
        if old == "":
            raise _wrong("old_str", old, "the text to replace")
        return _in_its_words(self.call("Edit", {"file_path": path, "old_string": old, "new_string": new}))

    def insert(self, given: Json) -> Result:
        path, text, line = self.path(given), self.text(given, "insert_text", "new_str"), given.get("insert_line")
        if line is None:
            raise PatchkitError(
                "P606", field="insert_line", allowed="the number of the line above, 0 for the beginning"
            )
        return _in_its_words(self.call("Insert", {"file_path": path, "line": line, "text": text}))


# The names of our fields, and what this contract calls them; it cannot replace every occurrence.
_WORDS = (
    ("old_string", "old_str"),
    ("new_string", "new_str"),
    ("'line'", "'insert_line'"),
    (", or set replace_all", ""),
    (
        ", but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one",
        ". To replace",
    ),
    (" occurrence, please provide", " one of them, please provide"),
)


def _in_its_words(result: Result) -> Result:
    """A refusal with the names that this contract has for its fields."""
    if result.errors:
        result.text = _reworded(result.text)
        result.errors = [
            {name: _reworded(value) if isinstance(value, str) else value for name, value in each.items()}
            for each in result.errors
        ]
    return result


def _reworded(text: str) -> str:
    for ours, theirs in _WORDS:
        text = text.replace(ours, theirs)
    return text


def _range(wanted: Any) -> tuple[int, int]:
    """The first and the last line of a range, the last -1 for the end of the file."""
    numbers = isinstance(wanted, (list, tuple)) and len(wanted) == 2
    if not numbers or not all(isinstance(each, int) and not isinstance(each, bool) for each in wanted):
        raise _wrong("view_range", wanted, "two line numbers, the second may be -1 for the end")
    first, last = wanted
    if first < 1 or (last != -1 and last < first):
        raise _wrong("view_range", wanted, "a first line of at least 1 and a last line behind it, or -1")
    return first, last


def _numbered(data: Json) -> str:
    """Lines with their numbers, as this editor shows them."""
    if not data["lines"]:
        return "The file is empty."
    lines = str(data["content"]).split("\n")
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, data["first_line"]))


# -- memory --------------------------------------------------------------------------------------


class _Memory(_Editor):
    """The commands of the memory tool: `/memories` is the directory `memories` of the workspace."""

    def commands(self) -> dict[str, Callable[[Json], Result]]:
        return {**super().commands(), "delete": self.delete, "rename": self.rename}

    def path(self, given: Json, field: str = "path") -> str:
        path = super().path(given, field)
        parts = path.rstrip("/").split("/")
        if parts[:2] != ["", MEMORY[1:]] or ".." in parts or "\0" in path or len(path.splitlines()) != 1:
            raise _wrong(field, path, f"a path below {MEMORY}")
        return "/".join(parts[1:])

    def _below(self, given: Json, field: str = "path") -> str:
        path = self.path(given, field)
        if path == MEMORY[1:]:
            raise _wrong(field, given.get(field), f"a path below {MEMORY}, not the directory itself")
        return path

    def view(self, given: Json) -> Result:
        path = self.path(given)
        listed = self.call("LS", {"path": path})
        if not listed.errors:
            return self._listing(path, listed)
        if path == MEMORY[1:] and listed.errors[0]["code"] == "P302":  # nothing was remembered yet
            return Result("success", {}, f"The directory {MEMORY} is empty.")
        return super().view(given)

    def _listing(self, path: str, listed: Result) -> Result:
        """The files and directories of two levels."""
        names = []
        for entry in listed.data["entries"]:
            is_directory = entry["type"] == "directory"
            names.append(f"/{entry['path']}" + ("/" if is_directory else ""))
            if is_directory:
                inside = self.call("LS", {"path": entry["path"]})
                names += [f"/{each['path']}" for each in inside.data.get("entries", [])]
        head = f"Here're the files and directories up to 2 levels deep in /{path}, excluding hidden items:"
        listed.text = "\n".join([head, f"/{path}", *names]) if names else f"The directory /{path} is empty."
        return listed

    def create(self, given: Json) -> Result:
        path, text = self._below(given), self.text(given, "file_text")
        if text == "":  # strict: a file that is there already is refused, even an empty one
            patch = f"*** Begin Patch\n*** Add File: {path}\n*** End Patch\n"
            result = self.call("apply_patch", {"input": patch, "strict": True})
        else:  # an empty old text creates a file, and never replaces one
            result = self.call("Edit", {"file_path": path, "old_string": "", "new_string": text})
        if not result.errors:
            result.text = f"File created successfully at: {given['path']}"
        return result

    def delete(self, given: Json) -> Result:
        result = self.call("Delete", {"file_path": self._below(given), "recursive": True})
        if not result.errors:
            result.text = f"Successfully deleted {given['path']}"
        return result

    def rename(self, given: Json) -> Result:
        arguments = {"file_path": self._below(given, "old_path"), "new_path": self._below(given, "new_path")}
        result = self.call("Move", arguments)
        if not result.errors:
            result.text = f"Successfully renamed {given['old_path']} to {given['new_path']}"
        return result


# -- classes for the tool runner -----------------------------------------------------------------


def __getattr__(name: str) -> Any:
    if name in _CLASSES:
        return _classes()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _classes() -> dict[str, Any]:
    """The classes for the SDK's runner: they must be classes of the SDK, so they are made when it is used."""
    try:
        from anthropic.lib.tools import (
            BetaAbstractMemoryTool,
            BetaAsyncBuiltinFunctionTool,
            BetaBuiltinFunctionTool,
            ToolError,
        )
    except ImportError:
        raise missing_package("the Anthropic SDK", "anthropic", "anthropic") from None

    def returned(result: Result) -> Content:
        """The content of a result; raises what the runner turns into an error result."""
        content = content_of(result)
        if result.status == "error":
            raise ToolError(content)
        return content

    def editor_declaration(most: int | None) -> Json:
        declared: Json = {"type": "text_editor_20250728", "name": EDITOR_NAMES[0]}
        return {**declared, "max_characters": most} if most is not None else declared

    class TextEditor(BetaBuiltinFunctionTool):  # type: ignore[misc]  # its base is not known without the SDK
        """The text editor of a workspace."""

        def __init__(
            self, root: str | os.PathLike[str] = ".", max_characters: int | None = None, *, agent: bool = False
        ) -> None:
            self.host, self.max_characters = Host(root, agent), max_characters

        def to_dict(self) -> Json:
            return editor_declaration(self.max_characters)

        def call(self, given: object) -> Content:
            return returned(text_editor(given, self.host, self.max_characters))

    class AsyncTextEditor(BetaAsyncBuiltinFunctionTool):  # type: ignore[misc]  # as above
        """The text editor of a workspace, for the asynchronous runner."""

        def __init__(
            self, root: str | os.PathLike[str] = ".", max_characters: int | None = None, *, agent: bool = False
        ) -> None:
            self.host, self.max_characters = Host(root, agent), max_characters

        def to_dict(self) -> Json:
            return editor_declaration(self.max_characters)

        async def call(self, given: object) -> Content:
            return returned(
                await in_thread(lambda cancelled: text_editor(given, self.host, self.max_characters, cancelled))
            )

    class Memory(BetaAbstractMemoryTool):  # type: ignore[misc]  # as above
        """The memory of a workspace, in its directory `memories`."""

        def __init__(self, root: str | os.PathLike[str] = ".", *, agent: bool = False) -> None:
            super().__init__()
            self.host = Host(root, agent)

        def call(self, given: object) -> Content:
            return returned(memory(given, self.host))

        def execute(self, command: Any) -> Content:
            return self.call(command if isinstance(command, dict) else _plain(command))

        view = create = str_replace = insert = delete = rename = execute

    class Bash(BetaBuiltinFunctionTool):  # type: ignore[misc]  # as above
        """Commands in a workspace, each in a shell of its own."""

        def __init__(
            self, root: str | os.PathLike[str] = ".", timeout: int | None = None, *, agent: bool = False
        ) -> None:
            self.host, self.timeout = Host(root, agent), timeout

        def to_dict(self) -> Json:
            return {"type": "bash_20250124", "name": "bash"}

        def call(self, given: object) -> Content:
            return returned(bash(given, self.host, self.timeout))

    return {"TextEditor": TextEditor, "AsyncTextEditor": AsyncTextEditor, "Memory": Memory, "Bash": Bash}
