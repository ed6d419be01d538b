"""Whether a hunk has been applied already: the file has what it would leave behind.

Takes a hunk with its candidates, or one at its place with its lines as they would be applied; gives where its
result is, or a Miss that says so. A hunk is refused for it only where it has no place of its own, or none but within
its own result.
"""

from __future__ import annotations

from patchkit.matching.candidates import Candidates
from patchkit.matching.model import Miss
from patchkit.matching.passes import INVISIBLE, PASSES
from patchkit.matching.view import Views

_FEW = 64  # places that are looked at


class AppliedCheck:
    """What one document has already."""

    __slots__ = ("_texts", "_views")

    def __init__(self, texts: list[str], views: Views) -> None:
        self._texts = texts
        self._views = views

    def is_inside(self, found: Candidates) -> bool:
        """Whether all places are within the very text that the hunk would leave, and fit only by other margins."""
        if min(found.levels.values()) <= INVISIBLE:
            return False
        new = found.hunk.new()
        there = self._views.by(PASSES[1]).occurrences(PASSES[1].lines(new)) if found.changes else []
        return bool(there) and all(
            any(start <= line < start + len(new) for start in there) for line in found.places[: _FEW + 1]
        )

    def places(self, found: Candidates) -> list[int]:
        """Where the file already has the text that the hunk would leave behind."""
        new = found.hunk.new()
        if not found.changes or not any(text.strip() for text in new) or self._still_there(found):
            return []
        for by in PASSES[1:3]:
            if by.lines(new) == by.lines(found.old):
                continue  # what the hunk changes is what this pass overlooks
            places = self._views.by(by).occurrences(by.lines(new))
            places = [n for n in places if found.reach is None or found.reach.covers(n, n + 1)]
            if len(places) == 1 or (places and len(new) > 1):
                return places  # one line that is everywhere shows nothing
        return []

    def has_result(self, found: Candidates) -> bool:
        """Whether the hunk's result is there word for word, so that a place that is only like the hunk is another's."""
        new = found.hunk.new()
        return found.changes and len(new) > 2 and bool(self._views.by(PASSES[1]).occurrences(PASSES[1].lines(new)))

    def _still_there(self, found: Candidates) -> bool:
        """Whether a hunk that adds no word of its own cannot be known to be done.

        It has to show where the gap closed, lines above it and below it, and most of what it removes has to be gone.
        """
        if any(char.isalnum() for line in found.lines if line[0] == "+" for char in line):
            return False
        solid = "".join(line[0] for line in found.lines if line[1:].strip())
        if "-" not in solid.strip(" ") or solid[0] != " " or solid[-1] != " ":
            return True
        gone = PASSES[2].lines([line[1:] for line in found.lines if line[0] == "-"])
        with_words = [text for text in gone if any(map(str.isalnum, text))]
        view = self._views.by(PASSES[2])
        return 2 * sum(bool(view.numbers(text)) for text in with_words) > len(with_words)

    def again_at(self, lines: list[str], line: int, size: int) -> Miss | None:
        """A Miss when a hunk that only adds, its lines as they would be applied, has been applied at this place."""
        signs = "".join(row[0] for row in lines)
        added = [row[1:] for row in lines if row[0] == "+"]
        if "-" in signs or not any(text.strip() for text in added):
            return None
        new = [row[1:] for row in lines]
        for start in (
            line,
            line + size - len(new),
        ):  # what is added begins like what follows it, or ends like what precedes
            if start >= 0 and self._texts[start : start + len(new)] == new:
                return Miss("P205", [start], line=start + 1)
        if "+" * len(added) not in signs:
            return None
        starts = []
        if signs.endswith("+"):
            starts.append(line + size)  # right behind the hunk
        if signs.startswith("+"):
            starts.append(line - len(added))  # right before it
        for start in starts:
            if start >= 0 and self._texts[start : start + len(added)] == added:
                return Miss("P205", [start], line=start + 1)
        return None
