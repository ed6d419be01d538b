"""The search without ripgrep: the lines of one file against what is looked for.

Takes an open file and a Matcher; says whether it is found in it, in how many lines, and in which. Binary files are
treated as ripgrep treats them: one with a NUL is skipped when it was only met on the way, searched when somebody named
it, and in no case is shown what stands behind a NUL.
"""

from __future__ import annotations

import os

from patchkit.search.query import Budget
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from patchkit.search.fallback.matchers import Matcher

    Told = tuple[
        int, bytes, int
    ]  # the number of a line, its bytes, where the match begins in it (-1: a line around one)
    from collections.abc import Callable


_BLOCK = 64 << 10  # ripgrep reads so much at a time, and looks for a NUL in it before it looks for anything else


def is_found(opened: int, matcher: Matcher, budget: Budget, named: bool) -> bool:
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


def count(opened: int, matcher: Matcher, budget: Budget, named: bool) -> int:
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


class Lines:
    """The matching lines of a file with so many lines before and after each; none is told twice."""

    def __init__(self, matcher: Matcher, before: int, after: int) -> None:
        self._matcher = matcher
        self._before = before
        self._after = after
        self._number = 1  # of the line that comes next
        self._owed = 0  # lines after the last match that are still to be told
        self._last: list[Told] = []  # the latest lines that were not told: a match may come right behind them

    def told(self, opened: int, budget: Budget) -> Iterator[Told]:
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

    def _between(self, data: bytes, start: int, stop: int) -> Iterator[Told]:
        """Passes the lines without a match from `start` to `stop`: tells those that are owed, keeps the latest."""
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

    def _latest(self, data: bytes, start: int, stop: int) -> list[Told]:
        """The last lines before `stop`, as many as may be wanted."""
        found: list[Told] = []
        number = self._number
        while start < stop and len(found) < self._before:
            begin = data.rfind(b"\n", start, stop - 1) + 1 or start
            number -= 1
            found.append((number, data[begin:stop], -1))
            stop = begin
        return found[::-1]


# -- windows: A file's text in windows of whole lines, however large the file is. Takes an open file; gives its
# bytes as UTF-8, decoded where a byte order mark says that they are UTF-16, without the mark. A
# window ends with a line, except where a line is longer than any window: its pieces then overlap, so
# that what stands on a border is whole in one of them.

_WINDOW = 1 << 20
LONGEST_LINE = 16 << 20
_OVERLAP = 64 << 10


class Window(Value):
    """Lines, or a piece of one: `begins` and `ends` say whether a line does so at its borders."""

    __slots__ = ("data", "begins", "ends")
    data: bytes
    begins: bool
    ends: bool

    def __init__(self, data: bytes, begins: bool = True, ends: bool = True) -> None:
        self.data = data
        self.begins = begins
        self.ends = ends


def windows(opened: int, budget: Budget) -> Iterator[Window]:
    """The windows of a file from its beginning; they end early when the budget is spent."""
    pieces: list[bytes] = []
    length = 0
    begins = True
    for block in _text(opened, budget):
        end = block.rfind(b"\n") + 1
        if end:
            yield Window(b"".join([*pieces, block[:end]]), begins)
            pieces, length, begins = [], 0, True
        pieces.append(block[end:])
        length += len(block) - end
        if length > LONGEST_LINE:
            data = b"".join(pieces)
            yield Window(data, begins, ends=False)
            pieces, length, begins = [data[-_OVERLAP:]], _OVERLAP, False
    if length:
        yield Window(b"".join(pieces), begins)


def _text(opened: int, budget: Budget) -> Iterator[bytes]:
    """The file as UTF-8, block by block; nothing of it is kept, and its position is left alone."""
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
    """What turns UTF-16 into UTF-8, None for a file that is no UTF-16."""
    if beginning[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return None
    from codecs import getincrementaldecoder

    decoder = getincrementaldecoder("utf-16")("replace")
    return lambda block, final: decoder.decode(block, final).encode("utf-8", "replace")
