"""`patchkit doctor`: what it finds, and that it changes nothing."""

from __future__ import annotations

import json

import pytest

HOOK = {
    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/none/patchkit hook"}]}]}
}


@pytest.fixture
def doctor(run, tmp_path):
    home = tmp_path / "home"
    home.mkdir()

    def examine(*words, **settings):
        given = {"HOME": str(home), "XDG_STATE_HOME": str(tmp_path / "state"), **settings}
        done = run("doctor", "--json", *words, name="patchkit", **given)
        rows = json.loads(done.stdout)["findings"]
        return done.status, {row["name"]: (row["state"], row["found"]) for row in rows}

    return examine


def test_what_is_installed_and_what_is_used_is_listed(doctor, tree):
    status, found = doctor()

    assert status == 0
    assert found["patchkit"][0] == found["Python"][0] == found["tree-sitter"][0] == "ok"
    assert found["root"] == ("ok", str(tree))
    assert found["history"] == ("ok", "0 runs")
    assert found["state"][1].endswith("tree")


def test_nothing_is_changed(doctor, tree, contents, tmp_path):
    doctor()

    assert contents() == {"a.txt": b"x\n"}
    assert not (tmp_path / "state").exists()


def test_a_client_is_configured_and_answers_or_says_what_is_wrong(doctor, tree, run, tmp_path):
    home = {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}
    (tmp_path / "home" / ".gemini").mkdir()
    (tmp_path / "home" / ".codex").mkdir()
    (tmp_path / "home" / ".codex" / "hooks.json").write_text(json.dumps(HOOK))
    (tmp_path / "home" / ".cursor").mkdir()
    (tmp_path / "home" / ".cursor" / "mcp.json").write_text("{ // 'patchkit hook' is not here\n")
    assert run("install", "claude", "--mcp", name="patchkit", **home).status == 0
    status, found = doctor()

    assert status == 1
    assert found["Claude Code"] == ("ok", f"mcp in {tree}/.mcp.json: configured, and it answers")
    assert found["Gemini CLI"] == ("missing", "not configured: 'patchkit install gemini'")
    assert found["Cursor"][0] == "problem"
    assert "it is not JSON (line 2)" in found["Cursor"][1]
    assert found["Codex"][0] == "problem"
    assert "home/.codex/hooks.json: " in found["Codex"][1]


def test_without_ripgrep_the_search_that_is_used_is_named(doctor):
    assert doctor(PATCHKIT_RG="")[1]["ripgrep"] == ("missing", "the built-in search is used")


def test_settings_that_cannot_be_read_are_a_problem(doctor, tree):
    (tree / ".patchkit.toml").write_text("[permissions]\nwrite = allow\n")
    status, found = doctor()

    assert (status, found["settings"][0]) == (1, "problem")
    assert found["settings"][1].startswith("P650: line 2 of ")


def test_a_root_that_does_not_exist_is_a_problem(doctor):
    status, found = doctor("--root", "nowhere")

    assert (status, found["root"][0]) == (1, "problem")


def test_the_text_has_a_line_for_each_finding(run):
    done = run("doctor", name="patchkit")

    assert done.stdout.decode().startswith("Installation\n  ok       patchkit ")
    assert done.stderr == b""
