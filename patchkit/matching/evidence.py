"""Evidence that narrows the places of a hunk down when its text and its order leave several.

Takes a hunk and some of its places, in file order; each kind of evidence gives the better ones among them, all of
them where it has nothing to say. In which order they are asked is `together`'s affair.
"""

from __future__ import annotations

from patchkit.matching import indentation
from patchkit.matching.found import Found
from patchkit.matching.passes import PASSES
from patchkit.matching.search import Search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_LINES = 2_000_000  # compared for one hunk; where more would have to be, the evidence is silent
_LOOSE = 2  # from this pass on, surrounding-space, leading blanks may differ


class Evidence:
    """What is known of places in one document beyond the text of a hunk."""

    __slots__ = ("_search", "_even")

    def __init__(self, search: Search) -> None:
        self._search = search
        # Whether all places of a hunk fit equally, by the identity of its levels, which hunks alike share.
        self._even: dict[int, tuple[dict[int, int], bool]] = {}

    def by_strictness(self, found: Found, places: list[int]) -> list[int]:
        """Places that fit as strictly as any of these; other margins and other quotes are no better than each other."""
        return self._least_level(found, places, _LOOSE)

    def by_changed_lines(self, found: Found, places: list[int]) -> list[int]:
        """Places whose changed lines, not only their context, lie in an anchor's scope."""
        reach = found.reach
        return places if reach is None else [n for n in places if reach.covers(*found.changed(n))]

    def by_nearest_definition(self, found: Found, places: list[int]) -> list[int]:
        """Places whose nearest enclosing definition is the anchor itself."""
        reach, around = found.reach, self._search.anchors.around
        if reach is None or not found.old:  # lines that only go below their anchor are in no nearer definition
            return places
        end = len(self._search.texts)  # behind the last line nothing is open any more that could be nearer
        firsts = [found.changed(n)[0] for n in places]
        return [
            n
            for n, first in zip(places, firsts)
            if (reach.is_nearest(found, n, list(around(first))) if first < end else reach.admits(found, n))
        ]

    def by_indentation(self, found: Found, places: list[int]) -> list[int]:
        """Places whose indentation agrees best with the patch."""
        if not found.old or not found.pass_at(places[0])[1]:
            return places
        if len(places) * found.size > _MOST_LINES:
            return places
        texts = self._search.texts
        return _least(places, lambda n: indentation.ranks(found.old, texts[n : n + found.size]))

    def by_pass(self, found: Found, places: list[int]) -> list[int]:
        """Places that the strictest pass finds."""
        return self._least_level(found, places, len(PASSES))

    def _least_level(self, found: Found, places: list[int], most: int) -> list[int]:
        """Places by the strictest pass, passes from `most` on being one."""
        key = id(found.levels)
        if key not in self._even:
            # With the levels themselves: as long as they are kept, no others can have their identity.
            self._even[key] = found.levels, len(set(found.levels.values())) <= 1
        return places if self._even[key][1] else _least(places, lambda n: min(found.levels.get(n, 0), most))

    def by_line_number(self, found: Found, places: list[int]) -> list[int]:
        """The place that a unified header's line number points at."""
        hint = found.hunk.hint
        return places if hint is None else [n for n in places if n + 1 == hint]


def _least(places: list[int], rank: Callable[[int], int]) -> list[int]:
    """The places of the lowest rank."""
    ranked = [(rank(place), place) for place in places]
    best = min(ranked)[0]
    return [place for number, place in ranked if number == best]
