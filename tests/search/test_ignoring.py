"""Which ignore files count, and in which directories."""

from __future__ import annotations

import os

import pytest
from search_trees import build, kept

from patchkit.core.workspace.root import Workspace
from patchkit.globs.patterns import level
from patchkit.search.walk import USUAL, DirectoryWalk, SearchBudget, files_named


@pytest.mark.parametrize("name", sorted(USUAL))
def test_directories_of_tools_are_left_out_by_default(tree, name):
    root = tree({f"{name}/a": "", f"d/{name}/a": "", "b": "", f"e/{name}": ""})

    assert kept(root) == sorted(["b", f"e/{name}"])


def test_our_own_directory_at_the_root_is_never_searched(tree):
    root = tree({".patchkit/a": "", "d/.patchkit/a": ""})

    with Workspace(str(root)) as files:
        walk = DirectoryWalk(files.directories, SearchBudget(), (), level("**", hidden=True), None)
        assert files_named(files, walk, shared=False) == ["d/.patchkit/a"]


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
