"""A call that its caller cancels, a session for each caller, and hosts without read-before-write."""

from __future__ import annotations

from threading import Event, Timer

import pytest
from child_processes import gone, number_in

from patchkit.policy import READ
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import TOOLS


def cancelled_after(root, seconds):
    """A caller that cancels so many seconds from now."""
    cancel = Event()
    Timer(seconds, cancel.set).start()
    caller = Caller(str(root))
    caller.cancelled = cancel.is_set
    return caller


def test_a_cancelled_command_ends_with_all_that_it_started(root):
    caller = Caller(str(root))
    caller.cancelled = lambda: number_in(root / "child") is not None

    result = call("Bash", {"command": "sleep 3600 & echo $! > child; sleep 3600"}, caller)

    assert [each["code"] for each in result.errors] == ["P646"]
    assert gone(number_in(root / "child"))


def test_a_cancelled_command_that_closed_its_output_ends(root):
    result = call("Bash", {"command": "exec >/dev/null 2>&1; sleep 3600"}, cancelled_after(root, 0.3))

    assert (result.status, result.errors[0]["code"]) == ("error", "P646")


def test_a_command_that_ignores_the_first_signal_is_killed(root):
    result = call("Bash", {"command": "trap '' TERM; while :; do sleep 1; done"}, cancelled_after(root, 0.3))

    assert result.errors[0]["code"] == "P646"


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_a_call_that_is_cancelled_before_it_begins_does_nothing(root, tool):
    arguments = {
        "Read": {"file_path": "a"},
        "Write": {"file_path": "new", "content": "x"},
        "Edit": {"file_path": "new", "old_string": "", "new_string": "x"},
        "MultiEdit": {"file_path": "new", "edits": [{"old_string": "", "new_string": "x"}]},
        "NotebookEdit": {"notebook_path": "a", "cell_number": 1, "new_source": "x"},
        "Glob": {"pattern": "*"},
        "Grep": {"pattern": "x"},
        "Bash": {"command": "touch new"},
        "Insert": {"file_path": "a", "line": 0, "text": "y"},
        "Delete": {"file_path": "a"},
        "Move": {"file_path": "a", "new_path": "new"},
        "LS": {},
    }
    patch = {"input": "*** Begin Patch\n*** Add File: new\n+x\n*** End Patch\n"}
    (root / "a").write_text("x\n")
    caller = Caller(str(root))
    caller.cancelled = lambda: True

    result = call(tool, arguments.get(tool, patch), caller)

    assert result.errors[0]["code"] == "P646"
    assert [path.name for path in root.iterdir()] == ["a"]


def test_a_change_that_is_cancelled_while_it_is_planned_is_not_made(root):
    asked = iter([False, True, True])
    caller = Caller(str(root))
    caller.cancelled = lambda: next(asked)

    result = call("apply_patch", {"input": "*** Begin Patch\n*** Add File: new\n+x\n*** End Patch\n"}, caller)

    assert result.errors[0]["code"] == "P646"
    assert list(root.iterdir()) == []


def test_a_change_that_was_made_is_reported_although_it_was_cancelled_afterwards(root):
    cancel = Event()
    caller = Caller(str(root))
    caller.cancelled, caller.on_commit = cancel.is_set, cancel.set

    assert call("Write", {"file_path": "new", "content": "x"}, caller).status == "success"
    assert (root / "new").read_text() == "x"


@pytest.mark.parametrize("tool", ["Grep", "Glob"])
def test_a_search_that_is_cancelled_stops(root, tool, monkeypatch):
    for number in range(300):
        (root / f"{number}").write_text("x\n" * 10)
    asked = iter(range(10_000))
    caller = Caller(str(root))
    caller.cancelled = lambda: next(asked) > 0

    result = call(tool, {"pattern": "x" if tool == "Grep" else "*", "timeout": 0}, caller)

    assert result.errors[0]["code"] == "P646"


# -- sessions ------------------------------------------------------------------------------------


def in_session(root, name):
    caller = Caller(str(root))
    caller.session = name
    return caller


def test_what_one_caller_has_read_another_has_not(root):
    (root / "a").write_text("x\n")
    call("Read", {"file_path": "a"}, in_session(root, "one"))
    edit = {"file_path": "a", "old_string": "x", "new_string": "y"}

    assert call("Edit", edit, in_session(root, "two")).errors[0]["code"] == "P611"
    assert call("Edit", edit, Caller(str(root))).errors[0]["code"] == "P611"
    assert call("Edit", edit, in_session(root, "one")).status == "success"


def test_a_session_of_the_caller_goes_before_that_of_the_environment(root, monkeypatch):
    monkeypatch.setenv("PATCHKIT_SESSION", "outside")
    (root / "a").write_text("x\n")
    call("Read", {"file_path": "a"}, in_session(root, "one"))

    edit = {"file_path": "a", "old_string": "x", "new_string": "y"}
    assert call("Edit", edit, Caller(str(root))).errors[0]["code"] == "P611"


def test_a_command_runs_in_the_session_of_its_caller(root):
    result = call("Bash", {"command": "echo $PATCHKIT_SESSION"}, in_session(root, "one"))

    assert result.text == "one\n"


def test_a_host_without_the_rule_changes_files_that_were_not_read(root):
    (root / "a").write_text("x\n")
    caller = Caller(str(root), agent=False)
    caller.read_first = False

    assert call("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, caller).status == "success"
    assert call("Write", {"file_path": "a", "content": "z"}, caller).status == "success"
    assert (root / "a").read_text() == "z"


def test_reading_tools_are_the_ones_that_say_so():
    assert {tool.name for tool in TOOLS if tool.effect == READ} == {"Read", "LS", "Glob", "Grep", "check"}
