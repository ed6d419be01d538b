"""Every face of one set of patches, to the byte. PATCHKIT_UPDATE_GOLDEN=1 writes them anew: then read what changed."""

from __future__ import annotations

import json
import os
import re

import pytest
from golden_runs import FIXTURES, RUNS, golden, values

from patchkit.catalogue import ENTRIES
from patchkit.tools.checking.faces import FACES

UPDATE = os.environ.get("PATCHKIT_UPDATE_GOLDEN") == "1"
# Codes of P1xx to P3xx and P9xx that no check of a patch file gives, and why.
NOT_GIVEN = {
    "P109": "a patch file is no argument on a command line",
    "P112": "only making a patch can ask for what the language cannot say",
    "P311": "somebody would have to change a file during the run",
    "P312": "a root that cannot be used stops the whole run before any patch, with status 2",
    "P315": "needs a run that is still at work: only then, and where a journal stands, does a check wait for the lock",
    "P316": "needs a file system without locks, and a journal on it",
    "P317": "is found out when writing",
    "P319": "a tool that lists directories says it",
    "P321": "is said by undo and redo",
    "P322": "is said by undo and redo",
    "P323": "is said by undo and redo",
    "P324": "is said by undo and redo",
    "P325": "is said by undo and redo",
    "P932": "is found out when writing",
    # A check may give one of these, as it gives P943 in the run 'interrupted': of the tree, whatever the patches are.
    # They need a run that was killed half-way, which no folder of files can be; tests/workspace/test_recovery.py kills.
    "P941": "tells that such a run was finished",
    "P942": "tells that such a run was cleaned up after",
    "P944": "tells that such a run was undone",
    "P945": "tells that such a run was complete",
}
NOTES_OF_APPLY = range(901, 950)
# Above that are notes of other tools, and P985, which says that a log could not be written: tests/cli has it.


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("face", FACES)
def test_a_face_of_the_golden_patches_is_as_it_was(faces, run, face):
    path = golden(run, face)
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(faces[run][face].encode())

    assert faces[run][face] == path.read_bytes().decode()


def test_the_golden_patches_bring_about_every_code_that_a_check_can_give(faces):
    told = {code for run in RUNS for code in re.findall(r"^(?:error|note)\[(P\d+)\]", faces[run]["text"], re.MULTILINE)}
    asked = {code for code in ENTRIES if code[1] in "123" or (code[1] == "9" and int(code[1:]) in NOTES_OF_APPLY)}

    assert sorted(asked - told) == sorted(NOT_GIVEN)
    assert sorted(told - asked) == ["P662", "P663", "P664", "P665"]


@pytest.mark.parametrize("patch", sorted(FIXTURES.glob("*/P*.patch")), ids=lambda path: path.stem)
def test_a_golden_patch_is_named_after_the_code_it_brings_about(faces, patch):
    run = next(name for name, each in RUNS.items() if each["patches"] == patch.parent.name)
    told = next(
        each for each in values(faces[run]["jsonl"]) if each.get("patch") == f"{patch.parent.name}/{patch.name}"
    )

    assert patch.name[:4] in {each["code"] for each in [*told["errors"], *told["notes"]]}


@pytest.mark.parametrize("run", RUNS)
def test_all_faces_tell_of_the_same_errors(faces, run):
    told = faces[run]
    envelope = json.loads(told["json"])
    codes = [error["code"] for error in envelope["errors"]]
    sarif = json.loads(told["sarif"])["runs"][0]["results"]
    drawn = r"^error\[(P\d+)\]"

    assert re.findall(drawn, told["text"], re.MULTILINE) == codes
    assert re.findall(drawn, envelope["text"], re.MULTILINE) == codes
    assert re.findall(drawn, told["markdown"], re.MULTILINE) == codes
    assert re.findall(r"(?:^|>)error\[(P\d+)\]", told["junit"], re.MULTILINE) == codes
    assert re.findall(r'<div class="error"><p><b>(P\d+)</b>', told["html"]) == codes
    assert [result["ruleId"] for result in sarif if result["level"] == "error"] == codes
    assert [error["code"] for line in values(told["jsonl"]) for error in line.get("errors", [])] == codes
