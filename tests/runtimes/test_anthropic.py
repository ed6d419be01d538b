"""The text editor, memory and bash tools of Anthropic's API: without the SDK, and by its tool runner."""

from __future__ import annotations

import asyncio
import importlib.util
import json

import pytest

import patchkit
from patchkit.errors import PatchkitError
from patchkit.runtimes.answers import Host, plain_item
from patchkit.runtimes.sdks import anthropic as adapter
from patchkit.runtimes.sdks.anthropic import answer, bash
from patchkit.runtimes.sdks.text_editor import _Memory, memory

HAS_SDK = importlib.util.find_spec("anthropic") is not None
NEEDS_SDK = pytest.mark.skipif(not HAS_SDK, reason="the anthropic package is not installed")


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    return path


def use(root, name, **given):
    block = {"type": "tool_use", "id": "t", "name": name, "input": given}
    said = answer(block, root)
    assert (said["type"], said["tool_use_id"]) == ("tool_result", "t")
    return said["content"], said.get("is_error", False)


def edit(root, command, **given):
    return use(root, "str_replace_based_edit_tool", command=command, **given)


# -- the text editor -----------------------------------------------------------------------------


def test_a_file_that_was_edited_and_never_viewed_is_not_replaced(root):
    host = Host(root)
    edit(host, "str_replace", path="a.py", old_str="one", new_str="1")
    content, is_error = edit(host, "create", path="a.py", file_text="all of it\n")

    assert ("P611" in content, is_error) == (True, True)
    assert (root / "a.py").read_bytes() == b"1\r\ntwo\r\nthree\r\n"


def test_a_note_has_the_names_of_this_contract(root):
    content, _ = edit(root, "str_replace", path="a.py", old_str="one", new_str="")

    assert "note[P960]: old_str is whole lines" in content


def test_a_file_is_viewed_with_line_numbers(root):
    assert edit(root, "view", path="a.py") == ("     1\tone\n     2\ttwo\n     3\tthree\n", False)


@pytest.mark.parametrize(
    ("wanted", "lines"), [([2, 3], ["two", "three"]), ([2, -1], ["two", "three"]), ([3, 99], ["three"])]
)
def test_a_range_is_viewed(root, wanted, lines):
    text, _ = edit(root, "view", path="a.py", view_range=wanted)

    assert [line.partition("\t")[2] for line in text.splitlines()] == lines


@pytest.mark.parametrize("wanted", [[4, 5], [0, 2], [3, 2], [1], "1-2", [1, "x"], [9, -1]])
def test_a_range_that_is_not_there_is_an_error(root, wanted):
    text, is_error = edit(root, "view", path="a.py", view_range=wanted)

    assert (is_error, "error[P603]" in text) == (True, True)


def test_a_directory_is_listed_two_levels_deep(root):
    (root / "d" / "e").mkdir(parents=True)
    (root / "d" / "e" / "deep").touch()
    text, is_error = edit(root, "view", path=str(root))

    assert (text.split("\n")[1:], is_error) == ([str(root), f"{root}/d/", f"{root}/d/e", f"{root}/a.py", ""], False)


def test_a_long_file_is_viewed_whole(root):
    (root / "long").write_text("x" * 5000 + "\n" + "".join(f"{number}\n" for number in range(2, 60_001)))

    assert edit(root, "view", path="long", view_range=[1, 3000])[0].split("\n")[::2999] == [
        "     1\t" + "x" * 5000,
        "  3000\t3000",
    ]
    assert edit(root, "view", path="long")[0].endswith(" characters; view the rest with view_range [15855, -1]]\n")


def test_an_unread_file_is_edited_and_keeps_its_line_endings(root):
    assert edit(root, "str_replace", path="a.py", old_str="one\ntwo", new_str="1\n2\n3")[1] is False
    assert (root / "a.py").read_bytes() == b"1\r\n2\r\n3\r\nthree\r\n"


