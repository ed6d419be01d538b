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


def test_what_is_wrong_with_an_entry_is_found_by_parsing(doctor, tree, run, tmp_path):
    home = tmp_path / "home"
    made = {"HOME": str(home), "XDG_STATE_HOME": str(tmp_path / "state")}
    for client in ("gemini", "opencode", "windsurf"):
        assert run("install", client, "--mcp", name="patchkit", **made).status == 0
    gemini, opencode = tree / ".gemini/settings.json", tree / "opencode.json"
    gemini.write_text(gemini.read_text().replace('"mcp"', '"mcp", "--root", "/nowhere"'))
    opencode.write_text(opencode.read_text().replace("true", "false"))
    windsurf = home / ".codeium/windsurf/mcp_config.json"
    windsurf.write_text(windsurf.read_text().replace('"args"', '"disabled": true, "args"'))
    written = {
        ".mcp.json": '{"mcpServers": {"patchkit": {"command": "/bin/sh", "args": ["-c", "true"]}}}',
        ".cursor/hooks.json": '{"hooks": {"preToolUse": [{"command": "/gone/patchkit hook"}]}}',
        ".zed/settings.json": '{"context_servers": {"patchkit": {"command": {"path": "/gone/zed", "args": []}}}}',
        ".codex/config.toml": "# [mcp_servers.patchkit]\nnotes = 'patchkit mcp'\n",
        ".clinerules/hooks/PreToolUse": "#!/bin/sh\n# not patchkit hook\nexec lint\n",
        ".opencode/plugin/patchkit.js": '// patchkit hook\nspawnSync("lint", ["x"])\n',
    }
    for name, text in written.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    status, found = doctor()
    wrong = {name: words.partition("\n")[0] for name, (state, words) in found.items() if state == "problem"}

    assert (status, wrong) == (
        1,
        {
            "Claude Code": f"mcp in {tree}/.mcp.json: it runs another command than this patchkit: /bin/sh",
            "Gemini CLI": f"mcp in {gemini}: it does not answer: error: the workspace '/nowhere' is not a directory",
            "opencode": f"mcp in {opencode}: it is switched off there",
            "Cursor": f"hook in {tree}/.cursor/hooks.json: '/gone/patchkit' cannot be run",
            "Windsurf": f"mcp in {windsurf}: it is switched off there",
            "Zed": f"mcp in {tree}/.zed/settings.json: '/gone/zed' cannot be run",
        },
    )
    assert found.keys().isdisjoint(("Codex", "Cline"))


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
