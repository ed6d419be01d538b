"""JSON edits, OpenAI's operations and whole files."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import patchkit
from patchkit.catalogue.sentences import label
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import patch_of
from patchkit.formats.reading import detected
from patchkit.sources import MemoryFiles
from patchkit.tools.calling import Caller, call

FILES = {"a.txt": b"one\ntwo three\nfour\n"}


def applied(text, files=FILES, name="auto", **options):
    source = MemoryFiles(dict(files))
    patch = patch_of(text if isinstance(text, str) else json.dumps(text), name, source, Options(**options))
    if patch.sections:
        plan(patch, source, Options(**options)).commit()
    return source.content


def refused(text, files=FILES, **options):
    with pytest.raises(PatchkitError) as caught:
        applied(text, files, **options)
    return caught.value.code


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ("one \r\ntwo three\r\n", "1\r\n2\r\n", b"1\n2\n\nfour\n"),
        ("two three \n\n", "2\n", b"one\n2\nfour\n"),
        ("\n\nfour ", "\n\n4", b"one\ntwo three\n\n4\n"),
        ("one \\ntwo\u2003three\\n\\nfour", "one \\ntwo\u2003three\\n\\n4", b"one\ntwo three\n\n4\n"),
    ],
)
def test_line_ends_and_blank_lines_around_a_text_that_is_placed_by_its_lines_are_those_of_the_file(old, new, after):
    edit = {"file_path": "a.txt", "old_string": old, "new_string": new}

    assert applied(edit, {"a.txt": b"one\ntwo three\n\nfour\n"}) == {"a.txt": after}


@pytest.mark.parametrize(
    "edit",
    [
        {"file_path": "a.txt", "old_string": "two", "new_string": "2"},
        {"file_path": "a.txt", "old_string": "two", "new_string": "2", "instruction": "x", "allow_multiple": False},
        {"filePath": "a.txt", "oldString": "two", "newString": "2", "replaceAll": True},
        {"path": "a.txt", "before": "two", "after": "2"},
        {"command": "str_replace", "path": "a.txt", "old_str": "two", "new_str": "2"},
        {"path": "a.txt", "edits": [{"oldText": "two", "newText": "2"}]},
        {"name": "Edit", "input": {"file_path": "a.txt", "old_string": "two", "new_string": "2"}},
        {"function": {"arguments": json.dumps({"path": "a.txt", "before": "two", "after": "2"})}},
        [{"path": "a.txt", "before": "two", "after": "zwei"}, {"path": "a.txt", "before": "zwei", "after": "2"}],
    ],
)
def test_an_edit_replaces_a_piece_of_text_whatever_its_fields_are_called(edit):
    assert applied(edit) == {"a.txt": b"one\n2 three\nfour\n"}


def test_a_piece_at_several_places_is_refused_unless_all_are_meant():
    edit = {"path": "a.txt", "old_str": "o", "new_str": "0"}

    assert refused(edit) == "P622"
    assert applied({**edit, "replace_all": True}) == {"a.txt": b"0ne\ntw0 three\nf0ur\n"}


def test_text_with_another_margin_is_placed_by_its_lines():
    files = {"a.py": b"def f():\n    return 1\n"}

    assert applied({"path": "a.py", "old_str": "  return 1", "new_str": "  return 2"}, files)["a.py"].count(b"2") == 1


@pytest.mark.parametrize(
    ("before", "old", "new", "every", "after"),
    [
        (b"\xef\xbb\xbfone", "one\n", "    two\n", False, b"\xef\xbb\xbf    two"),
        (b"\xef\xbb\xbfone\n", "one  ", "\ntwo", False, b"\xef\xbb\xbf\ntwo\n"),
        (b"\xef\xbb\xbfone\ntwo\n", "one", "", False, b"\xef\xbb\xbftwo\n"),
        (b"one\ntwo\n", "one", "", True, b"\ntwo\n"),
        (b"one\r\ntwo\n", "one", "", True, b"\r\ntwo\n"),
        (b"one\rtwo\r", "one\n", "1\n", False, b"1\rtwo\r"),
        (b"one\rtwo\r", "one", "", False, b"two\r"),
        (b"one\rtwo\r", "two  ", "2", False, b"one\r2\r"),
    ],
)
def test_an_edit_is_what_the_tool_makes_of_it(before, old, new, every, after, tmp_path):
    (tmp_path / "x").write_bytes(before)
    call("Read", {"file_path": "x"}, Caller(str(tmp_path)))
    fields = {"file_path": "x", "old_string": old, "new_string": new, "replace_all": every}

    assert call("Edit", fields, Caller(str(tmp_path))).status == "success"
    assert ((tmp_path / "x").read_bytes(), applied(json.dumps(fields), {"x": before})["x"]) == (after, after)


def test_an_insert_names_the_line_above():
    edit = {"command": "insert", "path": "a.txt", "insert_line": 1, "new_str": "and"}

    assert applied(edit) == {"a.txt": b"one\nand\ntwo three\nfour\n"}


def test_a_file_is_made_or_written_whole():
    assert applied({"command": "create", "path": "b.txt", "file_text": "x\n"}) == {**FILES, "b.txt": b"x\n"}
    assert applied({"path": "a.txt", "content": "x\n"}) == {"a.txt": b"x\n"}
    assert applied("a.txt\n```\nx\n```\n") == {"a.txt": b"x\n"}


def test_operations_are_sections_without_an_envelope():
    operations = [
        {"type": "update_file", "path": "a.txt", "diff": "@@\n one\n-two three\n+2\n"},
        {"type": "create_file", "path": "b.txt", "diff": "+x\n"},
    ]

    assert applied(operations) == {"a.txt": b"one\n2\nfour\n", "b.txt": b"x\n"}
    assert applied({"type": "delete_file", "path": "a.txt"}) == {}
    diff = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch"
    assert applied({"type": "update_file", "path": "a.txt", "diff": diff}) == {"a.txt": b"1\ntwo three\nfour\n"}


def test_a_fence_inside_a_file_does_not_end_it():
    text = "notes.md\n```\nSo:\n```sh\nls\n```\nDone.\n```\n"

    assert applied(text, {}) == {"notes.md": b"So:\n```sh\nls\n```\nDone.\n"}


def test_a_block_is_not_taken_for_a_file_unless_the_file_is_one():
    text = "a.txt\n```\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n```\n"
    other = b"<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n"

    def whole(content):
        return patch_of(text, "whole-file", MemoryFiles({"a.txt": content}), Options()).sections

    with pytest.raises(PatchkitError) as caught:
        whole(b"one\n")
    assert caught.value.hint == "send the block whole, or the whole file without the line"
    assert len(whole(other)) == 1


CODE = {"a.py": b"def a():\n    return 1\n\ndef b():\n    return 3\n", "src/c.ts": b"a\n"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a.py\n```\ndef a():\n    return 1\n=======\ndef a():\n    return 2\n>>>>>>> REPLACE\n```\n", "P122"),
        ("a.py\n```\ndef a():\n    return 1\n=======\ndef a():\n    return 2\n+++++++ REPLACE\n```\n", "P122"),
        ("a.py\n```\ndef a():\n    return 2\n>>>>>>> REPLACE\n```\n", "P122"),
        ("new.py\n```\nx = 1\n=======\nx = 2\n```\n", "P122"),
        ("a.py\n```\none()\n```\n\na.py\n```\ntwo()\n```\n", "P122"),
        ("a.py\n```diff\n def a():\n-    return 1\n+    return 2\n```\n", "P122"),
        ("a.py\n```python\n def a():\n-    return 1\n+    return 2\n```\n", "P122"),
        ("1. **src/c.ts** - must have:\n```ts\nx\n```\n", "P122"),
        ("a.py\n```\nx()\n```\n\n1. **src/c.ts** - must have:\n```ts\nx\n```\n", "P122"),
        ("### Step 2: change a.py as follows\n```\nx\n```\n", "P122"),
        ("**a.py**:\n```\nx\n```\n", "P122"),
        ("### a.py\n```\nx\n```\n", "P122"),
        ("1. `a.py`\n```\nx\n```\n", "P122"),
        ("a.py\n```\n     1\u2192def a():\n     2\u2192    return 2\n```\n", "P127"),
        ("a.py\n```\n     1\tdef a():\n     2\t    return 2\n```\n", "P127"),
        ("a.py\n```\n1: def a():\n2:     return 2\n```\n", "P127"),
        ("new.py\n```\n1 | def a():\n2 |     return 2\n```\n", "P127"),
        ({"file_path": "a.py", "old_string": "    return 1", "new_string": "2\u2192    return 2"}, "P127"),
        ("a.py\n<<<<<<< SEARCH\n    return 1\n=======\n2\u2192    return 2\n>>>>>>> REPLACE\n", "P127"),
    ],
)
def test_what_is_not_the_whole_file_is_never_written_as_one(text, code):
    assert refused(text, CODE) == code
    if isinstance(text, str) and "SEARCH" not in text:
        with pytest.raises(PatchkitError):
            patch_of(text, "whole-file", MemoryFiles(dict(CODE)), Options())


@pytest.mark.parametrize("text", ['"""\nOptions\n=======\n"""\n', "- a\n- b\n", "1\tone\n2\ttwo\n", "1: one\n2: two\n"])
def test_a_file_with_lines_that_only_look_like_an_edit_is_written(text):
    assert applied(f"new.py\n```\n{text}```\n", {}) == {"new.py": text.encode()}


def test_an_edit_of_equal_texts_that_are_not_there_is_refused():
    assert refused({"path": "a.txt", "old_str": "nowhere", "new_str": "nowhere"}) == "P201"


def test_an_open_fence_is_refused_and_so_is_one_without_a_path():
    assert refused("notes.md\n```\nSo:\n") == "P122"
    assert refused("Here is notes.md:\n\n```\nSo:\n```\n") == "P122"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("*** Begin Patch\n*** Add File: a\n+<<<<<<< SEARCH\n+--- a/x\n*** End Patch\n", "v4a"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-<<<<<<< SEARCH\n+b\n", "unified"),
        ("x.md\n<<<<<<< SEARCH\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n=======\n>>>>>>> REPLACE\n", "search-replace"),
        ('{"path": "x", "old_str": "a", "new_str": "b"}', "json-edits"),
        ('[{"type": "delete_file", "path": "x"}]', "openai-ops"),
        ("x.py\n```\nx\n```\n", "whole-file"),
    ],
)
def test_a_format_is_found_by_its_markers(text, name):
    assert detected(text) == name


def test_a_text_that_fits_two_formats_is_refused_and_one_that_fits_none():
    two = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\nx\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"

    assert (refused(two), refused("please")) == ("P121", "P120")
    assert refused("*** Update File: x\n@@\n-a\n+b\n") == "P101"


# With LF the replacements, which go down the file, are one section.
@pytest.mark.parametrize(("ending", "sections"), [("\n", 28), ("\r\n", 33)])
def test_many_edits_of_one_file_are_a_few_sections_and_see_those_before_them(ending, sections):
    lines = [f"line {number};" for number in range(60)]
    edits: list[dict[str, object]]
    edits = [{"path": "f", "old_str": f"line {at};", "new_str": f"v{at}"} for at in range(0, 40, 2)]
    edits += [{"command": "insert", "path": "f", "insert_line": at, "new_str": f"above {at}"} for at in range(5, 30)]
    edits += [{"path": "f", "old_str": f"v{at}{ending}", "new_str": f"w{at}{ending}"} for at in range(0, 40, 2)]
    edits += [{"path": "f", "old_str": "above", "new_str": "below", "replace_all": True}]
    source = MemoryFiles({"f": "".join(line + ending for line in lines).encode()})

    patch = patch_of(json.dumps(edits), "auto", source, Options())
    plan(patch, source, Options()).commit()

    lines[:40:2] = [f"w{at}" for at in range(0, 40, 2)]
    for at in range(5, 30):
        lines.insert(at, f"below {at}")
    assert source.content["f"].decode() == "".join(line + ending for line in lines)
    assert len(patch.sections) == sections


@settings(max_examples=300)
@given(
    lines=st.lists(st.text("abä ", max_size=4), min_size=1, max_size=12),
    ending=st.sampled_from(["\n", "\r\n"]),
    steps=st.lists(
        st.tuples(st.integers(0, 60), st.integers(1, 12), st.text("bcä\n", min_size=1, max_size=5)), max_size=9
    ),
)
def test_edits_that_follow_each_other_make_what_each_of_them_makes_of_the_text_before_it(lines, ending, steps):
    text = after = "".join(line + "\n" for line in lines)
    edits = []
    for at, size, new in steps:
        old = after[at : at + size]
        if f"{after}END\n".count(old) == 1 and old != new:
            edits.append({"file_path": "f", "old_string": old, "new_string": new})
            after = after.replace(old, new)
    edits.append({"file_path": "f", "old_string": "END", "new_string": "end"})  # a line that always keeps its ending

    made = b""
    with contextlib.suppress(PatchkitError):  # P202 and P205, of lines that are the same: a refusal changes nothing
        made = applied(edits, {"f": f"{text}END\n".replace("\n", ending).encode()})["f"]

    assert made in (b"", f"{after}end\n".replace("\n", ending).encode())


def test_an_insertion_that_an_edit_made_is_not_made_again_by_the_next():
    edit = {"file_path": "f", "old_string": "a\n", "new_string": "a\nnew\n"}

    assert refused([edit, edit], {"f": b"x\na\ny\n"}) == "P205"


def test_insertions_are_one_section_where_they_are_far_apart():
    text = "".join(f"line {number}\n" for number in range(400))
    edits = [
        {"file_path": "f", "old_string": f"line {at}\n", "new_string": f"line {at}\nnew\n"} for at in (1, 2, 300, 399)
    ]

    sections = patch_of(json.dumps(edits), "auto", MemoryFiles({"f": text.encode()}), Options()).sections

    assert [len(section.hunks) for section in sections] == [1, 2, 1]


def test_edits_that_show_a_line_which_the_one_above_changes_have_their_places():
    pairs = [("c\nsame", "c\nSAME"), ("same\nlast", "same\nLAST")]
    edits = [{"file_path": "f", "old_string": old, "new_string": new} for old, new in pairs]

    assert applied(edits, {"f": b"c\nsame\nlast\nsame\nlast\n"}) == {"f": b"c\nSAME\nlast\nsame\nLAST\n"}


def test_a_character_is_not_written_in_an_uncertain_encoding_because_another_edit_shows_bytes():
    pairs = [("ret", "\u00e9"), ("bar\n ", "")]
    edits = [{"file_path": "f", "old_string": old, "new_string": new} for old, new in pairs]

    assert refused(edits, {"f": b"ret\nx\nbar\n  y \xe9\n  y\n"}) == "P215"


def test_an_edit_may_change_the_first_of_the_lines_that_the_one_before_it_left():
    pairs = [("two", "2a\n2b\n2c"), ("2a", "2A"), ("three", "3")]
    edits = [{"file_path": "f", "old_string": old, "new_string": new} for old, new in pairs]

    assert applied(edits, {"f": b"one\ntwo\nthree\n"}) == {"f": b"one\n2A\n2b\n2c\n3\n"}


def test_an_old_text_that_an_edit_and_the_lines_below_it_make_is_at_two_places():
    edits = [
        {"file_path": "f", "old_string": "a", "new_string": "q"},
        {"file_path": "f", "old_string": "q\nb", "new_string": "Q"},
    ]

    assert refused(edits, {"f": b"a\nb\nq\nb\n"}) == "P622"


def test_edits_down_a_file_are_hunks_of_one_section_and_those_of_the_same_lines_one_hunk():
    text = "".join(f"line {number}\n" for number in range(30))
    pairs = [("line 3\n", "3\n"), ("3\nline 4\n", "4\n5\n"), ("line 9\n", "9\n"), ("line 8\n", "8\n"), ("line 20", "L")]
    edits = [{"file_path": "f", "old_string": old, "new_string": new} for old, new in pairs]

    sections = patch_of(json.dumps(edits), "auto", MemoryFiles({"f": text.encode()}), Options()).sections

    assert [[hunk.lines for hunk in section.hunks] for section in sections] == [
        [["-line 3", "-line 4", "+4", "+5"], ["-line 9", "+9"]],
        [["-line 8", "+8"], ["-line 20", "+L"]],
    ]


def test_an_edit_sees_what_one_that_was_placed_by_its_lines_has_made():
    placed = {"path": "a.txt", "old_str": "one  \ntwo three  ", "new_str": "1\n2\n3"}

    inserted = applied([placed, {"command": "insert", "path": "a.txt", "insert_line": 3, "new_str": "new"}])
    edited = applied([placed, {"path": "a.txt", "old_str": "3\nf", "new_str": "F"}])

    assert (inserted["a.txt"], edited["a.txt"]) == (b"1\n2\n3\nnew\nfour\n", b"1\n2\nFour\n")


@pytest.mark.parametrize(
    "text",
    [
        "Then run `x.py`:\n```bash\npython x.py\n```\n",
        "I looked at `x.py`:\n\n```\none()\n```\n",
        "x.md\n```\n# Title\n\n```\ncode\n```\nend\n```\n",
    ],
)
def test_a_fence_that_may_not_be_the_file_replaces_nothing(text):
    assert refused(text, {"x.py": b"one()\ntwo()\n", "x.md": b"# Title\n"}) == "P122"


def test_thousands_of_fences_that_do_not_close_are_refused():
    assert refused("x.py\n```\none()\n```\n" + "```python\n" * 3_000, {}) == "P122"
    assert applied("x.py\n```\none()\n```\n" + "```python\n" * 9, {}) == {"x.py": b"one()\n"}


@pytest.mark.parametrize("fence", ["```python x.py", "```x.py", '```python title="x.py"', "```python:x.py"])
def test_the_path_may_be_in_the_line_of_the_fence(fence):
    assert applied(f"{fence}\nzwei()\n```\n", {"x.py": b"one()\n"}) == {"x.py": b"zwei()\n"}


OLD = b"import os\n\ndef a():\n    one()\n\ndef b():\n    two()\n\ndef c():\n    three()\n"
LAZY = (
    "x.py\n```\nimport os\n# ... existing code ...\n"
    "def b():\n    zwei()\n    two()\n\n# ... rest of the code ...\n```\n"
)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_a_comment_in_place_of_lines_is_filled_where_one_reading_is_left(ending):
    old, new = (each.replace(b"\n", ending) for each in (OLD, OLD.replace(b"    two", b"    zwei()\n    two")))

    assert applied(LAZY, {"x.py": old}) == {"x.py": new}
    assert refused(LAZY, {"x.py": old}, strict=True) == "P127"


@pytest.mark.parametrize(
    "change",
    [
        ("import os\n#", "import sys\n#"),  # a piece that begins with a new line
        ("    two()\n\n# ... rest of the code ...\n", "    two()\n"),  # lines below the last piece, without a word
        ("# ... existing code ...\n", "def c():\n    three()\n# ... existing code ...\n"),  # another order
    ],
)
def test_a_comment_in_place_of_lines_that_can_be_read_in_two_ways_is_refused(change):
    assert refused(LAZY.replace(*change), {"x.py": OLD}) == "P127"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"file_path": "a.txt", "old_string": "two", "new_string": "2",}', "P122"),  # and not: no known format
        ({"path": "a.txt", "edits": [{"oldText": "two", "newText": "2"}], "dryRun": True}, "P122"),
        ({"type": "update_file", "path": "a.txt", "diff": "*** Update File: b.txt\n@@\n-two\n+2\n"}, "P122"),
        ({"type": "update_file", "path": "a.txt", "diff": "*** Delete File: a.txt\n"}, "P122"),
        ({"type": ["update_file"], "path": "a.txt", "diff": "@@\n-two\n+2\n"}, "P122"),
    ],
)
def test_what_is_not_meant_to_be_applied_here_is_refused(text, code):
    assert refused(text) == code


OPERATION = {"type": "update_file", "path": "a.txt"}


@pytest.mark.parametrize(
    ("text", "lenience"),
    [
        (
            {**OPERATION, "diff": "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch\n"},
            "outside-text",
        ),
        ({**OPERATION, "diff": "*** Update File: a.txt\n@@\n-two\n+2\n"}, "outside-text"),
        ({**OPERATION, "diff": "```diff\n@@\n-two\n+2\n```"}, "outside-text"),
        ({**OPERATION, "diff": "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@\n-two\n+2\n"}, "outside-text"),
        ({"type": "create_file", "path": "b.txt", "diff": "two\n"}, "missing-plus"),
        ('Here:\n```json\n{"path": "a.txt", "before": "two", "after": "2"}\n```\n', "outside-text"),
    ],
)
def test_each_slip_of_json_has_a_note_and_is_refused_under_strict(text, lenience):
    written = text if isinstance(text, str) else json.dumps(text)
    patch = patch_of(written, "auto", MemoryFiles(dict(FILES)), Options())

    assert [label(note.code, note.facts) for note in patch.notes] == ["P990", f"P901:{lenience}"]
    assert refused(text, strict=True) in ("P103", "P105", "P107", "P213")


def test_a_note_of_an_edit_on_no_line_of_its_own_names_none():
    edit = {"file_path": "x.py", "old_string": "  one()\n  two()", "new_string": "  two()"}
    source = MemoryFiles({"x.py": b"    one()\n    two()\n"})
    made = plan(patch_of(json.dumps(edit), "auto", source, Options()), source, Options())

    assert [note.message for note in made.notes if "line" in note.message] != []
    assert not any("line 0" in note.message for note in made.notes)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("word", ["it", "größe"])
@pytest.mark.parametrize("last", ["", "end"])
def test_each_of_many_edits_sees_what_those_before_it_left(ending, word, last):
    text = "".join(f"line {n} of {word}{ending}" for n in range(400)) + last
    edits = []
    for n in range(0, 400, 2):
        edits.append((f"line {n} of {word}\n", f"row {n}\nof\n"))
        if n % 10 == 0:
            edits.append((f"row {n}\nof", f"row {n} för"))  # what an earlier edit made
        if n % 50 == 0:
            edits.append((f"{n} för\nline", f"{n} of\nline"))  # made by two edits, across lines
    files = {"f": text.encode()}
    for old, new in edits:
        old, new = old.replace("\n", ending), new.replace("\n", ending)
        assert text.count(old) == 1
        text = text.replace(old, new)

    rows = [{"path": "f", "old_string": old, "new_string": new} for old, new in edits]
    assert applied(rows, files) == {"f": text.encode()}
    twice = {"path": "f", "old_string": "of", "new_string": "0"}
    assert refused([*rows, twice], files) == "P622"
    assert applied([*rows, {**twice, "replace_all": True}], files) == {"f": text.replace("of", "0").encode()}
    gone = {"path": "f", "old_string": f"line 0 of {word}", "new_string": "0"}
    assert refused([*rows, gone], files) in ("P201", "P205")


@pytest.mark.parametrize("codec", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize(
    ("before", "old", "new", "every", "after"),
    [
        ("é\naa\naaa\n", "aa", "B", True, "é\nB\nBa\n"),
        ("x = 1\r\n  y\r\nz = 1\r\n", "\n  y\nz", "", False, "x = 1 = 1\r\n"),
        ("é\naa\n\n    go\n", "aa\n\n  ", "aa\n\n  \nB", False, "é\naa\n\n  \nB  go\n"),
        ("é\nend\n", "é\n", "ü\nB", False, "ü\nBend\n"),
        ("one  \ntwo\n", "one\ntwo", "B", False, "B\n"),
    ],
)
def test_edits_are_made_letter_by_letter_in_every_encoding_that_a_mark_names(codec, before, old, new, every, after):
    files = {"x": before.encode(codec)}
    edit = {"file_path": "x", "old_string": old, "new_string": new, "replace_all": every}
    patchkit.apply(json.dumps(edit), files, from_format="json-edits")

    assert files["x"] == after.encode(codec)


@pytest.mark.parametrize(
    ("content", "old", "new", "made"),
    [
        (b"a\nb\r\nY\r\nc\n", "\nY", "Z\nY", b"a\nbZ\r\nY\r\nc\n"),
        (b"a\r\nb\nc\r\n", "b\r\nc", "x\ny\nz", b"a\r\nx\ny\nz\r\n"),
        (b"\xef\xbb\xbfa\r\nb\nc\r\n", "a\nb", "x", b"\xef\xbb\xbfx\nc\r\n"),
        ("é\r\nb\nc\n".encode("utf-16"), "b", "Q", "é\r\nQ\nc\n".encode("utf-16")),
        (b"a\r\nb\nc\r\n", "b", "", b"a\r\nc\r\n"),
    ],
)
def test_an_edit_among_line_endings_of_both_kinds_is_the_one_that_edit_makes(content, old, new, made):
    files = {"f": content}
    text = json.dumps([{"file_path": "f", "old_string": old, "new_string": new}])
    patchkit.apply(text, files, from_format="json-edits")

    assert files["f"] == made


def test_places_with_endings_of_both_kinds_are_counted_together():
    text = json.dumps([{"file_path": "f", "old_string": "ne 2\n", "new_string": "x"}])
    with pytest.raises(patchkit.PatchkitError) as raised:
        patchkit.apply(text, {"f": b"line 2\r\nline 1\nline 2\n}\n"}, from_format="json-edits")

    assert (raised.value.code, raised.value.facts["places"]) == ("P622", "lines 1, 3")