def test_a_replacement_that_is_left_out_deletes(root):
    assert edit(root, "str_replace", path="a.py", old_str="two\n")[1] is False
    assert (root / "a.py").read_bytes() == b"one\r\nthree\r\n"


def test_a_replacement_is_literal(root):
    edit(root, "str_replace", path="a.py", old_str="two", new_str="$& \\1")

    assert b"$& \\1" in (root / "a.py").read_bytes()


@pytest.mark.parametrize("field", ["insert_text", "new_str"])
def test_lines_are_inserted(root, field):
    assert edit(root, "insert", path="a.py", insert_line=1, **{field: "x\n"})[1] is False
    assert (root / "a.py").read_bytes() == b"one\r\nx\r\ntwo\r\nthree\r\n"


def test_a_file_is_created_and_only_a_viewed_one_replaced(root):
    assert edit(root, "create", path="new/b.py", file_text="x") == ("File created successfully at: new/b.py\n", False)
    assert edit(root, "create", path="a.py", file_text="x")[1] is True
    edit(root, "view", path="a.py")
    assert edit(root, "create", path="a.py", file_text="x")[1] is False
    assert (root / "a.py").read_text() == "x"


@pytest.mark.parametrize(
    "given",
    [
        {"command": "str_replace", "path": "a.py", "old_str": "e", "new_str": "x"},
        {"command": "str_replace", "path": "a.py", "old_str": "nowhere", "new_str": "x"},
        {"command": "str_replace", "path": "a.py", "old_str": "", "new_str": "x"},
        {"command": "str_replace", "path": "a.py"},
        {"command": "str_replace", "path": "gone", "old_str": "a", "new_str": "x"},
        {"command": "insert", "path": "a.py", "insert_line": 9, "insert_text": "x"},
        {"command": "insert", "path": "a.py"},
        {"command": "create", "path": "../out", "file_text": "x"},
        {"command": "create", "path": "", "file_text": "x"},
        {"command": "create", "path": "b"},
        {"command": "view", "path": "/etc/passwd"},
        {"command": "view"},
        {"command": "undo_edit", "path": "a.py"},
        {},
    ],
)
def test_a_refusal_is_an_error_result_and_changes_nothing(root, given):
    text, is_error = use(root, "str_replace_based_edit_tool", **given)

    assert (is_error, "error[P" in text) == (True, True)
    assert (root / "a.py").read_bytes() == b"one\r\ntwo\r\nthree\r\n"
    assert [each.name for each in root.iterdir()] == ["a.py"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"command": "str_replace", "new_str": "x"}, "old_str"),
        ({"command": "str_replace", "old_str": "e", "new_str": 3}, "new_str"),
        ({"command": "insert", "insert_text": "x"}, "insert_line"),
        ({"command": "insert", "insert_line": "one", "insert_text": "x"}, "insert_line"),
        ({"command": "insert", "insert_line": 1}, "insert_text"),
        ({"command": "create"}, "file_text"),
    ],
)
def test_a_refusal_calls_the_fields_as_the_contract_does(root, given, field):
    text, _ = use(root, "str_replace_based_edit_tool", path="a.py", **given)

    assert f"'{field}'" in text


def test_a_text_that_is_there_twice_is_refused_in_the_words_of_the_contract(root):
    text, _ = edit(root, "str_replace", path="a.py", old_str="e", new_str="x")

    assert "error[P622]: old_str matches 3 places" in text
    assert "replace_all" not in text
    assert "--" not in text


def test_edits_can_be_undone(root):
    edit(root, "insert", path="a.py", insert_line=0, insert_text="x")
    patchkit.undo(root)

    assert (root / "a.py").read_bytes() == b"one\r\ntwo\r\nthree\r\n"


