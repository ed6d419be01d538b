"""The tools for LangChain: called with arguments, and with the calls of a model."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("langchain_core", reason="the package langchain-core is not installed")

from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from patchkit.runtimes.sdks.langchain import tools

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_bytes(b"one\r\ntwo\r\n")
    return path


@pytest.fixture
def found(root):
    return {tool.name: tool for tool in tools(root)}


def call(name, **arguments):
    return {"type": "tool_call", "id": "c", "name": name, "args": arguments}


EDIT = {"file_path": "a.py", "old_string": "two", "new_string": "zwei"}


def test_tools_are_those_of_the_library_and_of_the_workspace(root, found):
    assert all(isinstance(tool, BaseTool) for tool in found.values())
    assert {"Read", "apply_patch", "Bash"} <= set(found)
    assert [tool.name for tool in tools(root, "read_file", "Edit")] == ["Read", "Edit"]
    declared = convert_to_openai_tool(found["Read"])["function"]
    assert declared["parameters"]["required"] == ["file_path"]


def test_a_call_is_answered_by_a_message_with_the_envelope(root, found):
    refused = found["Edit"].invoke(call("Edit", **EDIT))
    read = found["Read"].invoke(call("Read", path="a.py"))
    edited = found["Edit"].invoke(call("Edit", **EDIT))

    assert [each.status for each in (refused, read, edited)] == ["error", "success", "success"]
    assert (refused.artifact["error"]["code"], refused.tool_call_id) == ("P611", "c")
    assert (root / "a.py").read_bytes() == b"one\r\nzwei\r\n"


def test_wrong_arguments_are_refused_in_our_words(found):
    assert found["Read"].invoke(call("Read", file_path=1)).artifact["error"]["code"] == "P603"
    assert found["Read"].invoke(call("Read")).artifact["error"]["code"] == "P606"


def test_plain_arguments_are_answered_with_text(found):
    assert found["Read"].invoke({"file_path": "a.py"}).startswith("     1→one\n")


def test_calls_may_be_awaited(found):
    message = asyncio.run(found["Bash"].ainvoke(call("Bash", command="echo hi")))

    assert (message.content, message.status) == ("hi\n", "success")


def test_callbacks_see_calls_and_refusals(found):
    from langchain_core.callbacks import BaseCallbackHandler

    class Seen(BaseCallbackHandler):
        def __init__(self):
            self.calls = []

        def on_tool_start(self, serialized, input_str, **_):
            self.calls.append(serialized["name"])

        def on_tool_end(self, output, **_):
            self.calls.append(output.status)

    seen = Seen()
    for path in ("a.py", "gone"):
        call = {"type": "tool_call", "id": "1", "name": "Read", "args": {"file_path": path}}
        found["Read"].invoke(call, config={"callbacks": [seen]})

    assert seen.calls == ["Read", "success", "Read", "error"]


@pytest.mark.parametrize("arguments", [None, "a.py", [1], {"self": 1}, {"config": 1}, {"run_manager": 1}])
def test_arguments_of_any_kind_are_answered(found, arguments):
    call = {"type": "tool_call", "id": "1", "name": "Read", "args": arguments}

    assert found["Read"].invoke(call).status == "error"
    assert "error[P6" in found["Read"].invoke(arguments if arguments is not None else {})
