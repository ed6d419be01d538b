"""One writer at a time in a workspace.

Takes the handle of the root; gives nothing, or refuses when another run holds the lock for too long. The root directory
itself is locked, so no lock file can be left behind, and the kernel releases the lock when the process that holds it
has ended, and all that it has forked.
"""

from __future__ import annotations

import fcntl
import time

from patchkit.errors import PatchkitError

PATIENCE = 30.0  # seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def acquire(
    handle: int, root: str, patience: float = PATIENCE, on_progress: Callable[[str, int, int], None] | None = None
) -> None:
    """Takes the lock of the directory behind `handle`, waiting for another holder for so many seconds."""
    pause, deadline = 0.001, None
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            now = time.monotonic()
            deadline = deadline if deadline is not None else now + patience
            if now >= deadline:
                raise PatchkitError("P315", root=root, seconds=round(patience)) from None
            if on_progress is not None:
                on_progress("waiting for another run", 0, 0)
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        except OSError as error:
            raise PatchkitError("P316", root=root, reason=(error.strerror or "").lower()) from None


def release(handle: int) -> None:
    fcntl.flock(handle, fcntl.LOCK_UN)
