"""The Claude Agent SDK: the tools as an in-process server, the hook and the rules as callbacks.

    ClaudeAgentOptions(
        mcp_servers={"patchkit": server(root)}, hooks=hooks(root), can_use_tool=can_use_tool(root)
    )

The server is the SDK's own MCP server with our list of tools and our calls: arguments are checked by patchkit, which
knows other spellings, and a refusal is an error result. The hook answers as `patchkit hook` does.
"""

from __future__ import annotations

import json
import os
import sys

from patchkit.errors import PatchkitError
from patchkit.runtimes.answers import Host, Root, missing_package
from patchkit.runtimes.hooks import respond
from patchkit.runtimes.hooks.project import program_beside
from patchkit.runtimes.mcp import protocol
from patchkit.runtimes.sdks import in_thread, sdk
from patchkit.tools.registry import TOOLS, named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from claude_agent_sdk import CanUseTool, HookMatcher, McpSdkServerConfig
    from claude_agent_sdk.types import HookEvent


_VERSION = protocol.VERSIONS["2025-11-25"]


def server(root: Root = ".", name: str = "patchkit", *names: str, agent: bool = False) -> McpSdkServerConfig:
    """The configuration of an in-process server with the tools of a workspace: all, or those that are named."""
    try:
        from mcp import types
        from mcp.server import Server
    except ImportError:
        raise missing_package("the Claude Agent SDK", "mcp", "claude-agent") from None
    host = Host.of(root, agent)
    host.reminds = True
    chosen = {tool.name: tool for tool in ([named(each) for each in names] if names else TOOLS)}

    async def list_tools(_context: Any, _params: Any) -> Any:
        return types.ListToolsResult.model_validate(protocol.listed(_VERSION, list(chosen.values())))

    async def call_tool(_context: Any, params: Any) -> Any:
        if params.name not in chosen:
            refused = PatchkitError("P602", tool=params.name, allowed=", ".join(chosen))
            said = {"type": "text", "text": f"error[P602]: {refused.message}\n  = help: {refused.hint}\n"}
            return types.CallToolResult.model_validate({"content": [said], "isError": True})
        arguments = params.arguments if params.arguments is not None else {}
        result = await in_thread(lambda cancelled: host.call(params.name, arguments, cancelled=cancelled))
        return types.CallToolResult.model_validate(protocol.called(_VERSION, result))

    made = Server(name, version=protocol.SERVER["version"], on_list_tools=list_tools, on_call_tool=call_tool)
    return {"type": "sdk", "name": name, "instance": made}


def hooks(root: str | os.PathLike[str] = ".", matcher: str | None = None) -> dict[HookEvent, list[HookMatcher]]:
    """The hooks for the options: rules decide, and a patch that does not apply is denied with its reason."""
    answer = _hook(os.path.abspath(os.fspath(root)))
    return {"PreToolUse": [_sdk().HookMatcher(matcher=matcher, hooks=[answer])]}


def _hook(root: str) -> Callable[[Any, Any, Any], Awaitable[dict[str, Any]]]:
    async def pre_tool_use(event: Any, _tool_use_id: Any = None, _context: Any = None) -> dict[str, Any]:
        """The answer to an event; an empty one lets the call pass."""
        given = {"hook_event_name": "PreToolUse", "cwd": root, **dict(event)}
        data = json.dumps(given).encode("utf-8", "backslashreplace")
        try:
            said = await in_thread(lambda _cancelled: respond(data, program_beside(sys.executable), root))
        except Exception:  # as the command: an event that cannot be read blocks nothing
            return {}
        answer: dict[str, Any] = json.loads(said) if said else {}
        return answer

    return pre_tool_use


def can_use_tool(root: str | os.PathLike[str] = ".") -> CanUseTool:
    """The callback that decides where the CLI would ask a person: what rules deny, or ask for, is denied."""
    answer = _hook(os.path.abspath(os.fspath(root)))

    async def decide(tool: str, given: dict[str, Any], _context: Any = None) -> Any:
        sdk = _sdk()
        said = (await answer({"tool_name": tool, "tool_input": given}, None, None)).get("hookSpecificOutput", {})
        if said.get("permissionDecision") in ("deny", "ask"):
            return sdk.PermissionResultDeny(message=said.get("permissionDecisionReason", ""))
        return sdk.PermissionResultAllow(updated_input=said.get("updatedInput", given))

    return decide


def _sdk() -> Any:
    return sdk("claude_agent_sdk", "the Claude Agent SDK", "claude-agent-sdk", "claude-agent")
