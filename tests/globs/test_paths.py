"""Patterns of paths: what they mean, what they refuse, and that none is slow."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_trees import build
from strategies import examples

from patchkit.globs.patterns import PatternError, alternatives, beginning, level, segment


def fits(pattern, path, hidden=False):
    return level(pattern, hidden).fits_path(path.split("/"))


FITTING = [
    ("*.py", "a.py"),
    ("**/*.py", "a.py"),
    ("**/*.py", "d/e/a.py"),
    ("**", "x"),
    ("**", "a/b"),
    ("a/**", "a/b/c"),
    ("a/", "a/b/c"),
    ("a/**/b", "a/b"),
    ("a/**/b", "a/x/y/b"),
    ("a/**/**/b", "a/b"),
    ("./a/*", "a/b"),
    ("{a,b}/*.{py,js}", "b/x.js"),
    ("{src/**,docs}/*.md", "docs/a.md"),
    ("{src/**,docs}/*.md", "src/a/b/c.md"),
    ("{a,{b,c}}x", "cx"),
    ("{,a}b", "b"),
    ("?.py", "ä.py"),
    ("[a-c]x", "bx"),
    ("[!a-c]x", "dx"),
    ("[^a-c]x", "dx"),
    ("[]]", "]"),
    ("[a-]", "-"),
    ("[[:digit:]x]", "7"),
    ("[x/]", "x"),
    ("a\\/b", "a/b"),
    ("[{]", "{"),
    ("\\*", "*"),
    ("\\{a,b\\}", "{a,b}"),
    ("a}", "a}"),
    ("x*y*", "xzzyq"),
    ("x*y*z", "xyyz"),
    ("*a*b", "aab"),
    ("a**b", "aXXb"),
    (".*", ".x"),
    ("**/.x", "q/.x"),
    (".github/**/*.yml", ".github/workflows/ci.yml"),
]
NOT_FITTING = [
    ("*.py", "d/a.py"),
    ("agents/*.py", "agents/x/y.py"),
    ("a/*/b", "a/b"),
    ("a/**", "a"),
    ("*", ".x"),
    ("?x", ".x"),
    ("[.]x", ".x"),
    ("**/x", ".h/x"),
    ("*/x", ".h/x"),
    ("[!a-c]x", "bx"),
    ("[z-a]", "b"),
    ("\\*", "x"),
    ("a?b", "a/b"),
    ("a[/]b", "a/b"),
    ("[[:digit:]]", "a"),
    ("x*x", "x"),
]


@pytest.mark.parametrize(("pattern", "path"), FITTING)
def test_a_pattern_fits_these_paths(pattern, path):
    assert fits(pattern, path)


@pytest.mark.parametrize(("pattern", "path"), NOT_FITTING)
def test_a_pattern_does_not_fit_these_paths(pattern, path):
    assert not fits(pattern, path)


@pytest.mark.parametrize("pattern", ["*", "**/x", "?x", "*/*"])
def test_hidden_names_are_found_where_that_is_asked_for(pattern):
    path = {"*": ".a", "**/x": ".h/x", "?x": ".x", "*/*": ".h/.a"}[pattern]

    assert (fits(pattern, path), fits(pattern, path, hidden=True)) == (False, True)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("", "it names nothing"),
        ("/", "it names nothing"),
        ("a/../b", "'..' is allowed only at its beginning"),
        ("a{b", "'{' is not closed; write '\\{' for the brace itself"),
        ("a[b", "'[' is not closed; write '\\[' for the bracket itself"),
        ("a\\", "it ends with a backslash that escapes nothing"),
        ("x" * 1025, "it is longer than 1024 characters"),
        ("{a,b}" * 9, "its braces make more than 256 patterns"),
    ],
)
def test_a_pattern_that_means_nothing_says_why(pattern, reason):
    with pytest.raises(PatternError, match=re.escape(reason)):
        level(pattern)


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("src/lib/*.py", ("src/lib", "*.py")),
        ("*.py", ("", "*.py")),
        ("a.py", ("", "a.py")),
        ("/abs/x/*.py", ("/abs/x", "*.py")),
        ("/*.py", ("/", "*.py")),
        ("../x/**", ("../x", "**")),
        ("s{a,b}/x", ("", "s{a,b}/x")),
    ],
)
def test_the_beginning_of_a_pattern_is_its_directory_without_wildcards(pattern, parts):
    assert beginning(pattern) == parts


# -- laws ----------------------------------------------------------------------------------------

PIECES = ["a", "b", "ab", "*", "?", "[ab]", "[!a]", "[a-b]", ".", "\\*", "é"]
TEXTS = st.text("abc.*é-", min_size=1, max_size=6).filter(lambda name: name not in (".", ".."))


def naive(pattern):
    """A component as a plain regular expression, without any of our thoughts about speed."""
    return re.compile(re.sub(r"\\(.)|\[!", lambda m: re.escape(m[1]) if m[1] else "[^", _stars(pattern)), re.DOTALL)


def _stars(pattern):
    kept = re.split(r"(\\.|\[[^\]]*\])", pattern)
    return "".join(
        part if at % 2 else re.escape(part).replace(r"\*", ".*").replace(r"\?", ".") for at, part in enumerate(kept)
    )


@examples(400)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), TEXTS)
def test_a_component_means_what_the_plain_regular_expression_means(pattern, name):
    assert bool(segment(pattern).fits(name)) == bool(naive(pattern).fullmatch(name))


@examples(200)
@given(st.lists(st.sampled_from(["a", "*", "**", "b*", "?"]), min_size=1, max_size=6), st.lists(TEXTS, max_size=5))
def test_crossing_directories_means_what_trying_every_number_of_them_means(parts, path):
    def tried(steps, names):
        if not steps or not names:
            return not steps and not names
        if steps[0] == "**":
            return any(tried(steps[1:] or ["*"], names[skip:]) for skip in range(len(names)))
        return bool(naive(steps[0]).fullmatch(names[0])) and tried(steps[1:], names[1:])

    assert level("/".join(parts), hidden=True).fits_path(path or ["x"]) == tried(parts, path or ["x"])


@pytest.mark.parametrize("pattern", ["*a" * 500 + "b", "*a" * 100 + "b", "*" * 1000 + "b", "*?" * 300, "[!b]*" * 300])
def test_a_pattern_full_of_stars_is_answered_in_time(pattern):
    """A test that hangs here fails by its time-out: trying every place of every star would take years."""
    assert not segment(pattern).fits("a" * 255)


def test_braces_within_braces_are_expanded_in_order():
    assert alternatives("{a,{b,c}{d,e}}") == ["a", "bd", "be", "cd", "ce"]


# -- beside others -------------------------------------------------------------------------------

NAMES = ["a", "b", "ab", "a.py", "b.py", "x1", "x2", ".h", "-", "[a]"]
FILES = {f"{above}{name}": "" for above in ("", "a.d/", "a.d/b.d/", "b.d/a.d/c/", ".g/") for name in NAMES}
PATTERNS = st.lists(
    st.sampled_from(["*", "**", "*.d", "a*", "?", "[ab]", "[!a]*", "*.py", "b.d", "a.d", "x[0-9]", ".*", "\\[a\\]"]),
    min_size=1,
    max_size=4,
).map("/".join)


@pytest.fixture(scope="module")
def names_tree(tmp_path_factory):
    root = tmp_path_factory.mktemp("names")
    build(root, FILES)
    return root


def ours(pattern):
    begin = level(pattern, hidden=True)
    return sorted(path for path in FILES if begin.fits_path(path.split("/")))


@examples(60)
@given(pattern=PATTERNS)
def test_patterns_mean_what_they_mean_to_ripgrep(pattern, names_tree, request):
    rg = request.getfixturevalue("rg")

    assert ours(pattern) == rg(names_tree, "--files", "--hidden", "--no-ignore", f"--glob=/{pattern}")


# Next to a brace ripgrep does not read '**' as a component of its own.
OPTIONS = PATTERNS.filter(lambda pattern: not pattern.startswith("**") and not pattern.endswith("**"))


@examples(40)
@given(pattern=st.lists(OPTIONS, min_size=2, max_size=3).map(lambda each: "{" + ",".join(each) + "}"))
def test_braces_mean_what_they_mean_to_ripgrep(pattern, names_tree, request):
    rg = request.getfixturevalue("rg")

    assert ours(pattern) == rg(names_tree, "--files", "--hidden", "--no-ignore", f"--glob=/{pattern}")


# To git a plain name means everything below the directory of that name as well.
ENDINGS = ("*", "?", "]")


@examples(60)
@given(pattern=PATTERNS.filter(lambda pattern: pattern.endswith((*ENDINGS, "*.d", "*.py")) and "\\" not in pattern))
def test_patterns_mean_what_they_mean_to_git(pattern, names_tree, request):
    git = request.getfixturevalue("git")

    assert ours(pattern) == git(names_tree, "ls-files", "-co", "-z", "--", f":(glob){pattern}")
