"""Notes: one line each, hidden by `-q`, and nothing that gives a note is accepted with `--strict`.

Run for every scenario, and for every example of the pages about errors, the language and matching.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import patchkit
from patchkit.core.language.lenience import LENIENCES
from patchkit.errors import PatchkitError
from patchkit.report.notes import render_note

sys.path.append(str(Path(__file__).parent / "docs"))

from doc_examples import Page, build
from scenario import NAMES, Scenario

# Notes that `--strict` keeps: about the state of the files, and about what an earlier run left.
FACTS = {"P929", "P930", "P932", "P933", "P941", "P942", "P943", "P944", "P945"}
EXAMPLES = [
    (page, example)
    for page in map(Page, ("errors.md", "language.md", "matching.md"))
    for example in page.examples
    if example.call.kind == "patch"
]


def notes(patch: bytes, tree: Path, **options: object) -> list[patchkit.errors.Note]:
    """The notes of a check in a tree; none when the patch is refused."""
    try:
        return patchkit.apply(patch, tree, check=True, **options).notes
    except PatchkitError:
        return []


@pytest.fixture(params=[*NAMES, *(f"{page.path.stem}-{example.number}" for page, example in EXAMPLES)])
def case(request, tmp_path):
    """A patch and the tree it is for."""
    tree = tmp_path / "tree"
    if request.param in NAMES:
        scenario = Scenario(request.param)
        scenario.build(tree)
        return scenario.patch, tree
    example = next(each for page, each in EXAMPLES if f"{page.path.stem}-{each.number}" == request.param)
    build(example.files, tree)
    return example.patch, tree


def test_a_strict_run_has_notes_about_facts_only(case):
    patch, tree = case

    assert [note.code for note in notes(patch, tree, strict=True) if note.code not in FACTS] == []


def test_a_note_is_one_line_with_its_code(case):
    patch, tree = case
    lines = [render_note(note) for note in notes(patch, tree)]

    assert [line for line in lines if line.count("\n") != 1 or not line.startswith("note[P9")] == []


def test_every_lenience_is_used_by_one_case_or_more(tmp_path):
    used = set()
    for number, (_, example) in enumerate(EXAMPLES):
        build(example.files, tmp_path / str(number))
        used |= {note.code for note in notes(example.patch, tmp_path / str(number))}

    assert [each.code for each in LENIENCES if each.code not in used] == []
