"""`patchkit exec`: the command's output and status, on a pipe, on a terminal, and when it is stopped."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from child_processes import gone, number_in, wait_until

SCRIPT = Path(sys.executable).with_name("patchkit")


@pytest.fixture
def execute(run):
    return lambda *words, **settings: run("exec", *words, name="patchkit", **settings)


# -- what is run ---------------------------------------------------------------------------------


def test_one_argument_is_a_script(execute):
    assert execute("echo a; echo b >&2; exit 3") == (3, b"a\nb\n[exit status 3]\n", b"")


def test_words_after_two_dashes_are_a_command(execute, tree):
    (tree / "a b").write_text("")

    assert execute("--", "ls", "-1", "a b", "a.txt") == (0, b"a b\na.txt\n", b"")
    assert execute("--", "printf", "%s|", "$HOME", "*", "--", "'").stdout == b"$HOME|*|--|'|\n"


def test_options_may_come_before_and_after_a_script(execute):
    assert execute("--timeout", "5", "echo a").stdout == execute("echo a", "--timeout", "5").stdout == b"a\n"


@pytest.mark.parametrize("words", [[], ["--timeout"], ["--timeout", "soon", "true"], ["ls", "-la"]])
def test_a_command_line_that_is_wrong_is_a_matter_of_usage(execute, words):
    said = execute(*words)

    assert (said.status, said.stdout) == (2, b"")
    assert said.stderr.startswith(b"error: ")


def test_it_runs_where_it_is_told(execute, tree):
    (tree / "sub").mkdir()

    assert execute("-C", "sub", "pwd").stdout == f"{tree}/sub\n".encode()
    assert execute("--cwd", "sub", "pwd").stdout == f"{tree}/sub\n".encode()  # as the argument of the tool is called


def test_help_has_one_name_for_where_it_runs(execute):
    said = execute("--help").stdout.decode()

    assert ("-C, --start DIR" in said, "--cwd" in said) == (True, False)


def test_what_is_piped_in_can_be_read(execute):
    assert execute("cat", stdin=b"piped\n").stdout == b"piped\n"


# -- how it ends ---------------------------------------------------------------------------------


def test_the_status_is_124_when_time_is_up(execute):
    for seconds in ("1", "10", "100"):  # more on a machine that is too busy to start a shell in that time
        said = execute("--timeout", seconds, "echo working; sleep 3600")
        if said.stdout.startswith(b"working"):
            break

    assert (said.status, said.stderr) == (124, b"")
    assert said.stdout.startswith(b"working\nerror[P641]: ")


def test_the_status_is_126_when_it_is_refused(execute):
    said = execute("sudo ls")

    assert (said.status, said.stdout) == (126, b"")
    assert said.stderr.startswith(b"error[P642]: ")


def test_the_status_is_127_when_there_is_no_such_program(execute):
    assert execute("--", "no-such-program").status == 127


def test_the_status_is_3_outside_the_workspace(execute):
    assert execute("--cwd", "..", "ls").status == 3


def test_a_time_beyond_the_limit_is_a_matter_of_usage(execute):
    said = execute("--timeout", "3601", "true")

    assert said.status == 2
    assert said.stderr.startswith(b"error[P643]: the timeout of 3601 s is too long, the limit is 3600 s\n")


def test_a_patch_is_applied(execute, contents):
    patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"

    assert execute("--", "apply_patch", patch) == (0, b"Success. Updated the following files:\nM a.txt\n", b"")
    assert contents() == {"a.txt": b"y\n"}


def test_with_json_there_is_one_envelope(execute):
    said = execute("--json", "echo hi; exit 3")
    envelope = json.loads(said.stdout)

    assert (said.status, said.stderr) == (3, b"")
    assert (envelope["status"], envelope["data"]["exit_code"], envelope["data"]["output"]) == ("success", 3, "hi\n")


# -- a terminal ----------------------------------------------------------------------------------


def on_a_terminal(tree: Path, *words: str) -> tuple[int, str]:
    """Runs the command with a terminal for all its streams: its status and what was seen there."""
    if not SCRIPT.exists():
        pytest.skip("the patchkit script is not installed beside this interpreter")
    master, slave = pty.openpty()
    process = subprocess.Popen([SCRIPT, "exec", *words], cwd=tree, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    seen = b""
    try:
        while piece := os.read(master, 4096):
            seen += piece
    except OSError:
        pass  # how a terminal reports that its other end is closed
    os.close(master)
    return process.wait(), seen.decode().replace("\r\n", "\n")


def test_on_a_terminal_output_goes_by_once(tree):
    assert on_a_terminal(tree, "echo a; exit 3") == (3, "a\n[exit status 3]\n")


def test_on_a_terminal_output_comes_as_it_is_written(tree):
    script = "echo waiting; while [ ! -e go ]; do sleep 0.05; done; echo done"
    master, slave = pty.openpty()
    process = subprocess.Popen([SCRIPT, "exec", script], cwd=tree, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    first = os.read(master, 100)
    (tree / "go").touch()
    status = process.wait()
    os.close(master)

    assert (first, status) == (b"waiting\r\n", 0)


def test_on_a_terminal_a_large_output_is_not_shown_twice(tree):
    status, seen = on_a_terminal(tree, "seq 1 30000")
    lines = seen.split("\n")

    assert (status, lines[:2], lines.count("30000")) == (0, ["1", "2"], 1)
    assert lines[-2].startswith("[all of it: /")


def test_a_terminal_is_not_an_input(tree):
    assert on_a_terminal(tree, "cat; echo done") == (0, "done\n")


# -- signals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
def test_a_signal_ends_the_whole_process_group(tree, number):
    if not SCRIPT.exists():
        pytest.skip("the patchkit script is not installed beside this interpreter")
    script = "sleep 3600 & echo $! > child; echo $$ > leader; wait"
    process = subprocess.Popen([SCRIPT, "exec", script], cwd=tree, stderr=subprocess.PIPE)
    wait_until(lambda: number_in(tree / "leader"), "the command runs")
    process.send_signal(number)
    said = process.communicate()[1]

    assert process.returncode == -number
    assert said.startswith(f"error[P645]: stopped by {number.name}, together with the command".encode())
    assert [gone(int((tree / name).read_text())) for name in ("leader", "child")] == [True, True]
