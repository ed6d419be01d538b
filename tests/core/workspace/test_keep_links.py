"""`--keep-links`: a file with several names is written to, all of it or none of it, also after a kill in the middle."""

from __future__ import annotations

import errno
import os
import signal

import pytest
from fault_injection import CAUSES, CHANGING, GROWING, Fault, as_nobody, attempt, every, through_library
from sample_trees import (
    Case,
    File,
    add,
    build,
    delete,
    do,
    envelope,
    recorded,
    snapshot,
    state,
    state_after_the_next_run,
    update,
)
from strategies import outcome

import patchkit
from patchkit.core.workspace.transaction import JOURNAL
from patchkit.tools.undo import redo, undo

OLD = b"".join(b"line %d\n" % number for number in range(400))
GROWN = OLD.replace(b"line 200\n", b"another line\n")
SHRUNK = OLD.replace(b"line 200\n", b"x\n")
TREE = {"a": File(OLD, 0o640), "b": File(OLD, 0o640), "c": File(b"one\n"), "e": File(b"gone\n")}
CASES = {
    "grown": Case(
        TREE,
        envelope(update("a", ("line 200", "another line"))),
        {**TREE, "a": File(GROWN, 0o640), "b": File(GROWN, 0o640)},
    ),
    "shrunk among others": Case(
        TREE,
        envelope(update("c", ("one", "two")), update("b", ("line 200", "x")), add("n/d", "new\n"), delete("e")),
        {"a": File(SHRUNK, 0o640), "b": File(SHRUNK, 0o640), "c": File(b"two\n"), "n/d": File(b"new\n")},
    ),
}
STRUCK = None if os.environ.get("PATCHKIT_TESTS") == "full" else {*CHANGING, "fsync"}  # None: every call
cases = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@pytest.fixture(autouse=True)
def _everything_is_imported(everything_is_imported, root):
    """No child counts what only loading a module does."""
    recorded(CASES["grown"].patch, root, keep_links=True)
    make(root)


@pytest.fixture
def root(place):
    path = os.path.join(place, "root")
    make(path)
    return path


def make(root):
    """The tree, in which 'a' and 'b' are one file."""
    build(root, TREE)
    os.unlink(f"{root}/b")
    os.link(f"{root}/a", f"{root}/b")


def applied(root, case):
    return through_library(root, case.patch, keep_links=True)


def is_one_file(root):
    return os.path.samefile(f"{root}/a", f"{root}/b")


# -- what it does ----------------------------------------------------------------------------------


@cases
def test_all_names_of_the_file_have_the_new_content(root, case):
    inode = os.stat(f"{root}/a").st_ino
    done = recorded(case.patch, root, keep_links=True)

    assert (snapshot(root), done.notes) == (case.after, [])
    assert {os.stat(f"{root}/{name}").st_ino for name in "ab"} == {inode}


def test_without_the_option_the_file_is_replaced_and_a_note_says_so(root):
    done = recorded(CASES["grown"].patch, root)

    assert [(note.code, note.facts["count"]) for note in done.notes] == [("P932", 2)]
    assert snapshot(root) == {**TREE, "a": File(GROWN, 0o640)}


def test_a_file_with_one_name_is_replaced_as_ever(root):
    inode = os.stat(f"{root}/c").st_ino
    recorded(envelope(update("c", ("one", "two"))), root, keep_links=True)

    assert os.stat(f"{root}/c").st_ino != inode


def test_two_names_of_one_file_in_one_patch_are_refused_or_agree(root):
    """The second section reads what is under its name, which is the old content: the two cannot both be kept."""
    patch = envelope(update("a", ("line 1", "first")), update("b", ("line 2", "second")))

    assert outcome(patchkit.apply, patch, root, keep_links=True).code == "P311"
    assert snapshot(root) == TREE


@pytest.mark.parametrize("text", ["", "x", "x\n" * 5000])
def test_content_of_any_length_is_written(root, text):
    patch = envelope(delete("a"), add("a", text) if text else "*** Add File: a\n")
    recorded(patch, root, keep_links=True)
    new = File("".join(f"{line}\n" for line in text.splitlines()).encode(), 0o640)

    assert (snapshot(root), is_one_file(root)) == ({**TREE, "a": new, "b": new}, True)


def test_deleting_one_name_and_moving_one_are_what_they_always_are(root):
    recorded(envelope(update("a", move_to="z")), root, keep_links=True)
    assert os.path.samefile(f"{root}/z", f"{root}/b")
    recorded(envelope(delete("z")), root, keep_links=True)

    assert snapshot(root) == {name: what for name, what in TREE.items() if name != "a"}


def test_the_mode_stays_with_setuid(root):
    os.chmod(f"{root}/a", 0o4755)
    recorded(CASES["grown"].patch, root, keep_links=True)

    assert oct(os.stat(f"{root}/b").st_mode) == "0o104755"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_file_that_may_not_be_written_to_is_refused(root):
    for name, owner in (("", 65534), ("a", 0), ("c", 65534), ("e", 65534)):
        os.chown(f"{root}/{name}", owner, 65534)
    run = attempt(as_nobody(applied(root, CASES["shrunk among others"])))

    assert (run.status, run.words) == (1, "P402: cannot write 'b': permission denied")
    assert (snapshot(root), is_one_file(root)) == (TREE, True)


