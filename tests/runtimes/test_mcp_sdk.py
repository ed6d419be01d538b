"""`patchkit mcp` with the client of the official SDK, in every version of the protocol that it speaks."""

from __future__ import annotations

import asyncio
import json
import os

import pytest
from child_processes import gone, number_in
from mcp_client import REPOSITORY, command

pytest.importorskip("mcp", reason="the MCP SDK is not installed (pip install mcp)")

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS

from patchkit.runtimes.mcp.protocol import VERSIONS

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+two\n*** End Patch\n"
MODES = ["auto", "legacy", "2026-07-28"]
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_text("one\n")
    return path


def with_client(root, work, mode="auto", *words):
    """Runs `work` with a connected client, and returns what it returns."""
    first, *rest = command("--root", str(root), *words)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}
    environment["XDG_STATE_HOME"] = str(root.parent / "state")
    server = StdioServerParameters(command=first, args=rest, env=environment)

    async def run():
        async with Client(stdio_client(server), mode=mode) as client:
            return await work(client)

    return asyncio.run(run())


def test_the_table_of_versions_is_that_of_the_sdk():
    assert tuple(VERSIONS) == KNOWN_PROTOCOL_VERSIONS
    assert tuple(name for name, has in VERSIONS.items() if has.handshake) == HANDSHAKE_PROTOCOL_VERSIONS


@pytest.mark.parametrize("mode", MODES)
def test_the_client_lists_and_calls_tools(root, mode):
    async def work(client):
        tools = (await client.list_tools()).tools
        done = await client.call_tool("apply_patch", {"input": PATCH})
        read = await client.call_tool("Read", {"file_path": "a.py"})
        return client.protocol_version, [tool.name for tool in tools], done, read

    version, names, done, read = with_client(root, work, mode)

    assert version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert {"Read", "Edit", "apply_patch", "Bash"} <= set(names)
    assert (done.is_error, (root / "a.py").read_text()) == (False, "two\n")
    assert (read.structured_content, read.content[0].text) == (None, "     1→two\n")


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_the_client_speaks_every_version_with_a_handshake(root, version, monkeypatch):
    monkeypatch.setattr("mcp.client.session.LATEST_HANDSHAKE_VERSION", version)

    async def work(client):
        return client.protocol_version, await client.call_tool("Read", {"file_path": "a.py"})

    agreed, read = with_client(root, work, "legacy")

    assert (agreed, read.is_error) == (version, False)


@pytest.mark.parametrize("mode", MODES)
def test_a_refusal_reaches_the_caller(root, mode):
    async def work(client):
        refused = await client.call_tool("apply_patch", {"input": PATCH.replace("one", "gone")})
        wrong = await client.call_tool("Read", {"nothing": 1})
        return refused, wrong

    refused, wrong = with_client(root, work, mode)

    assert [refused.is_error, "error[P201]" in refused.content[0].text] == [True, True]
    assert [wrong.is_error, "error[P606]" in wrong.content[0].text] == [True, True]


@pytest.mark.parametrize("mode", MODES)
def test_progress_reaches_the_caller(root, mode):
    async def work(client):
        seen = []

        async def progress(done, total, message):
            seen.append((done, message))
            (root / "seen").touch()

        script = "echo 1; until [ -e seen ]; do sleep 0.05; done; sleep 0.2; echo 2"
        await client.call_tool("Bash", {"command": script}, progress_callback=progress)
        return seen

    assert with_client(root, work, mode) == [(2, "1"), (4, "2")]


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_the_caller_gives_up_is_ended(root, mode):
    async def work(client):
        task = asyncio.ensure_future(client.call_tool("Bash", {"command": "echo $$ > pid; sleep 3600"}))
        while number_in(root / "pid") is None:
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(gone, number_in(root / "pid"))
        return (await client.call_tool("Read", {"file_path": "a.py"})).is_error

    assert with_client(root, work, mode) is False


@pytest.mark.parametrize("mode", MODES)
def test_a_name_that_is_not_utf8_is_an_answer(root, mode):
    os.mkdir(os.fsencode(root) + b"/caf\xe9")

    async def work(client):
        return await client.call_tool("LS", {})

    assert "caf\\xe9" in with_client(root, work, mode).content[0].text


def test_fifty_calls_at_once_are_answered(root):
    async def work(client):
        waits = "while [ ! -e go ]; do sleep 0.05; done"
        slow = asyncio.ensure_future(client.call_tool("Bash", {"command": waits}))
        answers = await asyncio.gather(*(client.call_tool("Read", {"file_path": "a.py"}) for _ in range(50)))
        waiting = not slow.done()
        (root / "go").touch()
        await slow
        return waiting, [each.is_error for each in answers]

    assert with_client(root, work) == (True, [False] * 50)


def test_a_result_is_valid_by_the_models_of_the_sdk(root):
    async def work(client):
        return await client.call_tool("Glob", {"pattern": "*"}), await client.list_tools()

    found, tools = with_client(root, work, "auto", "--structured")

    assert json.loads(found.model_dump_json(by_alias=True))["isError"] is False
    assert all(tool.output_schema for tool in tools.tools)
