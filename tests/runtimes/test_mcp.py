"""`patchkit mcp`, by the messages that go over the wire: no SDK is needed."""

from __future__ import annotations

import json
import os
import time

import jsonschema
import pytest
from child_processes import gone, number_in, wait_until
from mcp_client import MODERN, RawClient, modern

from patchkit.cli.commands.mcp import MCP_CLIENTS, configuration
from patchkit.runtimes.mcp import lines_of
from patchkit.runtimes.mcp.protocol import HANDSHAKES, OUTPUT_SCHEMA, VERSIONS
from patchkit.tools.registry import TOOLS

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+two\n*** End Patch\n"
NEAR = "*** Begin Patch\n*** Update File: b.py\n@@ def g():\n-    return 2\n+    return 3\n*** End Patch\n"


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_text("one\n")
    (path / "b.py").write_text("def f():\n    return 1\n\n\ndef g():\n    return   2\n")
    return path


@pytest.fixture
def start(root):
    """Starts a server in the workspace; all of them are ended with the test."""
    clients = []

    def start_server(*words):
        clients.append(RawClient(root, *words))
        return clients[-1]

    yield start_server
    for client in clients:
        client.process.kill()
        client.process.communicate()


@pytest.fixture
def client(start):
    client = start()
    client.initialize()
    return client


# -- versions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_client_gets_the_version_it_asks_for(start, version):
    said = start().initialize(version)

    assert (said["protocolVersion"], said["serverInfo"]["name"]) == (version, "patchkit")
    assert "apply_patch" in said["instructions"]


def test_a_client_of_an_unknown_version_is_offered_the_newest_with_a_handshake(start):
    assert start().initialize("2031-01-01")["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_tool_has_what_its_version_declares(start, version):
    client = start()
    client.initialize(version)
    tools = client.ask("tools/list")["result"]["tools"]

    has = VERSIONS[version]
    assert [tool["name"] for tool in tools] == [tool.name for tool in TOOLS]
    assert all(("annotations" in tool) == has.annotations for tool in tools)
    assert all(("outputSchema" in tool) == ("title" in tool) == has.structured for tool in tools)
    assert ("structuredContent" in client.call("Read", file_path="a.py")) == has.structured


def test_a_client_without_a_handshake_says_its_version_in_every_request(start):
    client = start()
    found = client.ask("server/discover", modern())["result"]
    tools = client.ask("tools/list", modern())["result"]
    called = client.ask("tools/call", modern({"name": "Read", "arguments": {"file_path": "a.py"}}))["result"]

    assert found["supportedVersions"] == [MODERN]
    assert {each["resultType"] for each in (found, tools, called)} == {"complete"}
    assert all(each["cacheScope"] == "public" and each["ttlMs"] > 0 for each in (found, tools))
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "patchkit"
    assert called["isError"] is False


def test_a_connection_without_a_handshake_refuses_one(start):
    client = start()
    client.ask("tools/list", modern())
    error = client.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})["error"]

    assert (error["code"], error["data"]) == (-32022, {"supported": [MODERN], "requested": "2025-11-25"})


def test_a_version_that_no_one_knows_is_refused_with_the_known_ones(start):
    error = start().ask("tools/list", modern(version="2030-01-01"))["error"]

    assert (error["code"], error["data"]) == (-32022, {"supported": [MODERN], "requested": "2030-01-01"})


@pytest.mark.parametrize("missing", ["protocolVersion", "clientCapabilities"])
def test_a_request_without_a_handshake_has_all_that_it_needs(start, missing):
    client = start()
    client.ask("tools/list", modern())
    params = modern()
    del params["_meta"][f"io.modelcontextprotocol/{missing}"]
    error = client.ask("tools/list", params)["error"]

    assert (error["code"], missing in error["message"]) == (-32602, True)


def test_discovery_and_a_handshake_at_once_are_both_answered(start):
    client = start()
    first = client.request("server/discover", modern())
    second = client.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})

    assert "result" in client.answer(first)
    assert client.answer(second)["error"]["code"] == -32022


# -- messages ------------------------------------------------------------------------------------


def test_a_ping_is_answered(client):
    assert client.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"{", -32700),
        (b"[]", -32600),
        (b"\xff", -32700),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}, -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "Nothing"}}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": []}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/call"}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}}, -32602),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
        ({"id": 1, "method": "ping"}, -32600),
        (b"[" * 100_000, -32700),
    ],
)
def test_a_wrong_message_is_answered_with_its_code(client, message, code):
    client.send(message)

    assert client.receive()["error"]["code"] == code
    assert client.ask("ping")["result"] == {}


