"""Hook events and their answers: the shapes as files, and what no file shows."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchkit.runtimes import hooks
from patchkit.runtimes.hooks import Blocked, UnreadableEvent, respond

CASES = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "hooks").glob("*.json"))
PATCH = "*** Begin Patch\n*** Update File: app.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
CALL = f"apply_patch <<'EOF'\n{PATCH}EOF\n"
PROGRAM = ["/opt/patchkit/bin/apply_patch"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "COPILOT_PROJECT_DIR", "SHELL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(hooks, "_has_terminal", lambda: True)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # without our commands
    root = tmp_path.resolve() / "project"
    (root / "sub").mkdir(parents=True)
    (root / "app.py").write_text("x = 1\n")
    (root / "twice.py").write_text("x = 1\ny\nx = 1\n")
    monkeypatch.chdir(root)  # as runtimes start their hooks
    return root


def event(project: Path, command: object, **more: object) -> bytes:
    said = {
        "cwd": str(project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    return json.dumps(said | more).encode()


def answer(data: bytes) -> dict[str, object]:
    return json.loads(respond(data, PROGRAM))["hookSpecificOutput"]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_an_event_gets_the_answer_beside_it(path, project):
    case = json.loads(path.read_text())
    try:
        said = respond(json.dumps(case["event"]).replace("{ROOT}", str(project)).encode(), PROGRAM)
    except Blocked as blocked:
        said = json.dumps({"blocked": str(blocked)})
    said = said.replace(PROGRAM[0], "{APPLY}").replace(str(project), "{ROOT}")
    if os.environ.get("PATCHKIT_UPDATE_GOLDEN"):
        path.write_text(json.dumps({**case, "answer": json.loads(said) if said else None}, indent=2) + "\n")
        return

    assert (json.loads(said) if said else None) == case["answer"]
    assert (project / "app.py").read_text() == "x = 1\n"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_an_answer_is_one_that_codex_takes(path):
    """It takes 'allow' only with another input, another input only with 'allow', and 'deny' only with a reason."""
    case = json.loads(path.read_text())
    said = (case["answer"] or {}).get("hookSpecificOutput", {})
    if "turn_id" not in case["event"] or not said:
        return

    assert (said["permissionDecision"] == "allow") == ("updatedInput" in said)
    assert said["permissionDecisionReason"].strip() != ""


def test_the_rewritten_command_does_what_the_call_meant(project, run_script):
    given = answer(event(project, f"cd sub && {CALL.replace('app.py', '../app.py')}"))["updatedInput"]
    done = run_script(given["command"], project.parent)

    assert (done.returncode, done.stdout) == (0, "Success. Updated the following files:\nM ../app.py\n")
    assert (project / "app.py").read_text() == "x = 2\n"


@pytest.fixture
def run_script():
    """Runs a rewritten command in bash, with our command where the answer says it is."""

    def run(command, cwd):
        call = """python -c 'from patchkit.cli.apply_patch import main; main()'"""
        import sys

        script = command.replace(PROGRAM[0], call.replace("python", sys.executable), 1)
        return subprocess.run(["bash", "-c", script], cwd=cwd, capture_output=True, text=True, check=False)

    return run


def test_a_patch_that_holds_the_delimiter_is_still_read_to_its_end(project, run_script):
    patch = "*** Begin Patch\n*** Add File: b\n+a\nPATCH\n*** End Patch\n".replace("PATCH\n", "+PATCH\n")
    odd = patch.replace("*** End Patch\n", "*** End Patch\nPATCH\nPATCH_\n")
    command = answer(event(project, ["apply_patch", odd], tool_name="shell"))["updatedInput"]["command"]

    assert command[:2] == ["bash", "-c"]
    assert command[2].endswith("\nPATCH__\n")
    assert run_script(command[2], project).returncode == 0


def test_a_patch_without_its_last_line_end_gets_one(project):
    command = answer(event(project, ["apply_patch", PATCH.rstrip("\n")]))["updatedInput"]["command"]

    assert command[2].endswith("*** End Patch\nPATCH\n")


# -- the workspace -------------------------------------------------------------------------------


def test_the_project_is_the_workspace_where_the_session_is_inside_it(project, monkeypatch):
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project))
    said = answer(event(project / "sub", CALL.replace("app.py", "../app.py")))

    assert "permissionDecision" not in said
    assert f"--root {project} -C {project}/sub " in said["updatedInput"]["command"]


def test_a_session_outside_the_project_changes_nothing_there(project, tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "other"))

    assert answer(event(project, CALL))["permissionDecisionReason"].startswith("error[P301]")


def test_a_root_that_is_given_holds(project, monkeypatch):
    monkeypatch.setenv("PATCHKIT_ROOT", str(project / "sub"))

    assert answer(event(project, CALL))["permissionDecisionReason"].startswith("error[P301]")


def test_in_zsh_a_text_is_read_as_zsh_reads_it(project, monkeypatch):
    script = "echo '" + PATCH.replace("x = 2", "x = \\\\d") + "' | apply_patch"
    monkeypatch.setenv("SHELL", "/bin/zsh")
    zsh = answer(event(project, script))["updatedInput"]["command"]
    monkeypatch.setenv("SHELL", "/bin/bash")
    bash = answer(event(project, script))["updatedInput"]["command"]

    assert ("+x = \\d" in zsh, "+x = \\\\d" in bash) == (True, True)


# -- what passes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["ls", "", 7, None, {}, [], ["ls"], "echo apply_patch", "cat apply_patch.md"])
def test_everything_else_passes_untouched(project, command):
    assert respond(event(project, command, transcript_path="/apply_patch"), PROGRAM) == ""


WHOLE = {"cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "apply_patch"}}
WRONG = [
    {"hook_event_name": "PostToolUse"},
    {"hook_event_name": ["PreToolUse"]},
    {"tool_name": 7},
    {"tool_input": "apply_patch"},
    {"cwd": "/gone"},
    {"cwd": 7},
]


@pytest.mark.parametrize(
    "data",
    [
        *[b"apply_patch", b'{"apply_patch": ', b'["apply_patch"]', b'"apply_patch"', b'{"a": "apply_patch"}'],
        *[json.dumps(WHOLE | wrong).encode() for wrong in WRONG],
        *[b"\xff\xfeapply_patch", b"[" * 100_000 + b"apply_patch"],
    ],
    ids=lambda data: data[:60].decode("latin-1"),
)
def test_an_event_that_cannot_be_read_says_so(data):
    with pytest.raises(UnreadableEvent):
        respond(data, PROGRAM)


@settings(derandomize=True, database=None, deadline=None, max_examples=60)
@given(st.text() | st.lists(st.text() | st.none(), max_size=3) | st.dictionaries(st.text(), st.none(), max_size=2))
def test_no_input_of_a_tool_whatever_is_too_much(given_input):
    data = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": given_input, "workdir": given_input},
    }

    said = respond(json.dumps({**data, "cwd": os.getcwd(), "why": "apply_patch"}).encode(), PROGRAM)

    assert said == "" or json.loads(said)["hookSpecificOutput"]["permissionDecision"] in ("allow", "deny")
