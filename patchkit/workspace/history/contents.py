"""What a record says about contents: the fingerprint of one, and how one is made of another.

Takes contents as bytes, or as the pieces that were written; gives fingerprints and edits. It opens no files, and what a
record keeps of a content is the work of `recording`.
"""

from __future__ import annotations

from _imp import source_hash

from patchkit.changes.model import Section, Whole
from patchkit.workspace.entries import location_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Edit = tuple[int, int, int]  # start and stop in one content, and the length of what replaces that in another
MOST_HASHED = 4 << 20  # bytes of a file that is also known by the hash of its content
_KEY = 0x70617463686B6974


def fingerprint(pieces: list[bytes]) -> list[str]:
    """What a content is known by: its size, and a hash of it unless it is too large to be read for that."""
    if isinstance(pieces, Whole) and not pieces.entry.is_read:
        return [f"{location_of(pieces.entry).size}", ""]
    size = sum(map(len, pieces))
    return [f"{size}", content_hash(b"".join(pieces)) if is_hashed(size) else ""]


def is_hashed(size: int) -> bool:
    return size <= MOST_HASHED


def content_hash(content: bytes) -> str:
    """SipHash as the interpreter has it for its own files, because there is nothing to import for it."""
    return source_hash(_KEY, content).hex()


# -- edits ---------------------------------------------------------------------------------------


def edits_of(section: Section, old_size: int, new_size: int) -> list[Edit] | None:
    """The edits that one section made of a file; None when its positions are not those of the file's bytes."""
    document = section.document
    if document is None or document.codec is not None:
        return None
    shift = len(document.bom)
    edits = [(each.start + shift, each.stop + shift, len(each.new)) for each in section.replacements]
    edits.sort(key=_start)  # stable: insertions at one place keep their order
    expected = old_size + sum([length - (stop - start) for start, stop, length in edits])
    if expected != new_size or (edits and edits[-1][1] == old_size):
        return _with_end(edits, old_size, new_size)
    return edits


def _start(edit: Edit) -> int:
    return edit[0]


def _with_end(edits: list[Edit], old_size: int, new_size: int) -> list[Edit]:
    """The edits with a last one that covers whatever happened at the end of the file.

    Endings are added and removed at the end of a file after the replacements are made, so this edit reaches from a line
    ending before the first one that touches the end to the end itself.
    """
    first = min([each[0] for each in edits if each[1] == old_size] or [old_size]) - 2
    while edits and edits[-1][1] > first:
        first = min(first, edits.pop()[0])
    first = max(first, 0)
    moved = sum(length - (stop - start) for start, stop, length in edits)
    return [*edits, (first, old_size, new_size - first - moved)]


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
    """How far two contents agree, found by halving: each byte is compared about once."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        if agree(low, middle):
            low = middle
        else:
            high = middle
    return low
