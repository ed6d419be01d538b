"""A small git repository with a history of its own: edits, renames, copies, new and deleted files, odd names."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

SETTINGS = {
    "GIT_AUTHOR_NAME": "you",
    "GIT_AUTHOR_EMAIL": "you@example.com",
    "GIT_COMMITTER_NAME": "you",
    "GIT_COMMITTER_EMAIL": "you@example.com",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
}
NAMES = [
    "a.py",
    "src/b.py",
    "src/deep/c.txt",
    "with space.txt",
    'quo"te.txt',
    "tab\there.txt",
    "ünï.txt",
    "a/a.py",
    "b/x",
]


def git(root: Path, *words: str, data: bytes | None = None) -> bytes:
    done = subprocess.run(
        ["git", *words], cwd=root, input=data, capture_output=True, env={**os.environ, **SETTINGS}, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def repository(root: Path, commits: int = 25, seed: int = 1, special: bool = True) -> Path:
    """Makes the repository; with `special` things in it that a patch cannot say."""
    made = random.Random(seed)
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", ".")
    for number in range(commits):
        _edit(made, root, number, special)
        git(root, "add", "-A")
        git(root, "commit", "-q", "--allow-empty", "-m", f"commit {number}\n\n--- a/x\nis not a diff\n")
    return root


def _edit(made: random.Random, root: Path, number: int, special: bool) -> None:
    there = [path for path in sorted(root.rglob("*")) if path.is_file() and ".git" not in path.parts]
    for _ in range(made.randint(1, 3)):
        kind = made.choice(["new", "edit", "edit", "edit", "rename", "delete", "mode" if special else "edit"])
        if kind == "new" or not there:
            path = root / f"{number}-{made.choice(NAMES)}"
            path.parent.mkdir(parents=True, exist_ok=True)
            ending = made.choice(["\n", "\n", "\n", "\r\n"])
            text = ending.join(
                made.choice(["", "}", f"line {n}", f"    value = {n}"]) for n in range(made.randint(0, 30))
            )
            path.write_bytes((text + made.choice([ending, ending, ""])).encode())
            there.append(path)
            continue
        path = made.choice(there)
        if not path.exists():
            continue
        if kind == "edit":
            lines = path.read_bytes().split(b"\n")
            at = made.randrange(len(lines))
            end = b"\r" if path.read_bytes().endswith(b"\r\n") else b""
            new = [b"-- new %d %d" % (number, n) + end for n in range(made.randint(0, 3))]
            lines[at : at + made.randint(0, 2)] = new
            path.write_bytes(b"\n".join(lines))
        elif kind == "rename":
            path.rename(path.with_name(f"{path.name}-{number}"))
        elif kind == "delete":
            path.unlink()
        else:
            path.chmod(path.stat().st_mode ^ 0o111)
