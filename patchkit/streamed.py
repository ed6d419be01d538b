"""A patch that is being written, as a host program reads it.

Takes text or bytes in any pieces; gives what has arrived, or raises with words for a program. What a piece completes,
and what can be said of it so far, is found out by `changes.streaming`.
"""

from __future__ import annotations

from codecs import getincrementaldecoder

from patchkit.changes.options import Options
from patchkit.changes.sources import Files
from patchkit.changes.streaming import Arrival, PatchStream
from patchkit.errors import PatchkitError
from patchkit.host_input import for_library
from patchkit.language.model import Patch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator


class StreamedPatch:
    """A patch that is being written. `patch` is all of it once it has ended, None before."""

    def __init__(
        self, pieces: Iterable[str | bytes] | AsyncIterable[str | bytes], files: Files | None, options: Options
    ) -> None:
        self.patch: Patch | None = None
        self._pieces = pieces
        self._strict = options.strict
        self._stream = PatchStream(files, options)
        self._decoder = getincrementaldecoder("utf-8")("surrogateescape")

    def feed(self, piece: str | bytes) -> list[Arrival]:
        """Takes more text and returns what it completed; raises what makes the patch impossible."""
        if not isinstance(piece, (str, bytes)):
            given = type(piece).__name__
            raise for_library(PatchkitError("P601", option="a piece", given=given, allowed="str or bytes"))
        try:
            return self._stream.feed(self._decoder.decode(piece) if isinstance(piece, bytes) else piece)
        except PatchkitError as error:
            raise for_library(error, self._stream.text, self._strict) from None

    def finish(self) -> Patch:
        """Ends the text and returns the whole patch; raises what is wrong with it, as `parse` does."""
        try:
            self._stream.feed(self._decoder.decode(b"", True))
            self.patch = self._stream.finish()
            return self.patch
        except PatchkitError as error:
            raise for_library(error, self._stream.text, self._strict) from None

    def __iter__(self) -> Iterator[Arrival]:
        for piece in self._pieces:  # type: ignore[union-attr]  # pieces that come with `async` are for `async for`
            yield from self.feed(piece)
        self.finish()

    async def __aiter__(self) -> AsyncIterator[Arrival]:
        async for piece in self._pieces:  # type: ignore[union-attr]  # as above
            for arrival in self.feed(piece):
                yield arrival
        self.finish()
