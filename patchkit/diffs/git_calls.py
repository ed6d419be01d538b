"""Every call of git: with settings under which no program runs that the configuration of a repository names.

Takes the words of a command; starts git, or runs it. A repository may come from anywhere, and its configuration names
programs that git runs by itself: a monitor of files, filters of content, converters for diffs, hooks, a checker of
signatures, transports. Filters have names that only the configuration knows, so it is listed first where git looks at
the work tree.
"""

from __future__ import annotations

import os
import subprocess

from patchkit.errors import PatchkitError

# Never fetches what a partial clone lacks, never asks for a password, writes nothing, speaks English.
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # for a git that does not know the variable above
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.alternateRefsCommand": "",
    "credential.helper": "",
    "log.showSignature": "false",
}
# The last parts of keys that name a program of a driver, and what to set them to.
_OF_DRIVERS = {"clean": "", "smudge": "", "process": "", "required": "false", "textconv": "", "command": ""}


def git_words(place: list[str], words: list[str]) -> list[str]:
    """The words that start git; `place` leads to the repository."""
    return ["git", *(word for key in _SETTINGS for word in ("-c", f"{key}={_SETTINGS[key]}")), *place, *words]


def git_environment() -> dict[str, str]:
    return {**os.environ, **_ENVIRONMENT}


def run_git(
    place: list[str],
    words: list[str],
    work_tree: bool = False,
    literal: bool = False,
    timeout: float | None = None,
    data: bytes = b"",
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """What git answers; raises P667 where it cannot be started.

    `work_tree` where it compares files there. Paths are patterns, unless they are `literal`. `data` is its input, `env`
    what it has besides the environment of this process.
    """
    environment = {**git_environment(), **(env or {})}
    if work_tree:
        environment.update(_drivers(place))
    if literal:
        environment["GIT_LITERAL_PATHSPECS"] = "1"
    try:
        return subprocess.run(
            git_words(place, words), input=data, capture_output=True, env=environment, timeout=timeout, check=False
        )
    except OSError as error:
        raise PatchkitError("P667", reason=f"git cannot be run: {str(error.strerror).lower()}") from None


def _drivers(place: list[str]) -> dict[str, str]:
    """Variables that set filters and converters of the configuration to no program. A key may hold any character."""
    listed = run_git(place, ["config", "--list", "--name-only", "-z"]).stdout
    found: dict[str, str] = {}
    given = os.environ.get("GIT_CONFIG_COUNT", "")
    count = int(given) if given.isdecimal() and len(given) < 9 else 0
    for name in map(os.fsdecode, dict.fromkeys(listed.split(b"\0"))):
        last = name.rpartition(".")[2]
        if name.startswith(("filter.", "diff.")) and name.count(".") > 1 and last in _OF_DRIVERS:
            found[f"GIT_CONFIG_KEY_{count}"], found[f"GIT_CONFIG_VALUE_{count}"] = name, _OF_DRIVERS[last]
            count += 1
    return {**found, "GIT_CONFIG_COUNT": str(count)} if found else {}
