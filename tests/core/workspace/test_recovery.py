"""What an interrupted run left is dealt with whatever became of it since: the way is free for the next run, always."""

from __future__ import annotations

import os
import random
import shutil

import pytest
from fault_injection import Fault, as_nobody, attempt, through_library
from sample_trees import NEXT, SEVERAL, File, Link, add, build, envelope, snapshot

import patchkit
from patchkit.catalogue.sentences import label
from patchkit.core.workspace import JournalStep, sign
from patchkit.core.workspace.transaction import JOURNAL, as_target, dump

CASE = SEVERAL["small"]  # a.txt and b.txt change, gone.txt goes, new/deep/c.txt comes
OTHERS = {"elsewhere.txt": File(b"next\n")}


@pytest.fixture
def root(place, everything_is_imported):
    path = os.path.join(place, "root")
    build(path, CASE.before)
    return path


def crash(root, switched):
    """Kills a run on its way: before its commit record is in force (-1), else after so many of its three renames."""
    run = attempt(through_library(root, CASE.patch), Fault(switched + 2, kill=True, only={"rename"}))
    assert run.status == -9
    assert os.path.lexists(os.path.join(root, JOURNAL))


def next_run(root):
    """The next run's notes, as labels with the names they speak of."""
    done = patchkit.apply(NEXT, root)
    return [(label(note.code, note.facts), note.facts.get("foreign")) for note in done.notes]


def files(root):
    """The user's files: what is not ours, and no empty directories."""
    return {
        name: what
        for name, what in snapshot(root).items()
        if what != "directory" and not os.path.basename(name).startswith(".patchkit")
    }


def ours(root):
    return sorted(name for name in snapshot(root) if os.path.basename(name).startswith(".patchkit"))


@pytest.mark.parametrize(
    ("switched", "tree", "outcome"), [(-1, "old", "cleaned-up"), (0, "new", "completed"), (1, "new", "completed")]
)
def test_a_run_is_undone_before_its_commit_record_and_finished_after_it(root, switched, tree, outcome):
    crash(root, switched)

    assert next_run(root) == [(f"P941:{outcome}", None)]
    assert snapshot(root) == {**(CASE.before if tree == "old" else CASE.after), **OTHERS}


# -- the journal is not what it should be ---------------------------------------------------------


@pytest.mark.parametrize("switched", [-1, 0])
def test_a_journal_cut_short_anywhere_does_not_stop_the_next_run(root, switched):
    """Nothing was switched yet, so whatever the record says, the user's files are the old ones."""
    crash(root, switched)
    path = os.path.join(root, JOURNAL)
    if switched < 0:  # an intent that is too long for a link is a file
        whole = os.readlink(os.fsencode(path)).replace(b"\n", b"\0")
        os.unlink(path)
    else:
        with open(path, "rb") as file:
            whole = file.read()
    for length in [*range(60), *range(60, len(whole), 13), len(whole) - 1]:
        with open(path, "wb") as file:
            file.write(whole[:length])
        codes = [code for code, _ in next_run(root)]
        assert codes in (["P941:cleaned-up"], ["P943"]), length
        assert files(root) == {**CASE.before, **OTHERS}, length
        os.unlink(os.path.join(root, "elsewhere.txt"))


def garbage():
    """Records that are none: noise, and well-formed ones with one thing wrong."""
    noise = random.Random(4)
    step = JournalStep(("sub",), (), "a.txt")
    step.staged, step.saved, step.old, step.new = ".patchkit-1-0.new.tmp", "", "1 2 3 4", "5 6 7 8"
    good = dump("commit", ".patchkit-1.tmp", [step])
    fields = good.split(b"\0")
    return [
        b"",
        b"\0",
        b"{}",
        b"\xff\xfe" * 40,
        b"\0" * 500,
        *[noise.randbytes(size) for size in (1, 39, 40, 41, 500, 70_000)],
        good[:-1],
        good + b"\0",
        good.replace(b"commit", b"never"),
        good.replace(b"journal 1", b"journal 9"),
        b"\0".join([*fields[:4], *fields[5:]]),
        *[b"\0".join([*fields[:at], b"x" * 300, *fields[at + 1 :]]) for at in range(2, len(fields) - 1)],
        *[b"\0".join([*fields[:at], b"", *fields[at + 1 :]]) for at in range(2, len(fields) - 1)],
        *[b"\0".join([*fields[:at], b"a//b/./c", *fields[at + 1 :]]) for at in range(2, len(fields) - 1)],
    ]


