"""docs/batch.md: every example says what the command says, and every column and verdict is named."""

from __future__ import annotations

import pytest
from doc_examples import Page

from patchkit.batch.request import COLUMNS, EMITTED, VERDICTS

PAGE = Page("batch.md")


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: str(example.number))
def test_an_example_of_the_batch_page_gives_what_the_page_shows(try_out, example):
    try_out(PAGE, example)


def test_every_column_verdict_and_emitted_value_is_on_the_page():
    text = PAGE.path.read_text(encoding="utf-8")
    words = [*VERDICTS, *(name for names in COLUMNS.values() for name in names), *EMITTED]

    assert [word for word in words if f"`{word}`" not in text and f"{word}," not in text] == []
