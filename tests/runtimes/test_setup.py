"""`patchkit install` and `uninstall`: what is merged into a client's files, and that all of it can be taken back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchkit.runtimes.setup import jsonc
from patchkit.runtimes.setup.clients import CLIENTS

REPOSITORY = Path(__file__).resolve().parents[2]
SETTINGS = """\
{
  // mine
  "theme": "dark", // keep it
  "hooks": {
    "PreToolUse": [
      { "matcher": "Edit", "hooks": [{ "type": "command", "command": "lint" }] }, // first
    ],
  },
  /* last */
  "mcpServers": { "other": { "command": "x" } }
}
"""


class Machine:
    """A home, a project and the commands in them."""

    def __init__(self, place: Path) -> None:
        self.home, self.root = place / "home", place / "project"
        self.home.mkdir()
        self.root.mkdir()
        self.state = place / "state"

    def run(self, *words: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "PYTHONPATH": str(REPOSITORY)}
        environment |= {"XDG_STATE_HOME": str(self.state), **more}
        command = [sys.executable, "-P", "-m", "patchkit", *words]
        return subprocess.run(command, cwd=self.root, env=environment, input=stdin, capture_output=True, text=True)

    def files(self) -> dict[str, bytes]:
        """Every file but those of the state."""
        places = [path for base in (self.home, self.root) for path in base.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.home.parent)): path.read_bytes() for path in places}


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


@pytest.mark.parametrize("scope", ["--project", "--user"])
@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_installed_is_installed_once_and_taken_back_to_the_byte(machine, client, scope):
    before = machine.files()
    shown = machine.run("install", client, scope, "--approve", "edits", "--dry-run")
    assert (shown.returncode, machine.files()) == (0, before), shown.stderr
    first = machine.run("install", client, scope, "--approve", "edits")
    once = machine.files()
    again = machine.run("install", client, scope, "--approve", "edits")

    assert (first.returncode, again.returncode) == (0, 0), first.stderr
    assert once != before
    assert again.stdout.startswith("Nothing to change.\n")
    assert machine.files() == once
    assert all(f"+++ {machine.home.parent}/{name}" in shown.stdout for name in set(once) - set(before))
    assert machine.run("uninstall", client, scope).returncode == 0
    assert machine.files() == before
    assert [*machine.home.iterdir(), *machine.root.iterdir()] == []


def test_entries_comments_and_order_of_a_file_stay(machine):
    place = machine.root / ".gemini" / "settings.json"
    place.parent.mkdir()
    place.write_text(SETTINGS.replace("PreToolUse", "BeforeTool"))
    before = place.read_bytes()
    machine.run("install", "gemini")
    text = place.read_text()
    value = jsonc.value_of(text)
    kept = [line for line in before.decode().splitlines() if line.strip() not in ("},", "],", "}")]

    assert [line for line in kept if line not in text.splitlines()] == [
        '  "mcpServers": { "other": { "command": "x" } }'
    ]
    assert list(value) == ["theme", "hooks", "mcpServers"]
    assert list(value["mcpServers"]) == ["other", "patchkit"]
    assert value["hooks"]["BeforeTool"][0]["matcher"] == "Edit"
    assert machine.run("uninstall", "gemini").returncode == 0
    assert place.read_bytes() == before


def test_a_file_that_was_changed_since_loses_our_entries_only(machine):
    place = machine.root / ".gemini" / "settings.json"
    machine.run("install", "gemini")
    place.write_text(jsonc.with_value(place.read_text(), ("theme",), "dark"))
    machine.run("uninstall", "gemini")

    assert jsonc.value_of(place.read_text()) == {"theme": "dark"}


def test_one_part_is_installed_and_taken_out_by_itself(machine):
    machine.run("install", "gemini", "--mcp")
    machine.run("install", "gemini", "--hook")
    both = jsonc.value_of((machine.root / ".gemini/settings.json").read_text())
    machine.run("uninstall", "gemini", "--mcp")
    hook = jsonc.value_of((machine.root / ".gemini/settings.json").read_text())
    machine.run("uninstall", "gemini", "--hook")

    assert sorted(both) == ["hooks", "mcpServers"]
    assert sorted(hook) == ["hooks"]
    assert machine.files() == {}


def test_a_table_of_toml_is_added_replaced_and_removed(machine):
    place = machine.root / ".codex" / "config.toml"
    place.parent.mkdir()
    place.write_text('# mine\nmodel = "m"\n\n[mcp_servers.other]\ncommand = "x" # keep\n')
    before = place.read_bytes()
    machine.run("install", "codex", "--mcp")
    first = tomllib.loads(place.read_text())
    machine.run("install", "codex", "--mcp", "--approve", "all")
    second = tomllib.loads(place.read_text())

    assert place.read_bytes().startswith(before)
    assert "default_tools_approval_mode" not in first["mcp_servers"]["patchkit"]
    assert second["mcp_servers"]["patchkit"]["default_tools_approval_mode"] == "approve"
    assert "--no-bash" in second["mcp_servers"]["patchkit"]["args"]
    machine.run("uninstall", "codex")
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    ("client", "path", "text", "said"),
    [
        ("claude", ".mcp.json", "{", "it is not JSON (line 1)"),
        ("claude", ".mcp.json", '{"mcpServers": []}', "'mcpServers' is not an object"),
        ("codex", ".codex/config.toml", "a = ", "it is not TOML"),
        (
            "codex",
            ".codex/config.toml",
            'mcp_servers = {patchkit = {command = "x"}}\n',
            "mcp_servers.patchkit",
        ),
    ],
)
def test_a_file_that_is_not_understood_is_refused_and_left(machine, client, path, text, said):
    (machine.root / path).parent.mkdir(exist_ok=True)
    (machine.root / path).write_text(text)
    done = machine.run("install", client, "--mcp")

    assert (done.returncode, machine.files()) == (4, {f"project/{path}": text.encode()})
    assert said in done.stderr


def test_a_hook_of_another_is_not_replaced(machine):
    place = machine.root / ".clinerules/hooks/PreToolUse"
    place.parent.mkdir(parents=True)
    place.write_text("#!/bin/sh\nexec lint\n")

    assert machine.run("install", "cline", "--hook").returncode == 1
    assert place.read_text() == "#!/bin/sh\nexec lint\n"


def test_what_happens_without_approval_and_what_is_not_offered_is_said(machine):
    said = machine.run("install", "claude").stdout

    assert "note: no call is approved: Claude Code asks a person about each call" in said
    assert "claude --allowedTools mcp__patchkit" in said
    assert "note: the tool Bash is not offered" in said
    assert "permissions" not in jsonc.value_of((machine.root / ".claude/settings.json").read_text())


def test_an_approval_that_is_asked_for_no_more_is_taken_back(machine):
    machine.run("install", "claude", "--approve", "edits")
    approved = jsonc.value_of((machine.root / ".claude/settings.local.json").read_text())
    machine.run("install", "claude")

    assert approved["permissions"]["allow"] == ["mcp__patchkit"]
    assert sorted(machine.files()) == ["project/.claude/settings.json", "project/.mcp.json"]


def test_an_agent_sets_up_nothing(machine):
    done = machine.run("install", "claude", "--approve", "all", PATCHKIT_AGENT="1")

    assert (done.returncode, machine.files()) == (3, {})
    assert "error[P652]" in done.stderr


def test_the_workspace_is_the_variable_of_the_client_or_the_project(machine):
    for client, path, keys, root in (
        ("cursor", ".cursor/mcp.json", "mcpServers", "${workspaceFolder}"),
        ("vscode", ".vscode/mcp.json", "servers", "${workspaceFolder}"),
        ("windsurf", "../home/.codeium/windsurf/mcp_config.json", "mcpServers", str(machine.root)),
    ):
        machine.run("install", client, "--mcp")
        words = json.loads((machine.root / path).read_text())[keys]["patchkit"]["args"]
        assert words[words.index("--root") + 1] == root


def test_the_command_of_an_installed_hook_answers(machine):
    machine.run("install", "claude", "--hook")
    (group,) = json.loads((machine.root / ".claude/settings.json").read_text())["hooks"]["PreToolUse"]
    patch = "*** Begin Patch\n*** Update File: gone\n@@\n-a\n+b\n*** End Patch\n"
    given = {"command": f"apply_patch <<'EOF'\n{patch}EOF\n"}
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(machine.root), "tool_input": given}
    done = subprocess.run(
        group["hooks"][0]["command"],
        shell=True,
        input=json.dumps(event),
        capture_output=True,
        text=True,
        cwd=machine.root,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )

    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny", done.stderr


# -- JSON with comments ------------------------------------------------------------------------------

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\/{}[],:\n é', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@settings(derandomize=True, database=None, deadline=None, max_examples=300)
@given(
    st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3),
    st.sampled_from([None, 2, 4, "\t"]),
    st.sampled_from(["", "// c\n", "/* , } */ "]),
    st.booleans(),
)
def test_a_value_is_set_and_removed_and_nothing_else_changes(value, indent, comment, crlf):
    text = comment + json.dumps(value, indent=indent, ensure_ascii=False) + "\n"
    text = text.replace("\n", "\r\n") if crlf else text
    made = jsonc.with_value(text, ("new", "deep"), {"x": [1]})
    listed = jsonc.with_element(made, ("list",), "mine", lambda each: each == "mine")

    assert jsonc.value_of(made) == {**value, "new": {"deep": {"x": [1]}}}
    assert jsonc.with_value(made, ("new", "deep"), {"x": [1]}) == made
    assert jsonc.value_of(listed) == {**jsonc.value_of(made), "list": ["mine"]}
    assert jsonc.with_element(listed, ("list",), "mine", lambda each: each == "mine") == listed
    back = jsonc.without(listed, ("list",), lambda each: each == "mine")
    assert jsonc.value_of(jsonc.without(back, ("new", "deep"))) == value
    assert comment.strip() in back


def test_commas_and_comments_around_an_entry_that_is_removed_stay_right():
    for text, left in (
        ('{"a": 1, "b": 2}', '{"b": 2}'),
        ('{"b": 2, "a": 1}', '{"b": 2}'),
        ('{\n  // one\n  "a": 1, // two\n  "b": 2\n}\n', '{\n  // one\n  // two\n  "b": 2\n}\n'),
        ('{\n  "b": 2, // b\n  "a": {\n    "x": 1\n  },\n}\n', '{\n  "b": 2, // b\n}\n'),
        ('{\n  "b": 2,\n  "a": 1\n}\n', '{\n  "b": 2\n}\n'),
    ):
        assert jsonc.without(text, ("a",)) == left
