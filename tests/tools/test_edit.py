"""Edit: one text for another, in the words the founding document gives."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from patchkit.errors import PatchkitError
from patchkit.formats.edits import Text
from patchkit.tools.edit import execute, valid


def said(result):
    """What the tool owes its caller for an error, without what we add."""
    return result.text.split("\nerror[")[0]


def codes(result):
    return [each["code"] for each in [*result.errors, *result.notes]]


# -- what is done --------------------------------------------------------------------------------


def test_an_edit_shows_a_numbered_snippet_of_the_new_lines(file, use):
    path = file("test_edit_file.txt", "这是第一行\n这是第二行\n这是第三行\n已经修改的行\n这是第五行\n")

    result = use(
        *("Edit",), file_path=path, old_string="这是第二行\n这是第三行", new_string="这是新的第二行\n这是新的第三行"
    )

    assert result.text == (
        f"The file {path} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n"
        "     1→这是第一行\n     2→这是新的第二行\n     3→这是新的第三行\n     4→已经修改的行\n     5→这是第五行"
    )
    assert Path(path).read_text() == "这是第一行\n这是新的第二行\n这是新的第三行\n已经修改的行\n这是第五行\n"


def test_the_snippet_has_three_lines_of_context_and_no_removed_line(file, use):
    path = file("a.txt", "".join(f"{number}\n" for number in range(1, 21)))

    result = use("Edit", file_path=path, old_string="10\n11\n", new_string="ten\n")

    rows = [(7, "7"), (8, "8"), (9, "9"), (10, "ten"), (11, "12"), (12, "13"), (13, "14")]
    assert result.text.split("\n")[1:] == [f"{number:6}→{text}" for number, text in rows]


def test_the_diff_is_beside_the_text_in_the_data(file, use):
    path = file("a.txt", "".join(f"{number}\n" for number in range(1, 10)))

    data = use("Edit", file_path=path, old_string="5\n", new_string="five\nfive and a half\n").data

    assert data["ui_extra"] == (
        f"--- {path}\n+++ {path}\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+five and a half\n 6\n 7\n 8\n"
    )


def test_the_data_describes_the_file_as_it_is_now(file, use):
    path = file("a.txt", "a\nb\n")

    data = use("Edit", file_path=path, old_string="b", new_string="c").data

    assert {name: value for name, value in data.items() if name != "ui_extra"} == {
        "ok": True,
        "path": path,
        "bytes": 4,
        "sha256": hashlib.sha256(b"a\nc\n").hexdigest(),
        "file_mtime_ms": os.stat(path).st_mtime_ns // 1_000_000,
        "created": False,
        "replacements": 1,
        "line": 2,
        "pass": "exact",
    }


def test_replace_all_says_so(file, use):
    path = file("duplicate_content.txt", "重复行\n重复行\n不同的行\n重复行\n")

    result = use("Edit", file_path=path, old_string="重复行", new_string="修改后的行", replace_all=True)

    assert result.text == (
        f"The file {path} has been updated. All occurrences of '重复行' were successfully replaced with '修改后的行'."
    )
    assert (Path(path).read_text(), result.data["replacements"]) == (
        "修改后的行\n修改后的行\n不同的行\n修改后的行\n",
        3,
    )


def test_an_empty_old_string_creates_a_file_with_its_directories(root, use):
    path = str(root / "new" / "deep" / "test.txt")

    result = use("Edit", file_path=path, old_string="", new_string="a\r\nb")

    assert result.text == f"File created successfully at: {path}"
    assert (Path(path).read_bytes(), result.data["created"]) == (b"a\r\nb", True)


def test_a_replacement_is_literal(file, use):
    path = file("a.txt", "a.c abc\n")

    use("Edit", file_path=path, old_string="a.c", new_string=r"$& \1 {0} %s")

    assert Path(path).read_text() == "$& \\1 {0} %s abc\n"


def test_texts_with_braces_are_shown_as_they_are(file, use):
    path = file("a.txt", "a\n")

    assert said(use("Edit", file_path=path, old_string="{old} {count}", new_string="")) == (
        "<tool_use_error>String to replace not found in file.\nString: {old} {count}</tool_use_error>"
    )


def test_the_spellings_of_other_runtimes_are_taken(file, use):
    path = file("a.txt", "a\n")

    assert use("edit_file", path=path, old_text="a", new_text="b").status == "success"
    assert use("str_replace", path=path, old_str="b", new_str="c").status == "success"


# -- what is refused -----------------------------------------------------------------------------


def test_a_text_that_is_not_there_is_reported(file, use):
    path = file("a.txt", "a\n")

    refused = use("Edit", file_path=path, old_string="不存在的内容", new_string="x")

    assert said(refused) == (
        "<tool_use_error>String to replace not found in file.\nString: 不存在的内容</tool_use_error>"
    )
    assert (codes(refused), Path(path).read_text()) == (["P621"], "a\n")


def test_a_miss_shows_the_nearest_place_and_what_differs_there(file, use):
    path = file("app.py", "def backoff(retries):\n    retries += 1\n    return retries + 2\n")

    refused = use("Edit", file_path=path, old_string="    retries += 1\n    return retries + 1\n", new_string="x")

    assert refused.text.split("</tool_use_error>\n")[1] == (
        f"error[P621]: old_string not found in '{path}'\n"
        f" ::: {path}:3, closest place (1 of 2 lines agree)\n"
        "3 |     return retries + 2\n"
        "  |                      - the file has '2', old_string expects '1'\n"
        f" ::: {path}:2-3, corrected edit (likely)\n"
        "corrected old_string:\n"
        "    retries += 1\n"
        "    return retries + 2\n"
        "new_string: as sent\n"
        "  = help: send the edit again with these texts; nothing was written\n"
    )
    assert refused.errors[0]["line"] == 2
    assert refused.data["suggestion"] == {
        "file_path": path,
        "old_string": "    retries += 1\n    return retries + 2",
        "new_string": "x",
    }


def test_a_miss_by_whitespace_says_that_it_is_the_whitespace(file, use):
    path = file("app.py", "def f():\n    return 1\n")

    refused = use("Edit", file_path=path, old_string="def f():\n  return 1", new_string="x")

    assert "whitespace" in refused.text or "tabs and spaces differ" in refused.text


def test_equal_strings_are_refused(file, use):
    refused = use("Edit", file_path=file("a.txt", "a\n"), old_string="a", new_string="a")

    assert said(refused) == (
        "<tool_use_error>No changes to make: old_string and new_string are exactly the same.</tool_use_error>"
    )


def test_an_empty_old_string_does_not_replace_a_file(file, use):
    path = file("a.txt", "a\n", read=False)

    refused = use("Edit", file_path=path, old_string="", new_string="b")

    assert said(refused) == "<tool_use_error>Cannot create new file - file already exists.</tool_use_error>"
    assert Path(path).read_text() == "a\n"


def test_several_places_are_counted_and_their_lines_listed(file, use):
    path = file("a.txt", "重复行\n重复行\n不同的行\n重复行\n")

    refused = use("Edit", file_path=path, old_string="重复行", new_string="x")

    assert said(refused) == (
        "<tool_use_error>Found 3 matches of the string to replace, but replace_all is false. To replace all "
        "occurrences, set replace_all to true. To replace only one occurrence, please provide more context to "
        "uniquely identify the instance.\nString: 重复行</tool_use_error>"
    )
    assert refused.errors[0]["message"] == f"old_string matches 3 places in '{path}' (lines 1, 2, 4)"
    assert Path(path).read_text() == "重复行\n重复行\n不同的行\n重复行\n"


def test_places_that_overlap_are_two(file, use):
    refused = use("Edit", file_path=file("a.txt", "aaa\n"), old_string="aa", new_string="b")

    assert said(refused).startswith("<tool_use_error>Found 2 matches of the string")


def test_a_missing_file_is_reported_before_anything_about_reading_it(use):
    refused = use("Edit", file_path="none.txt", old_string="a", new_string="b")

    assert said(refused) == "<tool_use_error>File does not exist.</tool_use_error>"


@pytest.mark.parametrize(
    ("name", "verb", "more"),
    [
        ("Edit", "edit", {"old_string": "a", "new_string": "b"}),
        ("Edit", "edit", {"old_string": "", "new_string": "b"}),
        ("MultiEdit", "multi_edit", {"edits": [{"old_string": "a", "new_string": "b"}]}),
        ("Write", "write", {"content": "a"}),
    ],
)
def test_a_directory_is_refused_in_the_verbatim_words(root, use, name, verb, more):
    assert said(use(name, file_path=str(root), **more)) == (
        f"<tool_use_error>Illegal operation on a directory. {verb}</tool_use_error>"
    )


@pytest.mark.parametrize("path", [".git/config", "sub/.hg/x", ".patchkit/tracker/workspace"])
def test_the_insides_of_version_control_are_not_for_edits(root, use, path):
    refused = use("Edit", file_path=path, old_string="", new_string="x")

    assert (codes(refused), list(root.iterdir())) == (["P610"], [])


def test_a_new_file_never_goes_through_a_link(root, use):
    (root / "link").symlink_to("target")

    assert codes(use("Edit", file_path="link", old_string="", new_string="x")) == ["P308"]


def test_a_link_inside_leads_to_the_file_and_stays_a_link(root, file, use):
    file("a.txt", "a\n")
    (root / "link").symlink_to("a.txt")

    assert use("Edit", file_path="link", old_string="a", new_string="b").status == "success"
    assert ((root / "a.txt").read_text(), os.readlink(root / "link")) == ("b\n", "a.txt")


@pytest.mark.parametrize("new", ["\ud800", "a\udfffb"])
def test_half_a_character_cannot_be_written(file, use, new):
    path = file("a.txt", "a\n")

    assert codes(use("Edit", file_path=path, old_string="a", new_string=new)) == ["P624"]
    assert codes(use("Edit", file_path="b.txt", old_string="", new_string=new)) == ["P624"]
    assert codes(use("Write", file_path="b.txt", content=new)) == ["P624"]
    assert codes(use("Edit", file_path=path, old_string=new, new_string="b")) == ["P621"]


# -- notes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        *["// ... rest of code", "# ... existing code ...", "<!-- rest of the file -->", "// ... same as before ..."],
        *["# … unchanged …", "-- ... (remaining columns)", "... existing code ...", "[... rest of file unchanged ...]"],
        "{/* ... existing JSX ... */}",
    ],
)
def test_a_placeholder_where_the_old_text_has_none_is_refused(file, use, line):
    path = file("a.py", "old\n")

    refused = use("Edit", file_path=path, old_string="old", new_string=f"new\n{line}\n")

    assert [(error["code"], line in error["message"]) for error in refused.errors] == [("P626", True)]
    assert Path(path).read_text() == "old\n"


def test_a_placeholder_that_is_meant_as_it_is_can_be_written(file, use):
    path = file("a.md", "old\n")

    result = use(
        "Edit", file_path=path, old_string="old", new_string="// ... existing code ...", allow_placeholder=True
    )

    assert (result.status, codes(result)) == ("success", ["P957"])


@pytest.mark.parametrize("line", ["    // ...", "/* ... */", "// ... methods here"])
def test_a_line_that_may_be_a_placeholder_is_noted(file, use, line):
    path = file("a.py", "old\n")

    result = use("Edit", file_path=path, old_string="old", new_string=f"new\n{line}\n")

    assert [(note["code"], line.strip() in note["message"]) for note in result.notes] == [("P957", True)]
    assert result.status == "success"


@pytest.mark.parametrize(
    "line",
    [
        *["...", "    ...", "return x  # ... and so on", "print('...')", "# the rest is silence", "x = [...]"],
        *[
            "// wait for the rest of the pack to arrive before going on with it all",
            "# see other methods",
            "def f(*args):",
        ],
    ],
)
def test_an_ordinary_line_is_not_a_placeholder(file, use, line):
    path = file("a.py", "old\n")

    assert use("Edit", file_path=path, old_string="old", new_string=f"new\n{line}\n").notes == []


def test_a_placeholder_that_was_there_before_is_not_noted(file, use):
    path = file("a.py", "# ... existing code ...\n")

    result = use(
        *("Edit",), file_path=path, old_string="# ... existing code ...", new_string="x = 1\n# ... existing code ..."
    )

    assert result.notes == []


def test_a_file_with_several_names_is_replaced_and_the_note_says_so(root, file, use):
    path = file("a.txt", "a\n")
    os.link(path, root / "other.txt")

    assert codes(use("Edit", file_path=path, old_string="a", new_string="b")) == ["P932"]


def test_the_refusal_of_a_text_in_an_empty_file_says_that_it_is_empty(file, use):
    path = file("a.txt", b"")
    edit = use("Edit", file_path=path, old_string="x", new_string="y")
    patch = use("apply_patch", input="*** Begin Patch\n*** Update File: a.txt\n@@\n-x one\n-x two\n+y\n*** End Patch\n")

    assert edit.errors[0]["hint"] == f"write the whole file: {path} is empty; nothing was written"
    assert patch.errors[0]["hint"] == "send only lines to add: a.txt is empty; nothing was written"


# -- the two functions ---------------------------------------------------------------------------


def test_validation_and_execution_are_functions_of_their_own():
    assert valid("a b", "a", "c") is None
    assert b"".join(execute("a b", "a", "c").pieces) == b"c b"
    assert [
        valid("a a", "a", "b").code,
        valid("a", "b", "c").code,
        valid("a", "b", "b").code,
        valid("a", "", "b").code,
    ] == [*["P622", "P621", "P620", "P623"]]
    assert valid("a a", "a", "b", replace_all=True) is None
    with pytest.raises(PatchkitError):
        execute("a a", "a", "b")


def test_a_text_that_was_searched_is_not_searched_again(monkeypatch):
    text = Text("a b")
    assert valid(text, "a", "c") is None
    monkeypatch.setattr(Text, "_search", None)

    assert b"".join(execute(text, "a", "c").pieces) == b"c b"


def test_very_many_places_are_replaced_without_remembering_each():
    edited = execute(b"ab\r\n" * 20_001, "a", "x\ny", replace_all=True)

    assert b"".join(edited.pieces) == b"x\r\nyb\r\n" * 20_001
    assert (edited.count, len(edited.changes)) == (20_001, 10_000)
    mixed = execute(b"ab\r\nab\n" * 10_001, "a", "x\ny", replace_all=True)
    assert b"".join(mixed.pieces).count(b"x") == mixed.count == 20_002


# -- history -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"a\nold\nz\n", b"old", b"\xef\xbb\xbfold\r\n", "old\nä\n".encode("utf-16"), b"\xff old \x00"]
)
def test_an_edit_can_be_undone_and_redone_to_the_byte(root, file, use, content):
    from patchkit.core.workspace.root import Workspace
    from patchkit.tools.undo import redo, undo

    path = file("a.txt", content, read=False)
    assert use("Edit", file_path=path, old_string="old", new_string="new\nlines", force=True).status == "success"
    after = Path(path).read_bytes()

    with Workspace(str(root)) as files:
        undo(files)
        assert Path(path).read_bytes() == content
        redo(files)
    assert Path(path).read_bytes() == after


def test_undoing_what_an_edit_created_removes_it(root, use):
    from patchkit.core.workspace.root import Workspace
    from patchkit.tools.undo import undo

    use("Edit", file_path="new/a.txt", old_string="", new_string="a\n")

    with Workspace(str(root)) as files:
        undo(files)
    assert list(root.iterdir()) == []
