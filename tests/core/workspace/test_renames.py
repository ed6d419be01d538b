"""A file that only gets another name stays the file it is: not copied, not read, the same inode and time."""

from __future__ import annotations

import errno
import os

import pytest
from fault_injection import Fault, as_nobody, attempt, every, through_library
from sample_trees import File, add, build, delete, do, envelope, recorded, snapshot, update
from strategies import outcome

import patchkit
from patchkit import history as contents
from patchkit.core import workspace
from patchkit.core.changes.planner import plan
from patchkit.core.workspace.root import Workspace
from patchkit.tools.undo import redo, undo

RENAME = envelope(update("a.txt", move_to="new/b.txt"))


@pytest.fixture
def root(place):
    path = os.path.join(place, "root")
    build(path, {"a.txt": File(b"one\n", 0o640), "sub/c.txt": File(b"three\n")})
    os.utime(f"{path}/a.txt", ns=(1, 1_500_000_000_123_456_789))
    return path


def identity(path):
    status = os.stat(path)
    return status.st_ino, status.st_mtime_ns, status.st_nlink


def test_a_renamed_file_is_the_same_file(root):
    before = identity(f"{root}/a.txt")

    recorded(RENAME, root)

    assert identity(f"{root}/new/b.txt") == before
    assert snapshot(root) == {"new/b.txt": File(b"one\n", 0o640), "sub/c.txt": File(b"three\n")}


def test_undoing_and_redoing_a_rename_keeps_it_the_same_file(root):
    before = identity(f"{root}/a.txt")
    recorded(RENAME, root)

    do(undo, root)
    assert (identity(f"{root}/a.txt"), sorted(os.listdir(root))) == (before, ["a.txt", "sub"])
    do(redo, root)
    assert identity(f"{root}/new/b.txt") == before


def test_a_large_file_is_renamed_and_brought_back_unread(root, monkeypatch):
    monkeypatch.setattr(contents, "MOST_HASHED", 3)
    before = identity(f"{root}/a.txt")
    run = attempt(through_library(root, RENAME), here=True)
    back = attempt(lambda: (0, do(undo, root).verb))

    assert (run.status, back.status, identity(f"{root}/a.txt")) == (0, 0, before)
    assert "read" not in run.calls


def test_a_large_renamed_file_that_was_changed_since_is_not_restored(root, monkeypatch):
    monkeypatch.setattr(contents, "MOST_HASHED", 3)
    recorded(RENAME, root)
    with open(f"{root}/new/b.txt", "ab") as file:
        file.write(b"more\n")

    assert outcome(do, undo, root).code == "P323"


def test_a_rename_that_is_shown_includes_the_content_of_the_file(root, monkeypatch):
    monkeypatch.setattr(contents, "MOST_HASHED", 3)
    with Workspace(root) as files:
        made = plan(patchkit.parse(RENAME), files)
        made.commit()
        [change] = [each for each in made.effective if each.after is not None]

        assert b"".join(change.after) == b"one\n"  # read only now, when it has its new name


def test_renaming_back_and_forth_in_one_patch_changes_nothing(root):
    before = identity(f"{root}/a.txt")
    recorded(envelope(update("a.txt", move_to="b.txt"), update("b.txt", move_to="a.txt")), root)

    assert identity(f"{root}/a.txt") == before


def test_a_name_can_be_used_again_in_the_patch_that_moves_its_file_away(root):
    before = identity(f"{root}/a.txt")
    recorded(envelope(update("a.txt", move_to="b.txt"), add("a.txt", "new\n")), root)

    assert identity(f"{root}/b.txt") == before
    assert snapshot(root) == {
        "a.txt": File(b"new\n", 0o640),
        "b.txt": File(b"one\n", 0o640),
        "sub/c.txt": File(b"three\n"),
    }


def test_a_rename_over_a_file_takes_its_place(root):
    recorded(envelope(update("a.txt", move_to="sub/c.txt")), root, overwrite=True)

    assert snapshot(root) == {"sub/c.txt": File(b"one\n", 0o640)}


def test_a_rename_over_another_link_to_the_same_file_leaves_one_name(root):
    os.link(f"{root}/a.txt", f"{root}/b.txt")
    recorded(envelope(update("a.txt", move_to="b.txt")), root, overwrite=True)

    assert snapshot(root) == {"b.txt": File(b"one\n", 0o640), "sub/c.txt": File(b"three\n")}