def test_answers_unknown_notifications_and_empty_lines_are_ignored(client):
    client.send({"jsonrpc": "2.0", "id": 99, "result": {}})
    client.notify("notifications/roots/list_changed")
    client.notify("notifications/cancelled", {"requestId": 12345})
    client.send(b"")

    assert client.ask("ping")["result"] == {}


def test_a_batch_is_answered_by_one_array_in_the_version_that_has_batches(start):
    client = start()
    client.initialize("2025-03-26")
    call = {"name": "Read", "arguments": {"file_path": "a.py"}}
    client.send(
        [
            {"jsonrpc": "2.0", "id": "x", "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": "y", "method": "tools/call", "params": call},
        ]
    )

    assert sorted(each["id"] for each in client.receive()) == ["x", "y"]


def test_a_cancelled_call_of_a_batch_does_not_hold_the_others(start):
    client = start()
    client.initialize("2025-03-26")
    slow = {"name": "Bash", "arguments": {"command": "sleep 3600"}}
    calls = [{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": slow}]
    client.send([*calls, {"jsonrpc": "2.0", "id": 8, "method": "ping"}])
    client.notify("notifications/cancelled", {"requestId": 7})

    assert client.receive() == [{"jsonrpc": "2.0", "id": 8, "result": {}}]


def test_lines_are_split_at_line_feeds_only():
    pieces = iter([b"a\xe2\x80", b"\xa8b\r\nc", b"\n\nd", b""])

    assert list(lines_of(lambda size: next(pieces))) == [b"a\xe2\x80\xa8b\r", b"c", b"", b"d"]


# -- tools and results ---------------------------------------------------------------------------


def test_hints_are_true(client):
    tools = {tool["name"]: tool["annotations"] for tool in client.ask("tools/list")["result"]["tools"]}

    assert {name for name, hints in tools.items() if hints["readOnlyHint"]} == {"Read", "LS", "Glob", "Grep", "check"}
    assert {name for name, hints in tools.items() if hints["openWorldHint"]} == {"Bash"}
    assert {name for name, hints in tools.items() if hints.get("idempotentHint")} <= {"Write", "Delete"}
    assert all("destructiveHint" in hints for hints in tools.values() if not hints["readOnlyHint"])


def test_the_list_of_tools_is_small(client):
    assert len(json.dumps(client.ask("tools/list"))) < 32_000


def test_only_reading_tools_are_offered_read_only(start):
    client = start("--read-only")
    client.initialize()
    names = {tool["name"] for tool in client.ask("tools/list")["result"]["tools"]}

    assert names == {"Read", "LS", "Glob", "Grep", "check"}
    refused = client.ask("tools/call", {"name": "Write", "arguments": {"file_path": "n", "content": ""}})
    assert refused["error"]["code"] == -32602


def test_only_the_named_tools_are_offered(start):
    client = start("--tools", "read_file,apply_patch")
    client.initialize()

    assert [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]] == ["Read", "apply_patch"]


def test_a_call_changes_the_file(client, root):
    result = client.call("apply_patch", input=PATCH)

    assert (result["isError"], (root / "a.py").read_text()) == (False, "two\n")
    assert result["content"] == [{"type": "text", "text": result["structuredContent"]["text"]}]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("apply_patch", {"input": PATCH.replace("one", "gone")}, "P201"),
        ("apply_patch", {}, "P606"),
        ("Read", {"file_path": "missing"}, "P302"),
        ("Read", {"file_path": "/etc/passwd"}, "P301"),
        ("Read", {"file_path": 3}, "P603"),
        ("Read", {"file_path": "a.py", "wrong": 1}, "P605"),
        ("Write", {"file_path": "a.py", "content": "x"}, "P611"),
        ("Bash", {"command": "sudo id"}, "P642"),
    ],
)
def test_a_refusal_is_a_result_that_says_its_code_and_fits_the_schema(client, tool, arguments, code):
    result = client.call(tool, **arguments)

    jsonschema.validate(result["structuredContent"], OUTPUT_SCHEMA)
    assert (result["isError"], result["structuredContent"]["error"]["code"]) == (True, code)
    assert [block["type"] for block in result["content"]] == ["text"]
    assert f"[{code}]" in result["content"][0]["text"]
    assert result["content"][0]["text"].endswith("\n")


def test_a_text_in_another_format_is_refused_in_the_words_of_a_tool(client):
    for tool in ("apply_patch", "check"):
        text = client.call(tool, input="--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+two\n")["content"][0]["text"]
        assert ("error[P108]" in text, "help: send the change as a patch" in text, "--from" in text) == (
            True,
            True,
            False,
        )


