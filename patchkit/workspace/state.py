"""Where patchkit keeps what it remembers of a workspace: outside of it, in the user's state directory.

Every root has a directory of its own there (`home`). Directories are made when there is something to keep,
for this user only, and what is in them is kept within bounds.
"""

from __future__ import annotations

import os
import time

# These two stand there and not here because every plain apply needs them, and a module is a tenth of a millisecond.
from patchkit.workspace.recording import home, root_id

__all__ = ["home", "root_id", "make", "prune"]

_MOST_RUNS, _MOST_BYTES, _OLDEST = 200, 64 << 20, 30 * 86400


def make(directory: str) -> None:
    """Makes a directory of ours and those above it, for this user only."""
    if not os.path.isdir(directory):
        make(os.path.dirname(directory))
        try:
            os.mkdir(directory, 0o700)
        except FileExistsError:
            pass  # made by another run meanwhile


def prune(directory: str) -> None:
    """Keeps history within bounds: so many runs, so many bytes, so many days; the oldest go first."""
    room, oldest = _MOST_BYTES, time.time() - _OLDEST
    try:
        names = sorted(os.listdir(directory), reverse=True)
    except OSError:
        return
    for number, name in enumerate(names):
        path = f"{directory}/{name}"
        try:
            status = os.stat(path, follow_symlinks=False)
            room -= status.st_size
            if number >= _MOST_RUNS or room < 0 or status.st_mtime < oldest:
                os.unlink(path)
        except OSError:
            pass
