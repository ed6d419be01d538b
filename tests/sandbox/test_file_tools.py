"""PATCHKIT_SANDBOX=1: the tools for files, and the ripgrep they start, are kept in the workspace by the kernel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox_layers import ABI

from patchkit.processes.child import Deadline, Process
from patchkit.sandbox import landlock
from patchkit.sandbox.self_restriction import restricted
from patchkit.tools.calling import Caller, call

pytestmark = pytest.mark.skipif(ABI < 3, reason=f"this kernel has Landlock version {ABI}")
# tool, arguments, what its text contains
CALLS = [
    ("Read", {"file_path": "a.txt"}, "needle"),
    ("Grep", {"pattern": "needle"}, "a.txt"),
    ("Glob", {"pattern": "*.txt"}, "a.txt"),
    ("LS", {"path": "."}, "a.txt"),
    ("Edit", {"file_path": "a.txt", "old_string": "needle", "new_string": "thread"}, ""),
    ("Write", {"file_path": "new.txt", "content": "hello\n"}, ""),
    ("apply_patch", {"input": "*** Begin Patch\n*** Add File: b.txt\n+x\n*** End Patch\n"}, "A b.txt"),
]


@pytest.fixture
def project(place, monkeypatch):
    (place / "a.txt").write_text("needle\n")
    (place.parent / "secret").write_text("SECRET\n")
    monkeypatch.setenv("PATCHKIT_SANDBOX", "1")
    return place


def test_every_tool_does_its_work_in_the_process_of_a_host_which_stays_free(project):
    caller = Caller(str(project), str(project))

    for name, arguments, expected in CALLS:
        result = call(name, arguments, caller)
        assert (result.errors, expected in result.text) == ([], True), (name, result.text)

    assert (project / "a.txt").read_text() == "thread\n"
    assert (project.parent / "secret").read_text() == "SECRET\n"
    assert "NoNewPrivs:\t0" in Path("/proc/self/status").read_text()


@pytest.mark.parametrize(("name", "arguments", "expected"), CALLS)
def test_every_tool_does_its_work_as_a_command(project, name, arguments, expected):
    if name == "Edit":
        call("Read", {"file_path": "a.txt"}, Caller(str(project), str(project)))
    command = [sys.executable, "-m", "patchkit", "call", name, json.dumps(arguments)]

    done = subprocess.run(command, capture_output=True, text=True, cwd=project)

    assert (done.returncode, expected in done.stdout) == (0, True), done.stderr


def test_a_defect_of_ours_would_read_and_write_nothing_outside(project):
    outside = project.parent / "secret"

    with pytest.raises(PermissionError):
        restricted(lambda: outside.read_text(), str(project), [], owns_process=False)
    with pytest.raises(PermissionError):
        restricted(lambda: outside.write_text("x"), str(project), [], owns_process=False)

    assert restricted(lambda: (project / "a.txt").read_text(), str(project), [], owns_process=False) == "needle\n"


def test_a_child_such_as_ripgrep_is_kept_inside_too(project):
    def work() -> bytes:
        process = Process(["cat", "a.txt", "../secret"], str(project), [])
        return b"".join(process.pieces(Deadline(20)))

    assert restricted(work, str(project), [], owns_process=False) == b"needle\n"


def test_a_kernel_without_landlock_is_refused(project, monkeypatch):
    monkeypatch.setattr(landlock, "version", lambda: 0)

    result = call("Read", {"file_path": "a.txt"}, Caller(str(project), str(project)))

    assert [error["code"] for error in result.errors] == ["P670"]


def test_the_audit_log_is_kept(project):
    (project / ".patchkit.toml").write_text('[audit]\nfile = "logs/calls.jsonl"\n')
    caller = Caller(str(project), str(project))

    assert call("Read", {"file_path": "a.txt"}, caller).errors == []
    assert '"tool": "Read"' in (project / "logs/calls.jsonl").read_text()
    assert os.environ["PATCHKIT_SANDBOX"] == "1"
