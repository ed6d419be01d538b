"""What to keep of a file where no section of the patch tells: the rest of `recording`, for the rarer changes."""

from __future__ import annotations

import os

from patchkit.workspace.metadata import Metadata
from patchkit.workspace.recording import Edit, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def metadata_bytes(metadata: Metadata) -> bytes:
    status = metadata.status
    fields = [b"%d %d %d" % (status.st_mode, status.st_uid, status.st_gid)]
    for name, value in metadata.attributes:
        fields.extend((os.fsencode(name), value))
    return pack(*fields)


def compared(old: bytes, new: bytes) -> list[Edit]:
    """The one edit that turns `old` into `new`: all but what both begin and end with."""
    if old == new:
        return []
    x, y = len(old), len(new)
    head = _longest(min(x, y), lambda a, b: old[a:b] == new[a:b])
    tail = _longest(min(x, y) - head, lambda a, b: old[x - b : x - a] == new[y - b : y - a])
    return [(head, x - tail, y - tail - head)]


def _longest(most: int, agree: Callable[[int, int], bool]) -> int:
    """How far two contents agree, found by halves: each byte is compared about once."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        if agree(low, middle):
            low = middle
        else:
            high = middle
    return low
