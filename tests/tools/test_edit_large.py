"""Edits of large files: a second process counts the lines above the place, where the caller allows it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from patchkit.processes import child as forking
from patchkit.tools.calling import Caller, call
from patchkit.tools.editing import snippet

LINES = "".join(f"{number}\n" for number in range(1, 5001))
ROWS = ["  4997→4997", "  4998→4998", "  4999→4999", "  5000→five thousand"]


@pytest.fixture
def use(root):
    """Calls a tool as a command does: the process may be forked."""

    def use_tool(name, **arguments):
        return call(name, arguments, Caller(str(root), may_fork=True))

    return use_tool


@pytest.fixture
def forked(monkeypatch):
    """Every edit is large enough for a second process; the value lists what was forked and reaped."""
    seen = []
    fork, waitpid = os.fork, os.waitpid
    monkeypatch.setattr(snippet, "_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(forking, "may_fork", lambda: True)
    monkeypatch.setattr(os, "fork", lambda: seen.append("fork") or fork())
    monkeypatch.setattr(os, "waitpid", lambda *words: (waitpid(*words), seen.append("reaped"))[0])
    return seen


def rows(result):
    return result.text.split("\n")[1:]


def test_the_line_is_the_same_as_if_it_was_counted_here(file, use, forked):
    path = file("a.txt", LINES)

    result = use("Edit", file_path=path, old_string="5000", new_string="five thousand")

    assert (rows(result), result.data["line"], forked) == (ROWS, 5000, ["fork", "reaped"])
    assert Path(path).read_text() == LINES.replace("5000", "five thousand")


def test_the_process_of_a_host_that_does_not_allow_it_is_not_forked(file, root, forked):
    path = file("a.txt", LINES)

    result = call("Edit", {"file_path": path, "old_string": "5000", "new_string": "five thousand"}, Caller(str(root)))

    assert (rows(result), result.data["line"], forked) == (ROWS, 5000, [])


def test_a_process_that_is_killed_is_counted_for_here(file, use, forked, monkeypatch):
    monkeypatch.setattr(forking, "_send", lambda *_: os.kill(os.getpid(), 9))

    result = use("Edit", file_path=file("a.txt", LINES), old_string="5000", new_string="five thousand")

    assert (rows(result), result.data["line"], forked) == (ROWS, 5000, ["fork", "reaped"])


def test_where_no_process_can_be_made_it_is_counted_here(file, use, forked, monkeypatch):
    def no_fork():
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(os, "fork", no_fork)

    result = use("Edit", file_path=file("a.txt", LINES), old_string="5000", new_string="five thousand")

    assert (rows(result), result.data["line"], forked) == (ROWS, 5000, [])


def test_where_no_pipe_can_be_made_it_is_counted_here(file, use, forked, monkeypatch):
    def no_pipe():
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "pipe", no_pipe)

    result = use("Edit", file_path=file("a.txt", LINES), old_string="5000", new_string="five thousand")

    assert (rows(result), result.data["line"], forked) == (ROWS, 5000, [])


def test_a_signal_right_behind_the_fork_never_returns_into_the_program(file, use, forked, monkeypatch):
    """Else there would be two of it."""
    fork, number = os.fork, os.getpid()

    def interrupted():
        child = fork()
        if child == 0:
            raise KeyboardInterrupt
        return child

    monkeypatch.setattr(os, "fork", interrupted)

    result = use("Edit", file_path=file("a.txt", LINES), old_string="5000", new_string="five thousand")

    assert os.getpid() == number
    assert (rows(result), result.data["line"], forked) == (ROWS, 5000, ["fork", "reaped"])


def test_an_interrupt_behind_the_commit_leaves_no_process_behind(file, use, forked, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(snippet, "groups", interrupted)
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []

    with pytest.raises(KeyboardInterrupt):
        use("Edit", file_path=file("a.txt", LINES), old_string="5000", new_string="five thousand")

    after = os.listdir("/proc/self/fd") if before else []
    assert (forked, len(after) <= len(before)) == (["fork", "reaped"], True)


def test_an_edit_that_fails_leaves_no_process_behind(file, use, forked, monkeypatch):
    path = file("a.txt", LINES)

    def full(*_words, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "writev", full)
    result = use("Edit", file_path=path, old_string="5000", new_string="five thousand")

    assert ([each["code"] for each in result.errors], forked) == (["P402"], ["fork", "reaped"])
    assert Path(path).read_text() == LINES


def test_a_small_file_is_worth_no_process(file, use, monkeypatch):
    monkeypatch.setattr(forking, "may_fork", lambda: pytest.fail("asked"))

    result = use("Edit", file_path=file("a.txt", LINES), old_string="5000", new_string="five thousand")

    assert rows(result) == ROWS