def test_an_image_is_viewed_as_an_image(root):
    (root / "i.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 20)
    content, _ = edit(root, "view", path="i.png")

    assert [block["type"] for block in content] == ["text", "image"]
    assert content[1]["source"]["media_type"] == "image/png"


@pytest.mark.parametrize(
    "block", [{"type": "text", "text": "x"}, {"type": "tool_use", "id": "t", "name": "weather", "input": {}}, 3, None]
)
def test_other_blocks_are_left_to_the_host(root, block):
    assert answer(block, root) is None


# -- memory and bash -----------------------------------------------------------------------------


def remember(root, command, **given):
    return use(root, "memory", command=command, **given)


def test_memories_are_kept_in_their_directory(root):
    assert remember(root, "view", path="/memories") == ("The directory /memories is empty.\n", False)
    assert remember(root, "create", path="/memories/d/a.txt", file_text="one\n")[1] is False
    assert (root / "memories" / "d" / "a.txt").read_text() == "one\n"
    assert remember(root, "create", path="/memories/d/a.txt", file_text="two\n")[1] is True
    assert "/memories/d/a.txt" in remember(root, "view", path="/memories")[0]
    assert "     1\tone" in remember(root, "view", path="/memories/d/a.txt")[0]
    assert remember(root, "str_replace", path="/memories/d/a.txt", old_str="one", new_str="two")[1] is False
    assert remember(root, "insert", path="/memories/d/a.txt", insert_line=0, insert_text="zero\n")[1] is False
    assert (root / "memories" / "d" / "a.txt").read_text() == "zero\ntwo\n"
    assert remember(root, "rename", old_path="/memories/d", new_path="/memories/e")[1] is False
    assert (root / "memories" / "e" / "a.txt").exists()
    assert remember(root, "delete", path="/memories/e")[1] is False
    assert not (root / "memories" / "e").exists()


@pytest.mark.parametrize(
    "path",
    [
        "/memories",
        "/memories/",
        "/memories/.",
        "/memories//./",
        "/memoriesX/a",
        "/memories/../a.py",
        "a.py",
        "/a.py",
        "",
        "/memories/./..",
        "/memories/a\n*** Delete File: a.py",
    ],
)
def test_what_is_not_below_the_memories_is_refused(root, path):
    (root / "memories").mkdir()
    (root / "memories" / "kept").write_text("x")

    assert remember(root, "delete", path=path)[1] is True
    assert remember(root, "rename", old_path=path, new_path="/memories/x")[1] is True
    assert remember(root, "create", path=path, file_text="x")[1] is True
    assert remember(root, "create", path=path, file_text="")[1] is True
    assert sorted(each.name for each in root.iterdir()) == ["a.py", "memories"]
    assert (root / "memories" / "kept").exists()


def test_a_command_runs_and_a_restart_is_accepted(root):
    assert use(root, "bash", command="echo hi") == ("hi\n", False)
    assert use(root, "bash", restart=True)[1] is False
    assert use(root, "bash")[1] is True
    assert use(root, "bash", command="sudo id")[1] is True


def test_tools_of_our_own_are_answered_too(root):
    assert use(root, "Glob", pattern="*.py")[0].endswith("a.py\n")


# -- the SDK -------------------------------------------------------------------------------------


@pytest.mark.skipif(HAS_SDK, reason="the anthropic package is installed")
def test_without_the_sdk_a_class_says_what_to_install():
    with pytest.raises(PatchkitError, match="anthropic") as refused:
        adapter.TextEditor  # noqa: B018  # asking is the test

    assert (refused.value.code, "pip install anthropic" in refused.value.hint) == ("P647", True)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError):
        adapter.Nothing  # noqa: B018  # asking is the test


def scripted(inputs):
    """A transport that plays the model: one tool call a turn, then the end; and what was sent to it."""
    import httpx2 as httpx  # the SDK's own client

    sent = []

    def reply(request):
        body = json.loads(request.content)
        sent.append(body)
        turn = len(sent) - 1
        if turn < len(inputs):
            name, given = inputs[turn]
            content = [{"type": "tool_use", "id": f"t{turn}", "name": name, "input": given}]
        else:
            content = [{"type": "text", "text": "done"}]
        message = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "x",
            "content": content,
            "stop_reason": "tool_use" if turn < len(inputs) else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx.Response(200, json=message)

    return httpx.MockTransport(reply), sent


