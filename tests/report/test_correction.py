"""The corrected patch beside a refusal, as people and models are shown it."""

from __future__ import annotations

import pytest

from patchkit.errors import PatchkitError
from patchkit.report.correction import BY_CALL, correction_spans, refusal_for_model, refusal_spans, refusal_text
from patchkit.report.diagnostics import render_errors
from patchkit.report.spans import on_screen, plain

SENT = "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+2\n three\n*** End Patch\n"
RIGHT = SENT.replace("-two", "-zwei")


def refusal(suggestion=RIGHT, certainty="likely"):
    error = PatchkitError("P201", file="a", hunk=1, patch_line=3)
    error.suggestion, error.certainty = suggestion, certainty
    return error


def shown(sent, corrected, columns=None):
    return plain(correction_spans(sent, corrected, "likely", columns, "p.patch", BY_CALL)).split("\n")


def test_a_change_is_shown_with_the_line_above_and_below_it_and_the_numbers_of_the_patch():
    assert shown(SENT, RIGHT) == [
        " ::: p.patch:5, corrected patch (likely)",
        "4 |    one",
        "5 | - -two",
        "  | + -zwei",
        "6 |   +2",
        "  = help: send the corrected patch if it is what you meant",
        "",
    ]


def test_changes_that_are_apart_have_a_mark_between_them():
    sent = "\n".join(["*** Begin Patch", *"abcdefgh", "*** End Patch"])
    right = sent.replace("\nb", "\nB").replace("\ng", "\nG")

    assert shown(sent, right)[1:-2] == [
        *("2 |   a", "3 | - b", "  | + B", "4 |   c"),
        "  | …",
        *("7 |   f", "8 | - g", "  | + G", "9 |   h"),
    ]


def test_neighbouring_changes_show_no_line_twice():
    sent = "\n".join(["*** Begin Patch", *"abcd", "*** End Patch"])
    right = sent.replace("\nb", "\nB").replace("\nd", "\nD")

    assert [line[:7] for line in shown(sent, right)[1:-2]] == [
        *("2 |   a", "3 | - b", "  | + B", "4 |   c", "5 | - d", "  | + D", "6 |   *"),
    ]


def test_a_long_difference_is_cut_and_counted():
    sent = "\n".join(["*** Begin Patch", *(f"+{n}" for n in range(100)), "*** End Patch"])
    lines = shown(sent, sent.replace("+", "+0"))

    assert (len(lines), lines[-3]) == (28, "   | … 178 more lines")


def test_the_lines_of_a_terminal_are_not_wider_than_it_is():
    sent = SENT.replace("-two", "-" + "two " * 60)

    assert max(map(len, shown(sent, RIGHT, 60))) <= 60
    certain = plain(correction_spans(sent, RIGHT, "certain", 60, "p.patch", BY_CALL))
    assert max(map(len, certain.split("\n"))) <= 60


def test_colour_shows_what_goes_and_what_comes():
    text = on_screen(refusal_spans([refusal()], SENT), colour=True)

    assert "\x1b[31m - -two\x1b[0m" in text
    assert "\x1b[32m + -zwei\x1b[0m" in text


def test_control_characters_of_a_patch_do_not_act_on_a_terminal():
    text = on_screen(refusal_spans([refusal(RIGHT.replace("zwei", "\x1b[2J"))], SENT), colour=False)

    assert "\x1b" not in text


@pytest.mark.parametrize("certainty", ["certain", "likely"])
def test_a_program_is_shown_the_argument_that_applies_the_correction(certainty):
    error = refusal(certainty=certainty)
    error.for_library = True

    assert f"  = help: pass fix='{certainty}' to apply the corrected patch" in refusal_text([error], SENT)


def test_a_model_gets_the_whole_patch():
    text = refusal_for_model([refusal()], SENT)

    head, _, rest = text.partition("corrected patch (likely):\n")
    assert head.startswith("error[P201]: ")
    assert rest == f"{RIGHT}  = help: send the corrected patch if it is what you meant\n"


def test_a_model_gets_a_short_diff_of_a_very_long_patch():
    long = SENT.replace("+2\n", "+2\n" * 10_000)
    text = refusal_for_model([refusal(long.replace("-two", "-zwei"))], long)

    assert (len(text) < 1000, "  | + -zwei\n" in text) == (True, True)


@pytest.mark.parametrize(
    ("wrong", "right", "is_whole"),
    [
        ("-two\n", "-zwei\n", False),
        ("-two\n" * 20, "-zwei\n" * 20, True),  # more than a diff shows
        ("- two\n", "-  two\n", True),  # a diff shows blanks by other characters
        ("-two\n", f"-{'zwei' * 300}\n", True),  # a diff shows a part of the line
    ],
)
def test_a_model_gets_a_diff_of_a_long_patch_if_that_says_all(wrong, right, is_whole):
    long = SENT.replace("-two\n", wrong).replace("+2\n", "+2\n" * 4_000)
    text = refusal_for_model([refusal(long.replace(wrong, right))], long)

    assert ("+2\n" * 4_000 in text, len(text) < 1000) == (is_whole, not is_whole)


def test_a_refusal_without_a_correction_is_its_errors():
    error = refusal(None, None)

    assert refusal_for_model([error], SENT) == refusal_text([error], SENT) == render_errors([error], SENT)


def test_whitespace_is_visible_where_nothing_else_differs():
    right = SENT.replace("-two", "-\ttwo")

    assert shown(SENT.replace("-two", "-  two "), right)[2:4] == ["5 | - -··two·", "  | + -→two"]
