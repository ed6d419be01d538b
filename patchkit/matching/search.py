"""Find every place one hunk could have.

Takes a hunk; gives the lines where its old text stands under the strictest pass that finds it within its
anchors and its end-of-file mark, or a Miss that says which of these failed. Choosing among the
places is `locate`'s work.
"""

from __future__ import annotations

from patchkit.errors import Note
from patchkit.language.model import Hunk
from patchkit.matching import indentation
from patchkit.matching.anchors import Anchors, Scope
from patchkit.matching.model import Miss, Policy
from patchkit.matching.passes import PASSES, Pass, up_to
from patchkit.matching.placement import Wanted
from patchkit.matching.view import View
from patchkit.text.document import Document


class Found(Wanted):
    """A hunk with its places, the pass that found them and the scopes it was asked to stay in."""

    __slots__ = ("hunk", "old", "by", "scopes", "evidence", "notes", "at_end")
    hunk: Hunk
    old: list[str]
    by: Pass
    scopes: list[Scope] | None
    evidence: list[str]
    notes: list[Note]
    at_end: bool  # a pure insertion that goes to the end of the file whatever the others do

    def __init__(self, number: int, hunk: Hunk) -> None:
        super().__init__(number, hunk, [])
        self.hunk = hunk
        self.old = hunk.old()
        self.by = PASSES[0]
        self.scopes = None
        self.evidence = []
        self.notes = []
        self.at_end = False

    def note(self, code: str, **facts: object) -> None:
        self.notes.append(Note(code, hunk=self.number + 1, patch_line=self.hunk.line, **facts))


class Search:
    """The candidates of hunks in one document; what one hunk made it compute serves the next."""

    def __init__(self, document: Document, policy: Policy) -> None:
        self.texts = document.texts
        self.policy = policy
        self.anchors = Anchors(self.texts)
        self._views: dict[str, View] = {}

    def view(self, by: Pass) -> View:
        if by.name not in self._views:
            self._views[by.name] = View(by.lines(self.texts))
        return self._views[by.name]

    def places(self, number: int, hunk: Hunk) -> Found | Miss:
        """Returns the hunk with all its places, or why it has none."""
        found = Found(number, hunk)
        if hunk.anchors:
            found.scopes = self.anchors.scopes(hunk.anchors)
            if not found.scopes and (not found.old or not self.policy.lost_anchors):
                return Miss("P203", anchor=hunk.anchors[-1])
        if not found.old:
            return self._insertion(found)
        return self._in_scope(found)

    def _insertion(self, found: Found) -> Found | Miss:
        """A hunk that only adds: right after its anchor, else at the end of the file."""
        if found.scopes:
            found.places = [scope.line + 1 for scope in found.scopes]
            self._note_anchor(found, found.scopes[0])
            return found
        hint = found.hunk.hint
        if hint is not None and hint != len(self.texts):
            return Miss("P209", line=hint)
        found.places = [len(self.texts)]
        found.at_end = True
        return found

    def _in_scope(self, found: Found) -> Found | Miss:
        astray: list[int] = []  # the text stands there, but not where anchors or marks want it
        for by in up_to(self.policy.max_pass):
            everywhere = self.view(by).occurrences(by.lines(found.old))
            places = [line for line in everywhere if self._admits(found, line)]
            if places:
                found.places, found.by = places, by
                self._note_reach(found)
                return found
            astray = astray or everywhere
        return self._why_not(found, astray)

    def _why_not(self, found: Found, astray: list[int]) -> Miss:
        for by in PASSES[len(up_to(self.policy.max_pass)) :]:
            beyond = [n for n in self.view(by).occurrences(by.lines(found.old)) if self._admits(found, n)]
            if beyond:
                return Miss("P207", beyond, found_pass=by.name, max_pass=self.policy.max_pass, line=beyond[0] + 1)
        if astray and found.hunk.at_eof and not found.scopes:
            return Miss("P206", astray, line=astray[0] + 1)
        if astray and found.scopes:
            return Miss("P201", astray, cause="scope", anchor=found.hunk.anchors[-1], line=astray[0] + 1)
        return Miss("P201")

    # -- anchors and marks -----------------------------------------------------------------------

    def _admits(self, found: Found, line: int) -> bool:
        if found.hunk.at_eof and not self._ends_file(line + found.size):
            return False
        return not found.scopes or any(within(found, scope, line) for scope in found.scopes)

    def _ends_file(self, stop: int) -> bool:
        return all(not text.strip() for text in self.texts[stop:][:100]) and len(self.texts) - stop <= 100

    def _note_reach(self, found: Found) -> None:
        if found.hunk.anchors and not found.scopes:
            found.note("P922", anchor=found.hunk.anchors[-1], line=found.places[0] + 1)
        elif found.scopes:
            self._note_anchor(found, found.scopes[0])
        if found.hunk.at_eof and found.places[-1] + found.size < len(self.texts):
            found.note("P925")

    def _note_anchor(self, found: Found, scope: Scope) -> None:
        code = {"prefix": "P923", "after": "P927"}.get(scope.how)
        if code:
            found.note(code, anchor=found.hunk.anchors[-1], line=scope.line + 1)

    # -- evidence that narrows -------------------------------------------------------------------

    def by_changed_lines(self, found: Found, places: list[int]) -> list[int]:
        """Places whose changed lines, not only their context, lie in an anchor's scope."""
        if not found.scopes:
            return places
        return [n for n in places if any(changes_within(found, scope, n) for scope in found.scopes)]

    def by_nearest_definition(self, found: Found, places: list[int]) -> list[int]:
        """Places whose nearest enclosing definition is the anchor itself."""
        if not found.scopes:
            return places
        nearest = self.anchors.encloses_nearest
        return [n for n in places if any(within(found, s, n) and nearest(s, found.changed(n)[0]) for s in found.scopes)]

    def by_indentation(self, found: Found, places: list[int]) -> list[int]:
        """Places whose indentation agrees best with the patch."""
        if not found.by.reindents:
            return places
        ranked = [(indentation.ranks(found.old, self.texts[n : n + found.size]), n) for n in places]
        best = min(rank for rank, _ in ranked)
        return [n for rank, n in ranked if rank == best]

    def by_line_number(self, found: Found, places: list[int]) -> list[int]:
        """The place that a unified header's line number points at."""
        hint = found.hunk.hint
        return places if hint is None else [n for n in places if n + 1 == hint]


def within(found: Found, scope: Scope, line: int) -> bool:
    """Whether a hunk at `line` begins in the scope or changes lines in it."""
    return scope.line <= line < scope.end or changes_within(found, scope, line)


def changes_within(found: Found, scope: Scope, line: int) -> bool:
    start, stop = found.changed(line)
    return scope.line <= start and stop <= scope.end
