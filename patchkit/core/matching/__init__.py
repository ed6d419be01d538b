"""The passes, and what locating gives: a Match where a hunk has its place, else a Miss."""

from __future__ import annotations

from patchkit.errors import Note
from patchkit.values import Record, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from patchkit.core.language import Hunk
    from patchkit.core.text import Document

    class LinesView(Protocol):
        """A file's lines as a pass sees them, and where lines and words are among them."""

        lines: list[str]

        @property
        def size(self) -> int: ...
        def numbers(self, line: str) -> list[int]: ...
        def holding(self, words: list[str], most: int) -> list[list[int]]: ...

    class LinesReach(Protocol):
        """Which lines the anchors of a hunk reach."""

        def spans(self) -> list[tuple[int, int]]: ...
        def covers(self, start: int, stop: int) -> bool: ...

    class Tolerance(Protocol):
        """What locating reads of a run's options: the most tolerant pass, whether anchors may be missing, whether the
        first of several places is taken, and the work that explaining refusals may still do (None: all of it).
        """

        max_pass: str
        lost_anchors: bool
        budget: WorkBudget | None

        @property
        def first_wins(self) -> bool: ...


# Every tolerance by name, strictest first: four passes, then what `rewrites` and `inexact` try.
NAMES = ("exact", "trailing-space", "surrounding-space", "typography", "rewritten", "blank-lines", "context-line")

# The numbers that several modules compare with. The first five bound work, as those of single modules do: with half or
# twice of all of them no answer changed in 1,000 cases of models' patches and of the accuracy benchmark. FEW is also
# how often a line may occur that shows a place to repair. The others were set by these cases; in
# brackets how many of 217 answers (of 248 for WORD, MANY and LIKE) change with half and with twice of it, as
# `python -m benchmarks.thresholds` counts them.
FEW = 64  # places, lines or hunks that are looked at one by one
SHOWN = 20  # places that are listed in words, with what would choose each
MOST_EXPLAINED = 1_000  # hunks of a refused patch, and places of one hunk
MOST_COMPARED = 2_000_000  # lines that are compared for one hunk, or in one file
LONGEST = 500  # characters of a line that are compared
SEVERAL = 3  # lines that show a place, or that something is there, where one or two may be chance [38, 7]
WORD = 4  # letters and digits of a line that is not everywhere [1, 1]
MANY = 16  # and of lines that are recognised without others [1, 2]
RUN = 5  # lines that are added together before it is asked whether they are there in part [0, 0]
LIKE = 0.6  # how much of two lines is the same where one may be the other with a slip [1, 4]

# Words that open a definition.
DEFINING = frozenset(
    b"class def enum fn fun func function interface macro_rules proc procedure protocol record struct sub trait "
    b"union".split()
)

OF_SCOPES = ("P202", "P211")  # codes of a Miss with several places in the scope of its anchors, or with none


class WorkBudget(Record):
    """Work that explaining the refusals of one run may do, in characters searched; not time, so answers never vary."""

    left: int = 1_500_000_000

    def spend(self, amount: int) -> bool:
        """Takes from the budget; False once it is used up."""
        self.left -= amount
        return self.left > 0


class Match(Value):
    """Where a hunk sits: its first line (from 0), where that begins in the data, how many lines, and why there.

    `line` may be unknown until it is asked for; then it is counted for all offsets in `numbers` at once. Counting lines
    is a good part of a large exact run, and a plain run never asks.
    """

    __slots__ = ("_line", "numbers", "offset", "count", "pass_name", "evidence", "notes", "lines", "pairs")
    _place = ("_line", "numbers", "evidence")  # the offset says where
    _line: int | None
    numbers: tuple[Document, dict[int, int]] | None  # the file, and the line at each offset of a match, once known
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
            document, lines = self.numbers
            line = seen = 0
            for offset in lines if lines[self.offset] < 0 else ():
                line += document.data.count(document.separator, seen, offset)
                lines[offset], seen = line, offset
            self._line = lines[self.offset]
        return self._line if self._line is not None else 0

    def forget_document(self) -> None:
        """Counts the line while that can be done."""
        self._line, self.numbers = self.line, None

    def __repr__(self) -> str:
        return f"Match(line={self.line}, count={self.count}, pass_name={self.pass_name!r}, evidence={self.evidence!r})"


