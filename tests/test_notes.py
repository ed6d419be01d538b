"""Notes: one line each, hidden by `-q`, and nothing that gives a note is accepted with `--strict`.

Run for every scenario, and for every example of the pages about errors, the language and matching.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import patchkit
from patchkit.core.language.lenience import LENIENCES
from patchkit.errors import Note, PatchkitError
from patchkit.report.spans import note_spans, plain

sys.path.append(str(Path(__file__).parent / "docs"))

from doc_examples import EXAMPLES, Page, build
from scenario import NAMES, Scenario

# Notes that `--strict` keeps: about the state of the files, and about what an earlier run left.
FACTS = {"P929", "P930", "P932", "P933", "P941", "P943", "P944"}
SHOWN = {
    f"{page.path.stem}-{example.heading}-{example.number}": example
    for page in map(Page, ("errors.md", "language.md", "matching.md", EXAMPLES))
    for example in page.examples
    if example.call.kind == "patch"
}


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """Every patch with the tree it is for, by the name of its scenario or example."""
    around = tmp_path_factory.mktemp("notes")
    found = {}
    for number, name in enumerate([*NAMES, *SHOWN]):
        tree = around / str(number)
        if name in SHOWN:
            build(SHOWN[name].files, tree)
        else:
            Scenario(name).build(tree)
        found[name] = (SHOWN[name].patch if name in SHOWN else Scenario(name).patch), tree
    return found


def notes(patch: bytes, tree: Path, **options: object) -> list[Note]:
    """The notes of a check in a tree; none when the patch is refused."""
    try:
        return patchkit.apply(patch, tree, check=True, **options).notes
    except PatchkitError:
        return []


def test_a_strict_run_has_notes_about_facts_only(cases):
    found = {name: [note.code for note in notes(*case, strict=True)] for name, case in cases.items()}

    assert {name: codes for name, codes in found.items() if not {*codes} <= FACTS} == {}


def test_a_note_is_one_line_with_its_code(cases):
    lines = {name: [plain(note_spans([note])) for note in notes(*case)] for name, case in cases.items()}
    odd = [
        (name, line)
        for name, each in lines.items()
        for line in each
        if line.count("\n") != 1 or not line.startswith("note[P9")
    ]

    assert odd == []
    assert sum(map(len, lines.values())) > 100


def test_every_lenience_is_used_by_one_example_or_more(cases):
    used = {note.facts.get("lenience") for name in SHOWN for note in notes(*cases[name])}

    assert [each.name for each in LENIENCES if each.name not in used] == []
