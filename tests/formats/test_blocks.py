"""Search/replace blocks: where the path is, what closes a block, and what a block means for a file."""

from __future__ import annotations

import pytest

from patchkit.applying import apply
from patchkit.catalogue.sentences import label
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.errors import Note, PatchkitError
from patchkit.formats.blocks import read_blocks
from patchkit.formats.foreign import patch_of
from patchkit.formats.model import Block
from patchkit.sources import MemoryFiles

BODY = "<<<<<<< SEARCH\ntwo\n=======\nzwei\n>>>>>>> REPLACE\n"


def applied(text, files, **options):
    source = MemoryFiles(dict(files))
    patch = patch_of(text, "auto", source, Options(**options))
    if patch.sections:
        plan(patch, source, Options(**options)).commit()
    return source.content


def refused(text, files, **options):
    with pytest.raises(PatchkitError) as caught:
        applied(text, files, **options)
    return caught.value.code


@pytest.mark.parametrize(
    "above",
    [
        "src/list.txt\n```\n",
        "**src/list.txt**\n```text\n",
        "`src/list.txt`\n\n```\n",
        "### src/list.txt:\n```\n",
        "src\\list.txt\n```\n",
        "./src/list.txt\n```\n",
        "```\nsrc/list.txt\n",
        "```text src/list.txt\n",
        "Here is the change in `src/list.txt`:\n\n```\n",
        "src/list.txt\n<source>\n",
        "src/list.txt\n",
    ],
)
def test_a_path_is_found_above_the_fence_and_inside_it(above):
    assert read_blocks(above + BODY).sections == [Block("src/list.txt", ["two"], ["zwei"])]


def test_a_block_without_a_path_takes_the_file_of_the_block_before():
    foreign = read_blocks(f"a.txt\n```\n{BODY}```\n\nAnd then:\n\n```\n{BODY}```\n")

    assert [each.path for each in foreign.sections] == ["a.txt", "a.txt"]
    assert [label(note.code, note.facts) for note in foreign.notes] == ["P901:no-file-name"]


def test_a_heading_is_not_a_path():
    assert refused(f"# The second change\n```\n{BODY}```\n", {"a.txt": b"two\n"}) == "P126"


@pytest.mark.parametrize(
    "text",
    [
        "a.txt\n<<<<<<< SEARCH\ntwo\n=======\nzwei\n",
        "a.txt\n<<<<<<< SEARCH\ntwo\n>>>>>>> REPLACE\n",
        "a.txt\n<<<<<<< SEARCH\ntwo\n=======\nzwei\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n",
    ],
)
def test_a_block_that_is_not_whole_or_not_clear_is_refused(text):
    with pytest.raises(PatchkitError) as caught:
        read_blocks(text)

    assert caught.value.code == "P122"


def test_a_rule_of_another_length_is_content_of_the_block():
    block = read_blocks("a.rst\n<<<<<<< SEARCH\nTitle\n=====\n=======\nOther\n=====\n>>>>>>> REPLACE\n").sections[0]

    assert block == Block("a.rst", ["Title", "====="], ["Other", "====="])


def test_cline_and_roo_have_their_own_markers():
    cline = "a.txt\n------- SEARCH\ntwo\n=======\nzwei\n+++++++ REPLACE\n"
    roo = "a.txt\n<<<<<<< SEARCH\n:start_line:2\n-------\ntwo\n\\=======\n=======\nzwei\n>>>>>>> REPLACE\n"

    assert read_blocks(cline).sections == [Block("a.txt", ["two"], ["zwei"])]
    assert read_blocks(roo).sections == [Block("a.txt", ["two", "======="], ["zwei"])]
    assert read_blocks(roo).sections[0].hint == 2


def test_all_blocks_are_placed_on_the_old_text():
    text = "a.txt\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n"

    assert applied(text, {"a.txt": b"a\nx\nb\n"}) == {"a.txt": b"b\nx\nc\n"}


def test_one_block_without_a_place_leaves_all_files_as_they_were():
    text = f"a.txt\n{BODY}\nb.txt\n<<<<<<< SEARCH\nnowhere\n=======\nx\n>>>>>>> REPLACE\n"

    assert refused(text, {"a.txt": b"two\n", "b.txt": b"b\n"}) == "P201"


def test_several_places_are_refused_unless_the_block_is_sent_once_for_each():
    files = {"a.txt": b"two\nx\ntwo\n"}

    assert refused(f"a.txt\n{BODY}", files) == "P202"
    assert applied(f"a.txt\n{BODY}{BODY}", files) == {"a.txt": b"zwei\nx\nzwei\n"}


