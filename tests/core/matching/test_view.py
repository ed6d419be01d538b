"""Where a run of lines occurs: everywhere it stands, however repetitive the file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.matching.passes import View


def everywhere(lines: list[str], wanted: list[str]) -> list[int]:
    """The slow and obvious way."""
    return [n for n in range(len(lines) - len(wanted) + 1) if lines[n : n + len(wanted)] == wanted]


FEW = st.sampled_from(["", "a", "b", "aa", "ab"])


@given(lines=st.lists(FEW, max_size=12), wanted=st.lists(FEW, min_size=1, max_size=4))
@examples(400)
def test_occurrences_are_all_the_places_where_the_lines_stand(lines, wanted):
    assert View(lines).occurrences(wanted) == everywhere(lines, wanted)


@given(
    unit=st.lists(FEW, min_size=1, max_size=3),
    times=st.integers(10, 40),
    rest=st.lists(FEW, max_size=5),
    size=st.integers(1, 30),
)
@examples(200)
def test_occurrences_in_a_repetitive_file_are_all_the_places_too(unit, times, rest, size):
    lines = [*unit * times, *rest, *unit * times]
    wanted = (unit * size)[:size]

    assert View(lines).occurrences(wanted) == everywhere(lines, wanted)


@given(lines=st.lists(FEW, min_size=1, max_size=60), data=st.data())
@examples(100)
def test_a_run_taken_from_the_file_is_found_where_it_was_taken(lines, data):
    start = data.draw(st.integers(0, len(lines) - 1))
    stop = data.draw(st.integers(start + 1, len(lines)))

    assert start in View(lines).occurrences(lines[start:stop])


@pytest.mark.parametrize(("lines", "wanted"), [([], ["a"]), (["a"], []), (["a"], ["a", "a"]), (["ab"], ["a"])])
def test_what_is_not_there_has_no_place(lines, wanted):
    assert View(lines).occurrences(wanted) == []


def test_asking_twice_gives_the_same_answer():
    view = View(["a", "b", "a"])

    assert (view.occurrences(["a"]), view.occurrences(["b"]), view.occurrences(["a"])) == ([0, 2], [1], [0, 2])


def test_the_steps_for_a_long_pattern_in_a_repetitive_file_grow_with_the_file():
    compared = 0

    class Line(str):
        __hash__ = str.__hash__

        def __eq__(self, other):
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    lines, wanted = ([Line("x") for _ in range(count)] for count in (6_000, 2_000))

    assert len(View(lines).occurrences(wanted)) == 4_001
    assert compared < 10 * len(lines)
