"""Unified diffs as programs and models write them, and what their slips mean."""

from __future__ import annotations

from base64 import b64encode

import pytest

import patchkit
from patchkit.applying import apply
from patchkit.core.changes import Options
from patchkit.core.changes.legacy import blob_id
from patchkit.core.changes.planner import plan
from patchkit.core.language import UpdateFile
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import patch_of
from patchkit.formats.model import ordered
from patchkit.formats.reading import detected
from patchkit.formats.unified import read_unified
from patchkit.sources import MemoryFiles

FILES = {"list.txt": b"one\ntwo\nthree\n"}
AFTER = {"list.txt": b"one\nzwei\nthree\n"}
HEAD = "--- a/list.txt\n+++ b/list.txt\n"
DATED = "--- list.txt\t2026-01-01 10:00:00\n+++ list.txt\t2026-01-02 10:00:00\n"
HUNK = "@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n"


def applied(text, files=FILES, **options):
    source = MemoryFiles(dict(files))
    patch = patch_of(text, "unified", source, Options(**options))
    plan(patch, source, Options(**options)).commit()
    return source.content


def taken_back(text, files):
    source = MemoryFiles(dict(files))
    apply(text, source, Options(source="unified", reverse=True))
    return source.content


def refused(text, files=FILES, **options):
    with pytest.raises(PatchkitError) as caught:
        applied(text, files, **options)
    return caught.value.code


@pytest.mark.parametrize(
    "text",
    [
        HEAD + HUNK,
        HEAD + HUNK.rstrip("\n"),
        "diff --git a/list.txt b/list.txt\nindex 1..2 100644\n" + HEAD + HUNK,
        "--- list.txt\n+++ list.txt\n" + HUNK,
        DATED + HUNK,
        "--- list.txt.orig\n+++ list.txt\n" + HUNK,
        "--- list.txt\n+++ list.txt.new\n" + HUNK,
        "--- list.txt\n+++ /tmp/x.txt\n" + HUNK,
        "--- other/old.txt\n+++ list.txt\n" + HUNK,
        "--- old/list.txt\n+++ new/list.txt\n" + HUNK,
        "--- ./list.txt\t2026-01-01\n+++ /tmp/work.x/zlib-1.2/list.txt\t2026-01-02\n" + HUNK,
        "--- i/list.txt\n+++ w/list.txt\n" + HUNK,
        "--- a/list.txt\n+++ list.txt\n" + HUNK,
        "diff -r 1 -r 2 list.txt\n--- a/list.txt\tThu Jan 02 00:00:00 2026\n+++ b/list.txt\tFri\n" + HUNK,
        f"Index: list.txt\n{'=' * 67}\n--- list.txt\t(revision 1)\n+++ list.txt\t(working copy)\n" + HUNK,
        HEAD.replace("\n", "\r\n") + HUNK.replace("\n", "\r\n"),
        "Here it is:\n\n```diff\n" + HEAD + HUNK + "```\n\nDone.\n",
        HEAD + HUNK.replace("-1,3 +1,3", "-1,9 +1,9"),
        HEAD + HUNK.replace("-1,3 +1,3", "-1,2 +1,2"),
        HEAD + HUNK.replace("-1,3 +1,3", "-40,3 +40,3"),
        HEAD + HUNK.replace("@@ -1,3 +1,3 @@", "@@"),
        HEAD + HUNK.replace("@@ -1,3 +1,3 @@", "@@ ... @@"),
        HEAD + HUNK.replace(" three", "three"),
        HEAD + HUNK + "-- \n2.39.5\n",
        "diff --git a/list.txt b/list.txt\n" + HEAD + HUNK.replace("@@\n", "@@ def f():\n", 1),
    ],
)
def test_a_diff_is_read_as_it_is_meant(text):
    assert applied(text) == AFTER


def test_counts_that_are_too_small_lose_no_line_of_a_new_file():
    text = "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n+c\n+d\n"

    assert applied(text, {}) == {"new.txt": b"a\nb\nc\nd\n"}


@pytest.mark.parametrize(("above", "noted"), [(b"", []), (b"#!/bin/sh\n", ["first-line"])])
def test_a_change_of_the_first_line_that_is_made_further_down_is_noted(above, noted):
    diff = "--- a/run\n+++ b/run\n@@ -1,2 +1,3 @@\n+set -e\n one\n two\n"
    files = {"run": above + b"one\ntwo\nthree\n"}
    notes = patchkit.apply(diff, files, from_format="unified").notes

    assert files == {"run": above + b"set -e\none\ntwo\nthree\n"}
    assert [note.facts["evidence"] for note in notes if note.code == "P937"] == noted


def test_a_removed_line_that_looks_like_a_header_is_a_removed_line():
    text = "--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n one\n--- two\n three\n"

    assert applied(text, {"x": b"one\n-- two\nthree\n"}) == {"x": b"one\nthree\n"}


