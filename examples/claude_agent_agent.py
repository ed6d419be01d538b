"""A whole agent on the Claude Agent SDK: the tools of one directory in process, its rules as hooks.

python examples/claude_agent_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from patchkit.runtimes.sdks.claude_agent import can_use_tool, hooks, server


async def run(root: str, task: str, **options: Any) -> str:
    """Works on the task; returns the last words of the agent."""
    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage

    ours: dict[str, Any] = {"hooks": hooks(root), "can_use_tool": can_use_tool(root)}
    given = ClaudeAgentOptions(cwd=root, mcp_servers={"patchkit": server(root)}, **ours, **options)
    async with ClaudeSDKClient(given) as client:
        await client.query(task)
        said = [each async for each in client.receive_response() if isinstance(each, ResultMessage)]
        return "".join(str(each.result) for each in said)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/claude_agent_agent.py ROOT 'what to do'")
    print(asyncio.run(run(sys.argv[1], sys.argv[2])))
