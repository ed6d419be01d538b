"""The agents of examples/: each is short, and works through a conversation with a scripted model."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
AGENTS = sorted(EXAMPLES.glob("*_agent.py"))
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_text("one\n")
    return path


@pytest.mark.parametrize("path", AGENTS, ids=lambda path: path.stem)
def test_an_agent_is_short(path):
    lines = path.read_text().split("\n\n\nif __name__")[0].splitlines()
    assert len(lines) <= 45


def test_the_agent_of_the_responses_api(root):
    pytest.importorskip("openai")
    from openai_agent import run

    operation = {"type": "update_file", "path": "a.py", "diff": "@@\n-one\n+two"}
    patch = {"type": "apply_patch_call", "call_id": "c", "operation": operation}
    turns = [
        SimpleNamespace(id="r", output=[patch], output_text=""),
        SimpleNamespace(id="s", output=[], output_text="ok"),
    ]
    sent = []

    def create(**given):
        sent.append(given)
        return turns.pop(0)

    client = SimpleNamespace(responses=SimpleNamespace(create=create))

    assert run(client, "m", str(root), "go") == "ok"
    assert ((root / "a.py").read_text(), sent[1]["input"][0]["status"]) == ("two\n", "completed")


def test_the_agent_that_stops_a_patch_that_cannot_apply(root):
    pytest.importorskip("openai")
    from streaming_agent import run
    from test_streamed_calls import custom

    class Events(list):
        """A stream of the SDK: events in a context."""

        taken = 0

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def __iter__(self):
            for event in super().__iter__():
                self.taken += 1
                yield SimpleNamespace(**event)

    def streamed(patch):
        call = {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": patch}
        return Events([*custom(patch), {"type": "response.output_item.done", "item": call}])

    wrong = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-uno\n+two\n*** Add File: b.py\n" + "+x\n" * 99 + "*** End Patch\n"
    )
    right = "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+two\n*** End Patch\n"
    turns = [streamed(wrong), streamed(right), Events([{"type": "response.output_text.delta", "delta": "ok"}])]
    sent, used = [], iter(turns)

    def create(**given):
        sent.append(list(given["input"]))
        return next(used)

    client = SimpleNamespace(responses=SimpleNamespace(create=create))

    assert run(client, "m", str(root), "go") == "ok"
    assert turns[0].taken < len(turns[0]) / 2
    assert "P201" in sent[1][-1]["content"]
    assert (root / "a.py").read_text() == "two\n"


def test_the_agent_of_the_messages_api(root):
    anthropic = pytest.importorskip("anthropic", reason="the package anthropic is not installed")
    import httpx2 as httpx
    from anthropic_agent import run
    from test_anthropic import EDITOR, scripted

    transport, _ = scripted([(EDITOR, {"command": "str_replace", "path": "a.py", "old_str": "one", "new_str": "two"})])
    client = anthropic.Anthropic(api_key="x", http_client=httpx.Client(transport=transport), max_retries=0)

    assert run(client, "m", str(root), "go") == "done"
    assert (root / "a.py").read_text() == "two\n"


def test_the_agent_of_the_agents_sdk(root):
    pytest.importorskip("agents", reason="the package openai-agents is not installed")
    from agents.testing import ScriptedModel, assistant_message
    from openai_agents_agent import run
    from test_openai_agents import patch_call

    call = patch_call(1, "update_file", "a.py", "@@\n-one\n+two\n")

    assert run(ScriptedModel([[call], [assistant_message("done")]]), str(root), "go") == "done"
    assert (root / "a.py").read_text() == "two\n"


def test_the_agent_of_pydantic_ai(root):
    pytest.importorskip("pydantic_ai", reason="the package pydantic-ai-slim is not installed")
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai_agent import run

    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+two\n*** End Patch\n"

    def model(messages, info):
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("apply_patch", {"input": patch})])
        return ModelResponse(parts=[TextPart("done")])

    assert run(FunctionModel(model), str(root), "go") == "done"
    assert (root / "a.py").read_text() == "two\n"


def langchain_model(calls):
    """A chat model that makes these calls, one a turn."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage

    turns = [AIMessage("", tool_calls=[{"name": n, "args": a, "id": f"c{i}"}]) for i, (n, a) in enumerate(calls)]

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools, **_):
            return self

    return Scripted(messages=iter([*turns, AIMessage("done")]))


def test_the_agent_of_langchain(root):
    pytest.importorskip("langchain_core", reason="the package langchain-core is not installed")
    from langchain_agent import run

    edit = {"file_path": "a.py", "old_string": "one", "new_string": "two"}
    model = langchain_model([("Read", {"file_path": "a.py"}), ("Edit", edit)])

    assert run(model, str(root), "go") == "done"
    assert (root / "a.py").read_text() == "two\n"


def test_the_agent_of_deepagents(root):
    pytest.importorskip("deepagents", reason="the package deepagents is not installed")
    from deepagents_agent import run

    edit = {"file_path": "/a.py", "old_string": "one", "new_string": "two"}
    model = langchain_model([("read_file", {"file_path": "/a.py"}), ("edit_file", edit)])

    assert run(model, str(root), "go") == "done"
    assert (root / "a.py").read_text() == "two\n"


def test_the_agent_of_the_claude_agent_sdk(root, tmp_path):
    pytest.importorskip("claude_agent_sdk", reason="the package claude-agent-sdk is not installed")
    import asyncio

    from claude_agent_agent import run
    from scripted_messages import ScriptedModel

    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-{}\n+two\n*** End Patch\n"
    turns = [("mcp__patchkit__apply_patch", {"input": patch.format(line)}) for line in ("uno", "one")]
    model = ScriptedModel(turns)
    quiet = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY")
    settings = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "x",
        "HOME": str(tmp_path),
        "no_proxy": "127.0.0.1",
    }
    try:
        work = run(str(root), "go", env={**settings, **dict.fromkeys(quiet, "1")}, setting_sources=[])
        assert asyncio.run(work) == "done"
    finally:
        model.close()
    assert "P201" in str(model.results[0])
    assert (root / "a.py").read_text() == "two\n"
