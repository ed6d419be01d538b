"""A hunk with its candidate places: what `search` found, and the evidence that `placer` has used so far."""

from __future__ import annotations

from patchkit.errors import Note
from patchkit.language.model import Hunk
from patchkit.matching.anchors import Scope
from patchkit.matching.inexact import Fit
from patchkit.matching.ordering import SizedHunk
from patchkit.matching.passes import PASSES
from patchkit.matching.reach import Reach


class Candidates(SizedHunk):
    """A hunk with its places, how strictly it fits each, and the scopes it was asked to stay in."""

    __slots__ = (
        *("hunk", "lines", "old", "levels", "fit", "rewrite", "scopes", "reach", "astray"),
        *("evidence", "notes", "at_end", "idle"),
    )
    hunk: Hunk
    lines: list[str]
    old: list[str]
    fit: Fit | None  # how the hunk lies on its place when it does not fit line by line
    levels: dict[int, int]  # place to the number of its strictest pass
    rewrite: str  # what undid a change that happened to the hunk on its way here
    scopes: list[Scope]  # none when the hunk has no anchor, or one that is not there
    reach: Reach | None  # of the scopes, if there are any
    astray: list[int]  # where the text is, whether or not anchors and marks allow it
    evidence: list[str]
    notes: list[Note]
    at_end: bool  # a pure insertion that goes to the end of the file whatever the others do
    idle: bool  # removes the lines that it adds, so that it may be at any of its places

    def __init__(self, number: int, hunk: Hunk) -> None:
        super().__init__(number, hunk, [])
        self.hunk = hunk
        self.lines = hunk.lines
        self.old = hunk.old()
        self.levels = {}
        self.fit = None
        self.rewrite = ""
        self.scopes = []
        self.reach = None
        self.astray = []
        self.evidence = []
        self.notes = []
        self.at_end = False
        self.idle = False

    def again(self, places: list[int]) -> Candidates:
        """The same hunk with these places, and no evidence used yet."""
        fresh = Candidates(self.number, self.hunk)
        for name in ("lines", "old", "levels", "fit", "rewrite", "scopes", "reach", "astray", "at_end", "idle"):
            setattr(fresh, name, getattr(self, name))
        fresh.places = places
        return fresh

    def pass_at(self, line: int) -> tuple[str, bool]:
        """The name of the tolerance that places the hunk at `line`, and whether leading whitespace may differ there."""
        if self.fit is not None:
            return self.fit.how, True
        by = PASSES[self.levels.get(line, 0)]
        return by.name, by.reindents

    @property
    def soft(self) -> bool:
        """Whether the anchor came with a unified header: its text names a line above, not a definition around."""
        return self.hunk.hint is not None

    def note(self, code: str, **facts: object) -> None:
        self.notes.append(Note(code, hunk=self.number + 1, patch_line=self.hunk.line, **facts))
