"""Hunks placed together, held against every placement there is."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.language import Hunk
from patchkit.core.matching.ordering import SizedHunk, in_order, out_of_order, overlap

Places = tuple[int, ...]


BODIES = [
    list(body)
    for size in (1, 2, 3, 4)
    for body in product([" x", "-x", "+x"], repeat=size)
    if any(line[0] != "+" for line in body)
]
CHANGING = [body for body in BODIES if any(line[0] != " " for line in body)]


def some_wanted(bodies: list[list[str]]) -> st.SearchStrategy[list[SizedHunk]]:
    """Hunks of up to four lines, each with some candidate places in a file of ten lines."""
    places = st.sets(st.integers(0, 9), min_size=1, max_size=4)
    hunks = st.lists(st.tuples(st.sampled_from(bodies), places), min_size=1, max_size=3)
    return hunks.map(lambda found: [SizedHunk(n, Hunk([], body), sorted(at)) for n, (body, at) in enumerate(found)])


def all_placements(wanted: list[SizedHunk]) -> list[Places]:
    return list(product(*[each.places for each in wanted]))


def apart(wanted: list[SizedHunk], places: Places) -> bool:
    """Whether every hunk begins behind the last line of the one before."""
    ends = [place + each.size for each, place in zip(wanted, places)]
    return all(end <= start for end, start in zip(ends, places[1:]))


def sharing_context(wanted: list[SizedHunk], places: Places) -> bool:
    """Whether hunks follow each other and what one changes lies behind what the one before changes."""
    if any(first >= second for first, second in zip(places, places[1:])):
        return False
    changed = [each.changed(place) for each, place in zip(wanted, places)]
    return all(first[1] <= second[0] for first, second in zip(changed, changed[1:]))


def extremes(placements: list[Places]) -> tuple[list[int], list[int]]:
    columns = list(zip(*placements))
    return [min(column) for column in columns], [max(column) for column in columns]


@given(wanted=some_wanted(CHANGING))
@examples(400)
def test_in_order_gives_the_topmost_and_the_bottommost_of_all_placements(wanted):
    separate = [places for places in all_placements(wanted) if apart(wanted, places)]
    possible = [places for places in all_placements(wanted) if places in separate or sharing_context(wanted, places)]

    placed = in_order(wanted)

    if possible:
        shared = not separate or extremes(separate) != extremes(possible)
        assert (placed.top, placed.bottom, placed.shared) == (*extremes(possible), shared)
    else:
        assert placed is None


@given(wanted=some_wanted(BODIES))
@examples(200)
def test_in_order_never_lets_two_hunks_change_the_same_line(wanted):
    placed = in_order(wanted)

    if placed is not None:
        for places in (placed.top, placed.bottom):
            touched = [
                line for each, place in zip(wanted, places) if each.changes for line in range(*each.changed(place))
            ]
            assert len(touched) == len(set(touched))


@given(wanted=some_wanted(BODIES))
@examples(200)
def test_out_of_order_wants_one_place_a_hunk_and_no_line_changed_twice(wanted):
    places = [each.places[0] for each in wanted]
    touched = [set(range(*each.changed(place))) for each, place in zip(wanted, places) if each.changes]
    clash = any(first & second for n, first in enumerate(touched) for second in touched[n + 1 :])
    alone = all(len(each.places) == 1 for each in wanted)

    found = out_of_order(wanted)

    assert found is None or (found == places and alone and not clash)
    assert found is not None or not alone or clash or _insertion_inside(wanted, places)


def _insertion_inside(wanted: list[SizedHunk], places: list[int]) -> bool:
    """Whether a hunk only adds lines in the midst of lines that another one changes, or where another one does."""
    spans = [each.changed(place) for each, place in zip(wanted, places) if each.changes]
    points = [start for start, stop in spans if start == stop]
    return any(start < point < stop for point in points for start, stop in spans) or len(set(points)) < len(points)


def test_overlap_names_the_two_hunks_that_change_the_same_lines():
    wanted = [SizedHunk(n, Hunk([], ["-x", "-y"]), [place]) for n, place in enumerate([4, 0, 1])]

    assert overlap(wanted, [4, 0, 1]) == (1, 2)
