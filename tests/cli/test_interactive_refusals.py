"""`apply -i` with a patch that is refused: which place, and whether to take the correction."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from terminals import Terminal

TWINS = "def start():\n    return 1\n\n\ndef stop():\n    return 1\n"
CHOOSE = "*** Begin Patch\n*** Update File: a.txt\n@@\n-    return 1\n+    return 2\n*** End Patch\n"
PLACES = """\
a.txt: hunk 1 of 1 matches 2 places
-    return 1
+    return 2
1: line 2, in 'def start():'
  1 | def start():
  2 |     return 1
  3 |
2: line 6, in 'def stop():'
  5 | def stop():
  6 |     return 1
(1/1) At which place [1-2,n,q,?]? """
HELP = """\
1-2 - apply the hunk at this place
n - leave the hunk out; it goes into the rest
q - apply nothing
"""
GREETING = (
    'def greet(name, loud):\n    text = "Hi " + name\n    text = text.upper()\n    print(text)\n    return text\n'
)
WRONG = """\
*** Begin Patch
*** Update File: a.txt
@@
 def greet(name):
     text = "Hello " + name
     text = text.upper()
-    print(text)
+    log(text)
     return text
*** End Patch
"""
SCRIPT = str(Path(sys.executable).with_name("apply_patch"))
needs_script = pytest.mark.skipif(
    not os.path.exists(SCRIPT), reason="the script is not installed beside this interpreter"
)


def typed(*answers):
    return "".join(f"{answer}\n" for answer in answers).encode()


# -- places --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "changed"), [("1", "start"), ("2", "stop"), (" 2 ", "stop")])
def test_an_ambiguous_hunk_goes_to_the_place_that_is_chosen(run, tree, answer, changed):
    (tree / "a.txt").write_text(TWINS)
    done = run("-i", CHOOSE, stdin=typed(answer, "y"))

    assert (done.status, done.stdout) == (0, b"")
    assert done.stderr.decode().startswith(PLACES)
    head = f"def {changed}():\n    return"
    assert (tree / "a.txt").read_text() == TWINS.replace(f"{head} 1", f"{head} 2")


@pytest.mark.parametrize("answer", ["0", "3", "x", "?", ""])
def test_an_answer_that_is_no_place_shows_the_help_and_asks_again(run, tree, answer):
    (tree / "a.txt").write_text(TWINS)
    done = run("-i", CHOOSE, stdin=typed(answer, "q"))

    assert done.stderr.decode() == PLACES + HELP + PLACES.split("\n")[-1] + "Nothing was applied.\n"
    assert (done.status, done.stdout.decode(), (tree / "a.txt").read_text()) == (1, CHOOSE, TWINS)


def test_a_hunk_that_is_left_out_is_in_the_rest(run, tree):
    (tree / "a.txt").write_text(TWINS)
    both = CHOOSE.replace("@@\n", "@@\n-def start():\n+def begin():\n@@\n")
    done = run("-i", both, stdin=typed("n", "y"))

    assert (done.status, done.stdout.decode()) == (0, CHOOSE)
    assert (tree / "a.txt").read_text() == TWINS.replace("start", "begin")


def test_a_patch_of_which_all_is_left_out_changes_nothing(run, tree):
    (tree / "a.txt").write_text(TWINS)
    done = run("-i", CHOOSE, stdin=typed("n"))

    assert (done.status, done.stdout.decode(), (tree / "a.txt").read_text()) == (1, CHOOSE, TWINS)


def test_every_ambiguous_hunk_is_asked_about(run, tree):
    (tree / "a.txt").write_text(TWINS)
    (tree / "b.txt").write_text(TWINS)
    both = CHOOSE.replace("*** End Patch\n", CHOOSE.replace("a.txt", "b.txt").partition("*** Begin Patch\n")[2])
    done = run("-i", both, stdin=typed("1", "2", "a", "a"))

    assert (done.status, "(2/2) At which place" in done.stderr.decode()) == (0, True)
    assert (tree / "a.txt").read_text() == TWINS.replace("start():\n    return 1", "start():\n    return 2")
    assert (tree / "b.txt").read_text() == TWINS.replace("stop():\n    return 1", "stop():\n    return 2")


def test_a_place_that_no_anchor_chooses_is_chosen_by_the_lines_around_it(run, tree):
    lines = [*["x\n"] * 12, "start\n", *["x\n"] * 12]
    (tree / "a.txt").write_text("".join(lines))
    done = run("-i", CHOOSE.replace("    return 1", "x").replace("    return 2", "y"), stdin=typed("9", "y"))

    assert done.status == 0
    assert (tree / "a.txt").read_text() == "".join([*lines[:8], "y\n", *lines[9:]])


@needs_script
def test_the_places_are_asked_about_on_a_terminal(tree):
    (tree / "a.txt").write_text(TWINS)
    terminal = Terminal([SCRIPT, "-i", CHOOSE], tree)
    terminal.answer("?]?", ["2\n", "y\n"])
    status, screen = terminal.end()

    assert status == 0
    assert "\x1b[36m2: line 6, in 'def stop():'\x1b[0m\n\x1b[1;34m  5 |\x1b[0m def stop():\n" in screen
    assert (tree / "a.txt").read_text() == TWINS.replace("stop():\n    return 1", "stop():\n    return 2")


# -- corrections ---------------------------------------------------------------------------------


def test_a_correction_is_shown_and_taken_if_the_person_wants_it(run, tree):
    (tree / "a.txt").write_text(GREETING)
    done = run("-i", WRONG, stdin=typed("y", "y"))

    said = done.stderr.decode()
    assert said.startswith("error[P201]: hunk not found in 'a.txt'\n")
    assert '  | +      text = "Hi " + name\n6 |        text = text.upper()\nTake the corrected patch [y,n,?]? ' in said
    assert (done.status, done.stdout, (tree / "a.txt").read_text()) == (0, b"", GREETING.replace("print", "log"))


@pytest.mark.parametrize("answers", [["n"], ["x", "n"], []])
def test_a_correction_that_is_not_wanted_leaves_everything_and_the_patch(run, tree, answers):
    (tree / "a.txt").write_text(GREETING)
    done = run("-i", WRONG, stdin=typed(*answers))

    assert (done.status, done.stdout.decode(), (tree / "a.txt").read_text()) == (1, WRONG, GREETING)
    assert done.stderr.decode().endswith("Nothing was applied.\n")


def test_the_hunks_of_a_correction_are_asked_about_one_by_one(run, tree):
    (tree / "a.txt").write_text(GREETING + "\n\ndone = True\n")
    two = WRONG.replace("*** End", "@@\n-done = True\n+done = False\n*** End")
    done = run("-i", two, stdin=typed("y", "n", "y"))

    assert done.status == 0
    assert (tree / "a.txt").read_text() == GREETING + "\n\ndone = False\n"
    assert run("--strict", stdin=done.stdout).status == 0


@needs_script
def test_a_correction_is_asked_about_on_a_terminal(tree):
    (tree / "a.txt").write_text(GREETING)
    terminal = Terminal([SCRIPT, "-i", WRONG], tree, columns=60)
    terminal.answer("?]?", ["y\n", "y\n"])
    status, screen = terminal.end()

    assert (status, (tree / "a.txt").read_text()) == (0, GREETING.replace("print", "log"))
    assert '\x1b[32m +      text = "Hi " + name\x1b[0m\n' in screen
