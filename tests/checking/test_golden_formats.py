"""Every output format of one set of patches, to the byte.

PATCHKIT_UPDATE_GOLDEN=1 writes the golden files anew: then read what changed.
"""

from __future__ import annotations

import json
import os
import re

import pytest
from golden_runs import FIXTURES, RUNS, golden, values

from patchkit.catalogue.entries import ENTRIES
from patchkit.checking.report import FORMATS
from patchkit.core.language.lenience import LENIENCES

UPDATE = os.environ.get("PATCHKIT_UPDATE_GOLDEN") == "1"
# Codes of P1xx to P3xx and P9xx that no check of a patch file gives, and why.
NOT_GIVEN = {
    "P109": "a patch file is not an argument on a command line",
    "P112": "only making a patch can ask for what the language cannot say",
    "P117": "needs very large files: tests/formats/test_edit_limits.py",
    "P220": "needs a base, which a check does not take: '--base' is an option of apply",
    "P221": "needs a base, as P220",
    "P222": "needs a base, as P220",
    "P227": "needs a grammar that is not installed",
    "P223": "needs a base, as P220",
    "P224": "is said by '--fix', which writes beside patch files: tests/cli/test_corrected_patches.py",
    "P225": "as P224",
    "P226": "needs a grammar, which is in the extra 'structure'",
    "P311": "another program would have to change a file during the run",
    "P312": "a root that cannot be used stops the whole run before any patch, with status 2",
    "P315": "needs a run that is still at work: a check waits for the lock only then, if there is a journal",
    "P316": "needs a file system without locks, and a journal on it",
    "P317": "is found out when writing",
    "P319": "a tool that lists directories says it",
    "P321": "is said by undo and redo",
    "P322": "is said by undo and redo",
    "P323": "is said by undo and redo",
    "P324": "is said by undo and redo",
    "P325": "is said by undo and redo",
    "P326": "a directory that does not exist stops the whole run before any patch, with status 2",
    "P932": "is found out when writing",
    "P939": "is said of a path that is spelled otherwise: tests/repair/test_suggestion.py",
    # A check may give one of these, as it gives P943 in the run 'interrupted': of the tree, whatever the patches are.
    # They need a run that was killed half-way, which no folder of files can be: tests/core/workspace/test_recovery.py.
    "P941": "reports that such a run was finished or cleaned up after",
    "P944": "reports that such a run left files that were changed since",
    "P946": "as P224",
}
NOTES_OF_APPLY = range(901, 950)
# Above that are notes of other tools, and P985, which says that a log could not be written: tests/cli has it.


@pytest.mark.parametrize("name", FORMATS)
def test_an_output_format_of_the_golden_patches_is_as_it_was(formats, name, subtests):
    for run in RUNS:
        path = golden(run, name)
        if UPDATE:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(formats[run][name].encode())
        with subtests.test(run):
            assert formats[run][name] == path.read_bytes().decode()


def test_the_golden_patches_bring_about_every_code_that_a_check_can_give(formats):
    reported = {
        code for run in RUNS for code in re.findall(r"^(?:error|note)\[(P\d+)\]", formats[run]["text"], re.MULTILINE)
    }
    asked = {code for code in ENTRIES if code[1] in "123" or (code[1] == "9" and int(code[1:]) in NOTES_OF_APPLY)}

    assert sorted(asked - reported) == sorted(NOT_GIVEN)
    assert sorted(reported - asked) == ["P662", "P663", "P664", "P665"]


def test_the_golden_patches_bring_about_every_lenience(formats):
    notes = [note for line in values(formats["everything"]["jsonl"]) for note in line.get("notes", [])]

    assert {each.name for each in LENIENCES} - {note.get("variant") for note in notes} == set()


def test_a_golden_patch_is_named_after_the_code_it_brings_about(formats):
    patches = {f"{path.parent.name}/{path.name}" for path in FIXTURES.glob("*/P*.patch")}
    reported = {
        each["patch"]: {found["code"] for found in [*each["errors"], *each["notes"]]}
        for run in reversed(RUNS)  # the first of several with the same patches counts
        for each in values(formats[run]["jsonl"])
        if "patch" in each
    }

    assert [name for name in sorted(patches) if name.rpartition("/")[2][:4] not in reported[name]] == []


@pytest.mark.parametrize("run", RUNS)
def test_all_output_formats_report_the_same_errors(formats, run):
    reported = formats[run]
    envelope = json.loads(reported["json"])
    codes = [error["code"] for error in envelope["errors"]]
    sarif = json.loads(reported["sarif"])["runs"][0]["results"]
    drawn = r"^error\[(P\d+)\]"

    assert re.findall(drawn, reported["text"], re.MULTILINE) == codes
    assert re.findall(drawn, envelope["text"], re.MULTILINE) == codes
    assert re.findall(drawn, reported["markdown"], re.MULTILINE) == codes
    assert re.findall(r"(?:^|>)error\[(P\d+)\]", reported["junit"], re.MULTILINE) == codes
    assert re.findall(r'<div class="error"><p><b>(P\d+)</b>', reported["html"]) == codes
    assert [result["ruleId"] for result in sarif if result["level"] == "error"] == codes
    assert [error["code"] for line in values(reported["jsonl"]) for error in line.get("errors", [])] == codes
