"""A run killed before every one of its file calls: the next run makes all files old or all new, and leaves nothing."""

from __future__ import annotations

import errno
import os
import signal

import pytest
from fault_injection import CHANGING, Fault, attempt, every, through_command, through_library
from sample_trees import (
    NEXT,
    SEVERAL,
    SMALL_CASES,
    build,
    delete,
    empty_directories,
    envelope,
    seven,
    snapshot,
    state,
    state_after_the_next_run,
)

import patchkit


@pytest.fixture(autouse=True)
def _everything_is_imported(everything_is_imported):
    """No child counts what only loading a module does."""


@pytest.fixture
def root(place):
    return os.path.join(place, "root")


class Kill:
    """A kill before one call: the tree right after it, the state after the next run, and that run's notes."""

    def __init__(self, root, case, run):
        self.call = run.struck
        self.status = run.status
        self.right_after = snapshot(root)
        self.after, self.notes = state_after_the_next_run(root, case)
        self.empty = empty_directories(root)


class Kills:
    """A kill before every call of a run in turn, or before every call of some kinds."""

    def __init__(self, place, case, work, only):
        root = os.path.join(place, "root")

        def killed(fault):
            build(root, case.before)
            run = attempt(work(root, case.patch), fault)
            return Kill(root, case, run) if run.struck else None

        self.case = case
        self.all = every(lambda at: Fault(at, kill=True, only=only), killed)


# A kill between two of these leaves what a kill before the next of them leaves. That this is so, the small tree shows.
STRUCK = None if os.environ.get("PATCHKIT_TESTS") == "full" else CHANGING | {"fsync", "close"}
KILLED = {
    "seven files by the library": (None, through_library, STRUCK),
    "seven files by the command": (None, through_command, CHANGING),
    **{name: (case, through_library, STRUCK) for name, case in SMALL_CASES.items()},
    "small": (SMALL_CASES["small"], through_library, None),
}


@pytest.fixture(scope="module", params=KILLED)
def kills(request, wide_place, everything_is_imported):
    case, work, only = KILLED[request.param]
    return Kills(wide_place, case if case is not None else seven(wide_place), work, only)


def test_a_kill_before_any_call_is_made_good_by_the_next_run(kills):
    assert "new" in [kill.after for kill in kills.all]  # the work itself is done where nothing is in its way
    assert [(kill.call, kill.after) for kill in kills.all if kill.after not in ("old", "new")] == []


def test_one_call_after_the_other_was_reached_and_the_run_killed_at_it(kills):
    assert {kill.status for kill in kills.all} == {-signal.SIGKILL}
    assert len({kill.call for kill in kills.all}) >= 10


def test_a_run_has_one_point_of_no_return(kills):
    states = [kill.after for kill in kills.all]

    assert states == ["old"] * states.count("old") + ["new"] * states.count("new")
    assert set(states) == {"old", "new"}


def test_a_kill_leaves_no_file_torn_or_missing(kills):
    before, after = kills.case.before, kills.case.after
    torn = [
        (kill.call, name)
        for kill in kills.all
        for name in {*before, *after}
        if kill.right_after.get(name) not in (before.get(name), after.get(name), "directory")  # which may be new
    ]

    assert torn == []


def test_a_kill_leaves_no_empty_directories_once_the_next_run_is_through(kills):
    assert [(kill.call, kill.empty) for kill in kills.all if kill.empty] == []


def test_the_next_run_reports_what_it_found(kills):
    """Nothing where nothing was left; else that the run was undone or is complete now."""
    wrong = []
    for kill in kills.all:
        left = any(".patchkit" in name for name in kill.right_after)
        truth = [] if not left else ["P941:completed"] if kill.after == "new" else ["P941:cleaned-up"]
        if kill.notes != truth:
            wrong.append((kill.call, kill.after, kill.notes))

    assert wrong == []


# -- killed, and then not simply applied to --------------------------------------------------------


def killed_then(root, case, work):
    """A kill before every call that changes something; what `work` gives afterwards, with the call."""

    def killed(fault):
        build(root, case.before)
        run = attempt(through_library(root, case.patch), fault)
        return (run.struck, work()) if run.struck else None

    found = every(lambda at: Fault(at, kill=True, only=CHANGING), killed)
    assert len(found) > 20
    return found


