"""The walk: budgets, what is not seen, and directories that do not behave."""

from __future__ import annotations

import errno
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.workspace.root import Workspace
from patchkit.globs.patterns import level
from patchkit.processes import child
from patchkit.search import walk as walking
from patchkit.search.walk import DirectoryWalk, SearchBudget, files_named, rules_above


def walked(root, pattern="**", budget=None, start=(), rules=False, shared=False):
    """The files a walk finds and the walk itself."""
    with Workspace(str(root)) as files:
        above = rules_above(files.directories, start, SearchBudget().late) if rules else None
        walk = DirectoryWalk(files.directories, budget or SearchBudget(), start, level(pattern), above)
        return files_named(files, walk, shared), walk


def dated(root, *names):
    """Makes files of which each is a second older than the one before."""
    for age, name in enumerate(names):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))


def handles():
    return len(os.listdir("/proc/self/fd"))


# -- order ---------------------------------------------------------------------------------------


def test_the_newest_file_comes_first_and_those_of_one_time_by_name(tree):
    dated(tree.root, "z/new", "b/middle", "a/old")
    for name in ("y/same", "c/same", "c/also"):
        dated(tree.root, name)
    os.utime(tree.root / "z" / "new", (1_800_000_000, 1_800_000_000))

    assert walked(tree.root)[0] == ["z/new", "c/also", "c/same", "y/same", "b/middle", "a/old"]


def test_directories_that_cannot_fit_are_not_entered(tree):
    root = tree({"src/a.py": "", "src/deep/b.py": "", "other/deep/c.py": "", "docs/d.py": ""})

    found, walk = walked(root, "src/*.py")

    assert (found, walk.visited) == (["src/a.py"], 3 + 2)


# -- budgets -------------------------------------------------------------------------------------


def test_a_walk_stops_when_it_has_looked_at_enough_names_and_says_what_it_has_not_seen(tree):
    root = tree({f"{directory}/{name}": "" for directory in "abc" for name in "xyz"})

    found, walk = walked(root, budget=SearchBudget(visits=8))

    assert [path for path in sorted(found) if path < "b"] == ["a/x", "a/y", "a/z"]
    assert (len(found), walk.stopped, walk.visited, walk.unseen) == (5, "visits", 8, ["b", "c"])


def test_a_directory_with_more_names_than_the_budget_has_is_unseen_itself(tree):
    root = tree({"d/" + name: "" for name in "vwxyz"})

    found, walk = walked(root, budget=SearchBudget(visits=4))

    assert (len(found), walk.stopped, walk.visited, walk.unseen) == (3, "visits", 4, ["d"])


def test_a_walk_that_needs_its_whole_budget_does_not_count_as_stopped(tree):
    root = tree({"a/x": "", "a/y": ""})

    assert walked(root, budget=SearchBudget(visits=3))[1].stopped == ""


def test_a_walk_stops_when_its_time_is_up(tree, monkeypatch):
    root = tree({f"{name}/x": "" for name in "abcd"})
    asked = iter([False] * 3)
    monkeypatch.setattr(SearchBudget, "late", lambda self: next(asked, True))

    found, walk = walked(root, budget=SearchBudget(seconds=10))

    assert walk.stopped == "timeout"
    assert 0 < len(found) < 4
    assert sorted([*found, *(f"{name}/x" for name in walk.unseen)]) == ["a/x", "b/x", "c/x", "d/x"]


def test_no_ignore_file_is_read_once_time_is_up(tree, monkeypatch):
    root = tree({f"{'d/' * depth}.gitignore": "*x*\n" for depth in range(9)})
    read = []
    monkeypatch.setattr(walking, "_read", lambda _, name: read.append(name))

    with Workspace(str(root)) as files:
        rules_above(files.directories, ("d",) * 8, lambda: len(read) > 3)

    assert len(read) == 6  # the three kinds of two directories


