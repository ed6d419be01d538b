"""A miss and its nearest place: what differs there, also where a text begins or ends inside a line."""

from __future__ import annotations

import pytest

from patchkit.core.matching import WorkBudget
from patchkit.formats.edits import Text
from patchkit.repair.texts import nearest
from patchkit.tools.editing.placing import placed

CODE = """\
def backoff(retries):
    retries += 1
    return retries + 2


def other(value):
    return value * 2
"""


def told(old, content=CODE):
    """The line, the agreement and the first difference of the nearest place."""
    text = Text(content)
    found = placed(text, old, "", strict=True)
    near = None if found is None else nearest(text.document, found.hunk, found.miss, WorkBudget())
    return None if near is None else (near.line + 1 + near.index, near.agree, near.total, near.expected, near.found)


@pytest.mark.parametrize(
    ("old", "wanted"),
    [
        ("return retries + 1", (3, 0, 1, "    return retries + 1", "    return retries + 2")),
        ("    return retries + 1\n", (3, 0, 1, "    return retries + 1", "    return retries + 2")),
        ("return value * 3", (7, 0, 1, "    return value * 3", "    return value * 2")),
        (
            "+= 1\n    return retries + 1",
            (3, 1, 2, "    return retries + 1", "    return retries + 2"),
        ),
        (
            "retries += 2\n    return",
            (2, 1, 2, "    retries += 2", "    retries += 1"),
        ),
        (
            "def other(value):\n  return value * 2\n",
            (7, 1, 2, "  return value * 2", "    return value * 2"),
        ),
        ("nothing like it at all", None),
        ("zzz\nyyy\nxxx", None),
        ("", None),
        ("\n\n\n\n\n\n", None),
    ],
)
def test_the_first_difference_is_shown_at_the_nearest_place(old, wanted):
    assert told(old) == wanted


def test_line_endings_are_not_a_difference():
    assert told("retries += 1\r\n    return retries + 1", CODE.replace("\n", "\r\n"))[0] == 3


def test_an_empty_file_has_no_nearest_place():
    assert told("a", "") is None


def test_very_long_and_very_many_lines_are_searched_fast():
    content = "word " * 100_000 + "\n" + "word x\n" * 20_000

    assert told("word y", content)[1:3] == (0, 1)
    assert told("other", content) is None
