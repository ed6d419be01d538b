"""Trees to search, and the programs whose answers ours are held against."""

from __future__ import annotations

import subprocess

import pytest
from search_trees import GIT, RG, build, said


@pytest.fixture(autouse=True)
def _no_rules_of_the_user(monkeypatch, tmp_path):
    """Keeps the ignore rules of the user who runs the tests out of them."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("XDG_CONFIG_HOME", "PATCHKIT_RG", "RIPGREP_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def tree(tmp_path):
    """Makes files below a directory of the test's own, which is its `root`."""
    root = tmp_path / "tree"
    root.mkdir()

    def plant(files):
        build(root, files)
        return root

    plant.root = root
    return plant


@pytest.fixture
def git():
    """Asks git about a directory, which is made a repository for it."""
    if GIT is None:
        pytest.skip("no git here")

    def ask(root, *words):
        if not (root / ".git").exists():
            subprocess.run([GIT, "init", "-q"], cwd=root, check=True)
        return sorted(said("git", *words, cwd=root))

    return ask


@pytest.fixture
def rg():
    """Asks ripgrep about a directory."""
    if RG is None:
        pytest.skip("no ripgrep here")

    def ask(root, *words):
        return sorted(name.removeprefix("./") for name in said(RG, "--no-config", "--null", *words, cwd=root))

    return ask
