"""Several calls of one turn, and calls among other commands: what a hook makes of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from child_processes import HANG

from patchkit.runtimes import hooks
from patchkit.runtimes.hooks import pending, respond
from patchkit.runtimes.hooks.events import read_event
from patchkit.runtimes.hooks.rewriting import CallsInPlace

SOURCE = Path(__file__).resolve().parents[2]
PROGRAM = ["/opt/patchkit/bin/apply_patch"]


def patch(old, new, name="app.py"):
    return f"*** Begin Patch\n*** Update File: {name}\n@@\n-{old}\n+{new}\n*** End Patch\n"


def called(text):
    return f"apply_patch <<'EOF'\n{text}EOF\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "COPILOT_PROJECT_DIR", "COPILOT_ALLOW_ALL", "SHELL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(hooks, "_has_terminal", lambda: True)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path.resolve() / "project"
    (root / "sub").mkdir(parents=True)
    (root / "app.py").write_text("x = 1\n")
    monkeypatch.chdir(root)
    return root


def asked(project, command, **more):
    """The decision of the hook, and the command it has rewritten; the session is that of Claude Code."""
    event = {"cwd": str(project), "hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s1"}
    said = respond(json.dumps({**event, "tool_input": {"command": command}, **more}).encode(), PROGRAM)
    given = json.loads(said)["hookSpecificOutput"] if said else {}
    return given.get("permissionDecision"), given.get("updatedInput", {}).get("command", "")


# -- patches that need each other -----------------------------------------------------------------


def test_a_patch_is_planned_on_those_of_its_turn_that_have_not_run_yet(project):
    first, second, third = (called(patch(f"x = {number}", f"x = {number + 1}")) for number in (1, 2, 3))
    verbs = [asked(project, command)[0] for command in (first, second, third)]

    assert (verbs, (project / "app.py").read_text()) == ([None, None, None], "x = 1\n")


def test_a_patch_that_has_run_meanwhile_does_not_count_twice(project):
    asked(project, called(patch("x = 1", "x = 2")))
    (project / "app.py").write_text("x = 2\n")

    assert [asked(project, called(patch(old, "x = 9")))[0] for old in ("x = 2", "x = 1")] == [None, "deny"]


@pytest.mark.parametrize("more", [{"session_id": "s2"}, {"session_id": ""}, {"cwd": "{project}/sub"}])
def test_patches_of_other_sessions_and_directories_do_not_count(project, more):
    asked(project, called(patch("x = 1", "x = 2")))
    more = {name: value.format(project=project) for name, value in more.items()}

    assert asked(project, called(patch("x = 2", "x = 3")), **more)[0] == "deny"


def test_a_refused_patch_is_not_one_that_others_can_need(project):
    asked(project, called(patch("x = 7", "x = 2")))

    assert asked(project, called(patch("x = 2", "x = 3")))[0] == "deny"


def test_a_patch_of_long_ago_does_not_count(project, monkeypatch):
    asked(project, called(patch("x = 1", "x = 2")))
    later = time.time() + 100
    monkeypatch.setattr(time, "time", lambda: later)

    assert asked(project, called(patch("x = 2", "x = 3")))[0] == "deny"


def test_a_call_waits_for_one_that_is_judged_at_the_same_time_where_a_runtime_asks_about_several(project, monkeypatch):
    monkeypatch.setattr(pending, "_WAIT", HANG)
    codex = {"turn_id": "t1", "permission_mode": "bypassPermissions"}
    verbs = []
    second = threading.Thread(
        target=lambda: verbs.append(asked(project, called(patch("x = 2", "x = 3")), **codex)[0]), daemon=True
    )
    second.start()
    verbs.append(asked(project, called(patch("x = 1", "x = 2")), **codex)[0])
    second.join()

    assert verbs == ["allow", "allow"]


# -- calls among other commands --------------------------------------------------------------------

AMONG = [
    "cat app.py && {}",
    "cat app.py; {}",
    "cat app.py\n{}",
    "{}cat app.py\n",
    "if test -f app.py; then {}fi\n",
]


@pytest.mark.parametrize("script", AMONG)
def test_a_call_among_other_commands_gets_our_full_name_and_nothing_else_changes(project, script, tmp_path):
    script = script.format(called(patch("x = 1", "x = 2")))
    verb, rewritten = asked(project, script)
    ours = f"{PROGRAM[0]} --root {project}"

    assert (verb, rewritten) == (None, script.replace("apply_patch", ours))


@pytest.mark.parametrize(
    "script",
    [
        "echo apply_patch",
        "echo 'cat && apply_patch'",
        "cat <<'E'\napply_patch\nE\n",
        "cd sub && cat x; {}",
        "apply_patch() {{ touch x; }}; {}",
        "alias apply_patch=rm; {}",
        "cat app.py | xargs apply_patch",
        "x=$(apply_patch)",
    ],
)
def test_where_it_is_not_certain_what_is_called_nothing_is_rewritten(project, script):
    assert asked(project, script.format(called(patch("x = 1", "x = 2"))))[1] == ""


def test_where_our_command_is_the_one_on_the_path_the_script_stays_as_it_is(project, monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/apply_patch").write_text("#!/bin/sh\n")
    (tmp_path / "bin/apply_patch").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    script = f"cat app.py && {called(patch('x = 1', 'x = 2'))}"
    monkeypatch.setattr(sys.modules[__name__], "PROGRAM", [f"{tmp_path}/bin/apply_patch"])
    ours = asked(project, script)
    monkeypatch.setattr(sys.modules[__name__], "PROGRAM", ["/opt/patchkit/bin/apply_patch"])

    assert (ours[1], asked(project, script)[1].startswith("cat app.py && /opt/patchkit/bin/apply_patch")) == ("", True)


@pytest.mark.parametrize(
    ("name", "mode", "verb"),
    [
        ("app.py", "bypassPermissions", "allow"),
        ("app.py", "acceptEdits", None),
        ("app.py", "default", None),
        (".claude/settings.json", "bypassPermissions", None),
        ("../other.py", "bypassPermissions", None),
    ],
)
def test_such_a_script_is_allowed_only_where_nothing_is_asked_for_and_plain_files_change(project, name, mode, verb):
    script = f"cat app.py && {called(patch('x = 1', 'x = 2', name))}"

    assert asked(project, script, permission_mode=mode)[0] == verb


def test_in_plan_mode_nothing_is_rewritten(project):
    assert asked(project, f"cat app.py && {called(patch('x = 1', 'x = 2'))}", permission_mode="plan") == (None, "")


@pytest.mark.parametrize("script", AMONG)
def test_the_rewritten_script_does_what_was_meant(project, script, monkeypatch, run_command):
    """Run by bash: our command applies the patch, and what is around it runs as before."""
    ours = run_command(project.parent / "ours")
    script = script.format(called(patch("x = 1", "x = 2")))
    found = CallsInPlace(script)
    event = read_event({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": script}})
    rewritten = found.rewritten(event, [ours, "--root", str(project)])["command"]
    done = subprocess.run(["bash", "-c", rewritten], cwd=project, capture_output=True, text=True)

    assert (done.returncode, (project / "app.py").read_text()) == (0, "x = 2\n")
    assert "Success. Updated the following files:\nM app.py\n" in done.stdout


@pytest.mark.parametrize("script", [*AMONG, "{}", "{0}cat app.py && {1}"])
def test_in_gemini_cli_backquotes_and_substitutions_of_a_patch_are_in_single_quotes(
    project, script, monkeypatch, run_command
):
    """Gemini CLI refuses a command that has them anywhere else, also in a quoted heredoc."""
    odd = project.rename(project.parent / "it's a project")
    monkeypatch.chdir(odd)
    ours = run_command(project.parent / "our own")
    line = "x = '`id`' + \"it's $(id)\""
    script = script.format(called(patch("x = 1", line)), called(patch(line, f"{line} # 'odd")))
    event = {"cwd": str(odd), "hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}
    said = json.loads(respond(json.dumps({**event, "tool_input": {"command": script}}).encode(), [ours]))
    rewritten = said["hookSpecificOutput"]["tool_input"]["command"]
    done = subprocess.run(["bash", "-c", rewritten], cwd=odd, capture_output=True, text=True)
    outside = re.sub(r"\\.|'[^']*'|\"'\"", "", rewritten)

    assert ("`" in outside, "$(" in outside, "EOF" in outside) == (False, False, False)
    assert (done.returncode, (odd / "app.py").read_text()) == (0, (line + " # 'odd" * script.count("# 'odd")) + "\n")


@pytest.fixture
def run_command():
    """Writes a script that is our apply_patch, and returns its path."""

    def write(path):
        main = SOURCE / "scripts" / "apply_patch"
        path.write_text(f'#!/bin/sh\nexec {sys.executable} {main} "$@"\n')
        path.chmod(0o755)
        return str(path)

    return write


# -- directories added to a session -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["claude", "-p", "go", "--add-dir", "../other"], ["../other"]),
        (["claude", "--add-dir", "a", "b", "--verbose", "c"], ["a", "b"]),
        (["gemini", "--include-directories=a,b", "-p", "c"], ["a", "b"]),
        (["codex", "exec", "--add-dir=a", "--add-dir", "b"], ["a", "b"]),
        (["claude", "-p", "add-dir"], []),
    ],
)
def test_added_directories_are_read_from_the_command_line_of_the_runtime(words, values):
    assert pending._values(words) == values


def test_the_processes_above_are_looked_at(project):
    """A process as the runtime would be, with the hook's question asked two processes below it."""
    (project.parent / "other").mkdir()
    question = "from patchkit.runtimes.hooks.pending import added_directories; print(added_directories())"
    below = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {question!r}])"
    words = [sys.executable, "-c", below, "--add-dir", "../other"]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, env={"PYTHONPATH": str(SOURCE)})

    assert (done.stdout, done.stderr) == (f"['{project.parent}/other']\n", "")