def test_the_line_of_a_block_chooses_between_equal_places():
    text = "a.txt\n<<<<<<< SEARCH\n:start_line:3\n-------\ntwo\n=======\nzwei\n>>>>>>> REPLACE\n"

    assert applied(text, {"a.txt": b"two\nx\ntwo\n"}) == {"a.txt": b"two\nx\nzwei\n"}


def test_an_empty_search_makes_a_file_and_is_refused_on_one_with_text():
    text = "a.txt\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n"

    assert applied(text, {}) == {"a.txt": b"new\n"}
    assert applied(text, {"a.txt": b""}) == {"a.txt": b"new\n"}
    assert refused(text, {"a.txt": b"old\n"}) == "P124"


def test_a_block_sees_what_one_before_it_has_put_into_a_blank_file():
    first, second = (
        f"a.txt\n<<<<<<< SEARCH\n{old}=======\n{new}\n>>>>>>> REPLACE\n" for old, new in (("\n", "x"), ("x\n", "y"))
    )

    assert applied(first + second, {"a.txt": b"\n\n"}) == {"a.txt": b"y\n"}
    assert refused(first + first.replace("x\n>", "z\n>"), {"a.txt": b"\n\n"}) == "P124"


def test_what_is_applied_already_is_recognised():
    assert refused(f"a.txt\n{BODY}", {"a.txt": b"one\nzwei\n"}) == "P205"
    assert applied(f"a.txt\n{BODY}", {"a.txt": b"one\nzwei\n"}, forward=True) == {"a.txt": b"one\nzwei\n"}


def test_a_block_that_changes_nothing_does_not_stop_the_others():
    same = "a.txt\n<<<<<<< SEARCH\nnowhere\n=======\nnowhere\n>>>>>>> REPLACE\n"

    assert applied(same + BODY, {"a.txt": b"two\n"}) == {"a.txt": b"zwei\n"}


def test_a_block_with_another_margin_takes_that_of_the_file():
    text = "a.py\n<<<<<<< SEARCH\nreturn 1\n=======\nif x:\n    return 2\n>>>>>>> REPLACE\n"

    assert applied(text, {"a.py": b"def f():\n        return 1\n"}) == {
        "a.py": b"def f():\n        if x:\n            return 2\n"
    }


def test_a_block_with_levels_of_another_width_takes_those_of_the_file():
    text = "a.py\n<<<<<<< SEARCH\n  go()\n=======\n  go()\n\n\ndef f():\n  run()\n>>>>>>> REPLACE\n"

    assert applied(text, {"a.py": b"def g():\n    go()\n"}) == {
        "a.py": b"def g():\n    go()\n\n\ndef f():\n    run()\n"
    }


def test_a_block_of_common_lines_keeps_its_margin_in_a_long_file():
    names = [f"name {number}\n" for number in range(40)]  # a file that gets many blocks is indexed
    rest = "{\n;\n}\n;\n" * 1_100 + "{\n}\n" + "".join(names)
    others = [f"<<<<<<< SEARCH\n{name}=======\nnew {name}>>>>>>> REPLACE\n" for name in names]
    block = "<<<<<<< SEARCH\n{\n}\n=======\n{\nx\n}\n>>>>>>> REPLACE\n"

    after = "    {\n    }\n" + rest.replace("{\n}\n", "{\nx\n}\n").replace("name", "new name")
    assert applied(f"a.c\n{''.join(others)}{block}", {"a.c": f"    {{\n    }}\n{rest}".encode()}) == {
        "a.c": after.encode()
    }


def test_a_comment_in_place_of_code_is_refused():
    text = "a.py\n<<<<<<< SEARCH\n=======\nx = 1\n# ... existing code ...\n>>>>>>> REPLACE\n"

    assert refused(text, {}) == "P127"


def test_nothing_is_forgiven_under_strict():
    assert refused(f"**a.txt**\n{BODY}", {"a.txt": b"two\n"}, strict=True) == "P213"
    assert applied(f"a.txt\n```\n{BODY}```\n", {"a.txt": b"two\n"}, strict=True) == {"a.txt": b"zwei\n"}


def test_a_block_that_is_sent_again_for_the_only_place_is_skipped_with_a_note():
    source = MemoryFiles({"list.txt": b"one\ntwo\nthree\n"})
    patch = patch_of(f"list.txt\n{BODY}\nlist.txt\n{BODY}", "auto", source, Options())

    assert len(patch.sections[0].hunks) == 1
    assert [label(note.code, note.facts) for note in patch.notes] == ["P990", "P929:no-change"]
    assert applied(f"list.txt\n{BODY}\nlist.txt\n{BODY}", source.content) == {"list.txt": b"one\nzwei\nthree\n"}