def test_a_name_in_quotes_is_bytes():
    text = '--- "a/\\303\\244 \\"x\\".txt"\n+++ "b/\\303\\244 \\"x\\".txt"\n@@ -1 +1 @@\n-a\n+b\n'

    assert applied(text, {'ä "x".txt': b"a\n"}) == {'ä "x".txt': b"b\n"}


@pytest.mark.parametrize(
    ("marked", "before", "after"),
    [
        ("-a\n\\ No newline at end of file\n+a\n", b"a", b"a\n"),
        ("-a\n+a\n\\ No newline at end of file\n", b"a\n", b"a"),
        ("-a\n\\ Kein Zeilenumbruch\n+b\n\\ Kein Zeilenumbruch\n", b"a", b"b"),
    ],
)
def test_a_missing_final_newline_is_said_after_the_line(marked, before, after):
    assert applied(f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n{marked}", {"x": before}) == {"x": after}


def test_renames_that_change_places_go_through_another_name():
    text = (
        "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n"
        "diff --git a/y b/x\nsimilarity index 100%\nrename from y\nrename to x\n"
    )

    assert applied(text, {"x": b"1\n", "y": b"2\n"}) == {"x": b"2\n", "y": b"1\n"}


def test_a_file_can_become_a_directory_of_its_name():
    text = "diff --git a/b b/b/b\nsimilarity index 100%\nrename from b\nrename to b/b\n"

    assert applied(text, {"b": b"1\n"}) == {"b/b": b"1\n"}


def test_a_copy_is_an_added_file():
    text = "diff --git a/list.txt b/copy.txt\ncopy from list.txt\ncopy to copy.txt\n"

    assert applied(text) == {**FILES, "copy.txt": FILES["list.txt"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("diff --git a/x b/x\nindex 1..2 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-S 1\n+S 2\n", "git -C x checkout 2"),
        ("diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIc\n\n", "git apply --include=x FILE"),
        ("diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n", "cp NEW x"),
        ("diff --git a/x b/x\nindex 1111111..2222222\nBinary files a/x and b/x differ\n", "cat-file blob 2222222 > x"),
        ("Binary files old/x and new/x differ\n", "cp new/x x"),
        ("Binary files old/x and y and new/x and y differ\n", "cp 'new/x and y' 'x and y'"),
        ("Files old/x and new/x differ\n", "cp new/x x"),
        ("Symbolic links old/x and new/x differ\n", "cp new/x x"),
        ("File old/x is a fifo while file new/x is a regular file\n", "cp new/x x"),
    ],
)
def test_what_a_patch_cannot_say_is_refused_with_the_command_that_does_it(text, words):
    with pytest.raises(PatchkitError) as caught:
        applied(text, {"x": b"a\n"})

    assert caught.value.code == "P112"
    assert words in caught.value.hint


def test_a_deleted_file_must_have_the_content_that_the_diff_deletes():
    text = "--- a/list.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n"

    assert applied(text) == {}
    assert refused(text, {"list.txt": b"other\n"}) == "P125"


def test_a_prefix_that_is_a_directory_as_well_is_refused():
    assert refused(HEAD + HUNK, {**FILES, "a/list.txt": FILES["list.txt"]}) == "P123"
    assert applied(HEAD + HUNK, {"a/list.txt": FILES["list.txt"]}) == {"a/list.txt": AFTER["list.txt"]}


def test_of_two_names_the_one_that_exists_is_meant_and_a_copy_is_not():
    text = "--- list.txt\n+++ list.txt.new\n" + HUNK
    other = "--- list.txt\n+++ other.txt\n" + HUNK
    files = {**FILES, "list.txt.new": FILES["list.txt"], "other.txt": FILES["list.txt"]}

    assert applied(text, files) == {**files, **AFTER}
    assert refused(other, files) == "P122"
    assert refused("--- a/list.txt\n+++ b/../other.txt\n" + HUNK, {**FILES, "b/x": b"x\n"}) == "P301"


@pytest.mark.parametrize(
    ("strip", "names", "path"),
    [
        (0, ("a/list.txt", "a/list.txt"), "a/list.txt"),
        (1, ("a/list.txt", "b/list.txt"), "list.txt"),
        (1, ("./list.txt", "./list.txt"), "list.txt"),
        (1, ("/list.txt", "/list.txt"), "list.txt"),
        (2, ("x/y//list.txt", "x/z//list.txt.new"), "list.txt"),
        (3, ("C:\\x\\y\\list.txt", "C:\\x\\y\\list.txt"), "list.txt"),
        (3, ("../../x/list.txt", "../../x/list.txt"), "list.txt"),
        (1, ("/dev/null", "pkg/src/new.c"), "src/new.c"),
        (1, ("pkg/src/new.c", "/dev/null"), "src/new.c"),
        (3, ("a/list.txt", "b/list.txt"), "P122"),
    ],
)
def test_leading_parts_of_paths_are_removed_as_they_are_counted_by_patch(strip, names, path):
    old, new = names
    body = {"/dev/null": "@@ -0,0 +1 @@\n+x\n"}.get(old, "@@ -1 +0,0 @@\n-x\n" if new == "/dev/null" else HUNK)
    files = {"list.txt": FILES["list.txt"], "a/list.txt": FILES["list.txt"]}
    if new == "/dev/null":
        files[path] = b"x\n"
    text = f"--- {old}\n+++ {new}\n{body}"

    if path == "P122":
        assert refused(text, files, strip=strip) == path
        return
    after = applied(text, files, strip=strip)
    assert {name for name in {*files, *after} if files.get(name) != after.get(name)} == {path}


def refusal(text):
    with pytest.raises(PatchkitError) as caught:
        applied(text)
    return caught.value.message


def test_a_diff_of_git_that_ends_within_a_line_and_before_its_counts_is_cut_off():
    cut = ("diff --git a/list.txt b/list.txt\nindex 1111111..2222222 100644\n" + HEAD + HUNK).partition("zwei")[
        0
    ] + "zw"

    assert refusal(cut).endswith(": it ends inside a hunk")
    assert applied(cut + "ei\n") == AFTER
    assert applied(HEAD + HUNK.partition("zwei")[0] + "zwei") == AFTER


@pytest.mark.parametrize(
    "text",
    [
        "*** list.txt\t1\n--- list.txt\t2\n***************\n*** 1,3 ****\n  one\n! two\n--- 1,3 ----\n  one\n! 2\n",
        "diff -r old/list.txt new/list.txt\n2c2\n< two\n---\n> zwei\nOnly in new: x\n",
    ],
)
def test_a_diff_in_another_format_is_refused_as_that(text):
    assert refusal(text).endswith(": it is a diff in another format")
    assert detected(text) == "unified"


def test_colours_of_a_terminal_are_taken_off():
    text = (
        (HEAD + HUNK)
        .replace("-two", "\x1b[31m-two\x1b[m")
        .replace("@@ -1", "\x1b[36m@@ -1")
        .replace("---", "\x1b[1m---")
    )

    assert applied(text) == AFTER
    assert refused(text, strict=True) == "P122"


def test_names_in_lines_of_git_have_no_prefix_and_lose_one_part_less():
    text = "diff --git a/x/one.txt b/x/two.txt\nsimilarity index 100%\nrename from x/one.txt\nrename to x/two.txt\n"

    assert applied(text, {"x/one.txt": b"1\n"}, strip=1) == {"x/two.txt": b"1\n"}
    assert applied(text, {"one.txt": b"1\n"}, strip=2) == {"two.txt": b"1\n"}


def test_a_prefix_of_git_is_a_prefix_whatever_directories_there_are():
    head = "diff --git a/list.txt b/list.txt\n"
    new = (
        "diff --git a/c/new.txt b/c/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/c/new.txt\n@@ -0,0 +1 @@\n+x\n"
    )
    files = {**FILES, "a/list.txt": b"other\n", "b/c/x": b"x\n"}

    assert applied(head + HEAD + HUNK + new, files) == {**files, **AFTER, "c/new.txt": b"x\n"}


NEW = "--- /dev/null\n+++ zlib/zlib/new/x.c\n@@ -0,0 +1 @@\n+x\n"


def test_a_new_file_has_the_prefix_that_other_files_of_the_diff_show():
    head = "Index: zlib/list.txt\n--- zlib.orig/list.txt\n+++ zlib/list.txt\n"
    files = {**FILES, "zlib/zlib/new/y.c": b"y\n", "zlib/x.c": b"x\n"}

    assert applied(NEW + head + HUNK, files) == {**files, **AFTER, "zlib/new/x.c": b"x\n"}
    assert applied(NEW, files) == {**files, "zlib/zlib/new/x.c": b"x\n"}


@pytest.mark.parametrize("old", ["zlib-1.2.13/", "zlib-1.2.13/list.txt~", "old/zlib-1.2.13/"])
def test_the_directory_of_an_archive_is_no_part_of_a_path_unless_it_exists(old):
    text = f"--- {old if '~' in old else old + 'list.txt'}\n+++ zlib-1.2.13/list.txt\n" + HUNK
    there = {"zlib-1.2.13/list.txt": FILES["list.txt"]}

    assert applied(text) == AFTER
    assert applied(text, there) == {"zlib-1.2.13/list.txt": AFTER["list.txt"]}
    assert applied(text, {**there, **FILES}) == {"zlib-1.2.13/list.txt": AFTER["list.txt"], **FILES}
    assert refused(text, {}) == "P302"


def test_a_new_file_in_the_directory_of_an_archive_goes_where_its_own_directory_is():
    text = "--- /dev/null\n+++ zlib-1.2.13/doc/x\n@@ -0,0 +1 @@\n+x\n"

    assert applied(text, {"doc/y": b"y\n"}) == {"doc/y": b"y\n", "doc/x": b"x\n"}
    for files in ({}, {"zlib-1.2.13/y": b"y\n", "doc/y": b"y\n"}):
        assert applied(text, files) == {**files, "zlib-1.2.13/doc/x": b"x\n"}


def test_line_endings_of_a_crlf_file_stay():
    files = {"list.txt": FILES["list.txt"].replace(b"\n", b"\r\n")}
    head, _, body = HUNK.partition("\n")

    assert applied(HEAD + head + "\n" + body.replace("\n", "\r\n"), files) == {
        "list.txt": AFTER["list.txt"].replace(b"\n", b"\r\n")
    }


@pytest.mark.parametrize(
    "lines",
    [
        ["+new", " one\r", " two\r"],
        ["-one\r", "-two", "+1", "+2", " three\r"],
        [" one\r", "+new", " two\r"],
        ["-one\r", "+1\r", "+new", " two\r"],
    ],
)
def test_a_line_with_another_ending_than_the_file_would_give_it_gets_it_where_all_bytes_are_there(lines):
    old, new = ([line[1:] + "\n" for line in lines if line[0] != sign] for sign in "+-")
    body = "".join(line + "\n" for line in lines)
    text = HEAD + f"@@ -1,{len(old)} +1,{len(new)} @@\n" + body
    before, after = ("".join(side).encode() for side in (old, new))

    assert applied(text, {"list.txt": before}) == {"list.txt": after}
    assert applied(text, {"list.txt": b"above\n" + before}) == {"list.txt": b"above\n" + after}
    assert refused(text, {"list.txt": before.replace(b"\r\n", b"\n")}) == "P122"
    assert refused(text, {"list.txt": b"above\n" * 9 + before + b"between\n" + before}) == "P122"
    assert refused(HEAD + "@@\n" + body, {"list.txt": before}) == "P112"


def test_each_line_that_replaces_another_ends_as_that_did():
    text = HEAD + "@@ -1,3 +1,3 @@\n-one\r\n-two\n+1\r\n+2\n three\r\n"

    assert applied(text, {"list.txt": b"one\r\ntwo\nthree\r\n"}) == {"list.txt": b"1\r\n2\nthree\r\n"}


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        (b"", "@@ -0,0 +1,2 @@\n+one\r\n+two\r\n", b"one\r\ntwo\r\n"),
        (b"one", "@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+one\r\n", b"one\r\n"),
        (b"two", "@@ -1 +1,2 @@\n+one\r\n two\n\\ No newline at end of file\n", b"one\r\ntwo"),
    ],
)
def test_a_file_without_any_ending_gets_those_of_the_diff(before, hunk, after):
    assert applied(HEAD + hunk, {"list.txt": before}) == {"list.txt": after}


