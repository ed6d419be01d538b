"""A git diff written as a patch without a plan: what a plan would give, or left to planning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchkit.applying import apply, read_patch
from patchkit.converting import convert, write_plan
from patchkit.core.changes.options import Options
from patchkit.core.changes.planner import plan
from patchkit.core.changes.sources import MemoryFiles
from patchkit.diffs.diff import FileDiff, unified_file
from patchkit.errors import PatchkitError
from patchkit.formats.plain_diffs import plain_diff

LINES = [b"line %d" % number for number in range(30)]
OLD = b"".join(line + b"\n" for line in LINES)
HEAD = "diff --git a/a.txt b/a.txt\nindex 4cb29ea..ac6c6c6 100644\n--- a/a.txt\n+++ b/a.txt\n"
HUNK = "@@ -5,3 +5,3 @@ line 3\n line 4\n-line 5\n+line five\n line 6\n"
SECTION = b"*** Update File: a.txt\n@@\n line 4\n-line 5\n+line five\n line 6\n"


def diff_of(name: str, old: bytes, new: bytes) -> str:
    return unified_file(FileDiff((name, name), ("100644", "100644"), old, new)).decode("utf-8", "surrogateescape")


def by_a_plan(text: str, before: dict[str, bytes]) -> bytes:
    files = MemoryFiles(dict(before))
    options = Options(check=True, source="unified", allow_duplicate=True)
    patch = read_patch(text, files, options)
    options.allow_placeholder = True
    return write_plan(plan(patch, files, options), "v4a").text


def sections_of(text: str, before: dict[str, bytes]) -> list[bytes | None] | None:
    found = plain_diff(text, MemoryFiles(dict(before)))
    return None if found is None else found.sections


def test_a_hunk_at_its_number_is_written_as_it_is():
    assert sections_of(HEAD + HUNK, {"a.txt": OLD}) == [SECTION]
    assert by_a_plan(HEAD + HUNK, {"a.txt": OLD}) == b"*** Begin Patch\n" + SECTION + b"*** End Patch\n"


def test_a_file_without_a_final_newline_is_plain_where_its_last_line_is_not_shown():
    assert sections_of(HEAD + HUNK, {"a.txt": OLD[:-1]}) == [SECTION]
    assert sections_of(HEAD + HUNK, {"a.txt": OLD + b"line 6"}) == [None]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + HUNK.replace("-5,3", "-6,3"),
        HEAD + HUNK.replace("-5,3", "-5,4"),
        HEAD + HUNK.replace("+5,3", "+5,2"),
        HEAD + HUNK.replace(" line 4", " Line 4"),
        HEAD + HUNK.replace(" line 4\n", "\n"),
        HEAD + "@@ -6 +6 @@\n-line 5\n+line five\n",
        HEAD + "@@ -6,0 +6,1 @@\n+line five and a half\n",
        HEAD + HUNK + "@@ -4,2 +4,2 @@\n line 3\n-line 4\n+line four\n",
        HEAD + HUNK + "-- \n2.39.5\n",
        HEAD + HUNK.replace("five", "*** five"),
        HEAD.replace("100644", "120000") + HUNK,
        HEAD.replace("index", "old mode 100644\nnew mode 100755\nindex") + HUNK,
        HEAD.replace("b/a.txt", "b/b.txt") + HUNK,
        HEAD.replace("a.txt", "no.txt") + HUNK,
        HEAD.replace("a.txt", "./a.txt") + HUNK,
        HEAD,
    ],
)
def test_what_is_not_as_git_writes_it_for_this_file_is_left_to_planning(text):
    assert sections_of(text, {"a.txt": OLD}) == [None]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        (HEAD + HUNK, {"a.txt": OLD, "a/a.txt": OLD}),
        (HEAD + HUNK, {"a.txt": OLD, "b": OLD}),
        ((HEAD + HUNK).replace("\n", "\r\n"), {"a.txt": OLD}),
        ((HEAD + HUNK)[:-1], {"a.txt": OLD}),
        (HEAD + HUNK.replace("five", "\ud800"), {"a.txt": OLD}),
        ("Subject: a\n\n" + HEAD + HUNK, {"a.txt": OLD}),
        (HEAD + HUNK + HEAD + "@@ -9,2 +9,2 @@\n line 8\n-line 9\n+line nine\n", {"a.txt": OLD}),
        (HEAD + "@@ -1 +1 @@\n-no\n+yes\nFrom 4cb29ea\nSubject: a\n" + HEAD.replace("a.txt", "c.txt"), {"a.txt": OLD}),
    ],
)
def test_a_text_that_is_not_one_diff_of_git_is_left_to_planning(text, before):
    assert sections_of(text, before) is None


@pytest.mark.parametrize(
    "old",
    [
        OLD.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + OLD,
        b"\0" + OLD,
        OLD + b"line 4\nline 5\nline 6\n",  # a second place
        OLD + b"line 4\nline five\nline 6\n",  # a second place of what it becomes
        OLD.replace(b"line 9", b"line five").replace(b"line 8", b"line 4").replace(b"line 10", b"line 6"),
    ],
)
def test_a_file_in_which_the_hunk_is_not_alone_or_its_lines_are_not_plain_is_left_to_planning(old):
    assert sections_of(HEAD + HUNK, {"a.txt": old}) == [None]


def test_a_hunk_that_could_be_taken_for_one_that_was_made_is_left_to_planning():
    old = b"a\nb\nnew\nb\nend\n"
    text = HEAD + "@@ -1,2 +1,4 @@\n a\n b\n+new\n+b\n"
    assert sections_of(text, {"a.txt": old}) == [None]


def test_lines_in_utf8_are_plain_where_the_file_is_that_beyond_doubt():
    text = (HEAD + HUNK).replace("five", "fünf")
    assert sections_of(text, {"a.txt": OLD}) == [SECTION.replace(b"five", "fünf".encode())]
    assert sections_of(text, {"a.txt": b"# coding: latin-1\n" + OLD[7:]}) == [None]
    assert sections_of(text, {"a.txt": OLD.replace(b"line 20", b"l\xefne 20")}) == [None]


def test_a_definition_that_the_file_has_is_left_to_planning():
    old = b"def f():\n    pass\n\n\n" + OLD
    text = HEAD.replace("a.txt", "a.py") + HUNK.replace("-5,3 +5,3", "-9,3 +9,4")
    text = text.replace("+line five\n", "+def f():\n+    return 1\n")
    assert sections_of(text, {"a.py": old}) == [None]
    section = SECTION.replace(b"a.txt", b"a.py").replace(b"+line five\n", b"+def g():\n+    return 1\n")
    assert sections_of(text.replace("def f", "def g"), {"a.py": old}) == [section]


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
    assert made.text == by_a_plan(text, before)
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


FEW = st.sampled_from([b"", b"a", b"b", b"    c", b"def f():", b"    return 1", b"}", b"class D:", "é".encode()])
SOME = FEW | st.integers(0, 40).map(lambda number: b"line %d" % number)


@st.composite
def changed_files(draw):
    """Files of lines that are often alike, and what they become: lines added, removed, replaced and moved."""
    trees: tuple[dict[str, bytes], dict[str, bytes]] = {}, {}
    for name in draw(st.lists(st.sampled_from(["a.py", "b.py", "d/c.txt"]), min_size=1, max_size=3, unique=True)):
        old = draw(st.lists(SOME, min_size=1, max_size=40))
        new = list(old)
        for _ in range(draw(st.integers(1, 3))):
            at = draw(st.integers(0, len(new)))
            new[at : at + draw(st.integers(0, 2))] = draw(st.lists(SOME, max_size=6))
        end = draw(st.sampled_from([b"\n", b"\n", b""]))
        trees[0][name], trees[1][name] = (b"\n".join(lines) + end for lines in (old, new))
    return trees


@given(changed_files())
def test_what_is_written_without_a_plan_is_what_a_plan_gives(trees):
    before, after = trees
    text = "".join(diff_of(name, before[name], after[name]) for name in before if before[name] != after[name])
    found = plain_diff(text, MemoryFiles(dict(before))) if text else None
    for name, section in zip((name for name in before if before[name] != after[name]), found.sections if found else ()):
        if section is not None:
            whole = b"*** Begin Patch\n" + section + b"*** End Patch\n"
            assert whole == by_a_plan(diff_of(name, before[name], after[name]), {name: before[name]})
            files = MemoryFiles({name: before[name]})
            apply(whole.decode(), files, Options(strict=True, allow_placeholder=True))
            assert files.content == {name: after[name]}
            apply(whole.decode(), files, Options(strict=True, reverse=True))
            assert files.content == {name: before[name]}


def test_a_diff_whose_lines_look_like_another_format_is_a_diff_where_all_of_it_is_plain():
    text = (HEAD + HUNK).replace("line five", "<SEARCH> and JSON")
    made = convert(text, MemoryFiles({"a.txt": OLD}), "v4a", Options(source="auto"))
    assert made.text == b"*** Begin Patch\n" + SECTION.replace(b"line five", b"<SEARCH> and JSON") + b"*** End Patch\n"
    assert [(note.code, note.facts) for note in made.notes] == [("P990", {"format": "a unified diff"})]
