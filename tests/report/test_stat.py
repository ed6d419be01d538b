"""`--stat` and `--numstat`, held against git to the byte."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from patchkit.diffs.diff import FileDiff
from patchkit.report.spans import plain
from patchkit.report.stat import numstat, stat

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
NAMES = [
    *["a", "b c", "sub/x", "sub/y/z", 'q"t', "ä.txt", "long/" * 9 + "name.py", "deep/one/two", "deep/one/three"],
    *["deep/two/three", "an-even-longer-name-without-any-slash-in-it-that-goes-on-and-on-and-on-and-on.txt"],
]
Tree = dict[str, bytes]


class Repository:
    """A repository that trees are put into and compared in."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.git("init", "-q")

    def git(self, *words: str, **more: str) -> str:
        settings = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **more}
        done = subprocess.run(["git", *words], cwd=self.home, env=settings, capture_output=True, text=True, check=True)
        return done.stdout

    def tree(self, files: Tree) -> str:
        shutil.rmtree(self.home / "work", ignore_errors=True)
        (self.home / "work").mkdir()
        for name, data in files.items():
            path = self.home / "work" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        (self.home / "index").unlink(missing_ok=True)
        there = {"GIT_INDEX_FILE": str(self.home / "index")}
        self.git("--work-tree", str(self.home / "work"), "add", "-A", **there)
        return self.git("write-tree", **there).strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return Repository(tmp_path_factory.mktemp("repository"))


def diffs(old: Tree, new: Tree) -> list[FileDiff]:
    """The diffs of all files that differ, in git's order."""
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return [
        FileDiff(
            (name, name),
            ("100644" if name in old else None, "100644" if name in new else None),
            old.get(name, b""),
            new.get(name, b""),
        )
        for name in sorted(names, key=os.fsencode)
    ]


def trees(chance: random.Random) -> tuple[Tree, Tree]:
    """Two trees that differ: files new, gone and changed, a few of them binary."""
    old, new = {}, {}
    for name in chance.sample(NAMES, chance.randrange(1, 6)):
        kind = chance.random()
        if kind < 0.2:
            new[name] = _text(chance)
        elif kind < 0.4:
            old[name] = _text(chance)
        else:
            old[name] = _text(chance)
            lines = old[name].split(b"\n")
            for _ in range(chance.randrange(1, 5)):
                lines.insert(chance.randrange(len(lines) + 1), b"new %d" % chance.randrange(5))
            new[name] = b"\n".join(lines) + (b"\0" if chance.random() < 0.1 else b"")
    return old, new


def _text(chance: random.Random) -> bytes:
    count = chance.choice([0, 1, 3, 10, 60, 400])
    return b"".join(b"%d\n" % chance.randrange(count + 3) for _ in range(count))


@needs_git
@pytest.mark.parametrize("seed", range(20))
def test_the_numbers_and_the_table_are_those_of_git(repository, seed):
    old, new = trees(random.Random(seed))
    both = repository.tree(old), repository.tree(new)

    def by_git(option: str) -> str:
        return repository.git("diff", "--no-renames", "--minimal", option, *both)

    assert numstat(diffs(old, new)) == by_git("--numstat")
    assert plain(stat(diffs(old, new))) == by_git("--stat")
    assert plain(stat(diffs(old, new), 40)) == by_git("--stat=40")
    assert plain(stat(diffs(old, new), 20)) == by_git("--stat=20")


MOVES = [
    ("a", "b"),
    ("a/b", "a/c"),
    ("a/b/c", "a/d/c"),
    ("a/b", "b"),
    ("b", "a/b"),
    ("a/a", "a/a/a"),
    ("a/b/c/d", "a/d"),
    ("a b/x", "a b/y"),
    ('q"', "x"),
    ("ä", "a/ä"),
]


@needs_git
@pytest.mark.parametrize(("old", "new"), MOVES)
def test_a_moved_file_is_named_as_git_names_it(repository, old, new):
    text = b"one\ntwo\nthree\nfour\n"
    both = repository.tree({old: text}), repository.tree({new: text + b"five\n"})
    moved = [FileDiff((old, new), ("100644", "100644"), text, text + b"five\n")]

    assert numstat(moved) == repository.git("diff", "-M", "--numstat", *both)
    assert plain(stat(moved)) == repository.git("diff", "-M", "--stat", *both)


def test_a_link_that_became_a_file_is_one_row():
    changed = [
        FileDiff(("a", "a"), ("120000", None), b"b", b""),
        FileDiff(("a", "a"), (None, "100644"), b"", b"x\ny\n"),
    ]

    assert numstat(changed) == "2\t1\ta\n"


def test_nothing_changed_is_nothing_told():
    assert (numstat([]), stat([])) == ("", [])
