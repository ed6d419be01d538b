"""Rows with a known verdict, and repositories for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "patchkit", "batch"]
BASE = "".join(f"def f{number}():\n    return {number}\n\n" for number in range(20))


def patch_of(number, old=None):
    """A patch of one anchored hunk; one whose old line is given differs from the file."""
    name = number % 20
    return (
        f"*** Begin Patch\n*** Update File: a.py\n@@ def f{name}():\n"
        f"-    return {name if old is None else old}\n+    return {number + 100}\n*** End Patch\n"
    )


def row_of(number):
    """A row that applies, but for every seventh, which is refused, and every eleventh, which cannot be read."""
    patch = "not a patch" if number % 11 == 10 else patch_of(number, old="nothing" if number % 7 == 6 else None)
    return {"id": f"row-{number}", "patch": patch, "files": {"a.py": BASE}, "model": "ab"[number % 2]}


def verdict_of(number):
    return "unreadable" if number % 11 == 10 else "refused" if number % 7 == 6 else "applies"


def git(path: Path, *words):
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-C", str(path), *words],
        check=True,
        capture_output=True,
    )


def commit_of(path: Path) -> str:
    return subprocess.run(
        ["git", "-C", str(path), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
