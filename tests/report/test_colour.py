"""Colour goes around the parts of a text and changes none of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit import PatchkitError, apply
from patchkit.errors import Note
from patchkit.report import colour
from patchkit.report.diagnostics import render_errors, render_note

CODES = re.compile(r"\x1b\[[\d;]*m")


def bare(text: str) -> str:
    """The text without its colours."""
    return CODES.sub("", text)


# -- how it looks --------------------------------------------------------------------------------


def test_a_refusal_has_its_code_its_frame_and_its_marks_in_colour():
    patch = "*** Begin Patch\n*** Update File: a\n@@\n one\n-2\n+x\n*** End Patch\n"
    with pytest.raises(PatchkitError) as refused:
        apply(patch, {"a": b"one\ntwo\n"})

    assert colour.diagnostics(render_errors(refused.value.errors, patch)) == (
        "\x1b[1;31merror[P201]\x1b[0m\x1b[1m: hunk not found in 'a'\x1b[0m\n"
        "\x1b[1;34m -->\x1b[0m patch:5\n"
        "\x1b[1;34m  |\x1b[0m\n"
        "\x1b[1;34m5 |\x1b[0m -2\n"
        "\x1b[1;34m  |\x1b[0m \x1b[1;31m^^ no such line here\x1b[0m\n"
        "\x1b[1;34m  |\x1b[0m\n"
        "\x1b[1;34m :::\x1b[0m a:2, closest place (1 of 2 lines agree)\n"
        "\x1b[1;34m2 |\x1b[0m two\n"
        "\x1b[1;34m  |\x1b[0m \x1b[1;34m- the file has 'two', the patch expects '2'\x1b[0m\n"
        "\x1b[1;34m  = \x1b[0m\x1b[1;36mhelp\x1b[0m: read a lines 1-2 and send the hunk again; nothing was written\n"
    )


def test_a_note_has_its_code_in_colour():
    assert colour.diagnostics(render_note(Note("P905"))) == (
        "\x1b[1;32mnote[P905]\x1b[0m: ignored the byte order mark at the start of the patch\n"
    )


def test_a_summary_has_its_verdict_and_its_letters_in_colour():
    assert colour.summary("Success. Updated the following files:\nA n\nM m\nD d\n") == (
        "\x1b[1;32mSuccess.\x1b[0m Updated the following files:\n"
        "\x1b[32mA \x1b[0mn\n\x1b[33mM \x1b[0mm\n\x1b[31mD \x1b[0md\n"
    )


def test_a_table_has_its_bars_in_colour():
    assert colour.stat(" a +- | 3 ++-\n 1 file changed, 2 insertions(+), 1 deletion(-)\n") == (
        " a +- | 3 \x1b[32m++\x1b[0m\x1b[31m-\x1b[0m\n 1 file changed, 2 insertions(+), 1 deletion(-)\n"
    )


def test_a_diff_has_its_lines_in_colour_and_its_headers_told_from_them():
    diff = (
        b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n x\n--- y\n-z\n+++ w\n\\ No newline at end of file\n"
    )

    assert colour.diff(diff) == (
        "\x1b[1mdiff --git a/a b/a\x1b[0m\n\x1b[1m--- a/a\x1b[0m\n\x1b[1m+++ b/a\x1b[0m\n"
        "\x1b[36m@@ -1,3 +1,2 @@\x1b[0m\n x\n\x1b[31m--- y\x1b[0m\n\x1b[31m-z\x1b[0m\n\x1b[32m+++ w\x1b[0m\n"
        "\\ No newline at end of file\n"
    )


@pytest.mark.parametrize("pen", [colour.ink, colour.plain])
def test_a_diff_and_a_name_cannot_act_on_the_terminal(pen):
    assert bare(colour.diff(b"@@ -0,0 +1 @@\n+\x1b[2J\x07\xff\tx\r\n", pen)) == (
        "@@ -0,0 +1 @@\n+\\x1b[2J\\x07\\xff\tx\\r\n"
    )
    assert bare(colour.summary("Success. Updated the following files:\nA \x1b[2J\n", pen)).endswith("A \\x1b[2J\n")


# -- the law -------------------------------------------------------------------------------------

LINES = st.one_of(
    st.sampled_from(
        ["error[P201]: x", "note[P901]: y", " --> patch:1", "1 | text", "  | ^^ no", "  | - a", "  = help: h"]
    ),
    st.sampled_from(["", " a | 1 +", "A a", "Success. Done", "@@ -1,2 +1 @@ f", "+a", "-b", " c", "\\ No newline"]),
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12).filter(str.isprintable),
)


@given(lines=st.lists(LINES, max_size=12))
@examples(500)
@pytest.mark.parametrize("paint", [colour.diagnostics, colour.summary, colour.stat, colour.heading, colour.question])
def test_taking_the_colours_out_gives_the_text_back(paint, lines):
    text = "\n".join(lines)

    assert bare(paint(text)) == text == paint(text, colour.plain)


@given(lines=st.lists(LINES, max_size=12))
@examples(300)
def test_taking_the_colours_out_of_a_diff_gives_it_back(lines):
    text = "\n".join(lines)

    assert bare(colour.diff(text.encode())) == text == colour.diff(text.encode(), colour.plain)
