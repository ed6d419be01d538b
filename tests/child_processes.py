"""What tests ask about processes that other processes started."""

from __future__ import annotations

import os
import time
from pathlib import Path


def number_in(path: Path) -> int | None:
    """The process id that a command wrote to a file with `echo $$ > path`; None until the line is complete."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    return int(text) if text.endswith("\n") else None


def gone(pid: int) -> bool:
    """Whether a process has ended, or does so soon; a zombie counts as ended.

    Soon: a process that was killed closes its streams before it ends, so whoever waited for these may look earlier.
    """
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if _is_zombie(pid):
            return True
        time.sleep(0.05)
    return False


def _is_zombie(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False
