"""A whole agent on Anthropic's Messages API: the text editor and bash in one directory, by the SDK's tool runner.

pip install anthropic
python examples/anthropic_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import sys

try:
    from anthropic import Anthropic
except ModuleNotFoundError:
    sys.exit("this needs a package: pip install anthropic")

from patchkit.runtimes.sdks import anthropic as tools


def run(client: Anthropic, model: str, root: str, task: str) -> str:
    """Works on the task with the model; returns its last words."""
    runner = client.beta.messages.tool_runner(
        model=model,
        max_tokens=4096,
        messages=[{"role": "user", "content": task}],
        tools=[tools.TextEditor(root), tools.Bash(root)],
    )
    return "".join(block.text for block in runner.until_done().content if block.type == "text")


if __name__ == "__main__":
    print(run(Anthropic(), "claude-opus-5", sys.argv[1], sys.argv[2]))
