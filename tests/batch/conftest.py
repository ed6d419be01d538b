"""Rows, and runs of the command over them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from forked_commands import FORKS

SCRIPT = str(Path(sys.executable).with_name("patchkit"))


@pytest.fixture
def write_rows(tmp_path):
    def write(rows, name="rows.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


@pytest.fixture
def batch(tmp_path):
    """Runs the command, with one worker unless words say otherwise; returns the answers, the streams beside them."""

    def run(rows, *words, out="out.jsonl", status=0, stdin=None):
        jobs = [] if {"--jobs", "-j", "--engine"} & {*words} else ["--jobs", "1"]
        line = [SCRIPT, "batch", str(rows), "-o", str(tmp_path / out) if out != "-" else "-", *jobs, *words]
        ended, stdout, stderr = FORKS.run(line, tmp_path, dict(os.environ), stdin or b"")
        assert ended == status, stderr.decode()
        text = stdout if out == "-" else (tmp_path / out).read_bytes() if status < 2 else b""
        return Run([json.loads(line) for line in text.splitlines()], stdout.decode(), stderr.decode())

    return run


class Run(list):
    """The answers of a run, in order."""

    def __init__(self, answers, stdout, stderr):
        super().__init__(answers)
        self.stdout = stdout
        self.stderr = stderr

    def by(self, *names):
        return [tuple(answer[name] for name in names) for answer in self]