def test_a_refused_patch_has_the_correction_and_the_nearest_place_in_its_data(client, root):
    result = client.call("apply_patch", input=NEAR)

    text = result["content"][0]["text"]
    hunk = result["structuredContent"]["data"]["files"][0]["hunks"][0]
    corrected = result["structuredContent"]["data"]["suggestion"]
    assert text.startswith("error[P201]: hunk not found in 'b.py'\ncorrected patch (")
    assert (hunk["near_miss"]["line"], corrected in text) == (6, True)
    assert client.call("apply_patch", input=corrected)["isError"] is False
    assert "return 3" in (root / "b.py").read_text()


def test_a_correct_result_fits_the_schema(client):
    for tool, arguments in [
        ("LS", {}),
        ("Glob", {"pattern": "*"}),
        ("Grep", {"pattern": "one"}),
        ("Bash", {"command": ":"}),
    ]:
        jsonschema.validate(client.call(tool, **arguments)["structuredContent"], OUTPUT_SCHEMA)


def test_an_image_is_an_image_block(client, root):
    (root / "i.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 20)
    content = client.call("Read", file_path="i.png")["content"]

    assert [block["type"] for block in content] == ["text", "image"]
    assert content[1]["mimeType"] == "image/png"


def test_a_name_that_is_not_utf8_is_shown_escaped(client, root):
    os.mkdir(os.fsencode(root) + b"/caf\xe9")
    line = client.request("tools/call", {"name": "LS", "arguments": {}})
    raw = client.process.stdout.readline()

    raw.decode("utf-8")
    assert b"\\ud" not in raw
    assert "caf\\xe9" in json.loads(raw)["result"]["content"][0]["text"]
    assert json.loads(raw)["id"] == line


def test_half_of_a_character_in_a_request_is_an_answer(client):
    client.send(
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Read","arguments":{"file_path":"\\ud800"}}}'
    )

    assert client.answer(7)["result"]["isError"] is True


# -- sessions and the workspace ------------------------------------------------------------------


def test_a_server_is_a_session_of_its_own(start):
    first, second = start(), start()
    for client in (first, second):
        client.initialize()
    first.call("Read", file_path="a.py")
    edit = {"file_path": "a.py", "old_string": "one", "new_string": "two"}

    assert second.call("Edit", **edit)["structuredContent"]["error"]["code"] == "P611"
    assert first.call("Edit", **edit)["isError"] is False


def test_the_root_of_a_client_does_not_widen_the_workspace(start, root):
    client = start()
    params = {"protocolVersion": "2025-06-18", "capabilities": {"roots": {"listChanged": True}}}
    client.ask("initialize", {**params, "clientInfo": {"name": "t", "version": "1"}})
    client.notify("notifications/initialized")

    assert client.call("LS", path="..")["structuredContent"]["error"]["code"] == "P301"
    assert client.call("Read", file_path=str(root / "a.py"))["isError"] is False


def test_an_agent_is_denied_what_needs_approval(start):
    client = start("--as-agent")
    client.initialize()

    assert client.call("Bash", command="touch x")["structuredContent"]["error"]["code"] == "P652"


# -- concurrency, cancelling, progress -----------------------------------------------------------


def test_a_slow_command_holds_no_read(client, root):
    waits = "until [ -e go ]; do sleep 0.05; done; echo slow"
    slow = client.request("tools/call", {"name": "Bash", "arguments": {"command": waits}})
    for _ in range(5):
        assert client.call("Read", file_path="a.py")["isError"] is False
    (root / "go").touch()
    assert client.answer(slow)["result"]["content"][0]["text"] == "slow\n"


def test_fifty_calls_at_once_are_all_right(client, root):
    for number in range(25):
        (root / f"n{number}").write_text(f"{number}\n")
    edits = "\n".join(f"line {number} end" for number in range(25)) + "\n"
    (root / "many").write_text(edits)
    client.call("Read", file_path="many")
    reads = [client.request("tools/call", {"name": "Read", "arguments": {"file_path": f"n{n}"}}) for n in range(25)]
    changes = [
        client.request(
            "tools/call",
            {
                "name": "Edit",
                "arguments": {"file_path": "many", "old_string": f"line {n} end", "new_string": f"new {n} end"},
            },
        )
        for n in range(25)
    ]

    for number, identity in enumerate(reads):
        assert client.answer(identity)["result"]["content"][0]["text"].startswith(f"     1→{number}\n")
    assert [client.answer(identity)["result"]["isError"] for identity in changes] == [False] * 25
    assert (root / "many").read_text() == edits.replace("line", "new")


def test_a_cancelled_command_ends_and_is_not_answered(client, root):
    identity = client.request(
        "tools/call", {"name": "Bash", "arguments": {"command": "echo $$ > pid; sleep 3600 & echo $! > child; wait"}}
    )
    wait_until(lambda: number_in(root / "child"), "the command runs")
    client.notify("notifications/cancelled", {"requestId": identity, "reason": "enough"})

    assert gone(number_in(root / "pid"))
    assert gone(number_in(root / "child"))
    assert client.ask("ping")["result"] == {}
    assert client.notifications == []
    status, rest = client.close()
    assert (status, rest) == (0, b"")


def test_progress_grows_and_comes_before_the_result(client, root):
    script = "for i in 1 2 3; do echo $i; while [ ! -e seen$i ]; do sleep 0.05; done; sleep 0.2; done"
    params = {"name": "Bash", "arguments": {"command": script}, "_meta": {"progressToken": "p"}}
    identity = client.request("tools/call", params)
    steps = []
    for number in (1, 2, 3):  # the next line is written when the last was seen, and some time has passed
        steps.append(client.receive()["params"])
        (root / f"seen{number}").touch()

    assert client.answer(identity)["result"]["isError"] is False
    assert client.notifications == []
    assert [each["message"] for each in steps] == ["1", "2", "3"]
    assert [each["progress"] for each in steps] == [2, 4, 6]
    assert {each["progressToken"] for each in steps} == {"p"}


def test_there_is_no_progress_for_a_client_that_did_not_ask(client):
    client.call("Bash", command="echo 1; sleep 0.2; echo 2")

    assert client.notifications == []


# -- the wire and the end ------------------------------------------------------------------------


def test_what_children_print_and_read_stays_off_the_wire(client):
    left = client.call("Bash", command="cat; echo out; echo err >&2; (sleep 0.3; echo late) & disown")

    assert left["content"][0]["text"].startswith("out\nerr\n")
    time.sleep(0.5)
    assert client.ask("ping")["result"] == {}


def test_requests_that_were_sent_before_the_end_are_answered(start):
    client = start()
    client.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}}, "i")
    for number in range(5):
        client.request("tools/call", {"name": "Read", "arguments": {"file_path": "a.py"}}, number)
    status, rest = client.close()

    assert status == 0
    assert sorted(str(json.loads(line)["id"]) for line in rest.splitlines()) == ["0", "1", "2", "3", "4", "i"]


