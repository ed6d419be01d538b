"""Adapters for SDKs as a user calls them, wrongly: a checker reports each line, with the SDK installed and without."""

from patchkit.runtimes.sdks.anthropic import AsyncTextEditor, Bash, Memory, TextEditor, answer
from patchkit.runtimes.sdks.claude_agent import can_use_tool, hooks, server
from patchkit.runtimes.sdks.deepagents import Backend
from patchkit.runtimes.sdks.langchain import tools
from patchkit.runtimes.sdks.openai_agents import Editor, Shell, apply_patch_tool, patch_tool
from patchkit.runtimes.sdks.pydantic_ai import Toolset
from patchkit.runtimes.sdks.streaming import StreamedCalls

TextEditor(bad=1)  # mistake
AsyncTextEditor(max_characters="many")  # mistake
Memory(".", True)  # mistake
Bash(timeout="long")  # mistake
Backend(1, 2, 3)  # mistake
Toolset(agent="yes")  # mistake
Editor(bad=1)  # mistake
Shell(agent=1.5)  # mistake
StreamedCalls(bad=1)  # mistake
hooks(bad=1)  # mistake
server(name=1)  # mistake
can_use_tool(bad=1)  # mistake
tools(agent="yes")  # mistake
apply_patch_tool(agent="yes")  # mistake
patch_tool(agent="yes")  # mistake
answer({}, bad=1)  # mistake
