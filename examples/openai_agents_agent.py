"""A whole agent with the OpenAI Agents SDK: patches and commands in one directory.

pip install openai-agents
python examples/openai_agents_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import sys

try:
    from agents import Agent, Model, RunConfig, Runner, ShellTool
except ModuleNotFoundError:
    sys.exit("this needs a package: pip install openai-agents")

from patchkit.runtimes.sdks.openai_agents import Shell, apply_patch_tool


def run(model: str | Model, root: str, task: str) -> str:
    """Works on the task with the model; returns its last words."""
    agent = Agent(name="coder", model=model, tools=[apply_patch_tool(root), ShellTool(executor=Shell(root))])
    return str(Runner.run_sync(agent, task, run_config=RunConfig(tracing_disabled=True)).final_output)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/openai_agents_agent.py ROOT 'what to do'")
    print(run("gpt-5.5", sys.argv[1], sys.argv[2]))