@pytest.mark.parametrize("number", range(len(garbage())))
def test_a_journal_of_garbage_does_not_stop_the_next_run_or_touch_a_file(root, number):
    with open(os.path.join(root, JOURNAL), "wb") as file:
        file.write(garbage()[number])

    assert len(next_run(root)) == 1
    assert files(root) == {**CASE.before, **OTHERS}


@pytest.mark.parametrize("number", range(len(garbage())))
def test_a_journal_of_garbage_is_spoken_of_once(root, number):
    with open(os.path.join(root, JOURNAL), "wb") as file:
        file.write(garbage()[number])
    next_run(root)

    assert patchkit.apply("*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n", root).notes == []


def test_what_cannot_be_read_is_kept_for_a_person(root):
    with open(os.path.join(root, JOURNAL), "wb") as file:
        file.write(b"another program's file, by a name that is also ours")
    done = patchkit.apply(NEXT, root)
    kept = [name for name in ours(root) if snapshot(root)[name].data.startswith(b"another program's")]

    assert [(note.code, note.facts["file"]) for note in done.notes] == [("P943", kept[0])]


def make_a_directory(path, root, place):
    os.mkdir(path)


def make_a_full_directory(path, root, place):
    os.makedirs(os.path.join(path, "within"))


def link_to(target):
    def make(path, root, place):
        os.symlink(target.format(place=place), path)

    return make


def make_a_fifo(path, root, place):
    os.mkfifo(path)


ODD_JOURNALS = {
    "a directory": make_a_directory,
    "a directory that holds something": make_a_full_directory,
    "a link to a file": link_to("a.txt"),
    "a link to a file outside": link_to("{place}/outside.txt"),
    "a link to nothing": link_to("nowhere"),
    "a link to itself": link_to(JOURNAL),
    "a FIFO": make_a_fifo,
}


@pytest.mark.parametrize("kind", ODD_JOURNALS)
def test_a_journal_that_is_not_a_file_does_not_stop_the_next_run(root, place, kind):
    with open(os.path.join(place, "outside.txt"), "wb") as file:
        file.write(b"outside\n")
    ODD_JOURNALS[kind](os.path.join(root, JOURNAL), root, place)

    run = attempt(through_library(root, NEXT))

    assert (run.status, files(root)) == (0, {**CASE.before, **OTHERS}), run.words
    with open(os.path.join(place, "outside.txt"), "rb") as file:
        assert file.read() == b"outside\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to run as another user")
def test_a_journal_that_may_not_be_read_does_not_stop_the_next_run(root):
    with open(os.path.join(root, JOURNAL), "wb") as file:
        file.write(b"secret")
    os.chmod(os.path.join(root, JOURNAL), 0)
    os.chown(root, 65534, 65534)

    run = attempt(as_nobody(through_library(root, NEXT)))

    assert (run.status, files(root)) == (0, {**CASE.before, **OTHERS}), run.words


# -- the journal was written by an attacker ----------------------------------------------------------


def hostile(directory=(), missing=(), leaf="leaf", staged="", saved="", old="", new=""):
    step = JournalStep(directory, missing, leaf)
    step.staged, step.saved, step.old, step.new = staged, saved, old, new
    return step


