"""Whether a change was surely made for the file that it is applied to.

Takes the hunks of one file and their places; gives whether every number of every `@@` line is right. A model seldom
counts so; a diff of a program has such numbers, on the text that it was made for. So nothing about it was guessed, and
`git apply` would take it without an offset. The hash of the old content in a diff of git says the same.
"""

from __future__ import annotations

from patchkit.core.language import AddFile, HashedAdd, HashedUpdate, Hunk, UpdateFile
from patchkit.core.matching import Match, Miss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def is_made_for(op: UpdateFile, before: list[bytes], results: Sequence[Match | Miss]) -> bool:
    """Whether a section was surely made for the content that the file has."""
    if isinstance(op, HashedUpdate) and blob_id(b"".join(before)).startswith(op.blob):
        return True
    return is_where_it_says(op.hunks, results)


def is_whole(op: AddFile) -> bool:
    """Whether the text of a new file is surely all of it."""
    return isinstance(op, HashedAdd) and blob_id(op.text.encode("utf-8", "surrogateescape")).startswith(op.blob)


def blob_id(data: bytes) -> str:
    """The id that git gives a content."""
    from hashlib import sha1  # it takes as long to load as all that is ours in a small run

    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def is_where_it_says(hunks: list[Hunk], results: Sequence[Match | Miss]) -> bool:
    """Whether all hunks have numbers, and each is placed exactly, with these numbers and these counts."""
    moved = 0  # how many lines later the next hunk begins in the new file
    for hunk, result in zip(hunks, results):
        if hunk.numbers is None or type(result) is not Match or result.pass_name != "exact":
            return False
        start, old, new_start, new = hunk.numbers
        removed, added = (len([line for line in hunk.lines if line[0] != sign]) for sign in "+-")
        first = start + (not old)  # the number of a side without lines is that of the line above
        if (old, new) != (removed, added) or first != result.line + 1 or new_start + (not new) != first + moved:
            return False
        moved += new - old
    return True
