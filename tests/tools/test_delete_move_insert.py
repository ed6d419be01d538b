"""Delete, Move and Insert: one transaction each, under the rules, taken back by undo."""

from __future__ import annotations

import os

import pytest

import patchkit
from patchkit.history import tracked_workspace
from patchkit.history.reading import runs
from patchkit.tools.calling import Caller, call
from patchkit.tools.undo import redo


@pytest.fixture
def tree(root):
    for name in ("d/a", "d/e/b", "d/.hidden"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (root / "d" / "empty").mkdir()
    for name, mode in (("d", 0o700), ("d/e", 0o775), ("d/empty", 0o750)):
        (root / name).chmod(mode)
    return root / "d"


def contents(root):
    """Every file with its bytes, and every directory with its mode."""
    found = {path: path.read_bytes() if path.is_file() else path.stat().st_mode for path in sorted(root.rglob("*"))}
    return {str(path.relative_to(root)): each for path, each in found.items()}


# -- Delete --------------------------------------------------------------------------------------


def test_a_file_is_deleted_and_comes_back_by_undo(root, use):
    (root / "a").write_bytes(b"\xff\0bytes")
    result = use("Delete", file_path="a")

    assert (result.status, result.text, list(root.iterdir())) == ("success", "Deleted a", [])
    patchkit.undo(root)
    assert (root / "a").read_bytes() == b"\xff\0bytes"


def test_a_directory_is_deleted_only_on_request_and_comes_back_by_undo(root, tree, use):
    before = contents(root)
    refused = use("Delete", file_path="d")
    assert (refused.errors[0]["code"], contents(root)) == ("P305", before)
    assert "with '--recursive'" in refused.errors[0]["hint"]

    result = use("Delete", file_path="d", recursive=True)

    assert (result.text, list(root.iterdir())) == ("Deleted directory d with 3 files", [])
    assert result.data["files"] == ["d/.hidden", "d/a", "d/e/b"]
    for _ in range(2):
        patchkit.undo(root)
        assert contents(root) == before
        with tracked_workspace(root) as files:
            redo(files)
        assert contents(root) == {}


@pytest.mark.parametrize("path", [".", "/", "d/..", ""])
def test_the_workspace_itself_is_not_deleted(root, tree, use, path):
    before = contents(root)

    assert use("Delete", file_path=str(root) if path == "/" else path, recursive=True).status == "error"
    assert contents(root) == before


def test_a_link_is_deleted_and_not_what_it_leads_to(root, tree, use):
    (root / "link").symlink_to("d")

    assert use("Delete", file_path="link").status == "success"
    assert tree.exists()
    assert not os.path.lexists(root / "link")


@pytest.mark.parametrize(("path", "code"), [("gone", "P302"), ("../x", "P301"), (".git", "P305")])
def test_what_cannot_be_deleted_is_refused(root, use, path, code):
    (root / ".git").mkdir()

    assert use("Delete", file_path=path).errors[0]["code"] == code


def test_the_insides_of_version_control_stay(root, use):
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("x")

    assert use("Delete", file_path=".git", recursive=True).status == "error"
    assert (root / ".git" / "HEAD").exists()


def test_rules_decide_about_every_file_of_a_directory(root, tree, use):
    (root / ".patchkit.toml").write_text('[permissions.write]\n"d/e/**" = "deny"\n"**" = "allow"\n')

    result = use("Delete", file_path="d", recursive=True)

    assert (result.errors[0]["code"], (tree / "a").exists()) == ("P651", True)


# -- Move ----------------------------------------------------------------------------------------


def test_a_file_is_moved_with_its_bytes_and_mode(root, use):
    (root / "a").write_bytes(b"\xff\r\nx")
    (root / "a").chmod(0o750)
    result = use("Move", file_path="a", new_path="new/b")

    assert (result.text, contents(root / "new")) == ("Moved a to new/b", {"b": b"\xff\r\nx"})
    assert (root / "new" / "b").stat().st_mode & 0o777 == 0o750
    patchkit.undo(root)
    assert contents(root) == {"a": b"\xff\r\nx"}


def test_a_directory_is_moved_with_all_directories_in_it_and_their_modes_and_back(root, tree, use):
    before, whole, mode = contents(root), contents(tree), tree.stat().st_mode
    result = use("Move", file_path="d", new_path="n/m")

    assert result.status == "success"
    for _ in range(2):
        assert (contents(root / "n/m"), (root / "n/m").stat().st_mode, tree.exists()) == (whole, mode, False)
        patchkit.undo(root)
        assert contents(root) == before
        with tracked_workspace(root) as files:
            redo(files)


def test_a_forged_record_makes_no_directory_outside(root, tree, use):
    use("Delete", file_path="d", recursive=True)
    [run] = runs(str(root))
    run.remarks = ["had=511 ../x", "had=511 d/../../x", "had=x y", "had=448 d"]

    assert run.directories("had") == {("d",): 448}


def test_nothing_is_replaced_unless_asked(root, tree, use):
    (root / "a").write_text("x")
    (root / "b").write_text("y")

    assert use("Move", file_path="a", new_path="b").errors[0]["code"] == "P304"
    directory = use("Move", file_path="d", new_path="b", overwrite=True).errors[0]
    assert (directory["code"], "overwrite" in directory["hint"]) == ("P304", False), "it would not help"
    assert use("Move", file_path="a", new_path="b", overwrite=True).status == "success"
    assert (root / "b").read_text() == "x"


@pytest.mark.parametrize("goal", ["d/e/d", "d", "d/x", "../out"])
def test_a_directory_does_not_go_into_itself_or_outside(root, tree, use, goal):
    before = contents(root)

    assert use("Move", file_path="d", new_path=goal).status == "error"
    assert contents(root) == before


def test_a_file_that_was_read_stays_read_under_its_new_name(root, file, use):
    file("a", "one\n")
    use("Move", file_path="a", new_path="b")

    assert use("Edit", file_path="b", old_string="one", new_string="two").status == "success"


# -- Insert --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "line", "text", "after"),
    [
        (b"a\nb\n", 0, "x", b"x\na\nb\n"),
        (b"a\nb\n", 1, "x\ny\n", b"a\nx\ny\nb\n"),
        (b"a\nb\n", 2, "x\n", b"a\nb\nx\n"),
        (b"a\nb", 2, "x\n", b"a\nb\nx"),
        (b"a\nb", 1, "x", b"a\nx\nb"),
        (b"a\r\nb\r\n", 1, "x\ny", b"a\r\nx\r\ny\r\nb\r\n"),
        (b"", 0, "x\n", b"x\n"),
        (b"a\n", 1, "\n\n", b"a\n\n\n"),
        (b"\xef\xbb\xbfa\n", 0, "x", b"\xef\xbb\xbfx\na\n"),
        (b"caf\xe9\n", 1, "x", b"caf\xe9\nx\n"),
    ],
)
def test_lines_go_after_the_line_and_take_its_ending(root, file, use, before, line, text, after):
    file("a", before)
    result = use("Insert", file_path="a", line=line, text=text)

    assert (result.status, (root / "a").read_bytes()) == ("success", after)


def test_a_line_behind_the_end_is_refused(root, file, use):
    file("a", "one\n")

    assert use("Insert", file_path="a", line=2, text="x").errors[0]["code"] == "P603"
    assert use("Insert", file_path="a", line=-1, text="x").errors[0]["code"] == "P603"
    assert use("Insert", file_path="gone", line=0, text="x").errors[0]["code"] == "P302"


def test_an_unread_file_is_not_changed_and_undo_takes_an_insert_back(root, file, use):
    path = file("a", "one\n", read=False)
    assert use("Insert", file_path=path, line=1, text="two").errors[0]["code"] == "P611"

    use("Read", file_path=path)
    assert "     2→two" in use("Insert", file_path=path, line=1, text="two").text
    patchkit.undo(root)
    assert (root / "a").read_text() == "one\n"


def test_calls_are_recorded_in_the_log(root, tree, tmp_path, monkeypatch):
    log = tmp_path / "log"
    monkeypatch.setenv("PATCHKIT_AUDIT", str(log))
    call("Delete", {"file_path": "d", "recursive": True}, Caller(str(root)))

    assert '"tool": "Delete"' in log.read_text()
    assert '"d/e/b"' in log.read_text()
