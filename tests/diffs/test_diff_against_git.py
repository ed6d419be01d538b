"""The diff of random plans on a disk, held against git: it makes the same tree of it, and counts the same lines."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples, outcome

from patchkit import PatchkitError
from patchkit.applying import load_all
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.workspace.root import Workspace
from patchkit.diffs.diff import file_diffs, unified

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

# What a tree may hold: every way in which lines end, or do not, and every kind of name.
CONTENTS = [
    b"",
    b"one\n",
    b"one",
    b"one\r\ntwo\r\nthree\r\n",
    b"one\ntwo\r\nthree",
    b"one\rtwo\r",
    b"caf\xe9\nna\xefve\n",
    b"\xef\xbb\xbfone\ntwo\n",
    b"one\0two\nthree\n",
    b"".join(b"%d\n" % number for number in range(40)),
    b"-- one\n++ two\n@@ -1 +1 @@\n\\ three\n",
]
NAMES = [
    *["a", "b c", " lead", "trail ", "x b/x", 'quo"te', "back\\slash", "tab\tname", "äö/ü", "-dash", "a.b/c.d"],
    *["d1/d2/deep", "d1/d2/e", "star*", "$HOME", "#x", "dev null", "ends."],
]
if sys.platform != "darwin":  # its file systems know UTF-8 names only
    NAMES += ["caf\udce9", "\udcff/\udcfe"]

Tree = dict[str, tuple[bytes, int]]


@st.composite
def stories(draw: st.DrawFn) -> tuple[Tree, list[FileOp]]:
    """A tree of files and modes, and sections for it."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True))
    tree = {
        name: (draw(st.sampled_from(CONTENTS)), draw(st.sampled_from([0o644, 0o755])))
        for name in names[: draw(st.integers(len(names) // 2, len(names)))]
    }
    sections: list[FileOp] = []
    for name in draw(st.permutations(names)):
        if name not in tree:
            sections.append(AddFile(name, draw(st.sampled_from(["", "new\n", "new", "+x\n-y\n z"]))))
            continue
        kind = draw(st.sampled_from(["update", "update", "move", "delete", "nothing"]))
        goal = draw(st.sampled_from([*NAMES, *names])) if kind == "move" else None
        if kind == "delete":
            sections.append(DeleteFile(name))
        elif kind != "nothing":
            hunks = draw(hunks_of(tree[name][0]))
            sections.extend([UpdateFile(name, goal, hunks)] if hunks or goal else [])
    return tree, sections


@st.composite
def hunks_of(draw: st.DrawFn, data: bytes) -> list[Hunk]:
    """A few changed lines, each as a hunk that names the line as the file has it."""
    lone = b"\n" not in data
    lines = [line.removesuffix(b"\r") for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\r" if lone else b"\n")]
    texts = [line.decode("utf-8", "surrogateescape") for line in lines if line]
    rows = sorted(draw(st.sets(st.integers(0, len(texts) - 1), max_size=3))) if texts else []
    changes = [[], ["+more"], ["+more", "+and more"]]
    return [Hunk([], ["-" + texts[row], *draw(st.sampled_from(changes))]) for row in rows]


def make(directory: Path, tree: Tree) -> None:
    directory.mkdir()
    for name, (data, mode) in tree.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)


def seen(directory: Path) -> Tree:
    """Every file and whether it may be run: git keeps no other part of a mode."""
    files = [path for path in directory.rglob("*") if path.is_file() and ".git" not in path.parts]
    return {
        str(path.relative_to(directory)): (path.read_bytes(), 0o755 if os.access(path, os.X_OK) else 0o644)
        for path in files
    }


def git(directory: Path, *words: str, given: bytes = b"") -> bytes:
    settings = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": "/",
    }
    command = ["git", "-c", "core.autocrlf=false", "-c", "core.quotePath=true", *words]
    done = subprocess.run(command, cwd=directory, input=given, capture_output=True, env=settings, check=False)
    assert (done.returncode, done.stderr) == (0, b""), given.decode("utf-8", "backslashreplace")
    return done.stdout


@given(story=stories())
@examples(80)
def test_git_makes_of_the_diff_what_the_plan_makes(tmp_path_factory, story):
    tree, sections = story
    home = tmp_path_factory.mktemp("git")
    make(home / "ours", tree)
    make(home / "theirs", tree)
    with Workspace(home / "ours") as files:
        files.history = False
        made = outcome(plan, Patch(sections), files, Options(overwrite=True)) if sections else None
        if made is None or isinstance(made, PatchkitError) or not made.effective:
            return
        load_all(made)
        diff, counts = unified(made), [(each.added, each.removed) for each in file_diffs(made)]
        made.commit()

    rows = git(home / "theirs", "apply", "--numstat", "--whitespace=nowarn", "-", given=diff).splitlines()
    git(home / "theirs", "apply", "--whitespace=nowarn", "-", given=diff)

    assert seen(home / "theirs") == seen(home / "ours")
    assert [tuple(map(int, row.split(b"\t")[:2])) for row in rows] == counts


def test_a_mode_that_comes_with_a_move_is_told(tmp_path):
    make(tmp_path / "ours", {"run": (b"#!/bin/sh\n", 0o755), "text": (b"old\n", 0o644)})
    make(tmp_path / "theirs", {"run": (b"#!/bin/sh\n", 0o755), "text": (b"old\n", 0o644)})
    with Workspace(tmp_path / "ours") as files:
        files.history = False
        made = plan(Patch([UpdateFile("run", "text")]), files, Options(overwrite=True))
        load_all(made)
        diff = unified(made)
        made.commit()

    git(tmp_path / "theirs", "apply", "-", given=diff)

    assert b"old mode 100644\nnew mode 100755\n" in diff
    assert seen(tmp_path / "theirs") == seen(tmp_path / "ours") == {"text": (b"#!/bin/sh\n", 0o755)}
