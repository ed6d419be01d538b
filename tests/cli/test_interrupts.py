"""A command that is interrupted rolls back, reports it, and dies by the signal: shells and CI look at nothing else."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from terminals import Terminal, unread

SCRIPTS = Path(sys.executable).parent
pytestmark = pytest.mark.skipif(
    not (SCRIPTS / "patchkit").exists(), reason="the scripts are not installed beside this interpreter"
)
SHELLS = [["bash", "--norc", "--noprofile", "-c"], ["zsh", "-f", "-c"], ["dash", "-c"], ["sh", "-c"]]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
COMMANDS = ["apply_patch -", "patchkit apply -", "patchkit check -", "patchkit intercept --script -"]
SETTINGS = {"PATH": f"{SCRIPTS}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: shell[0])
def test_control_c_stops_a_loop_of_a_shell(tree, contents, shell, command):
    if shutil.which(shell[0]) is None:
        pytest.skip(f"{shell[0]} is not installed")
    loop = f"for each in 1 2 3; do echo begun; {command}; echo went on; done"
    terminal = Terminal([*shell, loop], tree, NO_COLOR="1", **SETTINGS)
    terminal.wait_for("begun\r\n")
    terminal.type("*** Begin Patch\n")
    terminal.wait_for("*** Begin Patch\r\n")
    terminal.wait_until_read()
    terminal.type("\x03")
    status, screen = terminal.end()

    assert (screen.count("begun"), screen.count("went on")) == (1, 0)
    assert status in (-signal.SIGINT, 130)
    assert "Traceback" not in screen
    assert contents() == {"a.txt": b"x\n"}


@pytest.mark.parametrize("number", SIGNALS, ids=lambda each: each.name)
@pytest.mark.parametrize("command", COMMANDS[:3])
def test_the_command_dies_by_the_signal_it_got(tree, command, number):
    process = _waiting(tree, command.split())
    process.send_signal(number)
    output, complaint = process.communicate()

    assert (process.returncode, output) == (-number, b"")
    assert complaint.startswith(f"error[P406]: stopped by {number.name} before it finished\n".encode())


@pytest.mark.parametrize("number", SIGNALS, ids=lambda each: each.name)
def test_a_shell_that_asks_sees_the_status_of_the_signal(tree, number):
    process = _waiting(tree, ["sh", "-c", "sh -c 'echo $$ > pid; exec apply_patch -'; echo $?"])
    os.kill(int((tree / "pid").read_text()), number)

    assert process.communicate()[0] == f"{128 + number}\n".encode()


def test_a_result_in_json_says_what_happened_before_the_process_dies(tree):
    process = _waiting(tree, ["apply_patch", "--json", "-"])
    process.send_signal(signal.SIGTERM)
    output, _complaint = process.communicate()

    assert process.returncode == -signal.SIGTERM
    assert b'"code": "P406"' in output


def _waiting(tree: Path, words: list[str]) -> subprocess.Popen[bytes]:
    """A command that reads a patch of which only the beginning has come."""
    reader, writer = os.pipe()
    process = subprocess.Popen(
        words,
        cwd=tree,
        env={**os.environ, **SETTINGS},
        stdin=reader,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: [signal.signal(each, signal.SIG_DFL) for each in SIGNALS],
    )
    os.write(writer, b"*** Begin Patch\n")
    while unread(reader):
        assert process.poll() is None
        time.sleep(0.02)
    os.close(reader)
    process.stdin = open(writer, "wb")
    return process