UNENDED = "\\ No newline at end of file\n"


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        (b"one\r\ntwo\n", "@@ -1,2 +1,2 @@\n one\r\n-two\n+two\r\n" + UNENDED, b"one\r\ntwo\r"),
        (b"one\rtwo\r", "@@ -1 +1,2 @@\n+new\n one\rtwo\r\n" + UNENDED, b"new\none\rtwo\r"),
        (b"a\rb\rc", "@@ -1 +1 @@\n-a\rb\rc\n" + UNENDED + "+a\rB\rc\n" + UNENDED, b"a\rB\rc"),
        (b"\xff\xfea\0\n\0", "@@ -1,0 +2 @@\n+\0b\0\n", b"\xff\xfea\0\n\0b\0\n\0"),
        (b"1\0\n2\0\n", "@@ -1,2 +1,2 @@\n 1\0\n-2\0\n+3\0\n", b"1\0\n3\0\n"),
        (
            b"\xff\xfea\0\n\0",
            "@@ -1,2 +1,2 @@\n-\udcff\udcfea\0\n+\udcff\udcfeb\0\n \0\n" + UNENDED,
            b"\xff\xfeb\0\n\0",
        ),
    ],
)
def test_bytes_that_are_no_lines_of_a_text_are_changed_as_bytes_and_back(before, hunk, after):
    assert applied(HEAD + hunk, {"list.txt": before}) == {"list.txt": after}
    assert taken_back(HEAD + hunk, {"list.txt": after}) == {"list.txt": before}