@pytest.mark.parametrize("mode", ["default", "acceptEdits"])
def test_a_patch_in_an_added_directory_is_judged_there(project, monkeypatch, mode):
    other = project.parent / "other"
    other.mkdir()
    (other / "o.py").write_text("x = 1\n")
    script = f"cd ../other && {called(patch('x = 1', 'x = 2', 'o.py'))}"
    before = asked(project, script, permission_mode=mode)[0]
    monkeypatch.setattr(pending, "added_directories", lambda: [str(other)])
    verb, rewritten = asked(project, script, permission_mode=mode)

    assert (before, verb) == ("deny", "allow" if mode == "acceptEdits" else None)
    assert rewritten.startswith(f"{PROGRAM[0]} --root {other} -C {other} <<'PATCH'\n")


def test_an_added_directory_has_its_own_rules(project, monkeypatch):
    other = project.parent / "other"
    other.mkdir()
    (other / "o.py").write_text("x = 1\n")
    (other / ".patchkit.toml").write_text('[permissions]\nwrite = { "o.py" = "deny" }\n')
    monkeypatch.setattr(pending, "added_directories", lambda: [str(other)])

    assert asked(project, f"cd ../other && {called(patch('x = 1', 'x = 2', 'o.py'))}")[0] == "deny"


# -- what the runtime's own settings forbid ----------------------------------------------------------


