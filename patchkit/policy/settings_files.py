"""Which files hold settings for a root, and who calls: what every plain apply asks, and no more than that.

Only looks: `settings` reads what is found here, and is not loaded where nothing is found.
"""

from __future__ import annotations

import os
import stat

MOST_BYTES = 4 << 20  # of a settings file
# Every way to begin our table in a `pyproject.toml`, without blanks and quotes.
_KEYS = (b"tool.patchkit", *(before + b"patchkit" + after for before in (b"\n", b"{", b",") for after in (b".", b"=")))


def is_agent() -> bool:
    """Whether the environment says that nobody approves calls in person."""
    return os.environ.get("PATCHKIT_AGENT", "") not in ("", "0")


def is_overseen(agent: bool, root: str) -> bool:
    """Whether there are rules to ask, or a log to keep."""
    return agent or "PATCHKIT_AUDIT" in os.environ or bool(settings_files(root))


def settings_files(root: str) -> list[str]:
    """The files with settings for a root without links in its name: from the nearest outwards, the user's own last.

    Looked for in the root and above it, up to the directory that holds `.git`. What cannot be read is listed too.
    """
    found = []
    directory = root.rstrip("/")
    while True:
        if os.path.lexists(f"{directory}/.patchkit.toml"):
            found.append(f"{directory}/.patchkit.toml")
        if _speaks_of_us(f"{directory}/pyproject.toml"):
            found.append(f"{directory}/pyproject.toml")
        if not directory or os.path.lexists(f"{directory}/.git"):
            break
        directory = directory.rpartition("/")[0]
    own = user_settings_file()
    return [*found, own] if own and os.path.lexists(own) else found


def user_settings_file() -> str:
    """Where the user's own settings stand; '' where there is no home for them."""
    base = os.environ.get("XDG_CONFIG_HOME") or ""
    if not base.startswith("/"):  # the standard says to ignore a relative one
        user = os.environ.get("HOME") or ""
        base = f"{user}/.config" if user.startswith("/") else ""
    return f"{base}/patchkit/config.toml" if base else ""


def _speaks_of_us(path: str) -> bool:
    """Whether a `pyproject.toml` may have a table for us; true where that cannot be told."""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # never waits, not even for a FIFO
    except FileNotFoundError:
        return False
    except OSError:
        return os.path.lexists(path)  # else it is the directory that nobody may look into
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
