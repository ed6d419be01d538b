"""Changes written in every format, read back and applied."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import patchkit
from patchkit.catalogue.sentences import label
from patchkit.converting import convert, write_changes, write_plan
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.errors import PatchkitError
from patchkit.formats.edit_writer import write_blind
from patchkit.formats.foreign import patch_of
from patchkit.formats.model import NAMES
from patchkit.formats.reading import read_format
from patchkit.sources import MemoryFiles

LINES = st.lists(st.sampled_from(["", "}", "a", "b", "    c", "def f():", "d", "ü"]), max_size=10)
CONTENTS = st.builds(lambda lines, end: ("\n".join(lines) + end).encode(), LINES, st.sampled_from(["\n", "\n", ""]))
BEFORE = {"a.txt": b"one\ntwo\nthree\nfour\n"}
AFTER = {"a.txt": b"one\nzwei\nthree\nfour\n", "b.txt": b"new\n"}
OLD = b"".join(b"line %d\n" % number for number in range(30))
HEAD = "diff --git a/a.txt b/a.txt\nindex 4cb29ea..ac6c6c6 100644\n--- a/a.txt\n+++ b/a.txt\n"
HUNK = "@@ -5,3 +5,3 @@ line 3\n line 4\n-line 5\n+line five\n line 6\n"
SECTION = b"*** Update File: a.txt\n@@\n line 4\n-line 5\n+line five\n line 6\n"


def applied(text, name, before, strict=False):
    files = MemoryFiles(dict(before))
    options = Options(allow_duplicate=True, strict=strict)
    patch = patch_of(text.decode("utf-8", "surrogateescape"), name, files, options)
    if patch.sections:
        plan(patch, files, options).commit()
    return files.content


@pytest.mark.parametrize("name", NAMES)
def test_changes_are_the_same_in_every_format(name):
    assert applied(write_changes(BEFORE, AFTER, name).text, name, BEFORE) == AFTER


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "path", ["CITATION", "PKG-INFO", "Makefile", ".hidden", "x", "notes 1.txt", "a b/c d.txt", "src/no_suffix", "ü.txt"]
)
def test_any_name_can_be_written_of_a_file_that_is_new_or_there(name, path):
    for before, after in ((b"one\ntwo\n", b"one\n2\n"), (None, b"new\n"), (None, b"")):
        old, new = {path: before} if before is not None else {}, {path: after}
        assert applied(write_changes(old, new, name).text, name, old, strict=True) == new


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", ["(x)", "[x]", "\\", "{a}", "-"])
def test_any_name_can_be_written_of_a_file_that_is_there(name, path):
    old = {"a.txt": b"one\ncaf\xe9\n", path: b"one\ntwo\n"}
    new = {"a.txt": b"1\ncaf\xe9\n", path: b"one\n2\n"}

    assert applied(write_changes(old, new, name).text, name, old) == new


@pytest.mark.parametrize("name", ["search-replace", "whole-file"])
def test_a_name_that_no_line_can_say_is_refused_for_that(name):
    with pytest.raises(PatchkitError) as caught:
        write_changes({"a.txt": b"caf\xe9\n"}, {"a.txt": b"caf\xe9s\n", "(x)": b"new\n"}, name)

    assert (caught.value.code, caught.value.file) == ("P112", "(x)")


@pytest.mark.parametrize("name", NAMES)
def test_a_byte_order_mark_stays(name):
    before, after = {"a.cs": b"\xef\xbb\xbfone\ntwo\n"}, {"a.cs": b"\xef\xbb\xbf1\ntwo\n"}
    assert applied(write_changes(before, after, name).text, name, before) == after


def test_a_line_that_looks_like_a_marker_is_left_out_of_the_context_of_blocks():
    before = {"a.rst": b"Title\n=======\n\none\ntwo\nthree\n"}
    files = MemoryFiles(dict(before))
    diff = "--- a/a.rst\n+++ b/a.rst\n@@ -2,4 +2,4 @@\n =======\n \n-one\n+eins\n two\n"
    made = plan(patch_of(diff, "unified", files, Options()), files, Options())

    assert write_plan(made, "search-replace").text == (
        b"a.rst\n```\n<<<<<<< SEARCH\none\n=======\neins\n>>>>>>> REPLACE\n```\n"
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"caf\xe9\none\nna\xefve\n", b"caf\xe9\n1\nna\xefve\n"),
        (b"one\ncaf\xe9\none\ntwo\nna\xefve\n", b"one\ncaf\xe9\n1\ntwo\nna\xefve\n"),
        (
            b"<<<<<<< SEARCH\none\n=======\none\ntwo\n>>>>>>> REPLACE\n",
            b"<<<<<<< SEARCH\none\n=======\n1\ntwo\n>>>>>>> REPLACE\n",
        ),
    ],
    ids=["between bytes", "not alone", "between markers"],
)
def test_a_change_between_lines_that_a_format_cannot_show_is_written_without_them(name, before, after):
    old, new = {"a.txt": before}, {"a.txt": after}

    assert applied(write_changes(old, new, name).text, name, old, strict=True) == new


def test_json_edits_are_made_between_bytes_that_are_not_utf8():
    before, after = (
        {"a": b"un caf\xe9 = 1\ncaf\xe9 = 2\n\xff\xff.\n"},
        {"a": b"le caf\xe9 = 1\ncaf\xe9 = 3, 4\n\xff\xff.\nend\n"},
    )
    made = write_changes(before, after, "json-edits")

    assert applied(made.text, "json-edits", before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"top\nx = 1\n\xe9\ny = 2\n", b"top\ny = 2\n\xe9\nx = 1\n"),
        (b"top\n\xe9\n\na = 1\n\n", b"top\n\na = 1\n\n\xe9\n"),
        (b"a\nb\n\xe9\n\npass\n\xe9\n\npass\n\n", b"a\n\n\n\nb\n\xe9\n\npass\n\xe9\n\n\n\n"),
    ],
    ids=["swapped", "moved", "like another"],
)
def test_json_edits_around_such_bytes_may_write_what_others_look_for(before, after):
    made = write_changes({"a": before}, {"a": after}, "json-edits")

    assert applied(made.text, "json-edits", {"a": before}) == {"a": after}


def test_json_edits_may_leave_what_another_would_make():
    before = {"a.lua": b"  a = inc(a)\n\nfunction M.load(a)\n  a = dec(a)\n\n"}
    after = {"a.lua": b"  return a\nend\n\nend\n\nfunction M.load(a)\n  a = dec(a)\n"}

    assert applied(write_changes(before, after, "json-edits").text, "json-edits", before) == after


@pytest.mark.parametrize("after", [b"caf\xe9\xe9\n", b"\xe9caf\xe8\n", b"caf\xe9\ncaf\xe9\n"])
def test_json_edits_cannot_add_remove_or_change_bytes_that_are_not_utf8(after):
    with pytest.raises(PatchkitError) as caught:
        write_changes({"a": b"caf\xe9\n"}, {"a": after}, "json-edits")

    assert (caught.value.code, caught.value.facts["what"]) == ("P112", "bytes of 'a' that are not UTF-8")


@pytest.mark.parametrize("name", NAMES)
@given(before=CONTENTS, after=CONTENTS)
@examples(40)
def test_what_is_written_gives_the_new_files_or_is_refused(name, before, after):
    try:
        text = write_changes({"x.txt": before}, {"x.txt": after}, name).text
    except PatchkitError as error:
        assert error.code == "P112"  # noqa: PT017  # a refusal is one of the two right answers
        return
    made = applied(text, name, {"x.txt": before}) if text else {"x.txt": before}
    assert made == {"x.txt": after}


@pytest.mark.parametrize("name", ["search-replace", "json-edits", "whole-file"])
def test_a_deletion_is_refused_with_the_command_or_left_out(name):
    with pytest.raises(PatchkitError) as caught:
        write_changes(BEFORE, {}, name)

    assert (caught.value.code, "rm a.txt" in caught.value.hint) == ("P112", True)
    assert [note.code for note in write_changes(BEFORE, {}, name, skip=True).notes] == ["P983"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", [{}, {"link": "new\n"}])
def test_a_link_that_a_patch_deletes_goes_in_every_format_or_is_refused(tmp_path, name, file):
    (tmp_path / "there").write_text("one\n")
    (tmp_path / "link").symlink_to("there")
    text = "*** Begin Patch\n*** Delete File: link\n*** Update File: there\n@@\n-one\n+two\n"
    text += "".join(f"*** Add File: {path}\n+{line}" for path, line in file.items()) + "*** End Patch\n"
    if name not in (("unified",) if file else ("v4a", "unified", "openai-ops")):
        with pytest.raises(PatchkitError, match="P112"):
            patchkit.convert(text, name, tmp_path)
        return
    converted = patchkit.convert(text, name, tmp_path)
    patchkit.apply(converted.text, tmp_path, from_format=name)

    assert not (tmp_path / "link").is_symlink()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"there": "two\n", **file}


def test_without_files_the_numbers_of_a_diff_stay_as_hints():
    diff = write_changes(BEFORE, AFTER, "unified").text.decode()

    numbered = write_blind(read_format(diff, "unified"), "v4a")
    bare = write_blind(read_format(diff, "unified"), "v4a", portable=True)

    assert "@@ -1,4 +1,4 @@\n" in numbered
    assert "@@\n" in bare
    assert applied(numbered.encode(), "v4a", BEFORE) == applied(bare.encode(), "v4a", BEFORE) == AFTER


def test_without_files_whole_files_and_pieces_of_text_are_refused():
    edit = read_format('{"path": "a.txt", "old_str": "two", "new_str": "2"}', "json-edits")

    with pytest.raises(PatchkitError) as caught:
        write_blind(edit, "v4a")

    assert caught.value.code == "P112"


def test_a_portable_patch_has_context_on_both_sides_and_no_word_about_the_final_newline():
    made = write_changes({"x": b"a\nb\nc"}, {"x": b"a\nB\nc\n", "y": b"n"}, "v4a", portable=True)

    assert b"No newline" not in made.text
    assert {label(note.code, note.facts) for note in made.notes} == {"P999:final-newline"}
    assert b" a\n-b\n+B\n" in made.text or b" a\n" in made.text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a.txt": b"one\n"}, {"a.txt": b"zwei"}),
        ({}, {"new": b"one", "other.txt": b"two\n"}),
        ({}, {'a "quoted" name': b"one\n"}),
        ({}, {"a.bat": b"one\r\ntwo\r\n"}),
        ({"a.txt": b"one\ntwo\n"}, {"a.txt": b"one\r\nzwei\r\n"}),
    ],
)
def test_whole_files_that_a_fence_cannot_say_are_strings(before, after):
    text = write_changes(before, after, "whole-file").text

    assert text.startswith(b"[\n")
    assert applied(text, "whole-file", before) == after


def test_a_name_with_whitespace_at_its_ends_is_refused_for_that():
    with pytest.raises(PatchkitError) as refusal:
        write_changes({}, {" a.txt": b"one\n"}, "v4a")

    assert (refusal.value.code, refusal.value.facts["what"]) == ("P112", "whitespace at the ends of the name ' a.txt'")


def test_a_whole_file_with_a_line_that_would_be_read_as_lines_left_out_is_refused():
    old = b"def f():\n    return 1\n\n\ndef g():\n    return 2\n"

    with pytest.raises(PatchkitError) as refusal:
        write_changes({"a.py": old}, {"a.py": b"# ... existing code ...\n\n\ndef g():\n    return 2\n"}, "whole-file")

    assert refusal.value.code == "P112"


def test_all_files_are_written_in_the_order_of_the_diff():
    before = {"a.txt": OLD, "b.txt": OLD, "old.txt": OLD, "z.txt": OLD, "gone.txt": b"gone\n"}
    rename = "similarity index 90%\nrename from old.txt\nrename to new.txt\n"
    gone = "deleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
    text = (
        (HEAD + HUNK)
        + "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -3 +3 @@\n-line 2\n+line two\n"
        + f"diff --git a/gone.txt b/gone.txt\n{gone}"
        + f"diff --git a/old.txt b/new.txt\n{rename}--- a/old.txt\n+++ b/new.txt\n{HUNK}"
        + (HEAD + HUNK).replace("a.txt", "z.txt")
    )
    made = convert(text, MemoryFiles(dict(before)), "v4a", Options(source="unified"))
    assert made.notes == []
    names = [line for line in made.text.decode().split("\n") if line.startswith("***")][1:-1]
    assert names == [
        "*** Update File: a.txt",
        "*** Update File: b.txt",
        "*** Delete File: gone.txt",
        "*** Update File: old.txt",
        "*** Move to: new.txt",
        "*** Update File: z.txt",
    ]


def test_a_refusal_names_the_line_of_the_whole_diff():
    text = HEAD + HUNK + (HEAD + HUNK).replace("a.txt", "b.txt").replace("-line 5", "-line 55")
    with pytest.raises(PatchkitError) as caught:
        convert(text, MemoryFiles({"a.txt": OLD, "b.txt": OLD}), "v4a", Options(source="unified"))
    assert [(error.code, error.file, error.facts["patch_line"]) for error in caught.value.errors] == [
        ("P201", "b.txt", 14)
    ]


def test_a_diff_whose_lines_look_like_another_format_is_a_diff():
    text = (HEAD + HUNK).replace("line five", "<SEARCH> and JSON")
    made = convert(text, MemoryFiles({"a.txt": OLD}), "v4a", Options(source="auto"))
    assert made.text == b"*** Begin Patch\n" + SECTION.replace(b"line five", b"<SEARCH> and JSON") + b"*** End Patch\n"
    assert [(note.code, note.facts) for note in made.notes] == [("P990", {"format": "a unified diff"})]


def test_thousands_of_changes_of_a_large_file_are_json_edits_one_by_one():
    """Their texts are looked up in an index: in the whole file they would be 2,500 searches of a megabyte."""
    rows = [f"line {n} {'x' * 60}" for n in range(15_000)]
    old = "\n".join([*rows, ""]).encode()
    rows[::6] = [f"new {n}" for n in range(2_500)]
    new = "\n".join([*rows, ""]).encode()

    edits = json.loads(write_changes({"f": old}, {"f": new}, "json-edits").text)
    assert len(edits) == 2_500
    assert edits[0] == {"file_path": "f", "old_string": f"line 0 {'x' * 60}\n", "new_string": "new 0\n"}
