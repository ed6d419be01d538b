"""Find files by what is in them, the newest first: with ripgrep where it is installed, else with `fallback`.

Takes a query, where to begin and how many lines are wanted; gives what was found and whether the search came to its
end. Which files match is asked first, for all of them: only then is it known which are the newest. Lines are read only
from the files that will be shown, through handles opened here.

ripgrep runs inside a directory that is given by its handle, without following links, and its answers are names below
it. Lines are asked for in a second run (`rg --json`) over the open files, so what is shown never comes from outside of
the workspace. Which of the named files the query means is decided by the Sieve.
"""

from __future__ import annotations

import os
import stat
import sys
from errno import ELOOP, ENOENT, ENOTDIR

from patchkit.core.workspace import READING, Parts, close
from patchkit.errors import PatchkitError, reason
from patchkit.globs.patterns import alternatives
from patchkit.processes.child import Process, directory_place, place
from patchkit.search.query import (
    CONTENT,
    COUNT,
    FoundLine,
    Hit,
    Query,
    Start,
    may_match_others,
    patterns_of,
    shown,
)
from patchkit.search.walk import DEEPEST, OURS, TOO_DEEP, USUAL, FileFilter, Ignoring, SearchBudget, rules_above
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from typing import Any, TypeAlias

    from patchkit.core.workspace.root import Workspace
    from patchkit.search.fallback import PythonSearch

    Engine: TypeAlias = "Ripgrep | PythonSearch"
    Named = list[tuple[str, int]]  # paths of files, and how many of their lines match (0: not asked)

_BATCH = 400  # files open at a time, where so many may be


class Findings(Record):
    """What a search found."""

    hits: list[Hit]  # all files that match
    fallback: str = ""  # why ripgrep was not used
    lines: list[FoundLine] = []  # those that are wanted
    more: bool = False  # there are others
    late: bool = False  # time ran out
    unreadable: list[tuple[str, str]] = []  # paths, and why
    left_out: int = 0  # lines that were too long to be shown


