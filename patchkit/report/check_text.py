"""A Report as people read it: one line a patch, what became of each hunk of a refused one, its errors, its notes.

Takes a Report; gives text that reads well in a pipe. A pen adds colour for a screen and changes nothing else.
"""

from __future__ import annotations

from patchkit.errors import Note
from patchkit.report.checked import REFUSED, CheckedFile, CheckedHunk, CheckedPatch, Report, counted
from patchkit.report.diagnostics import render_errors, render_note
from patchkit.report.width import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.report.colour import Pen

_HUNK_STYLES = {"applied": "good", "parsed": "good", "unchecked": "faint", "already_applied": "note"}
_STYLES = {"applies": "good", "parsed": "good", "refused": "error"}


class Page:
    """How a report is to look: its pen, the terminal's width, and how much is told.

    `quiet` tells of refused patches alone and of no notes; `verbose` shows the hunks of good patches, too.
    """

    __slots__ = ("pen", "columns", "quiet", "verbose")

    def __init__(
        self, pen: Pen | None = None, columns: int | None = None, quiet: bool = False, verbose: bool = False
    ) -> None:
        self.pen = pen if pen is not None else _plain
        self.columns = columns
        self.quiet = quiet
        self.verbose = verbose


def _plain(_style: str, text: str) -> str:
    return text


def render(report: Report, page: Page | None = None) -> str:
    """The whole report. A quiet one of nothing but good patches is empty."""
    page = page or Page()
    patches = report.refused if page.quiet else report.patches
    if page.quiet and not patches:
        return ""
    blocks = [_notes(report.notes, page)] if report.notes and not page.quiet else []
    blocks += [_patch(patch, page) for patch in patches]
    verdict = page.pen("error" if report.refused else "good", report.verdict) + "\n"
    return _stacked(blocks) + ("\n" if len(blocks) > 1 or "\n" in blocks[0][:-1] else "") + verdict


def _stacked(blocks: list[str]) -> str:
    """Blocks below each other: those of one line stand together, a longer one has room around it."""
    text = ""
    for before, block in zip(["", *blocks], blocks):
        text += "\n" if before and ("\n" in before[:-1] or "\n" in block[:-1]) else ""
        text += block
    return text


def _patch(patch: CheckedPatch, page: Page) -> str:
    refused = patch.status == REFUSED
    head = f"{page.pen(_STYLES[patch.status], patch.status)}  {visible(patch.source)}  {size(patch)}\n"
    if refused or page.verbose:
        head += "".join(_file(file, page) for file in patch.files)
    if refused:
        errors = render_errors(patch.every_error, patch.text, page.columns, patch.source)
        head += "\n" + _coloured(errors, page)
    return head + ("" if page.quiet else _notes(patch.notes, page))


def size(patch: CheckedPatch) -> str:
    """How much a patch is, in words."""
    if not patch.files:
        return "cannot be read"
    hunks = f", {counted(len(patch.hunks), 'hunk')}" if patch.hunks else ""
    bad = sum(bool(file.errors) for file in patch.files)
    if bad and len(patch.files) > 1:
        return f"{bad} of {counted(len(patch.files), 'file')}{hunks}"
    return counted(len(patch.files), "file") + hunks


def _file(file: CheckedFile, page: Page) -> str:
    moved = f" (from {visible(file.moved_from)})" if file.moved_from else ""
    head = f"  {file.letter} {visible(file.path)}{moved}"
    if not file.hunks:
        return f"{head}  {page.pen(_STYLES[file.status], file.status)}\n"
    return f"{head}\n" + "".join(_hunk(hunk, page) for hunk in file.hunks)


def _hunk(hunk: CheckedHunk, page: Page) -> str:
    style = _HUNK_STYLES.get(hunk.status, "error")
    return f"    hunk {hunk.index} (patch line {hunk.patch_line})  {page.pen(style, outcome(hunk))}\n"


def outcome(hunk: CheckedHunk) -> str:
    """What became of a hunk, in words."""
    if hunk.status == "applied":
        by = "" if hunk.pass_name == "exact" else f" by '{hunk.pass_name}'"
        return f"applies at line {hunk.line}{by}"
    if hunk.status == "ambiguous":
        lines = ", ".join(map(str, hunk.candidates[:6])) + (", …" if len(hunk.candidates) > 6 else "")
        return f"fits {hunk.data['candidate_count']} places (lines {lines})" if lines else "fits several places"
    if hunk.status == "not_found":
        near = f", closest at line {hunk.near.line + 1}" if hunk.near is not None else ""
        return _MISSES.get(hunk.miss, "not found") + near
    return _OUTCOMES[hunk.status]


_MISSES = {
    "P203": "anchor not found",
    "P206": "not at the end of the file",
    "P207": "fits inexactly only",
    "P209": "nothing but a line number",
    "P210": "not in the file's encoding",
    "P211": "not below its anchor",
    "P212": "indentation not clear",
    "P213": "not without lenience",
}
_OUTCOMES = {
    "already_applied": "is there already",
    "conflict": "meets another hunk",
    "parsed": "can be read",
    "unchecked": "not looked at",
}


def _notes(notes: list[Note], page: Page) -> str:
    return _coloured("".join(map(render_note, notes)), page)


def _coloured(text: str, page: Page) -> str:
    if page.pen is _plain:
        return text
    from patchkit.report.colour import diagnostics

    return diagnostics(text, page.pen)
