"""Search the lines of one file.

Takes an open file and a Matcher; says whether a line matches, how many do, and which. The file is read in windows of
whole lines, however large it is. Binary files are treated as ripgrep treats them: one with a NUL is skipped when a walk
came across it and searched when the caller named it, and nothing behind a NUL is shown.
"""

from __future__ import annotations

import os
from codecs import getincrementaldecoder

from patchkit.search.query import SearchBudget
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from patchkit.search.fallback.matchers import Matcher

    # The number of a line, its bytes, and where the match begins in it; -1 for a line around a match.
    Numbered = tuple[int, bytes, int]

_BLOCK = 64 << 10  # bytes that ripgrep reads at a time; it looks for a NUL in them before anything else


def is_found(opened: int, matcher: Matcher, budget: SearchBudget, named: bool) -> bool:
    """Whether a line of the file matches."""
    seen = 0
    for window in windows(opened, budget):
        hit = matcher.find(window.data, 0)
        nul = -1 if named else window.data.find(0)
        if hit >= 0:
            block_end = ((seen + hit) // _BLOCK + 1) * _BLOCK
            return nul < 0 or seen + nul >= block_end
        if nul >= 0:
            return False
        seen += len(window.data)
    return False


def count(opened: int, matcher: Matcher, budget: SearchBudget, named: bool) -> int:
    """How many lines of the file match; of a file that was named, each piece between two NULs is a line."""
    found = 0
    counted = False  # the line that goes on in the next window
    for window in windows(opened, budget):
        data = window.data
        if 0 in data:
            if not named:
                return 0
            data = data.replace(b"\0", b"\n")
        at = 0 if window.begins or not counted else _behind_line(data, 0)
        counted = counted and at == len(data) and not window.ends
        while (hit := matcher.find(data, at)) >= 0:
            found += 1
            counted = not window.ends and data.find(b"\n", hit) < 0
            at = _behind_line(data, hit)
    return found


def _behind_line(data: bytes, at: int) -> int:
    """Where the line after the one at a place begins."""
    end = data.find(b"\n", at)
    return end + 1 if end >= 0 else len(data)


class MatchingLines:
    """The matching lines of a file, with some lines before and after each; no line comes twice."""

    def __init__(self, matcher: Matcher, before: int, after: int) -> None:
        self._matcher = matcher
        self._before = before
        self._after = after
        self._number = 1  # of the line that comes next
        self._owed = 0  # lines after the last match that are still to be given
        self._last: list[Numbered] = []  # the latest lines that were not given: a match may come right behind them

    def found(self, opened: int, budget: SearchBudget) -> Iterator[Numbered]:
        over = False  # the line that goes on in the next window has matched already
        for window in windows(opened, budget):
            data = window.data.partition(b"\0")[0]
            at = 0 if window.begins or not over else _behind_line(data, 0)
            self._number += 1 if at and data.endswith(b"\n", 0, at) else 0
            over = over and at == len(data) and not window.ends
            while (hit := self._matcher.find(data, at)) >= 0:
                start = data.rfind(b"\n", at, hit) + 1 or at
                yield from self._between(data, at, start)
                yield from self._last
                at = _behind_line(data, hit)
                yield self._number, data[start:at], hit - start
                over = not window.ends and not data.endswith(b"\n", start, at)
                self._number += 0 if over else 1
                self._owed, self._last = self._after, []
            if window.ends:
                yield from self._between(data, at, len(data))
            if len(data) < len(window.data):
                return

    def _between(self, data: bytes, start: int, stop: int) -> Iterator[Numbered]:
        """Passes the lines without a match from `start` to `stop`: gives those that are owed, keeps the latest."""
        while self._owed and start < stop:
            end = min(_behind_line(data, start), stop)
            yield self._number, data[start:end], -1
            self._number += 1
            self._owed -= 1
            start = end
        if start == stop:
            return
        self._number += data.count(b"\n", start, stop)
        if self._before:
            self._last = [*self._last, *self._latest(data, start, stop)][-self._before :]

    def _latest(self, data: bytes, start: int, stop: int) -> list[Numbered]:
        """The last lines before `stop`, as many as may be wanted."""
        found: list[Numbered] = []
        number = self._number
        while start < stop and len(found) < self._before:
            begin = data.rfind(b"\n", start, stop - 1) + 1 or start
            number -= 1
            found.append((number, data[begin:stop], -1))
            stop = begin
        return found[::-1]


# -- windows of whole lines ----------------------------------------------------------------------

_WINDOW = 1 << 20
LONGEST_LINE = 16 << 20
_OVERLAP = 64 << 10


class LineWindow(Value):
    """Whole lines, or a piece of one that is longer than a window: `begins` and `ends` say whether a line does so.

    The pieces of a long line overlap, so that what lies on a border is whole in one of them.
    """

    __slots__ = ("data", "begins", "ends")
    data: bytes
    begins: bool
    ends: bool

    def __init__(self, data: bytes, begins: bool = True, ends: bool = True) -> None:
        self.data = data
        self.begins = begins
        self.ends = ends


def windows(opened: int, budget: SearchBudget) -> Iterator[LineWindow]:
    """The windows of a file, as UTF-8 without a byte order mark; they end early when the budget is spent."""
    pieces: list[bytes] = []
    length = 0
    begins = True
    for block in _text(opened, budget):
        end = block.rfind(b"\n") + 1
        if end:
            yield LineWindow(b"".join([*pieces, block[:end]]), begins)
            pieces, length, begins = [], 0, True
        pieces.append(block[end:])
        length += len(block) - end
        if length > LONGEST_LINE:
            data = b"".join(pieces)
            yield LineWindow(data, begins, ends=False)
            pieces, length, begins = [data[-_OVERLAP:]], _OVERLAP, False
    if length:
        yield LineWindow(b"".join(pieces), begins)


def _text(opened: int, budget: SearchBudget) -> Iterator[bytes]:
    """The file as UTF-8, block by block; the position of its handle does not change."""
    decode: Callable[[bytes, bool], bytes] | None = None
    at = 0
    while not budget.late():
        block = os.pread(opened, _WINDOW, at)
        if at == 0:
            decode = _decoder(block)
        at += len(block)
        text = decode(block, not block) if decode is not None else block
        if text:
            yield text if at > len(block) or decode is not None else text.removeprefix(b"\xef\xbb\xbf")
        if not block:
            return


def _decoder(beginning: bytes) -> Callable[[bytes, bool], bytes] | None:
    """What turns UTF-16 into UTF-8; None for a file that is not UTF-16."""
    if beginning[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return None
    decoder = getincrementaldecoder("utf-16")("replace")
    return lambda block, final: decoder.decode(block, final).encode("utf-8", "replace")
