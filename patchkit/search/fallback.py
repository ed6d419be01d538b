"""Search without ripgrep: Python's own regular expressions, in a child process that is ended when time is up.

Takes a query and where to search; gives hits and lines as `ripgrep` does. The first part asks the child, the second is
what the child does: it walks through the directories, opens every file by its name in a directory handle, and sends
what it finds at once, so nothing that was found is lost when it is ended.

The child is there because `re` can take exponential time with an expression that a model wrote, and a host that runs
this in one of its threads could not stop it.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from errno import EAGAIN, ELOOP, ENOENT
from typing import Any

from patchkit.core.text import is_utf8
from patchkit.core.workspace import READING, Directories, Parts
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError, reason
from patchkit.globs.patterns import level, segment
from patchkit.handles import OpenHandle
from patchkit.processes.child import Process
from patchkit.search.query import COUNT, FoundLine, Hit, Query, patterns_of, shown
from patchkit.search.walk import DirectoryWalk, FileFilter, Folder, SearchBudget, filter_level, rules_above
from patchkit.values import Record

# What the child is asked: the process that asks, the root, the fields of the query, what to do, the components of a
# directory or the paths of open files, their handles, and how many lines of each are wanted.
Request = tuple[int, str, list[Any], str, list[str], list[int], int]
# What it sends: 'found' and what was, 'unreadable', a path and why, or 'refused', a code and the facts.
Sent = tuple[Any, ...]
Finder = Callable[[bytes, int], int]
# The number of a line, its bytes, and where the match begins in it; -1 for a line around a match.
Numbered = tuple[int, bytes, int]

_CODE = "import sys; sys.path[:] = {!r}; from patchkit.search.fallback import serve; serve()"
_LONGEST_WORD = 100_000  # characters: the system allows 128 kB for a word of a command
_HEAD = 4  # bytes that say how long a record is


class PythonSearch(Record):
    """One query. `late` says that time ran out, `unreadable` what could not be opened."""

    _files: Workspace
    _query: Query
    _budget: SearchBudget
    late: bool = False
    left_out: int = 0  # no line is too long to be shown here
    unreadable: list[tuple[str, str]] = []  # path from the root, why

    def below(self, start: Parts) -> list[Hit]:
        """The files below a directory in which the query is found."""
        return [Hit(path, modified, lines) for path, modified, lines in self._answers("below", list(start))]

    def among(self, opened: list[tuple[str, int]]) -> list[tuple[str, int]]:
        """Those of some open files in which the query is found, and how many of their lines match."""
        paths, handles = [path for path, _ in opened], [handle for _, handle in opened]
        return [(path, lines) for path, lines in self._answers("among", paths, handles)]

    def lines(self, opened: list[tuple[str, int]], most: int, encoding: str = "") -> Generator[FoundLine]:
        """The matching lines of open files, in this order, of each `most` (0: all); `encoding` is for ripgrep."""
        paths, handles = [path for path, _ in opened], [handle for _, handle in opened]
        for values in self._answers("lines", paths, handles, most):
            yield FoundLine(*values)

    def _answers(self, task: str, names: list[str], handles: Sequence[int] = (), most: int = 0) -> Generator[Sent]:
        fields = [getattr(self._query, name) for name in Query._names]
        for kind, *values in self._run((os.getpid(), self._files.root, fields, task, names, list(handles), most)):
            if kind == "found":
                yield tuple(values)
            elif kind == "unreadable":
                self.unreadable.append((values[0], values[1]))
            else:
                raise PatchkitError(values[0], **values[1])

    def _run(self, request: Request) -> Iterator[Sent]:
        """What a child sends, until it has ended or time is up."""
        _, _, _, task, names, handles, _ = request
        place = "/".join(names) if task == "below" else names[0]
        text = marshal.dumps(request).hex()
        words = [text[at : at + _LONGEST_WORD] for at in range(0, len(text), _LONGEST_WORD)]
        try:
            run = Process([sys.executable, "-c", _CODE.format(sys.path), *words], "/", handles)
            yield from _records(run.pieces(self._budget))
            self.late = self.late or run.late
            if run.status and not run.late:
                yield "unreadable", place, f"the process that searches ended with status {run.status}"
        except OSError as error:
            yield "unreadable", place, f"no process to search can be started, {reason(error)}"


def _records(pieces: Iterable[bytes]) -> Iterator[Sent]:
    """The records of an output, however it was cut into pieces."""
    rest = b""
    for piece in pieces:
        rest += piece
        at = 0
        while len(rest) >= at + _HEAD:
            end = at + _HEAD + int.from_bytes(rest[at : at + _HEAD], "big")
            if len(rest) < end:
                break
            yield marshal.loads(rest[at + _HEAD : end])  # of our own child, over its own pipe
            at = end
        rest = rest[at:]


# -- the child -----------------------------------------------------------------------------------


def serve() -> None:
    """What the child does: answers one request, and ends."""
    request: Request = marshal.loads(bytes.fromhex("".join(sys.argv[1:])))
    _end_with(request[0])
    for record in answered(request):
        data = marshal.dumps(record)
        data = len(data).to_bytes(_HEAD, "big") + data
        while data:
            data = data[os.write(1, data) :]


def _end_with(host: int) -> None:
    """Ends this process soon after its host, which may be killed: nothing else would end an endless search.

    `re` lets handlers of signals run while it matches; a thread would have to wait for it.
    """
    import signal

    def look(*_: object) -> None:
        if os.getppid() != host:
            os._exit(1)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)


def answered(request: Request) -> Iterator[Sent]:
    _, root, fields, task, names, handles, most = request
    query = Query(*fields)
    try:
        if task == "below":
            yield from _TreeSearch(Directories(root), query).found(tuple(names))
        elif task == "among":
            yield from _among(query, names, handles)
        else:
            yield from _lines(query, names, handles, most)
    except PatchkitError as error:
        yield "refused", error.code, dict(error.facts)


def _among(query: Query, paths: list[str], handles: list[int]) -> Iterator[Sent]:
    finder = finder_of(query)
    for path, handle in zip(paths, handles):
        try:
            lines = lines_in(handle, query, finder, named=True)
        except OSError as error:
            yield "unreadable", path, reason(error)
            continue
        if lines is not None:
            yield "found", path, lines


def _lines(query: Query, paths: list[str], handles: list[int], most: int) -> Iterator[Sent]:
    finder = finder_of(query)
    for path, handle in zip(paths, handles):
        matching = 0
        try:
            for number, line, at in MatchingLines(finder, query.before, query.after).found(handle, _encoding_of(query)):
                text, clipped = shown(line, max(at, 0))
                yield "found", path, number, text, at >= 0, clipped
                matching += at >= 0
                if matching == most and most:
                    break
        except OSError as error:
            yield "unreadable", path, reason(error)


class _TreeSearch:
    """The files below a directory in which a query is found."""

    def __init__(self, directories: Directories, query: Query) -> None:
        names = patterns_of(query.type)
        if query.type and not names:
            raise PatchkitError("P635", type=query.type)
        self._directories = directories
        self._query = query
        self._finder = finder_of(query)
        self._types = [segment(name) for name in names]
        self._others = FileFilter(query.glob) if query.glob.startswith("!") else None

    def found(self, start: Parts) -> Iterator[Sent]:
        query = self._query
        pattern = (
            filter_level(query.glob, query.hidden) if query.glob and not self._others else level("**", query.hidden)
        )
        budget = SearchBudget()
        above = None if query.ignored else rules_above(self._directories, start, budget.late)
        walk = DirectoryWalk(self._directories, budget, start, pattern, above)
        begin = len("".join(f"{part}/" for part in start))
        for folder in walk:
            yield from self._in(folder, folder.path[begin:].split("/")[:-1])
        for path, why in walk.unreadable:
            yield "unreadable", path, why

    def _in(self, folder: Folder, above: list[str]) -> Iterator[Sent]:
        """The files of one directory: path, time of change, number of lines."""
        if not self._query.hidden and any(part.startswith(".") for part in above):
            return  # a pattern of files that spells a dot does not ask for hidden directories
        for entry in folder.entries:
            if not entry.is_file(follow_symlinks=False) or not self._means(above, entry.name):
                continue
            try:
                with OpenHandle(os.open(entry.name, READING, dir_fd=folder.handle)) as opened:
                    lines = lines_in(opened, self._query, self._finder, named=False)
                    modified = os.fstat(opened).st_mtime if lines is not None else 0.0
            except OSError as error:
                if error.errno not in (ENOENT, ELOOP, EAGAIN):  # gone, or replaced by something else
                    folder.unreadable.append((folder.path + entry.name, reason(error)))
                continue
            if lines is not None:
                yield "found", folder.path + entry.name, modified, lines

    def _means(self, above: list[str], name: str) -> bool:
        """Whether the query means files of this name."""
        if not self._query.hidden and name.startswith("."):
            return False
        if self._types and not any(each.fits(name) for each in self._types):
            return False
        return self._others is None or self._others.admits((*above, name))


# -- what is looked for --------------------------------------------------------------------------

# What an expression may be made of: what means to `re` what it means to ripgrep. docs/tools.md has the list.
_ESCAPE = r"\\(?:[dDsSwWtrfva]|x[0-9a-fA-F]{2}|[ -/:;=?@\[-`{-~])"
_REPEATED = r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??"
_PART = rf"""(?x:
    (?P<one> {_ESCAPE} | \[\^?\]?(?:(?!&&|--|~~)[^\\\[\]]|{_ESCAPE})*\] | \) | [^\\(){{\[*+?|^$] )
    (?P<times> {_REPEATED} (?![*+?{{]) )?
    | \( (?: \?: | \?P<[A-Za-z_]\w*> | (?!\?) ) | (?: [$^] | \\[bB] ) (?![*+?{{]) | \|
)"""
_NEVER = r"\(\?<?[=!]|\\[1-9]"  # ripgrep does not take these either
# What could match a line end, and the same without it: a window of lines is searched as one text.
_WITHIN_LINES = {r"\s": r"[^\S\n]", r"\W": r"[^\w\n]", r"\D": r"[^\d\n]"}


def finder_of(query: Query) -> Finder:
    """What finds a query in a window of lines: a place in the first matching line from a place on, -1 if there is none.

    That place is the beginning of a line. Raises PatchkitError for an expression that cannot be used.
    """
    if not query.regex and not query.ignore_case:
        text = query.pattern.encode("utf-8", "surrogateescape")
        return lambda data, at: data.find(text, at)
    expression = _within_lines(query.pattern) if query.regex else re.escape(query.pattern)
    try:
        compiled = re.compile(expression, re.MULTILINE | (re.IGNORECASE if query.ignore_case else 0))
    except RecursionError:
        raise PatchkitError("P633", pattern=query.pattern, reason="too many groups are within each other") from None
    except (re.error, OverflowError) as error:
        reason = str(error).partition(" at position")[0]  # which is not a place of the pattern as it was given
        raise PatchkitError("P633", pattern=query.pattern, reason=reason) from None
    return _ExpressionFinder(compiled.search)


def _within_lines(pattern: str) -> str:
    """The expression, so that no part of it matches a line end; refused where ripgrep may read it in another way."""
    part = re.compile(_PART)
    at = len("(?i)") if pattern.startswith("(?i)") else 0
    made = [pattern[:at]]
    while at < len(pattern):
        found = part.match(pattern, at)
        if found is None:
            never = re.match(_NEVER, pattern[at:])
            if never is not None:
                raise PatchkitError("P633", pattern=pattern, reason=f"'{never[0]}' is not supported")
            raise PatchkitError("P634", pattern=pattern, part=_named(pattern[at:]))
        made.append(_within_line(found["one"]) + (found["times"] or "") if found["one"] else found[0])
        at = found.end()
    return "".join(made)


def _within_line(one: str) -> str:
    """What matches one character, without the line end."""
    if one.startswith("[^"):
        # What was first in the class must not become its end, or of a range.
        return rf"[^\n\{one[2:]}" if one[2] in "]-" else rf"[^\n{one[2:]}"
    if one.startswith("[") and any(each in one for each in _WITHIN_LINES):
        return rf"(?:(?!\n){one})"
    return _WITHIN_LINES.get(one, one)


def _named(rest: str) -> str:
    """What an expression goes on with, in words."""
    twice = re.match(rf"{_REPEATED}[*+?{{]", rest)
    if twice is not None:
        return f"'{twice[0]}'"
    if rest[0] == "{":
        return "a '{' that begins no repetition; write '\\{' for the brace itself"
    if rest[0] == "[":
        return "this class; write '\\[' for the bracket itself"
    return f"'{rest[:3] if rest.startswith('(?') else rest[:2]}'"


class _ExpressionFinder(Record):
    """Finds an expression in one window after the other, each of which is decoded once."""

    _search: Callable[[str, int], re.Match[str] | None]
    _data: bytes = b""
    _text: str = ""
    _at: int = 0  # the place in the data that was asked for last
    _reached: int = 0  # and the same place in the text

    def __call__(self, data: bytes, at: int) -> int:
        if data is not self._data or at < self._at:
            self._data, self._text = data, data.decode("utf-8", "surrogateescape")
            self._at = self._reached = 0
        self._reached += len(data[self._at : at].decode("utf-8", "surrogateescape"))
        self._at = at
        found = self._search(self._text, self._reached) if at < len(data) else None
        if found is None or (found.start() == len(self._text) and data.endswith(b"\n")):  # behind the last line
            return -1
        return at + len(self._text[self._reached : found.start()].encode("utf-8", "surrogateescape"))


# -- the lines of one file -----------------------------------------------------------------------
# The file is read in windows of whole lines, however large it is. Binary files are treated as ripgrep treats them: one
# with a NUL is skipped when a walk came across it and searched when the caller named it, and nothing behind a NUL is
# shown.

_BLOCK = 64 << 10  # bytes that ripgrep reads at a time; it looks for a NUL in them before anything else


def lines_in(opened: int, query: Query, finder: Finder, named: bool) -> int | None:
    """How many lines of a file match (0 where the query does not count), None if none does."""
    encoding = _encoding_of(query)
    if query.mode == COUNT:
        return _count(opened, finder, named, encoding) or None
    return 0 if _is_found(opened, finder, named, encoding) else None


def _encoding_of(query: Query) -> str:
    """What files are read in; a pattern with bytes that are not text is looked for in the bytes of the file."""
    return "utf-8" if any("\udc80" <= char <= "\udcff" for char in query.pattern) else query.encoding


def _is_found(opened: int, finder: Finder, named: bool, encoding: str) -> bool:
    """Whether a line of the file matches."""
    seen = 0
    for window in windows(opened, encoding):
        hit = finder(window.data, 0)
        nul = -1 if named else window.data.find(0)
        if hit >= 0:
            block_end = ((seen + hit) // _BLOCK + 1) * _BLOCK
            return nul < 0 or seen + nul >= block_end
        if nul >= 0:
            return False
        seen += len(window.data)
    return False


def _count(opened: int, finder: Finder, named: bool, encoding: str) -> int:
    """How many lines of the file match; of a file that was named, each piece between two NULs is a line."""
    found = 0
    counted = False  # the line that goes on in the next window
    for window in windows(opened, encoding):
        data = window.data
        if 0 in data:
            if not named:
                return 0
            data = data.replace(b"\0", b"\n")
        at = 0 if window.begins or not counted else _behind_line(data, 0)
        counted = counted and at == len(data) and not window.ends
        while (hit := finder(data, at)) >= 0:
            found += 1
            counted = not window.ends and data.find(b"\n", hit) < 0
            at = _behind_line(data, hit)
    return found


def _behind_line(data: bytes, at: int) -> int:
    """Where the line after the one at a place begins."""
    end = data.find(b"\n", at)
    return end + 1 if end >= 0 else len(data)


class MatchingLines(Record):
    """The matching lines of a file, with some lines before and after each; no line comes twice."""

    _finder: Finder
    _before: int
    _after: int
    _number: int = 1  # of the line that comes next
    _owed: int = 0  # lines after the last match that are still to be given
    _last: list[Numbered] = []  # the latest lines that were not given: a match may come right behind them

    def found(self, opened: int, encoding: str = "") -> Iterator[Numbered]:
        over = False  # the line that goes on in the next window has matched already
        for window in windows(opened, encoding):
            data = window.data.partition(b"\0")[0]
            at = 0 if window.begins or not over else _behind_line(data, 0)
            self._number += 1 if at and data.endswith(b"\n", 0, at) else 0
            over = over and at == len(data) and not window.ends
            while (hit := self._finder(data, at)) >= 0:
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
_OVERLAP = 64 << 10  # of the pieces of a long line, so that what lies on a border is whole in one of them


class LineWindow(Record):
    """Whole lines, or a piece of one that is longer than a window: `begins` and `ends` say whether a line does so."""

    data: bytes
    begins: bool = True
    ends: bool = True


def windows(opened: int, encoding: str = "") -> Iterator[LineWindow]:
    """The windows of a file, as UTF-8 without a byte order mark."""
    pieces: list[bytes] = []
    length = 0
    begins = True
    for block in _text(opened, encoding):
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


def _text(opened: int, encoding: str) -> Iterator[bytes]:
    """The file as UTF-8, block by block; the position of its handle does not change."""
    decode: Callable[[bytes, bool], bytes] | None = None
    at = 0
    while True:
        block = os.pread(opened, _WINDOW if at else _BLOCK, at)  # most files are small, and so is what is made for them
        if at == 0:
            decode = _decoder(block, encoding)
        at += len(block)
        text = decode(block, not block) if decode is not None else block
        if text:
            yield text if at > len(block) or decode is not None else text.removeprefix(b"\xef\xbb\xbf")
        if not block:
            return


def _decoder(beginning: bytes, named: str) -> Callable[[bytes, bool], bytes] | None:
    """What turns another encoding into UTF-8; None for a file that is UTF-8, or nothing that is known."""
    encoding: str | None = "utf-16"
    if beginning[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        if named == "utf-8" or beginning.isascii() or is_utf8(beginning):
            return None
        from patchkit.search.encodings import encoding_of  # most files are UTF-8

        encoding = encoding_of(beginning, named)
    if encoding is None:
        return None
    decoder = getincrementaldecoder(encoding)("replace")
    return lambda block, final: decoder.decode(block, final).encode("utf-8", "replace")
