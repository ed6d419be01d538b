"""A whole agent on the OpenAI Responses API: patches and commands in one directory, until the model has no more calls.

pip install openai
python examples/openai_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import sys

try:
    from openai import OpenAI
    from openai.types.responses import ToolParam
except ModuleNotFoundError:
    sys.exit("this needs a package: pip install openai")

from patchkit.runtimes.sdks.openai import answer


def run(client: OpenAI, model: str, root: str, task: str) -> str:
    """Works on the task with the model; returns its last words."""
    tools: list[ToolParam] = [{"type": "apply_patch"}, {"type": "shell"}]
    response = client.responses.create(model=model, tools=tools, input=task)
    while answers := [said for item in response.output if (said := answer(item, root)) is not None]:
        response = client.responses.create(model=model, tools=tools, input=answers, previous_response_id=response.id)
    return str(response.output_text)


if __name__ == "__main__":
    print(run(OpenAI(), "gpt-5.5", sys.argv[1], sys.argv[2]))
