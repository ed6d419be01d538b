"""Rows of tokens: every way of testing a name gives the same answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.globs.patterns import EDITORCONFIG, GIT, RULES, PatternError, _AllWays, matcher_of, segment, tokens

PATTERNS = st.lists(
    st.sampled_from(["a", "b", "ab", "*", "?", "[ab]", "[!a]", "[a-c]", "[[:alpha:]]", "\\*", "é", "."]),
    min_size=1,
    max_size=6,
).map("".join)


@examples(400)
@given(PATTERNS, st.text("abc.*é", max_size=6))
def test_the_fast_tests_of_a_name_agree_with_following_all_ways(pattern, name):
    row = tokens(pattern, GIT)

    assert bool(segment(pattern).fits(name)) == bool(matcher_of(row)(name)) == _AllWays(row).fits(name)


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/*", "/a", True),
        ("/*", "/d/a", False),
        ("/*.c", "/d/a.c", False),
        ("/d*", "/d/a", False),
        ("/**", "/d/a", True),
        ("/d/**/a", "/d/a", True),
        ("/d?a", "/d/a", False),
        ("/d[!x]a", "/d/a", False),
        ("/d[x/]a", "/d[x/]a", True),
        ("/{a,d/b}", "/d/b", True),
        ("/{1..12}", "/12", True),
        ("/{1..12}", "/13", False),
        ("/{a", "/{a", True),
        ("/a\\", "/a\\", True),
    ],
)
def test_only_two_stars_cross_slashes_in_a_pattern_of_a_whole_path(pattern, path, fits):
    assert bool(matcher_of(tokens(pattern, EDITORCONFIG))(path)) == fits


@pytest.mark.parametrize("pattern", ["[a", "[[:none:]]", "a\\", "[[:alpha"])
def test_a_pattern_that_git_never_matches_is_an_error(pattern):
    with pytest.raises(PatternError):
        tokens(pattern, GIT)


def test_rules_know_no_classes_and_no_escapes():
    assert tokens("[a]\\{b}", RULES) == list("[a]\\{b}")


@pytest.mark.parametrize(
    "pattern", ["[" * 1000, "[/]" * 300, "[\\]" * 300, "{a,aa}" * 150, "{" * 500, "**/" * 300, "*a" * 500]
)
def test_a_pattern_of_a_whole_path_that_is_made_to_be_slow_is_answered_in_time(pattern):
    """A test that hangs here fails by its time-out."""
    assert not matcher_of(tokens(pattern + "/x", EDITORCONFIG))("a" * 300)
