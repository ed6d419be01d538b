"""A file's text in windows of whole lines, however large the file is.

Takes an open file; gives its bytes as UTF-8, decoded where a byte order mark says that they are UTF-16, without the
mark. A window ends with a line, except where a line is longer than any window: its pieces then overlap, so that what
stands on a border is whole in one of them.
"""

from __future__ import annotations

import os

from patchkit.search.budget import Budget
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BLOCK = 1 << 20
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
        block = os.pread(opened, _BLOCK, at)
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
