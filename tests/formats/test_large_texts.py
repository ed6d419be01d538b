"""Large texts that nearly are what they seem: each is read or refused, and none of them costs more than its size.

A search that goes over the rest of the text for each line, or a pattern that tries every way to divide whitespace,
would take hours for these.
"""

from __future__ import annotations

import base64
import json

import pytest
from counted_steps import steps as counted_steps

from patchkit.converting import write_blind
from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.core.language.parser import parse
from patchkit.errors import PatchkitError
from patchkit.formats.foreign import patch_of
from patchkit.formats.reading import read_format
from patchkit.formats.snippets import NoPlaceError, merged
from patchkit.formats.unified import git_names
from patchkit.sources import MemoryFiles

MANY = 100_000
DIFF = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n"
BLOCK = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
MAIL = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: x\n"
ENCODED = "Content-Transfer-Encoding: base64\n"


def body(diff: str) -> str:
    return base64.encodebytes(diff.encode()).decode()


TEXTS = {
    "blank lines above a hunk": (DIFF + "\n" * MANY + "@@ -5 +5 @@\n-x\n+y\n", "ok"),
    "blank lines in place of a fence": ('some { "path"\n' + "\n" * MANY, "P120"),
    "fences of other lengths": ('some { "path"\n' + "".join("`" * (3 + n % 300) + "\n" for n in range(1000)), "P112"),
    "a tag with nothing but spaces": ("<path>" + " " * MANY + "\n" + BLOCK, "P126"),
    "a renamed file in many directories": (
        f"diff --git a/x b/y\nsimilarity index 100%\nrename from {'x/' * MANY}x\nrename to y\n",
        "ok",
    ),
    "a new file in many directories": (f"--- /dev/null\n+++ b/{'x/' * MANY}x\n@@ -0,0 +1 @@\n+x\n", "ok"),
    "names of nothing but slashes": ("diff --git " + "a/ " * MANY + "\n", "P122"),
    "blocks below what may be names": ("f.py\n" + BLOCK + ("word\n" + BLOCK) * 2_000, "ok"),
    "mails in a mail": (MAIL + ENCODED + "Content-Type: message/rfc822\n\n" * 3_000 + DIFF, "P122"),
    "a header of nothing but quotes": (
        MAIL + ENCODED + "Content-Type: multipart/mixed" + ';"' * MANY + "\n\n" + body(DIFF) + DIFF,
        "P122",
    ),
    "a header over many lines": (MAIL + "X: a\n" + " b\n" * MANY + ENCODED + "\n" + body(DIFF), "ok"),
    "a long header behind a bare CR": (
        f'From: x\rContent-Type: multipart/mixed; boundary="{";" * MANY}\n{ENCODED}\n{DIFF}',
        "P122",
    ),
    "parts in parts behind a bare CR": (
        "".join(f"X: y\rContent-Type: multipart/mixed; boundary=b{n}\r\r--b{n}\r" for n in range(1_000))
        + f"\n{ENCODED}\n{DIFF}",
        "P122",
    ),
    "many mails": ((MAIL + ENCODED + "\n" + body(DIFF)) * 1_000, "ok"),
    "first lines of mails, with times in them": (DIFF + ("From a " + "1:11:11 " * MANY + "\n") + ENCODED, "ok"),
    "a mail that is cut off": (MAIL + ENCODED + "\n" + body(DIFF * 2_000)[:-7], "ok"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_large_text_is_read_or_refused(name):
    text, expected = TEXTS[name]
    try:
        write_blind(read_format(text), "v4a")
        found = "ok"
    except PatchkitError as error:
        found = error.code

    assert found == expected


def test_a_name_of_more_directories_than_a_system_has_is_refused():
    text = f"--- a/{'x/' * MANY}x\n+++ b/{'x/' * MANY}x\n@@ -1 +1 @@\n-x\n+y\n"
    files = MemoryFiles({"f": b"x\n"})

    with pytest.raises(PatchkitError) as caught:
        plan(patch_of(text, "auto", files, Options()), files)
    assert (caught.value.code, caught.value.facts["reason"]) == ("P309", "it is too long")


def test_a_line_with_many_names_is_divided_where_both_are_the_same():
    name = "x " * MANY + "y"

    assert git_names(f"a/{name} b/{name}") == (f"a/{name}", f"b/{name}")
    assert git_names(f"a/{name} b/{name}z") == ("a/x", f"{name[2:]} b/{name}z")


def test_thousands_of_placeholders_and_blank_lines_are_filled_from_a_large_file():
    old = "".join(f"line {number}\n" for number in range(20_000))
    gaps = "".join(f"line {number}\n# ... existing code ...\n" for number in range(0, 20_000, 2))

    assert merged(gaps, old) == old
    for part in ("line 1\n# ... existing code ...\n" + "\n" * MANY + "line 9\n", "x\n# ...\n" * MANY):
        with pytest.raises(NoPlaceError):
            merged(part, old)


def test_pieces_of_a_file_whose_lines_are_all_the_same_are_refused_after_few_steps():
    with pytest.raises(NoPlaceError):
        merged("# ...\na\nb\na\n" * 2_000 + "# ...\n", "a\n" * 20_000)


def test_a_diff_in_a_mail_is_found_below_its_transfer_encoding():
    text = MAIL + ENCODED + "\n" + body(DIFF)
    files = MemoryFiles({"f": b"x\n"})

    assert [each.path for each in patch_of(text, "auto", files, Options()).sections] == ["f"]


# Small texts about a file of many lines that are all the same: each is refused, after a bounded number of steps.
ALIKE = b"a\n" * 20_000
BOMBS = {
    "edits of every place": (
        "json-edits",
        json.dumps([{"path": "f", "old_string": "a", "new_string": "b", "replace_all": True}] * 2_000),
    ),
    "updates of one file": (
        "openai-ops",
        json.dumps([{"type": "update_file", "path": "f", "diff": "@@\n-a\n+b\n"}] * 2_000),
    ),
    "hunks with wrong counts": ("unified", "--- a/f\n+++ b/f\n" + "@@ -1,9 +1,7 @@\n a\n-a\n+b\n" * 5_000),
    "the same block again and again": ("search-replace", "f\n" + BLOCK.replace("x", "a") * 3_000),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_text_about_a_large_file_is_refused_with_bounded_work(name):
    form, text = BOMBS[name]
    files = MemoryFiles({"f": ALIKE})

    def work():
        with pytest.raises(PatchkitError):
            plan(patch_of(text, form, files, Options()), files)

    assert counted_steps(work) < 60_000_000


def test_hunks_that_change_nothing_cost_what_their_number_says():
    def steps(count):
        patch = parse("*** Begin Patch\n*** Update File: f\n" + "@@\n two\n" * count + "*** End Patch\n")
        return counted_steps(lambda: plan(patch, MemoryFiles({"f": b"one\ntwo\nthree\n"})))

    steps(10)
    assert steps(4_000) < 2.5 * steps(2_000)
