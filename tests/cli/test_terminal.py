"""What a person sees on a terminal, and what goes into a pipe."""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

import pytest
from terminals import Terminal

SCRIPT = str(Path(sys.executable).with_name("apply_patch"))
needs_script = pytest.mark.skipif(
    not os.path.exists(SCRIPT), reason="the script is not installed beside this interpreter"
)
X_TO_Y = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
SUMMARY = "Success. Updated the following files:\nM a.txt\n"
PAINTED = "\x1b[1;32mSuccess.\x1b[0m Updated the following files:\n\x1b[33mM \x1b[0ma.txt\n"
ON_SCREEN = SUMMARY.replace("a.txt", "a.txt  +1 -1")  # a person is shown how many lines were changed
PAINTED_ON_SCREEN = PAINTED.replace("a.txt", "a.txt  \x1b[32m+1\x1b[0m \x1b[31m-1\x1b[0m")
DIFF = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n"


def on_terminal(tree: Path, *words: str, columns: int = 80, **settings: str) -> tuple[int, str]:
    return Terminal([SCRIPT, *words], tree, columns, **settings).end()


# -- colour --------------------------------------------------------------------------------------


@needs_script
def test_a_terminal_gets_colour(tree):
    assert on_terminal(tree, X_TO_Y) == (0, PAINTED_ON_SCREEN)


@needs_script
@pytest.mark.parametrize("settings", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"FORCE_COLOR": "0"}], ids=str)
def test_a_terminal_that_does_not_want_colour_gets_none(tree, settings):
    assert on_terminal(tree, X_TO_Y, **settings) == (0, ON_SCREEN)


@needs_script
@pytest.mark.parametrize("settings", [{"NO_COLOR": "", "FORCE_COLOR": ""}, {"TERM": "vt100"}], ids=str)
def test_a_setting_that_is_empty_says_nothing(tree, settings):
    assert on_terminal(tree, X_TO_Y, **settings) == (0, PAINTED_ON_SCREEN)


@needs_script
@pytest.mark.parametrize(("choice", "text"), [("always", PAINTED_ON_SCREEN), ("never", ON_SCREEN), ("auto", ON_SCREEN)])
def test_the_option_wins_over_the_settings(tree, choice, text):
    assert on_terminal(tree, "--color", choice, X_TO_Y, NO_COLOR="1") == (0, text)


@pytest.mark.parametrize(
    ("words", "settings", "text"),
    [
        ([], {}, SUMMARY),
        ([], {"FORCE_COLOR": "1"}, PAINTED),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, SUMMARY),
        ([], {"FORCE_COLOR": "0"}, SUMMARY),
        (["--color=always"], {}, PAINTED),
        (["--color", "never"], {"FORCE_COLOR": "1"}, SUMMARY),
    ],
)
def test_a_pipe_gets_colour_only_if_asked_for(run, words, settings, text):
    assert run(*words, X_TO_Y, **settings) == (0, text.encode(), b"")


@pytest.mark.parametrize(
    "words",
    [
        ["diff", "a.txt", "b.txt", "--to", "unified"],
        ["diff", "a.txt", "b.txt"],
        ["convert", "--to", "unified", "ab.diff"],
        ["apply", "--from", "unified", "--diff", "--check", "-q", "ab.diff"],
        ["apply", "--partial=files", "--check", "-q", "rest.patch"],
    ],
    ids=" ".join,
)
def test_a_patch_in_a_pipe_is_as_it_is_although_colour_is_forced(run, tree, words):
    (tree / "a.txt").write_bytes(b"one\r\n\x1b[1mtwo\r\n")
    (tree / "b.txt").write_bytes(b"one\r\n\x1b[1m2\r\n")
    diff = b"--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\r\n-\x1b[1mtwo\r\n+\x1b[1m2\r\n"
    (tree / "ab.diff").write_bytes(diff)
    (tree / "rest.patch").write_text(
        "*** Begin Patch\n*** Add File: n\n+1\n*** Update File: a.txt\n@@\n-\x1b[1mthree\n+3\n*** End Patch\n"
    )
    plain, forced = (run(*words, name="patchkit", cwd=tree, **each).stdout for each in ({}, {"FORCE_COLOR": "1"}))

    assert b"\x1b[1m" in plain
    assert forced == plain


def test_a_colour_that_is_none_is_a_matter_of_usage(run):
    assert run("--color", "red", X_TO_Y) == (
        2,
        b"",
        b"error: invalid value for '--color': 'red' is not one of 'auto', 'always', 'never'\n"
        b"  = help: 'apply_patch --help' explains its use\n",
    )


