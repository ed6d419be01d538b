"""What a refused edit offers: the corrected call, that it was made before, a call for each of several places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import examples

from patchkit.formats.edits import Edited, EditStep, Text, execute, valid
from patchkit.tools.editing.offers import offer_correction, unique_edits
from patchkit.tools.editing.placing import placed

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


def corrected(content, old, new):
    """What a refused edit offers: the corrected texts, and how sure they are; None without a correction."""
    text = Text(content)
    fault, found = valid(text, old, new), placed(text, old, new, strict=True)
    if found is not None:
        offer_correction(fault, "a", text, EditStep(old, new, False), found)
    data = fault.facts.get("data", {})
    better = data.get("suggestion")
    return (better["old_string"], better["new_string"], data["confidence"]) if better else None


def after(content, old, new):
    """The content after an edit, and by what it was made: a pass, or a correction; None without either."""
    made = placed(Text(content), old, new)
    if isinstance(made, Edited):
        return b"".join(made.file_bytes()).decode(), made.level
    better = corrected(content, old, new)
    return better and (b"".join(execute(content, *better[:2]).file_bytes()).decode(), better[2])


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
        # another number, which the edit changes, and one that it keeps
        (PAGE, "- Monday: 11\n- Tuesday: 30", "- Monday: 9\n- Tuesday: 30", PAGE.replace(": 12", ": 9")),
        (PAGE, "- Monday: 11\n- Tuesday: 30", "- Monday: 11\n- Tuesday: 31", PAGE.replace(": 30", ": 31")),
        # a line that was left out lies between lines that others replace
        (
            CODE,
            "    tax = amount * rate\n    return amount + tax",
            "    return amount * (1 + rate)",
            CODE.replace('    tax = amount * rate\n    log.debug("tax", tax)\n', "").replace("+ tax", "* (1 + rate)"),
        ),
        # text that a program could not read, and that the edit does not touch
        (
            "caf\ufffd is open\nall day\n",
            "café is open\nall day",
            "café is open\nall night",
            "caf\ufffd is open\nall night\n",
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
    assert after(content, old, new)[0] == wanted


@pytest.mark.parametrize(
    ("content", "old", "new", "wanted"),
    [
        (
            CODE,
            "  amount = sum(items)\n  tax = amount * rate",
            "  amount = sum(items)\n  if amount:\n      tax = amount * rate",
            CODE.replace("    tax = amount * rate", "    if amount:\n        tax = amount * rate"),
        ),
        ("say “hi” now\n", '  say "hi"', "  say ho", "say ho now\n"),
    ],
)
def test_a_correction_of_a_strict_edit_is_certain_where_nothing_but_whitespace_or_typography_differs(
    content, old, new, wanted
):
    *texts, confidence = corrected(content, old, new)

    assert confidence == "certain"
    assert b"".join(execute(content, *texts).file_bytes()).decode() == wanted


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        # nothing like it
        (CODE, "import socket", "import select"),
        # what is to be changed is not there
        (CODE, "    tax = amount * rate\n    raise Unpaid(items)", "    tax = amount * rate\n    raise Late(items)"),
        # two places are as near
        ("a = call(one, 1)\nb = 2\n" + "c = 3\n" * 30 + "a = call(one, 2)\n", "a = call(one, 3)", "a = call(two, 3)"),
        ("a = call(one, 1)\na = call(one, 2)\n", "a = call(one, 3)", "a = call(two, 3)"),
    ],
)
def test_there_is_no_correction_where_none_is_clear(content, old, new):
    assert after(content, old, new) is None


def test_lines_are_added_to_a_correction_until_it_is_unique():
    content = "[a]\nsize = 1 mm\n\n[b]\nsize = 1 mm\nname = first of all\n"

    better = corrected(content, "size = 1 mm\nname = first off all", "size = 2 mm\nname = first off all")

    assert content.count(better[0]) == 1
    assert after(content, "size = 1 mm\nname = first off all", "size = 2 mm\nname = first off all") == (
        content.replace("size = 1 mm\nname", "size = 2 mm\nname"),
        "likely",
    )


LINES = st.lists(st.sampled_from(["alpha one", "beta two", "gamma three", "  delta four", "", "}"]), max_size=8)


@examples(200)
@given(LINES, LINES, LINES)
def test_a_correction_can_be_made_and_keeps_every_line_around_its_place(content, old, new):
    text = "".join(line + "\n" for line in content)
    before, wanted = "\n".join(old), "\n".join(new)
    assume(before and before != wanted and text and before not in text)

    better = corrected(text, before, wanted)

    assume(better is not None)
    assert valid(text, *better[:2]) is None
    made = b"".join(execute(text, *better[:2]).file_bytes()).decode().split("\n")
    shown = {line.strip() for line in old}
    first, last = text[: text.index(better[0])].count("\n"), better[0].count("\n")
    around = [*content[:first], *content[first + last + 1 :]]
    for line in around:
        if line.strip() and line.strip() not in shown:
            assert made.count(line) >= around.count(line)


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
        "confidence": "certain",
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


def test_both_corrected_texts_are_shown_whole(file, use):
    path = file("a.py", "call(\n    first,\n    second,\n    third,\n)\n")
    result = use("Edit", file_path=path, old_string="    first,\n    third,\n)", new_string="    first,\n    3,\n)")

    assert result.text.partition("corrected edit (certain)\n")[2] == (
        "corrected old_string:\n    first,\n    second,\n    third,\n)\n"
        "corrected new_string:\n    first,\n    second,\n    3,\n)\n"
        "  = help: send the edit again with these texts; nothing was written\n"
    )


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ("weight: 2.0\nsteps: 20", "corrected new_string:\nweight: 5.0\nsteps: 20\n"),
        ("weight: 9.0\nsteps: 10", "new_string: as sent\n"),
    ],
)
def test_a_correction_says_what_becomes_of_the_new_text(file, use, new, said):
    path = file("a.yml", "weight: 5.0\nsteps: 10\n")
    result = use("Edit", file_path=path, old_string="weight: 2.0\nsteps: 10", new_string=new)

    assert f"corrected old_string:\nweight: 5.0\nsteps: 10\n{said}" in result.text
    assert use("Edit", **result.data["suggestion"]).status == "success"


def test_tabs_of_a_corrected_line_are_shown_as_tabs(file, use):
    path = file("a.go", "func f() {\n\t\treturn first(value)\n\t\tlast(value)\n}\n")

    refused = use(
        "Edit",
        file_path=path,
        old_string="\treturn first(value)\n\tlast(value)",
        new_string="\tlast(value)",
        strict=True,
    )

    assert "\n\t\treturn first(value)\n" in refused.text


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


@pytest.mark.parametrize(
    ("content", "old", "new", "wanted"),
    [
        (
            'log("a")\nsay("b")\n',
            'log(\\"x\\")\nsay(\\"b\\")',
            'log(\\"x\\")\nsay(\\"c\\")',
            ('log("a")\nsay("b")', 'log("a")\nsay("c")'),
        ),
        (
            'def f(a):\n    q = call("ab", 1)\n    return q\n',
            'def f(a):\\n    q = call(\\"ab\\", 2)\\n    return q',
            'def f(a):\\n    q = call(\\"c\\", 3)\\n    return q',
            ('def f(a):\n    q = call("ab", 1)\n    return q', 'def f(a):\n    q = call("c", 3)\n    return q'),
        ),
    ],
)
def test_an_escaped_edit_with_a_slip_is_decoded_as_a_whole_before_it_is_corrected(content, old, new, wanted):
    assert corrected(content, old, new) == (*wanted, "likely")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("nothing like it", "other", "new_string: as sent\n"),
        (" ", "other", "new_string: as sent\n"),
        ("alfa = 11\nkappa = 9", "alfa = 11\nkappa = 8", "new_string: as sent, but for lines of the old text that"),
    ],
)
def test_a_refusal_without_a_correction_says_what_becomes_of_the_new_text(file, use, old, new, words):
    path = file("f.py", "alpha = 1\nbeta = 2\n".replace(" ", "" if old == " " else " "))

    refused = use("Edit", file_path=path, old_string=old, new_string=new)

    assert (refused.errors[0]["code"], words in refused.text) == ("P621", True)
