"""Where two texts differ: as little as can be, and never at a cost that grows with the square."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.diffs import compare
from patchkit.diffs.compare import Span, compared

LINES = st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), max_size=14)


def rebuilt(old: list[bytes], new: list[bytes], spans: list[Span]) -> list[bytes]:
    """The old lines with every span replaced."""
    out, at = [], 0
    for a, b, c, d in spans:
        out.extend([*old[at:a], *new[c:d]])
        at = b
    return [*out, *old[at:]]


def longest_common(old: list[bytes], new: list[bytes]) -> int:
    """How many lines can stay, by the slow and obvious way."""
    above = [0] * (len(new) + 1)
    for line in old:
        row = [0]
        for number, other in enumerate(new):
            row.append(above[number] + 1 if line == other else max(above[number + 1], row[number]))
        above = row
    return above[-1]


def removed(spans: list[Span]) -> int:
    return sum(b - a for a, b, _, _ in spans)


@given(old=LINES, new=LINES)
@examples(600)
def test_replacing_the_spans_gives_the_new_text(old, new):
    assert rebuilt(old, new, compared(old, new)) == new


@given(old=LINES, new=LINES)
@examples(600)
def test_as_many_lines_stay_as_can(old, new):
    assert removed(compared(old, new)) == len(old) - longest_common(old, new)


@given(old=LINES, new=LINES)
@examples(300)
def test_spans_are_in_order_and_apart(old, new):
    spans = compared(old, new)

    assert all(a < b or c < d for a, b, c, d in spans)
    assert all(first[1] < second[0] and first[3] < second[2] for first, second in zip(spans, spans[1:]))


@given(old=LINES, new=LINES, work=st.integers(1, 40))
@examples(600)
def test_a_search_that_runs_out_of_work_still_gives_the_new_text(old, new, work):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compare, "_WORK", work)

        assert rebuilt(old, new, compared(old, new)) == new


def test_lines_that_stand_once_hold_a_large_change_together(monkeypatch):
    monkeypatch.setattr(compare, "_WORK", 100)
    old = [b"x", b"y"] * 200 + [b"landmark"] + [b"x"] * 200
    new = [b"y"] * 300 + [b"landmark"] + [b"y", b"x"] * 200

    spans = compared(old, new)

    assert rebuilt(old, new, spans) == new
    assert not any(a <= 400 < b for a, b, _, _ in spans)


@pytest.mark.parametrize("size", [1_000, 10_000])
def test_the_work_for_texts_of_equal_lines_does_not_grow_with_the_square(size):
    old = [b"x"] * size + [b"y"] + [b"x"] * size
    new = [b"z"] + [b"x"] * (2 * size) + [b"w"]
    comparison = compare._Comparison(old, new)

    assert len(comparison.pairs()) == 2 * size
    assert compare._WORK - comparison.work < 10 * size
