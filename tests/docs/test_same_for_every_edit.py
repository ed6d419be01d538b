"""The same cases as a patch, an edit, a block and a JSON edit: one outcome, and the table of docs/matching.md."""

from __future__ import annotations

import json
import os
from pathlib import Path

import patchkit
from patchkit import PatchkitError
from patchkit.tools.editing.offers import offer_correction
from patchkit.tools.editing.placing import hunk_of, placed
from patchkit.tools.editing.text import Edited, EditStep, Text, execute, valid

UPDATE = os.environ.get("PATCHKIT_UPDATE_DOCS") == "1"
PAGE = Path(__file__).parents[2] / "docs/matching.md"
HEAD = "| the old text | patch | edit | block | JSON edit |\n|---|---|---|---|---|\n"

GO = "func f() {\n\tif user == nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n"
PY = (
    "def total(items, rate):\n    amount = sum(items)\n    tax = amount * rate\n    log(tax)\n    return amount + tax\n"
)
# What is wrong with the old text, the file, the old text and the new one, and the file afterwards: as it shall be made,
# or by the correction; None where there is neither.
CASES = [
    ("is there", PY, "    log(tax)\n", "    log(tax, 2)\n", PY.replace("log(tax)", "log(tax, 2)")),
    (
        "lost whitespace at line ends",
        PY.replace("items)\n", "items)  \n"),
        "    amount = sum(items)\n    tax = amount * rate\n",
        "    amount = sum(items)\n    tax = amount\n",
        PY.replace("items)\n", "items)  \n").replace("amount * rate", "amount"),
    ),
    (
        "lost its common margin",
        PY,
        "amount = sum(items)\ntax = amount * rate\n",
        "amount = sum(items)\nif amount:\n    tax = amount * rate\n",
        PY.replace("    tax = amount * rate", "    if amount:\n        tax = amount * rate"),
    ),
    (
        "lost all indentation",
        GO,
        "if user == nil {\nreturn err\n}\n",
        "if user == nil {\nlog(err)\nreturn err\n}\n",
        GO.replace("\t\treturn err", "\t\tlog(err)\n\t\treturn err"),
    ),
    (
        "lost all indentation, and the file does not show how deep the new line is",
        PY.replace("    log(tax)\n", "    if tax:\n        log(tax)\n"),
        "if tax:\nlog(tax)\nreturn amount + tax\n",
        "if tax:\nlog(tax)\nlog(amount)\nreturn amount + tax\n",
        PY.replace("    log(tax)\n", "    if tax:\n        log(tax)\n        log(amount)\n"),
    ),
    (
        "has straight quotes for typographic ones",
        "say “hi”\nthen go\n",
        'say "hi"\nthen go\n',
        'say "hi"\nthen stay\n',
        "say “hi”\nthen stay\n",
    ),
    (
        "has backslashes in front of quotes",
        'print("hi")\ngo()\n',
        'print(\\"hi\\")\ngo()\n',
        'print(\\"ho\\")\ngo()\n',
        'print("ho")\ngo()\n',
    ),
    (
        "lacks the backslashes of the file",
        'R=\\"--x\\"\nrun "$R"\n'.replace('"$R"', "$R"),
        'R="--x"\nrun $R\n',
        'R=""\nrun $R\n',
        'R=\\"\\"\nrun $R\n',
    ),
    (
        "has the line numbers of a listing",
        PY,
        "     2→    amount = sum(items)\n     3→    tax = amount * rate\n",
        "     2→    amount = sum(items)\n     3→    tax = amount\n",
        PY.replace("amount * rate", "amount"),
    ),
    (
        "has one line that is another by now, and that stays",
        PY,
        PY.replace("log(", "print("),
        PY.replace("log(", "print(").replace("sum(items)", "max(items)"),
        PY.replace("sum(items)", "max(items)"),
    ),
    (
        "leaves out a line beside what it changes",
        PY,
        "    tax = amount * rate\n    return amount + tax\n",
        "    tax = amount * rate\n    return round(amount + tax)\n",
        PY.replace("return amount + tax", "return round(amount + tax)"),
    ),
    (
        "is made already",
        PY,
        "    log(taxes, rates)\n    return amount\n",
        "    log(tax)\n    return amount + tax\n",
        None,
    ),
    ("is there twice", "a(1)\nb(2)\na(1)\n", "a(1)\n", "a(2)\n", None),
    ("is nowhere", PY, "import socket\nsocket.open()\n", "import select\n", None),
]


def _tried(text, content, wanted, **options):
    """How the library answers a text in some format."""
    files = {"a": content.encode()}
    try:
        patchkit.apply(text, files, suggest=True, **options)
    except PatchkitError as error:
        if error.suggestion is None:
            return "refused"
        patchkit.apply(error.suggestion, files)
        assert files["a"].decode() == wanted
        return "refused, with a correction"
    assert files["a"].decode() == wanted
    return "made"


def as_a_patch(content, old, new, wanted):
    lines = hunk_of(old.splitlines(), new.splitlines()).lines
    patch = "\n".join(["*** Begin Patch", "*** Update File: a", "@@", *lines, "*** End Patch", ""])
    return _tried(patch, content, wanted)


def as_an_edit(content, old, new, wanted):
    text, made = Text(content), None
    fault = valid(text, old, new)
    try:
        made = execute(text, old, new) if fault is None else placed(text, old, new) if fault.code == "P621" else None
    except PatchkitError:
        return "refused"
    if isinstance(made, Edited):
        assert b"".join(made.file_bytes()).decode() == wanted
        return "made"
    if made is not None:
        offer_correction(fault, "a", text, EditStep(old, new, False), made)
    better = fault.facts.get("data", {}).get("suggestion")
    if not better:
        return "refused"
    after = execute(text, better["old_string"], better["new_string"])
    assert b"".join(after.file_bytes()).decode() == wanted
    return "refused, with a correction"


def as_a_block(content, old, new, wanted):
    block = f"a\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
    return _tried(block, content, wanted, from_format="search-replace")


def as_a_json_edit(content, old, new, wanted):
    edit = json.dumps({"file_path": "a", "old_string": old, "new_string": new})
    return _tried(edit, content, wanted, from_format="json-edits")


def test_every_case_has_one_outcome_and_the_page_says_which():
    ways = (as_a_patch, as_an_edit, as_a_block, as_a_json_edit)
    rows = [(title, [way(content, old, new, wanted) for way in ways]) for title, content, old, new, wanted in CASES]

    assert [row for row in rows if len(set(row[1])) > 1] == []
    table = HEAD + "".join(f"| {title} | {' | '.join(outcomes)} |\n" for title, outcomes in rows)
    page = PAGE.read_text()
    start = page.index(HEAD)
    stop = page.index("\n\n", start) + 1
    if UPDATE:
        PAGE.write_text(page[:start] + table + page[stop:])
    else:
        assert page[start:stop] == table
