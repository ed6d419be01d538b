"""Added lines take the indentation of the place they land in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import patchkit
from patchkit import PatchkitError
from patchkit.core.matching.indentation import follow, is_askew, is_flat, margin_of, ranks


@pytest.mark.parametrize(
    ("lines", "matched", "followed"),
    [
        # a margin lost
        ([" a", "+b", "-c"], ["    a", "    c"], ["+    b"]),
        (["-if a:", "-    b", "+if a:", "+    c", "+d"], ["  if a:", "      b"], ["+  if a:", "+      c", "+  d"]),
        # a margin gained
        (["     a", "+    b"], ["a"], ["+b"]),
        (["   if a:", "+    b"], ["if a:"], ["+  b"]),
        # tabs for spaces, two levels
        ([" a", "     b", "+    c", "+        d"], ["a", "\tb"], ["+\tc", "+\t\td"]),
        # spaces for tabs
        ([" a", " \tb", "+\t\tc"], ["a", "  b"], ["+    c"]),
        # another width
        ([" a", "   b", "+  c", "+    d"], ["a", "    b"], ["+    c", "+        d"]),
        # all margins twice as wide, also those that no level of the file explains
        (["-        a", "-            b", "+c", "+    d"], ["    a", "      b"], ["+c", "+  d"]),
        # a blank line stays as it is
        ([" a", "+", "+b"], ["  a"], ["+", "+  b"]),
        # blank old lines tell nothing
        ([" ", "+b", " a"], ["   ", "  a"], ["+  b"]),
        # nothing to go by
        ([" ", "+  b"], [""], ["+  b"]),
    ],
)
def test_added_lines_follow_the_lines_that_matched(lines, matched, followed):
    assert [line for line in follow(lines, matched) if line[0] == "+"] == followed


@pytest.mark.parametrize(
    ("lines", "matched"),
    [
        (["-    a", "-          b", "+ c"], ["  a", "     b"]),  # half a column
        (["-    a", "-        b", "+  c"], ["", ""]),  # no depth is left
    ],
)
def test_margins_that_no_ratio_divides_have_no_answer(lines, matched):
    assert follow(lines, [margin + word for margin, word in zip(matched, "ab")], lambda: 4) is None


MARGINS = st.sampled_from(["", " ", "  ", "    ", "        ", "\t", "\t\t", "\t  "])
WORDS = st.sampled_from(["a", "b:", "c {", ""])


@st.composite
def bodies(draw: st.DrawFn) -> list[tuple[str, str, str]]:
    """Lines of a hunk as sign, margin and word. One old line stands at the left edge: where none does, a
    block that was moved and one whose levels are of another width look the same.
    """
    lines = draw(st.lists(st.tuples(st.sampled_from(" -+"), MARGINS, WORDS), max_size=6))
    return draw(st.permutations([*lines, (" ", "", "a")]))


def written(lines: list[tuple[str, str, str]]) -> list[str]:
    return [sign + margin + word for sign, margin, word in lines]


def old_texts(lines: list[tuple[str, str, str]], put_on: str = "") -> list[str]:
    return [put_on + margin + word for sign, margin, word in lines if sign != "+"]


@given(lines=bodies())
@examples(150)
def test_where_margins_agree_nothing_moves(lines):
    assert follow(written(lines), old_texts(lines)) == written(lines)


@given(lines=bodies(), margin=st.sampled_from(["  ", "    ", "\t", "\t\t"]))
@examples(250)
def test_a_block_sent_without_its_margin_gets_it_back(lines, margin):
    followed = follow(written(lines), old_texts(lines, margin))

    if followed is None:  # lines of no depth, where a block opens or ends between two of them
        assert is_flat([left + word for _, left, word in lines])
        assert any(word.endswith((":", "{", "(", "[")) or word in ("}", ")", "]", "else") for _, _, word in lines)
        return
    wanted = ["+" + (margin + left if word else left) + word for sign, left, word in lines if sign == "+"]
    assert [line for line in followed if line[0] == "+"] == wanted


@given(lines=bodies(), margin=st.sampled_from(["  ", "    ", "\t"]))
@examples(150)
def test_a_block_sent_with_a_margin_too_many_loses_it(lines, margin):
    deeper = [(sign, margin + left if word else left, word) for sign, left, word in lines]

    followed = follow(written(deeper), old_texts(lines))

    assert [line for line in followed if line[0] == "+"] == [line for line in written(lines) if line[0] == "+"]


@given(lines=bodies(), matched=st.data())
@examples(200)
def test_following_touches_nothing_but_the_margins_of_added_lines(lines, matched):
    texts = [matched.draw(MARGINS) + word for sign, _margin, word in lines if sign != "+"]

    followed = follow(written(lines), texts)
    if followed is None:  # the matched lines do not show how
        return

    assert [(line[0], line[1:].lstrip(" \t")) for line in followed] == [(sign, word) for sign, _, word in lines]
    assert [line for line in followed if line[0] != "+"] == [line for line in written(lines) if line[0] != "+"]


@pytest.mark.parametrize(("text", "margin"), [("a", ""), ("  a", "  "), ("\t a ", "\t "), ("", ""), ("  ", "  ")])
def test_a_margin_is_the_blanks_a_line_begins_with(text, margin):
    assert margin_of(text) == margin


@pytest.mark.parametrize("better", [["    a", "      b"], ["\ta", "\t  b"], ["a", "\tb"], ["a", "    b"]])
def test_a_place_that_follows_one_rule_ranks_behind_the_same_and_before_any_other(better):
    lines, known = ["a", "  b", "  c"], {}
    same, torn = ranks(lines, lines, known), ranks(lines, ["a", "  b", "      c"], known)

    ranked = ranks(lines, [*better, better[1].replace("b", "c")], known)

    assert same < ranked < torn


@pytest.mark.parametrize(
    ("lines", "matched", "askew"),
    [
        (["        }", "", "    fn g() {"], ["    }", "", "    fn g() {"], True),  # the brace of another block
        (["    }", "", "next();"], ["}", "", "next();"], True),  # what is not there cannot have been taken away
        (["}", "fn g() {"], ["    }", "    fn g() {"], False),  # a margin lost
        (["  }", "  fn g() {", "    x"], ["    }", "    fn g() {", "        x"], False),  # another width
        (["       }", "\tx"], ["        }", "\tx"], False),  # a sign lost
        (["  a", "    b"], ["    a", "    b"], False),  # words can be told apart without their margin
    ],
)
def test_a_brace_at_another_depth_is_another_brace(lines, matched, askew):
    assert is_askew(lines, matched) is askew


def test_a_block_that_was_moved_is_not_read_as_another_width_than_the_files_own():
    before = b"class A:\n    def f(self):\n        if x:\n            one()\n            two()\n"
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n         one()\n-        two()\n"
        "+        if y:\n+            three()\n*** End Patch\n"
    )
    files = {"a.py": before}

    patchkit.apply(patch, files)

    moved = b"            if y:\n                three()\n"
    assert files["a.py"] == before.replace(b"            two()\n", moved)


def test_less_than_a_level_of_another_width_has_no_margin():
    before = b"# a\n\n- one\n    - deep\n- two\n"
    hunk = " # a\n \n+- new\n+    - below\n - one\n         - deep\n"
    patch = f"*** Begin Patch\n*** Update File: a.md\n@@\n{hunk}*** End Patch\n"
    files = {"a.md": before}

    with pytest.raises(PatchkitError) as refusal:
        patchkit.apply(patch, files)
    assert (refusal.value.code, files) == ("P212", {"a.md": before})


@pytest.mark.parametrize(
    ("sent", "margin"),
    [
        ("    ", "  "),  # the one line that shows how deep the patch writes this level
        ("", ""),
    ],
)
def test_an_added_line_is_as_deep_as_the_one_kept_line_with_its_margin(sent, margin):
    lines = [" # a", " # b", f"+{sent}- new", " - one", "     more", " - two"]
    matched = ["# a", "# b", "- one", "  more", "- two"]

    # The file indents by 10 elsewhere, so that no one rule explains every margin.
    assert follow(lines, matched, lambda: 10) == [*lines[:2], f"+{margin}- new", *lines[3:]]


def test_an_added_line_keeps_a_margin_where_one_kept_line_slipped():
    lines = ["   one", "     two", "   three", "+  four {", "+    five", " }", " six"]

    assert follow(lines, ["  one", "  two", "  three", "}", "six"], lambda: 2) == lines


def test_an_added_line_among_lines_that_were_not_moved_keeps_its_margin():
    lines = ["     close();", "   },", "+  begin() {", "+    if (idle) {", "+      wake();", "   end() {"]
    lines += ["    stop();", "    if (last) {"]  # these two lost a column
    matched = ["    close();", "  },", "  end() {", "    stop();", "    if (last) {"]

    assert follow(lines, matched) == lines


def test_what_was_broken_off_the_end_of_a_line_has_no_margin_to_move():
    old = ['    <p class="a', 'b">', "      <b", "        id=1", "      />", "    </p>"]
    there = ['  <p class="a', 'b">', "    <b", "      id=1", "    />", "  </p>"]
    new = ['<i class="a', 'b">', "<b", "id=2", "/>", "</i>"]
    sent, made = (
        ["+" + margin + line for margin, line in zip(margins, new)]
        for margins in (
            [" " * 4, "", " " * 6, " " * 8, " " * 6, " " * 4],
            [" " * 2, "", " " * 4, " " * 6, " " * 4, " " * 2],
        )
    )
    removed = ["-" + line for line in old]

    assert follow([*removed, *sent], there, lambda: 2) == [*removed, *made]
    assert not is_askew(old, there)