def test_a_last_line_without_an_ending_is_not_the_beginning_of_another_line():
    text = HEAD + "@@ -1,2 +1,2 @@\n one\r\n-two\n" + UNENDED + "+two\r\n" + UNENDED

    assert applied(text, {"list.txt": b"one\r\ntwo"}) == {"list.txt": b"one\r\ntwo\r"}
    assert refused(text, {"list.txt": b"one\r\ntwofold\r\nmore\r\n"}) == "P122"


@pytest.mark.parametrize(
    ("before", "numbers", "hunk", "after"),
    [
        (b"a\nb\n", "-1,0 +2", "+new\n", b"a\nnew\nb\n"),
        (b"a\r\nb\r\n", "-2,0 +3", "+c\n", b"a\r\nb\r\nc\n"),
        (b"a\n", "-1,0 +2", "+a\n", b"a\na\n"),
        (b"a\nb\na\n", "-1 +0,0", "-a\n", b"b\na\n"),
        (b"a\r\nb\n", "-1,2 +1", "-a\r\n-b\n+c\r\n", b"c\r\n"),
    ],
)
def test_a_diff_of_git_without_context_gives_what_git_gives_on_the_content_that_it_names(before, numbers, hunk, after):
    ids = "..".join(blob_id(data)[:7] for data in (before, after))
    head = f"diff --git a/list.txt b/list.txt\nindex {ids} 100644\n"
    text = head + HEAD + f"@@ {numbers} @@\n" + hunk

    assert applied(text, {"list.txt": before}) == {"list.txt": after}
    assert taken_back(text, {"list.txt": after}) == {"list.txt": before}


