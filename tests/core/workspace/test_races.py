"""Somebody swaps directories and files for links to outside while patches are applied: nothing outside ever changes."""

from __future__ import annotations

import itertools
import mmap
import os
import random
import signal
import time
import warnings
from contextlib import contextmanager
from functools import partial

import pytest
from child_processes import HANG
from fault_injection import (
    CAN_EXCHANGE,
    Fault,
    attempt,
    every,
    exchange,
    exchange_if_there,
    through_command,
    through_library,
)
from sample_trees import Case, File, add, build, delete, envelope, snapshot, state, update

import patchkit

ROUNDS = 500
pytestmark = pytest.mark.skipif(not CAN_EXCHANGE, reason="needs a C library that knows renameat2")
OUTSIDE = {
    **{name: File(b"one\n") for name in ("a.txt", "s/a.txt", "k/a.txt")},
    "old.txt": File(b"old\n"),
}


@contextmanager
def swapping(there, aside, target):
    """Another process that swaps `there` for a link to `target` and back, all the time; gives how often it did."""
    os.symlink(target, aside)
    exchange(there, aside)
    exchange(there, aside)
    swaps = mmap.mmap(-1, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            signal.alarm(HANG)
            pauses = random.Random(1)
            for count in range(1 << 30):
                exchange(there, aside)
                time.sleep(pauses.random() * 0.001)
                exchange(there, aside)
                time.sleep(pauses.random() * 0.002)
                swaps[:] = count.to_bytes(8, "little")
        finally:
            os._exit(1)
    try:
        yield lambda: int.from_bytes(swaps[:], "little")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if os.path.islink(there):
            exchange(there, aside)
        os.unlink(aside)


def patches():
    """The same few operations over and over, below the directory that is being swapped."""
    for number in itertools.count():
        old, new = ("one", "two") if number % 2 == 0 else ("two", "one")
        yield envelope(update("d/a.txt", (old, new)), update("d/s/a.txt", (old, new)))
        yield envelope(add(f"d/new{number}.txt", "x\n"))
        yield envelope(delete(f"d/new{number}.txt"))
        yield envelope(add(f"d/deep{number}/er/x.txt", "x\n"), update("b.txt", (old, new)))
        yield envelope(update("d/a.txt", move_to=f"moved{number}.txt"), add("d/a.txt", f"{new}\n"))


def outcomes(root, swaps):
    """What came of each patch: 'applied', or the code of its refusal; any other end is a failure of the test.

    At least ROUNDS patches, and on a busy machine as many as it takes until enough were applied and one met a swap."""
    found = []
    for patch in patches():
        found.append(outcome(patch, root))
        if len(found) >= ROUNDS and swaps() > 20 and ROUNDS // 20 <= found.count("applied") < len(found):
            break
    return found


def outcome(patch, root, keep_links=False):
    try:
        patchkit.apply(patch, root, keep_links=keep_links)
    except patchkit.PatchkitError as error:
        return error.code
    return "applied"


FULL = os.environ.get("PATCHKIT_TESTS") == "full"


@pytest.fixture
def outside(place):
    """A tree in which every one of the patches would find what it looks for."""
    path = os.path.join(place, "outside")
    build(path, OUTSIDE)
    return path


@pytest.fixture
def root(place, outside):
    path = os.path.join(place, "root")
    build(path, {"b.txt": File(b"one\n"), "d/a.txt": File(b"one\n"), "d/s/a.txt": File(b"one\n")})
    return path


@pytest.mark.parametrize("swapped", ["d", "d/s", "d/a.txt"])
def test_a_swap_for_a_link_to_outside_at_any_moment_changes_nothing_outside(root, outside, swapped):
    target = os.path.join(outside, swapped[2:])
    with swapping(os.path.join(root, swapped), os.path.join(root, "aside"), target) as swaps:
        found = outcomes(root, swaps)

    assert snapshot(outside) == OUTSIDE
    assert "P404" not in found


def test_a_swap_at_any_moment_leaves_nothing_of_ours_and_does_not_stop_the_next_run(root, outside):
    with swapping(os.path.join(root, "d"), os.path.join(root, "aside"), outside) as swaps:
        outcomes(root, swaps)
    patchkit.apply(envelope(add("d/last.txt", "x\n")), root)

    assert [name for name in snapshot(root) if ".patchkit" in name] == []
    assert snapshot(root)["d/last.txt"] == File(b"x\n")


# -- at one moment after the other -------------------------------------------------------------------

CASE = Case(
    {
        **{name: File(b"one\n") for name in ("b.txt", "d/a.txt", "d/s/a.txt", "d/k/a.txt")},
        "d/old.txt": File(b"old\n"),
    },
    envelope(
        update("b.txt", ("one", "two")),
        update("d/a.txt", ("one", "two")),
        update("d/s/a.txt", ("one", "two"), move_to="d/t/m.txt"),
        delete("d/old.txt"),
        delete("d/k/a.txt"),
        add("d/k", "x\n"),
        add("d/n/new.txt", "x\n"),
    ),
    {
        **{name: File(b"two\n") for name in ("b.txt", "d/a.txt", "d/t/m.txt")},
        **{name: File(b"x\n") for name in ("d/k", "d/n/new.txt")},
    },
)


def swapped_at_every_call(root, outside, swapped):
    """For each call of a run: the call, how the run ended, the tree with all back in place, and the one outside."""
    there, aside = os.path.join(root, swapped), os.path.join(root, "aside")

    def swap(fault):
        build(root, CASE.before)
        os.symlink(os.path.join(outside, swapped[2:]), aside)
        run = attempt(through_library(root, CASE.patch), fault)
        if os.path.islink(there):
            exchange(there, aside)
        if os.path.islink(aside):
            os.unlink(aside)
        return (run.struck, run.status, state(root, CASE), snapshot(outside)) if run.struck else None

    return every(lambda at: Fault(at, action=partial(exchange_if_there, there, aside)), swap)


@pytest.mark.parametrize("swapped", ["d", "d/s", "d/k", "d/a.txt", "d/old.txt"] if FULL else ["d", "d/k", "d/a.txt"])
def test_a_swap_right_before_any_call_changes_nothing_outside(root, outside, swapped, everything_is_imported):
    found = swapped_at_every_call(root, outside, swapped)

    assert [each for each in found if each[3] != OUTSIDE] == []
    assert len(found) > 60


@pytest.mark.parametrize("swapped", ["d", "d/s"] if FULL else ["d/s"])
def test_a_directory_swapped_right_before_any_call_is_all_old_or_all_new(
    root, outside, swapped, everything_is_imported
):
    """Once it is back in its place: what was applied is new, what was refused is old."""
    found = swapped_at_every_call(root, outside, swapped)

    assert [each[:3] for each in found if each[1:3] not in ((0, "new"), (1, "old"))] == []


def test_a_swap_right_before_any_call_lets_nothing_outside_be_read(root, outside, everything_is_imported):
    """A hunk that is nowhere is answered with the line that is nearest: never with one of a file outside."""
    there, aside = os.path.join(root, "d/a.txt"), os.path.join(root, "aside")
    patch = envelope(update("d/a.txt", ("the secret is 1", "x")))

    def swap(fault):
        build(root, CASE.before)
        os.symlink(os.path.join(outside, "secret.txt"), aside)
        run = attempt(through_command(root, patch), fault)
        return (run.struck, run.status, run.words) if run.struck else None

    with open(os.path.join(outside, "secret.txt"), "wb") as file:
        file.write(b"the secret is 2\n")
    found = every(lambda at: Fault(at, action=partial(exchange, there, aside)), swap)

    assert [each for each in found if "the secret is 2" in each[2]] == []
    assert {status for _, status, _ in found} == {1}
    assert len(found) > 10


def test_a_link_that_is_turned_to_outside_between_plan_and_commit_changes_nothing_outside(root, outside):
    """The plan knows the file it read, not the name it came by."""
    os.symlink("d/a.txt", os.path.join(root, "l"))
    from patchkit.core.changes.planner import plan
    from patchkit.core.workspace.root import Workspace

    with Workspace(root) as files:
        planned = plan(patchkit.parse(envelope(update("l", ("one", "two")))), files)
        os.unlink(os.path.join(root, "l"))
        os.symlink(os.path.join(outside, "a.txt"), os.path.join(root, "l"))
        planned.commit()

    assert (snapshot(outside), snapshot(root)["d/a.txt"]) == (OUTSIDE, File(b"two\n"))


@pytest.mark.parametrize("name", ["d/a.txt", "d/new.txt"])
def test_a_file_swapped_for_a_link_between_plan_and_commit_is_refused(root, outside, name):
    from patchkit.core.changes.planner import plan
    from patchkit.core.workspace.root import Workspace

    section = update(name, ("one", "two")) if name == "d/a.txt" else add(name, "x\n")
    with Workspace(root) as files:
        planned = plan(patchkit.parse(envelope(section)), files)
        if name == "d/a.txt":
            os.unlink(os.path.join(root, name))
        os.symlink(os.path.join(outside, "a.txt"), os.path.join(root, name))
        before = snapshot(root)
        with pytest.raises(patchkit.PatchkitError) as refusal:
            planned.commit()

    assert (refusal.value.code, snapshot(outside), snapshot(root)) == ("P311", OUTSIDE, before)


def append(file):
    with open(file, "ab") as opened:
        opened.write(b"theirs\n")


@pytest.mark.parametrize("keep_links", [False, True])
def test_what_another_program_does_while_the_disk_is_waited_for_is_never_lost(root, monkeypatch, keep_links):
    """With several files there are syncs between the last look at them and the switch of their names."""
    real, file = os.fsync, os.path.join(root, "d/a.txt")
    changes = {"content": lambda: append(file), "mode": lambda: os.chmod(file, 0o600)}
    for what, moment in itertools.product(changes, range(1, 9)):
        build(root, {"b.txt": File(b"one\n"), "d/a.txt": File(b"one\n")})
        if keep_links:
            os.link(file, os.path.join(root, "d/second"))
        count = itertools.count(1)

        def sync(opened, what=what, moment=moment, count=count):
            if next(count) == moment:
                changes[what]()
            real(opened)

        monkeypatch.setattr(os, "fsync", sync)
        found = outcome(envelope(update("d/a.txt", ("one", "two")), update("b.txt", ("one", "two"))), root, keep_links)
        monkeypatch.setattr(os, "fsync", real)
        with open(file, "rb") as opened:
            kept = b"theirs" in opened.read() if what == "content" else os.stat(file).st_mode & 0o777 == 0o600
        assert kept or next(count) <= moment, (what, moment, found)
        assert found in ("applied", "P311")
        assert [name for name in snapshot(root) if ".patchkit" in name] == []
