"""The tools of a workspace as a toolset of Pydantic AI.

    Agent(model, toolsets=[Toolset(root)])

A refusal is the SDK's ToolFailed, which shows the model the whole diagnostic and, unlike a retry, leaves the run its
budget. Arguments are checked by patchkit alone: it knows other spellings, and its words name what is allowed.
"""

from __future__ import annotations

import base64
from typing import Any

from patchkit.runtimes.answers import Host, Root, images_of, missing_package, text_of
from patchkit.runtimes.sdks import in_thread
from patchkit.tools.registry import TOOLS, named
from patchkit.tools.wording import published

try:
    from pydantic_ai import BinaryContent, ToolReturn
    from pydantic_ai.exceptions import ToolFailed
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset
    from pydantic_ai.toolsets.abstract import ToolsetTool
    from pydantic_core import from_json
except ImportError:
    raise missing_package("Pydantic AI", "pydantic-ai-slim", "pydantic-ai") from None


class UncheckedArguments:
    """A validator that accepts all: text that is not JSON is refused by the tool, which costs no retry."""

    def validate_json(self, given: str | bytes | bytearray, *, allow_partial: Any = False, **_: Any) -> Any:
        try:
            return from_json(given, allow_partial=allow_partial not in (False, "off") and "trailing-strings")
        except ValueError:
            return given

    def validate_python(self, given: Any, **_: Any) -> Any:
        return given


class Toolset(AbstractToolset[Any]):  # type: ignore[misc]  # its base is not known without the SDK
    """Tools of a workspace: all of them, or those that are named."""

    def __init__(self, root: Root = ".", *names: str, agent: bool = False, toolset_id: str | None = None) -> None:
        self.host = Host.of(root, agent)
        self._id = toolset_id
        self._tools = [named(name) for name in names] if names else list(TOOLS)

    @property
    def id(self) -> str | None:
        return self._id

    async def get_tools(self, ctx: Any) -> dict[str, Any]:
        found = {}
        for tool in self._tools:
            description, schema = published(tool)
            made = ToolDefinition(name=tool.name, description=description, parameters_json_schema=schema)
            unchecked = UncheckedArguments()
            found[tool.name] = ToolsetTool(toolset=self, tool_def=made, max_retries=1, args_validator=unchecked)
        return found

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        result = await in_thread(lambda cancelled: self.host.call(name, tool_args, cancelled=cancelled))
        if result.status == "error":
            raise ToolFailed(text_of(result))
        images = [
            BinaryContent(base64.b64decode(each["base64"]), media_type=each["mime_type"]) for each in images_of(result)
        ]
        return ToolReturn(return_value=text_of(result), content=images) if images else text_of(result)
