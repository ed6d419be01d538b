"""The toolset for Pydantic AI, by an agent that runs with a function as its model."""

from __future__ import annotations

import asyncio

import pytest
from child_processes import gone, number_in

pytest.importorskip("pydantic_ai", reason="the package pydantic-ai-slim is not installed")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from patchkit.runtimes.sdks.pydantic_ai import Toolset

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_bytes(b"one\r\ntwo\r\n")
    return path


def run(root, calls, *names):
    """The results that an agent gets for these calls, one a turn."""
    returned = []

    def model(messages, info):
        last = messages[-1].parts
        returned.extend(part for part in last if isinstance(part, ToolReturnPart))
        turn = sum(1 for message in messages if isinstance(message, ModelResponse))
        if turn < len(calls):
            return ModelResponse(parts=[ToolCallPart(*calls[turn])])
        return ModelResponse(parts=[TextPart("done")])

    agent = Agent(FunctionModel(model), toolsets=[Toolset(root, *names)])
    assert asyncio.run(agent.run("go")).output == "done"
    return returned


def test_an_agent_changes_a_file_and_goes_on_after_refusals(root):
    edit = {"file_path": "a.py", "old_string": "two", "new_string": "zwei"}
    results = run(
        root,
        [
            ("Edit", edit),
            ("Edit", edit),
            ("Read", {"wrong": 1}),
            ("Read", {"path": "a.py"}),
            ("Edit", edit),
            ("apply_patch", {"input": "nonsense"}),
        ],
    )

    assert ["error[P" in str(each.content) for each in results] == [True, True, True, False, False, True]
    assert (root / "a.py").read_bytes() == b"one\r\nzwei\r\n"


def test_an_image_is_content(root):
    (root / "i.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 20)

    assert "image/png" in str(run(root, [("Read", {"file_path": "i.png"})])[0].content)


def test_only_the_named_tools_are_there(root):
    found = asyncio.run(Toolset(root, "Read", "Edit").get_tools(None))

    assert list(found) == ["Read", "Edit"]
    assert found["Read"].tool_def.parameters_json_schema["required"] == ["file_path"]


def test_arguments_that_are_not_json_do_not_end_the_run(root):
    results = run(root, [("Read", "{bad"), ("Read", "[1]"), ("Read", "{bad"), ("LS", "")])

    assert [each.outcome for each in results] == ["failed", "failed", "failed", "success"]
    assert ["P603" in each.content for each in results] == [True, True, True, False]


def test_a_call_that_is_given_up_ends_its_command(root):
    async def work():
        toolset = Toolset(root)
        tools = await toolset.get_tools(None)
        task = asyncio.ensure_future(
            toolset.call_tool("Bash", {"command": "echo $$ >pid; sleep 3600"}, None, tools["Bash"])
        )
        while number_in(root / "pid") is None:
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())  # waits for its threads
    assert gone(number_in(root / "pid"))
