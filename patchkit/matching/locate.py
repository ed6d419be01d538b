"""Find where hunks belong.

Takes a Document and the hunks of one file, in order; gives one Match per hunk, or a Miss for each hunk
that has no place or more than one. A place is taken only when the evidence leaves exactly one:
text, anchors, order, the end-of-file mark, indentation. Reads no files and changes nothing: splicing
is the next room's work.
"""

from __future__ import annotations

from patchkit.language.model import Hunk
from patchkit.matching import exact
from patchkit.matching.model import Match, Policy
from patchkit.text.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.matching.miss import Miss


def locate(document: Document, hunks: list[Hunk], policy: Policy) -> list[Match | Miss]:
    """Returns for each hunk its Match, or a Miss; when any hunk has a Miss, nothing may be applied."""
    matches = exact.place(document, hunks)
    if matches is not None:
        return matches  # type: ignore[return-value]
    from patchkit.matching import drifted

    matches = drifted.place(document, hunks, policy)
    if matches is not None:
        return matches  # type: ignore[return-value]
    from patchkit.matching.together import Together

    return Together(document, hunks, policy).place()
