"""docs/grammar.md: its examples say what the command says."""

from __future__ import annotations

import pytest
from doc_examples import Page

from patchkit.cli.commands.grammar import grammar

PAGE = Page("grammar.md")


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: f"{example.heading}-{example.number}")
def test_an_example_says_what_the_page_of_grammars_shows(example, try_out):
    try_out(PAGE, example)


def test_every_option_for_files_is_in_the_table():
    own = {"--for-model", "--for-files", "--root", "-C", "--start", "--as-agent", "--help", "-h"}
    options = {name for each in grammar.params for name in each.opts if name.startswith("-")} - own
    assert {name for name in options if f"| `{name}" not in PAGE.path.read_text(encoding="utf-8")} == set()
