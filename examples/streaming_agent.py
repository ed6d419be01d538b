"""An agent on the OpenAI Responses API that stops the model as soon as its patch cannot apply, and says why.

pip install openai
python examples/streaming_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import sys
from typing import Any

try:
    from openai import OpenAI
    from openai.types.responses import ResponseInputItemParam, ResponseOutputItem
except ModuleNotFoundError:
    sys.exit("this needs a package: pip install openai")

from patchkit.runtimes.sdks.openai import answer, grammar_tool
from patchkit.runtimes.sdks.streaming import StreamedCalls


def run(client: OpenAI, model: str, root: str, task: str) -> str:
    """Works on the task with the model; returns its last words."""
    said: list[ResponseInputItemParam] = [{"role": "user", "content": task}]
    while True:
        watch, words, refusal = StreamedCalls(root), "", None
        items: list[ResponseOutputItem] = []
        with client.responses.create(model=model, tools=[grammar_tool()], input=said, stream=True) as events:
            for event in events:
                if refusal := watch.take(event):
                    break  # closing the stream stops the model
                if event.type == "response.output_item.done":
                    items.append(event.item)
                elif event.type == "response.output_text.delta":
                    words += event.delta
        answers = [output for item in items if (output := answer(item, root)) is not None]
        if refusal:
            answers.append({"role": "user", "content": f"Your patch was stopped:\n{refusal}"})
        if not answers:
            return words
        sent: Any = items  # models of the SDK may be sent back as they are
        said += sent + answers


if __name__ == "__main__":
    print(run(OpenAI(), "gpt-5.5", sys.argv[1], sys.argv[2]))
