"""A refused patch that has a correction: what the command shows of it, and what '--fix' does."""

from __future__ import annotations

import json

import pytest

SOURCE = """\
def greet(name, loud):
    text = "Hi " + name
    text = text.upper()
    print(text)
    return text
"""
FIXED = SOURCE.replace("print", "log")
LIKELY = """\
*** Begin Patch
*** Update File: a.txt
@@
 def greet(name):
     text = "Hello " + name
     text = text.upper()
-    Print(text)
+    log(text)
     return text
*** End Patch
"""
RIGHT = LIKELY.replace("(name)", "(name, loud)").replace("Hello", "Hi").replace("Print", "print")
CERTAIN = RIGHT.replace("-    print(text)", "-    print(text) ")  # with '--max-pass exact'
SURE = "certain: all that it removes, and what is beside added lines, is in the file"


@pytest.fixture
def source(tree):
    (tree / "a.txt").write_text(SOURCE)
    return tree / "a.txt"


def test_a_likely_correction_is_shown_as_a_short_diff_with_the_command_that_applies_it(run, source):
    done = run(LIKELY)

    assert (done.status, done.stdout, source.read_text()) == (1, b"", SOURCE)
    assert done.stderr.decode().partition(" ::: patch:4")[1:] == (
        " ::: patch:4",
        """, corrected patch (likely)
3 |   @@
4 | -  def greet(name):
5 | -      text = "Hello " + name
  | +  def greet(name, loud):
  | +      text = "Hi " + name
6 |        text = text.upper()
7 | - -    Print(text)
  | + -    print(text)
8 |   +    log(text)
  = help: run the same command with '--fix=likely' if the corrected patch is what you meant
""",
    )


def test_a_certain_correction_says_what_makes_it_certain(run, source):
    done = run("--max-pass", "exact", CERTAIN)

    assert (done.status, source.read_text()) == (1, SOURCE)
    assert done.stderr.decode().endswith(
        f""" ::: patch:7, corrected patch ({SURE})
6 |        text = text.upper()
7 | - -····print(text)·
  | + -····print(text)
8 |   +    log(text)
  = help: run the same command with '--fix' to apply the corrected patch
"""
    )


def test_fix_applies_a_certain_correction_and_says_so(run, source):
    done = run("--fix", "--max-pass", "exact", CERTAIN)

    assert (done.status, done.stdout) == (0, b"Success. Updated the following files:\nM a.txt\n")
    assert done.stderr == b"note[P939]: the patch was refused (P207); its correction is applied instead (certain)\n"
    assert source.read_text() == FIXED


@pytest.mark.parametrize("flag", ["--fix", "--fix=certain"])
def test_fix_alone_leaves_a_likely_correction(run, source, flag):
    done = run(flag, LIKELY)

    assert (done.status, source.read_text()) == (1, SOURCE)
    assert b"'--fix=likely'" in done.stderr


@pytest.mark.parametrize(("words", "patch"), [([], LIKELY), (["--max-pass", "exact"], CERTAIN)])
def test_fix_likely_applies_both_kinds(run, source, words, patch):
    assert run("--fix=likely", *words, patch).status == 0
    assert source.read_text() == FIXED


def test_fix_changes_nothing_for_a_patch_that_applies(run, source):
    done = run("--fix=likely", RIGHT)

    assert (done.status, done.stderr, source.read_text()) == (0, b"", FIXED)


def test_fix_with_check_says_that_the_correction_applies(run, source):
    done = run("--fix=likely", "--check", LIKELY)

    assert (done.status, source.read_text()) == (0, SOURCE)
    assert done.stdout == b"Patch applies. It would update the following files:\nM a.txt\n"
    assert done.stderr == b"note[P939]: the patch was refused (P201); its correction is applied instead (likely)\n"


def test_the_json_has_the_corrected_patch_and_how_sure_it_is(run, source):
    said = json.loads(run("--json", LIKELY).stdout)

    assert (said["data"]["confidence"], set(said["errors"][0])) == ("likely", set(said["error"]))
    assert "suggestion" not in said["error"]
    assert run(said["data"]["suggestion"]).status == 0
    assert source.read_text() == FIXED


def test_the_json_of_a_patch_that_applies_has_no_correction(run, source):
    data = json.loads(run("--json", RIGHT).stdout)["data"]

    assert (data["suggestion"], data["confidence"]) == (None, None)


def test_a_refusal_without_a_correction_offers_none(run, source):
    assert b"corrected patch" not in run(LIKELY.replace("Print(text)", "give.back(nothing)")).stderr


def test_in_the_codex_dialect_the_rest_is_corrected_and_the_sections_before_it_stay(run, source, tree):
    two = LIKELY.replace("*** Update", "*** Add File: n.txt\n+new\n*** Update", 1)
    shown = run("--dialect", "codex", two)

    assert (shown.status, source.read_text(), (tree / "n.txt").read_text()) == (1, SOURCE, "new\n")
    rest = shown.stderr.decode().partition("corrected patch (likely):\n")[2].partition("  = help: ")
    assert rest[2] == "send the corrected patch if it is what you meant\n"
    assert run(rest[0]).status == 0
    assert source.read_text() == FIXED


def test_in_the_codex_dialect_fix_applies_what_is_left_as_corrected(run, source, tree):
    two = LIKELY.replace("*** Update", "*** Add File: n.txt\n+new\n*** Update", 1)
    done = run("--dialect", "codex", "--fix=likely", two)

    assert (done.status, done.stdout) == (0, b"Success. Updated the following files:\nA n.txt\nM a.txt\n")
    assert (source.read_text(), (tree / "n.txt").read_text()) == (FIXED, "new\n")


def test_a_patch_in_another_format_is_corrected_as_a_patch(run, source):
    body = LIKELY.partition("@@\n")[2].removesuffix("*** End Patch\n")
    diff = f"--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n{body}"
    done = run("--from", "unified", diff)

    assert done.status == 1
    assert done.stderr.decode().partition(" ::: corrected patch (likely)\n")[2].split("\n")[:3] == [
        " 1 |   *** Begin Patch",
        " 2 |   *** Update File: a.txt",
        " 3 |   @@",
    ]
    text = json.loads(run("--json", "--from", "unified", diff).stdout)["text"]
    assert text == done.stderr.decode()
    assert run("--from", "unified", "--fix=likely", diff).status == 0
    assert source.read_text() == FIXED


def test_a_likely_correction_for_another_file_is_shown_and_applied_where_that_is_asked_for(run, source):
    astray = RIGHT.replace("a.txt", "src/a.txt")
    done = run(astray)

    assert (done.status, source.read_text()) == (1, SOURCE)
    assert "2 | - *** Update File: src/a.txt\n  | + *** Update File: a.txt\n" in done.stderr.decode()
    assert (run("--fix=likely", astray).status, source.read_text()) == (0, FIXED)


@pytest.mark.parametrize("words", [["--fix=likely"], ["-i"]])
def test_no_correction_leads_around_a_rule(run, source, tree, words):
    (tree / ".patchkit.toml").write_text('[permissions]\nwrite = { "a.txt" = "deny" }\n')
    done = run(*words, RIGHT.replace("a.txt", "src/a.txt"), stdin=b"y\ny\n")

    assert (done.status, source.read_text()) == (1, SOURCE)
