"""`patchkit call` and `patchkit schema`: the tools as a program uses them."""

from __future__ import annotations

import json

import pytest

from patchkit.tools.registry import TOOLS, named
from patchkit.tools.wording import published

ENVELOPE = ["status", "data", "text", "error", "errors", "notes", "stats", "context"]


@pytest.fixture
def patchkit(run):
    def run_patchkit(*words, **more):
        return run(*words, name="patchkit", **more)

    return run_patchkit


# -- call ----------------------------------------------------------------------------------------


def test_a_call_takes_its_arguments_as_one_word_of_json(patchkit):
    said = patchkit("call", "Read", '{"file_path": "a.txt", "plain": true}')

    assert said == (0, "     1→x\n".encode(), b"")


@pytest.mark.parametrize("words", [("call", "read_file"), ("call", "read_file", "-")])
def test_a_call_takes_its_arguments_from_standard_input(patchkit, words):
    assert patchkit(*words, stdin=b'{"path": "a.txt", "plain": true}').stdout == "     1→x\n".encode()


def test_json_gives_the_whole_envelope(patchkit):
    said = patchkit("call", "Read", '{"file_path": "a.txt"}', "--json")

    answer = json.loads(said.stdout)
    assert (said.status, list(answer), answer["status"], answer["error"]) == (0, ENVELOPE, "success", None)
    assert answer["context"]["params_input"] == {"file_path": "a.txt"}


def test_an_error_is_printed_on_standard_error_with_its_status(patchkit):
    said = patchkit("call", "Edit", '{"file_path": "a.txt", "old_string": "x", "new_string": "y"}')

    assert (said.status, said.stdout) == (3, b"")
    assert said.stderr.startswith(b"File has not been read yet. Read it first before writing to it.\nerror[P611]: ")


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        ("{", 2, "P607"),
        ("[1]", 2, "P603"),
        ('{"file_path": 5}', 2, "P603"),
        ('{"file_path": "a", "path": "b"}', 2, "P604"),
        ('{"file_path": "a", "lines": 5}', 2, "P605"),
        ("{}", 2, "P606"),
        ('{"file_path": "none"}', 1, "P302"),
        ('{"file_path": "../out"}', 3, "P301"),
        ("[" * 100_000, 2, "P607"),
    ],
)
def test_the_status_says_what_kind_of_refusal_it_is(patchkit, arguments, status, code):
    said = patchkit("call", "Read", "--json", "--strict", stdin=arguments.encode())

    assert (said.status, json.loads(said.stdout)["error"]["code"]) == (status, code)


def test_a_call_as_models_make_them_is_taken_with_notes_unless_it_has_to_be_strict(patchkit, tree):
    (tree / "a.txt").write_text("one\n")
    arguments = '{"filePath": "a.txt", "limit": "1", "explanation": "x"}'

    assert patchkit("call", "Read", "--strict", arguments).status == 2
    assert patchkit("call", "Read", "--strict", f"<tool_call>{arguments}</tool_call>").status == 2
    said = patchkit("call", "Read", arguments)
    assert (said.status, said.stdout.split(b"\n")[0].decode()) == (0, "     1\u2192one")
    assert [line.split(b":")[0] for line in said.stderr.splitlines()] == [b"note[P956]"] * 3


def test_a_tool_that_there_is_not_is_a_matter_of_usage(patchkit):
    said = patchkit("call", "Format", "{}")
    told = patchkit("call", "Format", "{}", "--json")

    assert (said.status, said.stdout) == (2, b"")
    assert said.stderr.startswith(b"error[P602]: unknown tool 'Format'\n  = help: use one of: Read, Write, ")
    assert (told.status, json.loads(told.stdout)["error"]["code"]) == (2, "P602")


def test_text_that_is_not_utf8_goes_through_a_call(patchkit, tree):
    arguments = b'{"file_path": "b.txt", "content": "caf\xe9"}'

    assert patchkit("call", "Write", stdin=arguments).status == 0
    assert (tree / "b.txt").read_bytes() == b"caf\xe9"


