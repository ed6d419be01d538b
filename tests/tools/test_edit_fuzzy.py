"""Edits whose old text is not there to the letter: one place or none, its bytes kept, the level told."""

from __future__ import annotations

from pathlib import Path

import pytest

CODE = "def f(user):\n        if user == nil {\n            return err\n        }\n    return 1\n"


def codes(result):
    return [each["code"] for each in [*result.errors, *result.notes]]


def test_an_edit_is_exact_unless_it_is_asked_to_forgive(file, use):
    path = file("a.py", CODE)

    refused = use("Edit", file_path=path, old_string="if user == nil {\nreturn err\n}", new_string="x")

    assert codes(refused) == ["P621"]


def test_text_without_its_indentation_finds_its_place_and_comes_in_indented(file, use):
    path = file("a.py", CODE)

    result = use(
        "Edit",
        file_path=path,
        old_string="if user == nil {\n    return err\n}",
        new_string="if user == nil {\n    log(err)\n    return err\n}",
        fuzzy=True,
    )

    assert Path(path).read_text() == CODE.replace("            return", "            log(err)\n            return")
    assert result.data["pass"] == "surrounding-space"
    assert [note["message"] for note in result.notes] == [
        f"old_string matched '{path}' at line 3 ignoring leading and trailing whitespace"
    ]


@pytest.mark.parametrize(
    ("content", "old", "new", "after", "level"),
    [
        ("a  \nb\n", "a\nb", "a\nc", "a  \nc\n", "trailing-space"),
        ("    a\n    b\n", "a\nb\n", "a\nc\n", "    a\n    c\n", "surrounding-space"),
        ("\ta\n\tb\n", "  a\n  b", "  a\n  c", "\ta\n\tc\n", "surrounding-space"),
        ("say “hi”\nb\n", 'say "hi"\nb', "x\ny", "x\ny\n", "typography"),
        ("x = 1\ny = 2\n", "\n\nx = 1\ny = 2\n\n", "\n\nx = 1\ny = 3\n\n", "x = 1\ny = 3\n", "exact"),
        (
            "x = 1\ny = 2\n",
            "     1→x = 1\n     2→y = 2",
            "     1→x = 1\n     2→y = 3",
            "x = 1\ny = 3\n",
            "line-numbers",
        ),
        ("call(a, b) + 1\n", "  call(a, b)  ", "  call(b)  ", "call(b) + 1\n", "outer-space"),
        ("  a\r\n  b\r\n", "a\nb", "a\nc\nd", "  a\r\n  c\r\n  d\r\n", "surrounding-space"),
    ],
)
def test_each_level_forgives_what_it_is_named_after(file, use, content, old, new, after, level):
    path = file("a.txt", content.encode())

    result = use("Edit", file_path=path, old_string=old, new_string=new, fuzzy=True)

    assert (Path(path).read_bytes(), result.data.get("pass")) == (after.encode(), level)


def test_exact_text_needs_nothing_forgiven(file, use):
    path = file("a.txt", "a\n a\n")

    result = use("Edit", file_path=path, old_string=" a", new_string="b", fuzzy=True)

    assert (result.data["pass"], result.notes, Path(path).read_text()) == ("exact", [], "a\nb\n")


def test_two_places_are_refused_and_listed(file, use):
    path = file("a.txt", "  a\n  b\nx\n    a\n    b\n")

    refused = use("Edit", file_path=path, old_string="a \nb ", new_string="c", fuzzy=True)

    assert refused.text.startswith("<tool_use_error>Found 2 matches of the string to replace")
    assert refused.errors[0]["message"] == f"old_string matches 2 places in '{path}' (lines 1, 4)"


@pytest.mark.parametrize("old", ["  return x ", " turn xyz\n", "nowhere"])
def test_a_text_that_ends_inside_a_word_is_not_there(file, use, old):
    path = file("a.txt", "    return xyz\n")

    assert codes(use("Edit", file_path=path, old_string=old, new_string="z", fuzzy=True)) == ["P621"]


def test_an_edit_that_changes_nothing_is_refused(file, use):
    path = file("a.txt", "    a\n")

    assert codes(use("Edit", file_path=path, old_string="a ", new_string="a", fuzzy=True)) == ["P620"]


def test_the_environment_can_ask_for_callers_that_send_only_the_verbatim_fields(file, use, monkeypatch):
    path = file("a.txt", "    a\n    b\n")
    monkeypatch.setenv("PATCHKIT_EDIT_FUZZY", "1")

    assert use("Edit", file_path=path, old_string="a\nb\n", new_string="a\nc\n").status == "success"
    assert Path(path).read_text() == "    a\n    c\n"
    monkeypatch.setenv("PATCHKIT_EDIT_FUZZY", "0")
    assert codes(use("Edit", file_path=path, old_string="a\nc\n", new_string="a\nd\n")) == ["P621"]


def test_replace_all_forgives_at_one_place_only(file, use):
    path = file("a.txt", "  a\n  b\n")

    assert (
        use("Edit", file_path=path, old_string="a\nb", new_string="c", fuzzy=True, replace_all=True).status == "success"
    )


def test_what_is_forgiven_can_be_undone(root, file, use):
    from patchkit.tools.undo import undo
    from patchkit.workspace.root import Workspace

    path = file("a.txt", "  a\n  b")
    use("Edit", file_path=path, old_string="a\nb\n", new_string="a\nc\nd", fuzzy=True)
    assert Path(path).read_text() == "  a\n  c\n  d"

    with Workspace(str(root)) as files:
        undo(files)
    assert Path(path).read_text() == "  a\n  b"