@pytest.mark.parametrize("by", ["diff --git a/list.txt b/list.txt\nindex 0123456..89abcde 100644\n" + HEAD, DATED])
def test_a_hunk_with_nothing_below_its_change_is_at_the_end_where_that_fits(by):
    text = by + "@@ -3,2 +3,3 @@\n x\n x\n+new\n"

    assert applied(text, {"list.txt": b"0\n1\nx\nx\nx\n"}) == {"list.txt": b"0\n1\nx\nx\nx\nnew\n"}
    assert applied(text, {"list.txt": b"0\n1\nx\nx\nend\n"}) == {"list.txt": b"0\n1\nx\nx\nnew\nend\n"}


def test_a_mail_with_a_transfer_encoding_is_decoded():
    head = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: x\n"
    body = (HEAD + HUNK).replace("=", "=3D").replace("two", "t=77o")

    assert applied(f"{head}Content-Transfer-Encoding: quoted-printable\n\n--- a/x\nprose\n---\n{body}") == AFTER


def test_the_encoded_parts_of_mails_are_decoded_without_those_in_html():
    """As mail programs attach a patch, or send a message as text and as HTML."""
    first = "From a@example.org Mon Sep 17 00:00:00 2001\nContent-Type: multipart/mixed; boundary=cut\n\n"
    note = "--cut\nContent-Type: text/plain\n\nHello\n\n"
    encoded = "Content-Transfer-Encoding: base64\n\n" + b64encode((HEAD + HUNK).encode()).decode() + "\n\n"
    attached = "--cut\nContent-Type: application/octet-stream\n" + encoded
    html = "--cut\nContent-Type: text/html\n" + encoded
    other = f"From b@example.org Mon Sep 17 00:00:01 2001\nSubject: y\n\n{HEAD.replace('list', 'other')}{HUNK}"
    before, after = FILES["list.txt"], AFTER["list.txt"]

    text = f"{first}{note}{attached}{html}--cut--\n\n{other}"
    assert applied(text, {"list.txt": before, "other.txt": before}) == {"list.txt": after, "other.txt": after}


@pytest.mark.parametrize(
    "text", ["diff --cc x\n@@@ -1 -1 +1 @@@\n", "@@ -1 +1 @@\n-a\n+b\n", "nothing\n", HEAD + "@@ -1 +1 @@\n"]
)
def test_a_diff_that_is_not_whole_is_refused(text):
    with pytest.raises(PatchkitError) as caught:
        read_unified(text)

    assert caught.value.code == "P122"


@pytest.mark.parametrize("text", [HEAD + HUNK.replace("-1,3", "-1,9"), "--- a/list.txt\n+++ list.txt\n" + HUNK])
def test_a_slip_is_refused_under_strict(text):
    assert refused(text, strict=True) == "P213"


def test_a_mail_speaks_of_what_those_before_it_made():
    head = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: one\n\n---\n"
    git = "diff --git a/list.txt b/list.txt\n"
    gone = "deleted file mode 100644\n--- a/list.txt\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-zwei\n-three\n"
    back = "new file mode 100644\n--- /dev/null\n+++ b/list.txt\n@@ -0,0 +1 @@\n+other\n"
    copy = "diff --git a/list.txt b/copy.txt\nsimilarity index 100%\ncopy from list.txt\ncopy to copy.txt\n"
    again = "deleted file mode 100644\n--- a/list.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-other\n"
    mails = [f"{git}{HEAD}{HUNK}", copy, git + gone, git + back, git + again]

    assert applied("".join(head + each for each in mails)) == {"copy.txt": AFTER["list.txt"]}


@pytest.mark.parametrize(
    "hunk",
    [
        "@@ -1,3 +1 @@\n------- SEARCH\n-=======\n-+++++++ REPLACE\n+new\n",
        "@@ -1,3 +1,3 @@\n *** Begin Patch\n-a\n+b\n *** End Patch\n",
    ],
)
def test_what_looks_like_another_format_inside_a_hunk_is_content(hunk):
    diff = f"--- a/x\n+++ b/x\n{hunk}"

    assert detected(f"diff --git a/x b/x\n{diff}") == "unified"
    assert detected(f"Please apply:\n{diff}") == "unified"
    with pytest.raises(PatchkitError) as caught:
        detected(diff.replace("-1,3", "-1,9"))  # then it may be anything
    assert caught.value.code == "P121"


