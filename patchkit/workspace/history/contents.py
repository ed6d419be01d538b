"""What a record says about contents: the fingerprint of one, and how one is made of another.

Takes contents as bytes, or as the pieces that were written; gives fingerprints and edits. It opens no files, and what a
record keeps of a content is the work of `recording`.
"""

from __future__ import annotations

from zlib import crc32

from patchkit.changes.model import Section, Whole
from patchkit.workspace.entries import location_of
from patchkit.workspace.in_place import agreement, longest

Edit = tuple[int, int, int]  # start and stop in one content, and the length of what replaces that in another
MOST_HASHED = 4 << 20  # bytes of a file that is also known by the hash of its content
REMAINDER, CHECKSUM = "r", "c"  # the kinds of hashes, by their first letter
_CHEAP = 32 << 10  # bytes whose remainders cost less than importing zlib
# A safe prime, so that no power of 256 repeats: moving a part of a content always changes the remainder.
_PRIME = (1 << 90) - 41


class Fingerprints:
    """Makes the fingerprints of one record: with remainders while these are cheap, then with CRC-32.

    Both kinds protect against accidents: another content of the same size has the same hash with a probability of
    2^-90, or of 2^-32 for CRC-32, and never if all that differs lies within 4 bytes. Contents with the same hash can be
    made on purpose. Not `hashlib`, and for a small run not `zlib`: importing them takes 3.6 and 0.4 ms, and all that is
    ours in a small run takes 4.7. But a remainder takes fifteen times as long as a CRC-32.
    """

    __slots__ = ("_room",)

    def __init__(self) -> None:
        self._room = _CHEAP

    def of(self, pieces: list[bytes]) -> list[str]:
        """What a content is known by, see `fingerprint`."""
        if not isinstance(pieces, Whole):
            self._room -= sum(map(len, pieces))
        elif pieces.entry.is_read:
            self._room -= len(pieces.entry.data)
        return fingerprint(pieces, REMAINDER if self._room >= 0 else CHECKSUM)

    def mark(self, pieces: list[bytes]) -> str:
        """The hash of a part of the record itself, of whatever size: after a power cut it may hold zeros."""
        self._room -= sum(map(len, pieces))
        return _hash(b"".join(pieces), REMAINDER if self._room >= 0 else CHECKSUM)


def is_marked_by(content: bytes, mark: str) -> bool:
    """Whether this is the part of a record that a mark was made of."""
    return _hash(content, mark[:1]) == mark


def is_known_by(pieces: list[bytes], known: list[str]) -> bool:
    """Whether a content is the one that a fingerprint was made of."""
    return fingerprint(pieces, known[1][:1]) == known


def fingerprint(pieces: list[bytes], kind: str) -> list[str]:
    """The size of a content and its hash, which is '' for a file too large to be read for that; part of the format."""
    if isinstance(pieces, Whole) and not pieces.entry.is_read:
        return [f"{location_of(pieces.entry).size}", ""]
    size = sum(map(len, pieces))
    return [f"{size}", _hash(b"".join(pieces), kind) if is_hashed(size) else ""]


def is_hashed(size: int) -> bool:
    return size <= MOST_HASHED


def _hash(content: bytes, kind: str) -> str:
    """The bytes as one number modulo a prime, or their CRC-32."""
    if kind == REMAINDER:
        return f"{REMAINDER}{int.from_bytes(content, 'big') % _PRIME:x}"
    return f"{CHECKSUM}{crc32(content):08x}"


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
    tail = longest(min(x, y) - head, lambda a, b: old[x - b : x - a] == new[y - b : y - a])
    return [(head, x - tail, y - tail - head)]