def test_a_check_after_a_kill_makes_it_good_as_well(root):
    case = SEVERAL["small"]

    def check():
        patchkit.apply(NEXT, root, check=True)
        return state(root, case)

    assert [each for each in killed_then(root, case, check) if each[1] not in ("old", "new")] == []


def test_a_refused_patch_after_a_kill_makes_it_good_as_well(root):
    case = SEVERAL["small"]

    def refused():
        with pytest.raises(patchkit.PatchkitError):
            patchkit.apply(envelope(delete("nowhere.txt")), root)
        return state(root, case)

    assert [each for each in killed_then(root, case, refused) if each[1] not in ("old", "new")] == []


def test_a_plan_of_the_library_after_a_kill_makes_it_good_as_well(root):
    case = SEVERAL["small"]

    def planned():
        def work():
            patchkit.plan(NEXT, root).commit()
            return 0, ""

        run = attempt(work)
        os.unlink(os.path.join(root, "elsewhere.txt")) if run.status == 0 else None
        return run.words.strip().rpartition("\n")[2] or state(root, case)

    assert [each for each in killed_then(root, case, planned) if each[1] not in ("old", "new")] == []


def edited_after_a_kill(root):
    """Somebody adds a line to b.txt between a kill and the next run; what that run makes of the tree."""
    case = SEVERAL["small"]

    def edited():
        with open(os.path.join(root, "b.txt"), "ab") as file:
            file.write(b"another's\n")
        theirs = {"b.txt": snapshot(root)["b.txt"]}
        patchkit.apply(NEXT, root)
        os.unlink(os.path.join(root, "elsewhere.txt"))
        return theirs, snapshot(root)

    return case, killed_then(root, case, edited)


def test_an_edit_after_a_kill_is_kept_and_the_other_files_are_all_old_or_all_new(root):
    case, found = edited_after_a_kill(root)
    wrong = []
    for call, (theirs, now) in found:
        files = {name: what for name, what in now.items() if what != "directory"}
        if files not in ({**case.before, **theirs}, {**case.after, **theirs}):
            wrong.append((call, {name: what.data for name, what in files.items()}))

    assert wrong == []


def test_a_recovery_around_somebodys_edit_leaves_no_empty_directories(root):
    _, found = edited_after_a_kill(root)

    assert [(call, name) for call, (_, now) in found for name, what in now.items() if what == "directory"] == []


def test_a_kill_during_recovery_is_made_good_by_the_run_after_it(root):
    case, wrong, pairs = SEVERAL["tiny"], [], 0
    build(root, case.before)
    changing = sum(kind in CHANGING for kind in attempt(through_library(root, case.patch)).calls)
    for at in range(1, changing + 1):

        def killed_twice(second, at=at):
            build(root, case.before)
            one = attempt(through_library(root, case.patch), Fault(at, kill=True, only=CHANGING))
            two = attempt(through_library(root, NEXT, check=True), second)
            if not two.struck:
                return None
            assert (one.status, two.status) == (-signal.SIGKILL, -signal.SIGKILL)
            return (one.struck, two.struck, state_after_the_next_run(root, case)[0])

        found = every(lambda second: Fault(second, kill=True, only=CHANGING), killed_twice)
        pairs += len(found)
        wrong.extend(each for each in found if each[2] not in ("old", "new"))

    assert wrong == []
    assert pairs > 100


def test_a_kill_while_an_error_is_rolled_back_is_made_good_by_the_next_run(root):
    case, wrong, pairs = SEVERAL["small"], [], 0
    build(root, case.before)
    renames = attempt(through_library(root, case.patch)).calls.count("rename")
    for at in range(2, renames + 1):  # the first is the commit record's

        def killed(kill, at=at):
            build(root, case.before)
            fault = Fault(at, code=errno.EIO, only={"rename"}, again=kill)
            run = attempt(through_library(root, case.patch), fault)
            if run.status != -signal.SIGKILL:
                assert (run.status, state(root, case)) == (1, "old")
                return None
            return (at, *state_after_the_next_run(root, case))

        found = every(lambda kill: Fault(kill, kill=True), killed)
        pairs += len(found)
        wrong.extend(each for each in found if each[1] not in ("old", "new"))

    assert wrong == []
    assert pairs > 20
