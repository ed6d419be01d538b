"""The fast search answers only where the careful one gives the same answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import edits, examples, file_bytes, files

from patchkit.core.changes import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import Match
from patchkit.core.matching.locate import place_exact
from patchkit.core.matching.placer import HunkPlacer
from patchkit.core.text import Document

FEW = st.sampled_from(["", "a", "b", "a ", "ab"])


def carefully(document: Document, hunks: list[Hunk]) -> list[object]:
    return HunkPlacer(document, hunks, Options()).place()


@st.composite
def searches(draw: st.DrawFn) -> tuple[list[tuple[str, bytes]], list[Hunk]]:
    """A file and hunks of which most stand somewhere in it."""
    lines = draw(files(FEW, max_size=10))
    hunks = []
    for _ in range(draw(st.integers(1, 3))):
        if lines and draw(st.integers(0, 4)):
            start = draw(st.integers(0, len(lines) - 1))
            old = [text for text, _ending in lines[start : start + draw(st.integers(1, 3))]]
        else:
            old = draw(st.lists(FEW, min_size=1, max_size=3))
        body = [draw(st.sampled_from(" -")) + text for text in old]
        for _ in range(draw(st.integers(0, 1))):
            body.insert(draw(st.integers(0, len(body))), "+" + draw(FEW))
        hunks.append(Hunk([], body))
    return lines, hunks


@given(search=searches())
@examples(700)
def test_the_fast_search_agrees_with_the_careful_one_wherever_it_answers(search):
    lines, hunks = search
    raw = file_bytes(lines)

    fast = place_exact(Document(raw), hunks)

    if fast is not None:
        assert fast == carefully(Document(raw), hunks)


SOURCE = st.sampled_from(
    "def a():|class B:|    def a():|    def a(self):|    x|        x|    y|        y|z||# h|## h|[s]|  [s]|void f(|"
    "    int a)|{|}|a():|x|namespace n {|export x (|```|end|    end".split("|")
)


@st.composite
def searches_below_anchors(draw: st.DrawFn) -> tuple[list[tuple[str, bytes]], list[Hunk]]:
    lines = draw(files(SOURCE, max_size=14))
    texts = [text for text, _ending in lines]
    hunks = []
    for _ in range(draw(st.integers(1, 2))):
        start = draw(st.integers(0, max(0, len(texts) - 1)))
        old = texts[start : start + draw(st.integers(1, 3))] or ["x"]
        anchor = draw(st.sampled_from([*texts[: start + 1], "def a"]))
        anchor = draw(st.sampled_from([anchor, anchor.strip(), anchor + " ", " " + anchor]))
        body = [draw(st.sampled_from(" --")) + text for text in old]
        body.insert(draw(st.integers(0, len(body))), "+" + draw(SOURCE))
        hunks.append(Hunk([anchor], body))
    return lines, hunks


@given(search=searches_below_anchors())
@examples(700)
def test_the_fast_search_agrees_with_the_careful_one_below_anchors(search):
    lines, hunks = search
    raw = file_bytes(lines)

    fast = place_exact(Document(raw), hunks)

    if fast is not None:
        assert fast == carefully(Document(raw), hunks)


def test_a_hunk_is_placed_below_the_nearest_line_that_is_its_anchor_if_all_between_is_deeper():
    raw = b"class A:\n    def run(self):\n        a\n\nclass B:\n    def run(self):\n\n        b\n"

    for anchor in ("    def run(self):", "def run(self):", "class B:"):
        assert place_exact(Document(raw), [Hunk([anchor], ["-        b"])]) == [
            Match(7, raw.index(b"        b"), ["-        b"], 1)
        ]
    assert place_exact(Document(raw), [Hunk(["class A:"], ["-        b"])]) is None


@given(edit=edits())
@examples(150)
def test_the_fast_search_agrees_with_the_careful_one_on_whole_edits(edit):
    raw = file_bytes(edit.before)

    fast = place_exact(Document(raw), edit.hunks)

    if fast is not None:
        assert fast == carefully(Document(raw), edit.hunks)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_hunks_that_stand_once_and_in_order_are_placed(ending):
    raw = ending.join([b"a", b"b", b"c", b"d"]) + ending
    hunks = [Hunk([], ["-b"]), Hunk([], [" c", "-d"])]

    size = 1 + len(ending)
    assert place_exact(Document(raw), hunks) == [
        Match(1, size, ["-b"], 1),
        Match(2, 2 * size, [" c", "-d"], 2),
    ]


ONLY_ADDS = [
    [" b", "+b"],
    ["+b", " b"],
    [" a", "+", " b"],
    [" b", "+x", "+b", " "],
    [" a", "+b", "+", " b"],
    [" b", "+"],
]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("lines", ONLY_ADDS, ids=repr)
def test_a_hunk_that_only_adds_is_placed_if_its_result_is_not_there(lines, ending):
    document = Document(ending.join([b"a", b"b", b"", b"c", b""]))
    old = [line for line in lines if line[0] == " "]

    placed = place_exact(document, [Hunk([], lines)])

    line = 0 if old[0] == " a" else 1
    assert placed == [Match(line, line * (1 + len(ending)), lines, len(old))]
    assert placed == carefully(document, [Hunk([], lines)])


@pytest.mark.parametrize(
    "lines",
    [["+a", " b"], [" a", "+b", "+", " c"], [" a", "+b"], ["+", "+c", " d"], [" ", "+c"]],
    ids=repr,
)
def test_a_hunk_whose_result_is_there_is_left_to_the_careful_search(lines):
    assert place_exact(Document(b"a\nb\n\nc\nd\n"), [Hunk([], lines)]) is None


def test_a_second_place_behind_the_next_hunk_is_no_doubt():
    hunks = [Hunk([], ["-a"]), Hunk([], ["-b"])]

    assert place_exact(Document(b"a\nb\na\n"), hunks) == [Match(0, 0, ["-a"], 1), Match(1, 2, ["-b"], 1)]


@pytest.mark.parametrize(
    ("raw", "hunk"),
    [
        (b"a\nb\na\n", Hunk([], ["-a"])),
        (b"a\na", Hunk([], ["-a"])),
        (b"a\na\na\n", Hunk([], ["-a", " a"])),
        (b"b\n", Hunk([], ["-a"])),
        (b"ab\n", Hunk([], ["-a"])),
        (b"ba\n", Hunk([], ["-a"])),
        (b"a\n", Hunk(["a"], ["-a"])),
        (b"a\n", Hunk([], ["-a"], at_eof=True)),
        (b"a\n", Hunk([], ["+a"])),
        (b"a\r\nb\n", Hunk([], ["-a"])),
    ],
    ids=repr,
)
def test_any_doubt_is_left_to_the_careful_search(raw, hunk):
    assert place_exact(Document(raw), [hunk]) is None


@pytest.mark.parametrize(
    ("raw", "lines"), [(b"", ["-"]), (b"a\n", ["-"]), (b"a\r\n", [" a", "-"]), (b"a\r", [" ", "+x"])]
)
def test_there_is_no_empty_line_behind_the_last_ending(raw, lines):
    assert place_exact(Document(raw), [Hunk([], lines)]) is None


def test_a_patch_line_with_a_carriage_return_is_not_two_lines_of_an_old_mac_file():
    document, hunks = Document(b"a\rb\rc\r"), [Hunk([], ["-a\rb"])]

    fast = place_exact(document, hunks)

    assert fast is None or fast == carefully(Document(b"a\rb\rc\r"), hunks)
