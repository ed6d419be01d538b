"""Hunks that lost the indentation of every line: added lines get what the file's lines leave no doubt of."""

from __future__ import annotations

import json

import pytest

import patchkit
from patchkit import PatchkitError

GO = "func f() {\n\tif user == nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n"
PYTHON = "def f():\n    if a:\n        b()\n    else:\n        c()\n    return d\n"


def applied(text: str, *lines: str) -> str:
    files = {"a": text.encode()}
    patchkit.apply("\n".join(["*** Begin Patch", "*** Update File: a", "@@", *lines, "*** End Patch", ""]), files)
    return files["a"].decode()


@pytest.mark.parametrize(
    ("before", "lines", "after"),
    [
        (GO, [" if user == nil {", "-return err", "+return fault", " }"], GO.replace("return err", "return fault")),
        (
            GO,
            [" if user == nil {", "+log(err)", " return err", " }"],
            GO.replace("\t\tret", "\t\tlog(err)\n\t\tret", 1),
        ),
        (GO, [" return err", "+log(err)", " }"], GO.replace("err\n", "err\n\t\tlog(err)\n")),
        (
            PYTHON,
            [" if a:", "-b()", "+b(1)", " else:", "-c()", "+c(1)"],
            PYTHON.replace("b()", "b(1)").replace("c()", "c(1)"),
        ),
        (PYTHON, [" if a:", "+x()", " b()", " else:"], PYTHON.replace("        b", "        x()\n        b")),
        # a block that is opened and ended between two lines of one depth
        (
            GO,
            [" }", "+if user.old {", "+warn(user)", "+}", " return nil"],
            GO.replace("\t}\n\tret", "\t}\n\tif user.old {\n\t\twarn(user)\n\t}\n\tret"),
        ),
        (
            PYTHON,
            [" if a:", "-b()", "+if x:", "+b()", " else:"],
            PYTHON.replace("        b()", "        if x:\n            b()"),
        ),
        # a line that ends its block: the next one is below it
        (
            "def f():\n    if a:\n        return 1\n    g()\n",
            [" if a:", " return 1", "+h()", " g()"],
            "def f():\n    if a:\n        return 1\n    h()\n    g()\n",
        ),
        # a line that replaces another, whatever is around it
        (
            "let a =\n    f(x);\nif b {\n    c();\n}\n",
            [" let a =", "-f(x);", "+g(x);", " if b {", " c();", " }"],
            "let a =\n    g(x);\nif b {\n    c();\n}\n",
        ),
    ],
)
def test_an_added_line_takes_the_margin_that_is_shown(before, lines, after):
    assert applied(before, *lines) == after


@pytest.mark.parametrize(
    ("before", "lines"),
    [
        ("def f():\n    if a:\n    # b\n    c()\n", [" if a:", "+x()", " # b", " c()"]),  # surely deeper, by no line
        (PYTHON, [" else:", " c()", "+x()", " return d"]),  # in the block, or below it
        (PYTHON, [" if a:", "-b()", "+if x:", "+b()", "+y()", " else:"]),  # the last one is in either block
        (GO, [" if user == nil {", " return err", "+case 1:", " }"]),  # how deep a label is, its author decides
        ("if a:\n\tb()\n    c()\n", [" if a:", " b()", "+x()", " c()"]),  # tabs and spaces
    ],
)
def test_a_line_whose_depth_is_left_open_is_refused(before, lines):
    with pytest.raises(PatchkitError) as refusal:
        applied(before, *lines)
    assert refusal.value.code == "P212"


def test_a_depth_that_is_left_open_gets_a_likely_correction():
    patch = "\n".join(
        ["*** Begin Patch", "*** Update File: a", "@@", " else:", " c()", "+x()", " return d", "*** End Patch", ""]
    )

    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(patch, {"a": PYTHON.encode()}, suggest=True)

    assert (refusal.value.code, refusal.value.certainty) == ("P212", "likely")
    files = {"a": PYTHON.encode()}
    patchkit.apply(refusal.value.suggestion, files)
    assert files["a"].decode() == PYTHON.replace("        c()\n", "        c()\n        x()\n")


def test_blocks_and_edits_get_the_same_margins():
    old, new = "if user == nil {\nreturn err\n}", "if user == nil {\nlog(err)\nreturn err\n}"
    block = f"a\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"
    edit = json.dumps({"file_path": "a", "old_string": old, "new_string": new})

    for text in (block, edit):
        files = {"a": GO.encode()}
        patchkit.apply(text, files, from_format="auto")
        assert files["a"].decode() == GO.replace("\t\treturn err", "\t\tlog(err)\n\t\treturn err")


def test_a_flat_hunk_is_refused_where_a_block_that_it_opens_has_no_end():
    content = (
        "struct X table = {\n    NULL\n};\n\nint start(void)\n\n#else\n#define FAIL return\n\nvoid f() {\n    g();\n}\n"
    )
    hunk = [
        "@@",
        " NULL",
        " };",
        " ",
        "-int start(void)",
        "+int",
        "+start(void) {",
        "+int a = make();",
        "+if (a)",
        "+FAIL;",
    ]
    text = "\n".join(["*** Begin Patch", "*** Update File: a.c", *hunk, " ", " #else", "*** End Patch", ""])

    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(text, {"a.c": content.encode()})
    assert refusal.value.code == "P212"


def test_the_margin_below_shows_no_depth_where_the_line_that_opens_its_block_goes():
    before = b"f(\n    x\n    )\n\ndef g():\n    name = 1\n\n    with y:\n        z()\n"
    hunk = " )\n \n-def g():\n-name = 1\n+assert a\n+assert b\n \n with y:\n z()\n"
    files = {"a.py": before}

    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(f"*** Begin Patch\n*** Update File: a.py\n@@\n{hunk}*** End Patch\n", files)
    assert (refusal.value.code, files) == ("P212", {"a.py": before})
