"""Which of several places a hunk has, by a name that the patch makes known at one of them only.

Takes a hunk with its places and the hunks that have theirs; gives the one place in a definition to which another hunk
adds a name that this hunk uses, as what is given a value, where neither that definition nor the ones around the other
places have the name so far. At any other place the hunk would use a name that nothing there knows.
"""

from __future__ import annotations

from patchkit.core.matching import SHOWN
from patchkit.core.matching.candidates import Candidates
from patchkit.core.matching.scopes.anchors import Anchors, Definition

# Not behind a dot or in quotes: members and texts are known in other definitions, too.
_NAME = r"(?<![\w.'\"`$@#-])[A-Za-z_]\w{3,}"
_WORD = r"[A-Za-z_]\w{3,}"
# A line that gives a name its value: `name = `, `name := `, `const name: Type = `. Not an argument, not a member.
_GIVEN = r"(?m)^[ \t]*(?:[A-Za-z_][\w<>\[\].*&]*[ \t]+){0,3}([A-Za-z_]\w{3,})[ \t]*(?::[^=\n]{0,80})?:?=(?![=>])"


def place_of_new_name(
    found: Candidates, places: list[int], settled: list[tuple[Candidates, int]], texts: list[str], anchors: Anchors
) -> tuple[int, str] | None:
    """The one place that a new name shows, and the name; None where none is shown, or more than one."""
    if len(places) > SHOWN or not settled:
        return None
    wanted = _names(found.lines, "+", _NAME) - _names(found.lines, " -", _WORD)
    others = [(each.changed(line)[0], names) for each, line in settled if (names := wanted & _added(each))]
    if not wanted or not others:
        return None
    shown: list[tuple[int, set[str]]] = []
    for place in places:
        around = _around(place, found, places, others, anchors)
        if around is not None:
            names = set.union(*[names for first, names in others if around.line <= first < around.end])
            shown.append((place, names - _known(around, texts)))
    if len(shown) != 1:
        return None
    place, names = shown[0]
    for other in places:
        if other != place:
            outer = next(iter([*anchors.around(found.changed(other)[0])][-1:]), None)
            if outer is None:
                return None
            names = names - _known(outer, texts)
    return (place, min(names)) if names else None


def _around(
    place: int, found: Candidates, places: list[int], others: list[tuple[int, set[str]]], anchors: Anchors
) -> Definition | None:
    """The smallest definition around a place with another hunk in it that adds a wanted name, and no other place."""
    for definition in anchors.around(found.changed(place)[0]):
        span = range(definition.line, definition.end)
        if any(found.changed(each)[0] in span for each in places if each != place):
            return None
        if definition.kind == "code" and any(first in span for first, _ in others):
            return definition
    return None


def _added(hunk: Candidates) -> set[str]:
    return _names(hunk.lines, "+", _GIVEN) - _names(hunk.lines, " -", _WORD)


def _known(definition: Definition, texts: list[str]) -> set[str]:
    return _found(_WORD, texts[definition.line : definition.end])


def _names(lines: list[str], signs: str, pattern: str) -> set[str]:
    return _found(pattern, [line[1:] for line in lines if line[0] in signs])


def _found(pattern: str, lines: list[str]) -> set[str]:
    from re import findall  # one hunk has no others to look at, and its refusal is there sooner without

    return set(findall(pattern, "\n".join(lines)))