EDITOR = "str_replace_based_edit_tool"
TURNS = [
    (EDITOR, {"command": "view", "path": "a.py"}),
    (EDITOR, {"command": "str_replace", "path": "a.py", "old_str": "e", "new_str": "x"}),
    (EDITOR, {"command": "str_replace", "path": "a.py", "old_str": "two", "new_str": "zwei"}),
    ("memory", {"command": "create", "path": "/memories/n", "file_text": "note"}),
    ("bash", {"command": "cat memories/n"}),
]


def results(sent):
    """Every result that was sent, once, whether a request repeats the conversation or not."""
    found = {
        block["tool_use_id"]: (block.get("is_error", False), str(block["content"]))
        for body in sent
        for message in body["messages"]
        if message["role"] == "user" and isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    }
    return [found[name] for name in sorted(found)]


@NEEDS_SDK
@pytest.mark.filterwarnings("default")
def test_the_runner_works_through_a_conversation(root):
    import anthropic
    import httpx2 as httpx

    transport, sent = scripted(TURNS)
    client = anthropic.Anthropic(api_key="x", http_client=httpx.Client(transport=transport), max_retries=0)
    runner = client.beta.messages.tool_runner(
        model="m",
        max_tokens=10,
        messages=[{"role": "user", "content": "go"}],
        tools=[adapter.TextEditor(root, 10_000), adapter.Memory(root), adapter.Bash(root, 5)],
    )
    runner.until_done()

    assert [is_error for is_error, _ in results(sent)] == [False, True, False, False, False]
    assert "P622" in results(sent)[1][1]
    assert (root / "a.py").read_bytes() == b"one\r\nzwei\r\nthree\r\n"
    assert sent[0]["tools"][0] == {"type": "text_editor_20250728", "name": EDITOR, "max_characters": 10_000}


@NEEDS_SDK
@pytest.mark.filterwarnings("default")
def test_the_memory_is_one_of_the_sdk(root):
    from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
    from anthropic.types.beta import BetaMemoryTool20250818CreateCommand as Create

    from patchkit.runtimes.sdks.anthropic import Memory

    memory = Memory(root)
    path = "/memories/empty.txt"
    assert isinstance(memory, BetaAbstractMemoryTool)
    assert memory.to_dict() == {"type": "memory_20250818", "name": "memory"}
    assert "created" in memory.create(Create(command="create", path=path, file_text=""))
    assert (root / "memories" / "empty.txt").read_bytes() == b""
    with pytest.raises(ToolError, match="P303"):
        memory.call({"command": "create", "path": path, "file_text": ""})


@NEEDS_SDK
@pytest.mark.filterwarnings("default")
def test_the_asynchronous_runner_works_through_a_conversation(root):
    import anthropic
    import httpx2 as httpx

    transport, sent = scripted(TURNS[:3])

    async def run():
        client = anthropic.AsyncAnthropic(
            api_key="x", http_client=httpx.AsyncClient(transport=transport), max_retries=0
        )
        runner = client.beta.messages.tool_runner(
            model="m",
            max_tokens=10,
            messages=[{"role": "user", "content": "go"}],
            tools=[adapter.AsyncTextEditor(root)],
        )
        await runner.until_done()

    asyncio.run(run())

    assert [is_error for is_error, _ in results(sent)] == [False, True, False]
    assert (root / "a.py").read_bytes() == b"one\r\nzwei\r\nthree\r\n"


def test_what_is_remembered_is_for_its_owner_alone(root):
    host = Host(root)
    memory({"command": "create", "path": "/memories/a/b/note.txt", "file_text": "x\n"}, host)
    memory({"command": "create", "path": "/memories/empty", "file_text": ""}, host)
    memory({"command": "rename", "old_path": "/memories/empty", "new_path": "/memories/c/d/moved"}, host)
    memory({"command": "str_replace", "path": "/memories/a/b/note.txt", "old_str": "x", "new_str": "y"}, host)
    top = root / "memories"

    assert {oct(path.stat().st_mode & 0o777) for path in [top, *top.rglob("*")] if path.is_dir()} == {"0o700"}
    assert {oct(path.stat().st_mode & 0o777) for path in top.rglob("*") if path.is_file()} == {"0o600"}


