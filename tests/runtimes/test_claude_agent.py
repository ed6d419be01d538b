"""The Claude Agent SDK: the server by a client of the protocol, the hooks and the callback by their answers."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed")

from patchkit.runtimes.sdks.claude_agent import _hook, can_use_tool, hooks, server

pytestmark = pytest.mark.filterwarnings("default")
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-{}\n+two\n*** End Patch\n"


@pytest.fixture
def root(tmp_path):
    path = tmp_path / "root"
    path.mkdir()
    (path / "a.py").write_text("one\n")
    return path


def with_client(root, work):
    from mcp.client import Client

    async def run():
        async with Client(server(root)["instance"]) as client:
            return await work(client)

    return asyncio.run(run())


def test_the_server_lists_and_calls_the_tools_of_the_workspace(root):
    async def work(client):
        names = [tool.name for tool in (await client.list_tools()).tools]
        refused = await client.call_tool("apply_patch", {"input": PATCH.format("gone")})
        read = await client.call_tool("Read", {"path": "a.py"})
        done = await client.call_tool("apply_patch", {"input": PATCH.format("one")})
        return names, refused, read, done

    names, refused, read, done = with_client(root, work)

    assert {"Read", "apply_patch"} <= set(names)
    assert [each.is_error for each in (refused, read, done)] == [True, False, False]
    assert (root / "a.py").read_text() == "two\n"


def test_the_configuration_is_that_of_the_sdk(root):
    made = server(root, "files", "Read")

    assert (made["type"], made["name"]) == ("sdk", "files")


def call(root, command):
    event = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(root)}
    return asyncio.run(_hook(str(root))(event, None, None))


def test_the_hook_answers_as_the_command_does(root):
    script = f"apply_patch <<'EOF'\n{PATCH}EOF\n"

    assert call(root, "ls") == {}
    assert call(root, script.format("gone"))["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "updatedInput" in call(root, script.format("one"))["hookSpecificOutput"]


def test_hooks_and_permissions_are_values_of_the_sdk(root):
    sdk = pytest.importorskip("claude_agent_sdk", reason="the package claude-agent-sdk is not installed")
    (root / ".patchkit.toml").write_text('[permissions.execute]\n"rm *" = "deny"\n')
    ((event, (matcher,)),) = hooks(root).items()
    decide = can_use_tool(root)

    assert (event, type(matcher)) == ("PreToolUse", sdk.HookMatcher)
    assert sdk.ClaudeAgentOptions(hooks=hooks(root), can_use_tool=decide).hooks is not None
    allowed = asyncio.run(decide("Read", {"file_path": "a.py"}, None))
    denied = asyncio.run(decide("Bash", {"command": "rm a.py"}, None))
    assert isinstance(allowed, sdk.PermissionResultAllow)
    assert isinstance(denied, sdk.PermissionResultDeny)
