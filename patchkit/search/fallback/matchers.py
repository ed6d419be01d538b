"""What a search without ripgrep looks for: a text, or a regular expression.

Takes a query; gives a Matcher, which finds the next matching line in a window of lines. Its `needle` is a text that is
in every match (b'' where none is known), so that most files are decided by a search for bytes alone.
"""

from __future__ import annotations

from patchkit.search.fallback.regex import Automaton
from patchkit.search.fallback.regex_syntax import literal, parse, required
from patchkit.search.query import Query, SearchBudget

_LINES = 256  # lines between two checks of the budget


class Matcher:
    """A plain text."""

    def __init__(self, needle: bytes) -> None:
        self.needle = needle

    def find(self, data: bytes, at: int) -> int:
        """A place in the first matching line from `at` on, which is the beginning of a line; -1 if there is none."""
        return data.find(self.needle, at)


class Expression(Matcher):
    """A regular expression, or a text in any case. When the budget is spent it finds nothing more."""

    def __init__(self, needle: bytes, automaton: Automaton, budget: SearchBudget) -> None:
        super().__init__(needle)
        self._automaton = automaton
        self._late = budget.late

    def find(self, data: bytes, at: int) -> int:
        lines = 0
        while at < len(data):
            lines += 1
            if not lines % _LINES and self._late():
                return -1
            if self.needle:
                hit = data.find(self.needle, at)
                if hit < 0:
                    return -1
                at = data.rfind(b"\n", at, hit) + 1 or at
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            line = data[at:end].decode("utf-8", "surrogateescape")
            found = self._automaton.find(line, self._late)
            if found >= 0:
                return at + len(line[:found].encode("utf-8", "surrogateescape"))
            at = end + 1
        return -1


def matcher(query: Query, budget: SearchBudget) -> Matcher:
    """The Matcher of a query; raises `UnsupportedError` for an expression that only ripgrep reads."""
    if not query.regex and not query.ignore_case:
        return Matcher(query.pattern.encode("utf-8", "surrogateescape"))
    tree = (parse if query.regex else literal)(query.pattern, query.ignore_case)
    return Expression(required(tree).encode("utf-8", "surrogateescape"), Automaton(tree), budget)
