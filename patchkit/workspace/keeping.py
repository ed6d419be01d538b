"""What to keep of a file that is gone, moved, replaced, or changed by several sections.

The rest of `recording`, for all but the plain update of a file: loaded when there is something of the kind.
"""

from __future__ import annotations

import os

from patchkit.changes.model import Entry, FileChange, Section
from patchkit.workspace.directories import sign
from patchkit.workspace.metadata import Metadata
from patchkit.workspace.recording import MOST_KEPT, TOO_LARGE, Edit, Recorder, edits_of, pack, spans

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def read(before: Entry) -> bool:
    """Reads a file that the plan takes away unread; False when it cannot be, or is no longer the one planned for."""
    standing = before.standing
    seen = standing.status  # type: ignore[attr-defined]
    try:
        _ = before.data
    except Exception:  # a file that cannot be read can be deleted all the same
        return False
    if sign(seen) != sign(standing.status):  # type: ignore[attr-defined]
        standing.status = seen  # type: ignore[attr-defined]  # for the commit to notice and refuse
        return False
    return True


def way_back(
    recorder: Recorder, change: FileChange, made: list[tuple[FileChange, str]], makers: dict[str, Section | None]
) -> list[bytes]:
    """How old content is had again: from where it was moved to, from what replaced it, or whole from here."""
    before = change.before
    if before.kind == "link":
        return [b"link", os.fsencode(before.target)]
    old = recorder.olds.get(before.name)
    if old is None:
        return [b"lost", b"the content it replaced could not be kept"]
    if recorder.carriers is None:
        recorder.carriers = {id(each.keeps): each for each, _ in made if each.after is not None}
    carrier = recorder.carriers.get(id(before))
    if carrier is None:
        return [b"whole", metadata_bytes(before.standing.metadata), old]  # type: ignore[attr-defined]
    name, new = carrier.before.name, carrier.after or []
    size = sum(map(len, new))
    edits = recorder.known.get((before.name, name))
    maker = makers.get(before.name)
    if edits is None and maker is not None and maker is makers.get(name):
        edits = edits_of(maker, len(old), size)
    if edits is None and max(len(old), size) > MOST_KEPT:
        return TOO_LARGE
    return spans(name, old, compared(old, b"".join(new)) if edits is None else edits)


def settled(edits: list[Edit], old_size: int, new_size: int) -> list[Edit]:
    """The edits with one at the end that holds whatever happened there.

    Endings come and go at the end of a file after the replacements are made, so this edit reaches from a line
    ending before the first one that touches the end to the end itself.
    """
    first = min([each[0] for each in edits if each[1] == old_size] or [old_size]) - 2
    while edits and edits[-1][1] > first:
        first = min(first, edits.pop()[0])
    first = max(first, 0)
    moved = sum(length - (stop - start) for start, stop, length in edits)
    return [*edits, (first, old_size, new_size - first - moved)]


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
