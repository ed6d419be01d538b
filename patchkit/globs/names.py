"""Whether a text fits tokens: the one matcher of all patterns.

Takes the tokens of a pattern; gives a test of texts: of one name, or of a whole path where the tokens hold slashes.
No pattern makes a test slow. There are three ways to test, the first that can do it is taken:

- A text, a beginning, an ending: methods of `str`. Most patterns are one of these, and walks test every name.
- Wildcards and classes: a regular expression in which a `*` takes the first place where what follows it fits, and
  never a second one, so the work grows with the name alone.
- Choices, numbers, and whole paths, where only some stars cross slashes: the first place is not always right, so all
  ways are followed at once. The work grows with the length of the text times that of the pattern, and no faster.
"""

from __future__ import annotations

import re

from patchkit.globs.syntax import DEEP, GIT, ONE, STAR, CharClass, Number, OneOf, Syntax, Token, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Test = Callable[[str], object]  # true where a text fits

MOST_WORK = 1_000_000  # characters of patterns times those of a name: a hundred times what honest files come to
_SPECIAL = frozenset("*?[\\")


class Segment:
    """A pattern of one name.

    `literal` is the only name that fits, and `ending` what is asked of the end of a name where nothing else is asked:
    None where that is not so. `dotted` says that the pattern begins with a dot itself, and so asks for hidden names.
    """

    __slots__ = ("fits", "literal", "ending", "dotted")

    def __init__(self, fits: Test, literal: str | None = None, ending: str | None = None, dotted: bool = False) -> None:
        self.fits = fits
        self.literal = literal
        self.ending = ending
        self.dotted = dotted


def segment(text: str, syntax: Syntax = GIT) -> Segment:
    """The pattern of one name; raises `PatternError` where it means nothing."""
    if is_plain(text):
        return Segment(text.__eq__, literal=text, dotted=text.startswith("."))
    row = tokens(text, syntax)
    dotted = row[:1] == ["."]
    plain = _plain(row)
    if plain is not None and len(plain) == 1:
        return Segment(plain[0].__eq__, literal=plain[0], dotted=dotted)
    if plain is not None and not plain[0]:
        ending = plain[1]
        return Segment(lambda name: name.endswith(ending), ending=ending)
    return Segment(matcher_of(row), dotted=dotted)


def is_plain(text: str) -> bool:
    """Whether a pattern of a name has no wildcards, classes or escapes."""
    return _SPECIAL.isdisjoint(text)


def matcher_of(row: Sequence[Token]) -> Test:
    """The test of a row of tokens."""
    if any(isinstance(token, OneOf | Number) or token in (DEEP, "/") for token in row):
        return _AllWays(row).fits
    plain = _plain(row)
    if plain is None:
        return re.compile(in_order([expression(token) for token in row], ".*"), re.DOTALL).fullmatch
    if len(plain) == 1:
        return plain[0].__eq__
    first, last = plain
    least = len(first) + len(last)
    return lambda name: len(name) >= least and name.startswith(first) and name.endswith(last)


def _plain(row: Sequence[Token]) -> list[str] | None:
    """The text of a row without wildcards, or what is in front of its only star and what behind it; None for others."""
    texts = [""]
    for token in row:
        if token == STAR:
            texts.append("")
        elif isinstance(token, str) and len(token) == 1:
            texts[-1] += token
        else:
            return None
    return texts if len(texts) < 3 else None


class AnyOf:
    """Patterns of names, tested at once. Most names are seen by their first character to match none."""

    __slots__ = ("_rows", "_tests", "_known")

    def __init__(self, rows: Iterable[tuple[Token, ...]], known: dict[tuple[Token, ...], Test]) -> None:
        """`rows` are the tokens of each pattern; `known` keeps their tests, for others that have the same ones."""
        self._known = known
        self._rows: dict[str, list[tuple[Token, ...]]] = {}  # by their first character; '' for wildcards
        self._tests: dict[str, list[Test]] = {}  # the same rows as tests, made when there is such a name
        for row in dict.fromkeys(rows):
            first = row[0] if row and isinstance(row[0], str) and len(row[0]) == 1 else ""
            self._rows.setdefault(first, []).append(row)

    def fits(self, name: str) -> bool:
        return (name[:1] in self._rows and self._one_fits(name[:1], name)) or (
            "" in self._rows and self._one_fits("", name)
        )

    def _one_fits(self, first: str, name: str) -> bool:
        tests = self._tests.get(first)
        if tests is None:
            tests = self._tests[first] = [self._test(row) for row in self._rows[first]]
        return any(test(name) for test in tests)

    def _test(self, row: tuple[Token, ...]) -> Test:
        found = self._known.get(row)
        if found is None:
            found = self._known[row] = matcher_of(row)
        return found


