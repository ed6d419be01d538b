"""Errors and notes as people read them: in a pipe, and on terminals of any width."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import CHARACTERS, examples

from patchkit import PatchkitError, apply
from patchkit.errors import Note
from patchkit.repair.near_miss import NearMiss
from patchkit.report.diagnostics import render_errors
from patchkit.report.spans import note_spans, plain
from patchkit.report.width import width

RETRY = b"def backoff(retries):\n    wait = 2 ** retries\n    return retries + 2\n"
PATCH = """\
*** Begin Patch
*** Update File: retry.py
@@ def backoff(retries):
     wait = 2 ** retries
-    return retries + 1
+    return min(wait, 60)
*** End Patch
"""


def refusal(patch: str, files: dict[str, bytes]) -> list[PatchkitError]:
    with pytest.raises(PatchkitError) as refused:
        apply(patch, files)
    return refused.value.errors


def update(old: str, new: str = "x") -> str:
    return f"*** Begin Patch\n*** Update File: a\n@@\n-{old}\n+{new}\n*** End Patch\n"


# -- into a pipe ---------------------------------------------------------------------------------


def test_a_refusal_shows_the_line_the_nearest_place_and_the_next_step():
    assert render_errors(refusal(PATCH, {"retry.py": RETRY}), PATCH) == (
        "error[P201]: hunk not found in 'retry.py'\n"
        " --> patch:5\n"
        "  |\n"
        "5 | -    return retries + 1\n"
        "  | ^^^^^^^^^^^^^^^^^^^^^^^ no such line below 'def backoff(retries):' (line 1)\n"
        "  |\n"
        " ::: retry.py:3, closest place (1 of 2 lines agree)\n"
        "3 |     return retries + 2\n"
        "  |                      - the file has '2', the patch expects '1'\n"
        "  = help: read retry.py lines 2-3 and send the hunk again; nothing was written\n"
    )


def test_a_patch_may_have_a_name_of_its_own():
    error = PatchkitError("P302", file="a", patch_line=2)

    assert render_errors([error], "*** Begin Patch\n*** Delete File: a\n", source="fixes/1.patch").split("\n")[1] == (
        " --> fixes/1.patch:2"
    )


def test_errors_are_shown_one_below_the_other():
    errors = [PatchkitError("P105", file="a"), PatchkitError("P106", file="b")]

    assert render_errors(errors) == render_errors(errors[:1]) + "\n" + render_errors(errors[1:])


def test_a_note_is_one_line():
    assert (
        plain(note_spans([Note("P901", lenience="spaces-around-name", file=" a\n")]))
        == "note[P901]: ignored spaces around the name ' a\\n'\n"
    )


@pytest.mark.parametrize(
    ("found", "mark"),
    [
        ("漢字 = 2", "3 | 漢字 = 2\n  |        - "),  # two columns each
        ("e\u0301te\u0301 = 2", "3 | e\u0301te\u0301 = 2\n  |       - "),  # marks take none
        ("\tx = 2", "3 |     x = 2\n  |         - "),  # a tab is four
        ("\x1b[31m = 2", "3 | \\x1b[31m = 2\n  |            - "),  # what would act is shown
    ],
)
def test_a_mark_is_below_what_it_means(found, mark):
    files = {"a": f"first\nsecond\n{found}\nlast\n".encode()}
    patch = update("x").replace("-x\n", f" first\n second\n-{found[:-1]}1\n last\n")

    assert mark + "the file has '2', the patch expects '1'\n" in render_errors(refusal(patch, files), patch)


def test_a_difference_far_out_in_a_long_line_is_in_the_part_that_is_shown():
    long = "".join(f"word{number} " for number in range(200))
    files = {"a": f"first\nsecond\n{long}2 {long}\nlast\n".encode()}
    patch = update("x").replace("-x\n", f" first\n second\n-{long}1 {long}\n last\n")
    shown = render_errors(refusal(patch, files), patch).split("\n")
    line, mark = shown[-4], shown[-3]

    assert width(line) <= 164
    assert line[mark.index("-")] == "2"
    assert (line[4], line[-1]) == ("…", "…")


# -- on a terminal -------------------------------------------------------------------------------


def test_a_narrow_terminal_gets_the_words_of_a_mark_below_it():
    assert render_errors(refusal(PATCH, {"retry.py": RETRY}), PATCH, 40) == (
        "error[P201]: hunk not found in 'retry.py'\n"
        " --> patch:5\n"
        "  |\n"
        "5 | -    return retries + 1\n"
        "  | ^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  | no such line below\n"
        "  | 'def backoff(retries):' (line 1)\n"
        "  |\n"
        " ::: retry.py:3,\n"
        "     closest place (1 of 2 lines agree)\n"
        "3 |     return retries + 2\n"
        "  |                      -\n"
        "  | the file has '2', the patch expects\n"
        "  | '1'\n"
        "  = help: read retry.py lines 2-3 and\n"
        "          send the hunk again; nothing\n"
        "          was written\n"
    )


def test_a_wide_terminal_gets_what_a_pipe_gets():
    errors = refusal(PATCH, {"retry.py": RETRY})

    assert render_errors(errors, PATCH, 163) == render_errors(errors, PATCH)


@given(line=st.text(CHARACTERS + "漢e\u0301", max_size=90), columns=st.integers(24, 120))
@examples(300)
def test_quoted_lines_never_run_over_the_edge_of_the_terminal(line, columns):
    error = PatchkitError("P302", file="a", patch_line=1)
    quoted = [each for each in render_errors([error], line, columns).split("\n") if each.startswith("1 | ")]

    assert [width(each) <= columns for each in quoted] == [True]


@given(facts=st.text(max_size=40), line=st.text(max_size=40))
@examples(300)
def test_nothing_that_is_shown_can_act_on_a_terminal(facts, line):
    error = PatchkitError("P307", file=facts, target=facts, patch_line=1)
    text = render_errors([error], line.replace("\n", ""), 60)

    assert text.replace("\n", "").isprintable()


def test_of_more_than_a_thousand_errors_the_rest_is_a_number():
    errors = [PatchkitError("P302", file=f"f{number}") for number in range(2_500)]
    told = render_errors(errors)

    assert told.count("error[P302]") == 1000
    assert told.endswith("\nand 1,500 more errors; '--json' lists them all\n")


@pytest.mark.parametrize(
    ("near", "words"),
    [
        (NearMiss((3, 3), (2, 3), (0, 3), "x", "y"), "closest place (2 of 3 lines agree)"),
        (NearMiss((3, 3), (0, 3), (0, 3), "x", "y"), "closest place (no line is the same)"),
        (NearMiss((3, 5), (3, 3), (0, 3), "x", "y"), "closest place (all lines are there, but not together)"),
        (NearMiss((3, 1), (0, 1), (0, 3), "x", "y"), "closest line"),
    ],
)
def test_the_closest_place_is_named_by_how_many_lines_agree(near, words):
    error = PatchkitError("P201", file="a", hunk=1, patch_line=1, near=near)

    assert f" ::: a:4, {words}\n" in render_errors([error], "@@\n")


def test_lines_that_are_all_there_with_others_between_are_shown_with_the_first_of_those():
    near = NearMiss((3, 5), (3, 3), (1, 4), "two", "more")
    error = PatchkitError("P201", file="a", hunk=1, patch_line=1, differs_at=3, near=near)

    assert render_errors([error], "@@\n one\n two\n three\n") == (
        "error[P201]: hunk not found in 'a'\n"
        " --> patch:3\n"
        "  |\n"
        "3 |  two\n"
        "  | ^^^^ the file has other lines above this one\n"
        "  |\n"
        " ::: a:5, closest place (all lines are there, but not together)\n"
        "5 | more\n"
        "  | - the patch lacks this line\n"
        "  = help: read a lines 4-8 and send the hunk again; nothing was written\n"
    )
