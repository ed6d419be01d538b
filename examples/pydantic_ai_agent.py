"""A whole agent with Pydantic AI: the tools of patchkit in one directory.

pip install 'pydantic-ai-slim[openai]'
python examples/pydantic_ai_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import sys

try:
    from pydantic_ai import Agent
    from pydantic_ai.models import Model
except ModuleNotFoundError:
    sys.exit("this needs a package: pip install 'pydantic-ai-slim[openai]'")

from patchkit.runtimes.sdks.pydantic_ai import Toolset


def run(model: str | Model, root: str, task: str) -> str:
    """Works on the task with the model; returns its last words."""
    return str(Agent(model, toolsets=[Toolset(root)]).run_sync(task).output)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/pydantic_ai_agent.py ROOT 'what to do'")
    print(run("openai:gpt-5.5", sys.argv[1], sys.argv[2]))
