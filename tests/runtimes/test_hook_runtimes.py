"""Rules hold whoever asks: every runtime's names for its tools and fields, and shapes that nobody has described."""

from __future__ import annotations

import json
import subprocess

import pytest

from patchkit.runtimes import hooks
from patchkit.runtimes.hooks import Blocked, UnreadableEvent, respond

RULES = """\
[permissions]
execute = { "git push" = "deny" }
write = { "vendor/**" = "deny" }
read = { ".env" = "deny" }
"""
PUSH, VENDOR, ENV = "git push origin main", "vendor/a.py", ".env"


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(hooks, "_has_terminal", lambda: True)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    root = tmp_path / "project"
    (root / "vendor").mkdir(parents=True)
    (root / "vendor" / "a.py").write_text("x = 1\n")
    (root / "b.py").write_text("x = 1\n")
    (root / ".env").write_text("KEY=1\n")
    (root / ".patchkit.toml").write_text(RULES)
    monkeypatch.chdir(root)
    return root


def verdict(event: object) -> str:
    """What the runtime is told: its word for it, 'blocked' by a status, or '' for nothing."""
    try:
        said = respond(json.dumps(event).encode(), ["/opt/apply_patch"])
    except Blocked:
        return "blocked"
    if not said:
        return ""
    found = json.loads(said)
    found = found.get("hookSpecificOutput", found)
    names = ("permissionDecision", "permission", "decision", "cancel")
    return str(next(found[name] for name in names if name in found))


def claude(tool: str, **given: object) -> dict[str, object]:
    return {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}


def cursor(kind: str, **more: object) -> dict[str, object]:
    return {"hook_event_name": kind, "conversation_id": "c", "cursor_version": "2", "workspace_roots": ["."], **more}


def windsurf(kind: str, **info: object) -> dict[str, object]:
    return {"agent_action_name": kind, "trajectory_id": "t", "tool_info": info}


def cline(tool: str, **given: object) -> dict[str, object]:
    return {"hookName": "PreToolUse", "clineVersion": "3", "preToolUse": {"toolName": tool, "parameters": given}}


def cline_3(tool: str, **given: object) -> dict[str, object]:
    return {"hookName": "tool_call", "tool_call": {"name": tool, "input": given}, "preToolUse": {"toolName": tool}}


DENIED = [
    # Claude's shape: VS Code, Droid, Augment, Qwen Code
    *[(claude(tool, command=PUSH), "deny") for tool in ("Bash", "run_in_terminal", "runTerminalCommand", "Execute")],
    *[(claude(tool, command=PUSH), "deny") for tool in ("run_shell_command", "launch-process", "powershell")],
    *[(claude(tool, filePath=VENDOR), "deny") for tool in ("create_file", "replace_string_in_file")],
    (claude("editFiles", files=["b.py", VENDOR]), "deny"),
    (claude("readFile", filePath=ENV), "deny"),
    (claude("Create", file_path=VENDOR), "deny"),
    (claude("str-replace-editor", path=VENDOR), "deny"),
    (claude("save-file", path=VENDOR), "deny"),
    # Kiro: a status
    (claude("execute_bash", command=PUSH), "blocked"),
    (claude("fs_write", command="create", path=VENDOR), "blocked"),
    (claude("fs_read", operations=[{"mode": "Line", "path": ENV}]), "blocked"),
    ({**claude("execute_bash", command=PUSH), "hook_event_name": "preToolUse"}, "blocked"),
    # Goose, OpenHands
    ({"event": "PreToolUse", "tool_name": "developer__shell", "tool_input": {"command": PUSH}}, "block"),
    ({"event": "PreToolUse", "tool_name": "developer__write", "tool_input": {"path": VENDOR}}, "block"),
    ({"event_type": "PreToolUse", "tool_name": "terminal", "tool_input": {"command": PUSH}}, "deny"),
    ({"event_type": "PreToolUse", "tool_name": "file_editor", "tool_input": {"path": VENDOR}}, "deny"),
    # Cursor
    (cursor("beforeShellExecution", command=PUSH, cwd=""), "deny"),
    (cursor("preToolUse", tool_name="Shell", tool_input={"command": PUSH}), "deny"),
    (cursor("preToolUse", tool_name="Write", tool_input={"file_path": VENDOR}), "deny"),
    (cursor("beforeReadFile", file_path=ENV, content="KEY=1"), "deny"),
    # Windsurf, Cline
    (windsurf("pre_run_command", command_line=PUSH), "blocked"),
    (windsurf("pre_write_code", file_path=VENDOR, edits=[]), "blocked"),
    (windsurf("pre_read_code", file_path=ENV), "blocked"),
    (cline("execute_command", command=PUSH), "True"),
    (cline("write_to_file", path=VENDOR, content=""), "True"),
    (cline_3("editor", path=VENDOR, new_text=""), "True"),
    (cline_3("read_files", files=[{"path": ENV}]), "True"),
    # tools and shapes that nobody has described
    (claude("RunInNewTerminal", command=PUSH), "deny"),
    (claude("saveEverything", file_path=VENDOR), "deny"),
    (claude("peek_view", file_path=ENV), "deny"),
    ({"phase": "before", "call": {"name": "sh", "arguments": {"command": PUSH}}}, "blocked"),
    ({"tool": "put", "arguments": {"path": VENDOR}}, "blocked"),
    ({"event": "on_tool_call", "tool": "sh", "args": {"command": PUSH}}, "blocked"),
    ({"event": "fresh", "payload": {"cmdline": PUSH}}, "blocked"),
    ({"event": "fresh", "payload": {"path": "b.py"}, "more": [{"shellCommand": PUSH}]}, "blocked"),
    ({"function": {"name": "sh", "arguments": json.dumps({"command": PUSH})}}, "blocked"),
    ({"event": "fresh", "targetUri": VENDOR}, "blocked"),
    ({"event": "fresh", "input": {"paths": ["b.py", ENV]}}, "blocked"),
    ({"event": "fresh", "text": f"*** Begin Patch\n*** Add File: {VENDOR}\n+x\n*** End Patch\n"}, "blocked"),
    (claude("fresh", exe="git", argv=["push"]), "deny"),
    (claude("mcp__other__run", bash=PUSH), "deny"),
]
PASSED = [
    claude("RunInNewTerminal", command="ls"),
    claude("saveEverything", file_path="b.py"),
    claude("peek_view", file_path=VENDOR),
    claude("TodoWrite", todos=[{"content": PUSH}]),
    claude("fresh", question=PUSH, profile="vendor/none.py"),
    cursor("beforeReadFile", file_path="b.py", content="x"),
    windsurf("pre_read_code", file_path="b.py"),
    windsurf("pre_mcp_tool_use", mcp_server_name="s", mcp_tool_name="t", mcp_tool_arguments={"query": PUSH}),
]


