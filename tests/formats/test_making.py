"""The patch between two texts: applying it to the first gives the second."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import edits, examples, file_bytes, files, outcome

import patchkit
from patchkit.applying import apply
from patchkit.converting import write_changes
from patchkit.core.changes import Options
from patchkit.core.language import AddFile, DeleteFile, Hunk, Patch, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.diffs.unique_hunks import hunks_between
from patchkit.errors import PatchkitError
from patchkit.formats.making import make_patch
from patchkit.sources import MemoryFiles
from patchkit.writer import write


def remade(before: dict[str, bytes], after: dict[str, bytes]) -> dict[str, bytes]:
    """The first files after the patch that was made of both, nothing forgiven."""
    made = dict(before)
    patchkit.apply(patchkit.make_patch(before, after), made, strict=True, allow_duplicate=True)
    return made


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "  a", "", "def f():", "@@ x", "-- x", "é\u2028"]), max_size=12).map(
    "\n".join
)


@given(before=TEXTS, after=TEXTS)
@examples(250)
def test_applying_the_patch_of_two_texts_gives_the_second(before, after):
    old, new = {"a": before.encode()}, {"a": after.encode()}

    assert before == after or remade(old, new) == new


@given(edit=edits())
@examples(150)
def test_the_patch_of_an_edit_that_keeps_its_endings_is_made_or_refused_but_never_wrong(edit):
    old, new = {"a": file_bytes(edit.before)}, {"a": file_bytes(edit.after)}

    if old != new:
        made = outcome(remade, old, new)
        assert made == new or made.code == "P112"


@given(before=files(), after=files())
@examples(150)
def test_the_patch_of_any_two_files_is_made_or_refused_but_never_wrong(before, after):
    old, new = {"a": file_bytes(before)}, {"a": file_bytes(after)}

    if old != new:
        made = outcome(remade, old, new)
        assert made == new or made.code == "P112"


TREES = st.dictionaries(
    st.sampled_from(["a", "b", "c/d", "c/e"]), st.sampled_from([b"", b"x\n", b"x\ny\nz\n", b"x\ny\nz\nw\n", b"y"])
)


@given(before=TREES, after=TREES)
@examples(150)
def test_the_patch_of_two_trees_adds_deletes_and_renames(before, after):
    assert before == after or remade(before, after) == after


def test_a_made_patch_says_what_changed_and_no_more_context_than_it_needs():
    before = {"a": b"1\n2\n3\n4\n5\n", "b": b"x\n", "old": b"p\nq\n"}
    after = {"a": b"1\n2\nthree\n4\n5\n", "c": b"y\n", "new": b"p\nq\n"}

    assert make_patch(before, after) == Patch(
        [
            UpdateFile("old", "new", [Hunk([], [" p"])]),  # Codex takes no section without a hunk
            UpdateFile("a", None, [Hunk([], ["-3", "+three"])]),
            DeleteFile("b"),
            AddFile("c", "y\n"),
        ]
    )


def test_equal_lines_get_as_much_context_as_tells_them_apart():
    before = {"a": b"f\nx\ng\nx\n"}

    assert make_patch(before, {"a": b"f\nx\ng\ny\n"}) == Patch([UpdateFile("a", None, [Hunk([], [" g", "-x", "+y"])])])


@pytest.mark.parametrize(("before", "after"), [(b"x\ny\n", b"\xef\xbb\xbfx\ny\n"), (b"\xef\xbb\xbfx\ny\n", b"X\ny\n")])
def test_a_byte_order_mark_that_comes_or_goes_is_part_of_the_first_line(before, after):
    assert remade({"a": before}, {"a": after}) == {"a": after}
    assert remade({"a": after}, {"a": before}) == {"a": before}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": b"x\n"}, {"a": b"x\r\n"}),
        ({"a": b"x\0\n"}, {"a": b"y\0\n"}),
        ({}, {"a\nb": b"x\n"}),
    ],
)
def test_what_the_language_cannot_say_is_refused(before, after):
    with pytest.raises(patchkit.PatchkitError) as refusal:
        make_patch(before, after)

    assert refusal.value.code == "P112"


@pytest.mark.parametrize("after", [b"a\nb\r", b"a\nb\r\r\n", b"a\r\nb\r\r\n"])
def test_a_cr_that_a_reader_would_take_for_an_ending_is_refused(after):
    with pytest.raises(PatchkitError) as caught:
        make_patch({"x": b"a\nc\n" if b"a\n" in after else b"a\r\nc\r\n"}, {"x": after})
    assert caught.value.code == "P112"


def test_new_files_with_such_a_cr_are_refused_and_with_others_read_again():
    with pytest.raises(PatchkitError) as caught:
        make_patch({}, {"x": b"a\nb\r\r\n"})
    assert caught.value.code == "P112"

    text = write(make_patch({}, {"x": b"a\r\nb\r\n"}))
    assert parse(text, strict=True) == parse(text)


CODE = st.lists(st.sampled_from(["a", "def f():", "    pass", "", "class A:", "    def f(self):"]), max_size=14)


@given(before=CODE, at=st.integers(0, 14), more=CODE)
@examples(150)
def test_a_definition_beside_its_like_is_not_taken_for_a_slip(before, at, more):
    old = {"x.py": "\n".join(before).encode()}
    new = {"x.py": "\n".join([*before[:at], *more, *before[at:]]).encode()}

    for name in ("v4a", "openai-ops"):
        text = write_changes(old, new, name).text.decode()
        assert patched(text, name, old) == new


def patched(text: str, name: str, before: dict[str, bytes]) -> dict[str, bytes]:
    """The files after a text in a format."""
    files = MemoryFiles(dict(before))
    if text:
        apply(text, files, Options(strict=True, source=name))
    return files.content


BODY = b"    rows = 1\n    return rows\n\n\n"


@pytest.mark.parametrize("name", ["v4a", "openai-ops"])
def test_a_definition_beside_three_of_its_kind_is_added(name):
    before = {"x.py": b"def g():\n" + BODY + (b"def f():\n" + BODY) * 3}
    after = {"x.py": b"def f():\n    rows = 2\n    return rows\n\n\n" + before["x.py"]}

    assert patched(write_changes(before, after, name).text.decode(), name, before) == after


def test_a_line_that_shall_be_shown_and_is_removed_is_removed():
    assert hunks_between("x", b"a\nb\nc\n", b"a\nc\n", pins={1}) == [Hunk([], [" a", "-b"])]


def test_a_patch_that_doubles_a_file_of_definitions_is_not_taken_for_a_slip():
    before = {"x.py": b"".join(b"def f%d():\n    return 1\n\n" % number for number in range(20))}
    after = {"x.py": before["x.py"] * 2}

    files = MemoryFiles(dict(before))
    apply(write(make_patch(before, after)), files, Options())
    assert files.content == after


def test_a_patch_is_refused_whose_readers_would_take_the_cr_of_a_line_for_its_ending_and_change_another():
    before = b"a\r\na\r\r\nb\r\r\n"

    with pytest.raises(PatchkitError) as caught:
        make_patch({"x": before}, {"x": before.replace(b"b", b"new\r\nb")})

    assert caught.value.code == "P112"
