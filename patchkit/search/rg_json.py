"""The output of `rg --json`: pieces of bytes become Lines.

Takes the pieces as they come, and the paths of the files that were searched under other names; gives the lines that
match and those around them, in the order they were told. An event as long as no line should be is left out and counted.
"""

from __future__ import annotations

import json
from binascii import a2b_base64

from patchkit.search.clipping import shown
from patchkit.search.query import Line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST_EVENT = 32 << 20


class Reader:
    """Reads the events of one run; `names` maps the name a file was searched by to its path."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        self.left_out = 0  # events that were too long to be read

    def lines(self, pieces: Iterable[bytes]) -> Iterator[Line]:
        """The lines of one file after the other; of a file with a NUL, those in front of it."""
        told: list[tuple[int, Line]] = []  # where each line of the file begins, and the line
        for text in self._events(pieces):
            event = json.loads(text)
            kind, data = event["type"], event["data"]
            if kind in ("match", "context"):
                told.append((data["absolute_offset"], self._line(data, kind == "match")))
            elif kind == "end":
                nul = data["binary_offset"]
                yield from (line for at, line in told if nul is None or at < nul)
                told = []
        yield from (line for _, line in told)  # a file that was not searched to its end

    def _events(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """The lines of the output, however it was cut into pieces."""
        begun: list[bytes] = []
        length = 0
        for piece in pieces:
            first, newline, rest = piece.partition(b"\n")
            length += len(first)
            if length <= LONGEST_EVENT:
                begun.append(first)
            else:
                begun.clear()
            if not newline:
                continue
            if length <= LONGEST_EVENT:
                yield b"".join(begun)
            else:
                self.left_out += 1
            *whole, last = rest.split(b"\n")
            yield from whole
            begun, length = [last], len(last)

    def _line(self, data: dict[str, object], matches: bool) -> Line:
        found: list[dict[str, int]] = data["submatches"]  # type: ignore[assignment]
        text, clipped = shown(_bytes(data["lines"]), found[0]["start"] if found else 0)
        path = self._names[_bytes(data["path"]).decode("utf-8", "surrogateescape")]
        number: int = data["line_number"]  # type: ignore[assignment]
        return Line(path, number, text, matches, clipped)


def _bytes(told: object) -> bytes:
    """A text of an event: as text, or in base64 where it is no UTF-8."""
    text: dict[str, str] = told  # type: ignore[assignment]
    return text["text"].encode() if "text" in text else a2b_base64(text["bytes"])
