"""Ignore rules, beside git, ripgrep and pathspec."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_trees import build, kept
from strategies import examples

from patchkit.globs.patterns import ignore_rules

LINES = [
    ("a.log", "*.log", True),
    ("d/a.log", "*.log", True),
    ("a.log", "/*.log", True),
    ("d/a.log", "/*.log", False),
    ("d/a", "d/a", True),
    ("e/d/a", "d/a", False),
    ("e/d/a", "**/d/a", True),
    ("d/x/y/a", "d/**/a", True),
    ("d/a", "d/**/a", True),
    ("d/a", "d/**", True),
    ("d", "d/**", False),
    ("a", "#a", False),
    ("#a", "\\#a", True),
    ("!a", "\\!a", True),
    ("a ", "a\\ ", True),
    ("a", "a  ", True),
    ("a", "a\r", True),
    ("a", "a/", False),
    ("a{b", "a{b", True),
    ("a", "[", False),
    ("a", "\\", False),
    ("a", "", False),
    ("a", "/", False),
    ("ab", "a**b", True),
    ("a/b", "a*b", False),
    ("a", "a//", False),
    ("a", "./a", False),
]


@pytest.mark.parametrize(("path", "line", "ignored"), LINES)
def test_a_line_ignores_the_paths_that_fit_it(path, line, ignored):
    *above, name = path.split("/")

    assert bool(ignore_rules(line + "\n").verdict(above, name, False)) == ignored


def test_the_last_rule_that_fits_decides():
    rules = ignore_rules("*.log\n!keep.log\nkeep.log/\n")

    assert [
        rules.verdict([], name, is_directory) for name, is_directory in (("a.log", False), ("keep.log", False))
    ] == [
        True,
        False,
    ]
    assert rules.verdict([], "keep.log", True) is True
    assert rules.verdict([], "other", False) is None


@pytest.mark.parametrize("text", ["*a*?1*b\n", "*a" * 300 + "b\n", "[ab]*c\n", "*" + "a?" * 90 + "c*b\n"])
def test_rules_with_wildcards_are_read_and_compared_without_compiling_them(text, monkeypatch):
    """To compile the thousands that a file can hold takes seconds."""
    monkeypatch.setattr(re, "compile", None)

    assert ignore_rules(text).verdict([], "a" * 250 + "b", False) is None


# -- beside others -------------------------------------------------------------------------------

NAMES = ["a", "b", "a.log", "b.log", "c.txt", "build.d"]
PATHS = [f"{above}{name}" for above in ("", "d/", "d/e/", "d/e/f/", "g/", "g/e/") for name in NAMES]
RULES = st.sampled_from(
    [
        *["a", "b", "*.log", "/a", "d/", "/d", "e", "e/", "d/e", "/d/e/", "d/*", "d/**", "**/e", "**/e/*", "d/**/a"],
        *[
            "!a",
            "!*.log",
            "!/a",
            "!d",
            "!d/",
            "!e/",
            "!d/e",
            "!**/a.log",
            "!c.txt",
            "*",
            "*/",
            "!*/",
            "?",
            "[ab]",
            "[!a]",
        ],
        *["# a", "", "a ", "\\a", "*.l*g", "?.log", "c.*", "!c.*", "/*", "!/d", "g/e/", "/g/*/a", "**", "e/**/"],
    ]
)
FILES = st.dictionaries(
    st.sampled_from([".gitignore", "d/.gitignore", "d/e/.gitignore", "g/.gitignore"]),
    st.lists(RULES, min_size=1, max_size=4).map("\n".join),
    min_size=1,
)


def planted(root, rules):
    build(root, dict.fromkeys(PATHS, ""))
    build(root, rules)


def clean(root, rules):
    for name in rules:
        (root / name).unlink()


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    root = tmp_path_factory.mktemp("plain")
    build(root, dict.fromkeys(PATHS, ""))
    subprocess.run(["git", "init", "-q"], cwd=root, check=False)
    return root


@examples(80)
@given(rules=FILES)
def test_nested_ignore_files_mean_what_they_mean_to_git(rules, plain, request):
    git = request.getfixturevalue("git")
    build(plain, rules)
    try:
        assert kept(plain) == git(plain, "ls-files", "-co", "--exclude-standard", "-z")
    finally:
        clean(plain, rules)


OTHERS = st.dictionaries(
    st.sampled_from(
        [".gitignore", ".ignore", ".rgignore", "d/.gitignore", "d/.ignore", "d/e/.rgignore", "d/e/.gitignore"]
    ),
    st.lists(RULES.filter(lambda rule: rule != "e/**/"), min_size=1, max_size=3).map("\n".join),
    min_size=1,
)


@examples(80)
@given(rules=OTHERS)
def test_ignore_files_of_all_kinds_mean_what_they_mean_to_ripgrep(rules, plain, request):
    rg = request.getfixturevalue("rg")
    build(plain, rules)
    try:
        theirs = rg(plain, "--files", "--hidden", "--no-require-git", "--no-ignore-parent", "--glob=!.git/")
        assert kept(plain) == theirs
    finally:
        clean(plain, rules)


# Not with rules that keep: to pathspec '!d' also keeps what lies in an ignored directory below d, to git it does not.
@examples(150)
@given(lines=st.lists(RULES.filter(lambda rule: rule[:1] != "!"), min_size=1), path=st.sampled_from(PATHS))
def test_one_file_of_rules_means_what_it_means_to_pathspec(lines, path):
    pathspec = pytest.importorskip("pathspec")
    spec = pathspec.GitIgnoreSpec.from_lines(lines)
    rules = ignore_rules("\n".join(lines))

    assert rules.ignores_file(path) == spec.match_file(path)


@pytest.mark.parametrize(
    "rule", ["?", "??", "[ä]", "[!a]", "?b", "??b", "[à-ü]*", "*[!a]", "ä", "/ä/?", "\udcff", "?/b"]
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_names_are_compared_byte_by_byte_as_git_does(tmp_path, git, rule, mark):
    build(tmp_path, dict.fromkeys(["ä/b", "ä/ä", "d/ä", "d/äb", "d/b", "d/\udcff", "\ufeffa"], ""))
    build(tmp_path, {".gitignore": f"{mark}{rule}\n"})
    git(tmp_path, "init", "-q")

    assert kept(tmp_path) == git(tmp_path, "ls-files", "-co", "--exclude-standard", "-z")


# -- single patterns, written at random ----------------------------------------------------------

ODD_NAMES = ["a", "b", "ab", "a-b", "a]", "[a]", "a b", "z", "A", "0", "\\", "a.b", "!a", "#a", "-"]
ODD_PATHS = [*ODD_NAMES, "d/a", "d/ab", "d/e/a", "d/e/f/b", "a/b/c", "d/-"]
PIECES = st.sampled_from(
    [
        *["a", "b", "d", "e", "z", "/", "*", "**", "***", "?", "[", "]", "!", "^", "-", "\\", " ", ".", "#"],
        *[
            "[a-b]",
            "[!a]",
            "[^b]",
            "[z-a]",
            "[]a]",
            "[a-",
            "[[:alpha:]]",
            "[[:digit:]a]",
            "[[:none:]]",
            "[[:a]",
            "[a/]",
        ],
        *["/**", "**/", "/**/", "\\/", "\\*", "\\]", "[\\]]", "[a\\-z]", "[--0]", "[a-b-z]", "[[-a]"],
    ]
)
# Git compares the plain beginning of a pattern first, and reads stars right behind it as if the pattern began there.
PATTERNS = st.lists(PIECES, min_size=1, max_size=6).map("".join).filter(lambda text: not re.search(r"[^/*]\*\*", text))


@pytest.fixture(scope="module")
def check_ignore(tmp_path_factory):
    """Which of the odd paths git ignores, for the lines of one ignore file."""
    root = tmp_path_factory.mktemp("odd")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "LC_ALL": "C"}
    if shutil.which("git") is None:
        pytest.skip("needs git")
    subprocess.run(["git", "init", "-q", root], check=True, env=environment)

    def ask(lines):
        (root / ".gitignore").write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            ["git", "check-ignore", "--no-index", "-z", "--stdin"],
            cwd=root,
            env=environment,
            input="".join(f"{path}\0" for path in ODD_PATHS),
            capture_output=True,
            text=True,
        )
        return sorted(done.stdout.split("\0")[:-1])

    return ask


@examples(200)
@given(lines=st.lists(PATTERNS, min_size=1, max_size=2))
def test_patterns_written_at_random_ignore_what_they_ignore_for_git(check_ignore, lines):
    rules = ignore_rules("\n".join(lines))

    assert sorted(path for path in ODD_PATHS if rules.ignores_file(path)) == check_ignore(lines)


SLOW = ["[" * 100_000, "[[:" * 30_000, "*a" * 1000 + "b", "**/" * 30_000 + "b", "**/a*/" * 15_000, "[!b]*" * 1000]


@pytest.mark.parametrize("line", SLOW, ids=range(len(SLOW)))
def test_a_line_made_to_be_slow_is_answered_in_time(line):
    """A test that hangs here fails by its time-out."""
    assert not ignore_rules(line).ignores_file("/".join(["a" * 200] * 20))
