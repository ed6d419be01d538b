"""The scripts of the wheel when somebody interrupts them: before the command's own handlers stand, and after."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
NAMES = sorted(path.name for path in SCRIPTS.iterdir())
# A module that tells that it is being loaded, and is done when the test says so.
SLOW = """
import os, sys
os.write(1, b"loading\\n")
os.read(0, 1)
def load(): pass
def main(): os._exit(7)
"""
# Stands before the text of a script: whoever reads standard input is interrupted just then.
INTERRUPTED = """
import os, signal, sys
sys.argv[1:] = {words!r}
def read(*_):
    os.kill(os.getpid(), signal.SIGINT)
    raise AssertionError("nobody has noticed")
class Input:
    pass
Input.buffer = Input
Input.read = Input.readline = os.read = read
sys.stdin = Input
"""


@pytest.fixture
def slow(tmp_path):
    """A directory with a package that takes its time, in the place of ours."""
    for name in ("__init__", "_bundle_apply", "cli/__init__", "cli/apply_patch", "cli/main"):
        path = tmp_path / "patchkit" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("" if name.endswith("__init__") else SLOW)
    return tmp_path


def loading(name: str, slow: Path) -> subprocess.Popen[bytes]:
    """A script that has begun to load, and waits."""
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen(
        [sys.executable, SCRIPTS / name], cwd=slow, env={**os.environ, "PYTHONPATH": str(slow)}, **streams
    )
    assert process.stdout.readline() == b"loading\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
@pytest.mark.parametrize("name", NAMES)
def test_a_signal_while_it_loads_ends_it_without_a_word(slow, name, number):
    process = loading(name, slow)
    process.send_signal(number)

    assert (*process.communicate(timeout=20), process.returncode) == (b"", b"", -number)


@pytest.mark.parametrize("name", NAMES)
def test_an_ignored_interrupt_while_it_loads_stays_ignored(slow, name):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # which a child inherits
    try:
        process = loading(name, slow)
    finally:
        signal.signal(signal.SIGINT, before)
    process.send_signal(signal.SIGINT)

    assert process.communicate(b"go", timeout=20)[1] == b""
    assert process.returncode == 7


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("apply_patch", 1, b"error[P406]: stopped by SIGINT before it was done\n"),
        ("patchkit apply", 1, b"error[P406]: stopped by SIGINT before it was done\n"),
        ("patchkit hook", 0, b""),
        ("patchkit intercept --json-call", 130, b""),
    ],
)
def test_an_interrupt_while_it_reads_is_answered_by_the_command(tmp_path, command, status, said):
    name, *words = command.split()
    code = INTERRUPTED.format(words=words) + (SCRIPTS / name).read_text()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=20
    )

    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr.startswith(said) if said else done.stderr == b""