def test_a_diff_in_a_pipe_is_the_same_to_the_byte_whatever_the_file_holds(run, tree):
    (tree / "a.txt").write_bytes(b"\x1b[2J\xff\r\nx\n")

    assert run("-q", "--diff", X_TO_Y).stdout == (
        b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n \x1b[2J\xff\r\n-x\n+y\n"
    )


@needs_script
@pytest.mark.parametrize("settings", [{"NO_COLOR": "1"}, {}], ids=["plain", "colour"])
def test_a_diff_on_a_terminal_cannot_act_on_it(tree, settings):
    (tree / "a.txt").write_bytes(b"\x1b[2J\xff\nx\n")
    _status, screen = on_terminal(tree, "-q", "--diff", X_TO_Y, **settings)

    assert " \\x1b[2J\\xff\n" in screen
    assert "\x1b[2J" not in screen


def test_the_tools_have_their_errors_in_colour_too(run):
    done = run("undo", "m4zx81qp", name="patchkit", FORCE_COLOR="1")

    assert done.stderr.startswith(b"\x1b[1;31merror[P322]\x1b[0m\x1b[1m: no run 'm4zx81qp'")


# -- how much changed ----------------------------------------------------------------------------


def test_the_table_the_numbers_and_the_diff_follow_the_summary(run):
    done = run("--diff", "--stat", "--numstat", X_TO_Y)
    table = " a.txt | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n"

    assert done == (0, (SUMMARY + "1\t1\ta.txt\n" + table + DIFF).encode(), b"")


def test_numbers_of_a_check_are_those_of_the_run(run, contents):
    done = run("-q", "--check", "--numstat", X_TO_Y)

    assert (done, contents()) == ((0, b"1\t1\ta.txt\n", b""), {"a.txt": b"x\n"})


@needs_script
def test_a_table_is_as_wide_as_the_terminal(tree):
    many = X_TO_Y.replace("+y\n", "".join(f"+{number}\n" for number in range(400)))
    _status, screen = on_terminal(tree, "-q", "--stat", many, columns=50, NO_COLOR="1")

    assert screen.split("\n")[0] == " a.txt | 401 " + "+" * 35 + "-"


# -- width ---------------------------------------------------------------------------------------


@needs_script
def test_an_error_is_laid_out_for_the_width_of_the_terminal(tree):
    (tree / "a.txt").write_text("first\nx\nlast\n")
    patch = X_TO_Y.replace("-x\n", " first\n-z\n").replace("+y\n", "+y\n last\n")
    status, screen = on_terminal(tree, patch, columns=44, NO_COLOR="1")

    assert status == 1
    assert screen == (
        "error[P201]: hunk not found in 'a.txt'\n"
        " --> patch:5\n"
        "  |\n"
        "5 | -z\n"
        "  | ^^ no such line here\n"
        "  |\n"
        " ::: a.txt:2,\n"
        "     closest place (2 of 3 lines agree)\n"
        "2 | x\n"
        "  | -\n"
        "  | the file has 'x', the patch expects 'z'\n"
        "  = help: read a.txt lines 1-3 and send the\n"
        "          hunk again; nothing was written\n"
    )


@needs_script
def test_a_mark_is_below_its_word_on_a_real_screen(tree):
    pyte = pytest.importorskip("pyte")
    (tree / "a.txt").write_text("first\nsecond\n漢字 e\u0301\t= 2\nlast\n")
    patch = X_TO_Y.replace("-x\n", " first\n second\n-漢字 e\u0301\t= 1\n last\n")
    screen = pyte.Screen(80, 20)
    stream = pyte.ByteStream(screen)
    terminal = Terminal([SCRIPT, patch], tree)
    terminal.end()
    stream.feed(terminal.output)
    rows = [row for row in range(20) if "the file has '2'" in screen.display[row]]

    assert len(rows) == 1
    mark = next(column for column in range(4, 80) if screen.buffer[rows[0]][column].data == "-")
    assert screen.buffer[rows[0] - 1][mark].data == "2"


# -- progress ------------------------------------------------------------------------------------

# The command with a clock that has no patience: every step is shown that would be shown after a second.
HASTY = """
import sys
from patchkit.cli import apply_patch
from patchkit.report import progress
progress.PATIENCE = progress.PAUSE = 0
apply_patch.main(sys.argv[1:])
"""
MANY = "*** Begin Patch\n" + "".join(f"*** Add File: f{n}\n+x\n" for n in range(80)) + "*** End Patch\n"


class Held:
    """The lock of a workspace, held by another process."""

    def __init__(self, tree: Path) -> None:
        self._handle = os.open(tree, os.O_RDONLY)
        fcntl.flock(self._handle, fcntl.LOCK_EX)

    def __enter__(self):
        return lambda: fcntl.flock(self._handle, fcntl.LOCK_UN)

    def __exit__(self, *_):
        os.close(self._handle)


def test_a_large_run_on_a_terminal_says_how_far_it_is_and_takes_that_away(tree):
    pyte = pytest.importorskip("pyte")
    terminal = Terminal([sys.executable, "-c", HASTY, MANY, "--no-sync"], tree, NO_COLOR="1")
    status, screen = terminal.end()
    seen = pyte.Screen(80, 200)
    pyte.ByteStream(seen).feed(terminal.output)

    assert status == 0
    assert "] reading: 70 of 80 files (87 %)" in screen
    assert "] writing: 70 of 80 files (87 %)" in screen
    assert [line.rstrip() for line in seen.display if line.strip()] == [
        "Success. Updated the following files:",
        *(f"A f{n}  +1" for n in range(80)),
    ]


def test_a_run_that_waits_for_another_says_so(tree):
    with Held(tree) as release:
        terminal = Terminal([sys.executable, "-c", HASTY, X_TO_Y], tree, NO_COLOR="1")
        terminal.wait_for("\rwaiting for another run …\x1b[K")
        release()
    status, screen = terminal.end()

    assert (status, screen.rpartition("\x1b[K")[2]) == (0, ON_SCREEN)


@pytest.mark.parametrize("words", [["-q"], []], ids=["quiet", "dumb"])
def test_a_terminal_that_is_quiet_or_dumb_gets_no_progress(tree, words):
    terminal = Terminal(
        [sys.executable, "-c", HASTY, MANY, "--no-sync", *words], tree, TERM="dumb" if not words else "xterm"
    )

    assert "\r" not in terminal.end()[1]


def test_a_pipe_gets_no_progress(run, tree):
    done = run(MANY, "--no-sync")

    assert (done.status, done.stderr) == (0, b"")


@needs_script
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_an_error_of_any_tool_is_laid_out_for_the_width_of_the_terminal(tree, columns):
    command = [str(Path(SCRIPT).with_name("patchkit")), "edit", "a.txt", "--old", "long " * 60, "--new", "x", "--force"]
    (tree / "a.txt").write_text("long " * 59 + "gone\n")
    status, screen = Terminal(command, tree, columns, NO_COLOR="1").end()
    ours = screen[screen.index("error[") :]  # what the tool owes its caller before that is owed as it is
    ours = ours.partition("corrected '--old':")[0]  # texts to be sent again are as they are, too
    wide = max(map(len, ours.split("\n")))

    assert (status, "\n  = help: " in screen, wide <= columns) == (1, True, True)


@needs_script
def test_a_usage_error_of_check_is_laid_out_for_the_width_of_the_terminal(tree):
    (tree / "empty").mkdir()
    (tree / "empty" / "answer.txt").write_text("")
    _, screen = Terminal([str(Path(SCRIPT).with_name("patchkit")), "check", "empty"], tree, 60, NO_COLOR="1").end()

    assert screen == (
        "error[P661]: no patch found in the directory 'empty'\n"
        "  = help: name its files, such as 'empty/answer.txt': of a\n"
        "          directory only '*.patch', '*.apply_patch',\n"
        "          '*.applypatch' are checked\n"
    )


# -- for people and for models -------------------------------------------------------------------


def patchkit_on_terminal(tree: Path, *words: str) -> tuple[int, str]:
    return Terminal([str(Path(SCRIPT).with_name("patchkit")), *words], tree, NO_COLOR="1").end()


@needs_script
def test_a_person_who_reads_a_file_sees_no_reminder_for_models(tree):
    assert patchkit_on_terminal(tree, "read", "a.txt") == (0, "     1→x\n")


@needs_script
@pytest.mark.parametrize(
    ("content", "words", "text"),
    [
        ("", [], "The file is empty.\n"),
        (
            "x\n",
            ["--offset", "9"],
            "Warning: the file exists but is shorter than the provided offset (9). The file has 1 lines.\n",
        ),
    ],
)
def test_a_person_is_shown_what_a_reminder_says_without_its_tag(tree, content, words, text):
    (tree / "a.txt").write_text(content)

    assert patchkit_on_terminal(tree, "read", "a.txt", *words) == (0, text)


@needs_script
def test_a_person_sees_an_error_without_the_tag_for_models(tree):
    status, screen = patchkit_on_terminal(tree, "read", "gone")

    assert (status, screen.split("\n")[0]) == (1, "error[P302]: file 'gone' does not exist")
    assert "tool_use_error" not in screen


@needs_script
def test_call_keeps_the_tags_on_a_terminal(tree):
    _, read = patchkit_on_terminal(tree, "call", "Read", '{"file_path": "a.txt"}')
    _, refused = patchkit_on_terminal(tree, "call", "Read", '{"file_path": "gone"}')

    assert "<system-reminder>" in read
    assert refused.split("\n")[:2] == [
        "<tool_use_error>File does not exist.</tool_use_error>",
        "error[P302]: file 'gone' does not exist",
    ]


@pytest.mark.parametrize("settings", [{}, {"FORCE_COLOR": "1"}], ids=["plain", "colour"])
def test_a_pipe_of_a_person_gets_no_tags_and_one_of_an_agent_does(run, settings):
    read = run("read", "a.txt", name="patchkit", **settings)
    refused = run("read", "gone", name="patchkit", **settings)
    by_agent = run("read", "a.txt", "--as-agent", name="patchkit", **settings)
    refused_by_agent = run("read", "gone", "--as-agent", name="patchkit", **settings)

    assert read.stdout == "     1→x\n".encode()
    assert b"tool_use_error" not in refused.stderr
    assert b"<system-reminder>" in by_agent.stdout
    assert refused_by_agent.stderr.startswith(b"<tool_use_error>File does not exist.</tool_use_error>\n")
