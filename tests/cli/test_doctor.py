"""`patchkit doctor`: what it finds, and that it changes nothing."""

from __future__ import annotations

import json

import pytest

HOOK = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "patchkit hook"}]}]}}


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


def test_clients_with_the_hook_are_named(doctor, tree, tmp_path):
    (tree / ".claude").mkdir()
    (tree / ".claude" / "settings.json").write_text(json.dumps(HOOK))
    (tmp_path / "home" / ".codex").mkdir()
    (tmp_path / "home" / ".codex" / "hooks.json").write_text(json.dumps(HOOK))
    _status, found = doctor()

    assert (found["Claude Code"][0], found["Codex"][0], found["Gemini CLI"][0]) == ("ok", "ok", "off")
    assert found["Codex"][1].endswith("home/.codex/hooks.json")


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