def test_a_call_works_in_the_root_and_from_the_directory_it_is_given(patchkit, tree, tmp_path):
    (tree / "sub").mkdir()

    said = patchkit("call", "Write", '{"path": "b", "content": ""}', "--root", tree, "-C", tree / "sub", cwd=tmp_path)

    assert (said.status, (tree / "sub" / "b").exists()) == (0, True)


# -- schema --------------------------------------------------------------------------------------


def test_a_schema_is_what_a_model_api_takes(patchkit):
    names = ("openai", "openai-chat", "anthropic")
    shapes = {shape: json.loads(patchkit("schema", "Edit", "--format", shape).stdout) for shape in names}
    description, schema = published(named("Edit"), wording="seed")
    function = {"name": "Edit", "description": description, "parameters": schema}

    assert shapes == {
        "openai": {"type": "function", **function},
        "openai-chat": {"type": "function", "function": function},
        "anthropic": {"name": "Edit", "description": description, "input_schema": schema},
    }


def test_the_full_wording_shows_every_field(patchkit):
    told = json.loads(patchkit("schema", "Edit", "--wording", "full").stdout)

    assert (told["description"], told["inputSchema"]) == published(named("Edit"), wording="full")


def test_a_schema_for_an_agent_protocol_names_the_effect(patchkit):
    told = {name: json.loads(patchkit("schema", name).stdout) for name in ("Read", "Edit")}

    assert {name: each["annotations"] for name, each in told.items()} == {
        "Read": {
            "title": "Show a file, numbered and bounded",
            "readOnlyHint": True,
            "destructiveHint": False,
            "openWorldHint": False,
        },
        "Edit": {
            "title": "Replace one text in a file",
            "readOnlyHint": False,
            "destructiveHint": True,
            "openWorldHint": False,
        },
    }
    assert told["Read"]["inputSchema"] == published(named("Read"), wording="seed")[1]


def test_the_extended_schema_publishes_what_calls_may_use_besides(patchkit):
    plain = json.loads(patchkit("schema", "Read", "--format", "anthropic").stdout)["input_schema"]
    extended = json.loads(patchkit("schema", "Read", "--format", "anthropic", "--extended").stdout)["input_schema"]

    assert list(plain["properties"]) == ["file_path", "offset", "limit"]
    further = ["pages", "long_lines", "part", "max_tokens", "plain", "encoding"]
    assert list(extended["properties"]) == [*plain["properties"], *further]


def test_without_a_name_every_tool_is_declared(patchkit):
    told = json.loads(patchkit("schema", "--format", "openai").stdout)

    assert [each["name"] for each in told] == [tool.name for tool in TOOLS]


def test_the_schema_of_a_tool_that_there_is_not_is_a_matter_of_usage(patchkit):
    assert patchkit("schema", "Format").status == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('{"file_path": "a.txt", "file_path": "b.txt"}', b"P604"),
        ('{"file_path": "a.txt", "limit": ' + "9" * 5000 + "}", b"P607"),
        ("[" * 100_000, b"P607"),
        ('{"file_path": "a.txt", "limit": 1e999}', b"P603"),
        ('{"file_path": "a.txt", "limit": NaN}', b"P603"),
        ('{"file_path": "\\ud800"}', b"P309"),
    ],
)
def test_json_of_a_strange_shape_is_an_answer(patchkit, arguments, code):
    said = patchkit("call", "Read", stdin=arguments.encode())

    assert (said.status, said.stderr[:12]) == (1 if code == b"P309" else 2, b"error[" + code + b"]:")


def test_a_field_that_is_there_twice_with_one_value_is_given_once(patchkit):
    assert patchkit("call", "Read", '{"file_path": "a.txt", "file_path": "a.txt"}').status == 0


def test_a_pattern_that_cannot_be_read_is_a_mistake_in_the_call(patchkit):
    assert [patchkit("glob", "[").status, patchkit("ls", "--ignore", "{a").status] == [2, 2]
