"""docs/commands.md: its examples, and the groups of commands."""

from __future__ import annotations

import pytest
from doc_examples import Page

from patchkit.cli.group import grouped

PAGE = Page("commands.md")


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: example.heading)
def test_an_example_does_what_the_page_shows(try_out, example):
    try_out(PAGE, example)


def test_the_page_has_every_command_in_its_group():
    shown = {title: commands.replace("`", "").split(", ") for title, commands in PAGE.rows("Commands")}

    assert shown == grouped()
