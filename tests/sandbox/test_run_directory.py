"""The directory of a sandboxed run: private, and removed with whatever a command left in it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from patchkit.sandbox import run_directory
from patchkit.sandbox.run_directory import RunDirectory


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_no_other_user_can_enter_it_and_its_name_is_new(place):
    first, second = RunDirectory(), RunDirectory()

    assert stat.S_IMODE(os.stat(first.path).st_mode) == 0o700
    assert first.path != second.path
    assert os.listdir(first.path) == []


def test_where_the_variable_leads_nowhere_it_is_made_elsewhere(monkeypatch):
    for value in ("/nowhere/at/all", "relative", "", "/dev/shm"):
        monkeypatch.setenv("TMPDIR", value)
        made = RunDirectory()
        made.remove()

        assert made.path.startswith(os.path.realpath("/tmp") + "/patchkit-")


def test_it_is_removed_with_a_tree_that_is_deeper_than_python_can_call(place):
    made = RunDirectory()
    above = os.open(made.path, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=above)
        os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=above))
        below = os.open("d", os.O_RDONLY, dir_fd=above)
        os.close(above)
        above = below
    os.close(above)

    made.remove()

    assert os.listdir(place) == []


def test_links_in_it_are_removed_and_not_followed(place, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "kept").write_text("kept")
    made = RunDirectory()
    os.symlink(outside, f"{made.path}/link")
    os.link(outside / "kept", f"{made.path}/hard")

    made.remove()

    assert (os.listdir(place), (outside / "kept").read_text()) == ([], "kept")


def test_one_that_was_moved_away_is_emptied_though_an_empty_one_is_in_its_place(place):
    made = RunDirectory()
    Path(made.path, "file").touch()
    os.rename(made.path, place / "moved")
    os.mkdir(made.path)

    made.remove()

    assert [os.listdir(place), os.listdir(place / "moved")] == [["moved"], []]


def test_what_was_put_in_its_place_is_not_removed(place):
    """Where temporary files are made may be where the command can write."""
    made = RunDirectory()
    Path(made.path, "file").touch()
    os.rename(made.path, place / "moved")
    os.mkdir(made.path)
    Path(made.path, "other").touch()

    made.remove()

    assert os.listdir(made.path) == ["other"]
    assert os.listdir(place / "moved") == []


PROGRAM = """
made = RunDirectory()
os.makedirs(f"{made.path}/a/b/c")
open(f"{made.path}/a/b/c/file", "w").close()
for path in ("a/b/c", "a/b", "a"):
    os.chmod(f"{made.path}/{path}", 0o500 if path != "a/b" else 0)
made.remove()
print(os.path.exists(made.path))
"""


def test_a_tree_that_may_not_be_changed_is_removed_for_an_ordinary_user_as_well():
    """Caches of modules are made like this."""
    words = [sys.executable]
    if os.geteuid() == 0:  # who may change it anyway
        if shutil.which("setpriv") is None or not os.access("/usr/bin/python3", os.X_OK):
            pytest.skip("no setpriv, or no python3 that others can run")
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3"]
    text = Path(run_directory.__file__).read_text() + PROGRAM
    done = subprocess.run([*words, "-c", text], capture_output=True, text=True, env={}, cwd="/")

    assert (done.stdout, done.stderr) == ("False\n", "")
