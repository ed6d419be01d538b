"""Which project a hook is for: the runtime's own, never one that a call names.

Returns directories. The project is what `--root` or PATCHKIT_ROOT names, else what the runtime's variable names, else
the directory in which the runtime started the hook. A session in a subdirectory of a repository is under the rules of
the whole repository, so the root is its top. A repository inside another that has rules belongs to that.
"""

from __future__ import annotations

import os
import sys

from patchkit.policy import is_repository, settings_in, upwards
from patchkit.values import Record

VARIABLES = (
    *("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "COPILOT_PROJECT_DIR", "CURSOR_PROJECT_DIR", "FACTORY_PROJECT_DIR"),
    *("QWEN_PROJECT_DIR", "AUGMENT_PROJECT_DIR", "OPENHANDS_PROJECT_DIR"),
)


class HookProject(Record):
    """The root under which calls are judged, and the directory in it that the runtime works in; and what named it."""

    root: str
    directory: str
    named_by: str


def project(given: str = "") -> HookProject:
    """The project of this hook; `given` is what its command line names."""
    if given:
        return HookProject(os.path.abspath(given), os.path.abspath(given), "--root")
    variable = next((name for name in ("PATCHKIT_ROOT", *VARIABLES) if os.environ.get(name)), "")
    directory = os.path.realpath(os.environ[variable]) if variable else _here()
    if variable == "PATCHKIT_ROOT":
        named = os.path.abspath(os.environ[variable])
        return HookProject(named, named, variable)
    return HookProject(_top(directory), directory, variable or "the directory of the hook")


def _here() -> str:
    """The current directory, also where it was removed: the rules of the directories above it still hold."""
    try:
        return os.path.realpath(os.getcwd())
    except OSError:
        pass
    try:
        return os.readlink("/proc/self/cwd").removesuffix(" (deleted)")
    except OSError:
        named = os.environ.get("PWD") or "/"
        return named if named.startswith("/") else "/"


def _top(directory: str) -> str:
    """The repository around a directory; else the outermost directory above it with rules of a project; else itself.

    Of a repository inside another, the outer one counts if it has rules outside of the inner.
    """
    repository = ""
    ruled = directory  # the outermost directory with rules
    for above in upwards(directory)[:-1]:
        if settings_in(above):
            ruled = above
        if is_repository(above) and (not repository or len(ruled) < len(repository)):
            repository = above
    return repository or ruled


def inside(path: str, directory: str) -> bool:
    """Whether a path, links followed, is a directory or below it."""
    here, base = os.path.realpath(path), os.path.realpath(directory)
    return here == base or here.startswith(base.rstrip("/") + "/")


def program_beside(ours: str) -> list[str]:
    """How a shell that may not find our apply_patch runs it: by its full path, beside another program of ours."""
    beside = os.path.join(os.path.dirname(os.path.abspath(ours)), "apply_patch")
    if os.access(beside, os.X_OK):
        return [beside]
    return [sys.executable, "-P", "-c", "from patchkit.cli.apply_patch import main; main()"]


def user_shell() -> str:
    """The shell that a runtime starts for a script: the user's own where that is zsh, else bash."""
    return "zsh" if os.path.basename(os.environ.get("SHELL") or "") == "zsh" else "bash"


def stamp() -> str:
    """The file whose time is that of the last call of a hook; '' where the user has no home."""
    base = os.environ.get("XDG_STATE_HOME") or ""
    if not base.startswith("/"):
        home = os.environ.get("HOME") or ""
        base = f"{home}/.local/state" if home.startswith("/") else ""
    return f"{base}/patchkit/hook-called" if base else ""


def note_call() -> None:
    """Keeps the time of this call, where `patchkit hook --doctor` asked for it before."""
    try:
        os.utime(stamp() or "/dev/null/none")
    except OSError:
        pass
