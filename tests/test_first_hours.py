"""What new users stumbled over: each of these was reported once. HELD names the test of each; some are in this file."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from patchkit.catalogue.entries import ENTRIES
from patchkit.checking.annotations import _rule
from patchkit.cli.commands.doctor import Examined, _spans
from patchkit.cli.group import page_named
from patchkit.report.pages.page import STYLE
from patchkit.report.spans import plain
from patchkit.runtimes.prompt import words
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import TOOLS

REPOSITORY = Path(__file__).resolve().parents[1]
# What was reported, and the tests that hold it: the module, and the name of the test without 'test_'.
HELD = {
    "public names had no types": [
        ("typing/test_user_programs", "a_checker_reports_every_mistake_in_a_call_and_nothing_about_right_programs")
    ],
    "no way to install was named; hints named a package of another project": [
        ("test_packaging", "install_is_the_first_section_of_the_readme"),
        ("test_packaging", "no_text_asks_to_install_a_name_that_is_not_registered"),
        ("test_packaging", "the_source_distribution_carries_the_addresses"),
    ],
    "completion took the names of files away": [
        ("cli/test_completion", "bash_still_completes_what_it_does_alone"),
        ("cli/test_completion", "zsh_completes"),
        ("cli/test_completion", "fish_completes"),
        ("cli/test_completion", "the_ids_of_runs_are_completed_with_the_files_they_changed"),
    ],
    "no closest place where words are short, and one where nothing is like it": [
        ("repair/test_near_miss", "in_a_small_scope_a_line_of_short_words_has_its_closest_line"),
        ("repair/test_near_miss", "a_line_that_has_only_signs_in_common_is_not_called_the_closest"),
    ],
    "Ctrl-C did not stop a loop": [("cli/test_interrupts", "control_c_stops_a_loop_of_a_shell")],
    "the name of a file was refused": [
        ("test_first_hours", "patches_are_applied_by_the_names_of_their_files"),
        ("test_first_hours", "the_help_of_apply_begins_with_the_names_of_files"),
    ],
    "the library: misspelt keywords, str in mappings, read-only mappings, long reprs, history without asking": [
        ("test_library", "a_misspelt_keyword_is_a_type_error"),
        ("test_library", "a_str_in_a_mapping_is_a_usage_error_that_names_the_path"),
        ("test_library", "a_mapping_that_cannot_be_changed_is_enough_to_plan_and_to_check"),
        ("test_library", "a_repr_is_one_short_line"),
        ("test_library", "nothing_is_recorded_by_default"),
    ],
    "no page said where old contents are kept": [
        ("docs/test_safety_page", "the_page_says_where_the_history_is"),
        ("docs/test_safety_page", "the_page_says_how_much_history_is_kept_and_for_how_long"),
        ("cli/test_commands", "history_can_be_cleared"),
        ("cli/test_commands", "the_demo_leaves_nothing_behind"),
    ],
    "a schema described another tool": [
        ("test_first_hours", "the_description_of_a_tool_promises_nothing_that_the_workspace_refuses")
    ],
    "people saw tags for models": [
        ("cli/test_terminal", "a_person_who_reads_a_file_sees_no_reminder_for_models"),
        ("cli/test_terminal", "a_person_sees_an_error_without_the_tag_for_models"),
    ],
    "the source distribution did not pass its tests": [
        ("test_packaging", "the_tests_of_the_pages_pass_in_the_source_distribution")
    ],
    "two figures for one thing": [
        ("test_first_hours", "the_number_of_cases_is_the_same_in_the_readme_and_in_its_chart")
    ],
    "-i gave up at an ambiguous hunk": [
        ("cli/test_interactive_refusals", "an_ambiguous_hunk_goes_to_the_place_that_is_chosen")
    ],
    "fish showed half sentences": [("cli/test_completion", "fish_shows_whole_descriptions")],
    "a mistake was answered with the wrong thing": [
        ("cli/test_commands", "a_directory_to_start_from_that_does_not_exist_is_named"),
        ("cli/test_commands", "a_mistyped_command_is_answered_with_the_one_that_was_meant"),
        ("cli/test_commands", "a_mistyped_option_is_answered_in_the_look_of_errors"),
        ("cli/test_explain", "a_code_there_is_not_is_answered_with_those_that_come_near"),
        ("cli/test_explain", "a_word_lists_the_codes_about_it"),
        ("cli/test_commands", "the_module_is_the_command"),
    ],
    "three kinds of help": [
        ("cli/test_commands", "help_of_every_command_has_one_style"),
        ("cli/test_commands", "help_is_as_wide_as_the_terminal_and_has_colour"),
        ("cli/test_commands", "help_lists_every_command_below_the_heading_of_its_group"),
        ("cli/test_commands", "versions_have_one_style"),
    ],
    "help left things out": [
        ("cli/test_commands", "help_names_the_dry_run"),
        ("cli/test_commands", "help_of_a_tool_says_that_it_reads_standard_input"),
        ("cli/test_commands", "help_of_edit_speaks_of_options_and_not_of_fields"),
        ("cli/test_commands", "apply_patch_alone_on_a_terminal_names_its_help"),
        ("cli/test_commands", "all_exit_statuses_are_in_one_table"),
    ],
    "prose before numbers": [("cli/test_commands", "numbers_alone_are_numbers_only")],
    "a moved file had one name": [("cli/test_commands", "a_move_has_both_names_on_a_terminal_and_one_in_a_pipe")],
    "what was not checked was green": [("test_first_hours", "what_was_not_checked_is_grey_in_the_page")],
    "a page about speed was wrong": [("test_first_hours", "the_page_about_speed_says_when_code_is_compiled")],
    "the example for pre-commit named a branch": [("test_first_hours", "the_example_for_pre_commit_names_a_commit")],
    "'There are 1 entry'": [("test_first_hours", "one_entry_is_one_entry")],
    "a log without a word about what a patch did": [
        ("cli/test_history_commands", "log_lists_what_was_applied_newest_first"),
        ("cli/test_history_commands", "log_may_be_cut_to_the_newest"),
    ],
    "exec had two names for one thing": [("cli/test_exec_command", "help_has_one_name_for_where_it_runs")],
    "templates in rules": [("test_first_hours", "a_rule_of_sarif_has_words_and_no_template")],
    "white charts on dark screens, with other names": [
        ("docs/test_screenshots", "a_plot_has_colours_for_dark_screens"),
        ("test_first_hours", "the_names_in_the_chart_are_those_of_the_readme"),
    ],
    "an example lost its indentation": [("test_first_hours", "the_example_for_a_system_prompt_keeps_its_indentation")],
}
# Reported, and left as it is, with the reason.
LEFT = {
    "`glob` prints absolute paths and `grep` relative ones": "the published tools do so; `--relative` changes it",
    "`patch:8` for a patch from standard input": "it has no name; a patch file has its own name there",
    "two equal scripts in the wheel": "`applypatch` is an alias, and a script of a wheel is a file",
    "packages for Homebrew, conda, apt and nix; a single program; Windows": "they need a release, or another port",
}
PATCHKIT = [sys.executable, "-c", "from patchkit.cli.main import main; main()"]


def test_every_stumble_has_the_test_that_holds_it():
    wanted = {(module, test) for tests in HELD.values() for module, test in tests}
    texts = {module: text_of(f"tests/{module}.py") for module, _test in wanted}

    assert [each for each in sorted(wanted) if f"def test_{each[1]}(" not in texts[each[0]]] == []


def text_of(name):
    return (REPOSITORY / name).read_text(encoding="utf-8")


def update(old, new):
    return f"*** Begin Patch\n*** Update File: a.txt\n@@\n-{old}\n+{new}\n*** End Patch\n"


def test_patches_are_applied_by_the_names_of_their_files(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "1.patch").write_text(update("one", "two"))
    (tmp_path / "2.patch").write_text(update("two", "three"))
    words = ["apply", "1.patch", "2.patch", "--no-history"]
    subprocess.run([*PATCHKIT, *words], cwd=tmp_path, env={"PYTHONPATH": str(REPOSITORY)}, check=True)

    assert (tmp_path / "a.txt").read_text() == "three\n"


def test_an_error_names_the_file_of_the_patch(tmp_path):
    (tmp_path / "fix.patch").write_text(update("one", "two"))
    words, settings = ["apply", "fix.patch"], {"PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run([*PATCHKIT, *words], cwd=tmp_path, env=settings, capture_output=True, text=True)

    assert done.stderr.splitlines()[1] == " --> fix.patch:2"


def test_the_help_of_apply_begins_with_the_names_of_files():
    assert page_named("apply").usage[0] == "patchkit apply [OPTIONS] FILE…"


def test_a_report_of_the_doctor_fits_the_terminal():
    found = [Examined("Group", "name", "ok", "some words that are too long for such a narrow terminal")]

    assert plain(_spans(found, 40)) == (
        "Group\n"
        "  ok       name  some words that are too\n"
        "                 long for such a narrow\n"
        "                 terminal\n"
    )


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_description_of_a_tool_promises_nothing_that_the_workspace_refuses(tool):
    words = tool.declaration.description.lower()

    assert [
        each for each in ("any file", "all files on the machine", "must be an absolute path") if each in words
    ] == []


def test_the_number_of_cases_is_the_same_in_the_readme_and_in_its_chart():
    in_readme = set(re.findall(r"([\d,]+) cases", text_of("README.md")))
    in_chart = set(re.findall(r"(\d+) cases", text_of("docs/accuracy.svg")))

    assert {each.replace(",", "") for each in in_readme} == in_chart
    assert len(in_chart) == 1


def test_the_names_in_the_chart_are_those_of_the_readme():
    heading = next(line for line in text_of("README.md").splitlines() if line.startswith("| % of cases"))
    names = [name.strip() for name in heading.strip("|").split("|")[1:]]
    chart = text_of("docs/accuracy.svg")

    assert [name for name in names if f">{name}</text>" not in chart] == []


def test_what_was_not_checked_is_grey_in_the_page():
    assert ".hunk.unchecked .outcome { color: var(--soft); }" in STYLE


def test_the_example_for_pre_commit_names_a_commit():
    (revision,) = re.findall(r"rev: (\S+)", text_of("docs/ci.md"))

    assert re.fullmatch(r"[0-9a-f]{40}", revision)


def test_one_entry_is_one_entry(tmp_path):
    (tmp_path / "a.txt").write_text("x\n")
    said = call("LS", {"path": ".", "offset": 9}, Caller(root=str(tmp_path)))

    assert "There is 1 entry, none from offset 9 on" in said.text


def test_a_rule_of_sarif_has_words_and_no_template():
    assert [code for code in ENTRIES if "{" in json.dumps(_rule(code)["shortDescription"]["text"])] == []


def test_the_example_for_a_system_prompt_keeps_its_indentation():
    assert '\n-    print("Hi")\n' in words({"apply_patch"}, markdown=False)


def test_the_page_about_speed_says_when_code_is_compiled():
    words = " ".join(text_of("docs/performance.md").split())

    assert "the first run compiles and writes `__pycache__`" in words