def test_undo_and_redo_write_to_the_file_too(root):
    recorded(CASES["grown"].patch, root, keep_links=True)

    do(undo, root)
    assert (snapshot(root), is_one_file(root)) == (TREE, True)
    do(redo, root)
    assert (snapshot(root), is_one_file(root)) == (CASES["grown"].after, True)


# -- faults ----------------------------------------------------------------------------------------


@cases
def test_a_kill_at_any_call_is_made_good_by_the_next_run(root, case):
    def killed(fault):
        make(root)
        run = attempt(applied(root, case), fault)
        if run.struck:
            assert (state_after_the_next_run(root, case)[0], is_one_file(root)) in (("old", True), ("new", True)), run
            return True
        return None

    assert len(every(lambda at: Fault(at, kill=True, only=STRUCK), killed)) > 10


@cases
def test_a_kill_during_the_recovery_is_made_good_too(root, case):
    """A kill with the file half done, and then one at every call of the run that comes after."""
    next_run = through_library(root, envelope(add("z", "z\n")))

    def killed(fault):
        make(root)
        assert attempt(applied(root, case), Fault(1, kill=True, only={"ftruncate"})).struck
        run = attempt(next_run, fault)
        if not run.struck:
            return None
        attempt(next_run)
        if os.path.exists(f"{root}/z"):
            os.unlink(f"{root}/z")
        assert (state(root, case), is_one_file(root)) in (("old", True), ("new", True)), run
        return True

    assert len(every(lambda at: Fault(at, kill=True, only=STRUCK), killed)) > 5


@cases
def test_a_call_that_fails_leaves_all_old_or_all_new(root, case):
    calls = attempt(applied(root, case)).calls
    for at, kind in enumerate(calls, 1):
        for code in {errno.EIO, errno.ENOSPC} & {*CAUSES[kind]} if STRUCK is None or kind in STRUCK else ():
            make(root)
            assert_all_or_nothing(root, case, attempt(applied(root, case), Fault(at, code=code)))


@cases
def test_a_disk_that_is_full_from_any_call_on_leaves_all_old_or_all_new(root, case):
    def filled(fault):
        make(root)
        run = attempt(applied(root, case), fault)
        assert_all_or_nothing(root, case, run)
        return run.struck or None

    every(lambda at: Fault(at, code=errno.ENOSPC, stays=True, only=GROWING), filled)


def assert_all_or_nothing(root, case, run):
    if run.status == 5:  # could not be put back there and then: the next run does it
        assert state_after_the_next_run(root, case)[0] in ("old", "new"), run
    else:
        assert (run.status, state(root, case)) in ((0, "new"), (1, "old")), run
    assert is_one_file(root)


def torn(root, case, share):
    """A run that is killed in the middle of a write: the last one of file content before the record is dropped."""

    def work():
        real, written = os.writev, []

        def half(opened, pieces):
            data = b"".join(pieces)
            written.append(data)
            if sum(each == data for each in written) == 2:  # the new content: staged, and now into the file itself
                real(opened, [data[: len(data) * share // 10]])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(opened, pieces)

        os.writev = half
        return applied(root, case)()

    return attempt(work).status


@cases
@pytest.mark.parametrize("share", range(0, 11, 2))
def test_a_kill_in_the_middle_of_a_write_is_made_good(root, case, share):
    assert torn(root, case, share) == -signal.SIGKILL
    assert (state_after_the_next_run(root, case)[0], is_one_file(root)) == ("new", True)
    assert sorted(os.listdir(root)) == sorted({name.split("/")[0] for name in case.after})


@cases
def test_what_another_program_wrote_after_a_kill_stays(root, case):
    torn(root, case, 5)
    with open(f"{root}/a", "ab") as file:
        file.write(b"another program\n")
    with open(f"{root}/a", "rb") as file:
        theirs = file.read()
    _, notes = state_after_the_next_run(root, case)

    assert notes == ["P944:rolled-back"]
    assert snapshot(root) == {**TREE, "a": File(theirs, 0o640), "b": File(theirs, 0o640)}
    assert JOURNAL not in os.listdir(root)


def test_a_file_that_another_program_puts_there_at_the_last_moment_is_not_written_to(root, monkeypatch):
    """It is opened twice to be written to: once to see that it may be, and at the switch."""
    real, moments = os.open, iter([lambda: None, lambda: os.rename(f"{root}/c", f"{root}/a")])

    def replacing(path, flags, *more, **named):
        if path == "a" and flags & os.O_WRONLY:
            next(moments)()
        return real(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", replacing)
    found = outcome(patchkit.apply, CASES["grown"].patch, root, keep_links=True)
    monkeypatch.setattr(os, "open", real)

    assert found.code == "P311"
    assert snapshot(root) == {"a": TREE["c"], "b": TREE["b"], "e": TREE["e"]}
