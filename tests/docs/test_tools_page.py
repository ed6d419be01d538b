"""docs/tools.md: its examples are real, its tables complete, and every founding row has a place and a test."""

from __future__ import annotations

import re

import pytest
from doc_examples import REPOSITORY, Page

from patchkit.tools.registry import TOOLS

PAGE = Page("tools.md")
ROWS = PAGE.rows("Where each founding row is kept")
COUNTS = {"S0": 32, "S1": 14, "S2": 22, "S3": 10, "S4": 6}


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: f"{example.heading}-{example.number}")
def test_an_example_says_what_the_page_of_tools_shows(example, try_out):
    assert try_out(PAGE, example).status == 0


def test_the_round_goes_through_every_step():
    round_ = next(example for example in PAGE.examples if example.heading == "A round")

    steps = [line.split()[:2] for line in round_.call.text.split("\n") if line.startswith(("patchkit", "apply_patch"))]

    assert [words[1] if words[0] == "patchkit" else words[0] for words in steps] == [
        *["ls", "glob", "grep", "read", "edit", "apply_patch", "read", "exec"]
    ]
    assert round_.output.text.endswith("all tests pass\n")


def test_the_table_of_tools_is_the_registry():
    rows = PAGE.rows("The tools")

    assert [row[0] for row in rows] == [tool.name for tool in TOOLS]
    assert [row[3] for row in rows] == [tool.effect for tool in TOOLS]


def test_the_table_of_further_fields_has_all_of_them():
    told = {
        (field.strip("` "), tool)
        for row in PAGE.rows("Calling a tool")
        for field in row[0].split(", ")
        for tool in row[1].split(", ")
    }
    published = {
        (field, tool.name)
        for tool in TOOLS
        for field in tool.part("EXTRAS")
        if field not in tool.schema()["properties"]
    }

    assert told == published


# -- rows ----------------------------------------------------------------------------------------


def test_every_founding_row_is_there_in_order():
    assert [row[0] for row in ROWS] == [
        f"{name}.{number}" for name, count in COUNTS.items() for number in range(1, count + 1)
    ]


def test_every_row_is_kept_where_the_table_says():
    places = [place for row in ROWS for place in re.findall(r"`([^`]+)`", row[2])]

    assert [place for place in places if not (REPOSITORY / "patchkit" / place).exists()] == []
    assert [row[0] for row in ROWS if "`" not in row[2]] == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_row_is_shown_by_tests_that_are_there(row):
    shown_by = re.findall(r"`([^`]+)`", row[3])
    home = ""
    for test in shown_by:
        path, _, name = test.partition("::")
        home = path or home  # one in the same file is named without it

        assert f"\ndef {name}(" in (REPOSITORY / home).read_text(encoding="utf-8")
    assert shown_by
