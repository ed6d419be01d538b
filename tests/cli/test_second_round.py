"""What new users stumbled over in the second round: each of these was reported once, under the number in its name."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from terminals import Terminal

from patchkit.catalogue.entries import ENTRIES
from patchkit.cli.group import grouped, page_named, summaries

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = Path(sys.executable).with_name("patchkit")
X_TO_Y = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
SAME = X_TO_Y.replace("+y", "+x")


def text_of(name):
    return (REPOSITORY / name).read_text(encoding="utf-8")


@pytest.fixture
def patchkit(run):
    return lambda *words, **more: run(*words, name="patchkit", **more)


def on_terminal(tree, *words, answers="", **settings):
    if not SCRIPT.exists():
        pytest.skip("the scripts are not installed beside this interpreter")
    terminal = Terminal([str(SCRIPT), *words], tree, NO_COLOR="1", **settings)
    for letter in answers:
        terminal.wait_for("]? ")
        terminal.type(f"{letter}\n")
    return terminal.end()[1]


def test_b1_a_patch_that_changes_nothing_is_no_update(run, patchkit, tree):
    (tree / "same.patch").write_text(SAME)

    assert run(SAME).stdout == b"Nothing to change.\n"
    assert patchkit("apply", "same.patch").stdout == b"Nothing to change.\n"
    assert on_terminal(tree, "apply", "same.patch").startswith("Nothing to change.\n")


def test_b2_the_readme_says_what_the_package_is_called():
    install = text_of("README.md").partition("## Install")[2].partition("\n## ")[0]

    assert "`uv tool upgrade apply-patch`" in install
    assert "`pip uninstall apply-patch`" in install


def test_b3_what_a_baseline_knows_is_hidden_and_what_is_new_is_seen(patchkit, tree):
    (tree / "old.patch").write_text(X_TO_Y.replace("-x", "-old"))
    (tree / "new.patch").write_text(X_TO_Y.replace("-x", "-new"))
    written = patchkit("check", "old.patch", "--write-baseline", "known.json")
    both = patchkit("check", "old.patch", "new.patch", "--baseline", "known.json")

    assert written == (
        0,
        b"1 patch checked: 1 with accepted errors only\nerrors that do not fail: 1 in the baseline\n",
        b"",
    )
    assert both.status == 1
    assert (both.stdout.count(b"error[P201]"), b"old.patch" in both.stdout) == (1, False)
    assert both.stdout.decode().splitlines()[-2:] == [
        "2 patches checked: 1 refused (1 error), 1 with accepted errors only",
        "errors that do not fail: 1 in the baseline",
    ]
    assert patchkit("check", "old.patch", "--baseline", "known.json", "-q").stdout == (
        b"errors that do not fail: 1 in the baseline\n"
    )


def test_b4_a_run_that_is_not_recorded_says_so(run, tree):
    inside = run(X_TO_Y, XDG_STATE_HOME=str(tree / "state"))

    assert inside.stderr == (
        b"note[P962]: this run is not recorded and cannot be undone: "
        b"there is no state directory outside the workspace\n"
    )


def test_b6_every_code_has_a_name_of_plain_words():
    names = [entry.name for entry in ENTRIES.values()]

    assert [name for name in names if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+){1,5}", name)] == []
    assert len(set(names)) == len(names)


def test_b7_a_person_gets_no_words_for_models_in_a_pipe(patchkit, tree):
    assert patchkit("read", "a.txt").stdout == "     1→x\n".encode()
    assert patchkit("edit", "a.txt", "--old", "gone", "--new", "y", "--force") == (
        1,
        b"",
        b"error[P621]: '--old' not found in 'a.txt'\n"
        b"  = help: read a.txt and send the edit again with text of the file; nothing was written\n",
    )
    assert patchkit("edit", "a.txt", "--old", "x", "--new", "y", "--force").stdout.decode() == (
        "The file a.txt has been updated.\n     1→y\n"
    )
    call = patchkit("call", "Edit", '{"file_path": "a.txt", "old_string": "gone", "new_string": "z"}').stderr
    assert call.startswith(b"<tool_use_error>String to replace not found in file.")


def test_c1_empty_input_and_missing_names_are_called_what_they_are(run, patchkit, tree):
    (tree / "empty.txt").write_text("")
    (tree / "answers").mkdir()
    (tree / "answers" / "answer.txt").write_text(X_TO_Y)

    assert run() == (2, b"", b"Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n")
    assert patchkit("apply").stderr.startswith(b"error: no patch: standard input is empty\n")
    assert patchkit("apply", "empty.txt").stderr.startswith(b"error[P101]: no patch found: the text is empty\n")
    assert patchkit("check", "nope").stderr.startswith(b"error[P661]: there is no file 'nope'\n")
    assert b"name its files, such as 'answers/answer.txt'" in patchkit("check", "answers").stderr
    assert b"run 'patchkit apply fix.patch' or 'apply_patch < fix.patch'" in run("fix.patch").stderr
    assert b"'apply_patch < FILE'" in run("a name; rm -r").stderr


def test_c2_colour_is_forced_everywhere(run, patchkit, tree):
    run("-q", X_TO_Y)
    (tree / "sub").mkdir()
    commands = [("log",), ("grep", "y", "a.txt"), ("ls",), ("undo", "zzzzzzzz"), ("explain", "P201"), ("--help",)]
    plain = [words for words in commands if b"\x1b[" not in b"".join(patchkit(*words, FORCE_COLOR="1")[1:])]

    assert plain == []


def test_c3_log_says_who(patchkit, tree):
    patchkit("edit", "a.txt", "--old", "x", "--new", "y", "--force", PATCHKIT_SESSION="review-7")
    first = patchkit("log").stdout.decode().splitlines()[0]
    (run,) = json.loads(patchkit("log", "--json").stdout)["data"]["runs"]

    assert re.fullmatch(r"\w{8}  [\d-]{10} [\d:]{8}  person  session review-7", first)
    assert (run["by"], run["session"], run["tool"]) == ("person", "review-7", "Edit")


def test_c4_statuses_are_those_of_the_command():
    def statuses(name):
        return dict(next(entries for title, entries in page_named(name).lists if title == "Exit status"))

    assert statuses("undo")["0"] == "undone"
    assert statuses("help") == {"0": "printed", "2": "wrong usage"}
    assert "1" not in statuses("log")


def test_c5_options_are_in_groups_and_apply_patch_has_none_that_it_cannot_take():
    page = page_named("apply_patch")
    titles = [title for title, _entries in page.lists]

    assert titles[:4] == ["What to do", "Input", "Matching", "Safety"]
    assert not any("--together" in names for _title, entries in page.lists for names, _words in entries)


def test_c6_a_mistake_in_the_command_line_has_the_look_of_all_errors(patchkit):
    assert patchkit("check", "--chek").stderr.startswith(b"error: unknown option '--chek' (did you mean ")


def test_c7_what_is_left_is_announced_on_a_terminal(tree):
    (tree / "fix.patch").write_text(X_TO_Y)
    screen = on_terminal(tree, "apply", "-i", "fix.patch", answers="q")

    assert "Nothing was applied.\nNot applied; '--rest FILE' keeps it in a file:\n*** Begin Patch\n" in screen


def test_c8_refusals_say_what_they_know(run, patchkit, tree):
    asked = run("--as-agent", X_TO_Y).stderr.decode()
    run("-q", X_TO_Y)
    run("-q", X_TO_Y.replace("-x", "-y").replace("+y", "+z"))
    newer, older = re.findall(r"^\w{8}", patchkit("log").stdout.decode(), re.MULTILINE)
    refused = patchkit("undo", older).stderr.decode()

    assert (
        "'write.\"src/**\" = \"allow\"' under '[permissions]' in '.patchkit.toml', and then 'patchkit trust'" in asked
    )
    assert refused.endswith(f"= help: undo run {newer} first, which changed it; nothing was written\n")


def test_c8_the_numbers_of_patch_and_file_are_in_one_column(run, tree):
    (tree / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 30)))
    lost = X_TO_Y.replace("-x", "-line 1x9").replace("@@\n", "@@\n line 18\n").replace("+y\n", "+y\n line 20\n")
    bars = {line.index("|") for line in run(lost).stderr.decode().splitlines() if re.match(r"\s*\d* \|", line)}

    assert len(bars) == 1


def test_c8_lines_that_are_nowhere_are_shown(run):
    assert "3 | @@\n4 | -q=9\n" in run(X_TO_Y.replace("-x", "-q=9")).stderr.decode()


def test_c8_rules_that_are_not_right_are_not_trusted(patchkit, tree):
    (tree / ".patchkit.toml").write_text('[permissions]\nwrite = { "**" = "allow" }\nwrong = 1\n')
    done = patchkit("trust")

    assert (done.status, done.stderr[:12]) == (2, b"error[P655]:")
    assert not os.path.exists(os.path.join(os.environ["XDG_STATE_HOME"], "patchkit", "trust"))


def test_c12_the_first_release_is_one_screen_and_codes_are_listed_in_groups(patchkit):
    assert len(text_of("CHANGELOG.md").splitlines()) <= 40
    assert re.findall(r"(?m)^P.xx: .*", patchkit("explain").stdout.decode())[:2] == [
        "P1xx: the language",
        "P2xx: matching",
    ]
    assert not (REPOSITORY / "docs" / "seed-rows.md").exists()


def test_d_polish(patchkit):
    help_of_read, help_of_edits = patchkit("read", "--help").stdout, patchkit("multi-edit", "--help").stdout
    listed = patchkit("explain").stdout.decode()

    assert b"Only provide" not in help_of_read
    assert b"--edits JSON" in help_of_edits
    assert re.findall("[a-z](?:OTHERS|MODE)", listed) == []
    assert b"P101" not in patchkit("explain", "zugzwang").stderr
    assert "  off      audit log" in patchkit("doctor").stdout.decode()


def test_a_success_on_a_terminal_shows_lines_and_few_notes(tree):
    (tree / "a.txt").write_text("".join(f"x{number} \n" for number in range(9)))
    hunks = "".join(f"@@\n-x{number}\n+y{number}\n" for number in range(9))
    (tree / "fix.patch").write_text(f"*** Begin Patch\n*** Update File: a.txt\n{hunks}*** End Patch\n")
    screen = on_terminal(tree, "apply", "fix.patch")

    assert screen.startswith("Success. Updated the following files:\nM a.txt  +9 -9\nnote[P921]: hunk 1 of ")
    assert screen.count("note[P921]") == 4
    assert screen.endswith("note[P921]: 6 more of these; '--json' lists them all\n")


def test_help_begins_with_what_one_comes_for():
    first = [name for name in ("apply", "check", "undo", "log", "serve", "install") if name in summaries()]

    assert next(iter(grouped().items())) == ("Start here", first)