# -- regular expressions -------------------------------------------------------------------------


def expression(token: Token, anything: str = ".") -> str | None:
    """The regular expression of a token that is one character, None for a star."""
    if token == STAR:
        return None
    if token == ONE:
        return anything
    if isinstance(token, str):
        return re.escape(token)
    assert isinstance(token, CharClass), "the other tokens are not for regular expressions"
    inside = "".join(f"{_escaped(low)}-{_escaped(high)}" for low, high in token.ranges if low <= high)
    if not inside:  # there is no regular expression for an empty class
        return anything if token.negated else "(?!)"
    return f"[^{inside}]" if token.negated else f"[{inside}]"


def _escaped(char: str) -> str:
    return char if char.isalnum() or char == "_" or not char.isascii() else "\\" + char


def in_order(pieces: Sequence[str | None], anything: str) -> str:
    """The regular expression of pieces in a row, with `anything` where a piece is None.

    What is between two stars has a fixed length, so its first place is as good as any: the atomic group `(?>…)` keeps
    it, and only the last piece, which is bound to the end, is looked for from there. Without that a name of many
    equal letters would cost the square, the cube and so on of its length.
    """
    runs = [""]
    for piece in pieces:
        if piece is None:
            runs.append("")
        else:
            runs[-1] += piece
    if len(runs) == 1:
        return runs[0]
    return f"{runs[0]}{''.join(f'(?>{anything}?{run})' for run in runs[1:-1])}{anything}{runs[-1]}"


# -- all ways at once ----------------------------------------------------------------------------


class _AllWays:
    """A row of tokens as states, each of which knows the states behind it; state 0 is the end.

    Only states are looked at, so a choice within a choice costs what its characters cost.
    """

    __slots__ = ("_tokens", "_next", "_start", "_numbers", "_taking")

    def __init__(self, row: Sequence[Token]) -> None:
        self._tokens: list[Token] = [""]
        self._next: list[list[int]] = [[]]
        self._start = self._chained(row, 0)
        self._numbers = {state: token for state, token in enumerate(self._tokens) if isinstance(token, Number)}
        self._taking: dict[str, set[int]] = {}  # by character, the states that take it

    def _chained(self, row: Sequence[Token], end: int) -> int:
        """The first state of a row that goes on at `end`."""
        for token in reversed(row):
            follow = [self._chained(way, end) for way in token.ways] if isinstance(token, OneOf) else [end]
            self._tokens.append(token)
            self._next.append(follow)
            end = len(self._tokens) - 1
        return end

    def fits(self, text: str) -> bool:
        waiting: dict[int, set[int]] = {}  # states that begin at a later character
        current = self._open({self._start})
        for at, char in enumerate(text):
            taking = self._taking.get(char)
            if taking is None:
                taking = {state for state, token in enumerate(self._tokens) if _takes(token, char)}
                self._taking[char] = taking
            ahead = {
                state if self._tokens[state] in (STAR, DEEP) else self._next[state][0] for state in current & taking
            }
            for state in current & self._numbers.keys():
                for stop in self._numbers[state].ends(text, at):
                    waiting.setdefault(stop, set()).add(self._next[state][0])
            current = self._open(ahead | waiting.pop(at + 1, set()))
            if not current and not waiting:
                return False
        return 0 in current

    def _open(self, states: set[int]) -> set[int]:
        """The states that can be reached from these without a further character."""
        found: set[int] = set()
        pending = list(states)
        while pending:
            state = pending.pop()
            if state not in found:
                found.add(state)
                token = self._tokens[state]
                if isinstance(token, OneOf) or token in (STAR, DEEP):
                    pending += self._next[state]
        return found


def _takes(token: Token, char: str) -> bool:
    """Whether a token can be, or go on with, this character."""
    if token in (DEEP, char):
        return True
    if token in (STAR, ONE):
        return char != "/"
    return isinstance(token, CharClass) and token.holds(char)
