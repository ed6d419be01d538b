"""The installed commands as a caller sees them: words in, streams and exit status out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from forked_commands import FORKS

OF_STARTING = ("PYTHON", "LC_", "LANG")  # settings that Python reads when it starts


class Said(NamedTuple):
    """All that came of a run of a command."""

    status: int
    stdout: bytes
    stderr: bytes


@pytest.fixture
def tree(tmp_path):
    """A workspace with one file, a.txt, that says x."""
    path = tmp_path / "tree"
    path.mkdir()
    (path / "a.txt").write_bytes(b"x\n")
    return path


@pytest.fixture
def contents(tree):
    """Reads the bytes of every file of the tree, or of another directory."""

    def contents_of(folder=tree):
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    return contents_of


@pytest.fixture
def run(tree):
    """Runs a command, in the tree if nothing else is said.

    `shell` is a line of sh in which "$@" stands for the command and its words. What else is given by
    name goes into the environment.
    """

    def run_command(*words, name="apply_patch", shell="", stdin=b"", stdout=subprocess.PIPE, cwd=tree, **settings):
        script = Path(sys.executable).with_name(name)
        if not script.exists():
            pytest.skip(f"the {name} script is not installed beside this interpreter")
        environment = {**os.environ, **settings}
        piped = isinstance(stdin, bytes) and stdout == subprocess.PIPE
        if piped and not shell and not any(name.startswith(OF_STARTING) for name in settings):
            return Said(*FORKS.run([str(script), *map(os.fsdecode, words)], cwd, environment, stdin))
        line = [*(["sh", "-c", shell, "sh"] if shell else []), str(script), *words]
        given = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
        streams = {"stdout": stdout, "stderr": subprocess.PIPE, **given}
        done = subprocess.run(line, cwd=cwd, env=environment, **streams)
        return Said(done.returncode, done.stdout or b"", done.stderr)

    return run_command
