"""Which recorded call made a change."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from patchkit.policy.audit import Recorded, calls_of

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
AT_NOON = int(NOON.timestamp() * 1e9)


def call(session, *paths, after=0.1, status="success", tool="apply_patch", took=50):
    line = {"time": (NOON + timedelta(seconds=after)).isoformat(), "session": session, "root": "/r", "caller": "agent"}
    line |= {"tool": tool, "status": status, "code": None, "decision": "allow", "rule": None, "commands": []}
    return Recorded({**line, "paths": [{"path": path} for path in paths], "duration_ms": took})


def session_of(*calls, paths=("a.txt",)):
    found = calls_of([("run", AT_NOON, set(paths))], list(calls))
    return found["run"].session if found else None


def test_the_call_that_ended_soon_after_the_run_and_named_its_files_made_it():
    assert session_of(call("s1", "a.txt"), call("s2", "b.txt")) == "s1"


def test_of_two_such_calls_the_nearest_made_it():
    assert session_of(call("s1", "a.txt", after=3), call("s2", "a.txt", after=0.2)) == "s2"


def test_a_long_call_may_end_long_after_its_run():
    assert session_of(call("s1", "a.txt", after=60, took=90_000)) == "s1"


def test_a_call_that_was_refused_or_an_undo_or_one_hours_later_did_not_make_it():
    calls = [call("s1", "a.txt", status="error"), call("s2", "a.txt", tool="undo"), call("s3", "a.txt", after=7200)]

    assert session_of(*calls) is None


def test_a_call_that_names_only_some_of_the_files_did_not_make_it():
    assert session_of(call("s1", "a.txt"), paths=("a.txt", "b.txt")) is None


def test_a_call_made_one_run():
    found = calls_of([("run1", AT_NOON, {"a.txt"}), ("run2", AT_NOON + 1, {"a.txt"})], [call("s1", "a.txt")])

    assert list(found) == ["run1"]
