"""A whole agent with Pydantic AI: the tools of patchkit in one directory.

python examples/pydantic_ai_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import sys
from typing import Any

try:
    from pydantic_ai import Agent
except ModuleNotFoundError:
    sys.exit("this needs a package: pip install pydantic-ai")

from patchkit.runtimes.sdks.pydantic_ai import Toolset


def run(model: Any, root: str, task: str) -> str:
    """Works on the task with the model; returns its last words."""
    return str(Agent(model, toolsets=[Toolset(root)]).run_sync(task).output)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/pydantic_ai_agent.py ROOT 'what to do'")
    print(run("openai:gpt-5.5", sys.argv[1], sys.argv[2]))
