"""What would choose between the places of an ambiguous hunk.

Takes a hunk that fits several places; gives for each the definition it is in and what would single it out: anchors, or
lines next to it as more context. Nothing is offered on trust: the hunk so changed is placed again, and what does not
lead to the place is not offered.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice

from patchkit.core.language import Hunk
from patchkit.core.matching import FEW, LONGEST, SEVERAL, SHOWN, Match, Miss
from patchkit.core.matching.candidates import Reach
from patchkit.core.matching.placer import PLACING, Ambiguity
from patchkit.core.matching.scopes.anchors import Anchors
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def offer_choices(results: Sequence[Match | Miss]) -> None:
    """Adds to the first ambiguous hunks of a file, as the fact `choices`, what would choose each of their places."""
    offered = 0
    for miss in results:
        ambiguity = miss.ambiguity if isinstance(miss, Miss) else None
        if not isinstance(miss, Miss) or not isinstance(ambiguity, Ambiguity):
            continue
        offered += 1
        if offered > SHOWN:
            return
        if ambiguity.chooser is None and ambiguity.search.budget.spend(PLACING * len(miss.candidates)):
            ambiguity.chooser = chooser = Chooser(ambiguity, miss.candidates)
            shown = miss.facts["choices"]
            assert isinstance(shown, list)
            shown += chooser.first(SHOWN)  # the list that the error has, too


def chooser_of(miss: Miss) -> Chooser | None:
    """What knows how to choose between the places of a hunk; None where that was not worked out."""
    found = miss.ambiguity.chooser if isinstance(miss.ambiguity, Ambiguity) else None
    return found if isinstance(found, Chooser) else None


class Choice(Record):
    """One place (line from 1), what it is in, and what would choose it."""

    line: int
    inside: str
    add: list[str] = []  # lines of a patch, none where nothing was found that would choose it
    where: str = ""  # 'anchors' take the place of the hunk's `@@` lines, context goes 'above' or 'below' its lines

    @property
    def by(self) -> str:
        """What would choose the place, in words; '' when nothing would."""
        lines = " and ".join(f"'{line}'" for line in self.add)
        return f"{lines} {self.where} it" if self.where in ("above", "below") else lines

    def followed(self, hunk: Hunk) -> Hunk:
        """The hunk with what the choice adds."""
        anchors = [line[3:] for line in self.add] if self.where == "anchors" else hunk.anchors
        above = self.add if self.where == "above" else []
        below = self.add if self.where == "below" else []
        made = Hunk(anchors, [*above, *hunk.lines, *below], hunk.at_eof, hunk.final_newline, hunk.line)
        made.hint = None if self.where == "anchors" else hunk.hint
        made.bare, made.body_line = hunk.bare, hunk.body_line
        return made

    @property
    def shift(self) -> int:
        """How many lines higher the hunk begins when the choice is followed."""
        return len(self.add) if self.where == "above" else 0


class Chooser:
    """The places of one ambiguous hunk. What would choose a place is worked out when it is asked for."""

    def __init__(self, ambiguity: Ambiguity, places: list[int]) -> None:
        self._ambiguity = ambiguity
        self._texts = ambiguity.search.texts
        self._anchors: Anchors = ambiguity.search.anchors
        self._found = ambiguity.found
        self._places = places
        self._choices: list[Choice] = []
        self._neighbours: dict[tuple[int, int], dict[tuple[str, ...], int]] = {}

    def first(self, count: int) -> list[Choice]:
        """The first places with what would choose each of them."""
        for place in self._places[len(self._choices) : count]:
            self._choices.append(self._choice(place))
        return self._choices[:count]

    def _choice(self, place: int) -> Choice:
        line = place + 1 if self._found.old else place  # added lines go below the line that is named
        around = self._around(place)
        inside = self._texts[around[0]].strip() if around else ""
        for add, where in self._offers(place, [self._texts[each] for each in around]):
            choice = Choice(line, inside, add, where)
            made = choice.followed(self._ambiguity.hunk)
            if all(map(_sayable, add)) and self._ambiguity.would_place(made, place - choice.shift):
                return choice
        return Choice(line, inside)

    def _around(self, place: int) -> list[int]:
        """The lines of the definitions around what the hunk changes, innermost first."""
        if self._found.old:
            first, stop = self._found.changed(place)
            at = first - (first == stop > place)  # what is added below a line is where that line is
            return [each.line for each in islice(self._anchors.around(min(at, len(self._texts) - 1)), SEVERAL)]
        anchor = place - 1
        return [each.line for each in islice(self._anchors.around(anchor), SEVERAL) if each.line != anchor]

    def _offers(self, place: int, names: list[str]) -> Iterator[tuple[list[str], str]]:
        """What may choose a place, the simplest first: one anchor, stacked anchors, lines of context."""
        if self._found.old:
            yield from self._by_anchors(place, [[name] for name in names])
        else:
            names = [self._found.hunk.anchors[-1], *names]
        yield from self._by_anchors(place, [[outer, names[0]] for outer in names[1:]])
        yield from self._by_anchors(place, [names[depth::-1] for depth in range(2, len(names))])
        for count in range(1, SEVERAL + 1) if self._found.old else ():
            yield from self._by_context(place, count)

    def _by_anchors(self, place: int, stacks: list[list[str]]) -> Iterator[tuple[list[str], str]]:
        """Those of the stacks that are true of this place only."""
        for stack in stacks:
            anchors = [name.strip() for name in stack]
            if self._choose_alone(anchors, place):
                yield ["@@ " + anchor for anchor in anchors], "anchors"

    def _choose_alone(self, anchors: list[str], place: int) -> bool:
        scopes = self._anchors.scopes(anchors)
        if not 0 < len(scopes) <= FEW:
            return False
        if not self._found.old:
            return [scope.line + 1 for scope in scopes] == [place]
        size = self._found.size
        spans = [(scope.line - size + 1, scope.end) for scope in scopes]
        near = {n for a, b in spans for n in self._places[bisect_left(self._places, a) : bisect_left(self._places, b)]}
        reach = Reach(scopes)
        return [n for n in sorted(near) if reach.covers(*self._found.changed(n))] in ([place], [])

    def _by_context(self, place: int, count: int) -> Iterator[tuple[list[str], str]]:
        """The lines right above or below the place, if they are next to none of the others."""
        for where, offset in (("above", -count), ("below", self._found.size)):
            start = place + offset
            lines = self._texts[start : start + count] if start >= 0 else []
            solid = len(lines) == count and lines[0 if where == "above" else -1].strip()
            if solid and self._counted(offset, count)[tuple(lines)] == 1:
                yield [" " + line for line in lines], where

    def _counted(self, offset: int, count: int) -> dict[tuple[str, ...], int]:
        """How often each run of so many lines is at this offset from the places."""
        key = (offset, count)
        if key not in self._neighbours:
            counts = self._neighbours[key] = {}
            for start in [place + offset for place in self._places if place + offset >= 0]:
                lines = tuple(self._texts[start : start + count])
                counts[lines] = counts.get(lines, 0) + 1
        return self._neighbours[key]


def _sayable(line: str) -> bool:
    """Whether a line of a patch can be sent as it is and means what it says."""
    if len(line) > LONGEST or "\r" in line or any("\ud800" <= char <= "\udfff" for char in line):
        return False
    return line[0] != "@" or (line[3:4] not in ("-", ".", "") and "@@" not in line[3:])
