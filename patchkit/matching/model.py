"""The passes there are, and the Match it gives where a hunk has its place."""

from __future__ import annotations

from patchkit.errors import Note
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from patchkit.matching.near_miss import Budget
    from patchkit.text.document import Document

    class Tolerance(Protocol):
        """What locating reads of a run's options: the most tolerant pass, whether anchors may be missing, whether the
        first of several places is taken, and the work that near misses may still do (None: all of it).
        """

        max_pass: str
        lost_anchors: bool
        budget: Budget | None

        @property
        def first_wins(self) -> bool: ...


# Every tolerance by name, strictest first: four passes, then what `rewrites` and `nearly` try.
NAMES = (
    *("exact", "trailing-space", "surrounding-space", "typography"),
    *("rewritten", "blank-lines", "context-line"),
)


class Match(Value):
    """Where a hunk sits: its first line (from 0), where that begins in the data, how many lines, and why there.

    `line` may be left open until somebody asks, and then is counted for all of `numbers`: counting lines is a good part
    of a large exact run.
    """

    __slots__ = ("_line", "numbers", "offset", "count", "pass_name", "evidence", "notes", "lines", "pairs")
    _place = ("_line", "numbers", "evidence")  # the offset says where
    _line: int | None
    numbers: tuple[Document, list[Match]] | None  # the file, and all matches in it
    offset: int
    count: int
    pass_name: str
    evidence: list[str]
    notes: list[Note]
    lines: list[str]  # the hunk's lines as they are to be applied: added ones re-indented where needed
    pairs: list[int] | None  # the file's line for each old line, -1 for none; None when they simply follow each other

    def __init__(self, line: int | None, offset: int, lines: list[str], count: int, pass_name: str = "exact") -> None:
        self._line = line
        self.numbers = None
        self.offset = offset
        self.count = count
        self.pass_name = pass_name
        self.evidence = []
        self.notes = []
        self.lines = lines
        self.pairs = None

    @property
    def line(self) -> int:
        if self._line is None and self.numbers is not None:
            document, matches = self.numbers
            line = seen = 0
            for match in matches:
                line += document.data.count(document.separator, seen, match.offset)
                match._line, seen = line, match.offset
        return self._line if self._line is not None else 0

    def __repr__(self) -> str:
        return f"Match(line={self.line}, count={self.count}, pass_name={self.pass_name!r}, evidence={self.evidence!r})"


# -- miss: What locating gives where a hunk has no place, or more than one. Loaded when there is such a hunk.


class Miss(Value):
    """Why a hunk has no place: the code, the facts, and the places that were in question.

    `chooser`, a choices.Chooser where there is one, knows what would choose each of them.
    """

    __slots__ = ("code", "facts", "candidates", "chooser")
    _place = ("chooser",)
    code: str
    facts: dict[str, object]
    candidates: list[int]
    chooser: object

    def __init__(self, code: str, candidates: list[int] | None = None, **facts: object) -> None:
        self.code = code
        self.facts = facts
        self.candidates = candidates if candidates is not None else []
        self.chooser = None


def listed(lines: list[int], count: int | None = None) -> dict[str, object]:
    """Line numbers as facts of a Miss: how many there are in all, the first, and the first twenty in words."""
    count = len(lines) if count is None else count
    shown = ", ".join(str(line) for line in lines[:20])
    more = f" and {count - 20:,} more" if count > 20 else ""
    return {"count": count, "places": f"{'line' if count == 1 else 'lines'} {shown}{more}", "line": lines[0]}