@pytest.mark.parametrize("state", ["intent", "commit"])
@pytest.mark.parametrize(
    "step",
    [
        hostile(staged="a.txt"),
        hostile(saved="a.txt"),
        hostile(staged="../outside.txt"),
        hostile(saved="/{place}/outside.txt"),
        hostile(directory=("..",), staged="outside.txt"),
        hostile(directory=("..",), staged=".patchkit-1-2.new.tmp"),
        hostile(directory=("sub", "..", ".."), saved="outside.txt"),
        hostile(directory=("link",), staged="outside.txt"),
        hostile(missing=("..",), leaf="outside.txt", old="{sign}"),
        hostile(leaf="../outside.txt", old="{sign}"),
        hostile(directory=("..",), leaf="outside.txt", old="{sign}"),
        hostile(directory=("..",), leaf="fresh.txt", staged="outside.txt", new="{sign}"),
        hostile(missing=("..", "made"), leaf="fresh.txt", staged="a.txt", new="{own}"),
    ],
    ids=lambda step: (
        f"{step.name}, staged {step.staged!r}, saved {step.saved!r}" if isinstance(step, JournalStep) else step
    ),
)
def test_a_journal_cannot_name_what_is_not_ours(root, place, step, state):
    """A journal may come with a tree from elsewhere: it is trusted only about names that are ours."""
    outside = os.path.join(place, "outside.txt")
    for path in (outside, os.path.join(place, ".patchkit-1-2.new.tmp")):
        with open(path, "wb") as file:
            file.write(b"outside\n")
    os.symlink("..", os.path.join(root, "link"))
    os.mkdir(os.path.join(root, "sub"))
    facts = {"place": place, "sign": sign(os.stat(outside)), "own": sign(os.stat(os.path.join(root, "a.txt")))}
    aimed = hostile(step.directory, step.missing, step.leaf)
    for field in ("staged", "saved", "old", "new"):
        setattr(aimed, field, getattr(step, field).format(**facts))
    with open(os.path.join(root, JOURNAL), "wb") as file:
        file.write(dump(state, "", [aimed]))
    around = {name: what for name, what in snapshot(place).items() if not name.startswith(("root", "state"))}

    patchkit.apply(NEXT, root)

    now = {name: what for name, what in snapshot(place).items() if not name.startswith(("root", "state"))}
    assert (now, files(root)) == (around, {**CASE.before, "link": Link(".."), **OTHERS})


PLANTED = ".patchkit-1-0.new.tmp"


@pytest.mark.parametrize("state", ["intent", "commit"])
@pytest.mark.parametrize(
    "step",
    [
        hostile(missing=(".git", "hooks"), leaf="pre-commit", staged=PLANTED),
        hostile(directory=(".git", "hooks"), leaf="pre-commit", staged=PLANTED),
        hostile(missing=(".git", "hooks"), leaf="pre-commit", saved=PLANTED),
        hostile(missing=(".git", "hooks"), leaf="pre-commit", saved=PLANTED, old="1 2 3 4"),
        hostile(leaf="fresh.txt", staged=PLANTED),
        hostile(leaf="a.txt", staged=PLANTED),
    ],
    ids=lambda step: (
        f"{step.name}, staged {step.staged!r}, old {step.old!r}" if isinstance(step, JournalStep) else step
    ),
)
def test_a_journal_that_came_with_the_tree_puts_no_file_anywhere(root, step, state):
    """A clone can hold a journal and a staged file, but neither knows the inode that the staged file has there."""
    os.makedirs(os.path.join(root, ".git/hooks"))
    for directory in (".", ".git/hooks"):
        with open(os.path.join(root, directory, PLANTED), "wb") as file:
            file.write(b"#!/bin/sh\n")
    with open(os.path.join(root, JOURNAL), "wb") as file:
        file.write(dump(state, "", [step]))
    patchkit.apply(NEXT, root)

    assert files(root) == {**CASE.before, **OTHERS}


HOOK = envelope(add(".git/hooks/pre-commit", "#!/bin/sh\n"), add("b/c.txt", "x\n"))


