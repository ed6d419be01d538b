"""Write: a whole file, with its directories, atomically, its mode kept."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest


def codes(result):
    return [each["code"] for each in [*result.errors, *result.notes]]


def test_a_new_file_comes_with_its_directories_and_is_confirmed_without_its_content(root, use):
    path = str(root / "new" / "deep" / "a.txt")

    result = use("Write", file_path=path, content="secret\n")

    assert result.text == f"Updated file {path}"
    assert Path(path).read_text() == "secret\n"
    assert result.data == {
        "ok": True,
        "path": path,
        "bytes": 7,
        "sha256": hashlib.sha256(b"secret\n").hexdigest(),
        "file_mtime_ms": os.stat(path).st_mtime_ns // 1_000_000,
        "created": True,
        "changed": True,
    }


def test_a_file_that_was_read_is_replaced_and_keeps_its_mode(file, use):
    path = file("run.sh", "old\n")
    os.chmod(path, 0o750)

    result = use("write_file", path=path, content="neu: ä\n")

    assert (Path(path).read_text(), os.stat(path).st_mode & 0o777) == ("neu: ä\n", 0o750)
    assert (result.data["bytes"], result.data["created"], result.notes) == (8, False, [])


def test_a_file_that_was_not_read_is_not_replaced(file, use):
    path = file("a.txt", "old\n", read=False)

    refused = use("Write", file_path=path, content="new\n")

    assert refused.text.split("\n")[0] == "File has not been read yet. Read it first before writing to it."
    assert (codes(refused), Path(path).read_text()) == (["P611"], "old\n")


def test_a_person_can_insist(file, use):
    path = file("a.txt", "old\n", read=False)

    assert use("Write", file_path=path, content="new\n", force=True).status == "success"
    assert Path(path).read_text() == "new\n"


def test_what_was_written_counts_as_seen(use):
    use("Write", file_path="a.txt", content="a\n")

    assert use("Write", file_path="a.txt", content="b\n").status == "success"
    assert use("Edit", file_path="a.txt", old_string="b", new_string="c").status == "success"


def test_the_content_that_is_there_already_is_not_written_again(file, use):
    path = file("a.txt", "same\n")
    before = os.stat(path)

    result = use("Write", file_path=path, content="same\n")

    assert (result.status, result.data["changed"]) == ("success", False)
    assert os.stat(path).st_ino == before.st_ino


def test_a_file_keeps_its_byte_order_mark_and_its_line_endings(file, use):
    path = file("a.txt", b"\xef\xbb\xbfa\r\nb\r\n")

    result = use("Write", file_path=path, content="a\nc\n")

    assert (Path(path).read_bytes(), result.notes) == (b"\xef\xbb\xbfa\r\nc\r\n", [])


def test_content_with_other_line_endings_than_the_file_has_is_written_with_a_note(file, use):
    path = file("a.txt", b"a\nb\n")

    result = use("Write", file_path=path, content="a\r\nb\r\n")

    assert Path(path).read_bytes() == b"a\r\nb\r\n"
    assert [note["message"] for note in result.notes] == [
        f"'{path}' was UTF-8 with LF line ends and is now UTF-8 with CRLF line ends"
    ]


def test_an_empty_content_is_a_content(file, use):
    path = file("a.txt", "a\n")

    assert use("Write", file_path=path, content="").status == "success"
    assert Path(path).read_bytes() == b""


def test_a_placeholder_in_place_of_code_is_refused(file, use):
    path = file("a.py", "def f():\n    return 1\n")

    assert codes(use("Write", file_path=path, content="def g(): ...\n# ... existing code ...\n")) == ["P626"]
    assert Path(path).read_text() == "def f():\n    return 1\n"


def test_a_placeholder_that_the_file_has_already_may_be_written(file, use):
    path = file("a.py", "# ... existing code ...\n")

    assert codes(use("Write", file_path=path, content="x = 1\n# ... existing code ...\n")) == []


def test_nothing_is_written_below_a_file(file, use):
    file("a.txt", "a\n")

    refused = use("Write", file_path="a.txt/b", content="x")

    assert (codes(refused), refused.text.split("\n")[0]) == (
        ["P310"],
        "<tool_use_error>File does not exist.</tool_use_error>",
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_may_not_be_written_is_an_answer(root, use):
    (root / "locked").mkdir(mode=0o500)

    assert codes(use("Write", file_path="locked/a.txt", content="x")) == ["P402"]


def test_a_write_can_be_undone(root, file, use):
    from patchkit.core.workspace.root import Workspace
    from patchkit.tools.undo import undo

    path = file("a.txt", "old content\nof two lines\n")
    use("Write", file_path=path, content="something else\n")

    with Workspace(str(root)) as files:
        undo(files)
    assert Path(path).read_text() == "old content\nof two lines\n"
