"""`apply -i`: what is asked, what the answers do, and what is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from terminals import Terminal

NUMBERS = "".join(f"{number}\n" for number in range(1, 21))
PATCH = """\
*** Begin Patch
*** Update File: a.txt
@@
 2
-3
+three
@@
 17
-18
+eighteen
*** Add File: n.txt
+new
*** End Patch
"""
FIRST = """\
a.txt: hunk 1 of 2, line 2, exact
@@ -1,6 +1,6 @@
 1
 2
-3
+three
 4
 5
 6
(1/3) Apply this hunk [y,n,a,d,j,k,J,/,e,q,?]? """
SECOND = """\
a.txt: hunk 2 of 2, line 17, exact
@@ -15,6 +15,6 @@
 15
 16
 17
-18
+eighteen
 19
 20
(2/3) Apply this hunk [y,n,a,d,j,k,J,K,/,e,q,?]? """
THIRD = """\
n.txt: new file
diff --git a/n.txt b/n.txt
new file mode 100644
--- /dev/null
+++ b/n.txt
@@ -0,0 +1 @@
+new
(3/3) Add this file [y,n,a,d,K,/,q,?]? """
REST_SECOND = """\
*** Begin Patch
*** Update File: a.txt
@@
 17
-18
+eighteen
*** End Patch
"""
HELP = """\
y - apply this hunk
n - skip it
a - apply this and all that follow in the file
d - skip this and all that follow in the file
j - leave it undecided, and go to the next undecided one
k - leave it undecided, and go to the previous undecided one
J - go to the next one
/ - go to the next one whose lines match a regular expression
e - change its lines in an editor
q - skip this and all that follow in any file; what you chose before is applied
? - show this help
"""
SCRIPT = str(Path(sys.executable).with_name("apply_patch"))
needs_script = pytest.mark.skipif(
    not os.path.exists(SCRIPT), reason="the script is not installed beside this interpreter"
)


@pytest.fixture(autouse=True)
def _numbers(tree):
    (tree / "a.txt").write_text(NUMBERS)


def sections(*parts: str) -> str:
    return "*** Begin Patch\n" + "".join(parts) + "*** End Patch\n"


# -- what is asked -------------------------------------------------------------------------------


def test_every_part_is_shown_with_its_place_and_asked_about(run, contents):
    done = run("-i", PATCH, stdin=b"y\nn\ny\n")

    assert (
        done.stderr.decode()
        == FIRST + SECOND + THIRD + "Success. Updated the following files:\nA n.txt  +1\nM a.txt  +1 -1\n"
    )
    assert (done.status, done.stdout.decode()) == (0, REST_SECOND)
    assert contents() == {"a.txt": NUMBERS.replace("\n3\n", "\nthree\n").encode(), "n.txt": b"new\n"}


def test_a_pass_that_is_not_exact_is_told(run):
    done = run("-i", PATCH.replace(" 17\n", " 17  \n"), stdin=b"q\n")
    again = run("-i", PATCH.replace(" 17\n", " 17  \n"), stdin=b"n\nq\n")

    assert done.stderr.decode() == FIRST + "Nothing was applied.\n"
    assert "a.txt: hunk 2 of 2, line 17, ignoring trailing whitespace\n" in again.stderr.decode()


@pytest.mark.parametrize("answer", ["?", "x", "", "help", "\u00fc"])
def test_an_answer_that_is_none_shows_the_help_and_asks_again(run, answer):
    done = run("-i", PATCH, stdin=f"{answer}\nq\n".encode())

    assert done.stderr.decode() == FIRST + HELP + FIRST.split("\n")[-1] + "Nothing was applied.\n"


@pytest.mark.parametrize("answer", ["y", "Y", "yes", " y ", "y\r"])
def test_an_answer_may_be_written_as_people_do(run, contents, answer):
    run("-i", PATCH, stdin=f"{answer}\nq\n".encode())

    assert contents() == {"a.txt": NUMBERS.replace("\n3\n", "\nthree\n").encode()}


def test_a_new_name_and_a_deletion_have_their_own_questions(run, tree):
    (tree / "old.txt").write_text("bye\n")
    patch = sections("*** Update File: a.txt\n*** Move to: b.txt\n", "*** Delete File: old.txt\n")

    done = run("-i", patch, stdin=b"n\nn\n")

    assert done.stderr.decode() == (
        "a.txt: new name 'b.txt'\n(1/2) Give the file this name [y,n,a,d,j,k,J,/,q,?]? "
        "old.txt: deletion\ndiff --git a/old.txt b/old.txt\ndeleted file mode 100644\n--- a/old.txt\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-bye\n(2/2) Delete this file [y,n,a,d,K,/,q,?]? Nothing was applied.\n"
    )


def test_what_is_skipped_because_it_is_applied_is_told_and_not_asked_about(run, contents):
    patch = sections(
        "*** Delete File: old.txt\n",
        "*** Update File: b.txt\n*** Move to: a.txt\n@@\n 19\n-XX\n+20\n",
        "*** Add File: n.txt\n+new\n",
    )

    done = run("-i", "--forward", patch, stdin=b"y\n")

    assert done.stderr.decode() == (
        "note[P929]: skipped, because it is already applied to 'old.txt': the deletion\n"
        "note[P929]: skipped, because it is already applied to 'a.txt': the rename of 'b.txt'\n"
        "note[P929]: skipped, because it is already applied to 'a.txt': hunk 1\n"
        + THIRD.replace("(3/3)", "(1/1)").replace("K,/,", "")
        + "Success. Updated the following files:\nA n.txt  +1\n"
    )
    assert (done.stdout, contents()) == (b"", {"a.txt": NUMBERS.encode(), "n.txt": b"new\n"})


def test_a_patch_that_does_not_apply_is_refused_before_anything_is_asked(run, contents):
    done = run("-i", PATCH.replace("-18", "-eighty"), stdin=b"y\ny\ny\n")

    assert (done.status, done.stdout, done.stderr[:12]) == (1, b"", b"error[P201]:")
    assert contents() == {"a.txt": NUMBERS.encode()}


# -- what the answers do -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "taken"),
    [
        (["y", "y", "y"], "123"),
        (["n", "n", "n"], ""),
        (["n", "y", "n"], "2"),
        (["a", "n"], "12"),
        (["a", "y"], "123"),
        (["d", "y"], "3"),
        (["n", "a", "y"], "23"),
        (["y", "d", "n"], "1"),
        (["q"], ""),
        (["y", "q"], "1"),
        (["y"], "1"),  # the end of the answers is a 'q'
        ([], ""),
    ],
)
def test_answers_choose_what_is_applied_and_the_rest_still_applies(run, contents, answers, taken):
    done = run("-i", PATCH, stdin="".join(f"{answer}\n" for answer in answers).encode())
    now = contents()

    changed = NUMBERS.replace("\n3\n", "\nthree\n") if "1" in taken else NUMBERS
    changed = changed.replace("\n18\n", "\neighteen\n") if "2" in taken else changed
    assert now == {"a.txt": changed.encode(), **({"n.txt": b"new\n"} if "3" in taken else {})}
    assert done.status == 0
    if done.stdout:
        assert run("--strict", stdin=done.stdout).status == 0
    assert contents() == {
        "a.txt": NUMBERS.replace("\n3\n", "\nthree\n").replace("\n18\n", "\neighteen\n").encode(),
        "n.txt": b"new\n",
    }


def test_what_was_taken_is_one_run_that_can_be_undone(run, contents):
    run("-i", PATCH, stdin=b"y\nn\ny\n")

    assert run("undo", name="patchkit").status == 0
    assert contents() == {"a.txt": NUMBERS.encode()}


def test_quiet_hides_the_summary_and_the_notes(run):
    done = run("-i", "-q", "Here it is:\n" + PATCH, stdin=b"y\nd\ny\n")

    assert done.stderr.decode() == FIRST + SECOND + THIRD


def test_notes_come_before_the_questions(run):
    done = run("-i", "Here it is:\n" + PATCH, stdin=b"q\n")

    assert done.stderr.decode().startswith(
        "note[P901]: ignored text outside the patch (line 1): 'Here it is:'\n" + FIRST
    )


# -- where the patch comes from, and where the rest goes ------------------------------------------


def test_the_patch_may_be_in_a_file_and_the_rest_take_its_place(run, tree, tmp_path):
    path = tmp_path / "fix.patch"
    path.write_text(PATCH)

    first = run("-i", str(path), "--rest", str(path), stdin=b"y\nn\ny\n")
    left = path.read_text()
    second = run("-i", str(path), "--rest", str(path), stdin=b"y\n")

    assert (first.status, first.stdout, left) == (0, b"", REST_SECOND)
    assert (second.status, second.stdout, path.read_text()) == (0, b"", "")
    assert (tree / "a.txt").read_text() == NUMBERS.replace("\n3\n", "\nthree\n").replace("\n18\n", "\neighteen\n")


@pytest.mark.parametrize(
    ("path", "reason"), [("missing/rest", "no such directory"), (".", "is a directory")], ids=["missing", "directory"]
)
def test_a_rest_that_cannot_be_written_is_reported_before_anything_is_asked(run, contents, path, reason):
    done = run("-i", PATCH, "--rest", path, stdin=b"y\ny\ny\n")

    assert done == (
        1,
        b"",
        f"error[P402]: cannot write '{path}': {reason}\n"
        "  = help: fix the cause and try again; all files are unchanged\n".encode(),
    )
    assert contents() == {"a.txt": NUMBERS.encode()}


USE = b"  = help: 'apply_patch --help' explains its use\n"


@pytest.mark.parametrize("other", ["--check", "--json", "--diff", "--stat", "--numstat"])
def test_options_that_speak_of_the_whole_patch_do_not_go_with_it(run, other):
    done = run("-i", other, PATCH)

    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr == (
        b"error: option '-i' goes with none of '--check', '--json', '--diff', '--stat' and '--numstat'\n" + USE
    )


def test_a_rest_without_questions_is_a_matter_of_usage(run):
    assert run("--rest", "x", PATCH) == (2, b"", b"error: option '--rest' goes with '-i' and '--partial' only\n" + USE)


def test_without_a_terminal_a_patch_on_standard_input_leaves_nowhere_to_ask(run, contents):
    done = run("-i", stdin=PATCH.encode(), shell='exec setsid "$@"')

    assert done == (2, b"", b"error: option '-i' needs a terminal to ask on, or the patch as an argument\n" + USE)
    assert contents() == {"a.txt": NUMBERS.encode()}


# -- on a terminal -------------------------------------------------------------------------------


@needs_script
def test_a_patch_on_standard_input_is_asked_about_on_the_terminal(tree, tmp_path, contents):
    (tmp_path / "fix.patch").write_text(PATCH)
    with open(tmp_path / "fix.patch") as patch, open(tmp_path / "rest", "w+") as rest:
        terminal = Terminal([SCRIPT, "-i"], tree, stdin=patch, stdout=rest, NO_COLOR="1")
        terminal.answer("?]? ", ["y\n", "n\n", "y\n"])
        status, screen = terminal.end()

    typed = [question + answer for question, answer in zip((FIRST, SECOND, THIRD), ("y\n", "n\n", "y\n"))]
    assert screen == "".join(typed) + "Success. Updated the following files:\nA n.txt  +1\nM a.txt  +1 -1\n"
    assert (status, (tmp_path / "rest").read_text()) == (0, REST_SECOND)
    assert contents() == {"a.txt": NUMBERS.replace("\n3\n", "\nthree\n").encode(), "n.txt": b"new\n"}


@needs_script
def test_a_patch_in_a_file_is_asked_about_on_the_terminal_in_colour(tree, tmp_path):
    (tmp_path / "fix.patch").write_text(PATCH)
    terminal = Terminal([SCRIPT, "-i", str(tmp_path / "fix.patch")], tree)
    terminal.answer("?]?", ["y\n", "q\n"])
    status, screen = terminal.end()

    assert status == 0
    assert (
        "\x1b[1ma.txt: hunk 1 of 2, line 2, exact\x1b[0m\n\x1b[36m@@ -1,6 +1,6 @@\x1b[0m\n 1\n 2\n\x1b[31m-3\x1b[0m\n"
        in screen
    )
    assert "\x1b[1;34m(1/3) Apply this hunk [y,n,a,d,j,k,J,/,e,q,?]?\x1b[0m y\n" in screen


@needs_script
def test_control_c_leaves_everything_as_it_was(tree, contents):
    terminal = Terminal([SCRIPT, "-i", PATCH], tree)
    terminal.answer("?]?", ["y\n"])
    terminal.wait_for("(2/3)")
    status, screen = terminal.stop()

    assert status == -signal.SIGINT
    assert "stopped by SIGINT before it finished" in screen
    assert contents() == {"a.txt": NUMBERS.encode()}


@needs_script
def test_others_may_work_in_the_workspace_while_a_person_thinks(tree, contents):
    terminal = Terminal([SCRIPT, "-i", PATCH], tree)
    terminal.wait_for("(1/3)")
    other = sections("*** Add File: other.txt\n+x\n")
    subprocess.run([SCRIPT, other], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    terminal.type("y\nq\n")

    assert terminal.end()[0] == 0
    assert contents() == {"a.txt": NUMBERS.replace("\n3\n", "\nthree\n").encode(), "other.txt": b"x\n"}


@needs_script
def test_a_file_that_was_changed_while_a_person_thought_is_refused(tree, contents):
    terminal = Terminal([SCRIPT, "-i", PATCH], tree, NO_COLOR="1")
    terminal.wait_for("(1/3)")
    (tree / "a.txt").write_text("mine\n")
    terminal.type("y\nq\n")
    status, screen = terminal.end()

    assert status == 1
    assert "error[P311]: 'a.txt' was changed by another process" in screen
    assert contents() == {"a.txt": b"mine\n"}
