"""A whole agent with LangChain's messages: the tools of patchkit in one directory, and a loop of its own.

pip install langchain langchain-openai
python examples/langchain_agent.py ROOT 'what to do'
"""

from __future__ import annotations

import sys

try:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage, HumanMessage
except ModuleNotFoundError:
    sys.exit("this needs a package: pip install langchain langchain-openai")

from patchkit.runtimes.sdks.langchain import tools


def run(model: BaseChatModel, root: str, task: str) -> str:
    """Works on the task with the model; returns its last words."""
    found = {tool.name: tool for tool in tools(root)}
    bound = model.bind_tools(list(found.values()))
    messages: list[BaseMessage] = [HumanMessage(task)]
    while True:
        said = bound.invoke(messages)
        messages.append(said)
        if not said.tool_calls:
            return str(said.content)
        messages += [found[call["name"]].invoke(call) for call in said.tool_calls]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/langchain_agent.py ROOT 'what to do'")
    try:
        from langchain.chat_models import init_chat_model
    except ModuleNotFoundError:
        sys.exit("this needs a package: pip install langchain langchain-openai")
    print(run(init_chat_model("openai:gpt-5.5"), sys.argv[1], sys.argv[2]))
