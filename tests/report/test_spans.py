"""Colour goes around the pieces of a text and changes none of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit import PatchkitError, apply
from patchkit.applying import summary_spans
from patchkit.core.changes import Section
from patchkit.core.language import DeleteFile
from patchkit.diffs.diff import FileDiff
from patchkit.errors import Note
from patchkit.report.diagnostics import error_spans
from patchkit.report.spans import note_spans, on_screen, plain
from patchkit.report.stat import diff_spans, stat

CODES = re.compile(r"\x1b\[[\d;]*m")


def bare(text: str) -> str:
    """The text without its colours."""
    return CODES.sub("", text)


# -- how it looks --------------------------------------------------------------------------------


def test_a_refusal_has_its_code_its_frame_and_its_marks_in_colour():
    patch = "*** Begin Patch\n*** Update File: a\n@@\n one\n-2\n+x\n*** End Patch\n"
    with pytest.raises(PatchkitError) as refused:
        apply(patch, {"a": b"one\ntwo\n"})

    assert on_screen(error_spans(refused.value.errors, patch), colour=True) == (
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


def test_a_quoted_line_that_looks_like_a_mark_is_not_coloured_as_one():
    error = PatchkitError("P302", file="a", patch_line=1)

    assert "\x1b[1;34m1 |\x1b[0m ^^ no\n" in on_screen(error_spans([error], "^^ no"), colour=True)


def test_a_note_has_its_code_in_colour():
    assert on_screen(note_spans([Note("P901", lenience="byte-order-mark")]), colour=True) == (
        "\x1b[1;32mnote[P901]\x1b[0m: ignored the byte order mark at the start of the patch\n"
    )


def summary(*lines: str) -> list[tuple[str, str]]:
    return summary_spans([Section(DeleteFile(line[2:], 1), line[0], line[2:], line[2:]) for line in lines])


def test_a_summary_has_its_verdict_and_its_letters_in_colour():
    assert on_screen(summary("A n", "M m", "D d"), colour=True) == (
        "\x1b[1;32mSuccess.\x1b[0m Updated the following files:\n"
        "\x1b[32mA \x1b[0mn\n\x1b[33mM \x1b[0mm\n\x1b[31mD \x1b[0md\n"
    )


def test_a_table_has_its_bars_in_colour():
    diff = FileDiff(("a +-", "a +-"), ("100644", "100644"), b"x\n", b"y\nz\n")

    assert on_screen(stat([diff]), colour=True) == (
        " a +- | 3 \x1b[32m++\x1b[0m\x1b[31m-\x1b[0m\n 1 file changed, 2 insertions(+), 1 deletion(-)\n"
    )


def test_a_diff_has_its_lines_in_colour_and_its_headers_apart_from_them():
    diff = (
        b"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,2 @@\n x\n--- y\n-z\n+++ w\n\\ No newline at end of file\n"
    )

    assert on_screen(diff_spans(diff), colour=True) == (
        "\x1b[1mdiff --git a/a b/a\x1b[0m\n\x1b[1m--- a/a\x1b[0m\n\x1b[1m+++ b/a\x1b[0m\n"
        "\x1b[36m@@ -1,3 +1,2 @@\x1b[0m\n x\n\x1b[31m--- y\x1b[0m\n\x1b[31m-z\x1b[0m\n\x1b[32m+++ w\x1b[0m\n"
        "\\ No newline at end of file\n"
    )


@pytest.mark.parametrize("colour", [True, False])
def test_a_diff_and_a_name_cannot_act_on_the_terminal(colour):
    assert bare(on_screen(diff_spans(b"@@ -0,0 +1 @@\n+\x1b[2J\x07\xff\tx\r\n"), colour)) == (
        "@@ -0,0 +1 @@\n+\\x1b[2J\\x07\\xff\tx\\r\n"
    )
    assert bare(on_screen(summary("A \x1b[2J"), colour)).endswith("A \\x1b[2J\n")


# -- the law -------------------------------------------------------------------------------------

PIECES = st.tuples(
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12).filter(str.isprintable),
    st.sampled_from(["", "error", "note", "help", "strong", "frame", "wrong", "there", "good", "added", "removed"]),
)
LINES = st.one_of(
    st.sampled_from(["", "@@ -1,2 +1 @@ f", "@@ -1 +0,0 @@", "--- a", "+++ b", "+a", "-b", " c", "\\ No newline"]),
    st.sampled_from(["@@ ", "@@ -1 @@", "@@ -1 +2 +3 @@", "@@ -1,a +1 @@", "@@ -1,2", f"@@ -1,{'9' * 5000} +1 @@"]),
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12).filter(str.isprintable),
)


@given(spans=st.lists(PIECES, max_size=12))
@examples(300)
def test_taking_the_colours_out_gives_the_text_back(spans):
    assert bare(on_screen(spans, colour=True)) == plain(spans) == on_screen(spans, colour=False)


@given(lines=st.lists(LINES, max_size=12))
@examples(300)
def test_the_spans_of_a_diff_are_its_text(lines):
    text = "\n".join(lines)

    assert plain(diff_spans(text.encode())) == text


@given(data=st.binary(max_size=60))
@examples(200)
def test_the_spans_of_a_diff_keep_bytes_that_are_not_text(data):
    assert plain(diff_spans(data)).encode("utf-8", "surrogateescape") == data
