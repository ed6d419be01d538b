"""`patchkit policy`, and calls under rules, as a caller of the commands sees them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from terminals import Terminal

SCRIPT = Path(sys.executable).with_name("patchkit")
RULES = """\
[permissions]
write = { "docs/**" = "allow", "lib/**" = "deny" }
execute = { "make" = "allow" }
"""
PATCH = "*** Begin Patch\n*** Add File: docs/n.md\n+x\n*** Update File: a.txt\n*** Move to: lib/a.txt\n*** End Patch\n"
DOCS = "*** Begin Patch\n*** Add File: docs/n.md\n+x\n*** End Patch\n"
OTHER = "*** Begin Patch\n*** Add File: other.md\n+x\n*** End Patch\n"


@pytest.fixture
def patchkit(run, tree):
    """Runs `patchkit` with the words given, in a tree with rules."""
    (tree / ".patchkit.toml").write_text(RULES)

    def run_patchkit(*words, **options):
        return run(*words, name="patchkit", **options)

    return run_patchkit


@pytest.fixture
def apply_patch(run, patchkit):
    """Runs `apply_patch` in the tree with rules."""
    return run


# -- policy --------------------------------------------------------------------------------------


def test_policy_reports_the_decision_about_every_file_of_a_patch(patchkit):
    said = patchkit("policy", "apply_patch", json.dumps({"input": PATCH}))

    assert (said.status, said.stderr) == (3, b"")
    assert said.stdout.decode() == (
        'allow  add        docs/n.md  by write."docs/**" = "allow" (.patchkit.toml:2)\n'
        'ask    move_from  a.txt  by write."*" = "ask" (by default)\n'
        'deny   move_to    lib/a.txt  by write."lib/**" = "deny" (.patchkit.toml:2)\n'
        "deny: moving a file to 'lib/a.txt' is denied\n"
    )


def test_policy_answers_json_with_decision_rule_and_reason(patchkit):
    said = patchkit("policy", "Edit", "--json", stdin=b'{"file_path": "a.txt", "old_string": "x", "new_string": "y"}')

    assert said.status == 0
    assert json.loads(said.stdout) == {
        "decision": "ask",
        "rule": 'write."*" = "ask" (by default)',
        "reason": "updating 'a.txt' needs approval",
        "parts": [
            {
                "effect": "write",
                "operation": "update",
                "what": "a.txt",
                "decision": "ask",
                "rule": 'write."*" = "ask" (by default)',
                "reason": "updating 'a.txt' needs approval",
            }
        ],
    }


def test_policy_lists_what_a_sandboxed_command_may_use_and_what_it_never_may(patchkit, tree):
    said = patchkit("policy", "--sandbox", "--json")
    plain = patchkit("policy", "--sandbox").stdout.decode()

    data = json.loads(said.stdout)["data"]
    assert said.status == 0
    assert data["granted"][:2] == [
        {"path": str(tree.resolve()), "rights": "run", "why": "the workspace, as the rules have it"},
        {"path": "/usr", "rights": "run", "why": "programs and libraries"},
    ]
    assert {"path": "~/.codex/auth*", "effect": "read", "why": "tokens of Codex"} in data["never"]
    assert "run    /usr  programs and libraries\n" in plain
    assert "never  read   ~/.codex/auth*  tokens of Codex\n" in plain


def test_policy_takes_a_tool_or_the_sandbox(patchkit):
    assert patchkit("policy", "Read", "--sandbox").status == 2


def test_a_command_is_approved_once_for_a_session_a_directory_or_always(patchkit, tmp_path):
    call = '{"command": "mkdir new"}'

    def decided(**settings):
        return patchkit("policy", "Bash", call, "--as-agent", **settings).stdout.split(b":")[0].split(b"\n")[-1]

    assert decided() == b"ask"
    assert patchkit("trust", "--for", "session", "mkdir new", PATCHKIT_SESSION="one").status == 0
    assert [decided(PATCHKIT_SESSION="one"), decided(PATCHKIT_SESSION="two"), decided()] == [b"allow", b"ask", b"ask"]
    assert patchkit("policy").stdout == b"session    execute  mkdir new (in one)\n"
    assert patchkit("trust", "--clear").stdout == b"Ended 1 approval.\n"
    assert decided(PATCHKIT_SESSION="one") == b"ask"
    for scope in ("directory", "always"):
        assert patchkit("trust", "--for", scope, "mkdir new").status == 0
        assert decided() == b"allow"
        assert patchkit("policy").stdout == f"{scope:<9}  execute  mkdir new\n".encode()
        assert patchkit("trust", "--clear").status == 0
    assert patchkit("policy").stdout == b"Nothing is approved.\n"
    assert patchkit("trust", "--for", "always", "mkdir new", PATCHKIT_AGENT="1").status == 3


def test_a_session_of_the_environment_is_the_one_that_asked_last(patchkit, tmp_path):
    assert patchkit("exec", "mkdir new", PATCHKIT_SESSION="one", PATCHKIT_AGENT="1").status == 126
    said = (
        b"'mkdir new' is approved: session. In a sandbox it may write in the workspace, but not what a rule denies or "
    )
    said += b"asks for by name.\n"
    assert patchkit("trust", "--for", "session", "mkdir new").stdout == said

    said = patchkit("policy", "Bash", '{"command": "mkdir new"}', "--as-agent", PATCHKIT_SESSION="one")
    assert said.status == 0, said
    assert patchkit("trust", "--clear").status == 0


def test_an_approval_for_a_session_is_one_for_the_session_that_asked_last(patchkit, run, tmp_path):
    event = {"hook_event_name": "PreToolUse", "cwd": str(tmp_path / "tree"), "tool_name": "Bash", "session_id": "s1"}
    event |= {"tool_input": {"command": "mkdir new"}}  # type: ignore[dict-item]  # an object among texts

    def answered(**more):
        said = patchkit("hook", stdin=json.dumps({**event, **more}).encode()).stdout
        return json.loads(said)["hookSpecificOutput"]["permissionDecision"] if said else None

    assert answered() == "ask"
    assert patchkit("trust", "--for", "session", "mkdir new").status == 0
    assert patchkit("policy").stdout == b"session    execute  mkdir new\n"
    assert (answered(), answered(session_id="s2")) == ("allow", "ask")
    assert patchkit("trust", "--clear").stdout == b"Ended 1 approval.\n"
    assert answered() == "ask"


def test_policy_reports_the_decision_about_every_command_of_a_script(patchkit):
    said = patchkit("policy", "exec", '{"command": "cd docs && make > lib/log"}')

    assert said.stdout.decode() == (
        "allow  run        cd docs  by harmless (built in)\n"
        'allow  run        make  by execute."make" = "allow" (.patchkit.toml:3)\n'
        'ask    write      lib/log  by write."*" = "ask" (by default)\n'
        "ask: writing 'lib/log' needs approval\n"
    )


def test_policy_makes_no_call(patchkit, contents):
    before = contents()
    patchkit("policy", "apply_patch", json.dumps({"input": DOCS}))
    patchkit("policy", "Bash", '{"command": "touch made"}')

    assert contents() == before | {".patchkit.toml": RULES.encode()}


def test_the_status_says_whether_the_call_would_be_made(patchkit):
    edit = '{"file_path": "a.txt", "old_string": "x", "new_string": "y"}'
    statuses = [
        patchkit("policy", "Edit", edit).status,
        patchkit("policy", "Edit", edit, "--as-agent").status,
        patchkit("policy", "Edit", edit, PATCHKIT_AGENT="1").status,
        patchkit("policy", "Edit", edit, PATCHKIT_AGENT="0").status,
        patchkit("policy", "Edit", edit.replace("a.txt", "docs/a")).status,
        patchkit("policy", "Edit", edit.replace("a.txt", "lib/a")).status,
    ]

    assert statuses == [0, 3, 3, 0, 0, 3]


def test_policy_of_what_no_rule_can_allow_is_denied(patchkit):
    said = patchkit("policy", "Read", '{"file_path": "../x"}')

    assert said.status == 3
    assert said.stdout.decode().splitlines()[0].startswith("deny   read       ../x  by P301 (built in)")


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["Telephone", "{}"], 2, "unknown tool 'Telephone'"),
        (["Edit", "{"], 2, "error[P607]"),
        (["Edit", "{}"], 2, "error[P606]"),
    ],
)
def test_a_call_that_is_impossible_is_reported(patchkit, words, status, told):
    said = patchkit("policy", *words)

    assert (said.status, told in said.stderr.decode()) == (status, True)


def test_broken_rules_are_reported_with_file_line_and_key(patchkit, tree):
    (tree / ".patchkit.toml").write_text('[permissions]\nwrite = "never"\n')
    said = patchkit("policy", "Read", '{"file_path": "a.txt"}')

    assert said.status == 2
    assert said.stderr.decode().startswith(
        "error[P653]: 'permissions.write' cannot be 'never' ('.patchkit.toml' line 2)\n"
    )


def test_names_that_would_act_on_a_terminal_are_shown(patchkit):
    said = patchkit("policy", "Read", json.dumps({"file_path": "a\x1b[31m\nb"}))

    assert b"\x1b" not in said.stdout
    assert said.stdout.count(b"\n") == 2


# -- calls under rules ---------------------------------------------------------------------------


def test_apply_patch_is_approved_by_a_person_calling_it(apply_patch):
    assert apply_patch(OTHER).status == 0


def test_apply_patch_refuses_what_a_rule_denies(apply_patch, contents):
    said = apply_patch(PATCH)

    assert (said.status, said.stdout) == (1, b"")
    assert said.stderr.decode().startswith(
        "error[P651]: moving a file to 'lib/a.txt' is denied by the rule "
        'write."lib/**" = "deny" (.patchkit.toml:2)\n  = help: '
    )
    assert contents() == {"a.txt": b"x\n", ".patchkit.toml": RULES.encode()}


def test_apply_patch_of_an_agent_needs_a_rule(apply_patch):
    statuses = [
        apply_patch("--as-agent", OTHER).status,
        apply_patch(OTHER, PATCHKIT_AGENT="1").status,
        apply_patch("--as-agent", DOCS).status,
        apply_patch("--as-agent", "--check", OTHER).status,
    ]

    assert statuses == [1, 1, 0, 0]


@pytest.mark.parametrize(
    "words", [("write", "new/other.md", "--content", "x"), ("exec", "touch other.md"), ("exec", "ls > other.md")]
)
def test_the_rule_that_a_refusal_offers_allows_the_call(patchkit, tree, words):
    said = patchkit(*words, "--as-agent").stderr.decode()
    rule = re.search(r"such as '(.*)' under '\[permissions\]'", said)[1]
    (tree / ".patchkit.toml").write_text(f"[permissions]\n{rule}\n")
    patchkit("trust")

    assert b"P652" not in patchkit(*words, "--as-agent").stderr


def test_a_refusal_is_reported_as_json_too(apply_patch):
    said = apply_patch("--as-agent", "--json", OTHER)

    assert [error["code"] for error in json.loads(said.stdout)["errors"]] == ["P652"]


def test_rules_hold_for_a_start_further_down(apply_patch, tree):
    (tree / "lib").mkdir()
    said = apply_patch(OTHER, cwd=tree / "lib")

    assert (said.status, said.stderr[:11]) == (1, b"error[P651]")


def test_another_command_under_rules_ends_with_the_status_of_policy(patchkit):
    statuses = [
        patchkit("call", "Write", '{"file_path": "n", "content": "x"}', "--as-agent").status,
        patchkit("call", "Write", '{"file_path": "lib/n", "content": "x"}').status,
        patchkit("write", "docs/n", "--content", "x", "--as-agent").status,
    ]

    assert statuses == [3, 3, 0]


def test_undo_and_redo_are_calls_under_rules_too(apply_patch, patchkit, tree):
    apply_patch("-q", OTHER)
    refused = patchkit("undo", "--as-agent")
    (tree / ".patchkit.toml").write_text('[permissions]\nwrite = "deny"\n')
    denied = patchkit("undo")
    (tree / ".patchkit.toml").unlink()
    done = patchkit("undo")

    assert [said.status for said in (refused, denied, done)] == [3, 3, 0]
    assert refused.stderr.startswith(b"error[P652]: deleting 'other.md' needs approval")
    assert not (tree / "other.md").exists()


def test_broken_rules_stop_apply_patch(apply_patch, tree):
    (tree / ".patchkit.toml").write_text("[permissions\n")
    said = apply_patch(OTHER)

    assert (said.status, said.stderr[:11], (tree / "other.md").exists()) == (1, b"error[P650]", False)


# -- log --all -----------------------------------------------------------------------------------


@pytest.fixture
def recorded(apply_patch, patchkit, tree):
    """Makes a few calls that are recorded in calls.jsonl."""
    (tree / ".patchkit.toml").write_text(RULES + '[audit]\nfile = "calls.jsonl"\n')
    apply_patch("-q", DOCS, PATCHKIT_SESSION="one")
    apply_patch("-q", PATCH, PATCHKIT_SESSION="two")
    patchkit("read", "a.txt", PATCHKIT_SESSION="two")
    patchkit("undo")
    return patchkit


def tools(said):
    return [call["tool"] for call in json.loads(said.stdout)["data"]["calls"]]


def test_log_all_lists_every_call_newest_first(recorded):
    said = recorded("log", "--all")
    told = [line.split("  ", 1)[1] for line in said.stdout.decode().splitlines()]

    assert told == [
        'person  undo  success  docs/n.md  allow by write."docs/**" = "allow" (.patchkit.toml:2)',
        'person  Read  success  a.txt  allow by read = "allow" (by default)',
        "person  apply_patch  error P651  docs/n.md  a.txt  lib/a.txt  "
        'deny by write."lib/**" = "deny" (.patchkit.toml:2)',
        'person  apply_patch  success  docs/n.md  allow by write."docs/**" = "allow" (.patchkit.toml:2)',
    ]


def test_log_all_gives_the_lines_back_as_json(recorded, tree):
    lines = [json.loads(line) for line in (tree / "calls.jsonl").read_text().splitlines()]

    assert json.loads(recorded("log", "--all", "--json").stdout)["data"]["calls"] == lines[::-1]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--tool", "apply"], ["apply_patch", "apply_patch"]),
        (["--tool", "undo"], ["undo"]),
        (["--status", "error"], ["apply_patch"]),
        (["--path", "docs/**"], ["undo", "apply_patch", "apply_patch"]),
        (["--path", "a.txt"], ["Read", "apply_patch", "apply_patch"][:2]),
        (["--session", "two"], ["Read", "apply_patch"]),
        (["--session", "two", "--tool", "Read"], ["Read"]),
        (["--since", "1h"], ["undo", "Read", "apply_patch", "apply_patch"]),
        (["--since", "2999-01-01"], []),
        (["-n", "1"], ["undo"]),
    ],
)
def test_log_all_shows_only_what_is_asked_for(recorded, words, found):
    assert tools(recorded("log", "--all", "--json", *words)) == found


@pytest.mark.parametrize(
    ("words", "code"),
    [(["--since", "soon"], "P601"), (["--tool", "Telephone"], "P602"), (["--path", "../x"], "P601")],
)
def test_what_cannot_be_asked_for_is_told(patchkit, words, code):
    said = patchkit("log", "--all", *words)

    assert (said.status, said.stderr[:11]) == (2, f"error[{code}]".encode())


def test_what_goes_with_all_goes_with_nothing_else(patchkit):
    said = patchkit("log", "--tool", "Read")

    assert (said.status, b"--tool goes with --all" in said.stderr) == (2, True)


def test_log_all_without_a_log_is_empty_and_says_whose_calls_are_recorded(patchkit):
    said = patchkit("log", "--all")

    assert (said.status, said.stdout) == (0, b"")
    assert said.stderr.startswith(b"note[P968]: calls of a person are not recorded here, those of agents are recorded;")


def test_exec_ends_with_its_own_status_for_what_is_denied(patchkit):
    statuses = [
        patchkit("exec", "make --version > lib/x").status,
        patchkit("exec", "--as-agent", "mkdir new").status,
        patchkit("exec", "ls").status,
    ]

    assert statuses == [126, 126, 0]


@pytest.mark.parametrize(
    "words",
    [
        *(["read", "a"], ["write", "a", "--content", "x"], ["ls"], ["grep", "x"], ["exec", "true"], ["undo"], ["redo"]),
        *(["log"], ["log", "--all"], ["recover"], ["session"], ["policy", "Read", "{}"], ["call", "Read", "{}"]),
        *(["doctor"], ["mcp"], ["install", "claude", "--dry-run"]),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("log", ["", "calls.jsonl"])
def test_no_command_stumbles_over_a_current_directory_that_is_gone(run, tmp_path, words, log):
    gone = tmp_path / "gone"
    gone.mkdir()
    done = run(*words, name="patchkit", cwd=gone, shell='rmdir "$PWD"; exec "$@"', PATCHKIT_AUDIT=log)

    assert done.status in (2, 3, 126)
    assert b"Traceback" not in done.stderr
    assert b"error[P" in done.stderr


@pytest.mark.parametrize("words", [["read", "a.txt"], ["ls"], ["exec", "cat a.txt"], ["log"]], ids=" ".join)
def test_a_root_with_its_whole_path_needs_no_current_directory(run, tree, tmp_path, words):
    gone = tmp_path / "gone"
    gone.mkdir()
    done = run(*words, "--root", str(tree), name="patchkit", cwd=gone, shell='rmdir "$PWD"; exec "$@"')

    assert (done.status, done.stderr) == (0, b"")


@pytest.mark.parametrize("words", [[], ["--below"], ["--for", "always", "mkdir x"]], ids=" ".join)
def test_trust_that_cannot_be_kept_names_the_place_where_it_would_be(run, tree, tmp_path, words):
    (tree / ".patchkit.toml").write_text('[permissions]\nwrite = "allow"\n')
    (tmp_path / "state").write_text("in the way")
    done = run("trust", *words, name="patchkit", XDG_STATE_HOME=str(tmp_path / "state"))

    place = tmp_path / "state" / "patchkit" / "trusted"
    assert (done.status, done.stderr.split(b"\n")[0].decode()) == (
        4,
        f"error[P402]: cannot write '{place}': not a directory",
    )


# -- a prompt --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "status", "listed"),
    [
        ("y", 0, "Nothing is approved.\n"),
        ("s", 0, "session    execute  mkdir new\n"),
        ("d", 0, "directory  execute  mkdir new\n"),
        ("a", 0, "always     execute  mkdir new\n"),
        ("n", 126, "Nothing is approved.\n"),
    ],
)
def test_a_key_says_for_how_long_a_command_is_approved(key, status, listed, patchkit, tree):
    words = [str(SCRIPT), "exec", "--ask", "mkdir new"]
    asked = Terminal(words, tree, PATCHKIT_SESSION="one")
    asked.answer("Allow it [y,s,d,a,n,?]?", ["?\n", f"{key}\n"])
    ended, seen = asked.end()

    assert (ended, (tree / "new").is_dir()) == (status, status == 0)
    assert "running 'mkdir new' needs approval: execute = \"ask\" (by default)" in seen
    assert "d: allow it, this workspace" in seen
    assert patchkit("policy", PATCHKIT_SESSION="one").stdout.decode() == listed
    assert patchkit("trust", "--clear").status == 0


def test_a_file_is_approved_by_a_key_as_a_command_is_and_what_is_denied_is_not_asked_for(patchkit, tree):
    asked = Terminal([str(SCRIPT), "write", "other.md", "--content", "x", "--ask"], tree)
    asked.answer("Allow it [y,d,a,n,?]?", ["d\n"])  # there is no session

    assert asked.end()[0] == 0
    assert patchkit("write", "other.md", "--content", "y", "--as-agent").status == 0
    assert patchkit("trust", "--clear").status == 0
    assert patchkit("write", "other.md", "--content", "z", "--as-agent").status == 3
    assert Terminal([str(SCRIPT), "write", "lib/x", "--content", "x", "--ask"], tree).end()[0] == 3


def test_nobody_is_asked_without_a_terminal_or_where_an_agent_may_be_at_it(patchkit, tree):
    assert patchkit("exec", "--ask", "mkdir new").status == 126
    typed = Terminal([str(SCRIPT), "exec", "--ask", "mkdir new"], tree, PATCHKIT_AGENT="1")
    typed.type("y\n")  # which would be the answer
    assert typed.end()[0] == 126
    assert not (tree / "new").exists()
