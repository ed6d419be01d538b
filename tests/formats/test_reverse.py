"""A patch taken back: what it says is undone, what it does not say is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.core.language.parser import parse
from patchkit.errors import PatchkitError
from patchkit.formats.making import make_patch
from patchkit.formats.reverse import reversed_patch
from patchkit.sources import MemoryFiles
from patchkit.writer import write

LINES = st.lists(st.sampled_from(["", "}", "a", "b", "    c", "def f():", "d", "e", "f"]), max_size=12)
CONTENTS = st.builds(lambda lines, ended: ("\n".join(lines) + ("\n" if ended else "")).encode(), LINES, st.booleans())


def taken_back(patch, after):
    files = MemoryFiles(dict(after))
    plan(reversed_patch(patch, files), files, Options(strict=True, allow_duplicate=True)).commit()
    return files.content


def refused(text, after):
    with pytest.raises(PatchkitError) as caught:
        taken_back(parse(text), after)
    return caught.value.code


@given(before=CONTENTS, after=CONTENTS)
@examples(120)
def test_a_patch_that_we_made_is_taken_back_or_refused_and_never_wrong(before, after):
    try:
        patch = make_patch({"x": before}, {"x": after})
        if not patch.sections:
            return
        made = taken_back(parse(write(patch), strict=True), {"x": after})
    except PatchkitError:
        return
    assert made == {"x": before}


def test_a_hunk_that_only_removes_keeps_a_line_of_context():
    before, after = {"x": b"one\ntwo\nthree\n"}, {"x": b"one\nthree\n"}

    assert taken_back(make_patch(before, after), after) == before


def test_a_rename_an_edit_and_a_new_file_are_taken_back():
    before = {"x": b"".join(b"line %d\n" % n for n in range(9)), "z": b"1\n"}
    after = {"y": before["x"].replace(b"line 4", b"other"), "z": b"2\n", "new": b"n\n"}

    assert taken_back(make_patch(before, after), after) == before


@pytest.mark.parametrize("ends", [(b"a", b"a\n"), (b"a\n", b"a"), (b"a", b"b"), (b"a", b"b\n")])
def test_a_final_newline_is_taken_back(ends):
    before, after = {"x": b"one\n" + ends[0]}, {"x": b"one\n" + ends[1]}

    assert taken_back(parse(write(make_patch(before, after))), after) == before


def test_what_a_patch_does_not_say_is_not_taken_back():
    assert refused("*** Begin Patch\n*** Delete File: x\n*** End Patch\n", {}) == "P112"
    assert refused("*** Begin Patch\n*** Update File: x\n@@\n-gone\n*** End Patch\n", {"x": b"a\n"}) == "P209"
    assert refused("*** Begin Patch\n*** Add File: x\n+a\n*** End Patch\n", {"x": b"a\nb\n"}) == "P128"
    assert refused("*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch\n", {"x": b"a\n"}) == "P205"


REPEATED = "".join(f"start\nx = {n // 9}\nstop\n" for n in range(20))
DIFF = """diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
\\ No newline at end of file
diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,2 +1,3 @@
+first
 start
 x = 0
@@ -13,3 +14,3 @@
 start
-x = 0
+x = 7
 stop
@@ -16,3 +17,2 @@
-start
 x = 0
 stop
"""


def applied_as(source, text, tree, **options):
    files = MemoryFiles(dict(tree))
    apply(text, files, Options(source=source, **options))
    return files.content


@pytest.mark.parametrize(
    ("source", "text", "before"),
    [
        ("unified", DIFF, {"x": REPEATED.encode(), "gone.txt": b"a\nb"}),
        ("search-replace", "x.py\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n", {"x.py": b"a\nb\n"}),
        ("search-replace", "n.py\n<<<<<<< SEARCH\n=======\nB\n>>>>>>> REPLACE\n", {"x": b"a\n"}),
        ("json-edits", '[{"path": "x", "old_str": "b", "new_str": "c"}]', {"x": b"a b\n"}),
    ],
)
def test_a_text_in_another_format_is_taken_back_by_what_it_says(source, text, before):
    after = applied_as(source, text, before)

    assert after != before
    assert applied_as(source, text, after, reverse=True) == before


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("json-edits", '[{"path": "x", "old_str": "b", "new_str": "c", "replace_all": true}]'),
        ("whole-file", '{"path": "x", "content": "c\\n"}'),
        ("openai-ops", '{"type": "delete_file", "path": "y"}'),
    ],
)
def test_a_text_that_does_not_say_what_was_there_is_not_taken_back(source, text):
    with pytest.raises(PatchkitError) as caught:
        applied_as(source, text, {"x": b"c\n"}, reverse=True)

    assert caught.value.code == "P112"


def test_lines_do_not_come_back_with_a_guessed_ending():
    before, after = b"a\r\nb\nc\r\nd\n", b"a\r\nc\r\nd\n"
    patch = write(make_patch({"x": before}, {"x": after}))

    with pytest.raises(PatchkitError) as caught:
        apply(patch, MemoryFiles({"x": after}), Options(reverse=True))
    assert caught.value.code == "P112"

    changed = before.replace(b"b", b"e")
    files = MemoryFiles({"x": changed})
    apply(write(make_patch({"x": before}, {"x": changed})), files, Options(reverse=True))
    assert files.content == {"x": before}


def test_blocks_that_are_taken_back_are_in_the_order_of_the_file():
    text = "".join(f"x\n<<<<<<< SEARCH\n{each}\n=======\n{each}!\n>>>>>>> REPLACE\n" for each in "ab")
    files = MemoryFiles({"x": b"a!\nb!\n"})

    done = apply(text, files, Options(source="search-replace", reverse=True))

    assert (files.content, done.notes) == ({"x": b"a\nb\n"}, [])


@pytest.mark.parametrize("hunk", ["@@\n+d\n", "@@\n c\n+d\n", "@@\n c\n+d\n*** End of File\n"])
@pytest.mark.parametrize("before", [b"a\nb\nc", b"a\nb\nc\n"])
def test_lines_that_were_appended_leave_the_end_that_the_file_had(hunk, before):
    text = f"*** Begin Patch\n*** Update File: x\n{hunk}*** End Patch\n"

    assert applied_as("", text, applied_as("", text, {"x": before}), reverse=True) == {"x": before}


def test_lines_come_back_among_others_like_them_where_the_numbers_of_a_diff_say():
    text = "--- a/x\n+++ b/x\n@@ -2,4 +2,3 @@\n b\n b\n b\n-b\n@@ -7,4 +6,3 @@\n c\n c\n-c\n c\n"
    before = {"x": b"b\nb\nb\nb\nb\n-\nc\nc\nc\nc\n"}

    assert applied_as("unified", text, applied_as("unified", text, before), reverse=True) == before
