"""Trees to search, and the programs whose answers ours are held against."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from patchkit.search.ripgrep import programs

GIT = shutil.which("git")
RG = next(iter(programs()), None)


@pytest.fixture(autouse=True)
def _no_rules_of_the_user(monkeypatch, tmp_path):
    """Whoever runs the tests has ignore rules of their own; they shall not decide about ours."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("XDG_CONFIG_HOME", "PATCHKIT_RG", "RIPGREP_CONFIG_PATH"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def tree(tmp_path):
    """Makes files below a directory of the test's own: names with content; one with a slash behind is a directory."""
    root = tmp_path / "tree"
    root.mkdir()

    def plant(files):
        build(root, files)
        return root

    plant.root = root
    return plant


def build(root: Path, files: dict[str, bytes | str]) -> None:
    for name, content in files.items():
        path = root / name.rstrip("/")
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else os.fsencode(content))


def said(*words: str, cwd: Path) -> list[str]:
    """What a program says in a directory, one name a NUL."""
    environment = {**os.environ, **({"GIT_DIR": str(cwd / ".git")} if words[0] == "git" else {})}
    done = subprocess.run(words, cwd=cwd, capture_output=True, env=environment, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


@pytest.fixture
def git():
    """Asks git about a directory, which is made a repository for it."""
    if GIT is None:
        pytest.skip("no git here")

    def ask(root, *words):
        if not (root / ".git").exists():
            subprocess.run([GIT, "init", "-q"], cwd=root, check=True, timeout=60)
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
