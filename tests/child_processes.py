"""What tests ask about processes that other processes started."""

from __future__ import annotations

import os
import time


def gone(pid: int) -> bool:
    """Whether a process has ended, or does so soon; a zombie counts as ended."""
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
