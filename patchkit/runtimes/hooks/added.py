"""Directories that a person added to a session of a runtime, besides the project.

Returns directories. Events do not name them, but the runtime is a process above the hook, and its command line does:
`--add-dir` of Claude Code, Codex and Copilot, `--include-directories` of Gemini CLI. What an agent runs is never above
the hook. Where the system has no /proc, there are none.
"""

from __future__ import annotations

import os

from patchkit.runtimes.hooks.project import HookProject, inside

_OPTIONS = ("--add-dir", "--include-directories")
_MOST = 8  # processes above the hook that are looked at: a shell, the runtime, what started it


def place_of(workdir: str, place: HookProject) -> HookProject:
    """Where a call is judged that works in `workdir`: the project, or the added directory that contains it."""
    if inside(workdir, place.root):
        return place
    for directory in added_directories():
        if inside(workdir, directory):
            return HookProject(directory, directory, "a directory added to the session")
    return place


def added_directories() -> list[str]:
    """The directories on the command lines of the processes above this one."""
    found: list[str] = []
    process = os.getppid()
    for _ in range(_MOST):
        if process <= 1:
            break
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = os.fsdecode(file.read()).split("\0")
            here = os.readlink(f"/proc/{process}/cwd")
            with open(f"/proc/{process}/stat", "rb") as file:
                process = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
        found += [os.path.realpath(os.path.join(here, name)) for name in _values(words)]
    return [each for each in dict.fromkeys(found) if each != "/" and os.path.isdir(each)]


def _values(words: list[str]) -> list[str]:
    """The values of the options: the words that follow, up to the next option; names may be joined by commas."""
    found: list[str] = []
    taking = False
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if word.startswith("-"):
            taking = name in _OPTIONS
            found += value.split(",") if taking and equals else []
        elif taking:
            found += word.split(",")
    return [name for name in found if name]
