"""What calls may do: rules, settings, the audit log, limits. Knows deeds, and no tool."""

from __future__ import annotations

import os
import stat

from patchkit.errors import PatchkitError, is_any

READ, WRITE, EXECUTE = "read", "write", "execute"  # what a tool does to the world


# -- which files have settings for a root, and whether an agent calls: what every plain apply asks -
# Takes a root; returns paths. Only finds the files: `settings` reads them, and is not needed where there are none.


MOST_BYTES = 4 << 20  # of a settings file
# Every way to begin our table in a `pyproject.toml`, without whitespace and quotes.
_KEYS = (b"tool.patchkit", *(before + b"patchkit" + after for before in (b"\n", b"{", b",") for after in (b".", b"=")))

_VARIABLES = {  # tests check them against the packages that define them
    "PATCHKIT_DIALECT": ("safe", "codex"),
    "PATCHKIT_SYNTAX": ("note", "off", "error"),
    "PATCHKIT_WORDING": ("seed", "own", "full"),
}


def variable(name: str) -> str:
    """What an environment variable says, else the first value that it may have; raises for any other."""
    allowed = _VARIABLES[name]
    said = os.environ.get(name) or allowed[0]
    if said not in allowed:
        raise PatchkitError("P601", option=f"variable '{name}'", given=said, allowed=", ".join(allowed))
    return said


def is_agent() -> bool:
    """Whether the environment says that an agent calls, and no person approves."""
    return os.environ.get("PATCHKIT_AGENT", "") not in ("", "0")


def is_overseen(agent: bool, root: str) -> bool:
    """Whether there are rules to ask, or a log to keep."""
    return agent or "PATCHKIT_AUDIT" in os.environ or bool(settings_files(root))


def author(agent: bool, session: str | None, tool: str) -> list[str]:
    """Who makes a change, as the history keeps it: an agent or a person, the session, the tool."""
    return ["agent" if agent else "person", session or os.environ.get("PATCHKIT_SESSION") or "", tool]


def settings_files(root: str) -> list[str]:
    """The files with settings for a root without links in its name: from the nearest outwards, the user's own last.

    Looked for in the root and above it, up to the top of the outermost repository: one that is inside another, or was
    put there, ends no search. What cannot be read is listed too.
    """
    found: list[str] = []
    within = -1  # how many of them are in a repository; -1 for no repository
    for directory in upwards(root):
        found += settings_in(directory)
        if is_repository(directory):
            within = len(found)
    if within >= 0:
        del found[within:]
    own = user_settings_file()
    return [*found, own] if own and _may_be_there(own) else found


def upwards(directory: str) -> list[str]:
    """A directory and those above it, the nearest first, each without a slash at its end: '' is the top."""
    found = [directory.rstrip("/")]
    while found[-1]:
        found.append(found[-1].rpartition("/")[0])
    return found


def settings_in(directory: str) -> list[str]:
    """The files of a project with settings that are directly in a directory."""
    found = [f"{directory}/.patchkit.toml"] if _may_be_there(f"{directory}/.patchkit.toml") else []
    return [*found, f"{directory}/pyproject.toml"] if _has_our_table(f"{directory}/pyproject.toml") else found


def is_repository(directory: str) -> bool:
    """Whether a directory is the top of a repository. Any other `.git` must not end the search for rules."""
    git = f"{directory}/.git"
    try:
        os.stat(f"{git}/HEAD")
        return True
    except NotADirectoryError:
        pass  # a worktree or a submodule has a file there, which says where the repository is
    except OSError:
        return False
    try:
        opened = os.open(git, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        text = os.read(opened, 4096)
    except OSError:
        return False
    finally:
        os.close(opened)
    if not text.startswith(b"gitdir:"):
        return False
    return os.path.exists(os.path.join(directory, os.fsdecode(text[7:].strip()), "HEAD"))


def user_settings_file() -> str:
    """The path of the user's own settings; '' where there is no home directory."""
    base = os.environ.get("XDG_CONFIG_HOME") or ""
    if not base.startswith("/"):  # the standard says to ignore a relative one
        user = os.environ.get("HOME") or ""
        base = f"{user}/.config" if user.startswith("/") else ""
    return f"{base}/patchkit/config.toml" if base else ""


def _may_be_there(path: str) -> bool:
    """Whether a file is there; true where a disk or a network fails to say, for its rules must not be left out."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError, ValueError):
        return False
    except OSError as error:
        return not is_any(error, "ELOOP", "ENAMETOOLONG")
    return True


def _has_our_table(path: str) -> bool:
    """Whether a `pyproject.toml` may have a table for us; true where that is not known."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # never blocks, not even on a FIFO
    except FileNotFoundError:
        return False
    except OSError:
        return _may_be_there(path)  # else it is the directory that may not be read
    try:
        status = os.fstat(opened)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            return True
        text = os.read(opened, status.st_size)
        if b"patchkit" not in text:
            return False
        # Reading all of it costs more than a small patch: many files only have the word among their dependencies.
        bare = text.translate(None, b" \t\"'")
        return any(key in bare for key in _KEYS)
    except OSError:
        return True
    finally:
        os.close(opened)
