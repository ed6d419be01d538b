"""What would choose between the places of an ambiguous hunk.

Takes the places; gives for each the definition it stands in and the shortest thing that would single it out: an
anchor, or the line above or below as one more context line.
"""

from __future__ import annotations

from patchkit.matching.anchors import Anchors
from patchkit.values import Value

SHOWN = 20


class Choice(Value):
    """One place (line from 1), what it stands in, and the patch line that would choose it ('' when none would)."""

    __slots__ = ("line", "inside", "by")
    line: int
    inside: str
    by: str

    def __init__(self, line: int, inside: str, by: str) -> None:
        self.line = line
        self.inside = inside
        self.by = by


def choices(anchors: Anchors, texts: list[str], places: list[int], size: int) -> list[Choice]:
    """Returns the first places with what would choose each of them."""
    around = {place: anchors.enclosing(place) for place in places[: SHOWN * 5]}
    names = {p: texts[d.line].strip() if d is not None else "" for p, d in around.items()}
    found = []
    for place in places[:SHOWN]:
        name = names[place]
        alone = bool(name) and list(names.values()).count(name) == 1 and len(anchors.scopes([name])) == 1
        by = f"@@ {name}" if alone else _context_line(texts, places, place, size)
        found.append(Choice(place + 1, name, by))
    return found


def _context_line(texts: list[str], places: list[int], place: int, size: int) -> str:
    """The line just above or below this place that stands at none of the others."""
    for offset in (-1, size):
        number = place + offset
        if 0 <= number < len(texts) and texts[number].strip():
            others = [other + offset for other in places if other != place]
            if not any(0 <= other < len(texts) and texts[other] == texts[number] for other in others):
                return " " + texts[number]
    return ""
