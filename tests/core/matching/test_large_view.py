"""Lines of large files are decoded where somebody looks, and every answer is that of a list of them."""

from __future__ import annotations

from contextlib import contextmanager
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import FEW_LINES, STYLES, examples, file_bytes, files, hunks

from patchkit.core.changes import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import FEW, NAMES
from patchkit.core.matching.locate import locate
from patchkit.core.matching.passes import PASSES, LargeView, View
from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.core.text import Document

FORMS = ["{}", "  {}", "{} ", "def {}():", "  def {}(self):", "{} {{", "‘{}’", "'{}'"]
TEXTS = [form.format(word) for form in FORMS for word in "abc"] + ["", "}", "# a", "```"]


@contextmanager
def blocks_of(size: int):
    """Every file is a large one, and decoded in blocks of so many bytes."""
    with patch("patchkit.core.text.LARGE", -1), patch("patchkit.core.text.lines._BLOCK", size):
        yield


def large_view(texts: list[str], number: int = 0) -> LargeView:
    return LargeView(
        Document("".join(text + "\n" for text in texts).encode()).lazy_texts().changed(PASSES[number].lines), []
    )


@given(
    file=files(st.sampled_from(TEXTS), max_size=12),
    wanted=st.lists(hunks(TEXTS), min_size=1, max_size=2),
    most=st.sampled_from(NAMES),
    first=st.booleans(),
    size=st.integers(1, 40),
)
@examples(1500)
def test_hunks_have_the_same_places_and_refusals_in_a_large_file(file, wanted, most, first, size):
    raw = file_bytes(file)
    expected = locate(Document(raw), wanted, Options(max_pass=most, dialect="codex" if first else "safe"))

    with blocks_of(size):
        assert locate(Document(raw), wanted, Options(max_pass=most, dialect="codex" if first else "safe")) == expected


@given(file=files(st.sampled_from(TEXTS), max_size=9), start=st.integers(0, 8), size=st.integers(1, 40), data=st.data())
@examples(1000)
def test_hunks_taken_from_a_large_file_and_changed_have_the_same_answer(file, start, size, data):
    raw = file_bytes(file)
    turn = data.draw(st.sampled_from([str, str.strip, lambda text: f"{text} ", lambda text: text.replace("a", "x")]))
    old = [text for text, _ending in file[start : start + 5]] or ["a"]
    body = [data.draw(st.sampled_from(" -")) + turn(text) for text in old]
    anchors = data.draw(st.lists(st.sampled_from([*TEXTS, "def a", "def b"]), max_size=2))
    wanted = [Hunk([anchor for anchor in anchors if anchor.strip()], [*body, "+new"])]
    expected = locate(Document(raw), wanted, Options())

    with blocks_of(size):
        assert locate(Document(raw), wanted, Options()) == expected


@given(file=files(FEW_LINES, max_size=12), size=st.integers(1, 12), start=st.integers(-3, 14), stop=st.integers(-3, 14))
@examples(600)
def test_lines_in_blocks_are_counted_indexed_cut_and_measured_like_a_list(file, size, start, stop):
    document = Document(file_bytes(file))
    texts, offsets = document.texts, document.offsets

    with blocks_of(size):
        lines = document.lazy_texts()
        assert (list(lines), len(lines), lines == texts) == (texts, len(texts), True)
        assert (lines[start:stop], lines[start:stop:2]) == (texts[start:stop], texts[start:stop:2])
        assert [lines[n] for n in range(-len(texts), len(texts))] == texts + texts
        assert [lines.offset(n) for n in range(len(texts) + 1)] == offsets
        assert lines.joined().decode() == "\n".join(["", *texts, ""] if texts else ["", ""])


@pytest.mark.parametrize("number", [3, -4])
def test_a_line_that_is_not_there_is_no_line(number):
    with blocks_of(2), pytest.raises(IndexError):
        Document(b"a\nb\nc\n").texts[number]


def test_a_line_longer_than_a_block_has_a_block_of_its_own():
    with blocks_of(4):
        lines = Document(b"a\nb\n" + b"x" * 9 + b"\nc\n").lazy_texts()

    assert [lines.block(number) for number in range(3)] == [["a", "b"], ["x" * 9], ["c"]]


@given(
    texts=st.lists(st.sampled_from(TEXTS), min_size=1, max_size=30),
    words=st.lists(st.sampled_from("abcdef"), max_size=3),
    most=st.integers(0, 9),
    size=st.integers(1, 60),
    number=st.integers(0, 3),
)
@examples(400)
def test_a_large_view_finds_lines_and_words_where_a_view_does(texts, words, most, size, number):
    view = View(PASSES[number].lines(texts))
    with blocks_of(size):
        large = large_view(texts, number)

        assert [large.numbers(text) for text in TEXTS] == [view.numbers(text) for text in TEXTS]
        assert large.holding(words, most) == view.holding(words, most)


def test_a_run_that_stands_very_often_is_found_everywhere():
    texts = ["a", "b"] * (2 * FEW)
    with blocks_of(50):
        assert large_view(texts).occurrences(["a", "b"]) == list(range(0, 4 * FEW, 2))


@given(style=STYLES, size=st.integers(1, 30))
@examples(60)
def test_anchors_of_a_large_file_are_those_of_a_list(style, size):
    file = [(text, style[n % 2]) for n, text in enumerate(TEXTS)]
    expected = [
        Anchors(Document(file_bytes(file)).texts).scopes([anchor]) for anchor in ("def a():", "def b", "nowhere")
    ]
    with blocks_of(size):
        anchors = Anchors(Document(file_bytes(file)).texts)

        assert [anchors.scopes([anchor]) for anchor in ("def a():", "def b", "nowhere")] == expected
