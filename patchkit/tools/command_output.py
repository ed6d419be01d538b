"""The output of a command: kept in memory while it is small, in a file of our state directory when it grows.

Takes pieces as they come; returns the text of the answer. An output of more than 20,000 tokens goes to a file, and the
answer has its path and a preview; of an output beyond the limit of the file the beginning and the end are kept. Memory
is bounded by the size of a preview, whatever a command writes.
"""

from __future__ import annotations

import os
from collections import deque
from mmap import ACCESS_READ, mmap

from patchkit.core.workspace.root import Workspace
from patchkit.errors import Note
from patchkit.history.outputs import OutputFile, keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHARS_PER_TOKEN = 4
TOKEN_LIMIT = 20_000
MOST_CHARS = CHARS_PER_TOKEN * TOKEN_LIMIT
MOST_KEPT = 64 << 20  # bytes of one output that go to its file
TAIL = 1 << 20  # bytes of the end that are kept beyond that

TOO_LARGE = """Tool result too large, the result of this tool call {tool_call_id}
was saved in the filesystem at: {file_path}

You can read the result using {reader} with offset and limit parameters.

Here is a preview showing the head and tail of the result:
{content_sample}
"""
_SAMPLE_LINES = 5  # at each end
_SAMPLE_WIDTH = 1000  # characters of each
_WHOLE = 4 * MOST_CHARS  # bytes that may still be no more than so many characters


class CommandOutput:
    """What a command has written so far."""

    def __init__(
        self,
        files: Workspace,
        call_id: str,
        on_output: Callable[[bytes], None] | None = None,
        reader: str = "read_file",
    ) -> None:
        self.call_id = call_id
        self._reader = reader  # the name of the tool that reads a large output
        self.size = 0
        self.lines = 0
        self.notes: list[Note] = []
        self._files = files
        self._on_output = on_output
        self._head: list[bytes] = []  # all of it, until it is too much
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._kept: OutputFile | None = None
        self._written = 0
        self._ends_line = True
        self._grown = False  # too large for the answer

    def take(self, data: bytes) -> None:
        """Takes one piece of output, and passes it to `on_output`."""
        if self._on_output is not None:
            self._on_output(data)
        self.size += len(data)
        self.lines += data.count(b"\n")
        self._ends_line = data.endswith(b"\n")
        if not self._grown:
            self._head.append(data)
            if self.size > _WHOLE:
                self._grow()
        else:
            self._write(data)
            self._remember(data)

    @property
    def path(self) -> str | None:
        """The file with the whole output, where it was too large for the answer."""
        return self._kept.path if self._kept is not None else None

    @property
    def truncated(self) -> bool:
        return self._grown

    def close(self) -> str:
        """Ends the output: returns the text of the answer."""
        if not self._grown:
            text = _decoded(b"".join(self._head))
            if len(text) <= MOST_CHARS:
                return text
            self._grow()
        if self._kept is None:
            return self._cut()
        self._write_end()
        sample = self._sample(self._kept.fd)
        os.close(self._kept.fd)
        told = {"tool_call_id": self.call_id, "file_path": self._kept.path, "reader": self._reader}
        return TOO_LARGE.format(**told, content_sample=sample)

    # -- the file --------------------------------------------------------------------------------

    def _grow(self) -> None:
        """Moves the output from memory to a file; only its beginning and its end stay in memory."""
        self._grown = True
        whole = b"".join(self._head)
        self._head = [whole[:_WHOLE]]
        self._remember(whole[-TAIL:])
        try:
            self._kept = keep(self._files, self.call_id)
        except OSError as error:
            self._note_loss(error)
        self._write(whole)

    def _write(self, data: bytes) -> None:
        if self._kept is None:
            return
        data = data[: MOST_KEPT - self._written]
        try:
            while data:
                count = os.write(self._kept.fd, data)
                self._written += count
                data = data[count:]
        except OSError as error:  # the disk is full: half a file must not pass for the whole output
            os.close(self._kept.fd)
            self._kept = None
            self._note_loss(error)

    def _write_end(self) -> None:
        """Writes what was beyond the limit of the file: how much is missing, and the end."""
        beyond = self.size - self._written
        if self._kept is None or beyond <= 0:
            return
        tail = b"".join(self._tail)[-min(TAIL, beyond) :]
        missing = beyond - len(tail)
        self.notes.append(Note("P972", saved="part", kept=self._written, tail=len(tail), size=self.size))
        try:
            os.write(self._kept.fd, f"\n... [{missing} bytes omitted] ...\n".encode() + tail)
        except OSError:
            pass  # the note says that the end is not there

    def _note_loss(self, error: OSError) -> None:
        self.notes.append(Note("P972", saved="nothing", reason=(error.strerror or str(error)).lower()))

    # -- the two ends ----------------------------------------------------------------------------

    def _remember(self, data: bytes) -> None:
        self._tail.append(data)
        self._tail_size += len(data)
        while self._tail_size - len(self._tail[0]) >= TAIL:
            self._tail_size -= len(self._tail.popleft())

    def _sample(self, fd: int) -> str:
        """The first and the last lines, and how many are between them."""
        total = self.lines + (not self._ends_line)
        head = min(_SAMPLE_LINES, total)
        tail = min(_SAMPLE_LINES, total - head)
        with mmap(fd, 0, access=ACCESS_READ) as content:
            shown = [*_first_lines(content, head), *_last_lines(content, tail)]
        between = total - head - tail
        if between:
            shown.insert(head, f"... [{between} line{'s' if between > 1 else ''} omitted] ...")
        return "\n".join(shown)

    def _cut(self) -> str:
        """The beginning and the end as text, where there is no file."""
        head = _decoded(b"".join(self._head))[: MOST_CHARS // 2]
        tail = _decoded(b"".join(self._tail))[-(MOST_CHARS // 2) :]
        missing = (
            self.size - len(head.encode("utf-8", "surrogateescape")) - len(tail.encode("utf-8", "surrogateescape"))
        )
        return f"{head}\n... [{missing} bytes omitted] ...\n{tail}"


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _first_lines(content: mmap, count: int) -> Iterator[str]:
    at = 0
    for _ in range(count):
        end = content.find(b"\n", at)
        end = len(content) if end < 0 else end
        yield _line(content, at, end)
        at = end + 1


def _last_lines(content: mmap, count: int) -> list[str]:
    end = len(content) - (content[-1:] == b"\n")
    found: list[str] = []
    for _ in range(count):
        start = content.rfind(b"\n", 0, end) + 1
        found.append(_line(content, start, end))
        end = start - 1
    return found[::-1]


def _line(content: mmap, start: int, end: int) -> str:
    """One line of a preview; of one that is too long its beginning."""
    text = _decoded(content[start : min(end, start + 4 * _SAMPLE_WIDTH)])[:_SAMPLE_WIDTH]
    cut = end - start - len(text.encode("utf-8", "surrogateescape"))
    return f"{text} ... [{cut} more bytes in this line]" if cut else text
