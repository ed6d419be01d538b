"""Place hunks whose anchors reach too far, or not far enough, by what a parser says about the definitions.

Takes the hunks of one file of which some were refused because of their scope: several places in it, or none. Where a
grammar is installed for the file, an anchor that is the head of one definition gets the scope that the parser sees; a
hunk with exactly one place in that is placed there, with a note. Otherwise the results stay as they were.
"""

from __future__ import annotations

from patchkit.core.changes.options import Options
from patchkit.core.language import Hunk
from patchkit.core.matching import OF_SCOPES, Match, Miss
from patchkit.core.matching.candidates import Candidates
from patchkit.core.matching.passes import INVISIBLE, PASSES
from patchkit.core.matching.placer import HunkPlacer
from patchkit.core.matching.scopes.anchors import Anchors, Scope
from patchkit.core.text import Document
from patchkit.errors import Note
from patchkit.structure.grammars import has_grammar, language_of
from patchkit.structure.scopes import SyntaxScopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    Results = list[Match | Miss]
    _Scopes = dict[tuple[str, ...], list[Scope]]

_MOST_BYTES = 1 << 20  # parsed for one plan
_MOST_LINES = 20  # that are an anchor
_STRICT = [each.name for each in PASSES[: INVISIBLE + 1]]


class ParsedScopes:
    """The parsed files of one plan: each version is parsed once, and all together are not too large."""

    def __init__(self) -> None:
        self._left = _MOST_BYTES
        self._known: dict[tuple[str, bytes], SyntaxScopes] = {}

    def placed(self, path: str, document: Document, hunks: list[Hunk], results: Results, options: Options) -> Results:
        """The results with all hunks placed, if the parser's scopes lead to that; else the results as they are."""
        if options.strict or not language_of(path) or not all(map(_may_help, hunks, results)):
            return results
        refused = [tuple(hunk.anchors) for hunk, each in zip(hunks, results) if isinstance(each, Miss)]
        scopes = self._scopes(path, document, refused)
        if scopes is None:
            return results
        placer = HunkPlacer(document, hunks, options, scopes)
        places = [each.places[:] if isinstance(each, Candidates) else [] for each in placer.results]
        again = placer.place()
        for before, after, only in zip(results, again, places):
            if isinstance(after, Miss) or (isinstance(before, Match) and before.line != after.line):
                return results
            # Elsewhere the lines may fit better than by one more tolerance here.
            if isinstance(before, Miss) and (only != [after.line] or after.pass_name not in _STRICT):
                return results
        for number, (hunk, before, after) in enumerate(zip(hunks, results, again), 1):
            if isinstance(before, Miss) and isinstance(after, Match):
                reached = [each for each in scopes[tuple(hunk.anchors)] if after.line < each.end]
                scope = reached[0]
                lines = {"line": after.line + 1, "first": scope.line + 1, "last": scope.end}
                after.evidence.append("parsed-scope")
                facts = {"hunk": number, "patch_line": hunk.line, "anchor": scope.anchor, **lines}
                after.notes.append(Note("P937", evidence="parsed-scope", **facts))
        return again

    def _scopes(self, path: str, document: Document, named: list[tuple[str, ...]]) -> _Scopes | None:
        """The scope of each of these stacks of anchors, None where one of them has none."""
        try:
            parsed = self._parsed(path, document)
            if parsed is None:
                return None
            anchors, found = Anchors(document.texts), {}
            for key in dict.fromkeys(named):
                scopes = _stacked(anchors, key, parsed, len(document.texts))
                if scopes is None:
                    return None
                found[key] = scopes
            return found
        except Exception:  # whatever a parser from elsewhere raises, the patch is refused as without it
            return None

    def _parsed(self, path: str, document: Document) -> SyntaxScopes | None:
        key = path.rpartition(".")[2], document.data
        if key not in self._known:
            if len(document.data) > self._left or not has_grammar(language_of(path)):
                return None
            self._left -= len(document.data)
            self._known[key] = SyntaxScopes(path, document.texts)
        return self._known[key]


def _may_help(hunk: Hunk, result: Match | Miss) -> bool:
    """Whether a hunk has its place, or was refused because of the scope of its anchors."""
    return isinstance(result, Match) or (result.code in OF_SCOPES and bool(hunk.anchors) and hunk.hint is None)


def _stacked(anchors: Anchors, named: tuple[str, ...], parsed: SyntaxScopes, stop: int) -> list[Scope] | None:
    """The scopes of stacked anchors, of which each is in the head of one definition inside the one before.

    Its declarations may have the same line. Any other line like it, of a string or a comment, may be what is meant.
    """
    scopes: list[Scope] = []
    outer, start = None, 0
    for anchor in named:
        lines, how = anchors.lines_like(anchor, start, stop)
        spans = [parsed.span_of(line) for line in lines[:_MOST_LINES]]
        known = [each for each in spans if each is not None]
        defined = [each for each in known if each.has_body]
        if len(known) < len(lines) or len(defined) != 1:
            return None
        scopes = [Scope(anchor, each.line, each.end, how, anchors.definition_at(each.line)) for each in known]
        for each in scopes:
            each.outer = outer
        outer = next(each for each in scopes if each.line == defined[0].line)
        start, stop = outer.line + 1, outer.end
    return scopes
