"""What a refused edit offers: the corrected call, that it was made before, a call for each of several places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import examples

from patchkit.tools.editing.correction import corrected
from patchkit.tools.editing.text import Text, execute, valid
from patchkit.tools.editing.unique_text import unique_edits

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schemas/edit.json").read_text())

PAGE = """\
# Visitors

Counted: 17:40

- Monday: 12
- Tuesday: 30
- Wednesday: 7

## Notes
The door was open.
"""
CODE = """\
def total(items, rate):
    amount = sum(items)
    tax = amount * rate
    log.debug("tax", tax)
    return amount + tax


def report(items):
    rows = [str(item) for item in items]
    return "\\n".join(rows)
"""


def after(content, old, new):
    """The content after the corrected edit, and how sure that was; None without a correction."""
    better = corrected(Text(content), old, new)
    if better is None:
        return None
    return b"".join(execute(content, better.old, better.new).file_bytes()).decode(), better.confidence


# -- the merge -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "old", "new", "wanted"),
    [
        # a line that the edit keeps is another one by now
        (
            PAGE,
            "# Visitors\n\nCounted: 17:30",
            "# Guests\n\nCounted: 17:30",
            PAGE.replace("# Visitors", "# Guests"),
        ),
        # a line that the edit changes: its words are merged
        (
            CODE,
            "    tax = amount * rates\n",
            "    duty = amount * rates\n",
            CODE.replace("    tax = amount", "    duty = amount"),
        ),
        # a line that was left out of both texts stays
        (
            CODE,
            "    tax = amount * rate\n    return amount + tax",
            "    tax = amount * rate\n    return round(amount + tax)",
            CODE.replace("return amount + tax", "return round(amount + tax)"),
        ),
        # two empty lines for one, the first of them removed with the lines above
        (
            CODE,
            "    return amount + tax\n\ndef report(items):",
            "    return amount + tax\n\ndef listed(items):",
            CODE.replace("def report", "def listed"),
        ),
        # a line that the file lacks, beside what is added
        (
            PAGE,
            "- Wednesday: 7\n- Thursday: 3",
            "- Wednesday: 7\n- Sunday: 4\n- Thursday: 3",
            PAGE.replace("- Wednesday: 7\n", "- Wednesday: 7\n- Sunday: 4\n"),
        ),
        # escaped once more
        (
            CODE,
            '    rows = [str(item) for item in items]\n    return "\\\\n".join(rows)',
            '    rows = [str(item) for item in items]\n    rows.sort()\n    return "\\\\n".join(rows)',
            CODE.replace("in items]\n", "in items]\n    rows.sort()\n"),
        ),
        # the old text begins inside its first line
        (
            CODE,
            "sum(items)\n    tax = amount * price",
            "sum(items)\n    check(amount)\n    tax = amount * price",
            CODE.replace("sum(items)\n", "sum(items)\n    check(amount)\n"),
        ),
    ],
)
def test_a_correction_merges_the_edit_with_the_lines_of_the_file(content, old, new, wanted):
    assert after(content, old, new) == (wanted, "likely")


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (
            "  amount = sum(items)\n  tax = amount * rate",
            "  amount = sum(items)\n  if amount:\n      tax = amount * rate",
            CODE.replace("    tax = amount * rate", "    if amount:\n        tax = amount * rate"),
        ),
        (
            "2\u2192    amount = sum(items)\n3\u2192    tax = amount * rate",
            "2\u2192    amount = sum(items)\n3\u2192    tax = amount / rate",
            CODE.replace("amount * rate", "amount / rate"),
        ),
    ],
)
def test_a_correction_is_certain_where_nothing_but_whitespace_typography_or_numbers_differ(old, new, wanted):
    assert after(CODE, old, new) == (wanted, "certain")


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        # nothing like it
        (CODE, "import socket", "import select"),
        # what is to be changed is not there
        (CODE, "    tax = amount * rate\n    raise Unpaid(items)", "    tax = amount * rate\n    raise Late(items)"),
        # a line that was not shown lies between lines that are removed
        (CODE, "    tax = amount * rate\n    return amount + tax", "    return amount"),
        # it is not known whether the new line goes above or below the one that was not shown
        (
            CODE,
            "    tax = amount * rate\n    return amount + tax",
            "    tax = amount * rate\n    check(tax)\n    return amount + tax",
        ),
        # two places are as near
        ("a = call(one, 1)\nb = 2\n" + "c = 3\n" * 30 + "a = call(one, 2)\n", "a = call(one, 3)", "a = call(two, 3)"),
        ("a = call(one, 1)\na = call(one, 2)\n", "a = call(one, 3)", "a = call(two, 3)"),
        # text that a program could not read
        ("caf\ufffd is open\nall day\n", "café is open\nall day", "café is open\nall night"),
    ],
)
def test_there_is_no_correction_where_none_is_clear(content, old, new):
    assert after(content, old, new) is None


def test_lines_are_added_to_a_correction_until_it_is_unique():
    content = "[a]\nsize = 1 mm\n\n[b]\nsize = 1 mm\nname = first of all\n"

    better = corrected(Text(content), "size = 1 mm\nname = first of al", "size = 2 mm\nname = first of al")

    assert better is not None
    assert content.count(better.old) == 1
    assert after(content, "size = 1 mm\nname = first of al", "size = 2 mm\nname = first of al") == (
        content.replace("size = 1 mm\nname", "size = 2 mm\nname"),
        "likely",
    )


LINES = st.lists(st.sampled_from(["alpha one", "beta two", "gamma three", "  delta four", "", "}"]), max_size=8)


@examples(200)
@given(LINES, LINES, LINES)
def test_a_correction_can_be_made_and_keeps_every_line_that_was_not_shown(content, old, new):
    text = "".join(line + "\n" for line in content)
    before, wanted = "\n".join(old), "\n".join(new)
    assume(before and before != wanted and text and before not in text)

    better = corrected(Text(text), before, wanted)

    assume(better is not None and not better.is_made)
    assert valid(text, better.old, better.new) is None
    made = b"".join(execute(text, better.old, better.new).file_bytes()).decode().split("\n")
    shown = {line.strip() for line in old}
    for line in content:
        if line.strip() and line.strip() not in shown:
            assert made.count(line) >= content.count(line)


# -- the refusal ---------------------------------------------------------------------------------


def test_a_miss_has_the_corrected_call_and_nothing_is_written(file, use):
    path = file("page.md", PAGE)

    refused = use(
        "Edit", file_path=path, old_string="- Monday: 11\n- Tuesday: 30", new_string="- Monday: 11\n- Tuesday: 31"
    )

    assert refused.data == {
        "suggestion": {
            "file_path": path,
            "old_string": "- Monday: 12\n- Tuesday: 30",
            "new_string": "- Monday: 12\n- Tuesday: 31",
        },
        "confidence": "likely",
    }
    assert set(refused.data) <= set(SCHEMA["else"]["properties"]["data"]["properties"])
    assert Path(path).read_text() == PAGE
    again = use("Edit", **refused.data["suggestion"])
    assert (again.status, Path(path).read_text()) == ("success", PAGE.replace("Tuesday: 30", "Tuesday: 31"))


def test_the_correction_of_an_edit_of_several_has_its_number(file, use):
    path = file("page.md", PAGE)
    edits = [
        {"old_string": "# Visitors", "new_string": "# Guests"},
        {"old_string": "The door was opened.\n", "new_string": "The door was closed.\n"},
    ]

    refused = use("MultiEdit", file_path=path, edits=edits)

    assert refused.data["suggestion"]["edit"] == 2
    assert refused.data["suggestion"]["old_string"] == "The door was open."
    assert Path(path).read_text() == PAGE


def test_a_line_that_was_left_out_is_shown_with_those_around_it(file, use):
    path = file("a.py", "call(\n    first,\n    second,\n    third,\n)\n")
    result = use("Edit", file_path=path, old_string="    first,\n    third,\n)", new_string="    first,\n    3,\n)")

    assert "  |      first,\n  | +    second,\n  |      third,\n" in result.text


def test_tabs_of_a_corrected_line_are_shown_as_tabs(file, use):
    path = file("a.go", "func f() {\n\t\treturn first(value)\n\t\tlast(value)\n}\n")

    refused = use(
        "Edit",
        file_path=path,
        old_string="\treturn first(value)\n\tlast(value)",
        new_string="\tlast(value)",
        strict=True,
    )

    assert "  | +\t\treturn first(value)\n" in refused.text


def test_a_replacement_of_every_place_is_not_corrected(file, use):
    path = file("page.md", PAGE)

    refused = use("Edit", file_path=path, old_string="Counted: 17:41", new_string="x", replace_all=True)

    assert refused.data == {}


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("- Monday: 11", "- Monday: 12", 5),
        ("The door was shut.\nIt rained.", "The door was open.", 10),
        ("# Visitors\n\n- Monday", "# Visitors\n\nCounted: 17:40\n", 1),
    ],
)
def test_an_edit_that_was_made_before_is_recognised(file, use, old, new, line):
    path = file("page.md", PAGE)

    refused = use("Edit", file_path=path, old_string=old, new_string=new)

    assert f" ::: {path}:{line}, new_string is there already\n" in refused.text
    assert f"send nothing if line {line} of" in refused.errors[0]["hint"]
    assert refused.data == {"already_at_line": line}


@pytest.mark.parametrize("new", ["", "}", "a", "Visit"])
def test_a_new_text_that_shows_nothing_is_not_taken_for_an_edit_that_was_made(file, use, new):
    path = file("page.md", PAGE)

    refused = use("Edit", file_path=path, old_string="nothing of the kind", new_string=new)

    assert "is there already" not in refused.text


# -- several places ------------------------------------------------------------------------------

TWICE = "def a():\n    x = 1\n    return None\n\n\ndef b():\n    x = 2\n    return None\n"


def test_several_places_have_a_call_each_and_one_for_all(file, use):
    path = file("a.py", TWICE)

    refused = use("Edit", file_path=path, old_string="    return None", new_string="    return x")

    assert refused.data["every_place"] == {
        "file_path": path,
        "old_string": "    return None",
        "new_string": "    return x",
        "replace_all": True,
    }
    assert [place["line"] for place in refused.data["places"]] == [3, 8]
    assert set(refused.data) <= set(SCHEMA["else"]["properties"]["data"]["properties"])
    assert f" ::: {path}:8, unique with the line above: 'x = 2'\n" in refused.text
    use("Edit", **refused.data["places"][1]["call"])
    assert Path(path).read_text() == TWICE.replace("x = 2\n    return None", "x = 2\n    return x")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_the_call_for_all_places_changes_all_of_them(file, use, ending):
    path = file("a.py", TWICE.replace("\n", ending).encode())

    refused = use("Edit", file_path=path, old_string="return None\n", new_string="return x\n")
    use("Edit", **refused.data["every_place"])

    assert Path(path).read_bytes() == TWICE.replace("None", "x").replace("\n", ending).encode()


@examples(200)
@given(
    st.text("ab \n", min_size=1, max_size=30), st.text("ab \n", min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"])
)
def test_the_call_for_a_place_changes_that_place_alone(content, old, ending):
    ended = content.replace("\n", ending)
    text = Text(ended)
    spans = text.spans(old, 20)
    assume(len(spans) > 1)

    edits = {each.line: each for each in unique_edits(text, old, "[new]")}

    for start, stop in spans:
        line = ended.count("\n", 0, start) + 1
        if line in edits and sum(ended.count("\n", 0, other) + 1 == line for other, _ in spans) == 1:
            made = b"".join(execute(ended, edits[line].old, edits[line].new).file_bytes()).decode()
            assert made == ended[:start] + "[new]" + ended[stop:]
