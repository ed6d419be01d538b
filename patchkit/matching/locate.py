"""Find where hunks belong.

Takes a Document and the hunks of one file, in order; gives one Match per hunk, or a Miss for each hunk
that has no place or more than one. A place is taken only when the evidence leaves exactly one:
text, anchors, order, the end-of-file mark, indentation. Reads no files and changes nothing: splicing
is done by `changes`.
"""

from __future__ import annotations

from patchkit.language.model import Hunk
from patchkit.matching import fast_exact, fast_numbered, fast_tolerant
from patchkit.matching.model import Match, Miss
from patchkit.matching.placer import HunkPlacer
from patchkit.text.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.matching.model import Tolerance


def locate(document: Document, hunks: list[Hunk], policy: Tolerance) -> list[Match | Miss]:
    """Returns for each hunk its Match, or a Miss; when any hunk has a Miss, nothing may be applied.

    The fast searches settle what leaves no question; `HunkPlacer` decides the rest and gives the same answers.
    """
    placed = fast_exact.place(document, hunks)
    if placed is None and hunks[0].hint is not None:
        placed = fast_numbered.place(document, hunks, policy)
    if placed is None:
        placed = fast_tolerant.place(document, hunks, policy)
    return [*placed] if placed is not None else HunkPlacer(document, hunks, policy).place()
