"""`patchkit hook`: status 0 whatever comes, an answer on standard output or nothing at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import patchkit
from patchkit.cli.group import page_named
from patchkit.report.spans import plain

PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
CALL = f"apply_patch <<'EOF'\n{PATCH}EOF\n"


def event(tree, command):
    said = {"cwd": str(tree), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}}
    return json.dumps(said).encode()


@pytest.fixture
def hook(run):
    return lambda data, *words: run("hook", *words, name="patchkit", stdin=data)


def test_a_call_is_allowed_in_a_form_that_a_shell_without_our_commands_can_run(hook, tree, contents):
    said = hook(event(tree, CALL))
    command = json.loads(said.stdout)["hookSpecificOutput"]["updatedInput"]["command"]
    done = subprocess.run(
        ["bash", "-c", command], cwd="/", env={"PATH": "/usr/bin:/bin"}, capture_output=True, check=False
    )

    assert (said.status, said.stderr) == (0, b"")
    assert (done.returncode, contents()) == (0, {"a.txt": b"y\n"})


def test_a_patch_that_does_not_apply_is_denied(hook, tree, contents):
    said = hook(event(tree, CALL.replace("-x", "-gone")))
    answer = json.loads(said.stdout)["hookSpecificOutput"]

    assert said.status == 0
    assert answer["permissionDecision"] == "deny"
    assert answer["permissionDecisionReason"].startswith("error[P201]: hunk not found in 'a.txt'")
    assert contents() == {"a.txt": b"x\n"}


def test_another_command_passes_without_a_word(hook, tree):
    assert hook(event(tree, "ls")) == (0, b"", b"")


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\x00", b"[]", b'{"cwd": 7}'])
def test_what_is_not_an_event_passes_and_is_reported(hook, data):
    said = hook(data)

    assert (said.status, said.stdout) == (0, b"")
    assert said.stderr.startswith(b"patchkit hook: the event cannot be read: ")


def test_an_event_that_cannot_be_read_passes_and_says_why(hook):
    said = hook(b'{"apply_patch": 1}')

    assert said == (
        0,
        b"",
        b"patchkit hook: the event cannot be read: it is no event before a tool runs that is known here; "
        b"the call passes untouched\n",
    )


def test_help_is_there_and_other_words_are_passed_over(hook, tree):
    assert hook(b"", "--help") == (0, plain(page_named("hook").spans(80)).encode(), b"")
    assert hook(event(tree, "ls"), "--runtime", "auto") == (
        0,
        b"",
        b"patchkit hook: arguments that are not known, ignored: --runtime auto\n",
    )


def test_an_argument_that_is_not_known_is_a_usage_error_on_a_terminal(tree):
    for words, known in (
        (["--install", "claude"], "patchkit install"),
        (["--root", ".", "--bad"], "patchkit hook --help"),
    ):
        terminal, end = os.openpty()
        done = subprocess.run(
            [sys.executable, "-m", "patchkit", "hook", *words], stdin=end, capture_output=True, cwd=tree
        )
        os.close(terminal), os.close(end)
        wrong = next(word for word in words if word in ("--install", "--bad"))

        assert (done.returncode, done.stdout) == (2, b"")
        assert f"unknown argument '{wrong}' (see '{known}')".encode() in done.stderr


def test_a_defect_of_ours_stops_no_call(tree):
    code = (
        "import patchkit.runtimes.hooks as hook\n"
        "hook.decide = lambda event, program, place: 1 / 0\n"
        "from patchkit.cli.main import main\n"
        "main(['hook'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=event(tree, CALL), cwd=tree, capture_output=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"patchkit hook: ZeroDivisionError: division by zero; the call passes untouched\n"


def test_an_event_about_something_else_loads_next_to_nothing(tree):
    code = (
        "import os, sys; os._exit = lambda status: (print(status, sorted(name for name in sys.modules"
        " if name.startswith(('click', 're', 'json', 'shlex', 'tree_sitter', 'patchkit.shell.')))), sys.exit(0));"
        "from patchkit.cli.main import main; main(['hook'])"
    )
    settings = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(patchkit.__file__)), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], input=event(tree, "ls"), capture_output=True, env=settings, cwd=tree
    )

    assert done.stdout.strip() == b"0 ['patchkit.shell.mention']"
