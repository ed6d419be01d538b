"""Keep what is recorded within bounds: runs, and the outputs that are kept, of every root.

Takes the directory of one kind of state; removes what is too much or too old, as far as that can be removed.
"""

from __future__ import annotations

import os
import time

_MOST_RUNS, _MOST_BYTES = 200, 64 << 20  # of one root
_OLDEST = 30 * 86400  # seconds that files of our state are kept


def tidy(directory: str) -> None:
    """Keeps a history within bounds, and removes those of roots in which nothing was applied for a month."""
    prune(directory, _MOST_RUNS, _MOST_BYTES)
    oldest = time.time() - _OLDEST
    for other in of_all_roots(directory):
        try:
            if os.stat(other).st_mtime < oldest:
                prune(other, _MOST_RUNS, _MOST_BYTES)
                os.rmdir(other)
                os.rmdir(os.path.dirname(other))
        except OSError:
            pass  # not empty: it holds other state


def of_all_roots(directory: str) -> list[str]:
    """The directories of the same kind of state, those of every root."""
    homes, kind = os.path.split(os.path.dirname(directory))[0], os.path.basename(directory)
    try:
        return [f"{homes}/{name}/{kind}" for name in os.listdir(homes)]
    except OSError:
        return []


def prune(directory: str, files: int, room: int) -> None:
    """Removes the oldest files until no more than so many and so many bytes are left, and all that are too old."""
    try:
        entries = [*os.scandir(directory)]
    except OSError:
        return
    found: list[tuple[float, str, int]] = []
    for each in entries:
        try:
            status = each.stat(follow_symlinks=False)
        except OSError:
            continue  # another process has removed it
        found.append((status.st_mtime, each.path, status.st_size))
    oldest = time.time() - _OLDEST
    for number, (modified, path, size) in enumerate(sorted(found, reverse=True)):
        room -= size
        if number >= files or room < 0 or modified < oldest:
            try:
                os.unlink(path)
            except OSError:
                pass
