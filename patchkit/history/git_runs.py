"""Runs that are in a commit of git: which commit a run is in, by the trailer of its message.

Takes a directory and the id of a run; asks git. A run that was interrupted while its commit was made is finished if the
commit is there, and taken back if it is not.
"""

from __future__ import annotations

import os
import subprocess

TRAILER = "Patchkit-Run"
# Git must not ask anything, take no lock that it can do without, and answer in English.
SETTINGS = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
# Only the commit itself, which a person asks for, runs programs that the repository names.
_QUIET = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c", "core.hooksPath=/dev/null")


def git(directory: str, *words: str, **env: str) -> tuple[int, str]:
    """Runs git in a directory; returns its status and what it said, errors included."""
    try:
        ran = subprocess.run(
            ["git", *_QUIET, "-C", directory, *words],
            env={**os.environ, **SETTINGS, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError as error:
        return 127, f"git cannot be started: {(error.strerror or '').lower()}"
    return ran.returncode, ran.stdout.decode("utf-8", "surrogateescape")


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