@pytest.mark.parametrize(("step", "path"), [("_below", "/memories/d/new/x"), ("call", "/memories/d/note")])
def test_a_link_that_is_put_in_the_way_leads_no_memory_out(root, tmp_path, monkeypatch, step, path):
    directory, outside = root / "memories/d", tmp_path / "outside"
    directory.mkdir(parents=True)
    outside.mkdir()
    (outside / "note").touch(0o644)
    before = (outside / "note").stat().st_mode
    done = getattr(_Memory, step)

    def turning(self, *given):
        found = done(self, *given)
        directory.rename(root / "memories/old")
        directory.symlink_to(outside)
        return found

    monkeypatch.setattr(_Memory, step, turning)
    result = memory({"command": "create", "path": path, "file_text": "x\n"}, Host(root))

    assert [error["code"] for error in result.errors] == (["P307"] if step == "_below" else [])
    assert [(each.name, each.stat().st_mode) for each in outside.iterdir()] == [("note", before)]


def test_a_name_that_is_too_long_is_no_defect_of_ours(root):
    refused = memory({"command": "create", "path": f"/memories/{'x' * 300}/y", "file_text": "x\n"}, Host(root))

    assert [error["code"] for error in refused.errors] == ["P309"]


def test_a_refusal_names_both_paths_as_the_memory_takes_them(root):
    host = Host(root)
    for name in ("a", "b"):
        memory({"command": "create", "path": f"/memories/{name}", "file_text": "x\n"}, host)
    for goal in ("/memories/b", "/memories/b/c"):
        refused = memory({"command": "rename", "old_path": "/memories/a", "new_path": goal}, host)

        assert "'/memories/b'" in refused.text
        assert "'memories/" not in refused.text


def test_a_refused_memory_leaves_no_directory(root):
    (root / "memories").mkdir()
    refused = memory({"command": "rename", "old_path": "/memories/none", "new_path": "/memories/new/name"}, Host(root))

    assert (refused.status, list((root / "memories").iterdir())) == ("error", [])


def test_no_link_leads_out_of_the_memory(root):
    (root / "memories").mkdir()
    (root / "secret").write_text("key\n")
    (root / "memories" / "link").symlink_to("../secret")
    (root / "memories" / "up").symlink_to("..")
    commands = [
        {"command": "view", "path": "/memories/link"},
        {"command": "view", "path": "/memories/up/secret"},
        {"command": "str_replace", "path": "/memories/link", "old_str": "key", "new_str": "x"},
        {"command": "create", "path": "/memories/up/new", "file_text": "x"},
        {"command": "insert", "path": "/memories/link", "insert_line": 0, "insert_text": "x"},
    ]

    assert [memory(each, Host(root)).errors[0]["code"] for each in commands] == ["P307"] * len(commands)
    assert (root / "secret").read_text() == "key\n"
    listed = memory({"command": "view", "path": "/memories"}, Host(root)).text.splitlines()
    assert listed[1:] == ["/memories", "/memories/up/", "/memories/link"]


def test_a_command_that_would_last_in_a_session_says_that_it_does_not(root):
    said = {command: bash({"command": command}, Host(root)).text for command in ("cd /", "export A=1", "A=1", "ls")}

    assert [command for command, text in said.items() if "new shell" in text] == ["cd /", "export A=1", "A=1"]


def test_an_item_that_json_cannot_say_is_read_as_it_is():
    class Model:
        def model_dump(self, mode="python"):
            if mode == "json":
                raise UnicodeDecodeError("utf-8", b"x", 0, 1, "not UTF-8")
            return {"input": b"x"}

    assert plain_item(Model()) == {"input": b"x"}
