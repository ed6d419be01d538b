"""Trees to search, and other programs asked about them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from patchkit.core.workspace import Parts
from patchkit.core.workspace.root import Workspace
from patchkit.globs.patterns import level
from patchkit.search.content import programs
from patchkit.search.walk import DirectoryWalk, SearchBudget, files_named, rules_above

GIT = shutil.which("git")
RG = next(iter(programs()), None)


def build(root: Path, files: dict[str, bytes | str]) -> None:
    """Makes files with content; a name with a slash behind is a directory."""
    for name, content in files.items():
        path = root / name.rstrip("/")
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else os.fsencode(content))


def said(*words: str, cwd: Path) -> list[str]:
    """The names a program says in a directory, each with a NUL behind it."""
    environment = {**os.environ, **({"GIT_DIR": str(cwd / ".git")} if words[0] == "git" else {})}
    done = subprocess.run(words, cwd=cwd, capture_output=True, env=environment)
    assert done.returncode in (0, 1), done.stderr
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def kept(root: Path, start: Parts = (), hidden: bool = True) -> list[str]:
    """The files below a directory that are not ignored, by our own walk."""
    with Workspace(str(root)) as files:
        walk = DirectoryWalk(
            files.directories,
            SearchBudget(),
            start,
            level("**", hidden),
            rules_above(files.directories, start, SearchBudget().late),
        )
        return sorted(files_named(files, walk, shared=False))
