"""A whole agent on the Claude Agent SDK: the tools of one directory in process, its rules as hooks.

pip install claude-agent-sdk
python examples/claude_agent_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

try:
    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage
except ModuleNotFoundError:
    sys.exit("this needs a package: pip install claude-agent-sdk")

from patchkit.runtimes.sdks.claude_agent import can_use_tool, hooks, server


async def run(root: str, task: str, **options: Any) -> str:
    """Works on the task; returns the last words of the agent."""
    given = ClaudeAgentOptions(cwd=root, mcp_servers={"patchkit": server(root)}, hooks=hooks(root), **options)
    given.can_use_tool = can_use_tool(root)
    said: list[str] = []
    async with ClaudeSDKClient(given) as client:
        await client.query(task)
        async for message in client.receive_response():
            if isinstance(message, ResultMessage):
                said.append(str(message.result))
    return "".join(said)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/claude_agent_agent.py ROOT 'what to do'")
    print(asyncio.run(run(sys.argv[1], sys.argv[2])))
