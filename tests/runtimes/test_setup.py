"""`patchkit install` and `uninstall`: what is merged into a client's files, and that all of it can be taken back."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from forked_commands import FORKS
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.errors import PatchkitError
from patchkit.runtimes import setup
from patchkit.runtimes.setup import jsonc
from patchkit.runtimes.setup.clients import CLIENTS, ClientSetup

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
        script = str(Path(sys.executable).with_name("patchkit"))
        status, *streams = FORKS.run([script, *words], self.root, environment, stdin.encode())
        return subprocess.CompletedProcess(words, status, *(stream.decode() for stream in streams))

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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["zed", "--hook"], "there is no hook for Zed in the files of a project"),
        (["vscode", "--hook", "--user"], "there is no hook for VS Code in the files of the user"),
    ],
)
def test_a_part_that_a_client_has_no_file_for_is_not_said_to_be_installed(machine, words, said):
    done = machine.run("install", *words)

    assert (done.returncode, done.stdout, done.stderr.splitlines()[0]) == (2, "", f"error: {said}")


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


def test_a_new_file_has_what_its_client_would_add_so_that_it_is_taken_back(machine):
    machine.run("install", "opencode", "--mcp")
    path = machine.root / "opencode.json"
    made = json.loads(path.read_text())
    assert list(made) == ["$schema", "mcp"]

    path.write_text(json.dumps(made))  # in another form
    machine.run("uninstall", "opencode", "--mcp")
    assert not path.exists()


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
    ("client", "path", "text"),
    [
        (
            "claude",
            ".mcp.json",
            '{"mcpServers": {"patchkit": {"command": "patchkit", "args": ["mcp"]}}, /* me */ "a": 1}',
        ),
        ("codex", ".codex/config.toml", '[mcp_servers.patchkit] # me\ncommand = "patchkit"\n\n[other]\na = 1\n'),
    ],
)
def test_an_entry_of_ours_by_hand_is_restored_and_then_removed(machine, client, path, text):
    place = machine.root / path
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)
    for _ in range(2):
        assert "what it was" in machine.run("install", client).stdout
        first = machine.run("uninstall", client)
        assert place.read_text() == text
        assert f"note: {place} has the entry that was there before; uninstall again to remove it\n" in first.stdout
    machine.run("uninstall", client)

    assert "patchkit" not in place.read_text()
    assert "me" in place.read_text() or "a = 1" in place.read_text()


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
        (
            "codex",
            ".codex/config.toml",
            'mcp_servers = {other = {command = "x"}}\n',
            "'mcp_servers' has no header of its own",
        ),
    ],
)
def test_a_file_that_is_not_understood_is_refused_and_left(machine, client, path, text, said):
    (machine.root / path).parent.mkdir(exist_ok=True)
    (machine.root / path).write_text(text)
    done = machine.run("install", client, "--mcp")

    assert (done.returncode, machine.files()) == (4, {f"project/{path}": text.encode()})
    assert said in done.stderr


@pytest.mark.parametrize("remark", ["", "# patchkit is not used\n", "# exec patchkit hook\n"])
def test_a_hook_of_another_is_not_replaced_and_not_removed(machine, remark):
    place = machine.root / ".clinerules/hooks/PreToolUse"
    place.parent.mkdir(parents=True)
    place.write_text(text := f"#!/bin/sh\n{remark}exec lint\n")

    refused = machine.run("install", "cline", "--hook")
    assert (refused.returncode, refused.stderr.partition("\n")[0]) == (
        4,
        f"error[P402]: cannot write '{place}': it has another text than ours",
    )
    assert machine.run("uninstall", "cline", "--hook").stdout == "Nothing to change.\n"
    assert place.read_text() == text


def test_all_files_are_written_or_none(machine, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(machine.state))
    first, second = machine.root / "made/a.json", machine.root / "b.json"
    second.write_text("{}")
    edits = [
        setup.Edit(str(first), None, b"1", None),
        setup.Edit(str(second), b"{}", b"2", b"{}"),
        setup.Edit("/dev/null/c.json", None, b"3", None),
    ]

    with pytest.raises(PatchkitError, match=r"cannot write '/dev/null/c\.json'"):
        setup.write(edits)
    assert machine.files() == {"project/b.json": b"{}"}
    assert not first.parent.exists()


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


def test_files_that_a_team_may_share_name_a_command_on_the_path_without_its_path(machine):
    programs = machine.home.parent / "bin"
    programs.mkdir()
    command = programs / "patchkit"
    command.write_text(f"#!{sys.executable}\nfrom patchkit.cli.main import main\nmain()\n")
    command.chmod(0o755)
    environment = {"HOME": str(machine.home), "PYTHONPATH": str(REPOSITORY), "XDG_STATE_HOME": str(machine.state)}
    found = []
    for client, scope, path, keys, path_of_commands in (
        ("gemini", "--project", machine.root / ".gemini/settings.json", "mcpServers", f"{programs}:/usr/bin:/bin"),
        ("gemini", "--user", machine.home / ".gemini/settings.json", "mcpServers", f"{programs}:/usr/bin:/bin"),
        ("copilot", "--project", machine.home / ".copilot/mcp-config.json", "mcpServers", f"{programs}:/usr/bin:/bin"),
        ("cursor", "--project", machine.root / ".cursor/mcp.json", "mcpServers", f"{programs}:/usr/bin:/bin"),
        ("claude", "--project", machine.root / ".mcp.json", "mcpServers", "/usr/bin:/bin"),
    ):
        words = [command, "install", client, scope]
        done = subprocess.run(
            words, cwd=machine.root, env={**environment, "PATH": path_of_commands}, capture_output=True, text=True
        )
        named = jsonc.value_of(path.read_text())[keys]["patchkit"]["command"]
        found.append((client, scope, named, "say 'patchkit' without a path" in done.stdout))

    assert found == [
        ("gemini", "--project", "patchkit", True),
        ("gemini", "--user", str(command), False),
        ("copilot", "--project", str(command), True),  # its file of servers is the user's
        ("cursor", "--project", str(command), False),
        ("claude", "--project", str(command), False),
    ]


@pytest.mark.parametrize(
    ("client", "tools"),
    [
        ("claude", "Bash Read Edit MultiEdit Write NotebookEdit Glob Grep"),
        ("codex", "Bash apply_patch view_image"),  # no event comes for its others
        ("gemini", "run_shell_command write_file replace read_file read_many_files list_directory glob grep_search"),
    ],
)
def test_a_hook_is_asked_about_all_tools_for_files_and_commands(client, tools):
    hooks = [each for each in CLIENTS[client].entries(ClientSetup(["patchkit"], [], False)) if each.part == "hook"]

    assert [tool for tool in tools.split() if not re.fullmatch(hooks[0].value["matcher"], tool)] == []


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


@examples(300)
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


# -- odd files ---------------------------------------------------------------------------------------

OTHER = '{ "matcher": "Edit", "hooks": [{ "type": "command", "command": "lint" }] }'
ODD_JSON = {
    "nothing": "",
    "blank lines": "\n\n",
    "a byte order mark and nothing": "\ufeff",
    "an object": "{}",
    "an object and a line end": "{}\n",
    "on one line": '{"theme": "dark", "hooks": {"other": []}}',
    "tabs": '{\n\t"theme": "dark",\n\t"list": [\n\t\t1\n\t]\n}\n',
    "line ends of Windows": '{\r\n  // mine\r\n  "theme": "dark"\r\n}\r\n',
    "a byte order mark": '\ufeff{\n  "theme": "dark"\n}\n',
    "no line end": '{\n    "theme": "dark"\n}',
    "a comma at the end": '{\n  "theme": "dark",\n}\n',
    "comments": '// top\n{\n  /* a, { */ "theme": "dark", // "mcpServers": {}\n  // last, }\n}\n// end\n',
    "an object with a comment only": "{\n  // nothing yet\n}\n",
    "empty objects": '{\n  "mcpServers": {},\n  "hooks": { }, // none\n  "permissions": {"allow": []}\n}\n',
    "the same key twice": '{\n  "theme": "light",\n  "theme": "dark"\n}\n',
    "names like ours": '{\n  "mcpServers": {\n    "patchkit2": {"command": "x"} // not ours\n  }\n}\n',
    "lists of others": (
        '{\n  "hooks": {\n    "PreToolUse": [ '
        + OTHER
        + ', // first\n    ],\n    "BeforeTool": ['
        + OTHER
        + "]\n  }\n}\n"
    ),
    "unusual letters": '{\n  "thème": "\\u00e9 \\\\ / é 🎈"\n}\n',
}
ODD_TOML = {
    "nothing": "",
    "a comment": "# mine",
    "no line end": 'model = "m"',
    "line ends of Windows": '# mine\r\nmodel = "m"\r\n\r\n[mcp_servers.other]\r\ncommand = "x" # keep\r\n',
    "lines at the end": 'model = "m"\n\n\n',
    "tables of others": '[mcp_servers.patchkit2]\ncommand = "x"\n\n[a.env]\nA = "[mcp_servers.patchkit]"\n',
    "a text of several lines": 'notes = """\n[mcp_servers.patchkit]\n"""\n',
    "tabs": "[a]\n\tb = [\n\t\t1, # one\n\t]\n",
}
BROKEN = {
    "json": ["{", '{"a" 1}', '{"a": 1} 2', "[1]", "nope", '{"a": "\xff'],
    "toml": ["a = ", "[a", 'a = "b', "a = 1\na = 2\n"],
}
EACH = 1 if os.environ.get("PATCHKIT_TESTS") == "full" else 4  # so many of the files are tried with each client
_MINE = "// and this\n", "# and this\n"
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/|#[^\r\n]*")


def _odd_files(machine):
    """Every client with every file that has entries of ours, as if it had no other."""
    for client in CLIENTS.values():
        entries = client.entries(ClientSetup(["/opt/patchkit"], ["--no-bash"], True))
        seen = set()
        for for_user in (False, True):
            place = setup.place_in(str(machine.root), for_user)
            for path, kind in {place(each): each.place.kind for each in entries if each.place.kind != "own"}.items():
                keys = tuple(each.keys for each in entries if place(each) == path)
                if path and keys not in seen:
                    seen.add(keys)
                    yield client, entries, lambda each, path=path, place=place: path * (place(each) == path), path, kind


def _value(text, kind):
    return tomllib.loads(text) if kind == "toml" else jsonc.value_of(text)


def _wrong_with(client, entries, place, path, kind, text):
    """What is not as it should be after entries were put into a file with some text and taken out again."""
    data, path = text.encode(), Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    both = {"hook", "mcp"}
    setup.write(setup.install(client, entries, both, place))
    made = path.read_bytes()
    if setup.install(client, entries, both, place):
        yield "it is not installed once"
    if not (set(_value(text, kind)) <= set(_value(made.decode(), kind)) and made != data):
        yield "entries are lost"
    lost = [comment for comment in _COMMENT.findall(text) if comment not in made.decode()]
    if lost:
        yield f"comments are lost: {lost}"
    if b"\r\n" in data and made.count(b"\n") != made.count(b"\r\n"):
        yield "line ends are mixed"
    setup.write(setup.uninstall(client, both, place))
    if path.read_bytes() != data:
        yield f"it is not restored: {path.read_bytes()!r}"
    setup.write(setup.install(client, entries, both, place))
    path.write_bytes(path.read_bytes() + _MINE[kind == "toml"].encode())  # another hand was here
    setup.write(setup.uninstall(client, both, place))
    left = path.read_text()
    kept = {name: value for name, value in _value(text, kind).items() if value not in ({}, [], {"allow": []})}
    if not all(_value(left, kind).get(name) == value for name, value in kept.items() if value != {"other": []}):
        yield f"after another change: {left!r}"
    if "/opt/patchkit" in left or _MINE[kind == "toml"] not in left:
        yield f"after another change: {left!r}"
    shutil.rmtree(os.environ["XDG_STATE_HOME"])


def test_odd_files_keep_all_that_is_in_them_and_are_restored_to_the_byte(machine, monkeypatch):
    monkeypatch.setenv("HOME", str(machine.home))
    monkeypatch.setenv("XDG_STATE_HOME", str(machine.state))
    wrong = [
        (client.name, path, name, problem)
        for at, (client, entries, place, path, kind) in enumerate(_odd_files(machine))
        for name, text in [*(ODD_TOML if kind == "toml" else ODD_JSON).items()][at % EACH :: EACH]
        for problem in _wrong_with(client, entries, place, path, kind, text)
    ]

    assert wrong == []


def test_broken_files_are_refused_and_left(machine, monkeypatch):
    monkeypatch.setenv("HOME", str(machine.home))
    monkeypatch.setenv("XDG_STATE_HOME", str(machine.state))
    for client, entries, place, path, kind in _odd_files(machine):
        path = Path(path)
        for text in BROKEN[kind]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("latin-1"))
            with pytest.raises(PatchkitError) as refused:
                setup.install(client, entries, {"hook", "mcp"}, place)
            assert (refused.value.code, path.read_bytes()) == ("P401", text.encode("latin-1")), (client.name, text)
        path.unlink()