def forbid(project, **lists):
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text(json.dumps({"permissions": lists}))


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions"])
@pytest.mark.parametrize("pattern", ["app.py", "./app.py", "/app.py", "*.py", "//{project}/app.py", "**/app.py", ""])
@pytest.mark.parametrize("tool", ["Edit", "Write"])
def test_a_file_that_the_runtime_may_not_edit_is_not_changed_by_a_patch(project, mode, pattern, tool):
    pattern = pattern.format(project=str(project)[1:])
    forbid(project, deny=[f"{tool}({pattern})" if pattern else tool])
    scripts = [script.format(called(patch("x = 1", "x = 2"))) for script in ("{}", "cat app.py && {}")]

    assert [asked(project, script, permission_mode=mode) for script in scripts] == [("deny", "")] * 2


def test_a_file_about_which_the_runtime_asks_is_not_allowed(project):
    forbid(project, ask=["Edit(app.py)"], deny=["Edit(other.py)", "Read(app.py)", "Edit(../app.py)"])

    assert asked(project, called(patch("x = 1", "x = 2")), permission_mode="acceptEdits")[0] is None


@pytest.mark.parametrize("rule", ["Bash(apply_patch:*)", "Bash(apply_patch *)", "Bash(cat *apply_patch*)"])
@pytest.mark.parametrize("verb", ["deny", "ask"])
def test_a_command_that_the_runtime_has_a_rule_about_stays_as_it_is(project, verb, rule):
    forbid(project, **{verb: [rule]})
    scripts = [script.format(called(patch("x = 1", "x = 2"))) for script in ("{}", "cat app.py && {}")]

    assert [asked(project, script, permission_mode="acceptEdits") for script in scripts] == [(None, "")] * 2


@pytest.mark.parametrize("text", ["", "[]", "{", '{"permissions": 1}', '{"permissions": {"deny": [1, null]}}'])
def test_settings_of_the_runtime_that_cannot_be_read_forbid_nothing(project, text):
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text(text)

    assert asked(project, called(patch("x = 1", "x = 2")), permission_mode="acceptEdits")[0] == "allow"
