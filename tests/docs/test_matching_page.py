"""docs/matching.md: its examples run, and its passes and figures are those of the code."""

from __future__ import annotations

import pytest
from doc_examples import Page

from patchkit.core import matching as model
from patchkit.core.matching import placer
from patchkit.core.matching.passes import NAMES
from patchkit.core.text import encodings
from patchkit.repair import corrections

PAGE = Page("matching.md")


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: f"{example.heading}-{example.number}")
def test_an_example_does_what_the_page_of_matching_shows(example, try_out):
    try_out(PAGE, example)


def test_the_passes_on_the_page_are_those_of_the_code_in_order():
    assert [row[0] for row in PAGE.rows("The passes")] == list(NAMES)


def test_the_page_is_short_enough_to_read():
    assert len(PAGE.path.read_text(encoding="utf-8").split()) <= 2500


def test_the_evidence_on_the_page_is_that_of_the_code():
    known = [name.removeprefix("by_").replace("_", "-") for name in vars(placer.Evidence) if name.startswith("by_")]

    assert [row[0] for row in PAGE.rows("Evidence in order")] == known


def test_the_encodings_on_the_page_are_those_of_the_code_in_order():
    listed = PAGE.prose["Encodings"].partition("note P934: ")[2].partition(". ")[0]

    assert tuple(listed.replace("\n", " ").replace("   ", "").split(", ")) == encodings.LISTED


def test_the_corrections_on_the_page_are_those_of_the_code():
    codes = [row[0] for row in PAGE.rows("The patch that should have been sent")]

    assert codes == sorted([*corrections.CORRECTED, "P302", "P303"])


def test_the_figures_on_the_page_are_those_of_the_code():
    figures = {
        f"{model.MOST_COMPARED:,} lines": "Cost",
        f"{model.WorkBudget().left / 1e9:.1f} billion characters": "Cost",
        f"most {model.SHOWN} are shown": "When a hunk is refused",
    }

    assert [words for words, heading in figures.items() if words not in " ".join(PAGE.prose[heading].split())] == []
