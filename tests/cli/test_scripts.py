"""The scripts of the wheel: interrupted before and after the command sets its handlers, and where they look."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPTS = REPOSITORY / "scripts"
NAMES = sorted(path.name for path in SCRIPTS.iterdir())
# A module that reports that it is being loaded, and is done when the test says so.
SLOW = """
import os, sys
os.write(1, b"loading\\n")
os.read(0, 1)
def load(): pass
def main(): os._exit(7)
"""
# Goes before the text of a script: reading standard input is interrupted at that moment.
INTERRUPTED = """
import os, signal as signals, sys
sys.argv[1:] = {words!r}
def read(*_):
    os.kill(os.getpid(), signals.SIGINT)
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
    for name in ("__init__", "cli/__init__", "cli/apply_patch", "cli/main"):
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

    assert (*process.communicate(), process.returncode) == (b"", b"", -number)


@pytest.mark.parametrize("name", NAMES)
def test_an_ignored_interrupt_while_it_loads_stays_ignored(slow, name):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # which a child inherits
    try:
        process = loading(name, slow)
    finally:
        signal.signal(signal.SIGINT, before)
    process.send_signal(signal.SIGINT)

    assert process.communicate(b"go")[1] == b""
    assert process.returncode == 7


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("apply_patch", -signal.SIGINT, b"error[P406]: stopped by SIGINT before it finished\n"),
        ("patchkit apply", -signal.SIGINT, b"error[P406]: stopped by SIGINT before it finished\n"),
        ("patchkit hook", 0, b""),
        ("patchkit intercept --json-call", -signal.SIGINT, b""),
    ],
)
def test_an_interrupt_while_it_reads_is_answered_by_the_command(tmp_path, command, status, said):
    name, *words = command.split()
    code = INTERRUPTED.format(words=words) + (SCRIPTS / name).read_text()
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True)

    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr.startswith(said) if said else done.stderr == b""


USAGE = "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n"

# -- where they look for modules -----------------------------------------------------------------


def beside(directory: Path, name: str, *options: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """A copy of a script run where it is, in a directory of its own."""
    script = directory / name
    shutil.copy(SCRIPTS / name, script)
    environment = {"PATH": os.environ["PATH"], **({"PYTHONPATH": path} if path else {})}
    command = [sys.executable, "-S", *options, str(script)]  # -S: no package of ours but the one given
    return subprocess.run(
        command, cwd="/", env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


@pytest.mark.parametrize("name", ["apply_patch", "applypatch"])
def test_a_module_beside_a_script_takes_no_modules_place(tmp_path, name):
    for module in ("__future__", "fcntl", "importlib"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('taken in')")

    done = beside(tmp_path, name, path=str(REPOSITORY))

    assert (done.returncode, done.stdout, done.stderr) == (2, "", USAGE)


@pytest.mark.parametrize("options", [(), ("-P",)], ids=["usual", "safe path"])
@pytest.mark.parametrize("name", ["apply_patch", "applypatch"])
def test_a_path_that_holds_both_the_script_and_the_package_is_kept(tmp_path, name, options):
    (tmp_path / "bin").mkdir()
    (tmp_path / "patchkit").symlink_to(REPOSITORY / "patchkit")

    done = beside(tmp_path / "bin", name, *options, path=str(tmp_path))

    assert (done.returncode, done.stdout, done.stderr) == (2, "", USAGE)


@pytest.mark.parametrize("name", ["apply_patch", "applypatch"])
def test_a_package_beside_a_script_is_found(tmp_path, name):
    (tmp_path / "patchkit").symlink_to(REPOSITORY / "patchkit")

    done = beside(tmp_path, name)

    assert (done.returncode, done.stdout, done.stderr) == (2, "", USAGE)