class Miss(Value):
    """Why a hunk has no place: the code, the facts, and the places that were in question.

    `ambiguity` is for those who look for what would choose one of them; `sought` is what was looked for and is nowhere.
    """

    __slots__ = ("code", "facts", "candidates", "ambiguity", "sought")
    _place = ("ambiguity", "sought")
    code: str
    facts: dict[str, object]
    candidates: list[int]
    ambiguity: object  # an Ambiguity, where there is one
    sought: Sought | None

    def __init__(self, code: str, candidates: list[int] | None = None, **facts: object) -> None:
        self.code = code
        self.facts = facts
        self.candidates = candidates if candidates is not None else []
        self.ambiguity = None
        self.sought = None


class Sought(Record):
    """Lines that are nowhere: the old lines of a hunk, where they were looked for, and the reach of its anchors.

    `view` shows the file's lines as the most tolerant pass sees them; `removed` are those of the old lines, by their
    numbers, that the hunk removes.
    """

    old: list[str]
    texts: list[str]
    view: LinesView
    reach: LinesReach | None
    removed: frozenset[int] = frozenset()


def listed(lines: list[int], count: int | None = None) -> dict[str, object]:
    """Line numbers as facts of a Miss: how many there are in all, the first, and the first ones in words."""
    count = len(lines) if count is None else count
    shown = lines[:SHOWN]
    more = f" and {count - len(shown):,} more" if count > len(shown) else ""
    words = ", ".join([str(line) for line in shown]) + more
    return {"count": count, "places": f"{'line' if count == 1 else 'lines'} {words}", "line": lines[0]}


def says_it_by_text(hunk: Hunk) -> bool:
    """Whether a hunk has no mark beside its text, its anchors and a line number.

    One whose old lines are together in what it makes is not plain: that may be there already.
    """
    if hunk.at_eof or hunk.unsigned:
        return False
    lines = hunk.lines
    gone = [line for line in lines if line[0] == "-"]
    if gone and gone[0][1:].strip() not in [line[1:].strip() for line in lines if line[0] == "+"]:
        return True  # as most are
    return {line[0] for line in lines} > {"+"} and not held_at(lines)  # one that changes nothing is only looked for


def held_at(lines: list[str]) -> list[int]:
    """The rows of what a hunk makes from which on its old lines are together, whatever their margins.

    The first and the last, where lines repeat; none where nothing but blank lines is put around them.
    """
    bare = [line[1:].strip() for line in lines]
    old, new = ("\n".join(["", *[text for line, text in zip(lines, bare) if line[0] != sign], ""]) for sign in "+-")
    found = [at for at in dict.fromkeys((new.find(old), new.rfind(old))) if at >= 0]
    return [new.count("\n", 0, at) for at in found if (new[:at] + new[at + len(old) :]).strip()]


def where_added(texts: list[str], lines: list[str], at: int, size: int) -> int | None:
    """Where among the lines of a file what a hunk makes is already, around its old lines; None where it is not.

    These are the `size` lines from `at` on. Whitespace at the ends of lines may be gone since.
    """
    new = [line for line in lines if line[0] != "-"]
    count = sum(line[0] != "+" for line in lines)
    for first in held_at(lines):
        start, last = at - first, first + count
        kept = texts[at : at + size] if size == count else [line[1:] for line in new[first:last]]
        there = [*texts[max(start, 0) : at], *kept, *texts[at + size : at + size + len(new) - last]]
        if len(there) == len(new) and all(
            text.rstrip() == line[1:].rstrip()
            or (line[0] == " " and (first <= row < last or text.strip() == line.strip()))
            for row, (text, line) in enumerate(zip(there, new))
        ):
            return start
    return None


def may_share(above: list[str], old: list[str], hunks: tuple[Hunk, Hunk]) -> bool:
    """Whether a hunk may have a place that begins on the lines of the hunk above it, which must be looked into.

    The old lines are those that a pass sees of the two hunks. What one of them changes is not shown by the other.
    """
    if old[0] not in above[1:]:
        return False
    first, second = ("".join([line[0] for line in hunk.lines]) for hunk in hunks)
    shown = len(first) - len(first.rstrip(" ")) + len(second) - len(second.lstrip(" "))
    starts = [at for at in range(max(1, len(above) - shown), len(above)) if above[at] == old[0]]
    if len(starts) > FEW:
        return True  # as good as any answer, and cheaper
    return any(above[at : at + len(old)] == old[: len(above) - at] for at in starts)
