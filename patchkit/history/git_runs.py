"""Runs that are in a commit of git: which commit a run is in, by the trailer of its message.

Takes a directory and the id of a run; asks git. A run that was interrupted while its commit was made is finished if the
commit is there, and taken back if it is not.
"""

from __future__ import annotations

from patchkit.diffs.git_calls import run_git
from patchkit.errors import PatchkitError

TRAILER = "Patchkit-Run"


def git(directory: str, *words: str, **env: str) -> tuple[int, str]:
    """Runs git in a directory; returns its status and what it said, errors included.

    Only the commit itself, which a person asks for, runs programs that the repository names.
    """
    try:
        ran = run_git(["-C", directory], [*words], env=env)
    except PatchkitError as error:
        return 127, str(error.facts["reason"])
    return ran.returncode, (ran.stdout + ran.stderr).decode("utf-8", "surrogateescape")


def commit_of(directory: str, run: str) -> str:
    """The commit among the latest that a run is in; '' where it is in none."""
    status, said = git(directory, "log", "-50", "--format=%H", f"--grep=^{TRAILER}: {run}$", "HEAD", "--")
    return said.split("\n")[0].strip() if status == 0 else ""


def literal(names: list[str]) -> list[str]:
    """Names as git takes them for themselves, from the directory in which it runs."""
    return [f":(literal){name}" for name in names]


def finish(directory: str, run: str, names: list[str]) -> bool:
    """Whether an interrupted run is in a commit; then the index gets its files, too, as a commit leaves it."""
    found = commit_of(directory, run)
    if found and git(directory, "rev-parse", "HEAD")[1].strip() == found:
        git(directory, "reset", "-q", "--", *literal(names))
    return bool(found)
