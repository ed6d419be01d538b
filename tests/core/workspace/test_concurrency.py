"""Many runs on one tree at the same time: one after the other, nothing lost, nothing torn, and no endless waiting."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import signal
import threading
import warnings
from contextlib import contextmanager

import pytest
from child_processes import HANG
from fault_injection import Fault, attempt, stopped, through_library
from sample_trees import SEVERAL, File, add, build, delete, envelope, snapshot, state, update

import patchkit
from patchkit.core.changes.planner import plan
from patchkit.core.workspace import root as lock
from patchkit.core.workspace.root import acquire
from patchkit.history import tracked_workspace

WRITERS, ROUNDS, PADDING = 4, 15, 25
FILLER = "filler %d of writer %d ......................................................\n"
SMALL = SEVERAL["small"]


@pytest.fixture
def root(place, everything_is_imported):
    path = os.path.join(place, "root")
    build(path, {})
    return path


def wait_for_the_lock(seconds):
    """Lets runs in this process, and in its forks, wait so long for the lock, and no longer."""
    patch = pytest.MonkeyPatch()
    patch.setattr(lock, "acquire", lambda handle, root, **more: acquire(handle, root, seconds, **more))
    return patch.undo


@pytest.fixture(scope="module", autouse=True)
def _long_patience():
    """No run is refused because a busy machine lets others come first."""
    undo = wait_for_the_lock(HANG)
    yield
    undo()


@pytest.fixture
def short_patience(_long_patience):
    """Runs in this process wait a tenth of a second for the lock."""
    undo = wait_for_the_lock(0.1)
    yield
    undo()


# -- many writers, one reader ------------------------------------------------------------------------


def page(value):
    """A file in which every writer has a line of their own, far from the others'."""
    parts = ["BEGIN\n"]
    for writer in range(WRITERS):
        parts += [FILLER % (number, writer) for number in range(PADDING)]
        parts += [f"writer {writer} = {value}\n"]
        parts += [FILLER % (number, writer) for number in range(PADDING, 2 * PADDING)]
    return "".join([*parts, "END\n"]).encode()


VALUE = re.compile(rb"writer (\d) = (\d+)")


def values(data):
    return [int(value) for _, value in sorted(VALUE.findall(data))]


def is_whole(data):
    return VALUE.sub(rb"writer \1 = 0", data) == page(0)


def read(root, name):
    with open(os.path.join(root, name), "rb") as file:
        return file.read()


@contextmanager
def children(works):
    """Every work in a process of its own; their exit statuses once the block has ended."""
    statuses, running = [], []
    for work in works:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            status = 99
            try:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(HANG)
                status = work()
            finally:
                os._exit(status)
        running.append(child)
    yield statuses
    statuses.extend(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in running)


def counting_up(root, writer, names):
    """A writer who raises their line in each of `names` by one, fifteen times; gives how often it was refused."""

    def work():
        failed = 0
        for value in range(ROUNDS):
            change = (f"writer {writer} = {value}", f"writer {writer} = {value + 1}")
            try:
                patchkit.apply(envelope(*[update(name, change) for name in names]), root)
            except patchkit.PatchkitError:
                failed += 1
        return failed

    return work


class Reader(threading.Thread):
    """Reads the files again and again while others write; `wrong` are the reads that saw no whole file."""

    def __init__(self, root, names):
        super().__init__()
        self.reads, self.wrong = 0, []
        self._root, self._names = root, names
        self._over = threading.Event()

    def run(self):
        while not self._over.is_set():
            for name in self._names:
                self.reads += 1
                try:
                    if not is_whole(read(self._root, name)):
                        self.wrong.append((name, "torn"))
                except FileNotFoundError:
                    self.wrong.append((name, "missing"))

    def stop(self):
        self._over.set()
        self.join()


SETS = {
    "one file": [["a"]] * WRITERS,
    "overlapping pairs": [["a", "b"], ["b", "c"], ["c", "a"], ["b", "a"]],
}


@pytest.fixture(scope="module", params=SETS)
def contest(request, wide_place, everything_is_imported):
    """Four writers and a reader on the same files, until all have done their work."""
    sets, root = SETS[request.param], os.path.join(wide_place, "root")
    names = sorted({name for each in sets for name in each})
    build(root, {name: File(page(0)) for name in names})
    with children([counting_up(root, writer, sets[writer]) for writer in range(WRITERS)]) as failed:
        reader = Reader(root, names)
        reader.start()
    reader.stop()
    return sets, root, failed, reader


def test_no_writer_is_refused(contest):
    assert contest[2] == [0] * WRITERS


def test_no_update_is_lost(contest):
    sets, root, _, _ = contest
    expected = {name: [ROUNDS if name in names else 0 for names in sets] for each in sets for name in each}

    assert {name: values(read(root, name)) for name in expected} == expected