@pytest.mark.parametrize("around", ["{}", "```\n{}```\n", "\ufeff{}", "apply_patch <<'EOF'\n{}EOF\n", "So:\n{}Done.\n"])
def test_the_header_of_a_hunk_inside_an_envelope_is_its_own(around):
    text = around.format("*** Begin Patch\n*** Update File: x\n@@ -1 +1 @@\n-a\n+b\n*** End Patch\n")
    files = {"x": b"a\n"}

    patchkit.apply(text, files, from_format="auto")

    assert files == {"x": b"b\n"}


def test_a_mark_below_the_hunks_of_a_diff_is_not_their_content():
    diff = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n one\n+*** Begin Patch\n"
    behind = f"{diff}\n*** Begin Patch\n*** Delete File: y\n*** End Patch\n"

    found = [detected(head + diff) for head in ("", "diff --git a/x b/x\n")]
    with pytest.raises(PatchkitError) as caught:
        detected(f"diff --git a/x b/x\n{behind}")

    assert (found, caught.value.code) == (["unified", "unified"], "P121")


def test_renames_that_cannot_all_be_made_come_to_an_end():
    """A name that two files take, in and beside a circle: there is no order, and planning says what is in the way."""
    sections = [UpdateFile("x", "a", [], 1), UpdateFile("a", "b", [], 2), UpdateFile("b", "a", [], 3)]

    assert len(ordered(sections)) < 9


def test_thousands_of_renames_are_ordered_by_names_and_not_by_pairs():
    swaps = [UpdateFile(f"{a}{n}", f"{b}{n}", [], n) for n in range(2000) for a, b in (("x", "y"), ("y", "x"))]

    assert [(each.path, each.move_to) for each in ordered(swaps)[:3]] == [
        ("x0", "x0.moved-1"),
        ("y0", "x0"),
        ("x0.moved-1", "y0"),
    ]


ONE = "--- a/list.txt\n+++ b/list.txt\n@@ -1,2 +1,2 @@\n-one\n+eins\n two\n"
NUMBERS = {"list.txt": b"one\ntwo\nthree\nfour\n", "b.txt": b"two\nthree\n"}
OTHER = "@@ -3,2 +3,2 @@\n-three\n+drei\n four\n"
BOTH = {"list.txt": b"eins\ntwo\ndrei\nfour\n", "b.txt": b"two\nthree\n"}


@pytest.mark.parametrize(
    ("between", "lenience"),
    [
        ("```\nand then\n```diff\n", "no-file-name"),
        ("\nNow the end of it:\n\n", "no-file-name"),
        ("\n**list.txt**\n```diff\n", "path-spelling"),
        ("```\n+++ b/list.txt\n", "path-spelling"),
    ],
)
def test_a_hunk_behind_text_is_not_passed_over(between, lenience):
    foreign = read_unified(ONE + between + OTHER)

    assert lenience in [note.facts.get("lenience") for note in foreign.notes]
    assert applied(ONE + between + OTHER, NUMBERS) == BOTH


def test_a_hunk_with_no_file_refuses_the_whole_diff():
    assert refused("@@\n two\n-three\n+drei\n\n" + ONE, NUMBERS) == "P122"


def test_a_mail_may_quote_a_hunk_in_its_message():
    mail = f"From {'1' * 40} Mon Sep 17 00:00:00 2001\nSubject: x\n\n{OTHER}---\n{ONE}-- \n2.39.5\n"

    assert applied(mail, NUMBERS) == NUMBERS | {"list.txt": b"eins\ntwo\nthree\nfour\n"}


@pytest.mark.parametrize("above", ["", ONE])
def test_a_file_without_a_hunk_header_is_one_hunk(above):
    changed = applied(above + "--- a/b.txt\n+++ b/b.txt\n two\n-three\n+drei\n", NUMBERS)

    assert changed["b.txt"] == b"two\ndrei\n"


@pytest.mark.parametrize("text", [f"```diff\n{ONE}```\n", ONE[:-1], ONE.replace("--- a/list.txt\n", "")])
def test_a_fence_a_cut_line_and_half_a_header_are_slips(text):
    assert applied(text, NUMBERS)["list.txt"] == b"eins\ntwo\nthree\nfour\n"
    assert refused(text, NUMBERS, strict=True) == "P213"


@pytest.mark.parametrize("name", ["auto", "unified"])
def test_a_diff_in_the_item_of_a_list_is_read_without_its_margin(name):
    item = "".join(f"   {line}\n" for line in ["```diff", *ONE.split("\n")[:-1], "```"])
    text = f"1. In list.txt:\n\n{item}\n2. Nothing else.\n"
    source = MemoryFiles(dict(NUMBERS))
    patch = patch_of(text, name, source, Options())

    assert patch.notes[-1].facts["lenience"] == "outside-text"
    plan(patch, source, Options()).commit()
    assert source.content["list.txt"] == b"eins\ntwo\nthree\nfour\n"


