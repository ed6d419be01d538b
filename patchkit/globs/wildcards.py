"""Match names against patterns of wildcards.

Takes a pattern as parts, which the two languages of patterns we read are translated to; tells whether a whole name
matches. All ways to match are followed at once, so the time grows with the length of the name times that of the pattern
and no faster, whoever wrote either.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Test = Callable[[str], bool]


class One:
    """One character that passes a test."""

    __slots__ = ("test",)

    def __init__(self, test: Test) -> None:
        self.test = test


class Many(One):
    """Any number of characters that pass a test."""

    __slots__ = ()


class Either:
    """One of several sequences of parts."""

    __slots__ = ("ways",)

    def __init__(self, ways: list[list[Part]]) -> None:
        self.ways = ways


class Number:
    """A whole number within bounds, without needless zeros."""

    __slots__ = ("least", "most")

    def __init__(self, least: int, most: int) -> None:
        self.least = least
        self.most = most


Part = One | Either | Number
_LONGEST_NUMBER = 20  # digits
MOST_WORK = 1_000_000  # characters of patterns times those of a name: a hundred times what honest files come to


def literal(character: str) -> One:
    return One(character.__eq__)


def not_slash(character: str) -> bool:
    return character != "/"


def anything(_: str) -> bool:
    return True


class Pattern:
    """A pattern, ready to match.

    Every part becomes a state that knows the state behind it; state 0 is the end. Only states are ever looked at, so an
    alternative within an alternative costs what its characters cost.
    """

    __slots__ = ("_parts", "_next", "_start")

    def __init__(self, parts: list[Part]) -> None:
        self._parts: list[Part | None] = [None]
        self._next: list[list[int]] = [[]]
        self._start = self._chained(parts, 0)

    def _chained(self, parts: list[Part], end: int) -> int:
        """The first state of a sequence that goes on at `end`."""
        for part in reversed(parts):
            follow = [self._chained(way, end) for way in part.ways] if isinstance(part, Either) else [end]
            self._parts.append(part)
            self._next.append(follow)
            end = len(self._parts) - 1
        return end

    def matches(self, name: str) -> bool:
        """Whether the whole of a name matches."""
        waiting: dict[int, set[int]] = {}  # states that begin at a later character
        current = self._open({self._start})
        for index, character in enumerate(name):
            ahead: set[int] = set()
            for state in current:
                part = self._parts[state]
                if isinstance(part, Number):
                    for stop in _numbers(part, name, index):
                        waiting.setdefault(stop, set()).add(self._next[state][0])
                elif isinstance(part, One) and part.test(character):
                    ahead.add(state if isinstance(part, Many) else self._next[state][0])
            current = self._open(ahead | waiting.pop(index + 1, set()))
            if not current and not waiting:
                return False
        return 0 in current

    def _open(self, states: set[int]) -> set[int]:
        """The states that can be in force where these are, without a further character."""
        found: set[int] = set()
        pending = list(states)
        while pending:
            state = pending.pop()
            if state not in found:
                found.add(state)
                if isinstance(self._parts[state], (Many, Either)):
                    pending += self._next[state]
        return found


def _numbers(part: Number, name: str, start: int) -> list[int]:
    """Where a number within the bounds may end that starts here."""
    first = start + (name[start] in "+-")
    stop = first
    while stop < len(name) and stop - first < _LONGEST_NUMBER and name[stop].isascii() and name[stop].isdigit():
        stop += 1
    if name[start] == "0":
        return []
    return [end for end in range(first + 1, stop + 1) if part.least <= int(name[start:end]) <= part.most]