def test_a_reader_never_sees_a_torn_or_a_missing_file(contest):
    assert contest[3].wrong == []
    assert contest[3].reads > 20


def test_the_files_are_whole_and_alone_in_the_end(contest):
    _, root, _, _ = contest

    assert [name for name, what in snapshot(root).items() if not is_whole(what.data)] == []


def test_of_two_runs_that_want_to_add_the_same_file_one_does(root):
    def adding(number):
        def work():
            try:
                patchkit.apply(envelope(add("x.txt", f"{number}\n"), add(f"mine{number}.txt", "m\n")), root)
            except patchkit.PatchkitError as error:
                return 1 if error.code == "P303" else 2
            return 0

        return work

    with children([adding(number) for number in range(6)]) as statuses:
        pass
    winner = statuses.index(0)

    assert sorted(statuses) == [0, 1, 1, 1, 1, 1]
    assert snapshot(root) == {"x.txt": File(b"%d\n" % winner), f"mine{winner}.txt": File(b"m\n")}


# -- the lock ----------------------------------------------------------------------------------------


@contextmanager
def held(root):
    handle = os.open(root, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(handle)


def test_a_run_that_waits_too_long_for_another_is_refused(root, short_patience):
    with held(root), pytest.raises(patchkit.PatchkitError) as refusal:
        patchkit.apply(envelope(add("x.txt", "x\n")), root)

    assert refusal.value.code == "P315"
    assert snapshot(root) == {}


def test_the_refusal_says_how_long_it_waited(root):
    handle = os.open(root, os.O_RDONLY)
    with held(root), pytest.raises(patchkit.PatchkitError) as refusal:
        acquire(handle, "the root", patience=1.0)
    os.close(handle)

    assert refusal.value.facts == {"root": "the root", "seconds": 1}


def test_a_lock_that_is_given_back_in_time_is_taken(root):
    handle = os.open(root, os.O_RDONLY)
    other = os.open(root, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    threading.Timer(0.1, os.close, [other]).start()
    acquire(handle, root, patience=HANG)
    os.close(handle)

    assert patchkit.apply(envelope(add("x.txt", "x\n")), root).applied


def test_a_lock_that_cannot_be_given_back_is_no_failure_of_a_run_that_is_done(root, monkeypatch):
    struck = []

    def flock(handle, how, real=fcntl.flock):
        if how == fcntl.LOCK_UN:
            struck.append(handle)
            raise OSError(errno.EIO, "input/output error")
        real(handle, how)

    monkeypatch.setattr(lock.fcntl, "flock", flock)
    for name in ("x.txt", "y.txt"):
        patchkit.apply(envelope(add(name, "x\n")), root, verify=["true"])

    assert (len(struck), sorted(snapshot(root))) == (2, ["x.txt", "y.txt"])


def test_a_check_does_not_wait_for_the_lock(root, short_patience):
    with held(root):
        done = patchkit.apply(envelope(add("x.txt", "x\n")), root, check=True)

    assert (done.applied, snapshot(root)) == (False, {})


def test_the_lock_is_free_after_a_run_that_was_applied_refused_or_killed(root, short_patience):
    build(root, SMALL.before)
    patchkit.apply(envelope(add("x.txt", "x\n")), root)
    with pytest.raises(patchkit.PatchkitError):
        patchkit.apply(envelope(delete("nowhere.txt")), root)
    attempt(through_library(root, envelope(delete("x.txt"))), Fault(1, kill=True, only={"unlink"}))

    assert patchkit.apply(envelope(add("y.txt", "y\n")), root).applied


def test_the_lock_is_free_after_a_plan_was_made_true(root, short_patience):
    planned = patchkit.plan(envelope(add("x.txt", "x\n")), root)
    planned.commit()

    assert patchkit.apply(envelope(add("y.txt", "y\n")), root).applied


def test_a_plan_that_is_never_committed_delays_no_other_run(root, short_patience):
    planned = patchkit.plan(envelope(add("x.txt", "x\n")), root)

    assert patchkit.apply(envelope(add("y.txt", "y\n")), root).applied
    assert len(planned.sections) == 1


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_run_under_way_is_not_taken_for_one_that_was_interrupted(root, short_patience, at):
    """It is stopped with its journal in the tree; no other run recovers it, and it ends as if it had been alone."""
    build(root, SMALL.before)
    with stopped(through_library(root, SMALL.patch), Fault(at, only={"rename"})) as statuses:
        before = snapshot(root)
        with pytest.raises(patchkit.PatchkitError) as refusal:
            patchkit.apply(envelope(add("x.txt", "x\n")), root)
        assert (refusal.value.code, snapshot(root)) == ("P315", before)

    assert (statuses, state(root, SMALL)) == ([0], "new")


def test_a_check_beside_a_run_under_way_does_not_recover_it(root, short_patience):
    build(root, SMALL.before)
    with stopped(through_library(root, SMALL.patch), Fault(2, only={"rename"})) as statuses:
        before = snapshot(root)
        attempt_at_check(root)
        assert snapshot(root) == before

    assert (statuses, state(root, SMALL)) == ([0], "new")


def attempt_at_check(root):
    try:
        patchkit.apply(envelope(add("x.txt", "x\n")), root, check=True)
    except patchkit.PatchkitError as error:
        return error.code
    return "checked"


def test_a_tree_can_be_patched_by_many_threads(root):
    build(root, {"a": File(page(0))})
    threads = [threading.Thread(target=counting_up(root, writer, ["a"])) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert values(read(root, "a")) == [ROUNDS] * WRITERS


# -- a program without a lock ------------------------------------------------------------------------


def rewrite(root, name, data):
    with open(os.path.join(root, name), "wb") as file:
        file.write(data)


def replaced(root, name, data):
    rewrite(root, "beside", data)
    os.rename(os.path.join(root, "beside"), os.path.join(root, name))


MEANWHILE = {
    "written": lambda root: rewrite(root, "a.txt", b"theirs\n"),
    "written with as many bytes": lambda root: rewrite(root, "a.txt", b"0ne\n"),
    "replaced": lambda root: replaced(root, "a.txt", b"theirs\n"),
    "replaced by the same content": lambda root: replaced(root, "a.txt", b"one\n"),
    "made executable": lambda root: os.chmod(os.path.join(root, "a.txt"), 0o755),
}


@pytest.mark.parametrize("meanwhile", MEANWHILE)
@pytest.mark.parametrize("others", [False, True], ids=["alone", "with others"])
def test_a_file_changed_between_plan_and_commit_is_refused_and_kept(root, meanwhile, others):
    build(root, SMALL.before)
    sections = [update("b.txt", ("two", "TWO")), delete("gone.txt")] if others else []
    with tracked_workspace(root) as files:
        planned = plan(patchkit.parse(envelope(*sections, update("a.txt", ("one", "ONE")))), files)
        MEANWHILE[meanwhile](root)
        before = snapshot(root)
        with pytest.raises(patchkit.PatchkitError) as refusal:
            planned.commit()

    assert (refusal.value.code, refusal.value.file, snapshot(root)) == ("P311", "a.txt", before)


@pytest.mark.parametrize("others", [False, True], ids=["alone", "with others"])
def test_a_file_removed_between_plan_and_commit_is_refused(root, others):
    build(root, SMALL.before)
    sections = [update("b.txt", ("two", "TWO")), delete("gone.txt")] if others else []
    with tracked_workspace(root) as files:
        planned = plan(patchkit.parse(envelope(*sections, update("a.txt", ("one", "ONE")))), files)
        os.unlink(os.path.join(root, "a.txt"))
        before = snapshot(root)
        with pytest.raises(patchkit.PatchkitError) as refusal:
            planned.commit()

    assert (refusal.value.code in ("P311", "P402"), refusal.value.file, snapshot(root)) == (True, "a.txt", before)


@pytest.mark.parametrize("name", ["new.txt", "n/new.txt"])
def test_a_file_that_appears_where_one_is_to_be_added_is_refused_and_kept(root, name):
    build(root, {"a.txt": File(b"one\n")})
    with tracked_workspace(root) as files:
        planned = plan(patchkit.parse(envelope(update("a.txt", ("one", "ONE")), add(name, "x\n"))), files)
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        rewrite(root, name, b"theirs\n")
        with pytest.raises(patchkit.PatchkitError):
            planned.commit()

    assert snapshot(root) == {"a.txt": File(b"one\n"), name: File(b"theirs\n")}


def test_a_file_that_appears_at_the_last_moment_is_not_replaced(root):
    """After every check, right before the switch: the switch itself must refuse."""
    build(root, {"a.txt": File(b"one\n")})
    patch = envelope(update("a.txt", ("one", "ONE")), add("new.txt", "x\n"))
    with stopped(through_library(root, patch), Fault(2, only={"link"})) as statuses:
        rewrite(root, "new.txt", b"theirs\n")

    assert statuses == [1]
    assert snapshot(root) == {"a.txt": File(b"one\n"), "new.txt": File(b"theirs\n")}


def test_a_deleted_file_that_was_changed_meanwhile_is_kept(root):
    build(root, SMALL.before)
    with tracked_workspace(root) as files:
        planned = plan(patchkit.parse(envelope(delete("gone.txt"))), files)
        rewrite(root, "gone.txt", b"theirs\n")
        with pytest.raises(patchkit.PatchkitError):
            planned.commit()

    assert snapshot(root) == {**SMALL.before, "gone.txt": File(b"theirs\n")}
