"""What new users stumbled over, as far as no other test is about it: each of these was reported once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from patchkit.catalogue import ENTRIES
from patchkit.cli.doctor import Examined, _spans
from patchkit.cli.help import apply_patch_help
from patchkit.report.html_style import STYLE
from patchkit.report.sarif import _rule
from patchkit.report.spans import plain
from patchkit.runtimes.prompt import words
from patchkit.tools.calling import Caller, call
from patchkit.tools.registry import TOOLS

REPOSITORY = Path(__file__).resolve().parents[1]
PATCHKIT = [sys.executable, "-c", "from patchkit.cli.main import main; main()"]


def text_of(name):
    return (REPOSITORY / name).read_text(encoding="utf-8")


def update(old, new):
    return f"*** Begin Patch\n*** Update File: a.txt\n@@\n-{old}\n+{new}\n*** End Patch\n"


def test_patches_are_applied_by_the_names_of_their_files(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "1.patch").write_text(update("one", "two"))
    (tmp_path / "2.patch").write_text(update("two", "three"))
    words = ["apply", "1.patch", "2.patch", "--no-history"]
    subprocess.run([*PATCHKIT, *words], cwd=tmp_path, env={"PYTHONPATH": str(REPOSITORY)}, check=True, timeout=20)

    assert (tmp_path / "a.txt").read_text() == "three\n"


def test_the_help_of_apply_begins_with_the_names_of_files():
    assert apply_patch_help(by_name=True).usage[0] == "patchkit apply [OPTIONS] FILE…"


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
    heading = next(line for line in text_of("README.md").splitlines() if line.startswith("| class-averaged"))
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


@pytest.mark.parametrize("code", sorted(ENTRIES))
def test_a_rule_of_sarif_has_words_and_no_template(code):
    assert "{" not in json.dumps(_rule(code)["shortDescription"]["text"])


def test_the_example_for_a_system_prompt_keeps_its_indentation():
    assert '\n-    print("Hi")\n' in words({"apply_patch"}, markdown=False)


def test_the_page_about_speed_says_when_code_is_compiled():
    words = " ".join(text_of("docs/performance.md").split())

    assert "the first run compiles and writes `__pycache__`" in words
