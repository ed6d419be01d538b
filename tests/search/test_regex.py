"""Regular expressions without ripgrep: the same lines as Python's and ripgrep's own engines, in linear time."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_trees import RG
from strategies import examples

from patchkit.search.fallback import regex_syntax
from patchkit.search.fallback.matchers import matcher
from patchkit.search.fallback.regex import Automaton
from patchkit.search.fallback.regex_syntax import UnsupportedError, parse, required
from patchkit.search.query import Query, SearchBudget

NEVER = SearchBudget().late


def matches(expression, line, ignore_case=False):
    return Automaton(parse(expression, ignore_case)).find(line, NEVER) >= 0


UNSUPPORTED = [
    *["(?=a)", "(?!a)", "(?<=a)", "(?P<n>a)", "(?s)a", r"\1", r"\pL", r"\p{Greek}", r"\A", r"\z", r"\n", r"\x{41}"],
    *[
        "a**",
        "a+*",
        "(a",
        "a)",
        "[a",
        "[[:alpha:]]",
        "[a&&b]",
        "[a--b]",
        "[z-a]",
        "{",
        "a{",
        "a{x}",
        "a{2,1}",
        "*",
        "+a",
    ],
    *["^*", r"\b+", "a{1001}", "(a{50}){50}", "\\", "(" * 60 + ")" * 60, "a" * 5001],
]


@pytest.mark.parametrize("expression", UNSUPPORTED)
def test_what_is_outside_the_common_part_is_refused(expression):
    with pytest.raises(UnsupportedError, match=r"."):
        Automaton(parse(expression, ignore_case=False))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("use .*asyncio", "asyncio"),
        ("def __init__", "def __init__"),
        ("a|bcd", ""),
        ("(?:foo)(bar)", "foobar"),
        ("foo(bar)?baz", "foo"),
        (r"x\.y\(", "x.y("),
        ("(?i)foo", ""),
        (r"\bfoo\b", "foo"),
    ],
)
def test_the_longest_text_of_every_match_is_known(expression, text):
    assert required(parse(expression, ignore_case=False)) == text


# -- beside Python's own -------------------------------------------------------------------------

ATOMS = [
    "a",
    "b",
    ".",
    r"\d",
    r"\w",
    r"\s",
    r"\S",
    "[ab]",
    "[^a]",
    "[a-c1]",
    r"[\d_]",
    r"\.",
    "^",
    "$",
    r"\b",
    r"\B",
    "x1",
]
PARTS = st.one_of(
    st.sampled_from(ATOMS),
    st.tuples(st.sampled_from(ATOMS[:12]), st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{1,}", "*?", "+?"])).map(
        "".join
    ),
)
ROWS = st.lists(PARTS, min_size=1, max_size=4).map("".join)
EXPRESSIONS = st.recursive(
    ROWS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner, st.sampled_from(["", "*", "+", "?", "{2}"])).map(lambda each: f"({each[0]}){each[1]}"),
        st.tuples(inner, inner).map(lambda each: f"{each[0]}(?:{each[1]})"),
    ),
    max_leaves=4,
)
LINES = st.text("ab1 ._xB-", min_size=1, max_size=8)  # in an empty one Python's own \\B is wrong before 3.14


@examples(600)
@given(EXPRESSIONS, LINES)
def test_a_line_matches_where_it_does_for_python(expression, line):
    assert matches(expression, line) == bool(re.search(expression, line, re.ASCII))


@examples(200)
@given(EXPRESSIONS, LINES)
def test_a_line_matches_in_any_case_where_it_does_for_python(expression, line):
    assert matches(expression, line, ignore_case=True) == bool(re.search(expression, line, re.ASCII | re.IGNORECASE))


@examples(200)
@given(EXPRESSIONS, st.lists(LINES, max_size=5))
def test_the_first_matching_line_of_a_window_is_the_first_that_matches_alone(expression, lines):
    query = Query(expression)
    query.regex = True
    data = "".join(line + "\n" for line in lines).encode()
    wanted = next((at for at, line in enumerate(lines) if matches(expression, line)), -1)

    hit = matcher(query, SearchBudget()).find(data, 0)

    assert (data.count(b"\n", 0, hit) if hit >= 0 else -1) == wanted


# -- beside ripgrep ------------------------------------------------------------------------------

SAMPLE = [
    *["", " ", "a", "A", "ab", "aab", "abc", "a b", "a-b", "a.b", "a_b", "1", "12", "a1", "1a", "x = 1", "\ta", "a\r"],
    *[
        "ä",
        "Ä",
        "ß",
        "ẞ",
        "ſ",
        "s",
        "S",
        "\u212a",
        "k",
        "K",
        "\u212b",
        "å",
        "é",
        "e\u0301",
        "日本",
        "٣",
        "\u00a0",
        "\u3000",
    ],
    *[
        "Ⓐ",
        "ⓐ",
        "a\u200db",
        "‿",
        "𝄞",
        "a\x85b",
        "a\x1cb",
        "a\u2028b",
        "·",
        "ª",
        "²",
        "Ⅳ",
        "\u180e",
        "\u200b",
        "İ",
        "i",
        "I",
    ],
]


@pytest.fixture(scope="module")
def sample_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("sample") / "lines"
    path.write_bytes("\n".join(SAMPLE).encode() + b"\n\xff\na\xffb\n")
    return path


def theirs(path, *words):
    done = subprocess.run([RG, "--no-config", "-n", "--no-filename", *words, path], capture_output=True)
    assert done.returncode < 2, done.stderr
    return [int(line.partition(b":")[0]) for line in done.stdout.split(b"\n")[:-1]]


def ours(path, expression, ignore_case):
    lines = path.read_bytes().split(b"\n")[:-1]
    tree = parse(expression, ignore_case)
    automaton = Automaton(tree)
    return [n for n, line in enumerate(lines, 1) if automaton.find(line.decode("utf-8", "surrogateescape"), NEVER) >= 0]


CURIOUS = [
    *[r"\w", r"\W", r"\d", r"\D", r"\s", r"\S", ".", "^.$", "^..$", r"^\w$", r"^\w+$", r"\b", r"\ba\b", "^$", "a$"],
    *[
        "[^a]",
        r"[^\w]",
        r"[\W]",
        "[^ab]b",
        "a.b",
        "[à-ü]",
        "[a-z]",
        "[A-Z]",
        "^[a-z]$",
        r"\xe4",
        "s",
        "k",
        "å",
        "ß",
        "i",
    ],
    *[
        "ſ",
        "\u212a",
        "\u212b",
        "ẞ",
        "İ",
        "[s-t]",
        "[k]",
        r"\t",
        r"\.",
        "a|ä",
        "(a|1)+b?",
        r"\w+\s*=\s*\d+",
        "a{2}",
        "é",
    ],
]


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
@pytest.mark.parametrize("ignore_case", [False, True])
@pytest.mark.parametrize("expression", CURIOUS)
def test_characters_of_all_kinds_belong_where_ripgrep_puts_them(sample_file, expression, ignore_case):
    words = ["--ignore-case"] if ignore_case else ["--case-sensitive"]

    assert ours(sample_file, expression, ignore_case) == theirs(sample_file, *words, f"--regexp={expression}")


@pytest.mark.skipif(RG is None, reason="no ripgrep here")
@pytest.mark.parametrize("property_name", ["White_Space", "Nd"])
def test_whitespace_and_digits_are_those_of_unicode(property_name, tmp_path):
    test = {"White_Space": regex_syntax.is_whitespace, "Nd": regex_syntax.is_digit}[property_name]
    points = [point for point in range(0x30000) if not 0xD800 <= point < 0xE000 and point not in (0, 0x0A, 0x0D)]
    path = tmp_path / "points"
    path.write_bytes("".join(f"{chr(point)}\n" for point in points).encode())
    found = {points[number - 1] for number in theirs(path, rf"^\p{{{property_name}}}$")}
    differing = [point for point in points if test(chr(point)) != (point in found)]

    # Releases of Unicode differ in scripts that were added lately.
    assert len(differing) <= 200
    assert [point for point in differing if point < 0x10000] == []


# -- linear time --------------------------------------------------------------------------------


class Counted(str):
    """A line that counts how often one of its characters is looked at."""

    looks = 0

    def __iter__(self):
        for char in str.__iter__(self):
            Counted.looks += 1
            yield char

    def __getitem__(self, which):
        return Counted(str.__getitem__(self, which))


@pytest.mark.parametrize("expression", ["(a|aa)+b", "(a*)b", "a*a*a*a*b", "(.*)x(.*)y", r"\s*\s*\s*x", "(a|b|ab)*c"])
def test_every_character_is_looked_at_once_whatever_the_expression(expression):
    line = Counted("a " * 5000)
    Counted.looks = 0

    matches(expression, line)

    assert 0 < Counted.looks <= len(line)


@pytest.mark.parametrize("expression", ["(((){1000}){1000}){1000}", "((((a{0}){1000}){1000}){1000}){1000}"])
def test_an_empty_group_repeated_very_often_matches_nothing_more(expression):
    assert [matches(expression, "xyz"), matches(f"{expression}y", "xyz"), matches(f"{expression}q", "xyz")] == [
        *[True, True, False]
    ]


def test_a_line_on_which_every_character_is_work_is_left_when_time_is_up():
    automaton = Automaton(parse("[ab]*a[ab]{900}x", ignore_case=False))
    line = Counted("".join("ab"[number * number // 7 % 2] for number in range(100_000)))
    Counted.looks = 0
    left = iter(range(100))

    assert automaton.find(line, lambda: next(left, None) is None) == -1
    assert Counted.looks < 1000


def test_a_long_line_that_is_quick_to_match_is_left_when_time_is_up():
    automaton = Automaton(parse("a+b", ignore_case=False))
    line = Counted("a" * 1_000_000)
    Counted.looks = 0

    assert automaton.find(line, lambda: Counted.looks > 100_000) == -1
    assert Counted.looks < 200_000


def test_many_lines_are_left_when_time_is_up(monkeypatch):
    query = Query("a+b")
    query.regex = True
    looked = []
    budget = SearchBudget(1)
    monkeypatch.setattr(SearchBudget, "late", lambda self: len(looked) > 1000)
    found = matcher(query, budget)
    find = Automaton.find
    monkeypatch.setattr(Automaton, "find", lambda self, line, late: looked.append(line) or find(self, line, late))

    assert found.find(b"bb\n" * 100_000, 0) == -1
    assert len(looked) < 2000


def test_the_states_that_are_remembered_are_bounded():
    automaton = Automaton(parse("a.{12}b", ignore_case=False))
    word = "".join("ab"[int(bit)] for number in range(4096) for bit in f"{number:012b}")

    for start in range(0, len(word), 97):
        line = word[start : start + 200]
        assert (automaton.find(line, NEVER) >= 0) == bool(re.search("a.{12}b", line))
    assert len(automaton._states) <= 2000
