"""What would choose between the places of an ambiguous hunk.

Takes the hunk and its places; gives for each the definition it is in and what would single it out: anchors, or
lines next to it as more context. Nothing is offered on trust: the caller supplies a proof that places the hunk so
changed, and what does not lead to the place is not offered.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import islice

from patchkit.language.model import Hunk
from patchkit.matching.anchors import Anchors
from patchkit.matching.candidates import Candidates
from patchkit.matching.search import Search
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHOWN = 20
_DEEPEST = 4  # definitions around a place that are tried as anchors
_MOST_CONTEXT = 3  # lines next to a place that are tried as context
_FEW = 8  # scopes or places that are worth a proof
_LONGEST = 200  # characters of a line that a reader would copy


class Choice(Value):
    """One place (line from 1), what it is in, and what would choose it.

    `add` are lines of a patch, none where nothing was found that would. `where` says where they go:
    'anchors' take the place of the hunk's own `@@` lines, context lines go 'above' or 'below' its lines.
    """

    __slots__ = ("line", "inside", "add", "where")
    line: int
    inside: str
    add: list[str]
    where: str

    def __init__(self, line: int, inside: str, add: list[str] | None = None, where: str = "") -> None:
        self.line = line
        self.inside = inside
        self.add = add if add is not None else []
        self.where = where

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

    def __init__(
        self, search: Search, found: Candidates, places: list[int], proves: Callable[[Choice, int], bool]
    ) -> None:
        self._texts = search.texts
        self._anchors: Anchors = search.anchors
        self._found = found
        self._places = places
        self._proves = proves
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
            if all(map(_sayable, add)) and self._proves(choice, place - choice.shift):
                return choice
        return Choice(line, inside)

    def _around(self, place: int) -> list[int]:
        """The lines of the definitions around what the hunk changes, innermost first."""
        if self._found.old:
            at = min(self._found.changed(place)[0], len(self._texts) - 1)
            return [each.line for each in islice(self._anchors.around(at), _DEEPEST)]
        anchor = place - 1
        return [each.line for each in islice(self._anchors.around(anchor), _DEEPEST) if each.line != anchor]

    def _offers(self, place: int, names: list[str]) -> Iterator[tuple[list[str], str]]:
        """What may choose a place, the simplest first: one anchor, stacked anchors, lines of context."""
        if self._found.old:
            yield from self._by_anchors(place, [[name] for name in names])
        else:
            names = [self._found.hunk.anchors[-1], *names]
        yield from self._by_anchors(place, [[outer, names[0]] for outer in names[1:]])
        yield from self._by_anchors(place, [names[depth::-1] for depth in range(2, len(names))])
        for count in range(1, _MOST_CONTEXT + 1) if self._found.old else ():
            yield from self._by_context(place, count)

    def _by_anchors(self, place: int, stacks: list[list[str]]) -> Iterator[tuple[list[str], str]]:
        """Those of the stacks that leave few of the places, without their margins or, if need be, with them."""
        for stack in stacks:
            bare = [name.strip() for name in stack]
            for anchors in (bare, stack) if bare != stack else (bare,):
                if self._leave_few(anchors, place):
                    yield ["@@ " + anchor for anchor in anchors], "anchors"

    def _leave_few(self, anchors: list[str], place: int) -> bool:
        scopes = self._anchors.scopes(anchors)
        if not 0 < len(scopes) <= _FEW:
            return False
        if not self._found.old:
            return [scope.line + 1 for scope in scopes] == [place]
        size = self._found.size
        spans = [(scope.line - size + 1, scope.end) for scope in scopes]
        count = sum(bisect_left(self._places, stop) - bisect_left(self._places, start) for start, stop in spans)
        return count <= _FEW and any(start <= place < stop for start, stop in spans)

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
            starts = [place + offset for place in self._places if place + offset >= 0]
            self._neighbours[key] = Counter(tuple(self._texts[start : start + count]) for start in starts)
        return self._neighbours[key]


def _sayable(line: str) -> bool:
    """Whether a line of a patch can be sent as it is and means what it says."""
    if len(line) > _LONGEST or "\r" in line or any("\ud800" <= char <= "\udfff" for char in line):
        return False
    return line[0] != "@" or (line[3:4] not in ("-", ".", "") and "@@" not in line[3:])
