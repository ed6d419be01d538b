"""Match a regular expression with lines, in one pass over each.

Takes the tree of an expression; says where in a line the earliest match ends. All ways the expression could go on are
followed at once, and sets of ways are remembered with what each character does to them. So the work for a character is
a look into a table, at worst the size of the expression, and never depends on what went before. A long line and a large
expression can still take long, so the caller passes a function that says when time is up. docs/decisions.md says why
`re` is not used.
"""

from __future__ import annotations

from patchkit.search.fallback.regex_syntax import EDGE, END, START, Node, UnsupportedError, is_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.search.fallback.regex_syntax import Test

_MOST_STEPS = 2000
_MOST_STATES = 2000  # remembered at a time
_STRETCH = 1 << 16  # characters between two checks of the time
_AT_START, _AFTER_WORD, _AFTER_OTHER = 0, 1, 2
_MATCHED = -1  # the step behind the last one


class _State:
    """A set of ways: the steps they have reached, and what the character before was."""

    __slots__ = ("steps", "before", "next", "at_end")

    def __init__(self, steps: frozenset[int], before: int) -> None:
        self.steps = steps
        self.before = before
        self.next: dict[str, _State | None] = {}  # None: a match ends here
        self.at_end: bool | None = None


class _Step:
    """What an expression asks next: a character, a condition, or nothing; and the steps behind it."""

    __slots__ = ("test", "condition", "then")

    def __init__(self, test: Test | None, condition: str, then: list[int]) -> None:
        self.test = test
        self.condition = condition
        self.then = then


class Automaton:
    """The steps of an expression, laid out from the last to the first."""

    def __init__(self, tree: Node) -> None:
        self._steps: list[_Step] = []
        self._first = self._laid_out(tree, _MATCHED)
        self._states: dict[tuple[frozenset[int], int], _State] = {}

    def find(self, line: str, late: Callable[[], bool]) -> int:
        """Where the earliest match in a line ends, -1 if there is none, or none was found before it was `late`."""
        state = self._state(frozenset((self._first,)), _AT_START)
        for start in range(0, len(line), _STRETCH):
            if start and late():
                return -1
            for at, char in enumerate(line[start : start + _STRETCH], start):
                try:
                    following = state.next[char]
                except KeyError:
                    if late():
                        return -1
                    following = state.next[char] = self._after(state, char)
                if following is None:
                    return at
                state = following
        if state.at_end is None:
            state.at_end = _MATCHED in self._reached(state, None)
        return len(line) if state.at_end else -1

    # -- layout ----------------------------------------------------------------------------------

    def _laid_out(self, node: Node, then: int) -> int:
        """Adds the steps of a part in front of the step `then`; returns the step it begins with."""
        if node.kind in ("char", "condition"):
            return self._add(node.test, node.text if node.kind == "condition" else "", [then])
        if node.kind == "row":
            for part in reversed(node.parts):
                then = self._laid_out(part, then)
            return then
        if node.kind == "choice":
            return self._add(None, "", [self._laid_out(part, then) for part in node.parts])
        return self._repeated(node, then)

    def _repeated(self, node: Node, then: int) -> int:
        part = node.parts[0]
        if node.most is None:
            again = self._add(None, "", [then])
            self._steps[again].then.append(self._laid_out(part, again))
            then = again
        else:
            behind = then
            for _ in range(node.most - node.least):
                then = self._add(None, "", [behind, self._laid_out(part, then)])
        for _ in range(node.least):
            first = self._laid_out(part, then)
            if first == then:
                break  # the part asks for nothing, however often that is
            then = first
        return then

    def _add(self, test: Test | None, condition: str, then: list[int]) -> int:
        if len(self._steps) >= _MOST_STEPS:
            raise UnsupportedError("so many repetitions")
        self._steps.append(_Step(test, condition, then))
        return len(self._steps) - 1

    # -- work ------------------------------------------------------------------------------------

    def _state(self, steps: frozenset[int], before: int) -> _State:
        key = steps, before
        found = self._states.get(key)
        if found is None:
            if len(self._states) >= _MOST_STATES:
                for old in self._states.values():
                    old.next.clear()
                self._states.clear()
            found = self._states[key] = _State(steps, before)
        return found

    def _after(self, state: _State, char: str) -> _State | None:
        reached = self._reached(state, char)
        if _MATCHED in reached:
            return None
        following = {self._first}  # a match may begin behind any character
        for each in reached:
            step = self._steps[each]
            if step.test is not None and step.test(char):
                following.add(step.then[0])
        return self._state(frozenset(following), _AFTER_WORD if is_word(char) else _AFTER_OTHER)

    def _reached(self, state: _State, char: str | None) -> set[int]:
        """All steps that can be reached without taking the next character (None: the end of the line)."""
        reached: set[int] = set()
        waiting = list(state.steps)
        while waiting:
            each = waiting.pop()
            if each in reached:
                continue
            reached.add(each)
            if each == _MATCHED:
                continue
            step = self._steps[each]
            if step.test is None and _holds(step.condition, state.before, char):
                waiting += step.then
        return reached


def _holds(condition: str, before: int, char: str | None) -> bool:
    """Whether a condition holds between what came before and the next character."""
    if not condition:
        return True
    if condition == START:
        return before == _AT_START
    if condition == END:
        return char is None
    edge = (before == _AFTER_WORD) != (char is not None and is_word(char))
    return edge if condition == EDGE else not edge