@pytest.mark.parametrize("more", ["", "similarity index 100%\n", "similarity index 100%\nrename from a.txt\n"])
def test_a_header_that_is_cut_off_does_not_rename_a_file(more):
    whole = "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+two\n"

    with pytest.raises(PatchkitError) as caught:
        read_unified(whole + "diff --git a/a.txt b/dir/a\n" + more)

    assert (caught.value.code, caught.value.patch_line) == ("P122", 7)


QUOTED = ["diff --git a/a b/a\n--- a/a\n+++ b/a\n", "--- a\n+++ a\n", "*** Begin Patch\n*** Update File: a\n"]


@pytest.mark.parametrize("name", ["auto", "unified", ""])
@pytest.mark.parametrize("mark", ["> ", ">", "> > ", ">> "])
@pytest.mark.parametrize("text", QUOTED)
def test_lines_that_are_quoted_are_refused_with_the_first_of_them_and_the_next_step(text, mark, name):
    body = text + "@@ -1 +1 @@\n-one\n+two\n"
    answer = "Hello,\n\nAnna wrote:\n" + "".join(mark + line for line in body.splitlines(True)) + "\nThanks\n"

    with pytest.raises(PatchkitError) as caught:
        apply(answer, MemoryFiles({"a": b"one\n"}), Options(source=name))

    assert (caught.value.code, caught.value.patch_line, caught.value.hint) == (
        {"auto": "P120", "unified": "P122", "": "P101"}[name],
        4,
        "remove the quote marks ('> ') in front of the lines, or send the text that is quoted",
    )


@pytest.mark.parametrize("text", ["> a sentence\n> --- and more\n", "> --- a\n+++ a\n", "x > diff --git a/a b/a\n"])
def test_what_is_quoted_and_no_diff_is_not_called_one(text):
    with pytest.raises(PatchkitError) as caught:
        apply(text, MemoryFiles({}), Options(source="auto"))

    assert (caught.value.code, caught.value.patch_line) == ("P120", 1)
    assert caught.value.hint.startswith("send a patch, a unified diff")


def test_a_diff_below_a_quoted_one_is_applied():
    files = MemoryFiles({"a": b"one\n"})
    text = "> --- a\n> +++ a\n> @@ -1 +1 @@\n> -one\n> +three\n\nBetter:\n\n--- a\n+++ a\n@@ -1 +1 @@\n-one\n+two\n"

    apply(text, files, Options(source="auto"))

    assert files.content == {"a": b"two\n"}


def test_the_counts_of_a_hunk_say_where_it_ends_when_its_context_lost_the_space_before_it():
    text = "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\nif\n\ta\n+\tnew\n}\n@@ -5,2 +6,3 @@\n\tb\n+\tmore\n}\n"
    files = MemoryFiles({"f": b"if\n\ta\n}\nif\n\tb\n}\n"})

    made = plan(patch_of(text, "unified", files, Options()), files, Options())

    assert [hunk.lines for section in made.sections for hunk in section.op.hunks] == [
        [" if", " \ta", "+\tnew", " }"],
        [" \tb", "+\tmore", " }"],
    ]


def test_no_hunk_is_passed_over_where_context_lines_have_lost_their_signs():
    before = "[a]\nx = 1\ns = true\nd = cov\nc = combine\n\nb = def\nq = 2\ns = true\nd = cov\n"
    first = "--- a/t.ini\n+++ b/t.ini\n@@\n[a]\nx = 1\n-s = true\n+s = skip\nd = cov\nc = combine\n\n"
    for between in ("", "And then the other place:\n\n"):
        files = {"t.ini": before.encode()}
        patchkit.apply(
            f"{first}{between}@@\nb = def\nq = 2\n-s = true\n+s = skip\nd = cov\n", files, from_format="unified"
        )
        assert files["t.ini"].decode() == before.replace("true", "skip")


def test_counts_that_end_above_a_blank_line_and_all_changes_are_not_taken_where_signs_are_lost():
    files = {"f": b"a\n\nb\nc\n"}

    patchkit.apply("--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\na\n\n-b\n+B\nc\n", files, from_format="unified")

    assert files == {"f": b"a\n\nB\nc\n"}