def test_time_is_checked_between_the_ignore_files_that_a_name_is_compared_with(tree):
    root = tree({".ignore": "*x*\n", ".gitignore": "*x*\n"})
    asked = iter([False] * 2)

    with Workspace(str(root)) as files:
        rules = rules_above(files.directories, ("d",), lambda: next(asked, True))

    assert rules.ignores((), "a", False)


def test_time_is_checked_within_a_directory_of_many_rules(tree, monkeypatch):
    root = tree({".gitignore": "*x*\n", **{f"f{number}": "" for number in range(9)}})
    asked = iter([False] * 5)
    monkeypatch.setattr(SearchBudget, "late", lambda self: next(asked, True))

    found, walk = walked(root, budget=SearchBudget(seconds=10), rules=True)

    assert 0 < len(found) < 9
    assert (walk.stopped, walk.unseen) == ("timeout", [""])


def test_handles_are_closed_whether_a_walk_ends_or_stops(tree):
    root = tree({f"{a}/{b}/{c}/x": "" for a in "abc" for b in "abc" for c in "abc"})
    before = handles()

    for visits in (0, 1, 5, 17, 60):
        walked(root, budget=SearchBudget(visits=visits))

    assert handles() == before


# -- what is in the way --------------------------------------------------------------------------


def test_links_are_met_but_never_entered(tree, tmp_path):
    root = tree({"real/a": "", "outside": ""})
    (tmp_path / "secret").write_text("x")
    (root / "outside").unlink()
    (root / "outside").symlink_to(tmp_path / "secret")
    (root / "loop").symlink_to(".")
    (root / "real" / "up").symlink_to("..")
    (root / "copy").symlink_to("real/a")
    (root / "dir").symlink_to("real")
    (root / "nowhere").symlink_to("missing")
    os.mkfifo(root / "fifo")

    assert sorted(walked(root)[0]) == ["copy", "real/a"]


def test_a_directory_replaced_by_a_link_is_not_entered(tree, tmp_path, monkeypatch):
    root = tree({"a/x": "", "b/y": ""})
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "stolen").touch()
    opened = os.open

    def swapping(path, flags, *rest, **options):
        if path == "b":
            (root / "b" / "y").unlink()
            (root / "b").rmdir()
            (root / "b").symlink_to(secret)
        return opened(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", swapping)

    assert walked(root)[0] == ["a/x"]


def test_a_directory_that_is_gone_is_passed_over(tree, monkeypatch):
    root = tree({"a/x": "", "b/y": ""})
    opened = os.open

    def vanishing(path, flags, *rest, **options):
        if path == "b":
            raise FileNotFoundError(errno.ENOENT, "gone")
        return opened(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", vanishing)
    found, walk = walked(root)

    assert (found, walk.unreadable) == (["a/x"], [])


def test_a_directory_that_cannot_be_read_is_named_with_the_reason(tree, monkeypatch):
    root = tree({"a/x": "", "d/b/y": ""})
    opened = os.open

    def refusing(path, flags, *rest, **options):
        if path == "b":
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refusing)
    found, walk = walked(root)

    assert (found, walk.unreadable) == (["a/x"], [("d/b", "permission denied")])


def test_directories_that_are_too_deep_are_reported_and_not_entered(tree):
    here = os.open(tree.root, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)

    found, walk = walked(tree.root)

    assert (found, [why for _, why in walk.unreadable]) == ([], ["more than 200 directories lead to it"])


@pytest.mark.parametrize("name", [b"line\nend", b"\xff\xfe", "ä".encode(), b"-x", b" ", b"\x1b[31m"])
def test_any_name_is_found_as_it_is(tree, name):
    with open(os.fsencode(tree.root) + b"/" + name, "wb"):
        pass

    assert walked(tree.root)[0] == [os.fsdecode(name)]


# -- two processes -------------------------------------------------------------------------------


@pytest.fixture
def wide(tree):
    return tree({f"{a}{b}/{name}.py": "" for a in "abcdefghij" for b in "0123456789" for name in ("x", "y")})


def test_two_processes_find_what_one_finds(wide, monkeypatch):
    monkeypatch.setattr(walking, "may_fork", lambda: True)
    forked = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: forked.append(1) or fork())
    alone, walk = walked(wide, "**/*.py")

    found, other = walked(wide, "**/*.py", shared=True)

    assert (len(alone), found, forked) == (200, alone, [1])
    assert (other.visited, other.unreadable, other.unseen) == (walk.visited, [], [])


