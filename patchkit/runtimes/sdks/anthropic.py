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

from patchkit.report.result import Result
from patchkit.runtimes.answers import Host, images_of, missing_package, text_of
from patchkit.runtimes.sdks.text_editor import memory, text_editor
from patchkit.runtimes.sdks.threads import in_thread
from patchkit.tools.registry import TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from patchkit.report.result import Json

    Content = str | list[Json]

EDITOR_NAMES = ("str_replace_based_edit_tool", "str_replace_editor")
_CLASSES = ("TextEditor", "AsyncTextEditor", "Memory", "Bash")
_NAMES = {tool.name for tool in TOOLS}


def answer(block: Any, root: str | os.PathLike[str] | Host = ".", *, agent: bool = False) -> Json | None:
    """The `tool_result` for a `tool_use` block; None for other blocks and for tools that are not ours. Never raises."""
    given = block if isinstance(block, dict) else _plain(block)
    name = given.get("name")
    if given.get("type") != "tool_use" or not isinstance(name, str):
        return None
    host = root if isinstance(root, Host) else Host(root, agent, session=f"anthropic-{os.getpid()}")
    if not isinstance(root, Host):
        host.reminds = True
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


# -- commands --------------------------------------------------------------------------------------


def bash(given: Any, host: Host, timeout: int | None = None, cancelled: Callable[[], bool] | None = None) -> Result:
    """The Result of one call of the bash tool; a restart has nothing to do, because every command has a new shell."""
    if isinstance(given, dict) and given.get("restart"):
        return Result("success", {}, "The shell was restarted. Every command runs in a new shell in the workspace.")
    command = given.get("command") if isinstance(given, dict) else None
    arguments: Json = {"command": command} if timeout is None else {"command": command, "timeout": timeout}
    return host.call("Bash", arguments, cancelled=cancelled)


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
