"""How many columns text takes on a terminal, and how much of it fits."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.report.width import excerpt, shown_char, visible, width, wrapped

# Scripts and signs whose width all terminals agree on. Not here: marks that take a column of their own (Mc) and what
# became wide only lately, where terminals differ.
BLOCKS = [
    range(0x20, 0x7F),
    range(0xA1, 0xAD),
    range(0xAE, 0x600),  # Latin, Greek, Cyrillic, Hebrew and their marks
    range(0x0E01, 0x0E5C),  # Thai
    range(0x1100, 0x1160),  # the first part of a Hangul syllable
    range(0x1160, 0x1200),
    range(0x2010, 0x2028),
    range(0x2500, 0x2600),
    range(0x3041, 0x3130),
    range(0x4E00, 0x9FF0),
    range(0xAC00, 0xD7A4),
    range(0xFE00, 0xFE10),  # variation selectors
    range(0xFF01, 0xFFA0),
    range(0x1F300, 0x1F321),
    range(0x1F600, 0x1F650),
    range(0x20000, 0x20100),
]


def test_width_is_that_of_a_library_made_for_it():
    wcwidth = pytest.importorskip("wcwidth").wcwidth
    chars = [chr(code) for block in BLOCKS for code in block]
    chars = [char for char in chars if char.isprintable() and unicodedata.category(char) != "Mc"]

    assert [hex(ord(char)) for char in chars if width(char) != wcwidth(char)] == []


def test_width_is_added_up():
    assert width("a漢e\u0301") == 4


@pytest.mark.parametrize(
    ("char", "shown"),
    [
        ("a", "a"),
        ("\t", "    "),
        ("\x1b", "\\x1b"),
        ("\n", "\\n"),
        ("\u202e", "\\u202e"),  # turns the direction of text around
        ("\u200b", "\\u200b"),
        ("\udcff", "\\xff"),  # a byte that is not text
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_would_act_or_vanish_is_shown(char, shown):
    assert shown_char(char) == shown


@given(text=st.text())
@examples(300)
def test_visible_text_can_be_printed_and_is_not_too_long(text):
    assert visible(text, 20).isprintable()
    assert len(visible(text, 20)) <= 20


# -- a part of a line ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "focus", "part"),
    [
        ("short", 2, ("short", 2)),
        ("short", 5, ("short", 5)),  # behind its end
        ("", 0, ("", 0)),
        ("0123456789" * 3, 0, ("0123456789012345678…", 0)),
        ("0123456789" * 3, 10, ("0123456789012345678…", 10)),
        ("0123456789" * 3, 29, ("…9012345678" + "9", 11)),
        ("0123456789" * 3, 15, ("…567890123456789012…", 11)),
    ],
)
def test_an_excerpt_begins_with_the_line_unless_that_would_hide_what_is_meant(text, focus, part):
    assert excerpt(text, 20, focus) == part


LINES = st.text(st.sampled_from("ab\t漢\u0301\x1b ü"), max_size=80)


@given(text=LINES, focus=st.integers(0, 80), room=st.integers(10, 60))
@examples(600)
def test_an_excerpt_fits_its_room_and_holds_the_character_in_question(text, focus, room):
    focus = min(focus, len(text))
    part, column = excerpt(text, room, focus)

    assert width(part) <= room
    assert part.isprintable()
    if focus < len(text):
        begin = next(n for n in range(len(part) + 1) if width(part[:n]) == column)
        assert (
            shown_char(text[focus]) in part[begin : begin + 12]
            or part[begin:].startswith("…")
            or not width(text[focus])
        )


@given(text=LINES, room=st.integers(10, 200))
@examples(300)
def test_a_line_that_fits_is_its_own_excerpt(text, room):
    whole = "".join(map(shown_char, text))
    if width(whole) <= room:
        assert excerpt(text, room, len(text) // 2)[0] == whole


def test_of_an_endless_line_only_what_is_shown_is_looked_at():
    class Line(str):
        """A line that tells how much of it was asked for."""

        asked = 0

        def __getitem__(self, key):
            part = str.__getitem__(self, key)
            Line.asked += len(part)
            return part

    excerpt(Line("x" * 1_000_000), 100, 500_000)

    assert Line.asked < 2_000


# -- lines that are broken -----------------------------------------------------------------------


def test_text_is_broken_between_words_and_never_inside_quotes():
    text = "add an anchor, for example '@@ class  Retry of it:', to choose the file's line 58; nothing was written"

    assert wrapped(text, 30) == [
        "add an anchor, for example",
        "'@@ class  Retry of it:', to",
        "choose the file's line 58;",
        "nothing was written",
    ]


@given(text=st.text(st.sampled_from("ab' 漢"), max_size=60), room=st.integers(1, 30))
@examples(300)
def test_broken_lines_put_together_again_are_the_text(text, room):
    assert " ".join(wrapped(text, room)) == text