# -- files of Subversion and Mercurial without a change that the diff shows --------------------------
RULE, LOW_RULE = "=" * 67 + "\n", "_" * 67 + "\n"
NAMES = "--- list.txt\t(revision 1)\n+++ list.txt\t(working copy)\n"
SVN = f"Index: list.txt\n{RULE}{NAMES}{HUNK}"
HG = f"diff -r 000000000000 -r 0123456789ab list.txt\n{HEAD}{HUNK}"
WITHOUT = {
    "binary, of Subversion": f"Index: pic\n{RULE}Cannot display: file marked as a binary type.\nsvn:mime-type = x/y\n",
    "binary, with properties": f"Index: pic\n{RULE}Cannot display: file marked as a binary type.\n\n"
    f"Property changes on: pic\n{LOW_RULE}Added: svn:mime-type\n## -0,0 +1 ##\n+x/y\n",
    "empty, of Subversion": f"Index: pic\n{RULE}",
    "binary, of Mercurial": "diff -r 000000000000 -r 0123456789ab pic\nBinary file pic has changed\n",
    "empty, of Mercurial": "diff -r 000000000000 pic\n",
}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("what", WITHOUT)
def test_a_file_whose_change_the_diff_does_not_have_is_not_passed_over(what, first):
    other = SVN if "Index" in WITHOUT[what] else HG
    text = WITHOUT[what] + other if first else other + WITHOUT[what]
    with pytest.raises(PatchkitError) as raised:
        applied(text)

    assert (raised.value.code, "the change of 'pic'" in raised.value.message) == ("P112", True)
    assert applied(text, skip_unsupported=True) == AFTER


def test_each_patch_of_mercurial_is_asked_for_its_files():
    step = "# HG changeset patch\n# User n\nwords\n\n"
    with pytest.raises(PatchkitError, match="the change of 'pic'"):
        applied(step + WITHOUT["empty, of Mercurial"] + step + HG)


def test_properties_alone_are_a_note_and_the_other_files_are_changed():
    changed = f"Property changes on: other.txt\n{LOW_RULE}Added: svn:eol-style\n## -0,0 +1 ##\n+native\n"
    names = NAMES.replace("list", "other")

    assert applied(f"Index: other.txt\n{RULE}{names}\n{changed}{SVN}") == AFTER
    assert applied(f"{SVN}Index: other.txt\n{RULE}{names}\n{changed}") == AFTER
    git = f"Index: other.txt\n{RULE}diff --git a/other.txt b/other.txt\n{names}\n{changed}"
    assert applied(git + SVN) == applied(SVN + git) == AFTER


@pytest.mark.parametrize("names", ["", "--- a/other.txt\n+++ b/other.txt\n"])
def test_a_header_of_git_without_its_change_is_not_passed_over(names):
    header = f"diff --git a/other.txt b/other.txt\nindex 0123456..89abcde 100644\n{names}"
    for text in (f"{header}diff --git a/list.txt b/list.txt\n{HEAD}{HUNK}", f"{HEAD}{HUNK}{header}"):
        with pytest.raises(PatchkitError, match=r"the change of 'other\.txt' is not there"):
            applied(text)


@pytest.mark.parametrize("shown", ["0123456..89abcde:\n  > words", "0000000...89abcde (new submodule)"])
def test_a_submodule_that_git_names_in_words_is_refused_as_one(shown):
    text = f"{HEAD}{HUNK}Submodule some lib {shown}\n"
    with pytest.raises(PatchkitError, match="the submodule 'some lib'") as raised:
        applied(text)

    assert "git -C 'some lib' checkout 89abcde" in raised.value.render()
    assert applied(text, skip_unsupported=True) == AFTER
    assert applied(f"Subject: Submodule some lib {shown}\nSubmodule some lib {shown}\n\n{HEAD}{HUNK}") == AFTER


# -- what only Subversion writes in the format of git ------------------------------------------------


def of_subversion(path, text, first="a.txt"):
    return f"Index: {path}\n{RULE}diff --git a/{first} b/{path}\n{text}"


@pytest.mark.parametrize("new", ["b.txt", "A.txt"])
def test_a_copy_and_a_rename_of_subversion_are_made_once(new):
    old = of_subversion("a.txt", "deleted file mode 100644\n--- a/a.txt\t(revision 1)\n+++ b/a.txt\t(nonexistent)\n")
    gone = f"{old}@@ -1 +0,0 @@\n-one\n"
    moved = of_subversion(new, f"rename from a.txt\nrename to {new}\n")
    for text in (gone + moved, moved + gone):
        files = {"a.txt": b"one\n"}
        patchkit.apply(text, files, from_format="unified")
        assert files == {new: b"one\n"}

    files = {"a@1": b"one\n"}
    patchkit.apply(of_subversion(new, f"copy from a@1@12\ncopy to {new}\n", "a@1"), files, from_format="unified")
    assert files == {"a@1": b"one\n", new: b"one\n"}


def test_a_link_of_subversion_is_a_link_or_refused(tmp_path):
    special = f"\nProperty changes on: here\n{LOW_RULE}Added: svn:special\n## -0,0 +1 ##\n+*\n"
    body = "@@ -0,0 +1 @@\n+{}there\n\\ No newline at end of file\n"
    names = "--- here\t(nonexistent)\n+++ here\t(working copy)\n"
    with pytest.raises(PatchkitError, match="the symbolic link 'here'"):
        patchkit.apply(f"Index: here\n{RULE}{names}{body.format('link ')}{special}", tmp_path, from_format="unified")
    git = of_subversion("here", f"new file mode 120644\n{names}{body.format('')}{special}", "here")
    patchkit.apply(git, tmp_path, from_format="unified")

    assert (tmp_path / "here").readlink().name == "there"
