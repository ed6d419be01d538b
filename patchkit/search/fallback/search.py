"""Search without ripgrep: a walk through the directories that looks into every file.

Takes a query and where to search; gives hits and lines as `ripgrep` does. Every file is opened by its name in a
directory handle and read into one buffer; only files that hold the needle are searched line by line.
"""

from __future__ import annotations

import os
from errno import EAGAIN, ELOOP, ENOENT

from patchkit.errors import PatchkitError
from patchkit.globs.names import Segment, segment
from patchkit.globs.paths import Level, level
from patchkit.search.fallback.matchers import Matcher, matcher
from patchkit.search.fallback.regex_syntax import UnsupportedError
from patchkit.search.fallback.scanning import MatchingLines, count, is_found
from patchkit.search.file_types import patterns_of
from patchkit.search.ignoring import rules_above
from patchkit.search.query import COUNT, FileFilter, FoundLine, Hit, Query, SearchBudget, filter_level, shown
from patchkit.search.walk import DirectoryWalk, Folder, gather
from patchkit.workspace.directories import READING, Parts, close, reason
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from patchkit.search.walk import Found

_BUFFER = 1 << 20


class PythonSearch:
    """One query. `late` says that time ran out, `unreadable` what could not be opened."""

    def __init__(self, files: Workspace, query: Query, budget: SearchBudget) -> None:
        self._files = files
        self._query = query
        self._budget = budget
        self._matcher = _matcher(query, budget)
        self._types = _types(query)
        self._others = FileFilter(query.glob) if query.glob.startswith("!") else None
        self._buffer = bytearray(_BUFFER)
        self.late = False
        self.left_out = 0  # no line is too long to be shown here
        self.unreadable: list[tuple[str, str]] = []  # path from the root, why

    def below(self, start: Parts) -> list[Hit]:
        """The files below a directory in which the query is found."""
        above = None if self._query.ignored else rules_above(self._files, start)
        walk = DirectoryWalk(self._files, self._budget, start, self._level(), above)
        begin = len("".join(f"{part}/" for part in start))
        found = gather(walk, lambda folder: self._take(folder, folder.path[begin:].split("/")[:-1]))
        self.late = self.late or bool(walk.stopped) or self._budget.late()
        self.unreadable += walk.unreadable
        return [Hit(path, modified, lines) for path, modified, lines in found]

    def among(self, opened: list[tuple[str, int]]) -> list[tuple[str, int]]:
        """Those of some open files in which the query is found, and how many of their lines match."""
        found = []
        for path, handle in opened:
            try:
                lines = self._lines_in(handle, named=True)
            except OSError as error:
                self.unreadable.append((path, reason(error)))
                continue
            if lines is not None:
                found.append((path, lines))
        self.late = self.late or self._budget.late()
        return found

    def lines(self, opened: list[tuple[str, int]], most: int) -> Generator[FoundLine]:
        """The matching lines of open files, file by file in this order; of each file `most` at the most (0: all)."""
        for path, handle in opened:
            matching = 0
            lines = MatchingLines(self._matcher, self._query.before, self._query.after)
            try:
                for number, line, at in lines.found(handle, self._budget):
                    text, clipped = shown(line, max(at, 0))
                    yield FoundLine(path, number, text, at >= 0, clipped)
                    matching += at >= 0
                    if matching == most and most:
                        break
            except OSError as error:
                self.unreadable.append((path, reason(error)))
        self.late = self.late or self._budget.late()

    # -- walking ---------------------------------------------------------------------------------

    def _level(self) -> Level:
        glob = self._query.glob
        return filter_level(glob, self._query.hidden) if glob and not self._others else level("**", self._query.hidden)

    def _take(self, folder: Folder, above: list[str]) -> Found:
        """The files of one directory in which the query is found: path, time of change, number of lines."""
        found: Found = []
        if not self._query.hidden and any(part.startswith(".") for part in above):
            return found  # a pattern of files that spells a dot does not ask for hidden directories
        for entry in folder.entries:
            if not entry.is_file(follow_symlinks=False) or not self._means(above, entry.name):
                continue
            try:
                hit = self._looked_into(folder.handle, entry.name)
            except OSError as error:
                if error.errno not in (ENOENT, ELOOP, EAGAIN):  # gone, or replaced by something else
                    folder.unreadable.append((folder.path + entry.name, reason(error)))
                continue
            if hit is not None:
                found.append((folder.path + entry.name, *hit))
        return found

    def _means(self, above: list[str], name: str) -> bool:
        """Whether the query means files of this name."""
        if not self._query.hidden and name.startswith("."):
            return False
        if self._types and not any(each.fits(name) for each in self._types):
            return False
        return self._others is None or self._others.admits((*above, name))

    # -- looking ---------------------------------------------------------------------------------

    def _looked_into(self, directory: int, name: str) -> tuple[float, int] | None:
        """When the file was changed and how many of its lines match; None where none does."""
        opened = os.open(name, READING, dir_fd=directory)
        try:
            if not self._promising(opened):
                return None
            lines = self._lines_in(opened, named=False)
            return (os.fstat(opened).st_mtime, lines) if lines is not None else None
        finally:
            close(opened)

    def _lines_in(self, opened: int, named: bool) -> int | None:
        """How many lines match (0 where the query does not count), None if none does."""
        if self._query.mode == COUNT:
            return count(opened, self._matcher, self._budget, named) or None
        return 0 if is_found(opened, self._matcher, self._budget, named) else None

    def _promising(self, opened: int) -> bool:
        """Whether the needle is in the file, or may be: the test that nearly all files fail."""
        needle, buffer = self._matcher.needle, self._buffer
        size = os.readv(opened, [buffer])
        if not needle or len(needle) > _BUFFER // 2 or (size > 1 and buffer[0] >= 0xFE and buffer[1] >= 0xFE):
            return size > 0  # there is no needle to look for; or UTF-16, in which it has other bytes
        while buffer.find(needle, 0, size) < 0:
            if size < _BUFFER or self._budget.late():
                return False
            overlap = len(needle) - 1
            buffer[:overlap] = buffer[size - overlap : size]
            size = overlap + os.readv(opened, [memoryview(buffer)[overlap:]])
        return True


def _matcher(query: Query, budget: SearchBudget) -> Matcher:
    try:
        return matcher(query, budget)
    except UnsupportedError as error:
        raise PatchkitError("P634", pattern=query.pattern, part=str(error)) from None


def _types(query: Query) -> list[Segment]:
    names = patterns_of(query.type)
    if query.type and not names:
        raise PatchkitError("P635", type=query.type)
    return [segment(name) for name in names]
