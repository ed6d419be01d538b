"""The tools that Anthropic's models are trained on, over the tools of patchkit: text editor, memory and bash.

Takes the input of a call as the model gives it; returns the content of its result. `answer` takes a `tool_use` block
and needs no SDK; `TextEditor`, `AsyncTextEditor`, `Memory` and `Bash` are classes for the SDK's tool runner, loaded
when they are asked for. A refusal is an error result that the model can read.

    client.beta.messages.tool_runner(tools=[TextEditor(root), Bash(root)], ...)

The text editor has no rule that files are read before they are changed: the prompt may hold them. A text to replace
must be unique, and `create` does not replace a file that was not viewed. Commands run in a new shell each.
"""

from __future__ import annotations

import os

from patchkit.runtimes.answers import Host, Root, plain_item
from patchkit.runtimes.sdks import sdk
from patchkit.runtimes.sdks.text_editor import EDITOR_NAMES, bash, content_of, memory, text_editor
from patchkit.tools.registry import TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from patchkit.report.result import Json
    from patchkit.runtimes.sdks.anthropic_tools import AsyncTextEditor, Bash, Memory, TextEditor

__all__ = ["EDITOR_NAMES", "AsyncTextEditor", "Bash", "Memory", "TextEditor", "answer", "bash", "content_of"]
_CLASSES = ("TextEditor", "AsyncTextEditor", "Memory", "Bash")
_NAMES = {tool.name for tool in TOOLS}


def answer(block: Any, root: Root = ".", *, agent: bool = False) -> Json | None:
    """The `tool_result` for a `tool_use` block; None for other blocks and for tools that are not ours. Never raises."""
    given = plain_item(block)
    name = given.get("name")
    if given.get("type") != "tool_use" or not isinstance(name, str):
        return None
    host = Host.of(root, agent, f"anthropic-{os.getpid()}")
    host.reminds = host.reminds or host is not root
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


if not TYPE_CHECKING:

    def __getattr__(name):
        if name not in _CLASSES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = sdk("patchkit.runtimes.sdks.anthropic_tools", "the Anthropic SDK", "anthropic", "anthropic")
        return getattr(module, name)
