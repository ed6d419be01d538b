"""`patchkit mcp`, by the messages that go over the wire: no SDK is needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import jsonschema
import pytest
from child_processes import gone, number_in, wait_until
from mcp_client import MODERN, RawClient, modern

from patchkit.policy.trust import trust_below
from patchkit.runtimes.answers import Host
from patchkit.runtimes.mcp import McpServer, is_project, lines_of, place_of
from patchkit.runtimes.mcp.protocol import HANDSHAKES, OUTPUT_SCHEMA, VERSIONS
from patchkit.runtimes.setup.clients import CLIENTS, ClientSetup
from patchkit.sandbox.landlock import WHOLE, version
from patchkit.sandbox.system_calls import is_known
from patchkit.tools.registry import TOOLS, named
from patchkit.tools.wording import published

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+two\n*** End Patch\n"
NEAR = "*** Begin Patch\n*** Update File: b.py\n@@ def g():\n-    return 2\n+    return 3\n*** End Patch\n"


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "Makefile").write_text("all:\n")  # a project
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


@pytest.fixture
def facts(start):
    """A client that is a program: its results have facts."""
    client = start("--structured")
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
    assert all(("title" in tool) == has.structured for tool in tools)
    assert not any("outputSchema" in tool for tool in tools)
    assert "structuredContent" not in client.call("Read", file_path="a.py")


@pytest.mark.parametrize("version", HANDSHAKES)
def test_a_program_gets_facts_where_its_version_has_them(start, version):
    client = start("--structured")
    client.initialize(version)
    tools = client.ask("tools/list")["result"]["tools"]
    has = VERSIONS[version].structured

    assert [tool.get("outputSchema") for tool in tools] == [OUTPUT_SCHEMA if has else None] * len(tools)
    assert ("structuredContent" in client.call("Read", file_path="a.py")) == has


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
    """A client that does not wait long enough for the first goes on with the second."""
    client = start()
    first = client.request("server/discover", modern())
    second = client.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})

    assert client.answer(first)["result"]["supportedVersions"] == [MODERN]
    assert client.answer(second)["result"]["protocolVersion"] == "2025-11-25"
    assert "resultType" not in client.ask("tools/list")["result"]
    assert client.ask("tools/list", modern())["result"]["resultType"] == "complete"


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


def test_a_line_that_is_too_long_is_answered_as_no_message_and_the_next_one_is_read(monkeypatch):
    monkeypatch.setattr("patchkit.runtimes.mcp._LONGEST_LINE", 10)
    pieces = iter([b'{"a": ', b"1, 2, 3, 4", b"}\n{}\n", b""])

    assert list(lines_of(lambda size: next(pieces))) == [b"\0}", b"{}"]


# -- tools and results ---------------------------------------------------------------------------


def test_the_tools_of_the_first_specification_are_declared_in_its_words(client):
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}

    for name in ("Read", "Edit", "MultiEdit"):
        assert (tools[name]["description"], tools[name]["inputSchema"]) == published(named(name), wording="seed")


def test_hints_are_true(client):
    tools = {tool["name"]: tool["annotations"] for tool in client.ask("tools/list")["result"]["tools"]}

    assert {name for name, hints in tools.items() if hints["readOnlyHint"]} == {"Read", "LS", "Glob", "Grep", "check"}
    assert {name for name, hints in tools.items() if hints["openWorldHint"]} == {"Bash"}
    assert {name for name, hints in tools.items() if hints.get("idempotentHint")} <= {"Write", "Delete"}
    assert all("destructiveHint" in hints for hints in tools.values() if not hints["readOnlyHint"])


def test_the_list_of_tools_is_small(client):
    assert len(json.dumps(client.ask("tools/list"))) < 25_000


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
    assert result["content"] == [{"type": "text", "text": "Success. Updated the following files:\nM a.py\n"}]
    assert sorted(result) == ["content", "isError"]


def test_a_patch_is_applied_in_part_where_that_is_asked_for(facts, root):
    more = "*** Update File: b.py\n@@\n-gone\n+two\n*** End Patch"
    (root / "b.py").write_text("one\n")
    result = facts.call("apply_patch", input=PATCH.replace("*** End Patch", more), partial="files")

    said = result["structuredContent"]
    assert (said["status"], "-gone\n+two\n" in said["data"]["rest"]) == ("partial", True)
    assert [(root / name).read_text() for name in ("a.py", "b.py")] == ["two\n", "one\n"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("apply_patch", {"input": PATCH.replace("one", "gone")}, "P201"),
        ("apply_patch", {"input": PATCH, "verify": ["false"]}, "P648"),
        ("apply_patch", {}, "P606"),
        ("Read", {"file_path": "missing"}, "P302"),
        ("Read", {"file_path": "/etc/passwd"}, "P301"),
        ("Read", {"file_path": 3}, "P603"),
        ("Edit", {"file_path": "a.py", "wrong": 1, "strict": True}, "P605"),
        ("Write", {"file_path": "a.py", "content": "x"}, "P611"),
        ("Bash", {"command": "sudo id"}, "P642"),
    ],
)
def test_a_refusal_is_a_result_that_says_its_code_and_fits_the_schema(facts, tool, arguments, code):
    result = facts.call(tool, **arguments)

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


def test_a_refused_patch_has_the_correction_and_the_nearest_place_in_its_data(start, root):
    client = start("--structured=all")
    client.initialize()
    result = client.call("apply_patch", input=NEAR)

    text = result["content"][0]["text"]
    hunk = result["structuredContent"]["data"]["files"][0]["hunks"][0]
    corrected = result["structuredContent"]["data"]["suggestion"]
    assert text.startswith("error[P201]: hunk not found in 'b.py'\ncorrected patch (")
    assert (hunk["near_miss"]["line"], corrected in text) == (6, True)
    assert client.call("apply_patch", input=corrected)["isError"] is False
    assert "return 3" in (root / "b.py").read_text()


def test_facts_are_small_and_repeat_no_text(facts):
    refused = facts.call("apply_patch", input=NEAR)
    read = facts.call("Read", file_path="b.py")
    done = facts.call("apply_patch", input=PATCH)["structuredContent"]

    assert len(json.dumps(refused["structuredContent"])) < 500
    assert "def g" not in json.dumps(read["structuredContent"])
    assert "sha256" not in json.dumps(done)
    assert done["data"]["files"][0]["path"] == "a.py"


def test_a_refusal_is_no_longer_than_in_a_terminal(client, root):
    text = client.call("apply_patch", input=NEAR)["content"][0]["text"]
    words = [sys.executable, "-P", "-c", "from patchkit.cli.apply_patch import main; main()"]
    shown = subprocess.run(words, input=NEAR.encode(), capture_output=True, cwd=root)

    assert len(text) <= len(shown.stderr.decode())


def test_a_correct_result_fits_the_schema(facts):
    for tool, arguments in [
        ("LS", {}),
        ("Glob", {"pattern": "*"}),
        ("Grep", {"pattern": "one"}),
        ("Bash", {"command": ":"}),
    ]:
        jsonschema.validate(facts.call(tool, **arguments)["structuredContent"], OUTPUT_SCHEMA)


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

    assert second.call("Edit", **edit)["content"][0]["text"].count("[P611]") == 1
    assert first.call("Edit", **edit)["isError"] is False


def test_the_root_of_a_client_does_not_widen_the_workspace(start, root):
    client = start()
    params = {"protocolVersion": "2025-06-18", "capabilities": {"roots": {"listChanged": True}}}
    client.ask("initialize", {**params, "clientInfo": {"name": "t", "version": "1"}})
    client.notify("notifications/initialized")

    assert client.call("LS", path="..")["content"][0]["text"].count("[P301]") == 1
    assert client.call("Read", file_path=str(root / "a.py"))["isError"] is False


def test_a_link_in_the_place_of_the_workspace_is_not_followed(client, root, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "secret.txt").write_text("secret\n")
    root.rename(root.with_name("away"))
    root.symlink_to(elsewhere)

    refused = client.call("Read", file_path="secret.txt")
    root.unlink()
    root.with_name("away").rename(root)

    assert (refused["isError"], refused["content"][0]["text"].count("[P312]")) == (True, 1)
    assert client.call("Read", file_path="a.py")["isError"] is False


def test_an_agent_is_denied_what_needs_approval(start):
    client = start("--as-agent")
    client.initialize()

    assert client.call("Bash", command="touch x")["content"][0]["text"].count("[P652]") == 1


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


@pytest.mark.parametrize("name", CLIENTS)
def test_a_configuration_starts_the_server(name):
    where, text = CLIENTS[name].configuration(ClientSetup(["/bin/patchkit"], ["--read-only"], False))
    if name == "codex":
        import tomllib

        assert tomllib.loads(text) == {
            "mcp_servers": {"patchkit": {"command": "/bin/patchkit", "args": ["mcp", "--read-only"]}}
        }
        return
    (servers,) = json.loads(text).values()
    server = servers["patchkit"]
    words = server["command"] if isinstance(server["command"], list) else [server["command"], *server["args"]]
    assert words == ["/bin/patchkit", "mcp", "--read-only"]
    assert where.endswith(("json", "json of the project"))


# -- many calls, and commands that look for the protocol -------------------------------------------


def test_two_thousand_calls_at_once_have_few_threads_and_are_all_answered(client, root):
    def most_memory():  # MB, at any time
        status = Path(f"/proc/{client.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) >> 10

    assert client.call("Read", file_path="a.py")["isError"] is False
    before = most_memory()
    for number in range(2000):
        client.request("tools/call", {"name": "Read", "arguments": {"file_path": "a.py"}}, f"r{number}")
    client.request("tools/call", {"name": "Bash", "arguments": {"command": "true"}}, "b")
    most = 0
    answered = set()
    while len(answered) < 2001:
        answered.add(client.receive()["id"])
        threads = len(os.listdir(f"/proc/{client.process.pid}/task"))
        most = max(most, threads)

    assert answered == {"b", *(f"r{number}" for number in range(2000))}
    assert most <= 66
    assert most_memory() - before < 150


def test_changes_are_made_in_the_order_in_which_they_were_sent(client, root):
    sent = [f"w{number}" for number in range(40)]
    for name in sent:
        client.request("tools/call", {"name": "Write", "arguments": {"file_path": name, "content": name}}, name)
    answers = [client.receive() for _ in sent]

    assert [(each["id"], each["result"]["isError"]) for each in answers] == [(name, False) for name in sent]


def test_slow_commands_hold_no_read(client):
    for number in range(40):
        client.request("tools/call", {"name": "Bash", "arguments": {"command": "sleep 600"}}, f"s{number}")

    assert client.call("Read", file_path="a.py")["isError"] is False


FORGE = """for f in /proc/$PPID/fd/* /proc/$1/fd/*; do
echo '{"jsonrpc":"2.0","id":"forged","result":{}}' > $f; done 2> /dev/null; echo done
"""


@pytest.mark.skipif(not is_known() or version() < WHOLE, reason="this kernel has no Landlock, or an old one")
def test_a_command_in_the_sandbox_of_an_agent_cannot_write_into_the_protocol(start, root, monkeypatch):
    """Which the same command can without it. In a file: the rules do not know what it does, and let it run."""
    (root / ".patchkit.toml").write_text('[permissions]\nexecute = "allow"\nread = "allow"\n')
    (root / "forge.sh").write_text(FORGE)
    monkeypatch.setenv("XDG_STATE_HOME", str(root.parent / "state"))
    trust_below(str(root))
    free = start()
    free.initialize()
    free.request("tools/call", {"name": "Bash", "arguments": {"command": f"sh forge.sh {free.process.pid}"}}, "call")
    assert free.receive()["id"] == "forged"

    client = start("--as-agent")
    client.initialize()
    assert client.call("Bash", command=f"sh forge.sh {client.process.pid}")["content"][0]["text"] == "done\n"
    status, rest = client.close()
    assert (status, b"forged" in rest) == (0, False)


def test_what_is_printed_for_a_client_names_the_file_and_the_command_that_writes_it(start):
    client = start("--install", "claude")
    out, err = client.process.communicate()

    assert json.loads(out)["mcpServers"]["patchkit"]["args"][-2:] == ["mcp", "--no-bash"]
    assert (
        "put this into .mcp.json of the project\npatchkit mcp: or run: patchkit install claude --mcp\n" in err.decode()
    )
    assert "headless: claude --allowedTools mcp__patchkit\n" in err.decode()


# -- where nobody has named the workspace -----------------------------------------------------------

ROOTS = {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": {"name": "t", "version": "1"}}


@pytest.fixture
def elsewhere(tmp_path):
    """Starts a server in a directory that is no project."""
    place = tmp_path / "bare" / "place"
    place.mkdir(parents=True)
    (place / "a.py").write_text("one\n")
    clients = []

    def start_server(*words):
        clients.append(RawClient(place, *words))
        return clients[-1]

    yield place, start_server
    for client in clients:
        client.process.kill()
        client.process.communicate()


def test_without_a_project_a_server_reads_and_says_so_first(elsewhere):
    place, start = elsewhere
    client = start()
    said = client.initialize()["instructions"]
    read = client.call("Read", file_path="a.py")["content"][0]["text"]
    again = client.call("Read", file_path="a.py")["content"][0]["text"]
    refused = client.call("apply_patch", input=PATCH)

    assert said.startswith(f"This server only reads: it was started in '{place}'")
    assert read.startswith("This server only reads: ")
    assert again.startswith("     1→one\n")
    assert (refused["isError"], (place / "a.py").read_text()) == (True, "one\n")
    assert "error[P312]" in refused["content"][0]["text"]


def test_a_root_that_is_named_or_the_only_one_of_the_client_is_the_workspace(elsewhere):
    place, start = elsewhere
    named = start("--root", str(place))
    named.initialize()
    assert named.call("apply_patch", input=PATCH)["isError"] is False
    for uris, applied in (([f"file://{place}"], True), ([], False), ([f"file://{place}", "file:///tmp"], False)):
        (place / "a.py").write_text("one\n")
        client = start()
        said = client.ask("initialize", ROOTS)["result"]["instructions"]
        client.notify("notifications/initialized")
        asked = client.receive()
        assert asked["method"] == "roots/list"
        client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": uri} for uri in uris]}})
        made = client.call("apply_patch", input=PATCH)
        only_reads = [text.startswith("This server only reads") for text in (said, made["content"][0]["text"])]
        assert (made["isError"], only_reads) == (not applied, [False, not applied])
        assert (place / "a.py").read_text() == ("two\n" if applied else "one\n")


def test_the_whole_disk_and_a_home_are_no_project_whatever_is_in_them(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".git").mkdir()
    (tmp_path / "project" / "sub").mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()

    assert [is_project(str(each)) for each in ("/", tmp_path.parent, tmp_path)] == [False] * 3
    assert is_project(str(tmp_path / "project" / "sub"))
    assert [place_of(f"file://{each}") for each in ("/", tmp_path.parent, tmp_path, "/none")] == [""] * 4
    assert place_of(f"file://{tmp_path}/project") == f"{tmp_path}/project"


# -- what a model reads -------------------------------------------------------------------------------


def test_texts_name_the_tools_as_they_are_offered(client):
    listed = json.dumps(client.ask("tools/list"))
    said = client.call("Bash", command="seq 1 40000")["content"][0]["text"]

    assert not any(name in listed + client.initialize()["instructions"] for name in ("read_file", "the grep, glob"))
    assert "using Read with offset and limit" in said


def test_only_claude_is_reminded(start):
    reminded = []
    for name in ("claude-code", "codex-mcp-client", "gemini-cli-mcp-client", "t"):
        client = start()
        client.ask("initialize", {**ROOTS, "clientInfo": {"name": name, "version": "1"}})
        reminded.append("<system-reminder>" in client.call("Read", file_path="a.py")["content"][0]["text"])

    assert reminded == [True, False, False, False]


def test_help_names_only_fields_that_are_declared(client):
    client.call("apply_patch", input=PATCH)
    text = client.call("apply_patch", input=PATCH)["content"][0]["text"]

    assert "error[P205]" in text
    assert "forward" not in text


def test_what_a_tool_changed_is_undone_by_one(client, root):
    client.call("apply_patch", input=PATCH)
    undone = client.call("Undo")
    nothing = client.call("Undo")

    assert (undone["isError"], (root / "a.py").read_text()) == (False, "one\n")
    assert (nothing["isError"], "error[P321]" in nothing["content"][0]["text"]) == (True, True)


def test_no_more_than_64_calls_run_at_once_half_of_them_commands_and_all_are_answered(client, root):
    script = "touch n/$$; until [ -e go ]; do sleep 0.2; done"
    (root / "n").mkdir()
    calls = [client.request("tools/call", {"name": "Bash", "arguments": {"command": script}}) for _ in range(70)]
    wait_until(lambda: len(list((root / "n").iterdir())) >= 32, "32 commands run")
    assert client.call("Read", file_path="a.py")["isError"] is False
    client.notify("notifications/cancelled", {"requestId": calls.pop()})
    running = len(list((root / "n").iterdir()))
    (root / "go").touch()

    assert running == 32
    assert [client.answer(each)["result"]["isError"] for each in calls] == [False] * 69


def test_an_id_may_be_used_again_as_soon_as_it_is_answered(root):
    answered, taken, sent = threading.Event(), threading.Event(), []
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "LS"}}

    def lines():
        yield json.dumps(call).encode()
        answered.wait(10)
        yield json.dumps(call).encode()
        taken.set()

    def send(line):
        sent.append(json.loads(line))
        answered.set()
        taken.wait(1)  # the client has the answer, and the call has not ended yet

    McpServer(Host(root), send).serve(lines())

    assert [each["result"]["isError"] for each in sent if "result" in each] == [False, False]
