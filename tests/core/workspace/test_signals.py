"""Stopping signals at every moment of a run: exit 0 with everything new, or 1 with everything old, and a word of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fault_injection import CHANGING, PAUSE, Fault, attempt, every, through_command
from sample_trees import SEVERAL, build, empty_directories, seven, state

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
signals = pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
SMALL = SEVERAL["small"]
TESTS = str(Path(__file__).parents[2])  # what fault_injection and its imports lie in


@pytest.fixture
def root(place, everything_is_imported):
    return os.path.join(place, "root")


def ended(status, words, root, case):
    """How a run ended: its status, whether it said the right thing, and the tree."""
    stopped = status < 0 or status > 128  # dead by a signal, or the status of that where there is no process of its own
    said = [word for word in ("Success.", "stopped by SIG", "Traceback") if word in words]
    return "stopped" if stopped else status, said, state(root, case)


APPLIED = (0, ["Success."], "new")
ROLLED_BACK = ("stopped", ["stopped by SIG"], "old")


def at_every_call(root, case, make):
    """For each call: the call, how the run that got a signal there ended, and the empty directories it left."""

    def signalled(fault):
        build(root, case.before)
        run = attempt(through_command(root, case.patch), fault)
        return (run.struck, ended(run.status, run.words, root, case), empty_directories(root)) if run.struck else None

    return every(make, signalled)


SWEEPS = {
    "SIGTERM at any call": (SEVERAL["small"], signal.SIGTERM, None),
    "SIGINT at any call that changes something": (SEVERAL["small"], signal.SIGINT, CHANGING),
    "SIGHUP at any call that changes something": (SEVERAL["small"], signal.SIGHUP, CHANGING),
    "SIGTERM in a run over seven files": (None, signal.SIGTERM, CHANGING),
    "SIGTERM right behind any call": (SEVERAL["small"], signal.SIGTERM, "behind"),
}


@pytest.fixture(scope="module", params=SWEEPS)
def sweep(request, wide_place, everything_is_imported):
    case, number, only = SWEEPS[request.param]
    case = case if case is not None else seven(wide_place)
    behind, only = only == "behind", None if only == "behind" else only
    root = os.path.join(wide_place, "root")
    return at_every_call(root, case, lambda at: Fault(at, signal=number, only=only, behind=behind))


def test_a_signal_rolls_back_or_comes_too_late(sweep):
    ends = [each[1] for each in sweep]

    assert [each for each in sweep if each[1] not in (APPLIED, ROLLED_BACK)] == []
    assert ends == [ROLLED_BACK] * ends.count(ROLLED_BACK) + [APPLIED] * ends.count(APPLIED)
    assert min(ends.count(ROLLED_BACK), ends.count(APPLIED)) > 3


def test_a_signal_leaves_no_empty_directories(sweep):
    assert [(call, empty) for call, _, empty in sweep if empty] == []


def test_the_message_names_the_signal(root):
    build(root, SMALL.before)
    run = attempt(through_command(root, SMALL.patch), Fault(1, signal=signal.SIGHUP, only={"rename"}))

    assert run.words == (
        "error[P406]: stopped by SIGHUP before it finished\n  = help: run it again; all files are unchanged\n"
    )


def test_a_second_signal_does_not_break_the_rolling_back(root):
    """The first comes when two of the names are switched already, the second at every call from then on."""

    def make(at):
        return Fault(3, signal=signal.SIGINT, only={"rename"}, again=Fault(at, signal=signal.SIGTERM))

    ends = []
    for at in range(1, 25):
        build(root, SMALL.before)
        run = attempt(through_command(root, SMALL.patch), make(at))
        ends.append(ended(run.status, run.words, root, SMALL))

    assert ends == [ROLLED_BACK] * 24


def test_a_signal_in_a_run_over_several_patches_stops_it_between_two_of_them(root, place):
    """At any call: what is applied is what it reports, and only a signal after the last commit comes too late."""
    names = [os.path.join(place, f"{number}.patch") for number in (1, 2, 3)]
    for name in names:
        Path(name).write_text(f"*** Begin Patch\n*** Add File: {Path(name).stem}\n+new\n*** End Patch\n")

    def signalled(fault):
        build(root, {})
        run = attempt(through_command(root, names[2], *names[:2], by_name=True), fault)
        return (run.status, run.words, sorted(os.listdir(root))) if run.struck else None

    ends = every(lambda at: Fault(at, signal=signal.SIGINT, only=CHANGING), signalled)

    def stopped(applied):
        left = "run it again with the patches that are left; nothing of them was written"
        return (
            128 + signal.SIGINT,
            "".join(f"Success. Updated the following files:\nA {number}\n" for number in range(1, applied + 1))
            + "error[P406]: stopped by SIGINT before it finished\n"
            + f"  = help: {left if applied else 'run it again; all files are unchanged'}\n"
            + f"stopped at '{names[applied]}'; applied before it: {applied} of 3\n",
            [str(number) for number in range(1, applied + 1)],
        )

    done = (0, "".join(f"Success. Updated the following files:\nA {n}\n" for n in (1, 2, 3)), ["1", "2", "3"])
    counts = [ends.count(each) for each in (stopped(0), stopped(1), stopped(2), done)]
    assert [end for end in ends if end not in (stopped(0), stopped(1), stopped(2), done)] == []
    assert min(counts) > 2
    assert ends == sorted(ends, key=lambda end: len(end[2]))


# -- the installed command -----------------------------------------------------------------------


@pytest.fixture
def pausing(tmp_path):
    """Runs the installed command, which stops at one of its file calls; gives that call, or '' when it ended.

    The signal is sent while it is stopped, and then it goes on.
    """
    script = Path(sys.executable).with_name("apply_patch")
    if not script.exists():
        pytest.skip("the apply_patch script is not installed beside this interpreter")
    (tmp_path / "sitecustomize.py").write_text(
        "import fault_injection\nfault_injection.pause_as_the_environment_says()\n"
    )
    search = os.pathsep.join([str(tmp_path), TESTS, os.environ.get("PYTHONPATH", "")]).rstrip(":")

    def run(root, patch, at, number, ignoring=()):
        announced, announce = os.pipe()
        wait, release = os.pipe()
        environment = {**os.environ, "PYTHONPATH": search, PAUSE: f"{at} {announce} {wait}"}

        def prepare():
            for each in SIGNALS:  # whatever this process ignores: a test may run under nohup
                signal.signal(each, signal.SIG_IGN if each in ignoring else signal.SIG_DFL)

        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        child = subprocess.Popen(
            [script, "--root", root], env=environment, pass_fds=(announce, wait), preexec_fn=prepare, **streams
        )
        os.close(announce)
        os.close(wait)
        child.stdin.write(patch.encode())
        child.stdin.close()
        child.stdin = None
        with open(announced) as file:
            call = file.read(2)  # the end of the pipe when the run was over before
            if call:
                child.send_signal(number)
            os.close(release)
            out, err = child.communicate()
        return call, child.returncode, (out + err).decode()

    return run


@signals
def test_a_signal_to_the_installed_command_rolls_back_or_comes_too_late(root, place, pausing, number):
    found, statuses = [], set()
    for at in range(1, 200, 11):
        build(root, SMALL.before)
        call, status, words = pausing(root, SMALL.patch, at, number)
        found.append((at, ended(status, words, root, SMALL)))
        statuses.add(status)
        if not call:
            break

    assert [each for each in found if each[1] not in (APPLIED, ROLLED_BACK)] == []
    assert statuses == {0, -number}
    assert len(found) > 6


def test_a_signal_that_the_parent_ignores_stays_ignored(root, place, pausing):
    build(root, SMALL.before)
    call, status, words = pausing(root, SMALL.patch, 30, signal.SIGHUP, ignoring=[signal.SIGHUP])

    assert (call != "", ended(status, words, root, SMALL)) == (True, APPLIED)


def test_a_killed_command_is_made_good_by_the_next_one(root, place, pausing):
    from sample_trees import state_after_the_next_run

    found = []
    for at in range(30, 80, 10):
        build(root, SMALL.before)
        call, status, _ = pausing(root, SMALL.patch, at, signal.SIGKILL)
        found.append((call != "", status, state_after_the_next_run(root, SMALL)[0]))

    assert [each for each in found if each[:2] != (True, -9) or each[2] not in ("old", "new")] == []
