"""The best place a hunk failed: what a refusal shows of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.changes import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import Miss, WorkBudget
from patchkit.core.matching.locate import locate
from patchkit.core.text import Document
from patchkit.repair.near_miss import NearMiss, NearMissSearch, first_difference

SHOP = ["def tea():", "    price = 2", "    return price", "", "def coffee():", "    price = 3", "    return price"]


def miss_of(texts: list[str], *hunks: Hunk) -> Miss:
    document = Document("".join(text + "\n" for text in texts).encode())
    miss = locate(document, list(hunks), Options())[0]
    assert isinstance(miss, Miss)
    return miss


def near_of(texts: list[str], *hunks: Hunk, budget: WorkBudget | None = None) -> NearMiss | None:
    sought = miss_of(texts, *hunks).sought
    assert sought is not None
    return NearMissSearch(sought, budget or WorkBudget()).miss(sought)


def test_the_window_that_agrees_most_is_shown_with_its_first_difference():
    near = near_of(SHOP, Hunk([], [" def coffee():", "-    price = 4", "-    return cost"]))

    assert near == NearMiss((4, 3), (1, 3), (1, 5), "    price = 4", "    price = 3")


ROUTES = ["serve(8080)", "log(start)", "open(database)", "mount(/users)", "}", "mount(/items)", "close(database)", "}"]


def test_the_line_that_is_shown_is_one_that_the_file_lacks_and_not_one_that_is_further_down():
    near = near_of(ROUTES, Hunk([], [" log(start)", " mount(/users)", " }", "-mount(/gone)", " close(database)"]))

    assert near == NearMiss((1, 6), (4, 5), (3, 5), "mount(/gone)", "mount(/items)")
    assert not near.is_apart


def test_lines_that_are_all_there_with_others_between_are_said_to_be():
    near = near_of(ROUTES, Hunk([], [" log(start)", " mount(/users)", "-mount(/items)"]))

    assert near == NearMiss((1, 5), (3, 3), (1, 2), "mount(/users)", "open(database)")
    assert (near.is_apart, near.agreement) == (True, "all lines are there, but not together")


def test_a_window_below_the_anchor_comes_first():
    hunk = ["-    price = 2.5", "-    return cost", "+x"]

    assert near_of(SHOP, Hunk(["def coffee():"], hunk)).line == 5
    assert near_of(SHOP, Hunk(["def tea():"], hunk)).line == 1


def test_the_facts_tell_of_the_anchor_whether_it_is_there():
    there = miss_of(SHOP, Hunk(["def tea():"], ["-    price = 9"]))
    lost = miss_of(SHOP, Hunk(["def cake():"], ["-    price = 9"]))

    assert (there.facts["anchor"], there.facts["anchor_line"]) == ("def tea():", 1)
    assert (lost.facts["anchor"], lost.facts["anchor_line"]) == ("def cake():", None)


def test_a_place_that_differs_in_margins_alone_is_shown_with_them():
    texts = ["{", "    a();", "    {", "        b();", "    }", "}", "", "next();"]
    near = near_of(texts, Hunk([], ["     }", "+    c();", " ", " next();"]))

    assert near == NearMiss((5, 3), (3, 3), (0, 5), "    }", "}")


def test_nothing_is_shown_where_nothing_agrees():
    assert near_of(SHOP, Hunk([], ["-alpha", "-beta", "-gamma"])) is None


def test_nothing_is_looked_for_once_the_budget_is_used_up():
    assert near_of(["one word", "two"], Hunk([], ["-other word"]), budget=WorkBudget(0)) is None


def test_the_same_budget_serves_every_hunk_of_a_run():
    budget = WorkBudget()
    near_of(SHOP, Hunk([], ["-    prices = 4"]), budget=budget)
    left = budget.left
    near_of(SHOP, Hunk([], ["-    prices = 4"]), budget=budget)

    assert budget.left < left < WorkBudget().left


@given(st.text("ab", max_size=9), st.text("ab", max_size=9))
@examples(300)
def test_the_first_difference_is_the_end_of_what_two_lines_share(one, other):
    at = first_difference(one, other)

    assert one[:at] == other[:at]
    assert one[at : at + 1] != other[at : at + 1] or at == len(one) == len(other)


SMALL = ["def backoff(n):", "    return retries + 2", "", "def other(x):", "    y = x + 21", "    return y"]


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ("    y = x - 21", "    y = x + 21"),
        ("    y = x + 22", "    y = x + 21"),
        ("    y = z + 21", "    y = x + 21"),
        ("    retrun y", "    return y"),
        ("    return zz", "    return y"),
    ],
)
def test_in_a_small_scope_a_line_of_short_words_has_its_closest_line(expected, found):
    near = near_of(SMALL, Hunk(["def other(x):"], ["-" + expected, "+    y = 1"]))

    assert (near.expected, near.found) == (expected, found)


@pytest.mark.parametrize("anchors", [[], ["def other(x):"], ["class Gone:"]])
@pytest.mark.parametrize("lines", [["-    zz = 1"], ["-nothing(of) = this"], ["-    [", "-    ]"]])
def test_a_line_that_has_only_signs_in_common_is_not_called_the_closest(anchors, lines):
    hunk = Hunk(anchors, [*lines, "+    y = 1"])

    assert near_of(SMALL, hunk) is None
    assert miss_of(SMALL, hunk).facts["scope"] == ((4, 6) if anchors == ["def other(x):"] else (1, 6))


def test_the_difference_is_that_of_the_words_where_the_margins_differ_too():
    near = near_of(SMALL, Hunk([], ["-return retries + 3", "+x"]))

    assert (near.found[near.column :], near.column) == ("2", 21)


def test_a_place_where_all_removed_lines_are_is_closer_than_one_with_more_of_the_context():
    texts = ["[[bin]]", 'name = "tool"', 'path = "a"', "", "[[bin]]", 'name = "xtool"', 'path = "b"', "", "[lib]"]
    near = near_of(texts, Hunk([], ["-[[bin]]", '-name = "tool"', '-path = "a"', "-", " [lib]"]))

    assert near == NearMiss((0, 5), (4, 5), (4, 4), "[lib]", "[[bin]]")


def test_below_a_floor_there_is_no_closest_place():
    lines = [f"-{word} = compute({word}, {n})" for n, word in enumerate(("alpha", "beta", "gamma", "delta", "omega"))]

    assert near_of(["first", "price = 2", "last"], Hunk([], [*lines, "-    price = 2"])) is None