def test_a_rule_holds_under_every_name_and_shape(project):
    assert [(event, verdict(event)) for event, _said in DENIED] == DENIED


def test_what_no_rule_is_against_passes_under_every_name(project):
    assert [(event, verdict(event)) for event in PASSED] == [(event, "") for event in PASSED]


def test_a_refusal_in_cline_is_a_command_that_says_why_and_fails(project):
    """Cline ends the run when a call is cancelled."""
    said = json.loads(
        respond(json.dumps(cline_3("run_commands", commands=["ls", PUSH])).encode(), ["/opt/apply_patch"])
    )
    (command,) = said["overrideInput"]["commands"]
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=project)
    reason = 'running \'git push origin main\' is denied: execute."git push" = "deny" (.patchkit.toml:2)\n'

    assert (done.returncode, done.stdout, done.stderr) == (1, "", reason)


def test_several_commands_of_cline_with_a_patch_among_them_are_refused(project):
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: b.py\n*** End Patch\nEOF\n"
    said = respond(json.dumps(cline_3("run_commands", commands=["ls", patch])).encode(), ["/opt/apply_patch"])

    assert "the call has several commands" in said


def test_an_event_after_a_call_and_one_that_no_rule_is_against_cannot_be_read(project):
    for event in (
        {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": PUSH}},
        {"phase": "before", "call": {"command": "ls"}},
    ):
        with pytest.raises(UnreadableEvent):
            verdict(event)


def test_what_has_to_be_asked_for_is_denied_with_help_where_the_runtime_cannot_ask(project):
    (project / ".patchkit.toml").write_text('[permissions]\nexecute = { "git push" = "ask" }\n')
    event = {"event": "PreToolUse", "tool_name": "developer__shell", "tool_input": {"command": PUSH}}
    said = json.loads(respond(json.dumps(event).encode(), ["/opt/apply_patch"]))

    assert said["decision"] == "block"
    assert said["reason"].endswith(
        "\n  = help: ask a person to allow it by a rule or by 'patchkit trust --for session COMMAND'"
    )
    assert verdict(claude("run_in_terminal", command=PUSH)) == "ask"
    assert verdict(cursor("beforeShellExecution", command=PUSH)) == "ask"
    assert verdict(cursor("preToolUse", tool_name="Shell", tool_input={"command": PUSH})) == "deny"
