"""docs/tools.md: its examples are real and its tables complete."""

from __future__ import annotations

import pytest
from doc_examples import Page

from patchkit.tools.registry import TOOLS

PAGE = Page("tools.md")


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: f"{example.heading}-{example.number}")
def test_an_example_says_what_the_page_of_tools_shows(example, try_out):
    assert try_out(PAGE, example).status == 0


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
        for field in tool.declaration.extras
        if field not in tool.schema()["properties"]
    }

    assert told == published