@pytest.mark.parametrize("code", [errno.EPERM, errno.EXDEV, errno.EMLINK, errno.EOPNOTSUPP])
def test_a_rename_copies_where_the_file_system_has_no_hard_links(root, code):
    run = attempt(through_library(root, RENAME), Fault(1, code=code, stays=True, only={"link"}))

    assert run.status == 0
    assert snapshot(root) == {"new/b.txt": File(b"one\n", 0o640), "sub/c.txt": File(b"three\n")}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_file_that_may_not_be_read_can_be_renamed(root):
    os.chown(root, 65534, 65534)
    os.chown(f"{root}/a.txt", 65534, 65534)
    os.chmod(f"{root}/a.txt", 0)

    assert attempt(as_nobody(through_library(root, RENAME))).status == 0
    assert snapshot(root) == {"new/b.txt": File(b"one\n", 0), "sub/c.txt": File(b"three\n")}


def test_a_file_replaced_while_its_rename_is_under_way_is_left_alone(root):
    """Whatever call the other program comes before: its file has one of the names, or the rename was over."""

    def replace():
        with open(f"{root}/other", "w") as file:
            file.write("other\n")
        if os.path.exists(f"{root}/a.txt"):
            os.rename(f"{root}/other", f"{root}/a.txt")

    def renamed(fault):
        build(root, {"a.txt": File(b"one\n")})
        run = attempt(through_library(root, RENAME), fault)
        if not run.struck:
            return None
        contents = {what.data for name, what in snapshot(root).items() if name in ("a.txt", "new/b.txt", "other")}

        assert b"other\n" in contents, run
        assert (run.status == 0) == os.path.exists(f"{root}/new/b.txt"), run
        return run

    assert every(lambda at: Fault(at, action=replace), renamed)


# -- many directories and modes at once ------------------------------------------------------------


def test_more_directories_than_handles_are_changed_at_once(root):
    """Old and new directories in turn, so that handles come and go between two that are needed together."""
    old = {f"old{number}/{'d/' * (number % 70)}x": File(b"one\n") for number in range(150)}
    build(root, old)
    moves = [update(name, move_to=f"new{index % 130}/{'e/' * (index % 60)}{index}") for index, name in enumerate(old)]
    recorded(envelope(*moves), root)

    assert snapshot(root) == {
        **{f"new{index % 130}/{'e/' * (index % 60)}{index}": File(b"one\n") for index in range(150)},
        **{os.path.dirname(name): "directory" for name in old},
    }


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids=oct)
@pytest.mark.parametrize("pieces", [1, workspace._MOST_PIECES + 1])
def test_files_of_one_directory_keep_each_its_own_mode(root, umask, pieces):
    modes = [0o644, 0o600, 0o755, 0o644, 0o4755, 0o666, 0o444, 0o2711, 0o644, 0o000, 0o640]
    text = "".join(f"{number}\nkeep {number}\n" for number in range(pieces))
    build(root, {f"f{index}": File(text.encode(), mode) for index, mode in enumerate(modes)})
    changes = [(str(number), f"new {number}") for number in range(pieces)]
    os.umask(umask)
    recorded(envelope(*(update(f"f{index}", *changes) for index in range(len(modes)))), root)

    new = "".join(f"new {number}\nkeep {number}\n" for number in range(pieces)).encode()
    assert snapshot(root) == {f"f{index}": File(new, mode) for index, mode in enumerate(modes)}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_files_of_one_directory_keep_each_its_own_owner(root):
    owners = [(0, 0), (1, 1), (0, 0), (2, 0), (1, 1), (0, 3), (0, 0)]
    build(root, {f"f{index}": File(b"one\n", 0o4755) for index in range(len(owners))})
    for index, owner in enumerate(owners):
        os.chown(f"{root}/f{index}", *owner)
        os.chmod(f"{root}/f{index}", 0o4755)
    recorded(envelope(*(update(f"f{index}", ("one", "two")) for index in range(len(owners)))), root)

    found = [os.stat(f"{root}/f{index}") for index in range(len(owners))]
    assert [(each.st_uid, each.st_gid) for each in found] == owners
    assert {oct(each.st_mode) for each in found} == {"0o104755"}


def test_a_file_that_replaced_one_to_be_deleted_is_put_back(root):
    """Deleting is a rename to a name of ours, so that a run that fails later can put back what it took."""
    patch = envelope(delete("a.txt"), update("sub/c.txt", ("three", "3")))
    run = attempt(through_library(root, patch), Fault(2, code=errno.EIO, stays=True, only={"rename"}))

    assert run.status == 1
    assert snapshot(root) == {"a.txt": File(b"one\n", 0o640), "sub/c.txt": File(b"three\n")}
