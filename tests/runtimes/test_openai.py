"""Answers to the tool calls of the OpenAI Responses API, with and without its SDK."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest

from patchkit.runtimes.sdks.openai import answer, grammar_tool, tools


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    return path


def call(kind, path, diff=None, **more):
    operation = {"type": kind, "path": path, **({"diff": diff} if diff is not None else {})}
    return {
        "type": "apply_patch_call",
        "id": "i",
        "call_id": "c",
        "status": "completed",
        "operation": operation,
        **more,
    }


def test_an_update_changes_one_line_and_keeps_the_line_endings(root):
    said = answer(call("update_file", "a.py", "@@\n one\n-two\n+zwei\n three"), root)

    assert (said["type"], said["call_id"], said["status"]) == ("apply_patch_call_output", "c", "completed")
    assert (root / "a.py").read_bytes() == b"one\r\nzwei\r\nthree\r\n"


@pytest.mark.parametrize(
    "diff",
    [
        "-two\n+zwei\n",
        "@@ -2,1 +2,1 @@\n-two\n+zwei\n",
        "@@\r\n-two\r\n+zwei\r\n",
        "--- a/a.py\n+++ b/a.py\n@@ -2,1 +2,1 @@\n-two\n+zwei",
        "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-two\n+zwei",
        "```diff\n@@\n-two\n+zwei\n```",
        "@@\n-two\n+zwei\n*** End Patch",
        "*** Update File: a.py\n@@\n-two\n+zwei\n",
        "*** Begin Patch\n*** Update File: ./a.py\n@@\n-two\n+zwei\n*** End Patch\n",
    ],
)
def test_diffs_come_in_several_forms(root, diff):
    assert answer(call("update_file", "a.py", diff), root)["status"] == "completed"
    assert (root / "a.py").read_bytes() == b"one\r\nzwei\r\nthree\r\n"


@pytest.mark.parametrize(
    ("diff", "content"),
    [
        ("+x\n+y\n", "x\ny\n"),
        ("x\ny", "x\ny\n"),
        ("", ""),
        (None, ""),
        ("@@\n+x\n+y", "x\ny\n"),
        ("--- /dev/null\n+++ b/new/b.py\n@@ -0,0 +1,2 @@\n+x\n+y\n", "x\ny\n"),
        ("*** Add File: new/b.py\n+x\n+y", "x\ny\n"),
        ("+x\n+y\n*** End of File", "x\ny\n"),
        ("```\n+x\n```", "x\n"),
        ("```\nx\n```", "```\nx\n```\n"),
        ("@@ is text", "@@ is text\n"),
    ],
)
def test_a_file_is_created(root, diff, content):
    assert answer(call("create_file", "new/b.py", diff), root)["status"] == "completed"
    assert (root / "new" / "b.py").read_text() == content


def test_a_file_is_deleted(root):
    assert answer(call("delete_file", "a.py"), root)["status"] == "completed"
    assert list(root.iterdir()) == []


@pytest.mark.parametrize(
    ("kind", "path", "diff"),
    [
        ("create_file", "a.py", "+x"),
        ("update_file", "gone", "@@\n-a\n+b"),
        ("update_file", "a.py", "@@\n-nowhere\n+b"),
        ("update_file", "../a.py", "@@\n-two\n+b"),
        ("update_file", "a.py", "@@\n-two\n+b\n*** Add File: evil\n+x"),
        ("update_file", "a.py", "*** Move to: evil\n@@\n-two\n+b"),
        ("update_file", "a.py", "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"),
        ("update_file", "a.py\n*** Add File: evil", "@@\n-two\n+b"),
        ("create_file", "evil\n*** Delete File: a.py", "+x"),
        ("create_file", "n", "+x\n*** Delete File: a.py"),
        ("update_file", "a.py\r", "@@\n-two\n+b"),
        ("update_file", "a.py", "*** Update File: evil\n@@\n-two\n+b"),
        ("create_file", "n", "*** Add File: evil\n+x"),
        ("rename_file", "a.py", ""),
        ("update_file", "", "@@"),
        ("update_file", None, "@@"),
        ("update_file", "a.py", 3),
    ],
)
def test_a_refusal_is_a_failed_answer_and_changes_nothing(root, kind, path, diff):
    said = answer(call(kind, path, diff), root)

    assert (said["status"], "error[P" in said["output"]) == ("failed", True)
    assert [each.name for each in root.iterdir()] == ["a.py"]
    assert (root / "a.py").read_bytes() == b"one\r\ntwo\r\nthree\r\n"


def test_a_whole_patch_of_the_one_file_is_an_update(root):
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-two\n+zwei\n*** End Patch\n"

    assert answer(call("update_file", "a.py", patch), root)["status"] == "completed"


def test_a_call_of_a_program_is_answered_to_it(root):
    caller = {"type": "program", "caller_id": "p"}

    assert answer(call("delete_file", "a.py", caller=caller), root)["caller"] == caller
    assert "caller" not in answer(call("delete_file", "a.py"), root)


@pytest.mark.parametrize(
    "item",
    [
        {"type": "message"},
        {},
        {"type": "function_call", "name": "get_weather", "arguments": "{}"},
        {"type": "custom_tool_call", "name": "other", "input": ""},
        {"type": "shell_call", "action": {"commands": ["ls"]}, "environment": {"type": "container_auto"}},
        3,
        None,
    ],
)
def test_other_items_are_left_to_the_host(root, item):
    assert answer(item, root) is None


@pytest.mark.parametrize("operation", [None, 3, [], "x"])
def test_a_broken_operation_is_an_answer(root, operation):
    assert answer({"type": "apply_patch_call", "call_id": "c", "operation": operation}, root)["status"] == "failed"


def test_every_command_of_a_shell_call_has_its_output(root):
    action = {"commands": ["echo hi; exit 3", "cat a.py | wc -l", "sudo id"], "max_output_length": 100}
    said = answer({"type": "shell_call", "call_id": "c", "action": action}, root)

    outputs = said["output"]
    assert (said["type"], said["max_output_length"]) == ("shell_call_output", 100)
    assert outputs[0] == {"stdout": "hi\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 3}}
    assert outputs[1]["stdout"].strip() == "3"
    assert (outputs[2]["outcome"]["exit_code"], "P642" in outputs[2]["stderr"]) == (126, True)


@pytest.mark.parametrize(("commands", "codes"), [("echo hi", [0]), (None, [126]), (["true", 3], [0, 126]), ({}, [126])])
def test_commands_that_are_no_list_of_texts_are_answered_one_by_one(root, commands, codes):
    said = answer({"type": "shell_call", "call_id": "c", "action": {"commands": commands}}, root)

    assert [each["outcome"]["exit_code"] for each in said["output"]] == codes


def test_a_long_output_is_cut_at_the_length_that_is_asked_for(root):
    action = {"commands": ["seq 100000"], "max_output_length": 8}
    said = answer({"type": "shell_call", "call_id": "c", "action": action}, root)

    assert (said["output"][0]["stdout"], said["max_output_length"]) == ("1\n2\n3\n4\n", 8)


def test_a_new_file_is_not_made_of_markers(root):
    operation = {"type": "create_file", "path": "n", "diff": "*** Delete File: a.py\n"}
    said = answer({"type": "apply_patch_call", "call_id": "c", "operation": operation}, root)

    assert (said["status"], (root / "n").exists(), (root / "a.py").exists()) == ("failed", False, True)


def test_a_command_that_takes_too_long_has_timed_out(root):
    for milliseconds in (600, 6_000, 60_000):  # more on a machine that is too busy to start a shell in that time
        action = {"commands": ["echo a; sleep 3600"], "timeout_ms": milliseconds, "max_output_length": None}
        said = answer({"type": "shell_call", "call_id": "c", "action": action}, root)
        if said["output"][0]["stdout"]:
            break

    assert said["output"] == [{"stdout": "a\n", "stderr": "", "outcome": {"type": "timeout"}}]


def test_a_patch_of_a_grammar_is_applied_all_or_nothing(root):
    patch = "*** Begin Patch\n*** Add File: b\n+x\n*** Update File: a.py\n@@\n-{}\n+zwei\n*** End Patch\n"
    item = {"type": "custom_tool_call", "call_id": "c", "name": "apply_patch"}
    refused = answer({**item, "input": patch.format("nowhere")}, root)
    assert (refused["type"], (root / "b").exists()) == ("custom_tool_call_output", False)

    assert "error" not in answer({**item, "input": patch.format("two")}, root)["output"]
    assert (root / "b").exists()


def test_functions_are_called_with_their_arguments_as_text(root):
    item = {"type": "function_call", "call_id": "c", "name": "Read", "arguments": json.dumps({"file_path": "a.py"})}

    assert answer(item, root)["output"].startswith("     1→one\n")
    edit = {"file_path": "a.py", "old_string": "two", "new_string": "zwei"}
    assert "updated" in answer({**item, "name": "Edit", "arguments": json.dumps(edit)}, root)["output"]
    assert "error[P603]" in answer({**item, "arguments": "{"}, root)["output"]
    assert "error[P606]" in answer({**item, "arguments": '{"x": 1}'}, root)["output"]


def test_an_image_is_content(root):
    (root / "i.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 20)
    item = {"type": "function_call", "call_id": "c", "name": "Read", "arguments": '{"file_path": "i.png"}'}

    output = answer(item, root)["output"]
    assert [each["type"] for each in output] == ["input_text", "input_image"]
    assert output[1]["image_url"].startswith("data:image/png;base64,")


def test_tools_are_declared_as_functions():
    assert [tool["name"] for tool in tools("Read", "edit_file")] == ["Read", "Edit"]
    assert {tool["type"] for tool in tools()} == {"function"}


def test_the_grammar_tool_has_the_grammar_for_models():
    tool = grammar_tool()

    assert (tool["type"], tool["format"]["syntax"]) == ("custom", "lark")
    assert "start:" in tool["format"]["definition"]


def test_no_sdk_is_loaded():
    code = (
        "import sys, patchkit.runtimes.sdks.openai, patchkit.runtimes.mcp, patchkit.cli.commands.mcp\n"
        "import patchkit.runtimes.sdks.anthropic\n"
    )
    names = "{'openai', 'agents', 'anthropic', 'mcp', 'pydantic', 'langchain_core', 'deepagents', 'asyncio'}"
    done = subprocess.run(
        [sys.executable, "-c", code + f"print(sorted({names} & set(sys.modules)))"], capture_output=True, text=True
    )

    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.skipif(importlib.util.find_spec("openai") is None, reason="the openai package is not installed")
@pytest.mark.filterwarnings("default")
def test_models_of_the_sdk_are_taken_and_its_types_take_the_answers(root):
    from openai.types.responses import ResponseApplyPatchToolCall, ResponseFunctionToolCall
    from openai.types.responses.response_input_item import ApplyPatchCallOutput
    from pydantic import TypeAdapter

    given = {**call("update_file", "a.py", "@@\n-two\n+zwei"), "id": "i"}
    said = answer(ResponseApplyPatchToolCall.model_validate(given), root)

    assert said["status"] == "completed"
    TypeAdapter(ApplyPatchCallOutput).validate_python(said)
    function = {"type": "function_call", "call_id": "c", "name": "Read", "arguments": '{"file_path": "a.py"}'}
    assert "zwei" in answer(ResponseFunctionToolCall.model_validate(function), root)["output"]
