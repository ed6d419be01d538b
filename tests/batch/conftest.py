"""Rows, and runs of the command over them."""

from __future__ import annotations

import json
import subprocess

import pytest
from batch_rows import COMMAND


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
        done = subprocess.run(
            [*COMMAND, str(rows), "-o", str(tmp_path / out) if out != "-" else "-", *jobs, *words],
            cwd=tmp_path,
            capture_output=True,
            input=stdin,
        )
        assert done.returncode == status, done.stderr.decode()
        text = done.stdout if out == "-" else (tmp_path / out).read_bytes() if status < 2 else b""
        return Run([json.loads(line) for line in text.splitlines()], done.stdout.decode(), done.stderr.decode())

    return run


class Run(list):
    """The answers of a run, in order."""

    def __init__(self, answers, stdout, stderr):
        super().__init__(answers)
        self.stdout = stdout
        self.stderr = stderr

    def by(self, *names):
        return [tuple(answer[name] for name in names) for answer in self]
