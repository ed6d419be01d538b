"""An agent on the OpenAI Responses API that stops the model as soon as its patch cannot apply, and says why.

python examples/streaming_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import sys
from typing import Any

from patchkit.runtimes.sdks.openai import answer, grammar_tool
from patchkit.runtimes.sdks.streaming import StreamedCalls


def run(client: Any, model: str, root: str, task: str) -> str:
    """Works on the task with the model; returns its last words."""
    said: list[Any] = [{"role": "user", "content": task}]
    while True:
        watch, items, words, refusal = StreamedCalls(root), [], "", None
        with client.responses.create(model=model, tools=[grammar_tool()], input=said, stream=True) as events:
            for event in events:
                if refusal := watch.take(event):
                    break  # closing the stream stops the model
                items += [event.item] if event.type == "response.output_item.done" else []
                words += event.delta if event.type == "response.output_text.delta" else ""
        answers = [output for item in items if (output := answer(item, root)) is not None]
        answers += [{"role": "user", "content": f"Your patch was stopped:\n{refusal}"}] if refusal else []
        if not answers:
            return words
        said += items + answers


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/streaming_agent.py ROOT 'what to do'")
    try:
        from openai import OpenAI
    except ModuleNotFoundError:
        sys.exit("this needs a package: pip install openai")
    print(run(OpenAI(), "gpt-5.5", sys.argv[1], sys.argv[2]))