def test_a_command_that_runs_at_the_end_is_ended(client, root):
    client.request("tools/call", {"name": "Bash", "arguments": {"command": "sleep 3600 & echo $! > child; wait"}})
    wait_until(lambda: number_in(root / "child"), "the command runs")
    status, _ = client.close()

    assert status == 0
    assert gone(number_in(root / "child"))


def test_a_server_that_is_terminated_ends_its_commands(client, root):
    client.request("tools/call", {"name": "Bash", "arguments": {"command": "sleep 3600 & echo $! > child; wait"}})
    wait_until(lambda: number_in(root / "child"), "the command runs")
    client.process.terminate()
    client.process.wait()

    assert gone(number_in(root / "child"))


# -- the command line ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tools", "Nothing"], "unknown tool 'Nothing'"),
        (["--root", "/nowhere"], "is not a directory"),
        (["--install", "emacs"], "'emacs' is not one of 'claude'"),
        (["here"], "got unexpected extra argument (here)"),
    ],
)
def test_a_wrong_command_line_is_reported(start, words, said):
    client = start(*words)
    out, err = client.process.communicate()

    assert (client.process.returncode, out) == (2, b"")
    assert said in err.decode()


@pytest.mark.parametrize("name", MCP_CLIENTS)
def test_a_configuration_starts_the_server(name):
    where, text = configuration(name, "/bin/patchkit", ["mcp", "--read-only"])
    if name == "codex":
        import tomllib

        assert tomllib.loads(text) == {
            "mcp_servers": {"patchkit": {"command": "/bin/patchkit", "args": ["mcp", "--read-only"]}}
        }
        return
    (servers,) = [value for key, value in json.loads(text).items() if key != "$schema"]
    server = servers["patchkit"]
    words = server["command"] if isinstance(server["command"], list) else [server["command"], *server["args"]]
    assert words[:3] == ["/bin/patchkit", "mcp", "--read-only"]
    assert where.endswith(("json", "json of the project"))
