"""Ignore rules, beside git, ripgrep and pathspec."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_trees import build
from strategies import examples

from patchkit.globs.git import ignore_rules
from patchkit.globs.paths import level
from patchkit.search.ignoring import USUAL, rules_above
from patchkit.search.query import SearchBudget
from patchkit.search.walk import DirectoryWalk, files_named
from patchkit.workspace.root import Workspace


def kept(root, start=(), hidden=True):
    """The files below a directory that are not ignored, by our own walk."""
    with Workspace(str(root)) as files:
        walk = DirectoryWalk(files, SearchBudget(), start, level("**", hidden), rules_above(files, start))
        return sorted(files_named(files, walk, shared=False))


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


def test_a_byte_order_mark_is_not_part_of_the_first_rule():
    assert ignore_rules("\ufeffa\n").verdict([], "a", False) is True


@pytest.mark.parametrize("name", sorted(USUAL))
def test_directories_of_tools_are_left_out_by_default(tree, name):
    root = tree({f"{name}/a": "", f"d/{name}/a": "", "b": "", f"e/{name}": ""})

    assert kept(root) == sorted(["b", f"e/{name}"])


def test_our_own_directory_at_the_root_is_never_searched(tree):
    root = tree({".patchkit/a": "", "d/.patchkit/a": ""})

    with Workspace(str(root)) as files:
        walk = DirectoryWalk(files, SearchBudget(), (), level("**", hidden=True), None)
        assert files_named(files, walk, shared=False) == ["d/.patchkit/a"]


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


# -- where rules come from -----------------------------------------------------------------------


def test_rules_above_the_start_hold_below_it(tree):
    root = tree(
        {".gitignore": "*.log\n/d/x\n", "d/.gitignore": "!b.log\n", "d/e/a.log": "", "d/e/b.log": "", "d/x": ""}
    )

    assert kept(root, ("d",)) == ["d/.gitignore", "d/e/b.log"]


def test_rules_above_the_root_are_not_read(tree):
    root = tree({".gitignore": "*\n", "inner/a": ""})

    assert kept(root / "inner") == ["a"]


def test_a_repository_within_another_has_rules_of_its_own(tree, git):
    root = tree({".gitignore": "*.log\n", ".ignore": "*.tmp\n", "sub/a.log": "", "sub/b.tmp": "", "sub/c": ""})
    git(root / "sub", "status", "--short")

    assert kept(root) == [".gitignore", ".ignore", "sub/a.log", "sub/c"]


def test_the_excludes_of_a_repository_hold(tree, git):
    root = tree({"a.log": "", "b": ""})
    git(root, "status", "--short")
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text("*.log\n")

    assert kept(root) == ["b"] == git(root, "ls-files", "-co", "--exclude-standard", "-z")


@pytest.mark.parametrize("config", ["[core]\n\texcludesFile = ~/mine\n", '[core]\nexcludesfile="{home}/mine"\n'])
def test_the_users_own_rules_hold(tree, tmp_path, config, git):
    root = tree({"a.log": "", "b": ""})
    home = tmp_path / "home"
    build(home, {".gitconfig": config.replace("{home}", str(home)), "mine": "*.log\n"})

    assert kept(root) == ["b"] == git(root, "ls-files", "-co", "--exclude-standard", "-z")


def test_the_users_rules_are_read_where_git_looks_by_default(tree, tmp_path, rg):
    root = tree({"a.log": "", "b": ""})
    build(tmp_path / "home", {".config/git/ignore": "*.log\n"})

    assert kept(root) == ["b"] == rg(root, "--files", "--no-require-git")


def test_a_link_in_place_of_an_ignore_file_is_not_followed(tree, tmp_path):
    root = tree({"a.log": ""})
    (tmp_path / "rules").write_text("*.log\n")
    (root / ".gitignore").symlink_to(tmp_path / "rules")

    assert kept(root) == ["a.log"]


def test_a_directory_or_a_fifo_is_not_read_as_an_ignore_file(tree):
    root = tree({".gitignore/x": "", "d/a": ""})
    os.mkfifo(root / "d" / ".gitignore")

    assert kept(root) == [".gitignore/x", "d/a"]


def test_an_ignore_file_of_any_size_is_read_up_to_a_line(tree):
    root = tree({".gitignore": b"a\n" + b"yy\n" * (1 << 17) + b"b\n", "a": "", "b": "", "y": ""})

    assert kept(root) == [".gitignore", "b", "y"]
