"""`[hook] sandbox`: an allowed command of a client is rewritten to run in our sandbox."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from patchkit.policy.trust import approve, trust_below
from patchkit.runtimes.hooks import respond
from patchkit.sandbox import landlock

WORK = """\
import os, sys
print(os.getcwd(), os.environ["MINE"], sep="\\n", flush=True)
try:
    open("../.env")
except OSError as error:
    print(error.strerror, error.filename, sep=": ", file=sys.stderr)
sys.exit(7)
"""
PROGRAM = [sys.executable, "-P", "-c", "from patchkit.cli.apply_patch import main; main()"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src/a").write_text("one\n")
    (root / ".env").write_text("SECRET\n")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PATCHKIT_ROOT", str(root))
    (tmp_path / "config/patchkit").mkdir(parents=True)
    trust_below(str(root))
    return root


def rules(root, hook: str) -> None:
    (root / ".patchkit.toml").write_text(
        '[permissions]\nread = { ".env" = "deny" }\nwrite = { "src/**" = "allow" }\n'
        f'execute = {{ "python3" = "allow", "sh" = "allow", "rm" = "deny" }}\n{hook}'
    )


def answered(root, command: object, **more: str) -> dict:
    event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(root), "tool_input": {"command": command}}
    event |= more
    said = respond(json.dumps(event).encode(), PROGRAM)
    return json.loads(said)["hookSpecificOutput"] if said else {}


def test_without_the_setting_an_allowed_command_stays_as_it_is(project):
    rules(project, "")

    assert "updatedInput" not in answered(project, "python3 -V")


@pytest.mark.parametrize("mode", ["auto", "require"])
def test_an_allowed_command_runs_inside_in_its_directory(project, mode):
    rules(project, f'[hook]\nsandbox = "{mode}"\n')

    answer = answered(project / "src", "python3 -c 'print(1)'")

    assert answer["permissionDecision"] == "allow"
    command = answer["updatedInput"]["command"]
    assert f"--sandbox={mode} --passthrough" in command
    assert f"--root {project} -C {project}/src -- 'python3 -c" in command


def test_a_denied_command_and_one_to_be_asked_for_are_not_rewritten(project):
    rules(project, '[hook]\nsandbox = "auto"\n')

    assert answered(project, "rm -r x")["permissionDecision"] == "deny"
    assert "updatedInput" not in answered(project, "make")


def test_a_project_cannot_turn_off_what_the_user_turned_on(project, tmp_path):
    rules(project, '[hook]\nsandbox = "off"\n')
    (tmp_path / "config/patchkit/config.toml").write_text('[hook]\nsandbox = "require"\n')

    assert "--sandbox=require" in answered(project, "python3 -V")["updatedInput"]["command"]


@pytest.mark.parametrize("text", ['sandbox = "often"', "other = 1"])
def test_a_setting_that_cannot_be_is_asked_about(project, text):
    rules(project, f"[hook]\n{text}\n")

    assert answered(project, "python3 -V")["permissionDecision"] == "ask"


@pytest.mark.skipif(landlock.version() < 6, reason="this kernel has no Landlock that stops signals")
def test_the_rewritten_command_keeps_directory_environment_streams_and_status(project, monkeypatch):
    rules(project, '[hook]\nsandbox = "require"\n')
    monkeypatch.setenv("MINE", "kept")
    (project / "src/work.py").write_text(WORK)
    command = answered(project / "src", "python3 work.py")["updatedInput"]["command"]

    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=project / "src")

    assert (done.returncode, done.stdout) == (7, f"{project}/src\nkept\n")
    assert done.stderr == "Permission denied: ../.env\n"


@pytest.mark.skipif(landlock.version() < 6, reason="this kernel has no Landlock that stops signals")
def test_what_was_approved_for_a_session_may_be_written_in_the_sandbox_of_its_commands_only(project):
    rules(project, '[hook]\nsandbox = "require"\n')
    approve("execute", "touch new", "session", str(project), "one")

    assert answered(project, "touch new", session_id="two")["permissionDecision"] == "ask"
    assert answered(project, "touch other", session_id="one")["permissionDecision"] == "ask"
    command = answered(project, "touch new", session_id="one")["updatedInput"]["command"]
    assert subprocess.run(["sh", "-c", command.replace("PATCHKIT_SESSION=one", "PATCHKIT_SESSION=two")]).returncode == 1
    assert not (project / "new").exists()
    assert subprocess.run(["sh", "-c", command]).returncode == 0
    assert (project / "new").exists()
