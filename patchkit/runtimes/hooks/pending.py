"""Patches of a turn that were let through and may not have run yet.

Some runtimes ask about all calls of a turn before they make the first one, and some ask about several at once. A patch
that needs one before it would then be refused. What was let through is kept for a short time in the user's state
directory, by session, and a patch that does not apply to the files is planned once more on what those leave. Nothing
is written to the workspace, and a call that runs before the one it needs is refused by apply_patch itself.
"""

from __future__ import annotations

import json
import os
import time
from hashlib import sha256

from patchkit.applying import planned_as_meant, read_patch
from patchkit.core.changes import Options
from patchkit.core.workspace import make, open_kept, state_directory
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.runtimes.hooks.project import HookProject, inside
from patchkit.sources import Overlay

_KIND = "hook-calls"
_SECONDS = 60  # how long a call may be under way before the next of its turn is judged
_MOST = 1 << 22  # bytes of all patches of a session
_WAIT, _STEP = 0.5, 0.02  # seconds in which a call that is judged at the same time may be let through


class Turn:
    """The calls of one session under one root, as far as they are about patches."""

    def __init__(self, root: str, session: str) -> None:
        base = state_directory(os.path.realpath(root)) if session else None
        name = sha256(session.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        self._path = f"{base}/{_KIND}/{name}" if base is not None else ""

    def add(self, patch: str, workdir: str) -> None:
        """Keeps a patch that was let through; where that fails, the next one is judged without it."""
        if not self._path or len(patch) > _MOST:
            return
        line = json.dumps({"at": time.time(), "patch": patch, "workdir": workdir}) + "\n"
        try:
            make(os.path.dirname(self._path))
            self._drop_old()
            appending = open_kept(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            with os.fdopen(appending, "a", encoding="ascii") as file:
                file.write(line)
        except OSError:
            pass

    def _drop_old(self) -> None:
        """Removes what no later call can need: files that nothing was added to for a while."""
        directory = os.path.dirname(self._path)
        for name in os.listdir(directory):
            status = os.stat(f"{directory}/{name}")
            if time.time() - status.st_mtime > _SECONDS or status.st_size > _MOST:
                os.unlink(f"{directory}/{name}")

    def _patches(self, workdir: str) -> list[str]:
        """The patches that were let through a short time ago for the same directory, the oldest first."""
        if not self._path:
            return []
        try:
            with os.fdopen(open_kept(self._path), encoding="ascii") as file:
                rows = [json.loads(line) for line in file]
        except (OSError, ValueError):
            return []
        now = time.time()
        return [row["patch"] for row in rows if row["workdir"] == workdir and 0 <= now - row["at"] <= _SECONDS]

    def allows(self, root: str, patch: str, workdir: str, options: Options, waits: bool) -> bool:
        """Whether a patch applies to what the calls before it leave; `waits` for one that is judged at this moment."""
        seen = 0
        deadline = time.monotonic() + (_WAIT if waits and self._path else 0)
        while True:
            before = self._patches(workdir)
            if len(before) > seen:
                seen = len(before)
                if _applies(root, patch, workdir, options, [text for text in before if text != patch]):
                    return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(_STEP)


def _applies(root: str, patch: str, workdir: str, options: Options, before: list[str]) -> bool:
    with Workspace(root, workdir) as files:
        now = Overlay(files)
        for text in before:
            try:
                planned_as_meant(read_patch(text, now, options), now, options).commit()
            except PatchkitError:
                pass  # it has run meanwhile, or was refused
        try:
            planned_as_meant(read_patch(patch, now, options), now, options)
        except PatchkitError:
            return False
    return True


# Directories that a person added to a session, besides the project. Events do not name them, but the runtime is a
# process above the hook, and its command line does: `--add-dir` of Claude Code, Codex and Copilot,
# `--include-directories` of Gemini CLI. What an agent runs is never above the hook.
_OPTIONS = ("--add-dir", "--include-directories")
_MOST_ADDED = 8  # processes above the hook that are looked at: a shell, the runtime, what started it


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
    for _ in range(_MOST_ADDED):
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
