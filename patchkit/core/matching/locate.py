"""Find where hunks belong.

Takes a Document and the hunks of one file, in order; gives one Match per hunk, or a Miss for each hunk
that has no place or more than one. A place is taken only when the evidence leaves exactly one:
text, anchors, order, the end-of-file mark, indentation. Reads no files and changes nothing: splicing
is done by `changes`.
"""

from __future__ import annotations

from patchkit.core.language import Hunk
from patchkit.core.matching import Match, Miss
from patchkit.core.matching.exact import place_exact, place_numbered
from patchkit.core.text import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.matching import Tolerance


def locate(document: Document, hunks: list[Hunk], policy: Tolerance) -> list[Match | Miss]:
    """Returns for each hunk its Match, or a Miss; when any hunk has a Miss, nothing may be applied.

    The fast searches settle what leaves no question; `HunkPlacer` decides the rest and gives the same answers.
    """
    placed = place_exact(document, hunks)
    if placed is None and hunks[0].hint is not None:
        placed = place_numbered(document, hunks, policy)
    if placed is None:
        # Here, because most hunks are where they say, and tolerance takes a dozen modules.
        from patchkit.core.matching.placer import HunkPlacer
        from patchkit.core.matching.tolerant import place_tolerant

        placed = place_tolerant(document, hunks, policy)
        if placed is None:
            return HunkPlacer(document, hunks, policy).place()
    return [*placed]
