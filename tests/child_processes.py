"""What tests ask about processes that other processes started, and how long they wait for anything."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

# Seconds after which a wait gives up and says what it saw: a little before pytest ends the test (`timeout` in
# pyproject.toml). Nothing that a busy machine delays takes so long; what waits without a limit needs no other guard.
HANG = 570


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Waits until the condition holds."""
    deadline = time.monotonic() + HANG
    while not condition():
        assert time.monotonic() < deadline, f"it never came so far that {what}"
        time.sleep(0.02)


def number_in(path: Path) -> int | None:
    """The process id that a command wrote to a file with `echo $$ > path`; None until the line is complete."""
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    return int(text) if text.endswith("\n") else None


def gone(pid: int) -> bool:
    """Waits until a process has ended; a zombie counts as ended.

    A process that was killed closes its streams before it ends, so whoever waited for these may look earlier.
    """
    wait_until(lambda: _has_ended(pid), f"process {pid} ended")
    return True


def _has_ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False
