"""The lines that a picture of a patch needs: those of its hunks, and those of the files beside them.

Takes a section and what is known of its hunks; fills in lines and windows, each within bounds. Loaded only for faces
that draw.
"""

from __future__ import annotations

from patchkit.changes.model import Section
from patchkit.language.model import AddFile, FileOp, UpdateFile
from patchkit.matching.model import Match
from patchkit.report.checked import CheckedFile, CheckedHunk, Excerpt

_LINES = 120  # of a hunk, of a new file, of a window: what is longer is cut
_WINDOWS = 3  # places of an ambiguous hunk that are shown


def lines(file: CheckedFile, op: FileOp) -> None:
    """The lines that the patch itself holds."""
    if isinstance(op, AddFile):
        texts = op.text.removesuffix("\n").split("\n") if op.text else []
        file.text, file.more = texts[:_LINES], max(0, len(texts) - _LINES)
    elif isinstance(op, UpdateFile):
        for shown, hunk in zip(file.hunks, op.hunks):
            shown.anchors, shown.lines, shown.body_line = hunk.anchors, hunk.lines[:_LINES], hunk.body_line
            shown.more = max(0, len(hunk.lines) - _LINES)


def beside(file: CheckedFile, section: Section) -> None:
    """The lines of the file that stand where a hunk goes, or could go, or nearly does."""
    if section.document is None or not isinstance(section.op, UpdateFile):
        return
    texts = section.document.texts
    for hunk, result, asked in zip(file.hunks, section.results, section.op.hunks):
        if isinstance(result, Match):
            hunk.lines = _as_applied(result, texts)[:_LINES]
        else:
            size = sum(line[0] != "+" for line in asked.lines)
            hunk.windows = [_window(texts, place, size) for place in _places(hunk)]


def _as_applied(match: Match, texts: list[str]) -> list[str]:
    """The lines of a hunk that has its place: those it meets as the file has them, those it adds as they will be."""
    lines, old = [], 0
    for line in match.lines:
        if line[0] != "+":
            at = match.line + old if match.pairs is None else match.pairs[old]
            line = line[0] + texts[at] if 0 <= at < len(texts) else line
            old += 1
        lines.append(line)
    return lines


def _places(hunk: CheckedHunk) -> list[int]:
    """Where to look, as lines from 1."""
    if hunk.candidates:
        return hunk.candidates[:_WINDOWS]
    return [hunk.near.line + 1] if hunk.near is not None else []


def _window(texts: list[str], line: int, size: int) -> Excerpt:
    """The lines that a hunk of this size meets, and one on either side."""
    first = max(1, line - 1)
    last = min(len(texts), line + size)
    shown = texts[first - 1 : last][:_LINES]
    return Excerpt(first, shown, max(0, last - first + 1 - len(shown)))
