"""What to keep of a file that is gone, moved, replaced, or changed by several sections.

The rest of `recording`, for all but the plain update of a file: loaded when there is something of the kind.
"""

from __future__ import annotations

from patchkit.changes.model import Entry, FileChange, Plan, Section, Whole
from patchkit.workspace.directories import sign
from patchkit.workspace.metadata import Metadata
from patchkit.workspace.recording import (
    MOST_KEPT,
    TOO_LARGE,
    Edit,
    Recorder,
    Way,
    edits_of,
    is_hashed,
    known_by,
    spans,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def look_at_unread(recorder: Recorder, plan: Plan, changes: list[FileChange]) -> None:
    """Reads files that the plan takes away unread, as far as there is room to keep them.

    One that stays whole under another name needs no room; it is read if it is small enough to be known by its hash.
    """
    room = recorder.room
    moved = {id(change.after.entry) for change in plan.effective if isinstance(change.after, Whole)}
    for change in changes:
        before = change.before
        size = before.standing.status.st_size  # type: ignore[attr-defined]
        if id(before) in moved:
            if is_hashed(size):
                _read(before)
            continue
        room -= size
        if room >= 0 and _read(before):
            recorder.olds[before.name] = before.data


def _read(before: Entry) -> bool:
    """Reads a file; False when it cannot be, or is no longer the one planned for."""
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
) -> Way:
    """How old content is had again: from where it was moved to, from what replaced it, or whole from here."""
    before = change.before
    if before.kind == "link":
        return ["link", before.target], b""
    if recorder.carriers is None:
        recorder.carriers = {id(each.keeps): each for each, _ in made if each.after is not None}
    carrier = recorder.carriers.get(id(before))
    if carrier is not None and isinstance(carrier.after, Whole):
        return ["spans", carrier.before.name, *known_by(carrier.after), ""], b""
    old = recorder.olds.get(before.name)
    if old is None:
        return ["lost", "the content it replaced could not be kept"], b""
    if carrier is None:
        return ["whole", *_told(before.standing.metadata)], old  # type: ignore[attr-defined]
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


def _told(metadata: Metadata) -> list[str]:
    """Mode and owner, then names and values of attributes in turn."""
    status = metadata.status
    fields = [f"{status.st_mode} {status.st_uid} {status.st_gid}"]
    for name, value in metadata.attributes:
        fields.extend((name, value.hex()))
    return fields


def compared(old: bytes, new: bytes) -> list[Edit]:
    """The one edit that turns `old` into `new`: all but what both begin and end with."""
    if old == new:
        return []
    x, y = len(old), len(new)
    head = agreement(old, new)
    tail = _longest(min(x, y) - head, lambda a, b: old[x - b : x - a] == new[y - b : y - a])
    return [(head, x - tail, y - tail - head)]


def agreement(one: bytes, other: bytes) -> int:
    """How many bytes two contents have in common at their beginnings."""
    return _longest(min(len(one), len(other)), lambda a, b: one[a:b] == other[a:b])


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