@pytest.mark.parametrize(
    "name", [".git/hooks/pre-commit", "sub/.GIT/config", ".hg/hgrc", "git~1/hooks/x", ".patchkit/x"]
)
@pytest.mark.parametrize("as_link", [False, True])
def test_a_journal_about_version_control_is_set_aside_even_where_every_sign_is_right(root, name, as_link):
    """The journal of a run that was allowed to, with right inodes and times, but no word in the state directory."""
    *missing, leaf = name.split("/")
    write(root, PLANTED, b"#!/bin/sh\n")
    step = hostile(missing=tuple(missing), leaf=leaf, staged=PLANTED, new=sign(os.stat(os.path.join(root, PLANTED))))
    if as_link:
        os.symlink(as_target(dump("intent", "", [step])), os.fsencode(os.path.join(root, JOURNAL)))
    else:
        write(root, JOURNAL, dump("commit", "", [step]))

    assert [code for code, _ in next_run(root)] == ["P943"]
    assert files(root) == {**CASE.before, **OTHERS}


def test_a_journal_that_is_a_link_can_only_undo(root):
    write(root, PLANTED, b"planted\n")
    step = hostile(leaf="fresh.txt", staged=PLANTED, new=sign(os.stat(os.path.join(root, PLANTED))))
    os.symlink(as_target(dump("commit", "", [step])), os.fsencode(os.path.join(root, JOURNAL)))

    assert [code for code, _ in next_run(root)] == ["P943"]
    assert files(root) == {**CASE.before, **OTHERS}


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_run_that_may_change_version_control_is_recovered_like_any_other(root, at):
    run = attempt(through_library(root, HOOK, allow_vcs=True), Fault(at, kill=True, only={"rename", "link"}))
    codes = [code for code, _ in next_run(root)]

    assert (run.status, codes, ours(root)) == (-9, ["P941:cleaned-up" if at == 1 else "P941:completed"], [])
    assert (".git/hooks/pre-commit" in snapshot(root)) == (at > 1)
    kept = os.path.join(os.environ["XDG_STATE_HOME"], "patchkit", root.replace("/", "+"), "vcs")
    assert os.listdir(kept) == []


def test_no_patch_writes_a_journal_not_even_one_that_may_change_version_control(root):
    for name in (JOURNAL, "sub/.patchkit-1-2.tmp", ".git/.patchkit-journal", ".patchkit/history/x"):
        with pytest.raises(patchkit.PatchkitError) as refusal:
            patchkit.apply(envelope(add(name, "x\n")), root, allow_vcs=True)
        assert refusal.value.code == "P318"


# -- the tree is not what the journal says ----------------------------------------------------------


def write(root, name, data):
    with open(os.path.join(root, name), "wb") as file:
        file.write(data)


def replace_by_a_directory(root, name):
    os.unlink(os.path.join(root, name))
    os.mkdir(os.path.join(root, name))


def replace_by_a_link(root, name):
    os.unlink(os.path.join(root, name))
    os.symlink("a.txt", os.path.join(root, name))


EDITS = {
    "written anew": lambda root: write(root, "b.txt", b"another's\n"),
    "written anew with as many bytes": lambda root: write(root, "b.txt", b"2wo\n"),
    "removed": lambda root: os.unlink(os.path.join(root, "b.txt")),
    "made executable by fewer": lambda root: os.chmod(os.path.join(root, "b.txt"), 0o700),
    "made a directory": lambda root: replace_by_a_directory(root, "b.txt"),
    "made a link": lambda root: replace_by_a_link(root, "b.txt"),
}


@pytest.mark.parametrize("switched", [0, 1])
@pytest.mark.parametrize("edit", EDITS)
def test_a_later_change_of_a_file_is_kept_and_the_other_files_are_old_again(root, edit, switched):
    crash(root, switched)
    EDITS[edit](root)
    theirs = {name: what for name, what in snapshot(root).items() if name == "b.txt"}
    next_run(root)
    others = {name: what for name, what in CASE.before.items() if name != "b.txt"}

    assert {name: what for name, what in snapshot(root).items() if name == "b.txt"} == theirs
    assert {name: what for name, what in files(root).items() if name != "b.txt"} == {**others, **OTHERS}


@pytest.mark.parametrize("edit", EDITS)
def test_the_file_that_was_changed_since_is_named(root, edit):
    crash(root, 0)
    EDITS[edit](root)

    assert next_run(root) == [("P944:rolled-back", "b.txt")]


