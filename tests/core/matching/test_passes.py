"""The tolerances: their order, what each forgives and what it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.core.matching.passes import PASSES, up_to

NAMES = [each.name for each in PASSES]
BY_NAME = {each.name: each for each in PASSES}


def strictest(first: str, second: str) -> str | None:
    """The first pass under which the two lines are the same."""
    return next((each.name for each in PASSES if each.lines([first]) == each.lines([second])), None)


def test_the_passes_stand_in_this_order():
    assert NAMES == ["exact", "trailing-space", "surrounding-space", "typography"]


def test_passes_that_ignore_leading_blanks_reindent_and_no_others():
    ignoring = [each.name for each in PASSES if each.lines(["  a"]) == each.lines(["a"])]

    assert [each.name for each in PASSES if each.reindents] == ignoring


@pytest.mark.parametrize("name", NAMES)
def test_up_to_a_pass_means_the_stricter_ones_and_itself(name):
    assert [each.name for each in up_to(name)] == NAMES[: NAMES.index(name) + 1]


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ("a", "a", "exact"),
        ("a", "a ", "trailing-space"),
        ("a", "a\t \r", "trailing-space"),
        ("  a", "  a\u00a0", "trailing-space"),
        ("a", " a", "surrounding-space"),
        ("\ta", "    a ", "surrounding-space"),
        ("a-b", "a\u2013b", "typography"),
        ("'a'", " \u2018a\u2019 ", "typography"),
        ("...", "\u2026", "typography"),
        ("a b", "a\u00a0b", "typography"),
        ("ab", "a\u200bb", "typography"),
        ("\u00e9", "e\u0301", "typography"),
        ("a", "A", None),
        ("a b", "ab", None),
        ("a  b", "a b", None),
        ("a", "b", None),
        ("a", "", None),
    ],
)
def test_a_difference_is_forgiven_by_the_strictest_pass_that_knows_it(first, second, name):
    assert strictest(first, second) == name


@pytest.mark.parametrize(
    ("plain", "others"),
    [
        ("-", "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"),
        ("'", "\u2018\u2019\u201a\u201b"),
        ('"', "\u201c\u201d\u201e\u201f"),
        (" ", "\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"),
    ],
)
def test_every_look_alike_is_read_as_what_a_keyboard_types(plain, others):
    typography = BY_NAME["typography"]

    assert typography.lines([f"a{other}b" for other in others]) == [f"a{plain}b"] * len(others)


TEXTS = st.lists(st.text("ab \t\u00a0\u2013\u2019\u200b\u2026e\u0301\u00e9\u0300\x0c\udcff", max_size=5), max_size=4)


@pytest.mark.parametrize("name", NAMES)
@given(texts=TEXTS)
@examples(60)
def test_a_pass_sees_each_line_by_itself(name, texts):
    each = BY_NAME[name]

    assert each.lines(texts) == [each.lines([text])[0] for text in texts]


@pytest.mark.parametrize("name", NAMES)
@given(texts=TEXTS)
@examples(60)
def test_what_a_pass_has_seen_it_sees_no_other_way_again(name, texts):
    each = BY_NAME[name]

    assert each.lines(each.lines(texts)) == each.lines(texts)


@given(texts=st.tuples(*[st.text("a \t\u00a0-\u2013e\u0301\u00e9", max_size=3)] * 2))
@examples(200)
def test_what_one_pass_takes_for_the_same_every_later_one_does_too(texts):
    same = [each.lines([texts[0]]) == each.lines([texts[1]]) for each in PASSES]

    assert same == sorted(same)
