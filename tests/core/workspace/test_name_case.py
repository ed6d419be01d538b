"""Where names that differ only in case are one name, they are one file: under a simulation, and on such a file system.

The simulation wraps an ordinary file system and finds for every name the one that is listed, as the file
systems of macOS do: they keep the case of a name and do not care for it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest
from sample_trees import File, add, build, delete, do, envelope, recorded, snapshot, update
from strategies import outcome

import patchkit
from patchkit.core.workspace.root import Workspace
from patchkit.reading import open_file
from patchkit.tools.undo import undo

_REAL = {name: getattr(os, name) for name in ("stat", "open", "rename", "link", "unlink", "mkdir", "rmdir", "readlink")}
TREE = {"README.md": File(b"one\n"), "Src/App.py": File(b"one\n"), "Src/Deep/x": File(b"x\n")}


def as_listed(name, directory):
    """The name as the directory lists it, in whatever case it is written."""
    if not isinstance(name, str) or directory is None:
        return name
    names = os.listdir(directory)
    return name if name in names else next((each for each in names if each.casefold() == name.casefold()), name)


@contextmanager
def case_makes_no_difference():
    """Every call that names a file in an open directory finds it in any case."""

    def folded(name):
        def call(path, *more, dir_fd=None, **named):
            if name in ("rename", "link"):
                source, target = named.pop("src_dir_fd", None), named.pop("dst_dir_fd", None)
                goal = as_listed(more[0], target)
                if goal != more[0] and name == "rename":  # the new name stays as it is written
                    _REAL["unlink"](goal, dir_fd=target)
                    goal = more[0]
                return _REAL[name](as_listed(path, source), goal, src_dir_fd=source, dst_dir_fd=target, **named)
            return _REAL[name](
                as_listed(path, dir_fd), *more, **named, **({} if dir_fd is None else {"dir_fd": dir_fd})
            )

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in _REAL:
            patch.setattr(os, name, folded(name))
        yield


@pytest.fixture
def simulated(place):
    root = os.path.join(place, "root")
    build(root, TREE)
    with case_makes_no_difference():
        yield root


@pytest.fixture
def mounted(tmp_path):
    """A file system that ignores case, and lists every name in lower case."""
    tools = [shutil.which(name) for name in ("mkntfs", "lowntfs-3g", "umount")]
    if not all(tools) or os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
        pytest.skip("needs root, FUSE and ntfs-3g")
    image, root = tmp_path / "image", tmp_path / "mounted"
    root.mkdir()
    with open(image, "wb") as file:
        file.truncate(32 << 20)
    subprocess.run([tools[0], "-F", "-Q", "-q", image], check=True, capture_output=True)
    if subprocess.run([tools[1], "-o", "ignore_case", image, root], check=False, capture_output=True).returncode:
        pytest.skip("FUSE cannot mount here")
    try:
        for name, what in TREE.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_bytes(what.data)
        yield str(root)
    finally:
        subprocess.run([tools[2], root], check=True)


@pytest.fixture(params=["simulated", "mounted"])
def root(request):
    return request.getfixturevalue(request.param)


def content(root):
    """Names in lower case and what they hold; names that differ only in case would show as fewer."""
    found = {name.lower(): what.data for name, what in snapshot(root).items() if what != "directory"}
    assert len(found) == len(snapshot(root))
    return found


# -- one file ----------------------------------------------------------------------------------------


def test_two_sections_in_two_spellings_are_about_one_file(root):
    recorded(envelope(update("README.md", ("one", "two")), update("readme.MD", ("two", "three"))), root)

    assert content(root) == {"readme.md": b"three\n", "src/app.py": b"one\n", "src/deep/x": b"x\n"}


def test_directories_in_two_spellings_are_one_directory(root):
    recorded(envelope(update("src/app.py", ("one", "two")), update("SRC/APP.PY", ("two", "three"))), root)

    assert content(root) == {"readme.md": b"one\n", "src/app.py": b"three\n", "src/deep/x": b"x\n"}


def test_deleting_in_one_spelling_and_adding_in_another_is_replacing(root):
    recorded(envelope(delete("readme.md"), add("ReadMe.md", "new\n")), root)

    assert content(root) == {"readme.md": b"new\n", "src/app.py": b"one\n", "src/deep/x": b"x\n"}


def test_a_file_that_exists_in_another_spelling_cannot_be_added(root):
    assert outcome(patchkit.apply, envelope(add("readme.MD", "new\n")), root).code == "P303"
    assert outcome(patchkit.apply, envelope(add("SRC/app.py", "new\n")), root).code == "P303"


@pytest.mark.parametrize("names", [("New.txt", "new.txt"), ("Src/New", "src/new"), ("src/N/a", "Src/n/A")])
def test_two_new_files_cannot_differ_only_in_case(root, names):
    before = content(root)

    assert outcome(patchkit.apply, envelope(*(add(name, "1\n") for name in names)), root).code == "P303"
    assert content(root) == before


def test_two_new_files_in_one_new_directory_are_added_in_any_spelling(root):
    recorded(envelope(add("New/a", "1\n"), add("new/b", "2\n")), root)

    assert {name: data for name, data in content(root).items() if name.startswith("new")} == {
        "new/a": b"1\n",
        "new/b": b"2\n",
    }


def test_a_move_that_only_changes_the_case_is_refused_and_not_forgotten(root):
    before = content(root)

    assert outcome(patchkit.apply, envelope(update("Src/App.py", move_to="Src/aPP.py")), root).code == "P304"
    assert content(root) == before


def test_what_was_done_in_one_spelling_can_be_undone(root):
    before = content(root)
    recorded(envelope(update("SRC/app.PY", ("one", "two")), delete("Readme.md")), root)
    do(undo, root)

    assert content(root) == before


def test_version_control_is_protected_in_any_spelling(root):
    assert outcome(patchkit.apply, envelope(add(".GIT/config", "x\n")), root).code == "P318"
    assert outcome(patchkit.apply, envelope(add(".PatchKit-journal", "x\n")), root).code == "P318"


def test_reading_finds_the_file_under_its_own_name(root):
    with Workspace(root) as files, open_file(files, "src/APP.py") as opened:
        assert opened.entry.name.lower() == "src/app.py"
        assert os.read(opened.fd, 10) == b"one\n"


# -- names as they are -------------------------------------------------------------------------------


def test_a_name_keeps_its_case_when_the_patch_writes_another(simulated):
    recorded(envelope(update("readme.md", ("one", "two")), update("src/app.py", ("one", "two"))), simulated)

    assert snapshot(simulated) == {**TREE, "README.md": File(b"two\n"), "Src/App.py": File(b"two\n")}


def test_where_case_counts_names_that_differ_in_it_are_two_files(place):
    root = os.path.join(place, "root")
    build(root, {"a": File(b"one\n"), "A": File(b"one\n")})
    recorded(
        envelope(update("a", ("one", "two")), update("A", ("one", "three")), add("n", "1\n"), add("N", "2\n")), root
    )

    assert snapshot(root) == {"a": File(b"two\n"), "A": File(b"three\n"), "n": File(b"1\n"), "N": File(b"2\n")}


def test_hard_links_whose_names_differ_only_in_case_are_two_names(place):
    root = os.path.join(place, "root")
    build(root, {"a": File(b"one\n")})
    os.link(f"{root}/a", f"{root}/A")
    recorded(envelope(update("a", ("one", "two"))), root)

    assert snapshot(root) == {"a": File(b"two\n"), "A": File(b"one\n")}