def search(
    files: Workspace,
    starts: list[Start],
    query: Query,
    budget: SearchBudget,
    most: int,
    may_read: Callable[[str], bool] | None = None,
) -> Findings:
    """Searches all starts, and gives `most` of the lines that match (0: all); `may_read` says what may be shown."""
    engine, hits, why = _found(files, starts, query, budget)
    if may_read is not None:
        hits = [hit for hit in hits if may_read(hit.path)]
    found = Findings(sorted(hits, key=lambda hit: (-hit.modified, hit.path)), why)
    if query.mode == CONTENT:
        batch = min(_BATCH, max(os.sysconf("SC_OPEN_MAX") // 2, 10), most + 1 if most else _BATCH)
        for at in range(0, len(hits), batch):
            _read(files, found, found.hits[at : at + batch], engine, most)
            if found.more or engine.late:
                break
    found.late, found.left_out = engine.late, engine.left_out
    found.unreadable = [each for each in engine.unreadable if may_read is None or may_read(each[0])]
    return found


def _found(files: Workspace, starts: list[Start], query: Query, budget: SearchBudget) -> tuple[Engine, list[Hit], str]:
    """What found them, all files that match, and why that was not ripgrep ('' if it was)."""
    why = "PATCHKIT_RG names none" if "PATCHKIT_RG" in os.environ else "it is not installed"
    for program in programs() if _is_text(query.pattern) else []:
        engine = Ripgrep(program, query, budget)
        try:
            return engine, _found_by_ripgrep(files, starts, query, engine), ""
        except UnusableError as error:
            why = f"'{program}' {error}"
        except OSError as error:
            why = f"'{program}' cannot be used here, {reason(error)}"
    from patchkit.search.fallback import PythonSearch  # needed only where there is no ripgrep

    own = PythonSearch(files, query, budget)
    hits = {hit.path: hit for start in starts if start.handle < 0 for hit in own.below(start.parts)}
    _add_named(hits, starts, own)
    return own, list(hits.values()), why if _is_text(query.pattern) else "the pattern holds bytes that are not text"


def _is_text(pattern: str) -> bool:
    """Whether a pattern can be an argument of ripgrep."""
    return not any("\ud800" <= char <= "\udfff" for char in pattern)


def _found_by_ripgrep(files: Workspace, starts: list[Start], query: Query, engine: Ripgrep) -> list[Hit]:
    counts: dict[str, int] = {}
    for start in [each for each in starts if each.handle < 0]:
        sieve = Sieve(files, start.parts, query, engine)
        for path, count in engine.below(files.directories.handle(start.parts), files.real, sieve.above):
            if sieve.admits(path):
                counts[path] = count
    hits = {hit.path: hit for hit in _dated(files, counts, engine)}
    _add_named(hits, starts, engine)
    if may_match_others(query):
        _add_in_other_encodings(files, starts, query, engine, hits)
    return list(hits.values())


def _add_in_other_encodings(
    files: Workspace, starts: list[Start], query: Query, engine: Ripgrep, hits: dict[str, Hit]
) -> None:
    """Adds the files that are not UTF-8 in which the query is found, each read in its own encoding.

    The bytes of a plain text show which files to look at; of an expression, all that are not ASCII.
    """
    from patchkit.search.encodings import ANY_OTHER, as_expression, encoding_of_file, label_of, spellings

    plain = not query.regex and not query.ignore_case
    expressions = [as_expression(raw) for raw in spellings(query.pattern)[1:]] if plain else [ANY_OTHER]
    found = [Hit(start.path, os.fstat(start.handle).st_mtime, 0, start.handle) for start in starts if start.handle >= 0]
    for start in starts:
        if start.handle < 0 and expressions:
            sieve = Sieve(files, start.parts, query, engine)
            names = engine.holding(files.directories.handle(start.parts), files.real, sieve.above, expressions)
            found += _dated(files, dict.fromkeys(filter(sieve.admits, names), 0), engine)
    batch = min(_BATCH, max(os.sysconf("SC_OPEN_MAX") // 2, 10))
    for at in range(0, len(found), batch):
        # A file where some lines of an expression were found has others that match only when they are decoded.
        opened = _opened(files, [hit for hit in found[at : at + batch] if query.regex or hit.path not in hits], engine)
        groups: dict[str, list[tuple[Hit, int]]] = {}
        for hit, handle in opened:
            groups.setdefault(label_of(encoding_of_file(handle, query.encoding)), []).append((hit, handle))
        groups.pop("", None)
        for label, group in groups.items():
            known = {hit.path: hit for hit, _ in group}
            for path, count in engine.among([(hit.path, handle) for hit, handle in group], label):
                known[path].count, known[path].encoding = count, label
                hits[path] = known[path]
        for hit, handle in opened:
            if hit.handle < 0:
                close(handle)


def _add_named(hits: dict[str, Hit], starts: list[Start], engine: Engine) -> None:
    """Adds the files that the caller named, where they match and were not found already."""
    named = {start.path: start.handle for start in starts if start.handle >= 0}
    if named:
        for path, count in engine.among(list(named.items())):
            modified = os.fstat(named[path]).st_mtime
            hits.setdefault(path, Hit(path, modified, count, named[path]))


def _dated(files: Workspace, counts: dict[str, int], engine: Ripgrep) -> Iterator[Hit]:
    """The files ripgrep named, with the time of their change; one that is not a plain file by now is left out."""
    for path in sorted(counts):  # so that each directory is opened once
        above, _, name = path.rpartition("/")
        parts = tuple(above.split("/")) if above else ()
        if len(parts) > DEEPEST:
            engine.unreadable.append((path, TOO_DEEP))
            continue
        try:
            status = os.stat(name, dir_fd=files.directories.handle(parts), follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode):
            yield Hit(path, status.st_mtime, counts[path])


def _read(files: Workspace, found: Findings, hits: list[Hit], engine: Engine, most: int) -> None:
    """Adds the lines of some files, until one more than wanted is there: so it is known that there are more."""
    opened = _opened(files, hits, engine)
    matching = sum(line.matches for line in found.lines)
    lines = _lines_of(opened, engine, most + 1 if most else 0)
    try:
        for line in lines:
            found.lines.append(line)
            matching += line.matches
            if most and matching > most:
                found.more = True
                break
    except UnusableError as error:  # it found the files, and then failed at their lines
        engine.unreadable.append((hits[0].path, f"ripgrep {error}"))
    finally:
        lines.close()
        for hit, handle in opened:
            if hit.handle < 0:
                close(handle)


def _lines_of(opened: list[tuple[Hit, int]], engine: Engine, most: int) -> Generator[FoundLine]:
    """The matching lines of open files, in their order; those of one encoding in a row are read at once."""
    start = 0
    while start < len(opened):
        encoding = opened[start][0].encoding
        stop = start + 1
        while stop < len(opened) and opened[stop][0].encoding == encoding:
            stop += 1
        yield from engine.lines([(hit.path, handle) for hit, handle in opened[start:stop]], most, encoding)
        start = stop


def _opened(files: Workspace, hits: list[Hit], engine: Engine) -> list[tuple[Hit, int]]:
    """The open files of hits; what is gone, or not a plain file any more, is left out."""
    opened: list[tuple[Hit, int]] = []
    for hit in hits:
        *above, name = hit.path.split("/")
        try:
            handle = hit.handle
            if handle < 0:
                handle = os.open(name, READING, dir_fd=files.directories.handle(tuple(above)))
        except OSError as error:
            if error.errno not in (ENOENT, ENOTDIR, ELOOP):
                engine.unreadable.append((hit.path, reason(error)))
            continue
        if hit.handle >= 0 or stat.S_ISREG(os.fstat(handle).st_mode):
            opened.append((hit, handle))
        else:
            close(handle)
    return opened


# -- ripgrep -------------------------------------------------------------------------------------

# The separator is the usual one; the option came with version 13, and an older ripgrep refuses it.
_ALWAYS = ["--no-config", "--no-ignore-messages", "--color=never", "--no-mmap", "--field-match-separator=:"]
_LISTING = ["--files-with-matches", "--null", "--case-sensitive"]
_SETTING = "PATCHKIT_RG"
_MOST_BYTES = 64 << 20  # of names: a million of them
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-*")


class UnusableError(Exception):
    """This ripgrep does not do what it is asked; the argument says what it does instead."""


def programs() -> list[str]:
    """The ripgreps that are installed: the one that came with this Python first, then those on the PATH.

    `PATCHKIT_RG` names another one; where it names no program, ripgrep is not used.
    """
    named = os.environ.get(_SETTING)
    if named is not None:
        return [named] if named.startswith("/") and _is_program(named) else []
    directories = [os.path.dirname(sys.executable), *os.environ.get("PATH", "").split(os.pathsep)]
    # A relative entry of the PATH would let the workspace bring its own ripgrep.
    found = (f"{directory}/rg" for directory in directories if directory.startswith("/"))
    return list(dict.fromkeys(path for path in found if _is_program(path)))


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


class Ripgrep(Record):
    """One program, one query. `late` says that time ran out, `unreadable` what could not be opened."""

    _program: str
    _query: Query
    budget: SearchBudget
    late: bool = False
    left_out: int = 0  # lines that were too long to be shown
    unreadable: list[tuple[str, str]] = []  # path from the root, why

    def below(self, directory: int, root: str, above: str) -> Named:
        """The files below a directory in which the query is found; `above` is its path from the root."""
        words = [*self._modes(), *self._selection(not above), "--", "./"]
        place = directory_place(directory, f"{root}/{above}")
        return self._named(words, place, [directory], lambda name: above + name.removeprefix("./"))

    def holding(self, directory: int, root: str, above: str, expressions: list[str]) -> list[str]:
        """The files below a directory with bytes that one of the expressions matches."""
        words = [*_LISTING, *(f"--regexp={each}" for each in expressions), *self._selection(not above), "--", "./"]
        run = Process([self._program, *_ALWAYS, *words], directory_place(directory, f"{root}/{above}"), [directory])
        names = _everything(run.pieces(self.budget)).split(b"\0")[:-1]
        self.late = self.late or run.late
        return [above + os.fsdecode(name).removeprefix("./") for name in names]

    def among(self, opened: list[tuple[str, int]], encoding: str = "") -> Named:
        """Those of some open files in which the query is found; all of them are read in the same encoding."""
        names = {place(handle): path for path, handle in opened}
        words = [*self._modes(), *_read_in(encoding), "--", *names]
        return self._named(words, "/", [handle for _, handle in opened], lambda name: names.get(name, name))

    def lines(self, opened: list[tuple[str, int]], most: int, encoding: str = "") -> Generator[FoundLine]:
        """The matching lines of open files, file by file in this order; of each file `most` at the most (0: all)."""
        names = {place(handle): path for path, handle in opened}
        reader = EventReader(names, dict(opened), self._query.encoding)
        words = ["--json", "--threads=1", *([f"--max-count={most}"] if most else []), *self._asked()]
        words += _read_in(encoding)
        words += [f"--before-context={self._query.before}", f"--after-context={self._query.after}", "--", *names]
        run = Process([self._program, *_ALWAYS, *words], "/", [handle for _, handle in opened])
        try:
            yield from reader.lines(run.pieces(self.budget))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError):
            raise UnusableError("does not write its lines as ripgrep does") from None
        self._settle(run, lambda name: names.get(name, name))
        self.left_out += reader.left_out

    def _asked(self) -> list[str]:
        query = self._query
        words = [f"--regexp={query.pattern}", "--ignore-case" if query.ignore_case else "--case-sensitive"]
        return words if query.regex else [*words, "--fixed-strings"]

    def _modes(self) -> list[str]:
        """What to print: files with matches, or how many lines of each match."""
        mode = ["--count", "--with-filename"] if self._query.mode == COUNT else ["--files-with-matches"]
        return [*mode, "--null", *self._asked()]

    def _selection(self, is_root: bool) -> list[str]:
        query = self._query
        if query.ignored:
            words = ["--no-ignore"]
        else:
            words = ["--no-require-git", "--no-ignore-parent", *(f"--glob=!{name}/" for name in sorted(USUAL))]
        if query.hidden:
            words.append("--hidden")
        if is_root:
            words.append(f"--glob=!/{OURS}/")
        names = patterns_of(query.type) if query.type else _last_components(query.glob)
        if names:
            # Not as `--glob`, which would bring back ignored files.
            return [*words, *(f"--type-add=patchkit:{name}" for name in names), "--type=patchkit"]
        return [*words, f"--type={query.type}"] if query.type else words

    def _named(self, words: list[str], directory: str, handles: list[int], spelled: Callable[[str], str]) -> Named:
        run = Process([self._program, *_ALWAYS, *words], directory, handles)
        pieces = run.pieces(self.budget)
        if self._query.mode == COUNT:
            found = [(spelled(os.fsdecode(name)), count) for name, count in _counts(pieces)]
        else:
            found = [(spelled(os.fsdecode(name)), 0) for name in _everything(pieces).split(b"\0")[:-1]]
        self._settle(run, spelled)
        if run.status == 0 and not found and not run.late:
            raise UnusableError("found something and does not say where")
        return found

    def _settle(self, run: Process, spelled: Callable[[str], str]) -> None:
        """Checks how a run ended; raises where it did not search at all."""
        self.late = self.late or run.late
        if run.late or run.status in (0, 1, None):
            return
        if run.status != 2:
            raise UnusableError(f"ended with status {run.status}")
        others = []
        for line in run.complaints.split("\n"):
            name, _, reason = line.removeprefix("rg: ").rpartition(": ")
            if "(os error " not in reason:
                others.append(line.removeprefix("rg: "))
            elif "(os error 2)" not in reason:  # a file that is gone by now: nothing of it is missing
                self.unreadable.append((spelled(name), reason[:1].lower() + reason[1:].partition(" (os error")[0]))
        words = "\n".join(others).strip()
        if words:
            raise _refusal(words, self._query)
        if not run.complaints.strip():
            raise UnusableError("ended with status 2 and without a message")


def _read_in(encoding: str) -> list[str]:
    return [f"--encoding={encoding}"] if encoding else []


def _everything(pieces: Iterable[bytes]) -> bytes:
    """All that is written, up to a size that names of files can have."""
    kept = []
    left = _MOST_BYTES
    for piece in pieces:
        kept.append(piece)
        left -= len(piece)
        if left < 0:
            raise UnusableError(f"names files in more than {_MOST_BYTES >> 20} MB")
    return b"".join(kept)


def _counts(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """Names and numbers of lines: a name ends with NUL, its number comes behind it, up to the end of the line."""
    name: bytes | None = None
    rest = b""
    for piece in pieces:
        *fields, rest = (rest + piece).split(b"\0")
        for field in fields:
            if name is not None:
                count, newline, field = field.partition(b"\n")
                if not newline or not count.isdigit():
                    raise UnusableError("does not count as ripgrep does")
                yield name, int(count)
            name = field
    count, newline, _ = rest.partition(b"\n")  # without a line end where time ran out
    if name is not None and newline:
        if not count.isdigit():
            raise UnusableError("does not count as ripgrep does")
        yield name, int(count)


def _last_components(glob: str) -> list[str]:
    """The last components of a pattern of files, where ripgrep is sure to read them as we do; else nothing.

    They keep ripgrep from searching files that the Sieve would leave out anyway.
    """
    if not glob or glob.startswith("!"):
        return []
    lasts = {each.rpartition("/")[2] for each in alternatives(glob)}
    return sorted(lasts) if all(last and _SAFE.issuperset(last) for last in lasts) else []


def _refusal(words: str, query: Query) -> Exception:
    """What ripgrep's complaint about its arguments means."""
    first, *others = words.split("\n")
    if "unrecognized flag" in first or "wasn't expected" in first:
        return UnusableError("is older than version 13")
    if first.startswith("unrecognized file type"):
        return PatchkitError("P635", type=query.type)
    if not query.regex:
        return UnusableError(f"complains about a plain text: {first}")
    said = next((line.removeprefix("error: ") for line in others if line.startswith("error: ")), first)
    return PatchkitError("P633", pattern=query.pattern, reason=said)


# -- the output of `rg --json` -------------------------------------------------------------------

LONGEST_EVENT = 32 << 20  # bytes; a longer one is left out and counted


class EventReader(Record):
    """Reads the events of one run into lines."""

    _paths: dict[str, str]  # of files by the name each was searched by
    _handles: dict[str, int]  # the open files by their paths: lines that are not UTF-8 are shown in their encoding
    _named: str = ""  # an encoding to show them in instead
    _encodings: dict[str, str | None] = {}
    left_out: int = 0  # events that were too long to be read

    def lines(self, pieces: Iterable[bytes]) -> Iterator[FoundLine]:
        """The lines of one file after the other; of a file with a NUL, those in front of it."""
        import json  # only lines need it, and most searches want paths

        found: list[tuple[int, FoundLine]] = []  # where each line of the file begins, and the line
        for text in self._events(pieces):
            event = json.loads(text)
            kind, data = event["type"], event["data"]
            if kind in ("match", "context"):
                found.append((data["absolute_offset"], self._line(data, kind == "match")))
            elif kind == "end":
                nul = data["binary_offset"]
                yield from (line for at, line in found if nul is None or at < nul)
                found = []
        yield from (line for _, line in found)  # a file that was not searched to its end

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

    def _line(self, data: dict[str, Any], matches: bool) -> FoundLine:
        found = data["submatches"]
        path = self._paths[_bytes(data["path"]).decode("utf-8", "surrogateescape")]
        encoding = None if "text" in data["lines"] else self._encoding(path)
        text, clipped = shown(_bytes(data["lines"]), found[0]["start"] if found else 0, encoding)
        return FoundLine(path, data["line_number"], text, matches, clipped)

    def _encoding(self, path: str) -> str | None:
        from patchkit.search.encodings import encoding_of_file  # most files are UTF-8

        if path not in self._encodings:
            self._encodings[path] = encoding_of_file(self._handles.get(path, -1), self._named)
        return self._encodings[path]


def _bytes(text: dict[str, str]) -> bytes:
    """A text of an event: as text, or in base64 where it is not UTF-8."""
    from binascii import a2b_base64  # an extension to load, for bytes that are rare

    return text["text"].encode() if "text" in text else a2b_base64(text["bytes"])


# -- which of its files count --------------------------------------------------------------------


class Sieve:
    """Decides which of the files that ripgrep found below a directory the query means.

    ripgrep is asked for no fewer files than that, and the rest is decided here: it reads no ignore files above the
    directory it searches, it shows hidden names that a rule keeps, and its own patterns of files would bring back
    ignored ones. What is learned of the directories on the way is kept.
    """

    def __init__(self, files: Workspace, start: Parts, query: Query, engine: Ripgrep) -> None:
        self._engine = engine
        self.above = "".join(f"{part}/" for part in start)
        self._files = files
        self._start = start
        self._hidden = query.hidden
        self._glob = FileFilter(query.glob)
        self._above = None if query.ignored else rules_above(files.directories, start, self._late)
        self._known: dict[Parts, Ignoring | None] = {}  # None: the directory is ignored itself

    def admits(self, path: str) -> bool:
        """Whether a file counts, given by its path from the root; none does once time is up."""
        parts = path[len(self.above) :].split("/")
        if not self._hidden and any(part.startswith(".") for part in parts):
            return False
        return not self._late() and self._glob.admits(parts) and not self._ignored(parts)

    def _late(self) -> bool:
        budget = self._engine.budget
        late = budget.late() and budget.elapsed > 2 * budget.seconds  # ripgrep may take all of it, and many rules more
        self._engine.late = self._engine.late or late
        return late

    def _ignored(self, parts: list[str]) -> bool:
        if self._above is None or not self._above.from_files:
            return False  # all rules are in files below the start, which ripgrep has read
        directory = (*self._start, *parts[:-1])
        try:
            rules = self._inside(directory)
        except OSError:
            return False  # gone since: opening it will show that
        return rules is None or rules.ignores(directory, parts[-1], False)

    def _inside(self, directory: Parts) -> Ignoring | None:
        """The rules that hold in a directory, None when it is ignored itself."""
        rules = self._above
        for depth in range(len(self._start), len(directory) + 1):
            here = directory[:depth]
            if here not in self._known:
                if rules is not None and depth > len(self._start) and rules.ignores(here[:-1], here[-1], True):
                    rules = None
                if rules is not None:
                    rules = rules.inside(self._files.directories.handle(here), depth)
                self._known[here] = rules
            rules = self._known[here]
        return rules