def test_a_foreign_file_where_one_was_to_be_added_is_kept(root):
    crash(root, 0)
    os.makedirs(os.path.join(root, "new/deep"))
    write(root, "new/deep/c.txt", b"another's\n")

    assert next_run(root) == [("P944:rolled-back", "new/deep/c.txt")]
    assert files(root) == {**CASE.before, **OTHERS, "new/deep/c.txt": File(b"another's\n")}


def test_a_file_where_a_directory_was_to_be_made_is_kept(root):
    crash(root, 0)
    write(root, "new", b"another's\n")

    assert next_run(root) == [("P941:rolled-back", None)]
    assert files(root) == {**CASE.before, **OTHERS, "new": File(b"another's\n")}


@pytest.mark.parametrize("ending", [".new.tmp", ".old.tmp"])
@pytest.mark.parametrize("switched", [0, 1])
def test_a_staged_file_that_is_gone_leaves_the_files_all_old_or_all_new(root, ending, switched):
    crash(root, switched)
    for name in sorted(os.listdir(root)):
        if name.endswith(ending):
            os.unlink(os.path.join(root, name))
    next_run(root)

    assert files(root) in ({**CASE.before, **OTHERS}, {**CASE.after, **OTHERS})


def test_one_staged_file_that_is_gone_leaves_the_files_all_old(root):
    crash(root, 0)
    first = sorted(name for name in os.listdir(root) if name.endswith(".new.tmp"))[0]
    os.unlink(os.path.join(root, first))
    next_run(root)

    assert snapshot(root) == {**CASE.before, **OTHERS}


NESTED = {"s/a.txt": File(b"one\n"), "t/b.txt": File(b"two\n"), "c.txt": File(b"three\n")}
NESTED_PATCH = (
    "*** Begin Patch\n*** Update File: c.txt\n@@\n-three\n+THREE\n*** Update File: s/a.txt\n@@\n-one\n+ONE\n"
    "*** Update File: t/b.txt\n@@\n-two\n+TWO\n*** Add File: t/u/d.txt\n+four\n*** End Patch\n"
)


@pytest.mark.parametrize("gone", ["s", "t", "both"])
@pytest.mark.parametrize("at", [2, 3, 4])
def test_directories_that_are_gone_do_not_stop_the_next_run(root, gone, at):
    """What is left of the run is undone, all of it."""
    build(root, NESTED)
    attempt(through_library(root, NESTED_PATCH), Fault(at, kill=True, only={"rename"}))
    names = ["s", "t"] if gone == "both" else [gone]
    for name in names:
        shutil.rmtree(os.path.join(root, name))
    left = {name: what for name, what in NESTED.items() if name.partition("/")[0] not in names}

    assert [code for code, _ in next_run(root)] == ["P944:rolled-back"]
    assert snapshot(root) == {**left, **OTHERS}


def test_a_directory_that_became_a_link_to_outside_is_left_alone(root, place):
    outside = os.path.join(place, "outside")
    build(root, NESTED)
    attempt(through_library(root, NESTED_PATCH), Fault(3, kill=True, only={"rename"}))
    os.rename(os.path.join(root, "t"), outside)
    os.symlink(outside, os.path.join(root, "t"))
    before = snapshot(outside)
    next_run(root)

    assert snapshot(outside) == before
    assert files(root) == {"c.txt": NESTED["c.txt"], "s/a.txt": NESTED["s/a.txt"], "t": Link(outside), **OTHERS}


def test_the_leftovers_of_a_run_whose_journal_is_lost_are_removed_where_the_next_run_works(root):
    crash(root, -1)
    os.unlink(os.path.join(root, JOURNAL))
    next_run(root)

    assert snapshot(root) == {**CASE.before, **OTHERS}


def test_recovery_removes_no_file_whose_name_is_not_ours(root):
    """Only what carries one of our names can be ours."""
    write(root, "notes.tmp", b"theirs\n")
    write(root, ".patchkit", b"theirs\n")
    crash(root, 0)
    next_run(root)

    assert snapshot(root) == {**CASE.after, **OTHERS, "notes.tmp": File(b"theirs\n"), ".patchkit": File(b"theirs\n")}
