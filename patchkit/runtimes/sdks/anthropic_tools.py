"""The classes for the tool runner of Anthropic's SDK, which is imported here; `anthropic` loads this on demand."""

from __future__ import annotations

from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool, ToolError

from patchkit.report.result import Json, Result
from patchkit.runtimes.answers import Host, Root, plain_item
from patchkit.runtimes.sdks import in_thread
from patchkit.runtimes.sdks.text_editor import EDITOR_NAMES, Content, bash, content_of, memory, text_editor


def returned(result: Result) -> Content:
    """The content of a result; raises what the runner turns into an error result."""
    content = content_of(result)
    if result.status == "error":
        raise ToolError(content)
    return content


class _TextEditor:
    def __init__(self, root: Root = ".", max_characters: int | None = None, *, agent: bool = False) -> None:
        self.host, self.max_characters = Host.of(root, agent), max_characters

    def to_dict(self) -> Json:
        declared: Json = {"type": "text_editor_20250728", "name": EDITOR_NAMES[0]}
        return {**declared, "max_characters": self.max_characters} if self.max_characters is not None else declared


class TextEditor(_TextEditor, BetaBuiltinFunctionTool):  # type: ignore[misc]  # its base is not known without the SDK
    """The text editor of a workspace."""

    def call(self, given: object) -> Content:
        return returned(text_editor(given, self.host, self.max_characters))


class AsyncTextEditor(_TextEditor, BetaAsyncBuiltinFunctionTool):  # type: ignore[misc]  # as above
    """The text editor of a workspace, for the asynchronous runner."""

    async def call(self, given: object) -> Content:
        return returned(
            await in_thread(lambda cancelled: text_editor(given, self.host, self.max_characters, cancelled))
        )


class Memory(BetaAbstractMemoryTool):  # type: ignore[misc]  # as above
    """The memory of a workspace, in its directory `memories`."""

    def __init__(self, root: Root = ".", *, agent: bool = False) -> None:
        super().__init__()
        self.host = Host.of(root, agent)

    def call(self, given: object) -> Content:
        return returned(memory(given, self.host))

    def execute(self, command: Any) -> Content:
        return self.call(plain_item(command))

    view = create = str_replace = insert = delete = rename = execute


class Bash(BetaBuiltinFunctionTool):  # type: ignore[misc]  # as above
    """Commands in a workspace, each in a shell of its own."""

    def __init__(self, root: Root = ".", timeout: int | None = None, *, agent: bool = False) -> None:
        self.host, self.timeout = Host.of(root, agent), timeout

    def to_dict(self) -> Json:
        return {"type": "bash_20250124", "name": "bash"}

    def call(self, given: object) -> Content:
        return returned(bash(given, self.host, self.timeout))
