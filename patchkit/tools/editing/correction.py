"""The call that an edit should have been, where its old text is not in the file.

Takes a Text and the strings of an edit that has no match; returns the same edit with the file's own text for its old
one, merged with what it changes, or nothing where no place is clearly meant. The call is tried before it is offered:
its old text is in the file exactly once. It is never made unasked.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.tools.editing.correspondence import Correspondence, correspondence
from patchkit.tools.editing.inexact import signed_lines, whole_lines
from patchkit.tools.editing.margins import margin_of, margin_pairs, margin_rule
from patchkit.tools.editing.merging import merged
from patchkit.tools.editing.text import Text, valid
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.tools.editing.margins import MarginRule

_LARGEST = 4 << 20  # bytes of a file in which a place is looked for
_MOST_CONTEXT = 20  # lines that are added to make an old text unique
_GARBLED = "\ufffd"  # what a program writes for a byte that it cannot read


class CorrectedEdit(Value):
    """The old and new text to send, the first line of the file (from 1) and how many, and how sure it is.

    `confidence` is 'certain' where only whitespace or typography differ, else 'likely'. `is_made`: the file has the new
    text at this place already.
    """

    __slots__ = ("old", "new", "line", "count", "confidence", "is_made")
    old: str
    new: str
    line: int
    count: int
    confidence: str
    is_made: bool

    def __init__(self, old: str, new: str, line: int, count: int, confidence: str) -> None:
        self.old = old
        self.new = new
        self.line = line
        self.count = count
        self.confidence = confidence
        self.is_made = old == new


def corrected(text: Text, old: str, new: str) -> CorrectedEdit | None:
    """The edit as the file needs it; None where no place is clearly meant, or the change cannot be merged."""
    if len(text.document.data) > _LARGEST:
        return None
    return _certain(text, old, new) or _likely(text, old, new)


def _certain(text: Text, old: str, new: str) -> CorrectedEdit | None:
    """The edit where its old text differs from the file's in what a tolerant match ignores and nothing else."""
    try:
        placed = whole_lines(text, old, new)
    except PatchkitError:
        return None  # several places
    if placed is None:
        return None
    first = placed.match.line
    found = text.document.texts[first : first + placed.match.count]
    lines = signed_lines(found, placed.before, placed.after)
    if lines is None:
        return None
    return _unique(text, first, found, [line[1:] for line in lines if line[0] != "-"], "certain")


def _likely(text: Text, old: str, new: str) -> CorrectedEdit | None:
    """The edit merged with the file's lines at the place that is clearly meant."""
    texts = text.document.texts
    before, after = _lines(old), _lines(new) if new else []
    if len(before) > 1 and not before[-1] and (not after or not after[-1]):  # both end their last line
        del before[-1], after[-1:]
    place = correspondence(texts, before)
    if place is None:
        return None
    before, after = _with_whole_ends(texts, place, before, after)
    found = texts[place.first : place.last + 1]
    rows = [row - place.first if row >= 0 else -1 for row in place.rows]
    if any(_GARBLED in found[row] != before[at] for at, row in enumerate(rows) if row >= 0):
        return None  # neither text is what the file should have
    rule = _rule(found, rows, before, after)
    base, wanted = _indented(before, rule), _indented(after, rule)
    both = merged(base, rows, found, wanted) if base is not None and wanted is not None else None
    return _unique(text, place.first, found, both[0], "likely") if both is not None else None


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n")


def _with_whole_ends(
    texts: list[str], place: Correspondence, before: list[str], after: list[str]
) -> tuple[list[str], list[str]]:
    """Old and new lines with the rest of the file's lines where the old text begins or ends inside one."""
    first, last = place.rows[0], place.rows[-1]
    if first >= 0 and before[0].strip() and texts[first].endswith(before[0]):
        rest = texts[first][: len(texts[first]) - len(before[0])]
        # Whitespace alone is what the old text begins behind, unless other lines lack it as well.
        inside = margin_pairs(before[1:], [texts[row] if row >= 0 else "" for row in place.rows[1:]])
        if rest and (rest.strip() or all(mine == theirs for mine, theirs in inside)):
            before, after = [rest + before[0], *before[1:]], [rest + "".join(after[:1]), *after[1:]]
    if last >= 0 and before[-1].strip() and texts[last].startswith(before[-1]):
        rest = texts[last][len(before[-1]) :]
        if rest:
            before, after = [*before[:-1], before[-1] + rest], [*after[:-1], "".join(after[-1:]) + rest]
    return before, after


def _rule(found: list[str], rows: list[int], before: list[str], after: list[str]) -> MarginRule | None:
    """How margins of the edit become those of the file, by the lines that are the same but for them."""
    pairs = [(before[at], found[row]) for at, row in enumerate(rows) if row >= 0]
    same = [(mine, theirs) for mine, theirs in pairs if mine.strip() == theirs.strip()]
    known = margin_pairs([mine for mine, _ in same], [theirs for _, theirs in same])
    rule = margin_rule(known, [margin_of(line) for line in [*before, *after] if line.strip()])
    as_it_is = sum(margin_of(mine) == margin_of(theirs) for mine, theirs in same)
    if rule is None and 2 * as_it_is > len(same):
        return lambda margin: margin
    return rule


def _indented(lines: list[str], rule: MarginRule | None) -> list[str] | None:
    made = []
    for line in lines:
        margin = margin_of(line)
        moved = rule(margin) if line.strip() and rule is not None else margin
        if rule is None or moved is None:
            return None
        made.append(moved + line[len(margin) :])
    return made


def _unique(text: Text, first: int, found: list[str], made: list[str], confidence: str) -> CorrectedEdit | None:
    """The correction with lines above and below, as many as make its old text unique."""
    texts = text.document.texts
    for more in range(_MOST_CONTEXT):
        start, stop = max(0, first - more), min(len(texts), first + len(found) + more)
        above, below = texts[start:first], texts[first + len(found) : stop]
        old, new = "\n".join([*above, *found, *below]), "\n".join([*above, *made, *below])
        fault = valid(text, old, new)
        if fault is None or fault.code == "P620":
            return CorrectedEdit(old, new, start + 1, stop - start, confidence)
        if fault.code != "P622":
            return None
    return None
