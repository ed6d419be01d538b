"""The keys of `apply -i` beyond yes and no: moving about, searching, splitting, editing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from terminals import Terminal

NUMBERS = "".join(f"{number}\n" for number in range(1, 31))
PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@
-3
+three
@@
-13
+thirteen
@@
-23
+twenty-three
*** End Patch
"""
WIDE = """\
*** Begin Patch
*** Update File: a.txt
@@
-3
+three
 4
 5
-6
+six
 7
-8
*** End Patch
"""
SCRIPT = str(Path(sys.executable).with_name("apply_patch"))
needs_script = pytest.mark.skipif(
    not os.path.exists(SCRIPT), reason="the script is not installed beside this interpreter"
)


@pytest.fixture(autouse=True)
def _numbers(tree):
    (tree / "a.txt").write_text(NUMBERS)


def typed(*answers):
    return "".join(f"{answer}\n" for answer in answers).encode()


def asked(done):
    """The numbers of the parts that were asked about, in order."""
    return [line.partition("/")[0][1:] for line in done.stderr.decode().split("\n") if line[:1] == "(" and "[" in line]


# -- moving about --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "order", "taken"),
    [
        (["j", "y", "n", "y"], "1231", "12"),  # the first is undecided until the end
        (["k", "y", "y", "n"], "1312", "31"),
        (["y", "j", "y", "y"], "1232", "132"),
        (["y", "K", "n", "n", "n"], "12123", ""),  # what was decided can be decided again
        (["J", "J", "y", "q"], "1231", "3"),
        (["/wenty", "y", "q"], "131", "3"),
        (["/ thirt", "y", "q"], "123", "2"),
        (["/nowhere", "q"], "11", ""),
        (["/(", "q"], "11", ""),
        (["/", "q"], "11", ""),
        (["j", "a"], "121", "23"),
    ],
)
def test_keys_lead_from_hunk_to_hunk(run, tree, answers, order, taken):
    done = run("-i", PATCH, stdin=typed(*answers))

    assert ("".join(asked(done)), done.status) == (order, 0)
    expected = NUMBERS
    for number, (old, new) in enumerate([("3", "three"), ("13", "thirteen"), ("23", "twenty-three")], 1):
        expected = expected.replace(f"\n{old}\n", f"\n{new}\n") if str(number) in taken else expected
    assert (tree / "a.txt").read_text() == expected


def test_a_search_that_finds_nothing_says_so(run):
    said = run("-i", PATCH, stdin=typed("/nowhere", "/(", "/", "q")).stderr.decode()

    assert "no other hunk matches\n" in said
    assert "not a regular expression: " in said
    assert "give the expression behind the '/'\n" in said


def test_keys_that_lead_nowhere_are_not_offered(run):
    one = "*** Begin Patch\n*** Add File: n.txt\n+new\n*** End Patch\n"

    assert "(1/1) Add this file [y,n,a,d,q,?]? " in run("-i", one, stdin=typed("q")).stderr.decode()


# -- splitting -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "now"),
    [
        (["s", "y", "n", "y"], "1\n2\nthree\n4\n5\n6\n7\n9\n"),
        (["s", "n", "y", "n"], "1\n2\n3\n4\n5\nsix\n7\n8\n9\n"),
        (["s", "a"], "1\n2\nthree\n4\n5\nsix\n7\n9\n"),
        (["s", "q"], "1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
    ],
)
def test_a_hunk_is_split_into_its_changes_and_the_rest_still_applies(run, tree, answers, now):
    done = run("-i", WIDE, stdin=typed(*answers))

    assert done.status == 0
    assert (tree / "a.txt").read_text() == now + NUMBERS.partition("9\n")[2]
    if done.stdout:
        assert run("--strict", stdin=done.stdout).status == 0
    assert (tree / "a.txt").read_text() == "1\n2\nthree\n4\n5\nsix\n7\n9\n" + NUMBERS.partition("9\n")[2]


def test_the_parts_of_a_hunk_have_numbers(run):
    said = run("-i", WIDE, stdin=typed("s", "y", "y", "y")).stderr.decode()

    assert "(1/1) Apply this hunk [y,n,a,d,s,e,q,?]? a.txt: hunk 1 of 1, part 1 of 3, line 3\n" in said
    assert "(1/3) Apply this hunk [y,n,a,d,j,k,J,/,q,?]? a.txt: hunk 1 of 1, part 2 of 3, line 6\n" in said


# -- editing -------------------------------------------------------------------------------------


@pytest.fixture
def editor(tmp_path):
    """An editor that runs a script of sed on the file."""

    def make_editor(script):
        path = tmp_path / "editor"
        path.write_text(f"#!/bin/sh\nsed -i '{script}' \"$1\"\n")
        path.chmod(0o755)
        return str(path)

    return make_editor


def test_a_hunk_that_was_edited_is_applied_as_it_is_now(run, tree, editor):
    done = run("-i", PATCH, stdin=typed("e", "n", "n"), EDITOR=editor("s/+three/+drei/"), VISUAL="")

    assert (done.status, "".join(asked(done))) == (0, "123")
    assert (tree / "a.txt").read_text() == NUMBERS.replace("\n3\n", "\ndrei\n")


def test_what_was_decided_before_an_edit_stays(run, tree, editor):
    done = run("-i", PATCH, stdin=typed("y", "e", "n"), EDITOR=editor("s/+thirteen/+XIII/"), VISUAL="")

    assert done.status == 0
    assert (tree / "a.txt").read_text() == NUMBERS.replace("\n3\n", "\nthree\n").replace("\n13\n", "\nXIII\n")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("s/^-3/-nine/", "error[P201]: hunk not found in 'a.txt'\n"),
        ("s/^+three/three/", "a line has no sign: 'three'; the hunk is as it was\n"),
        ("d", "the hunk is as it was\n"),
        ("s/^[-+]/#/", "the hunk is as it was\n"),
    ],
)
def test_an_edit_that_cannot_be_used_changes_nothing(run, tree, editor, script, said):
    done = run("-i", PATCH, stdin=typed("e", "y", "q"), EDITOR=editor(script), VISUAL="")

    assert (done.status, said in done.stderr.decode()) == (0, True)
    assert (tree / "a.txt").read_text() == NUMBERS.replace("\n3\n", "\nthree\n")


def test_an_editor_that_fails_changes_nothing(run, tree):
    done = run("-i", PATCH, stdin=typed("e", "q"), EDITOR="false", VISUAL="")

    assert (done.status, (tree / "a.txt").read_text()) == (0, NUMBERS)
    assert "the hunk is as it was\n" in done.stderr.decode()


@needs_script
def test_keys_work_on_a_terminal(tree, editor):
    terminal = Terminal([SCRIPT, "-i", PATCH], tree, EDITOR=editor("s/+three/+drei/"), VISUAL="", NO_COLOR="1")
    terminal.answer("?]?", ["/twenty\n", "y\n", "e\n", "n\n"])
    status, _screen = terminal.end()

    assert status == 0
    assert (tree / "a.txt").read_text() == NUMBERS.replace("\n3\n", "\ndrei\n").replace("\n23\n", "\ntwenty-three\n")
