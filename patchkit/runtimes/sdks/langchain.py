"""The tools of a workspace as tools of LangChain and LangGraph.

    create_agent(model, tools=tools(root))

The text for the model is the content of the message, the whole envelope its artifact; a refusal is a message with
status "error". Arguments are checked by patchkit alone: it knows other spellings, and its words name what is allowed.
"""

from __future__ import annotations

from functools import cache

from patchkit.runtimes.answers import Host, Root, blocks_of, data_address, missing_package
from patchkit.runtimes.sdks import in_thread
from patchkit.tools.registry import TOOLS, named
from patchkit.tools.wording import published

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from langchain_core.tools import BaseTool

    from patchkit.report.result import Json, Result


def tools(root: Root = ".", *names: str, agent: bool = False) -> list[BaseTool]:
    """Tools of a workspace, all of them or those that are named; they share one session."""
    host = Host.of(root, agent)
    chosen = [named(name) for name in names] if names else list(TOOLS)
    return [
        _tool_class()(name=tool.name, description=description, args_schema=schema, host=host)
        for tool in chosen
        for description, schema in [published(tool)]
    ]


@cache
def _tool_class() -> Any:
    try:
        from langchain_core.messages import ToolMessage
        from langchain_core.tools import BaseTool
    except ImportError:
        raise missing_package("LangChain", "langchain-core", "langchain") from None

    class WorkspaceTool(BaseTool):  # type: ignore[misc]  # its base is not known without the SDK
        """One tool; `invoke` answers with a message where it was given a call, else with its text."""

        host: object = None
        response_format: str = "content_and_artifact"

        def _to_args_and_kwargs(self, tool_input: object, tool_call_id: str | None) -> tuple[tuple[object, ...], Json]:
            """Hands the arguments on as they are: patchkit checks them, and its words name what is allowed."""
            return (tool_input, tool_call_id), {}

        def _run(self, given: object, call_id: str | None = None) -> tuple[object, Json]:
            return self._answered(self._called(given), call_id)

        async def _arun(self, given: object, call_id: str | None = None) -> tuple[object, Json]:
            return self._answered(await in_thread(lambda cancelled: self._called(given, cancelled)), call_id)

        def _called(self, arguments: object, cancelled: Any = None) -> Result:
            assert isinstance(self.host, Host)
            return self.host.call(self.name, arguments, cancelled=cancelled)

        def _answered(self, result: Result, call_id: str | None) -> tuple[object, Json]:
            """The content and the envelope; the message itself for a call, because only it can be an error."""
            content = blocks_of(
                result, "text", lambda image: {"type": "image_url", "image_url": {"url": data_address(image)}}
            )
            envelope = result.envelope()
            if call_id is None:
                return content, envelope
            status = "error" if result.status == "error" else "success"
            message = ToolMessage(
                content=content, artifact=envelope, tool_call_id=call_id, name=self.name, status=status
            )
            return message, envelope

        def invoke(self, input: Any, config: Any = None, **more: Any) -> Any:  # noqa: A002  # the name of the base
            return super().invoke(_copied(input), config, **more)

        async def ainvoke(self, input: Any, config: Any = None, **more: Any) -> Any:  # noqa: A002  # as above
            return await super().ainvoke(_copied(input), config, **more)

    return WorkspaceTool


def _copied(given: Any) -> Any:
    """A call whose arguments can be copied, as the library does before it looks at them."""
    if isinstance(given, dict) and given.get("type") == "tool_call" and not isinstance(given.get("args"), dict):
        return {**given, "args": {"arguments": given.get("args")}}
    return given
