"""What a person finds without reading a page: help, names that were mistyped, versions, statuses."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from terminals import Terminal

from patchkit import __version__
from patchkit.cli import group
from patchkit.cli.group import COMMANDS as TABLE
from patchkit.cli.group import grouped, summaries
from patchkit.cli.statuses import MEANINGS
from patchkit.tools.registry import TOOLS

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = Path(sys.executable).with_name("apply_patch")
X_TO_Y = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
MOVE = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: sub/b.txt\n@@\n-x\n+y\n*** End Patch\n"
COMMANDS = list(summaries())


@pytest.fixture
def patchkit(run):
    return lambda *words, **more: run(*words, name="patchkit", **more)


def asked(*words):
    """What click answers to words, in this process."""
    done = CliRunner().invoke(group.patchkit, list(words), prog_name="patchkit")
    assert done.exit_code == 0, done.output
    return done.output


# -- help ----------------------------------------------------------------------------------------


def test_the_hook_has_its_root_and_its_doctor_by_click_as_by_the_quick_reader(patchkit, tmp_path):
    quick, slow = (patchkit(*before, "hook", "--root", tmp_path, "--doctor") for before in ([], ["--"]))
    first = [said.stdout.decode().splitlines()[0] for said in (quick, slow)]

    assert first == [f"root: {tmp_path} (from --root)"] * 2


def test_every_command_is_in_one_group():
    placed = [name for names in grouped().values() for name in names]

    assert sorted(placed) == sorted({*TABLE, *(tool.command for tool in TOOLS)})


def test_help_lists_every_command_below_the_heading_of_its_group(patchkit):
    text = asked("--help")

    assert re.findall(r"(?m)^  ([a-z][a-z-]*)  ", text) == [name for names in grouped().values() for name in names]
    assert [title for title in grouped() if f"\n{title}:\n" not in text] == []
    assert (patchkit("--help").stdout.decode(), asked("help")) == (text, text)


def test_the_short_help_has_the_commands_that_one_comes_for():
    assert re.findall(r"(?m)^  ([a-z][a-z-]*)  ", asked("-h")) == ["apply", "check", "undo", "log", "serve", "install"]


def test_listing_the_commands_loads_none_of_them():
    code = "import sys, patchkit.cli.group as group; group.summaries(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert [name for name in loaded if name.startswith("patchkit.cli.commands")] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_has_one_style(name):
    text = asked(name, "--help")
    head, *parts = text.split("\n\n")

    assert head.endswith(".")
    assert parts[0].startswith("Usage: ")
    assert any(part.startswith("Options:\n") for part in parts)
    assert any(part.startswith("Exit status:\n  0 ") for part in parts)
    assert max(map(len, text.splitlines())) <= 80
    assert [word for word in ("[x>=0]", "Show this message") if word in text] == []
    options = re.findall(r"(?m)^  -\S+(?:, -\S+)*(?: \S+)?(?:  +|\n +)(\S.*)$", text)
    assert [words for words in options if re.match(r"[A-Z][a-z]", words)] == []
    assert len(asked(name, "-h").split("\n")) <= len(text.split("\n"))


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help_names_what_a_command_is_for_and_cannot_do_without(name):
    tool = next((tool for tool in TOOLS if tool.command == name), None)
    positional = tool.declaration.command_line.positional if tool is not None else ()
    published = [field for field in tool.schema()["properties"] if field not in positional] if tool is not None else []
    options = {each.name: each for each in group.command_named(name).params if each.param_type_name == "option"}
    needed = [each for field, each in options.items() if each.required or field in published]

    short = asked(name, "-h")

    assert [each.opts for each in needed if not any(word in short for word in each.opts)] == []


def test_help_of_a_command_is_the_same_by_its_option(patchkit):
    assert patchkit("help", "check") == patchkit("check", "--help")
    assert patchkit("help", "apply").stdout.startswith(b"Apply a '*** Begin Patch'")


@pytest.mark.parametrize("name", ["check", "batch"])
def test_help_of_a_command_that_applies_nothing_does_not_say_that_it_does(name):
    assert [words for words in ("apply what fits", "give the rest back") if words in asked(name, "--help")] == []


def test_help_of_edit_speaks_of_options_and_not_of_fields():
    assert "_string" not in asked("edit", "--help")


def test_help_names_the_dry_run(run):
    assert b"--check, --dry-run" in run("--help").stdout


@pytest.mark.parametrize("name", ["write", "multi-edit"])
def test_help_of_a_tool_says_that_it_reads_standard_input(name):
    assert "standard input is read" in asked(name, "--help")


def test_all_exit_statuses_are_in_one_table():
    text = asked("help", "statuses")
    listed = [name for line in re.findall(r"(?m)^([a-z-]+(?:, [a-z-]+)*):$", text) for name in line.split(", ")]

    assert sorted(listed) == sorted(COMMANDS)
    assert [words for each in MEANINGS.values() for words in each.values() if words.split()[0] not in text] == []
    assert "130 for Ctrl-C" in " ".join(text.split())


def test_help_is_as_wide_as_the_terminal_and_has_colour(tree):
    command = [str(SCRIPT.with_name("patchkit")), "help", "check"]
    if not SCRIPT.exists():
        pytest.skip("the scripts are not installed beside this interpreter")
    _status, screen = Terminal(command, tree, 60).end()

    assert "\x1b[1mOptions:\x1b[0m" in screen
    plain = re.sub(r"\x1b\[[\d;]*m", "", screen)
    assert max(map(len, plain.splitlines())) <= 60


def test_patchkit_without_a_command_shows_the_commands(patchkit):
    done = patchkit()

    assert (done.status, done.stdout, done.stderr) == (2, b"", patchkit("--help").stdout)


def test_apply_patch_alone_on_a_terminal_names_its_help(tree):
    if not SCRIPT.exists():
        pytest.skip("the scripts are not installed beside this interpreter")
    status, screen = Terminal([str(SCRIPT)], tree).end()

    assert (status, screen.splitlines()[-1]) == (2, "'apply_patch --help' lists the options.")


# -- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("chekc", "check"),
        ("aply", "apply"),
        ("history", "log"),
        ("view", "read"),
        ("str_replace", "edit"),
        ("Log", "log"),
    ],
)
def test_a_mistyped_command_is_answered_with_the_one_that_was_meant(patchkit, typed, meant):
    for words in ([typed], ["help", typed]):
        assert patchkit(*words) == (
            2,
            b"",
            f"error: unknown command '{typed}' (did you mean 'patchkit {meant}'?)\n"
            "  = help: 'patchkit --help' explains its use\n".encode(),
        )


def test_a_file_in_the_place_of_a_command_is_answered_with_the_command_for_it(patchkit, tree):
    (tree / "p.patch").write_text(X_TO_Y)

    assert b"(did you mean 'patchkit apply p.patch'?)" in patchkit("p.patch").stderr


def test_a_name_in_capitals_stays_one_at_the_beginning_of_an_error(patchkit, tree):
    (tree / "sub").mkdir()

    assert patchkit("diff", "a.txt", "sub").stderr.startswith(b"error: OLD and NEW must both be files")


@pytest.mark.parametrize("words", [["-i", "p", "q"], ["*** Begin Patch\n*** End Patch", "p"]])
def test_apply_with_more_than_it_takes_says_what_it_takes(patchkit, words):
    said = "error: give the text of one patch, or the names of files; with -i that of one file\n"

    assert patchkit("apply", *words) == (
        2,
        b"",
        (said + "  = help: 'patchkit apply --help' explains its use\n").encode(),
    )


def test_a_command_like_no_other_gets_no_guess(patchkit):
    assert patchkit("qqqq").stderr == b"error: unknown command 'qqqq'\n  = help: 'patchkit --help' explains its use\n"


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        ("patchkit", ["check", "--sintax-only"], "unknown option '--sintax-only' (did you mean '--syntax-only'?)"),
        ("patchkit", ["check", "--wholly-other"], "unknown option '--wholly-other'\n"),
        ("patchkit", ["edit", "--old_string", "x"], "unknown option '--old_string' (did you mean '--old'?)"),
        ("patchkit", ["edit", "--file-path", "x"], "unknown option '--file-path' (did you mean 'FILE_PATH'?)"),
        (
            "patchkit",
            ["read", "--max_tokens", "3", "x"],
            "unknown option '--max_tokens' (did you mean '--max-tokens'?)",
        ),
        ("patchkit", ["check", "--max_pass=exact"], "unknown option '--max_pass' (did you mean '--max-pass'?)"),
        ("apply_patch", ["--chek"], "unknown option '--chek' (did you mean '--check'?)"),
        ("apply_patch", ["--check=yes"], "option '--check' does not take a value\n"),
        ("patchkit", ["explain", "--colour", "x"], "unknown option '--colour' (did you mean '--color'?)"),
    ],
)
def test_a_mistyped_option_is_answered_in_the_look_of_errors(run, name, words, said):
    done = run(*words, name=name)

    program = " ".join([name, *([words[0]] if name == "patchkit" else [])])
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith(f"error: {said}")
    assert done.stderr.decode().endswith(f"\n  = help: '{program} --help' explains its use\n")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("apply_patch", ["-C", "nodir", X_TO_Y]),
        ("patchkit", ["read", "-C", "nodir", "a.txt"]),
        ("patchkit", ["read", "-C", "nodir", "a.txt", "--offset=1"]),
        ("patchkit", ["exec", "-C", "nodir", "true"]),
    ],
)
def test_a_directory_to_start_from_that_does_not_exist_is_named(run, contents, name, words):
    done = run(*words, name=name)

    assert done.status != 0
    assert b"error[P326]: the directory 'nodir' given with '-C' does not exist" in done.stderr
    assert contents() == {"a.txt": b"x\n"}


def test_a_file_to_start_from_is_named(run):
    assert b"error[P326]: the directory 'a.txt' given with '-C' is not a directory" in run("-C", "a.txt", X_TO_Y).stderr


# -- versions and modules ------------------------------------------------------------------------


def test_versions_have_one_style(run, patchkit):
    assert patchkit("--version").stdout.decode() == f"patchkit {__version__}\n"
    assert run("--version").stdout.decode() == f"apply_patch {__version__} (patchkit)\n"


def test_the_module_is_the_command(tree):
    settings = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-m", "patchkit", "apply", X_TO_Y]
    done = subprocess.run(command, cwd=tree, env=settings, capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "Success. Updated the following files:\nM a.txt\n")


def test_the_demo_leaves_nothing_behind(tmp_path):
    if not SCRIPT.exists():
        pytest.skip("the scripts are not installed beside this interpreter")
    settings = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "TMPDIR": str(tmp_path)}
    command = [sys.executable, REPOSITORY / "docs" / "demo.py", SCRIPT]
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True)

    assert done.returncode == 0
    assert [path.name for path in tmp_path.rglob("*")] == []


# -- what is printed -----------------------------------------------------------------------------


def test_numbers_alone_are_numbers_only(run, contents):
    assert run("--check", "--numstat", X_TO_Y) == (0, b"1\t1\ta.txt\n", b"")
    assert run("--numstat", X_TO_Y) == (0, b"1\t1\ta.txt\n", b"")
    assert contents() == {"a.txt": b"y\n"}


def test_a_move_has_both_names_on_a_terminal_and_one_in_a_pipe(run, tree):
    if not SCRIPT.exists():
        pytest.skip("the scripts are not installed beside this interpreter")
    _status, screen = Terminal([str(SCRIPT), "--check", MOVE], tree, NO_COLOR="1").end()

    assert screen == "Patch applies. It would update the following files:\nM a.txt => sub/b.txt  +1 -1\n"
    assert run(MOVE).stdout == b"Success. Updated the following files:\nM sub/b.txt\n"


def on_a_terminal(tree, *words, **settings):
    if not SCRIPT.exists():
        pytest.skip("the scripts are not installed beside this interpreter")
    return Terminal([str(SCRIPT.with_name("patchkit")), *words], tree, **settings).end()


def test_a_patch_that_is_made_has_colour_on_a_terminal(tree, run):
    (tree / "b.txt").write_text("y\n")
    status, screen = on_a_terminal(tree, "diff", "a.txt", "b.txt")

    assert status == 0
    assert "\x1b[1m*** Update File: a.txt\x1b[0m\n\x1b[36m@@\x1b[0m\n\x1b[31m-x\x1b[0m\n\x1b[32m+y\x1b[0m\n" in screen
    assert b"\x1b" not in run("diff", "a.txt", "b.txt", name="patchkit").stdout


# -- history -------------------------------------------------------------------------------------


@pytest.fixture
def state(tmp_path):
    return {"XDG_STATE_HOME": str(tmp_path / "state")}


def test_an_undo_can_be_shown_before_it_is_made(run, patchkit, contents, state):
    run("-q", X_TO_Y, **state)
    shown = patchkit("undo", "--show", **state)

    assert (shown.status, shown.stderr, contents()) == (0, b"", {"a.txt": b"y\n"})
    assert shown.stdout == b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-y\n+x\n"
    assert patchkit("undo", **state).status == 0
    assert contents() == {"a.txt": b"x\n"}
    assert patchkit("undo", "--show", **state).stderr.startswith(b"error[P321]: nothing to undo")


def test_history_has_colour_on_a_terminal(run, tree, state):
    run("-q", X_TO_Y, **state)
    _status, screen = on_a_terminal(tree, "log", **state)
    _status, shown = on_a_terminal(tree, "undo", "--show", **state)

    lines = r"a.txt  \x1b\[32m\+1\x1b\[0m \x1b\[31m-1\x1b\[0m\n"
    assert re.match(rf"\x1b\[36m[0-9a-z]{{8}}\x1b\[0m  \d{{4}}-.*\n\x1b\[33m  M\x1b\[0m {lines}", screen)
    assert "\x1b[31m-y\x1b[0m\n\x1b[32m+x\x1b[0m\n" in shown


def test_history_can_be_cleared(run, patchkit, tmp_path, state):
    run("-q", X_TO_Y, **state)

    assert patchkit("log", "--clear", **state) == (0, b"Forgot 1 run.\n", b"")
    assert list((tmp_path / "state").rglob("*.run")) == []
    assert patchkit("log", **state) == (0, b"", b"")
    assert patchkit("log", "--clear", **state) == (0, b"Forgot 0 runs.\n", b"")
    assert patchkit("log", "--clear", "-n", "1", **state).status == 2
