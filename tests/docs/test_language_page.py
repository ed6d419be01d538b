"""docs/language.md: its examples run, and its tables say what the parser does."""

from __future__ import annotations

import json
import re

import pytest
from doc_examples import Page

from patchkit import PatchkitError, parse
from patchkit.core.changes import DIALECTS
from patchkit.core.language._grammar import KINDS
from patchkit.core.language.lenience import LENIENCES

PAGE = Page("language.md")
HUNK = "*** Update File: a\n@@\n x\n-y\n+z\n"
PATCH = f"*** Begin Patch\n{HUNK}*** End Patch\n"
ADD = "*** Begin Patch\n*** Add File: b\n+x\n*** End Patch\n"
# One text or more that needs each lenience, in the order in which the page lists the answers of strict.
NEEDY = {
    "outside-text": ["Here it is:\n" + PATCH, PATCH + "Done.\n"],
    "blank-between": [PATCH.replace("*** End", "\n*** End"), ADD.replace("*** End", "\n*** End")],
    "heredoc": [f"apply_patch <<'EOF'\n{PATCH}EOF\n"],
    "fence": [f"```\n{PATCH}```\n"],
    "byte-order-mark": ["\ufeff" + PATCH],
    "marker-spelling": [PATCH.replace("File: a", "File:a"), PATCH.replace("Begin Patch", "begin patch")],
    "bare-blank": [PATCH.replace("-y", "\n-y"), ADD.replace("+x\n", "+x\n\n+y\n")],
    "indented": ["".join(f"  {line}\n" for line in PATCH.split("\n")[:-1])],
    "carriage-returns": [PATCH.replace("\n", "\r\n")],
    "unified-file-header": [PATCH.replace("@@", "--- a\n+++ b\n@@")],
    "unified-hunk-header": [PATCH.replace("@@", "@@ -1,2 +1,2 @@ f")],
    "no-end-marker": [f"apply_patch <<'EOF'\n*** Begin Patch\n{HUNK}EOF\n"],
    "json": [json.dumps({"input": PATCH})],
    "literal-newlines": [PATCH.replace("\n", "\\n")],
    "several-envelopes": [PATCH + ADD],
    "empty-hunk": [PATCH.replace("@@", "@@\n@@")],
    "idle-end-of-file": [ADD.replace("*** End", "*** End of File\n*** End")],
    "missing-sign": [PATCH.replace("+z", "+z\nend"), PATCH.replace(" x", "x")],
    "missing-plus": [ADD.replace("+x", "x\ny")],
    "indented-end": [PATCH.replace("*** End", " *** End")],
}


def answers(text: str, strict: bool) -> list[str]:
    """The leniences of all notes, or the code of the refusal."""
    try:
        return [note.facts["lenience"] for note in parse(text, strict=strict).notes]
    except PatchkitError as error:
        return [error.code]


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: f"{example.heading}-{example.number}")
def test_an_example_does_what_the_page_of_the_language_shows(example, try_out):
    try_out(PAGE, example)


def test_the_table_lists_every_lenience_by_its_name():
    rows = [row[0] for row in PAGE.rows("What the parser forgives")]

    assert sorted(rows) == sorted(each.name for each in LENIENCES)


def test_the_table_says_what_strict_answers():
    listed = {name: re.findall(r"P\d{3}", strict) for name, _what, strict in PAGE.rows("What the parser forgives")}
    given = {name: [code for text in texts for code in answers(text, strict=True)] for name, texts in NEEDY.items()}

    assert listed == given


def test_a_note_names_the_lenience():
    unnamed = [name for name, texts in NEEDY.items() for text in texts if name not in answers(text, strict=False)]

    assert unnamed == []


def test_every_kind_of_line_of_the_grammar_is_listed():
    listed = [row[0].partition("` (")[0].strip("`") for row in PAGE.rows("The parts of a patch")]
    openings = [re.sub(r"(NAME|PATH|TEXT)$", "", line) for line in listed]

    assert sorted(openings) == sorted(opening for _name, opening, _text in KINDS)


def test_the_json_shapes_on_the_page_are_read():
    shapes = next(block for block in PAGE.blocks if block.kind == "json").lines
    read = [parse(shape.replace("PATCH", json.dumps(PATCH)[1:-1])).sections for shape in shapes]

    assert read == [parse(PATCH).sections] * len(shapes)


def test_the_table_of_dialects_has_a_column_for_each():
    head = next(line for line in PAGE.prose["Two dialects"].split("\n") if line.startswith("| question"))

    assert re.findall(r"`(\w+)`", head) == list(DIALECTS)
