"""Hunks that lost the indentation of every line: added lines get what the file's lines leave no doubt of."""

from __future__ import annotations

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
    ],
)
def test_an_added_line_takes_the_margin_that_is_shown(before, lines, after):
    assert applied(before, *lines) == after


@pytest.mark.parametrize(
    ("before", "lines"),
    [
        ("def f():\n    if a:\n    # b\n    c()\n", [" if a:", "+x()", " # b", " c()"]),  # surely deeper, by no line
        (PYTHON, [" else:", " c()", "+x()", " return d"]),  # in the block, or below it
        (PYTHON, [" if a:", "-b()", "+if x:", "+b()", " else:"]),  # no line shows how deep the second one is
    ],
)
def test_a_line_whose_depth_is_left_open_is_refused(before, lines):
    with pytest.raises(PatchkitError) as refusal:
        applied(before, *lines)
    assert refusal.value.code == "P212"
