"""Place hunks that are where their line numbers say, word for word: what a program wrote for this very file.

Takes a Document and the hunks of one file; gives their Matches, or None where more work is needed to decide. Other
places do not matter: among places that fit alike and in order, `placer` follows the numbers, too.
"""

from __future__ import annotations

from patchkit.language.model import Hunk
from patchkit.matching import fast_exact
from patchkit.matching.model import Match
from patchkit.text.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.matching.model import Tolerance


def place(document: Document, hunks: list[Hunk], policy: Tolerance) -> list[Match] | None:
    """Returns the hunks at the lines that their headers say; None if one is not there, or says more than its text."""
    if policy.first_wins or document.endings == "mixed":
        return None
    offsets = document.offsets
    matches: list[Match] = []
    end = 0
    for hunk in hunks:
        if hunk.hint is None or hunk.anchors or hunk.unsigned:
            return None
        old = hunk.old()
        line = hunk.hint - 1
        stop = line + len(old)
        if not old or line < end or stop >= len(offsets) or old == hunk.new():
            return None
        text = fast_exact.block(document, old)
        if hunk.at_eof:
            if stop < len(offsets) - 1 or not hunk.is_at(line) or document.terminated != _is_ended(hunk):
                return None
            text = text if document.terminated else text[: -len(fast_exact.block(document, [""]))]
        if document.data[offsets[line] : offsets[stop]] != text:
            return None
        match = Match(line, offsets[line], hunk.lines, len(old))
        match.evidence = ["line-number"]
        if not hunk.is_at(line) and fast_exact.is_there(document, document.data, hunk.lines, match.offset):
            return None  # with the right counts it is not: a program wrote them for this very text
        matches.append(match)
        end = stop
    return matches


def _is_ended(hunk: Hunk) -> bool:
    """Whether the last old line of a hunk that speaks of the file's end has its ending there."""
    return hunk.final_newline is False and not hunk.was_unended
