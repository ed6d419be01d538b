"""A deep agent whose files and commands are those of one directory.

pip install deepagents langchain-openai
python examples/deepagents_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import sys

try:
    from deepagents import create_deep_agent
    from langchain_core.language_models import BaseChatModel
except ModuleNotFoundError:
    sys.exit("this needs a package: pip install deepagents langchain-openai")

from patchkit.runtimes.sdks.deepagents import Backend


def run(model: str | BaseChatModel, root: str, task: str) -> str:
    """Works on the task with the model; returns its last words."""
    agent = create_deep_agent(model=model, backend=Backend(root))
    return str(agent.invoke({"messages": [{"role": "user", "content": task}]})["messages"][-1].content)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/deepagents_agent.py ROOT 'what to do'")
    print(run("openai:gpt-5.5", sys.argv[1], sys.argv[2]))
