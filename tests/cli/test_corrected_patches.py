"""`patchkit check --fix`: which corrected patches are written, where, and what is never replaced."""

from __future__ import annotations

import json
import os

import pytest

SOURCE = 'def greet(name, loud):\n    text = "Hi " + name\n    text = text.upper()\n    print(text)\n    return text\n'
RIGHT = """\
*** Begin Patch
*** Update File: a.txt
@@
 def greet(name, loud):
     text = "Hi " + name
     text = text.upper()
-    print(text)
+    log(text)
     return text
*** End Patch
"""
LIKELY = RIGHT.replace("(name, loud)", "(name)").replace("Hi", "Hello").replace("-    print", "-    Print")
CERTAIN = RIGHT.replace("-    print(text)", "-    print(text) ")
EXACT = ("--max-pass", "exact")


@pytest.fixture
def check(run, tree):
    (tree / "a.txt").write_text(SOURCE)
    (tree / "likely.patch").write_text(LIKELY)
    (tree / "certain.patch").write_text(CERTAIN)

    def run_check(*words, **more):
        return run("check", *words, name="patchkit", **more)

    return run_check


def names(tree):
    return sorted(path.name for path in tree.iterdir() if "corrected" in path.name)


def test_fix_writes_certain_corrections_beside_their_patches(check, tree):
    done = check("--fix", *EXACT, "certain.patch", "likely.patch")

    assert (done.status, names(tree)) == (1, ["certain.corrected.patch"])
    assert (tree / "certain.corrected.patch").read_text() == RIGHT
    assert b"note[P946]: the corrected patch is in 'certain.corrected.patch' (certain)\n" in done.stdout
    assert ((tree / "a.txt").read_text(), (tree / "certain.patch").read_text()) == (SOURCE, CERTAIN)


def test_fix_likely_writes_all_corrections(check, tree):
    assert check("--fix=likely", "likely.patch").status == 1
    assert names(tree) == ["likely.corrected.patch"]
    assert check("likely.corrected.patch").status == 0


def test_what_was_written_is_no_longer_advised(check):
    assert b"check --fix=likely'" in check("likely.patch").stdout
    assert b"check --fix=likely'" not in check("likely.patch", "--fix=likely").stdout


@pytest.mark.parametrize(
    "words", [["--fix", "certain.patch"], ["certain.patch", "--fix"], ["--fix", "--", "certain.patch"]]
)
def test_fix_alone_does_not_take_the_next_word(check, tree, words):
    check(*EXACT, *words)

    assert names(tree) == ["certain.corrected.patch"]


def test_a_patch_that_applies_gets_no_other(check, tree):
    (tree / "right.patch").write_text(RIGHT)

    assert check("--fix=likely", "right.patch").status == 0
    assert names(tree) == []


def test_a_file_with_other_content_is_not_replaced(check, tree):
    (tree / "likely.corrected.patch").write_text("mine\n")
    done = check("--fix=likely", "likely.patch")

    assert (done.status, (tree / "likely.corrected.patch").read_text()) == (1, "mine\n")
    assert b"error[P224]: the corrected patch was not written: 'likely.corrected.patch' is there already" in done.stdout


def test_a_link_is_not_written_through(check, tree):
    (tree / "likely.corrected.patch").symlink_to("elsewhere")
    done = check("--fix=likely", "likely.patch")

    assert (done.status, b"error[P224]" in done.stdout, (tree / "elsewhere").exists()) == (1, True, False)


def test_a_second_run_finds_its_own_file(check):
    first, second = (check("--fix=likely", "likely.patch") for _ in range(2))

    assert first == second
    assert b"note[P946]" in second.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_said(check, tree):
    (tree / "closed").mkdir()
    (tree / "closed" / "p.patch").write_text(LIKELY)
    (tree / "closed").chmod(0o555)
    try:
        done = check("--fix=likely", "closed/p.patch")
    finally:
        (tree / "closed").chmod(0o755)

    assert b"error[P225]: the corrected patch 'closed/p.corrected.patch' cannot be written: " in done.stdout


def test_several_processes_write_the_same(check, tree):
    for number in range(4):
        (tree / f"p{number}.patch").write_text(LIKELY)
    done = check("--fix=likely", "--jobs", "2", "--json", "p*.patch")

    assert names(tree) == [f"p{number}.corrected.patch" for number in range(4)]
    assert {each["confidence"] for each in json.loads(done.stdout)["data"]["patches"]} == {"likely"}


def test_a_patch_in_another_format_is_corrected_to_a_patch(check, tree):
    body = LIKELY.partition("@@\n")[2].removesuffix("*** End Patch\n")
    (tree / "p.diff").write_text(f"--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n{body}")

    assert check("--from", "unified", "--fix=likely", "p.diff").status == 1
    assert (names(tree), check("p.corrected.patch").status) == (["p.corrected.patch"], 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fix", "-"], "option '--fix' writes beside patch files: name files instead of standard input"),
        (["--fix", "--syntax-only", "likely.patch"], "option '--fix' needs files to compare with"),
        (["--fix=perhaps", "likely.patch"], "'perhaps' is not one of 'certain', 'likely'"),
    ],
)
def test_what_fix_cannot_mean_is_a_usage_error(check, tree, words, said):
    done = check(*words, stdin=LIKELY.encode())

    assert (done.status, said in done.stderr.decode(), names(tree)) == (2, True, [])
