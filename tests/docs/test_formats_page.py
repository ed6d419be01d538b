"""docs/formats.md: every example says what the command says, and every format is named."""

from __future__ import annotations

import pytest
from doc_examples import Page

from patchkit.cli.options import FORMAT_NAMES
from patchkit.formats.reading import FORMATS

PAGE = Page("formats.md")


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: example.heading)
def test_an_example_says_what_the_page_of_formats_shows(example, try_out):
    try_out(PAGE, example)


def test_the_page_names_every_format():
    assert sorted(row[0].strip("`") for row in PAGE.rows("Edit formats")) == sorted(FORMATS)


def test_the_flag_knows_every_format():
    assert FORMAT_NAMES == FORMATS
