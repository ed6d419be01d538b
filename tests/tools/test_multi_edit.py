"""MultiEdit: in order, each on the result of the one before, all or nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.tools import multi_edit
from patchkit.tools.calling import Caller, call


def edit(old, new, **more):
    return {"old_string": old, "new_string": new, **more}


def codes(result):
    return [each["code"] for each in [*result.errors, *result.notes]]


def test_edits_are_listed_one_by_one(file, use):
    path = file("multiedit_test.txt", "第一行：需要修改\n第二行：也要修改\n第三行\n第四行：同样需要修改\n")
    edits = [
        edit("第一行：需要修改", "第一行：已修改"),
        edit("第二行：也要修改", "第二行：已修改"),
        edit("第四行：同样需要修改", "第四行：已修改"),
    ]

    result = use("MultiEdit", file_path=path, edits=edits)

    assert result.text == (
        f"Applied 3 edits to {path}:\n"
        '1. Replaced "第一行：需要修改" with "第一行：已修改"\n'
        '2. Replaced "第二行：也要修改" with "第二行：已修改"\n'
        '3. Replaced "第四行：同样需要修改" with "第四行：已修改"'
    )
    assert Path(path).read_text() == "第一行：已修改\n第二行：已修改\n第三行\n第四行：已修改\n"


def test_each_edit_works_on_the_result_of_the_one_before(file, use):
    path = file("a.txt", "a\n")

    result = use("multi_edit", path=path, edits=[edit("a", "b"), edit("b", "c c"), edit("c", "d", replace_all=True)])

    assert Path(path).read_text() == "d d\n"
    assert result.data["edits"] == [
        {"edit": 1, "replacements": 1, "pass": "exact"},
        {"edit": 2, "replacements": 1, "pass": "exact"},
        {"edit": 3, "replacements": 2, "pass": "exact"},
    ]
    assert result.data["ui_extra"] == f"--- {path}\n+++ {path}\n@@ -1 +1 @@\n-a\n+d d\n"


@pytest.mark.parametrize(
    ("wrong", "said", "code"),
    [
        (
            edit("none", "x"),
            "<tool_use_error>String to replace not found in file.\nString: none</tool_use_error>",
            "P621",
        ),
        (edit("", "b"), "<tool_use_error>Cannot create new file - file already exists.</tool_use_error>", "P623"),
        (edit("b", "x"), "<tool_use_error>Found 2 matches of the string to replace, but replace_all is false.", "P622"),
    ],
)
def test_one_wrong_edit_and_nothing_is_written(file, use, wrong, said, code):
    path = file("a.txt", "a b b\n")

    refused = use("MultiEdit", file_path=path, edits=[edit("a", "x"), wrong, edit("x", "y")])

    assert refused.text.startswith(said)
    assert (codes(refused), Path(path).read_text()) == ([code], "a b b\n")
    assert "of edit 2" in refused.errors[0]["message"] or code == "P623"


def test_an_edit_that_changes_nothing_is_a_note_beside_others_and_an_error_alone(file, use):
    path = file("a.txt", "a b\n")

    refused = use("MultiEdit", file_path=path, edits=[edit("a", "a"), edit("b", "b")])
    done = use("MultiEdit", file_path=path, edits=[edit("a", "x"), edit("b", "b"), edit("none", "none")])

    assert (codes(refused), refused.text.split("\n")[0]) == (
        ["P620"],
        "<tool_use_error>No changes to make: old_string and new_string are exactly the same.</tool_use_error>",
    )
    assert [note["message"] for note in done.notes] == [
        f"skipped, because it changes nothing in '{path}': edit 2",
        f"skipped, because it changes nothing and '{path}' does not have its text: edit 3",
    ]
    assert Path(path).read_text() == "x b\n"
    assert done.text.split("\n")[0] == f"Applied 1 edit to {path}:"


def test_numbers_of_a_listing_are_not_written(file, use):
    path = file("a.txt", "one\ntwo\n")
    listed = "     1\u2192eins\n     2\u2192zwei"

    for tool, fields in (("Edit", edit("one\ntwo", listed)), ("Write", {"content": listed + "\n"})):
        assert codes(use(tool, file_path=path, **fields)) == ["P626"]
        assert Path(path).read_text() == "one\ntwo\n"
    assert use("Edit", file_path=path, **edit("one\ntwo", listed), allow_placeholder=True).status == "success"


def test_the_first_edit_may_create_the_file(root, use):
    path = str(root / "new" / "a.txt")

    result = use("MultiEdit", file_path=path, edits=[edit("", "a\nb\n"), edit("b", "c")])

    assert (Path(path).read_text(), result.data["created"]) == ("a\nc\n", True)
    assert result.text.split("\n")[:2] == [f"Applied 2 edits to {path}:", '1. Replaced "" with "a']


def test_an_empty_first_edit_does_not_replace_a_file(file, use):
    path = file("a.txt", "a\n", read=False)

    refused = use("MultiEdit", file_path=path, edits=[edit("", "b")])

    assert refused.text.startswith("<tool_use_error>Cannot create new file - file already exists.</tool_use_error>")


def test_a_file_must_be_there_for_edits_that_do_not_create_it(use):
    assert codes(use("MultiEdit", file_path="none.txt", edits=[edit("a", "b")])) == ["P302"]


@pytest.mark.parametrize("edits", [[], "a", [{}], [{"old_string": "a"}], None])
def test_edits_that_are_none_are_refused(file, use, edits):
    assert codes(use("MultiEdit", file_path=file("a.txt", "a\n"), edits=edits))[0] in ("P603", "P605", "P606")


def test_edits_that_come_to_nothing_leave_the_file_untouched(file, use):
    path = file("a.txt", "a\n")
    before = os.stat(path)

    result = use("MultiEdit", file_path=path, edits=[edit("a", "b"), edit("b", "a")])

    assert result.status == "success"
    assert (os.stat(path).st_ino, os.stat(path).st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("content", [b"a\r\nb\r\n", b"\xef\xbb\xbfa\nb\n", "a\nb\n".encode("utf-16"), b"a\nb\r\n"])
def test_ends_marks_and_encodings_stay_and_edits_can_be_undone(root, file, use, content):
    from patchkit.core.workspace.root import Workspace
    from patchkit.tools.undo import undo

    path = file("a.txt", content)
    assert use("MultiEdit", file_path=path, edits=[edit("a\n", "x\ny\n"), edit("b", "z")]).status == "success"
    text = Path(path).read_bytes()
    wide = content.startswith(b"\xff\xfe")
    narrow = text.decode("utf-16") if wide else text.decode("utf-8-sig")
    ends = b"\r\n" if content.startswith(b"a\r\n") else b"\n"
    assert narrow.encode().startswith(b"x" + ends + b"y" + ends)

    with Workspace(str(root)) as files:
        undo(files)
    assert Path(path).read_bytes() == content


def test_a_byte_order_mark_that_edits_bring_stays(file, use):
    path = file("a.txt", "ab\n")

    use("MultiEdit", file_path=path, edits=[edit("a", "\ufeffa"), edit("b", "c")])

    assert Path(path).read_bytes() == "\ufeffac\n".encode()


def test_edits_can_be_tolerant_and_each_level_is_reported(file, use):
    path = file("a.txt", "  a\n  b\nc\n")

    result = use("MultiEdit", file_path=path, edits=[edit("c", "d"), edit("a\nb", "a\nx")])

    assert Path(path).read_text() == "  a\n  x\nd\n"
    assert [note["message"] for note in result.notes] == [
        f"old_string of edit 2 matched '{path}' at line 2 ignoring leading and trailing whitespace"
    ]


# -- against plain Python ------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(st.text("ab\n", max_size=3), st.text("ab\n", max_size=3), st.booleans()), min_size=1, max_size=4
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("root")


def without_line_end(text: str, old: str) -> str:
    """What goes with a text that is removed: whole lines go with their last ending."""
    at = text.index(old)
    begins = at == 0 or text[at - 1] == "\n"
    return old + "\n" if begins and text.startswith("\n", at + len(old)) and not old.endswith("\n") else old


@examples(150)
@given(st.text("ab\n", min_size=1, max_size=12), STEPS)
def test_edits_are_what_plain_python_makes_of_them(place, content, steps):
    path = place / "a.txt"
    path.write_text(content)
    kept = [step for step in steps if not step[0] or step[0] != step[1]]
    wanted = content if kept else None
    for old, new, everywhere in kept:
        places = [at for at in range(len(wanted)) if old and wanted.startswith(old, at)]
        if not places or (len(places) > 1 and not everywhere):
            wanted = None
            break
        wanted = wanted.replace(without_line_end(wanted, old) if not new and not everywhere else old, new)

    edits = [edit(old, new, replace_all=everywhere) for old, new, everywhere in steps]
    result = call(
        "MultiEdit", {"file_path": str(path), "edits": edits, "force": True, "strict": True}, Caller(str(place))
    )

    assert (result.status == "success") == (wanted is not None)
    assert path.read_text() == (content if wanted is None else wanted)


def test_multi_edit_uses_the_functions_of_edit(file, use, monkeypatch):
    from patchkit.tools.editing import target as edit_steps

    asked = []
    monkeypatch.setattr(edit_steps, "valid", lambda *words: asked.append(words[1]))

    use("MultiEdit", file_path=file("a.txt", "a b\n"), edits=[edit("a", "x"), edit("b", "y")])

    assert asked == ["a", "b"]
    assert multi_edit.made is edit_steps.made


def many_lines(count, ending="\n"):
    return "".join(f"value_{number} = {number}{ending}" for number in range(count))


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_many_edits_are_made_as_each_would_be_alone(file, use, ending):
    path = file("a.txt", ("é" + ending + many_lines(100, ending)).encode())
    edits = [edit(f"value_{number} =", f"new_{number} =") for number in range(60)]
    edits += [edit("new_7 = 7\nnew_8 = 8\n", ""), edit("é", "ü"), edit("value_", "v_", replace_all=True)]
    edits += [edit(f"new_{number} = {number}\n", f"last {number}\n") for number in range(20, 30)]
    expected = Path(path).read_bytes().decode().replace("\r\n", "\n")
    for each in edits:
        expected = expected.replace(each["old_string"], each["new_string"])

    result = use("MultiEdit", file_path=path, edits=edits)

    assert Path(path).read_bytes() == expected.replace("\n", ending).encode()
    assert [each["replacements"] for each in result.data["edits"]] == [1] * 62 + [40] + [1] * 10


def test_one_of_many_edits_that_has_two_places_or_none_is_refused(file, use):
    many = [edit(f"value_{number} =", f"new_{number} =") for number in range(50)]
    for last, code in ((edit("aa", "b"), "P622"), (edit("nowhere at all", "b"), "P621")):
        path = file("a.txt", many_lines(60) + "aaa\n")

        result = use("MultiEdit", file_path=path, edits=[*many, last])

        assert (codes(result), Path(path).read_text()) == ([code], many_lines(60) + "aaa\n")


def test_edits_of_many_that_change_nothing_are_noted(file, use):
    path = file("a.txt", many_lines(50))
    edits = [edit(f"value_{number} =", f"new_{number} =") for number in range(40)]
    edits += [edit("new_3 = 3", "new_3 = 3"), edit("gone", "gone")]

    result = use("MultiEdit", file_path=path, edits=edits)

    assert codes(result) == ["P929", "P929"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_many_edits_with_other_whitespace_come_to_what_a_few_at_a_time_come_to(end, file, use):
    """The first are looked for in the whole file, the others by an index of its lines."""
    lines = [f"    value_{number} = {number}" if number % 3 else "    }" for number in range(400)]
    edits = []
    for at in [number * 131 % 390 for number in range(120) if number * 131 % 390 % 3 == 1]:
        old = [f"\t{line.strip()} " for line in lines[at : at + 2]]
        edits.append(edit("\n".join(old), "\n".join(f"    new_{at} = {row}" for row in range(at % 4 + 1))))
    edits.append(edit(edits[10]["new_string"].replace("    ", "  "), "    again = 1"))
    paths = [file(name, "".join(line + end for line in lines)) for name in ("whole.py", "parts.py")]

    whole = use("MultiEdit", file_path=paths[0], edits=edits)
    parts = [use("MultiEdit", file_path=paths[1], edits=edits[at : at + 20]) for at in range(0, len(edits), 20)]

    assert whole.status == "success", whole.text
    assert Path(paths[0]).read_bytes() == Path(paths[1]).read_bytes()
    assert [note["line"] for note in whole.notes] == [note["line"] for part in parts for note in part.notes]