def test_a_fork_that_is_killed_leaves_its_half_unseen_and_says_so(wide, monkeypatch):
    monkeypatch.setattr(walking, "may_fork", lambda: True)
    monkeypatch.setattr(child, "_send", lambda *_: os.kill(os.getpid(), 9))

    found, walk = walked(wide, "**/*.py", shared=True)

    assert (len(found), walk.stopped, len(walk.unseen)) == (100, "killed", 50)


def test_where_no_process_can_be_made_one_walks_alone(wide, monkeypatch):
    monkeypatch.setattr(walking, "may_fork", lambda: True)

    def no_fork():
        raise BlockingIOError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(os, "fork", no_fork)

    assert walked(wide, "**/*.py", shared=True)[0] == walked(wide, "**/*.py")[0]


def test_a_host_with_threads_is_not_forked():
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not child.may_fork()
    finally:
        done.set()
        thread.join()


def test_a_host_that_must_not_be_forked_is_not(wide, monkeypatch):
    monkeypatch.setattr(walking, "may_fork", lambda: True)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("forked"))

    found, _ = walked(wide, "**/*.py", budget=SearchBudget(may_fork=False), shared=True)

    assert len(found) == 200


def test_an_interrupted_walk_leaves_no_process_behind(wide, monkeypatch):
    monkeypatch.setattr(walking, "may_fork", lambda: True)
    reaped = []
    waitpid = os.waitpid
    monkeypatch.setattr(os, "waitpid", lambda *words: reaped.append(waitpid(*words)) or reaped[-1])
    monkeypatch.setattr(child, "_all", lambda answer: (_ for _ in ()).throw(KeyboardInterrupt()))

    with pytest.raises(KeyboardInterrupt):
        walked(wide, "**/*.py", shared=True)

    assert len(reaped) == 1


def test_where_no_pipe_can_be_made_one_walks_alone(wide, monkeypatch):
    monkeypatch.setattr(walking, "may_fork", lambda: True)

    def no_pipe():
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(os, "pipe", no_pipe)

    assert walked(wide, "**/*.py", shared=True)[0] == walked(wide, "**/*.py")[0]


def test_a_signal_right_behind_the_fork_never_returns_into_the_program(wide, monkeypatch):
    """Else there would be two of it."""
    monkeypatch.setattr(walking, "may_fork", lambda: True)
    fork, number = os.fork, os.getpid()

    def interrupted():
        process = fork()
        if process == 0:
            raise KeyboardInterrupt
        return process

    monkeypatch.setattr(os, "fork", interrupted)

    found, walk = walked(wide, "**/*.py", shared=True)

    assert os.getpid() == number
    assert (len(found), walk.stopped) == (100, "killed")


TREES = st.dictionaries(
    st.lists(st.sampled_from(["a", "b.py", "c", ".h"]), min_size=1, max_size=4).map("/".join),
    st.just(""),
    min_size=1,
    max_size=12,
)


@examples(40)
@given(paths=TREES, visits=st.integers(1, 12))
def test_what_is_found_and_what_is_unseen_together_hold_everything(paths, visits, tmp_path_factory):
    root = tmp_path_factory.mktemp("t")
    for path in paths:
        if not any((root / part).is_file() for part in _parents(path)) and not (root / path).is_dir():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).touch()
    whole, _ = walked(root)

    found, walk = walked(root, budget=SearchBudget(visits=visits))

    assert set(found) <= set(whole)
    assert [path for path in whole if path not in found and not any(_below(path, each) for each in walk.unseen)] == []


def _parents(path):
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _below(path, directory):
    return not directory or path.startswith(f"{directory}/")