def test_a_block_that_is_sent_once_for_each_place_is_applied_to_each():
    assert applied(f"a.txt\n{BODY}\na.txt\n{BODY}", {"a.txt": b"two\n1\ntwo\n"}) == {"a.txt": b"zwei\n1\nzwei\n"}


def test_an_answer_of_blocks_that_change_nothing_is_no_fault():
    text = "list.txt\n<<<<<<< SEARCH\ntwo\n=======\ntwo\n>>>>>>> REPLACE\n"
    files = MemoryFiles({"list.txt": b"two\n"})
    options = Options()
    options.source = "auto"

    done = apply(text, files, options)

    assert [label(note.code, note.facts) for note in done.notes] == ["P990", "P929:no-change", "P933"]
    assert (done.plans, files.content) == ([], {"list.txt": b"two\n"})


def test_a_search_that_is_the_path_and_its_fence_is_empty():
    text = "notes.md\n```\n<<<<<<< SEARCH\nnotes.md```\n=======\n# Notes\n>>>>>>> REPLACE\n```\n"

    assert applied(text, {"notes.md": b""}) == {"notes.md": b"# Notes\n"}
    assert refused(text, {"notes.md": b"text\n"}) == "P124"


@pytest.mark.parametrize("name", ["notes 1.txt", "my docs/read me.md", "CODEOWNERS", "`CODEOWNERS`", "my docs/new.md"])
def test_a_line_that_is_the_name_of_a_file_here_is_its_path(name):
    path = name.strip("`")
    files = {"a.txt": b"two\n", "my docs/read me.md": b"x\n"} | ({path: b"two\n"} if "new" not in path else {})
    body = BODY if "new" not in path else BODY.replace("two\n", "")

    assert applied(f"a.txt\n```\n{BODY}```\n\n{name}\n```\n{body}```\n", files)[path] == b"zwei\n"


@pytest.mark.parametrize("opening", ["<<<<<<< SERCH", "<<<<<<< SEARCH a.txt", "<<< SEARCH"])
def test_a_block_whose_opening_is_malformed_refuses_the_answer(opening):
    bad = BODY.replace("<<<<<<< SEARCH", opening)

    assert refused(f"a.txt\n```\n{bad}```\n\na.txt\n```\n{BODY}```\n", {"a.txt": b"two\n"}) == "P122"


@pytest.mark.parametrize("words", [("HEAD", "branch"), ("SEARCH a.txt", "branch")])
def test_markers_of_another_kind_do_not_become_the_text_of_a_file(words):
    text = BODY.replace("SEARCH", words[0]).replace("REPLACE", words[1])

    assert refused(f"a.txt\n```\n{text}```\n", {"a.txt": b"two\n"}) == "P121"


def test_the_next_step_of_a_refusal_is_in_words_of_the_format():
    files = {"a.txt": b"two\nthree\ntwo\n"}
    with pytest.raises(PatchkitError) as caught:
        apply(f"a.txt\n{BODY}", MemoryFiles(files), Options(source="auto"))

    assert caught.value.hint == (
        "add lines around it so that only one place matches, or send the block once for each place; nothing was written"
    )


def test_a_block_that_removes_dots_in_place_of_lines_is_not_corrected():
    files = {"a.py": b"def f():\n    one()\n    two()\n    return 1\n"}
    text = "a.py\n<<<<<<< SEARCH\ndef f():\n...\n    return 1\n=======\ndef f():\n    return 2\n>>>>>>> REPLACE\n"
    with pytest.raises(PatchkitError) as caught:
        apply(text, MemoryFiles(files), Options(source="auto", suggest=True))

    assert (caught.value.code, caught.value.suggestion) == ("P201", None)
    assert caught.value.hint == (
        "send the lines of a.py that '...' is in place of, or an edit for each side; nothing was written"
    )


def test_a_block_at_the_end_of_a_file_without_a_final_newline_leaves_it_without_one():
    text = "a.txt\n<<<<<<< SEARCH\nb\n\nb\n=======\nb\n>>>>>>> REPLACE\n"

    assert applied(text, {"a.txt": b"a\nb\n\nb"}) == {"a.txt": b"a\nb"}


STRAY = "<<<<<<< SEARCH\n    a(),\n=======\n    b(),\n=======\n>>>>>>> REPLACE\n"


def test_a_divider_right_above_the_end_of_a_block_of_code_is_left_out():
    found = read_blocks("a.py\n" + STRAY)

    assert found.sections == [Block("a.py", ["    a(),"], ["    b(),"], 2)]
    assert found.notes == [Note("P901", lenience="outside-text", patch_line=6, found="=======")]


