"""The editor and the shell for the OpenAI Agents SDK, by agents that run with a scripted model."""

from __future__ import annotations

import asyncio

import pytest
from child_processes import gone, number_in

pytest.importorskip("agents", reason="the package openai-agents is not installed")

from agents import Agent, RunConfig, Runner, ShellTool
from agents.editor import ApplyPatchEditor, ApplyPatchOperation
from agents.testing import ScriptedModel, assistant_message
from agents.tool import ShellActionRequest
from openai.types.responses import ResponseApplyPatchToolCall, ResponseCustomToolCall, ResponseFunctionShellToolCall

from patchkit.runtimes.sdks.openai_agents import Editor, Shell, apply_patch_tool, patch_tool

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    return path


def patch_call(number, kind, path, diff=None):
    operation = {"type": kind, "path": path, **({"diff": diff} if diff is not None else {})}
    given = {"type": "apply_patch_call", "id": f"i{number}", "call_id": f"c{number}", "status": "completed"}
    return ResponseApplyPatchToolCall.model_validate({**given, "operation": operation})


def run(steps, tools):
    model = ScriptedModel([*([step] for step in steps), [assistant_message("done")]])
    agent = Agent(name="a", model=model, tools=tools)
    result = asyncio.run(Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True)))
    return [item.raw_item for item in result.new_items if item.type == "tool_call_output_item"]


def test_the_editor_is_what_the_sdk_expects(root):
    assert isinstance(Editor(root), ApplyPatchEditor)


def test_an_agent_changes_files_and_goes_on_after_a_refusal(root):
    outputs = run(
        [
            patch_call(1, "update_file", "a.py", "@@\n-two\n+zwei\n"),
            patch_call(2, "update_file", "a.py", "@@\n-nowhere\n+x\n"),
            patch_call(3, "create_file", "b.py", "+new\n"),
            patch_call(4, "delete_file", "b.py"),
        ],
        [apply_patch_tool(root)],
    )

    assert [each["status"] for each in outputs] == ["completed", "failed", "completed", "completed"]
    assert "P201" in outputs[1]["output"]
    assert (root / "a.py").read_bytes() == b"one\r\nzwei\r\nthree\r\n"
    assert not (root / "b.py").exists()


def test_whole_patches_are_applied_all_or_nothing(root):
    patch = "*** Begin Patch\n*** Add File: b.py\n+new\n*** Update File: a.py\n@@\n-{}\n+zwei\n*** End Patch\n"
    calls = [
        ResponseCustomToolCall(
            type="custom_tool_call", call_id=f"c{number}", name="apply_patch", input=patch.format(line)
        )
        for number, line in enumerate(("gone", "two"))
    ]
    outputs = run(calls, [patch_tool(root)])

    assert ["P201" in outputs[0]["output"], "Success" in outputs[1]["output"]] == [True, True]
    assert (root / "a.py").read_bytes() == b"one\r\nzwei\r\nthree\r\n"
    assert patch_tool(root, files=["a.py"]).format["definition"] != patch_tool(root).format["definition"]


def test_an_operation_may_move_a_file(root):
    operation = ApplyPatchOperation(type="update_file", path="a.py", diff="@@\n-two\n+zwei", move_to="d/b.py")
    result = asyncio.run(Editor(root).update_file(operation))

    assert result.status == "completed"
    assert (root / "d" / "b.py").read_bytes() == b"one\r\nzwei\r\nthree\r\n"
    assert not (root / "a.py").exists()


def test_a_diff_reaches_no_second_file(root):
    operation = ApplyPatchOperation(type="update_file", path="a.py", diff="@@\n-two\n+x\n*** Add File: evil\n+x")

    assert asyncio.run(Editor(root).update_file(operation)).status == "failed"
    assert [each.name for each in root.iterdir()] == ["a.py"]


def test_a_call_that_a_rule_asks_about_interrupts_the_run(root):
    (root / ".patchkit.toml").write_text('[permissions]\nwrite = { "conf/**" = "ask" }\nexecute = { "make" = "ask" }\n')
    shell = Shell(root)

    def interrupted(step, tools):
        agent = Agent(name="a", model=ScriptedModel([[step], [assistant_message("done")]]), tools=tools)
        return asyncio.run(Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True))).interruptions

    assert len(interrupted(patch_call(1, "create_file", "conf/x", "+x"), [apply_patch_tool(root)])) == 1
    assert interrupted(patch_call(2, "create_file", "other", "+x"), [apply_patch_tool(root)]) == []
    assert interrupted(patch_call(3, "create_file", "conf/y", "+x"), [apply_patch_tool(root, agent=True)]) == []
    assert asyncio.run(shell.needs_approval(None, ShellActionRequest(commands=["echo", "make"])))
    assert not asyncio.run(shell.needs_approval(None, ShellActionRequest(commands=["echo"])))
    assert [(root / name).exists() for name in ("conf/x", "other", "conf/y")] == [False, True, False]


def test_an_agent_runs_commands(root):
    action = {"commands": ["echo hi", "exit 3"], "timeout_ms": None, "max_output_length": 1000}
    given = {"type": "shell_call", "id": "i", "call_id": "c", "status": "completed", "action": action}
    call = ResponseFunctionShellToolCall.model_validate({**given, "environment": None})
    outputs = run([call], [ShellTool(executor=Shell(root))])

    assert "hi" in str(outputs[0])
    assert [each["outcome"]["exit_code"] for each in outputs[0]["output"]] == [0, 3]


def test_work_is_done_off_the_event_loop_and_ends_with_its_task(root):
    from agents.tool import ShellCallData, ShellCommandRequest

    action = ShellActionRequest(commands=["echo $$ > pid; sleep 3600"])
    request = ShellCommandRequest(ctx_wrapper=None, data=ShellCallData(call_id="c", action=action))

    async def work():
        task = asyncio.ensure_future(Shell(root)(request))
        while number_in(root / "pid") is None:
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())  # waits for its threads
    assert gone(number_in(root / "pid"))
