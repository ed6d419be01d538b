"""What new users stumbled over in the second round: each was reported once, under the number in the name of its test.

ELSEWHERE names the tests of what is held in other modules.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from email.message import Message
from importlib import metadata
from pathlib import Path

import pytest
from terminals import Terminal

import patchkit as pk
from patchkit.catalogue.entries import ENTRIES
from patchkit.checking import annotations as sarif
from patchkit.cli.group import grouped, page_named, summaries

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = Path(sys.executable).with_name("patchkit")
X_TO_Y = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
SAME = X_TO_Y.replace("+y", "+x")


ELSEWHERE = {
    "A1 a command of the README crashed in every installed copy": [
        ("docs/test_readme", "an_installed_copy_checks_many_patches_with_several_processes"),
        ("cli/test_exit_status", "a_defect_is_p499_with_status_70_for_every_command"),
    ],
    "B5 the site did not work from disk": [("docs/test_site", "the_site_works_from_disk_with_its_search")],
    "C8 the question of the page did not say which run": [
        ("cli/test_serve", "the_question_about_an_undo_says_who_when_and_which_files")
    ],
    "C9 examples were bare": [
        ("test_examples", "an_example_without_its_words_prints_its_usage_or_what_to_install"),
        ("test_examples", "every_example_is_in_the_list_of_examples"),
    ],
    "C10 the pages for many patches, and of changes": [
        ("checking/test_html_in_a_browser", "a_closed_row_names_the_file_and_the_reason"),
        ("checking/test_html_in_a_browser", "refused_patches_are_in_groups_and_a_search_hides_the_others"),
        ("cli/test_serve", "an_open_page_shows_a_new_run_by_itself_and_obeys_keys"),
        ("cli/test_serve", "runs_are_filtered_by_author_session_file_and_changed_text"),
        ("cli/test_serve", "a_closed_row_has_the_lines_that_were_added_and_removed"),
        ("cli/test_serve", "code_has_colours_that_can_be_read_and_the_page_fits"),
        ("cli/test_serve", "what_was_refused_is_beside_what_was_applied_with_its_reason"),
    ],
    "C11 recipes stopped early": [
        ("docs/test_recipes", "what_a_recipe_leaves_out_a_guard_points_to_until_it_is_done"),
    ],
    "C12 the page of codes was too long": [("docs/test_error_pages", "the_page_can_be_read_in_an_hour")],
    "D a wrong word for 'syntax' was not seen": [
        ("typing/test_user_programs", "a_checker_reports_every_mistake_in_a_call_and_nothing_about_right_programs")
    ],
    "log failed for good once a file that was only moved is gone": [
        ("history/test_timeline", "a_file_that_was_only_moved_and_is_gone_since_leaves_the_other_runs_known")
    ],
}


def test_what_is_held_elsewhere_is_there():
    wanted = [each for tests in ELSEWHERE.values() for each in tests]

    assert [(module, test) for module, test in wanted if f"def test_{test}(" not in text_of(f"tests/{module}.py")] == []


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
        b"'--new': as sent\n"
        b"  = help: read a.txt and send the edit again with text of the file; nothing was written\n",
    )
    assert patchkit("edit", "a.txt", "--old", "x", "--new", "y", "--force").stdout.decode() == (
        "The file a.txt has been updated.\n     1→y\n"
    )
    call = patchkit("call", "Edit", '{"file_path": "a.txt", "old_string": "gone", "new_string": "z"}').stderr
    assert call.startswith(b"<tool_use_error>String to replace not found in file.")


def test_a_person_is_told_the_command_and_the_option_and_a_model_the_tool_and_the_field(patchkit, tree):
    (tree / "d").mkdir()
    unread = "read it with 'patchkit read', then run the command again, or use '--force'"
    for words, step in (
        (("insert", "a.txt", "--line", "0", "--text", "x"), unread),
        (("delete", "d"), "'--recursive'"),
    ):
        assert f"{step}; nothing was written".encode() in patchkit(*words).stderr

    insert = patchkit("call", "Insert", '{"file_path": "a.txt", "insert_line": 0, "new_str": "x"}').stderr
    delete = patchkit("call", "Delete", '{"file_path": "d"}').stderr
    assert b"help: read it, then send the call again;" in insert
    assert b"delete all of it with recursive;" in delete


def test_c1_empty_input_and_missing_names_are_called_what_they_are(run, patchkit, tree):
    (tree / "empty.txt").write_text("")
    (tree / "answers").mkdir()
    (tree / "answers" / "answer.txt").write_text(X_TO_Y)

    assert run() == (2, b"", b"Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n")
    assert patchkit("apply").stderr.startswith(b"error: no patch: standard input is empty\n")
    empty = patchkit("apply", "empty.txt").stderr
    assert empty.startswith(b"error[P101]: no patch found: the text is empty\n")
    assert b"help: start the patch with '*** Begin Patch'" in empty
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
    assert statuses("help") == {"0": "printed", "2": "wrong usage", "4": "standard output does not take it"}
    assert "1" not in statuses("log")


def test_c5_options_are_in_groups_and_apply_patch_has_none_that_it_cannot_take():
    page = page_named("apply_patch")
    titles = [title for title, _entries in page.lists]

    assert titles[:4] == ["What to do", "Input", "Matching", "Safety"]
    assert not any("--together" in names for _title, entries in page.lists for names, _words in entries)


def test_c5_undo_and_redo_can_be_quiet(run, patchkit, tree):
    run("-q", X_TO_Y)

    assert patchkit("undo", "-q") == (0, b"", b"")
    assert patchkit("redo", "--quiet") == (0, b"", b"")
    assert patchkit("redo", "-q").status == 1


def test_c6_a_mistake_in_the_command_line_has_the_look_of_all_errors(patchkit):
    assert patchkit("check", "--chek").stderr.startswith(b"error: unknown option '--chek' (did you mean ")
    assert patchkit("install").stderr.startswith(b"error: missing argument 'CLIENT'; choose from: claude, codex, ")
    assert patchkit("apply", "a.tx").stderr.startswith(
        b"error[P401]: cannot read 'a.tx': no such file or directory (did you mean 'a.txt'?)\n"
    )


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

    rule = "'write.\"a.txt\" = \"allow\"' under '[permissions]' in '.patchkit.toml', and then 'patchkit trust'"
    assert rule in asked
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


def test_d_a_page_that_is_written_is_named_on_a_terminal(tree):
    (tree / "fix.patch").write_text(X_TO_Y)

    assert "Wrote new/x.sarif\n" in on_terminal(tree, "check", "fix.patch", "--format", "sarif=new/x.sarif")


def test_d_a_rule_of_sarif_says_where_its_code_is_explained(monkeypatch):
    known = Message()
    known["Project-URL"] = "Documentation, https://example.com/docs"
    monkeypatch.setattr(metadata, "metadata", lambda _name: known)
    rule = sarif._rule("P201")

    assert rule["helpUri"] == "https://example.com/docs/errors.md#p201"
    assert rule["help"]["text"].endswith("; 'patchkit explain P201' has more")  # a local clone knows no address


def test_d_completion_offers_revisions_and_only_runs_that_can_be_undone(patchkit, tree):
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "one"), ("tag", "v1")):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words], cwd=tree, check=True)

    def offered(line):
        settings = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" ")), "_PATCHKIT_COMPLETE": "bash_complete"}
        return patchkit(**settings).stdout.decode().split()

    assert offered("patchkit diff HE") == ["plain,HEAD"]
    assert offered("patchkit diff HEAD..m") == ["plain,HEAD..main"]
    assert offered("patchkit diff v") == ["plain,v1"]
    assert offered("patchkit diff a") == ["file,a"]
    assert offered("patchkit undo ") == []
    assert "plain,statuses" in offered("patchkit help st")
    assert offered("patchkit check --format = sa") == ["plain,sarif"]


def test_d_an_error_is_shown_by_its_own_code():
    with pytest.raises(pk.PatchSyntaxError) as caught:
        pk.parse("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
    error = caught.value

    assert repr(error).startswith(f"PatchSyntaxError('{error.code}'")
    assert str(error).startswith(error.code)


def test_the_words_that_were_odd_are_gone(patchkit):
    texts = [
        patchkit(name, "--help").stdout.decode() for name in ("apply", "check", "batch", "study", "diff", "policy")
    ]
    texts += [text_of("docs/errors.md"), text_of("docs/commands.md"), text_of("docs/library.md")]
    odd = (
        "unsayable",
        "Judge the patches",
        "slips the patches",
        "call itself is wrong",
        "time was up",
        "how the patch is meant",
    )

    assert [words for words in (*odd, "DEED", "in place of code (P218)") if any(words in text for text in texts)] == []


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