@pytest.mark.parametrize(
    "text",
    [
        "a.md\n" + STRAY,  # it may underline a heading
        "Makefile\n" + STRAY,
        "a.py\n" + STRAY.replace("    b(),", "Usage"),
        "a.py\n" + STRAY.replace("    a(),", "<<<<<<< HEAD"),
        "a.py\n" + STRAY.replace("    b(),\n", ""),  # it may be the old text that has the line
        "a.py\n" + STRAY.replace("=======\n>", "=======\n    c()\n>"),
    ],
)
def test_a_block_with_two_dividers_is_refused_where_the_file_does_not_decide(text):
    assert refused(text, {text.partition("\n")[0]: b"other\n"}) == "P122"


TITLED = "<<<<<<< SEARCH\nTitle\n=======\n\nold\n=======\nTitle\n=======\n\nnew\n>>>>>>> REPLACE\n"


def test_the_file_decides_which_line_divides_a_block():
    made = applied("a.rst\n" + TITLED, {"a.rst": b"Title\n=======\n\nold\n\nmore\n"})

    assert made == {"a.rst": b"Title\n=======\n\nnew\n\nmore\n"}
    assert refused("a.rst\n" + TITLED, {"a.rst": b"Titel\n=======\n\nold\n"}) == "P122"
    assert refused("a.rst\n" + TITLED, {"a.rst": b"Title\n=======\n\nold\n"}, strict=True) == "P122"


UNOPENED = "a.txt\n```\none\n=======\neins\n>>>>>>> REPLACE\n```\n\n"


def test_the_file_decides_about_a_block_without_its_first_marker_beside_others(subtests):
    files = {"a.txt": b"one\ntwo\n"}
    whole = f"a.txt\n```\n{BODY}```\n\n"
    inside = "```\na.txt\none\n=======\neins\n>>>>>>> REPLACE\n```\n"
    for text in (UNOPENED + whole, whole + UNOPENED, whole + inside):
        with subtests.test(text):
            assert applied(text, files) == {"a.txt": b"eins\nzwei\n"}
    for other in (b"uno\ntwo\n", b"one\ntwo\none\n"):
        with subtests.test(str(other)):
            assert refused(UNOPENED + whole, {"a.txt": other}) == "P122"


def test_a_block_may_change_what_an_earlier_one_put_in():
    def block(old, new):
        return f"a.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n\n"

    text = block("one()", "x = 1\none(x)") + block("x = 1", "y = 2") + block("two()", "2") + block("y = 2", "z = 3")

    assert applied(text, {"a.py": b"one()\ntwo()\n"}) == {"a.py": b"z = 3\none(x)\n2\n"}
    assert refused(block("one()", "x = 1") + block("w = 1", "y"), {"a.py": b"one()\n"}) == "P201"


def test_a_block_of_equal_sides_that_is_not_there_is_refused_alone_and_noted_beside_others():
    same = "a.txt\n<<<<<<< SEARCH\nnone\n=======\nnone\n>>>>>>> REPLACE\n\n"
    options = Options(source="auto")

    assert refused(same, {"a.txt": b"two\n"}) == "P201"
    assert refused(same, {"b.txt": b"two\n"}) == "P302"
    done = apply(same + "a.txt\n" + BODY, MemoryFiles({"a.txt": b"two\n"}), options)
    assert [label(note.code, note.facts) for note in done.notes] == ["P990", "P929:not-there"]


@pytest.mark.parametrize("words", [("ORIGINAL", "UPDATED"), ("search", "replace")])
def test_other_words_of_the_markers_are_known(words):
    text = BODY.replace("SEARCH", words[0]).replace("REPLACE", words[1])

    assert applied(f"```python:a.txt\n{text}```\n", {"a.txt": b"two\n"}) == {"a.txt": b"zwei\n"}


def test_blank_lines_around_the_old_text_that_the_file_lacks_are_left_out_with_a_note():
    block = "a.py\n<<<<<<< SEARCH\n\n    b = 2\n\n\n=======\n\n    b = 3\n\n\n>>>>>>> REPLACE\n"
    files = {"a.py": b"a = 1\n    b = 2\nc = 3\n"}

    assert applied(block, files) == {"a.py": b"a = 1\n    b = 3\nc = 3\n"}
    assert refused(block, files, strict=True) == "P201"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_blank_line_that_an_editor_shows_behind_the_last_line_is_not_of_the_file_whatever_its_endings(ending):
    block = "f\n<<<<<<< SEARCH\ntwo\n\n\n\n=======\ntwo\n\n\n\nthree\n>>>>>>> REPLACE\n"

    made = applied(block, {"f": "one\ntwo\n\n\n".replace("\n", ending).encode()})

    assert made == {"f": "one\ntwo\n\n\n\nthree\n".replace("\n", ending).encode()}
