"""Whether a hunk has been applied already: the file has what it would leave behind.

Takes a hunk with its candidates, or one at its place with its lines as they would be applied; gives where its
result is, or a Miss that says so. A hunk is refused for it only where it has no place of its own but by other
margins, or where its place is within its own result.
"""

from __future__ import annotations

from bisect import bisect_right

from patchkit.core.language import Hunk
from patchkit.core.matching import FEW, RUN, SEVERAL, WORD, Miss, where_added
from patchkit.core.matching.candidates import Candidates
from patchkit.core.matching.passes import INVISIBLE, PASSES, View, Views


class AppliedCheck:
    """What one document has already."""

    __slots__ = ("_texts", "_views")

    def __init__(self, texts: list[str], views: Views) -> None:
        self._texts = texts
        self._views = views

    def is_rather_done(self, found: Candidates) -> bool:
        """Whether the hunk fits only by other margins, and the very text that it would leave is there.

        A text of few lines may be there by chance, unless all places touch it.
        """
        if found.levels.ends[0] <= INVISIBLE or not found.changes:
            return False
        new = found.hunk.new()
        there = self._views.by(PASSES[1]).occurrences(PASSES[1].lines(new))
        return bool(there) and (
            len(new) >= SEVERAL
            or all(any(n - found.size < line < n + len(new) for n in there) for line in found.places[: FEW + 1])
        )

    def places(self, found: Candidates) -> list[int]:
        """Where the file already has the text that the hunk would leave behind."""
        new = found.hunk.new()
        if not found.changes or not any(text.strip() for text in new) or self._still_there(found):
            return []
        for by in PASSES[1:3]:
            view, old, result = self._views.by(by), by.lines(found.old), by.lines(new)
            if result == old:
                continue  # what the hunk changes is what this pass overlooks
            gone = {text for text in set(old).difference(result) if any(map(str.isalnum, text))}
            edges = [at for at, line in ((-1, found.lines[0]), (len(new), found.lines[-1])) if line[0] != " "]
            places = view.occurrences(result)
            for at in edges:  # what is removed there is not still beside the result
                places = [n for n in places if not gone.intersection(view.lines[max(n + at, 0) : n + at + 1])]
            if found.reach is not None:
                places = [n for n in places if found.reach.covers(n, n + 1)]
            if len(places) == 1 or (places and len(new) > 1):
                return places  # one line that is everywhere shows nothing
        return []

    def has_result(self, found: Candidates) -> bool:
        """Whether the hunk's result is there word for word, so that a place that is only like the hunk is another's."""
        new = found.hunk.new()
        return (
            found.changes and len(new) >= SEVERAL and bool(self._views.by(PASSES[1]).occurrences(PASSES[1].lines(new)))
        )

    def has_added(self, found: Candidates, hunks: list[Hunk]) -> bool:
        """Whether half of a run that the hunk adds is in the file, and none of `hunks` takes it away from there."""
        added = [run for run in runs(found.lines) if len(run) >= RUN]  # a few lines in a row are often used again
        gone = removed_lines(hunks) if added else set()
        view = self._views.by(PASSES[-1])
        return any(2 * known_part(PASSES[-1].lines(run), view, gone) >= 1 for run in added)

    def _still_there(self, found: Candidates) -> bool:
        """Whether a hunk that adds no word of its own cannot be known to be done.

        It has to show where the gap closed, lines above it and below it or some that it puts back, and most of what it
        removes has to be gone.
        """
        gone, added = ([line[1:] for line in found.lines if line[0] == sign] for sign in "-+")
        if any(map(str.isalnum, "".join({*added}.difference(gone)))):
            return False
        solid = "".join(line[0] for line in found.lines if line[1:].strip())
        if "+" not in solid and ("-" not in solid.strip(" ") or solid[0] != " " or solid[-1] != " "):
            return True
        with_words = [text for text in PASSES[2].lines([*{*gone}.difference(added)]) if any(map(str.isalnum, text))]
        view = self._views.by(PASSES[2])
        return 2 * sum(bool(view.numbers(text)) for text in with_words) > len(with_words)

    def again_at(self, lines: list[str], line: int, size: int) -> Miss | None:
        """A Miss when a hunk, its lines as they would be applied, has been applied at this place."""
        start = where_added(self._texts, lines, line, size)
        return Miss("P205", [start], line=start + 1) if start is not None else None


def runs(lines: list[str]) -> list[list[str]]:
    """The added lines of a hunk, without their signs, in runs that old lines separate."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line[0] == "+":
            found[-1].append(line[1:])
        elif found[-1]:
            found.append([])
    return [run for run in found if len(run) >= SEVERAL]


def removed_lines(hunks: list[Hunk]) -> set[str]:
    """The lines that hunks remove, as the most tolerant pass sees them."""
    return set(PASSES[-1].lines([line[1:] for hunk in hunks for line in hunk.lines if line[0] == "-"]))


def known_part(added: list[str], view: View, gone: set[str]) -> float:
    """How much of a run of added lines the file has in one place already, in order.

    From 0 to 1, by lines that have words; 0 for a run with few of them, and for one with a line that is `gone`: the
    patch removes it somewhere, so the run is moved. `view` has the file's lines as the most tolerant pass compares
    them, and so are `added` and `gone`.
    """
    telling = [line for line in added if sum(map(str.isalnum, line)) >= WORD]
    if len(telling) < SEVERAL or not gone.isdisjoint(telling):
        return 0.0
    most = 0
    first = next((n for n, line in enumerate(telling) if view.numbers(line)), 0)
    for start in view.numbers(telling[first])[:FEW]:
        last, count = start, 1
        stop = start + len(added) + SEVERAL
        for line in telling[first + 1 :]:
            rows = view.numbers(line)
            at = bisect_right(rows, last)
            if at < len(rows) and rows[at] < stop:
                last, count = rows[at], count + 1
        most = max(most, count)
    return most / len(telling) if most >= SEVERAL else 0.0
