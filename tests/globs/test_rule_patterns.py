"""Patterns: what each covers, and the laws of one lying inside another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patchkit.globs.rule_patterns import ANY, Pattern, command_pattern, glob, known, literal, names_of, path_patterns

NAMES = st.text("ab.", min_size=1, max_size=4)
ROWS = st.lists(NAMES, max_size=5)
PARTS = st.one_of(st.just(ANY), st.text("ab.*?", min_size=1, max_size=4).map(glob))
PATTERNS = st.lists(PARTS, max_size=5).map(Pattern)


def covers(text, path, base=()):
    return any(known(names_of(path)).within(pattern) for pattern in path_patterns(text, base, ["home", "me"]))


@pytest.mark.parametrize(
    ("text", "path", "covered"),
    [
        ("*", "/a", True),
        ("*", "/a/b/c", True),
        ("**", "/a/b/c", True),
        ("*.md", "/a/b/x.md", True),
        ("*.md", "/x.md/below", True),
        ("*.md", "/x.mdx", False),
        (".env", "/a/.env", True),
        (".env", "/a/.env.local", False),
        ("docs/*.md", "/docs/x.md", True),
        ("docs/*.md", "/docs/deep/x.md", False),
        ("docs/*.md", "/a/docs/x.md", False),
        ("docs/*", "/docs/deep/x.md", False),
        ("docs/**", "/docs/deep/x.md", True),
        ("docs/**", "/docs", True),
        ("docs/**", "/docsx/y", False),
        ("docs/", "/docs/deep/x.md", True),
        ("./docs/a", "/docs/a/b", True),
        ("docs/a", "/docs/ab", False),
        ("**/test_?.py", "/a/b/test_1.py", True),
        ("**/test_?.py", "/test_1.py", True),
        ("**/test_?.py", "/test_12.py", False),
        ("a/**/b", "/a/b", True),
        ("a/**/b", "/a/x/y/b", True),
        ("/etc/**", "/etc/passwd", True),
        ("~/notes", "/home/me/notes/today", True),
        ("/", "/anything", True),
        ("a[b]", "/a[b]", True),
        ("a[b]", "/ab", False),
    ],
)
def test_a_path_pattern_covers_what_it_says(text, path, covered):
    assert covers(text, path) is covered


def test_a_pattern_counts_from_its_base():
    assert covers("docs/x", "/repo/docs/x", base=["repo"])
    assert not covers("docs/x", "/docs/x", base=["repo"])
    assert not covers("*.md", "/elsewhere/x.md", base=["repo"])


def test_wildcards_in_the_name_of_the_base_are_plain_characters():
    assert not covers("*.md", "/repo/x.md", base=["r*"])
    assert covers("*.md", "/r*/x.md", base=["r*"])


@pytest.mark.parametrize("text", ["", "../a", "a/../b", "a\0b"])
def test_a_text_that_is_not_a_path_gives_no_pattern(text):
    assert path_patterns(text, [], []) == []


@pytest.mark.parametrize(
    ("text", "words", "covered"),
    [
        ("git push", "git push", True),
        ("git push", "git push origin main", True),
        ("git push", "git pull", False),
        ("git *", "git", True),
        ("*", "anything at all", True),
        ("npm run test*", "npm run test:unit", True),
        ("rm ** --force", "rm a b --force", True),
        ("rm ** --force", "rm --force", True),
        ("rm ** --force", "rm a", False),
        ("python? -c", "python3 -c code", True),
    ],
)
def test_a_command_pattern_names_the_first_words(text, words, covered):
    assert known(words.split()).within(command_pattern(text)) is covered


@pytest.mark.parametrize("text", ["", "  ", "a\0"])
def test_a_text_without_words_gives_no_command_pattern(text):
    assert command_pattern(text) is None


@pytest.mark.parametrize(
    ("inner", "outer"),
    [
        ("docs/api/x.md", "docs/**"),
        ("docs/api/*.md", "docs/**"),
        ("docs/**/*.md", "docs/**"),
        ("docs/**", "*"),
        ("src/a.py", "src/*.py"),
        ("src/*.py", "*.py"),
        ("src/test_?.py", "src/test_*.py"),
    ],
)
def test_some_part_of_the_narrower_pattern_lies_inside_the_wider(inner, outer):
    wide = path_patterns(outer, ["r"], [])
    narrow = path_patterns(inner, ["r"], [])

    assert any(narrow[0].within(each) for each in wide)
    assert not any(each.within(narrow[0]) for each in wide)


@pytest.mark.parametrize(("one", "other"), [("*.pem", "config/**"), (".env", "src/**"), ("a*/x", "*b/x")])
def test_patterns_that_only_overlap_lie_in_neither(one, other):
    first, second = path_patterns(one, [], []), path_patterns(other, [], [])

    assert not any(a.within(b) or b.within(a) for a in first for b in second)
    assert any(a.meets(b) for a in first for b in second)


def test_a_name_of_equal_letters_is_matched_in_linear_time():
    (pattern, _) = path_patterns("*a*a*a*a*a*a*a*b", [], [])

    assert not known(["a" * 200]).within(pattern)
    assert not known(["a"] * 2000).within(Pattern([ANY, glob("a"), ANY, glob("a"), ANY, glob("b")]))


# -- laws ----------------------------------------------------------------------------------------


@given(PATTERNS, PATTERNS, ROWS)
def test_what_lies_inside_covers_no_more(inner, outer, row):
    if inner.within(outer) and known(row).within(inner):
        assert known(row).within(outer)


@given(PATTERNS, ROWS)
def test_the_fast_way_for_known_names_and_the_general_one_agree(pattern, row):
    # Without its text the pattern takes the general way.
    slow = Pattern([*literal(row)])
    slow._text = None

    assert known(row).within(pattern) == slow.within(pattern)


@given(PATTERNS)
def test_every_pattern_lies_inside_itself_and_inside_everything(pattern):
    assert pattern.within(pattern)
    assert pattern.within(Pattern([ANY]))


@given(PATTERNS, PATTERNS, PATTERNS)
def test_lying_inside_is_transitive(first, second, third):
    if first.within(second) and second.within(third):
        assert first.within(third)


@given(PATTERNS, PATTERNS, ROWS)
def test_patterns_that_cover_one_row_meet(first, second, row):
    if known(row).within(first) and known(row).within(second):
        assert first.meets(second)
        assert second.meets(first)
