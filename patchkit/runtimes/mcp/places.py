"""Where a server may work whose workspace was not named: in a project, and never on a whole disk.

Takes directories; says whether a project is around one. Clients start servers in `/` or in the user's home: these, and
what contains them, are never a project, whatever lies in them.
"""

from __future__ import annotations

import os

_MARKS = (
    *(".git", ".hg", ".svn", ".jj", ".patchkit.toml", "pyproject.toml", "setup.py", "package.json", "Cargo.toml"),
    *("go.mod", "pom.xml", "build.gradle", "CMakeLists.txt", "Makefile", "composer.json", "Gemfile", "mix.exs"),
    *(".mcp.json", "opencode.json", ".claude", ".codex", ".gemini", ".cursor", ".vscode", ".windsurf", ".zed", ".idea"),
    *("AGENTS.md", "CLAUDE.md", "GEMINI.md"),
)
UNNAMED = "no project is around it, and it was not named as the workspace, so nothing is changed there"


def is_project(directory: str) -> bool:
    """Whether a directory is in a project: it or one above it has a mark, up to the user's home."""
    here, home = os.path.realpath(directory), os.path.realpath(os.path.expanduser("~"))
    while not _is_wide(here, home):
        if any(os.path.lexists(f"{here}/{mark}") for mark in _MARKS):
            return True
        here = os.path.dirname(here)
    return False


def warning(directory: str) -> str:
    """What a client reads first where a server may only read."""
    return (
        f"This server only reads: it was started in '{directory}', and {UNNAMED}. "
        "Ask the person to start it with '--root DIR', or with 'patchkit install'."
    )


def place_of(uri: object) -> str:
    """The directory that a root of a client names; '' where it is none, or one that is too wide."""
    from urllib.parse import unquote, urlsplit

    if not isinstance(uri, str) or not uri.startswith("file://"):
        return ""
    path = os.path.abspath(unquote(urlsplit(uri).path) or "/")
    home = os.path.realpath(os.path.expanduser("~"))
    return path if os.path.isdir(path) and not _is_wide(os.path.realpath(path), home) else ""


def _is_wide(directory: str, home: str) -> bool:
    """Whether a directory is the whole disk, the user's home, or contains it."""
    return directory == "/" or f"{home}/".startswith(f"{directory}/")
