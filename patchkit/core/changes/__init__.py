"""What a plan is made of: files as they are, files as they shall be, and what each section does.

Values only: `planner` fills them, `Files` commits them, `results` counts them.
"""

from __future__ import annotations

from patchkit.core.language import FileOp
from patchkit.core.matching import NAMES, Match
from patchkit.core.text import ENDINGS, Document
from patchkit.errors import Note, PatchkitError
from patchkit.values import Record, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from dataclasses import dataclass
    from typing import Protocol, TypeVar

    from patchkit.core.matching import Miss, WorkBudget

    class KnownDocuments(Protocol):
        def document(self, data: bytes) -> Document: ...

    Found = TypeVar("Found", bound="Entry")
    OnProgress = Callable[[str, int, int], None]  # what is done, how many times, and of how many
    Each = TypeVar("Each")
    Pieces = list[bytes]
else:
    Pieces = object
    Protocol = object  # a class like any other at run time: `typing` costs more than applying a small patch

    def dataclass(**_):
        """Type checkers see a dataclass; at run time loading those would take longer than applying a small patch."""
        return lambda cls: cls


# How a patch is read, placed and written: one record from the command line down to matching.
#
# Takes what a caller chose; gives Options, which planning, matching (as its `Tolerance`) and the workspace read as they
# are. A dialect is one small record among them.
class Dialect(Record):
    """How a patch is meant: the few questions on which the safe reading and Codex's differ."""

    name: str
    overwrite: bool  # Add and Move replace what exists
    first_wins: bool  # of several places the first is taken
    final_newline: bool  # an updated file always ends with one
    one_by_one: bool  # each section is committed before the next is read
    ends_at_cr: bool  # a lone CR ends a line, also in a file with other line ends


DIALECTS = {
    "safe": Dialect("safe", False, False, False, False, False),
    "codex": Dialect("codex", True, True, True, True, True),
}


@dataclass(kw_only=True)
class Options(Value):
    """How to apply: each option once, with its type and its default. `checked` says which values there are."""

    _place = ("budget", "memory", "base")
    check: bool = False  # stop at the plan
    strict: bool = False  # accept no lenience, and only exact matches
    overwrite: bool = False  # let Add and Move replace files
    dialect: str = "safe"
    max_pass: str = NAMES[-1]  # the most tolerant pass allowed
    forward: bool = False  # skip what is there already
    allow_vcs: bool = False  # let a patch change the insides of version control
    allow_duplicate: bool = False  # let a patch add what the file has already
    allow_placeholder: bool = False  # let it add lines in place of code
    fix: str = ""  # apply the correction of a refused patch: 'certain' ones, or 'likely' ones, too
    no_sync: bool = False  # do not wait for the disk
    allow_owner_change: bool = False
    keep_links: bool = False  # write to files with several names instead of replacing them
    remember: bool = False  # keep the content of replaced and deleted files for callers who show it afterwards
    suggest: bool = False  # work out what a refused patch should have said
    history: bool = True  # let the run be undone later
    encoding: str | None = None  # of files that are not UTF-8 and do not declare what they are
    lost_anchors: bool = True  # accept anchors that the file does not have
    source: str = ""  # the edit format of the text, '' for the patch language
    strip: int | None = None  # leading parts that the paths of a diff lose; None where headers and files show it
    skip_unsupported: bool = False  # leave out what a patch cannot say
    sayable_only: bool = False  # take modes, links and binary content for what cannot be said, as in other formats
    reverse: bool = False  # take the patch back
    base: Files | None = None  # what the patch was made for, where that is not what it is applied to
    conflicts: str = ""  # 'markers' to write conflicts with the base as they are, '' to refuse them
    syntax: str = ""  # what becomes of new syntax errors: 'note', 'error', or '' to look for none
    partial: str = ""  # apply what fits: 'files' whose hunks all fit, or also the 'hunks' that fit of the others
    format: tuple[str, ...] = ()  # commands that format the changed files, before the run counts
    verify: tuple[str, ...] = ()  # commands that must succeed, or the run is taken back
    verify_timeout: int = 120  # seconds that each of them may run
    commit: str | None = None  # the message of a commit of git, '' for the usual one, None for no commit
    budget: WorkBudget | None = None  # of the plan under way, made when its first near miss is looked for
    memory: KnownDocuments | None = None  # of documents, for hosts that plan many patches on the same files

    if not TYPE_CHECKING:

        def __init__(self, **given):
            for name in given:
                if name not in OPTIONS:
                    raise TypeError(f"Options() got an unexpected keyword argument '{name}'")
            self.__dict__.update(given)

    def _fields(self) -> list[str]:
        return OPTIONS

    @property
    def reading(self) -> Dialect:
        return DIALECTS[self.dialect]

    @property
    def first_wins(self) -> bool:
        return DIALECTS[self.dialect].first_wins

    def checked(self) -> Options:
        """Returns itself when every choice is one that exists, else raises."""
        for option, allowed in _CHOICES.items():
            given = getattr(self, option)
            if given not in allowed:
                listed = ", ".join(each or "''" for each in allowed)
                raise PatchkitError("P601", option=option.replace("_", "-"), given=given, allowed=listed)
        if self.strip is not None:  # which says that the text is a diff
            if type(self.strip) is not int or self.strip < 0:
                raise PatchkitError("P601", option="strip", given=self.strip, allowed="a number of at least 0")
            if self.source not in ("", "auto", "unified"):
                raise PatchkitError("P601", option="from", given=self.source, allowed="unified, which 'strip' is for")
            self.source = "unified"
        if self.partial and DIALECTS[self.dialect].one_by_one:
            raise PatchkitError("P601", option="dialect", given=self.dialect, allowed="safe, with 'partial'")
        if self.encoding is not None:
            from patchkit.core.text.encodings import usable  # loads re

            known = usable(self.encoding)
            if known is None:
                allowed = "gbk, shift_jis, cp1252, latin-1, and whatever else keeps ASCII as it is"
                raise PatchkitError("P601", option="encoding", given=self.encoding, allowed=allowed)
            self.encoding = known
        return self

    def begun(self) -> Options:
        """Returns itself as a plan starts with it: nothing tolerated when it is strict, and all of the budget left."""
        if self.strict:
            self.max_pass, self.lost_anchors = NAMES[0], False
        self.budget = None
        return self

    def limited_to(self, max_pass: str, budget: WorkBudget | None) -> Options:
        """A copy for a search of its own, with another tolerance and another budget."""
        copy = Options()
        copy.__dict__.update(self.__dict__)
        copy.max_pass, copy.budget = max_pass, budget
        return copy


FILES = "{files}"  # in a command of `format`: the changed files
OPTIONS = [*Options.__annotations__]
_CHOICES: dict[str, Iterable[str]] = {
    "dialect": DIALECTS,
    "max_pass": NAMES,
    "syntax": ("", "off", "note", "error"),
    "fix": ("", "certain", "likely"),
    "conflicts": ("", "markers"),
    "partial": ("", "files", "hunks"),
}


# Make replacements in a document.
#
# Takes a Document, the hunks of one section and their Matches; gives the new text as pieces of bytes, most of them
# untouched views of the old. Positions refer to the original throughout.
class Replacement(Value):
    """New bytes for a span of the original; `line`, `removed` and `added` say the same in lines."""

    __slots__ = ("start", "stop", "new", "_row", "removed", "added", "_within")
    start: int
    stop: int
    new: bytes
    removed: int
    added: int

    def __init__(
        self, start: int, stop: int, new: bytes, row: int, removed: int, added: int, within: Match | None = None
    ) -> None:
        self.start = start
        self.stop = stop
        self.new = new
        self._row = row
        self.removed = removed
        self.added = added
        self._within = within

    @property
    def line(self) -> int:
        """The first line in question, counted from that of the match it lies in."""
        return self._row + (self._within.line if self._within is not None else 0)

    def changes_nothing_in(self, document: Document) -> bool:
        """Whether the span already is what it shall be; a last line without its ending will go without it."""
        old = document.data[self.start : self.stop]
        if old == self.new:
            return True
        unended = self.stop == len(document.data) and not document.terminated and self.removed > 0
        return unended and self.new == old + _ending(document, self.new)


def replacements(document: Document, match: Match) -> list[Replacement]:
    """Returns what one matched hunk replaces: each run of removed and added lines, never a kept line."""
    if match.pass_name == "exact" and document.endings != "mixed":
        single = _single_run(document, match)
        if single is not None:
            return single
    # For each old line its row in the match; -1 where the file lacks it.
    rows = [pair - match.line if pair >= 0 else -1 for pair in match.pairs or ()]
    every = document.boundaries(match.offset, match.count, match.line if match.numbers is None else None)
    made: list[Replacement] = []
    start = stop = 0  # the run at hand, in old lines
    added: list[str] = []
    for line in [*match.lines, " "]:
        sign = line[0]
        if sign == "+":
            added.append(line[1:])
            continue
        if sign == " ":
            if added or stop > start:
                row = start if match.pairs is None else _row(rows, start)
                bounds = every[row : row + stop - start + 1]
                new = _line_bytes(document, added, bounds) if added else b""
                made.append(Replacement(bounds[0], bounds[-1], new, row, len(bounds) - 1, len(added), match))
                added = []
            start = stop + 1
        stop += 1
    return made


def _row(rows: list[int], index: int) -> int:
    """The row an old line lies on; for one the file lacks, the row after the last line above it that it has."""
    if index < len(rows) and rows[index] >= 0 and (index == 0 or rows[index - 1] == rows[index] - 1):
        return rows[index]
    above = [row for row in rows[:index] if row >= 0]
    return above[-1] + 1 if above else 0


def _single_run(document: Document, match: Match) -> list[Replacement] | None:
    """The replacement of a hunk that is one change between kept lines, the usual one, or has none; None for any other.

    Exact lines are as long in the file as in the hunk, whose sign counts for the one byte of a line's end.
    """
    lines = match.lines
    signs = "".join([line[0] for line in lines]).rstrip(" ")
    change = signs.lstrip(" ")
    if not change:
        return []
    added = change.lstrip("-")
    if added.strip("+"):
        return None
    first, last = len(signs) - len(change), len(signs)
    middle = last - len(added)
    start = match.offset + _width(document, "".join(lines[:first]), first)
    stop = start + _width(document, "".join(lines[first:middle]), middle - first)
    if stop > len(document.data):  # a last line without an ending ends where the data ends
        stop = len(document.data)
        start = min(start, stop)
    new = _line_bytes(document, [line[1:] for line in lines[middle:last]], [start]) if added else b""
    return [Replacement(start, stop, new, first, middle - first, last - middle, match)]


def _width(document: Document, text: str, count: int) -> int:
    """How many bytes of the file so many lines of a hunk are, their ends included; `text` has them with their signs."""
    width = len(text) if text.isascii() else len(document.encode(text))
    return width + count if document.endings == "crlf" else width


def _line_bytes(document: Document, added: list[str], bounds: list[int]) -> bytes:
    """Added lines as bytes, each with the ending of the line it replaces, or else of its neighbour."""
    try:
        joined = document.encode("\n".join(added))
    except UnicodeEncodeError as error:
        raise refused_character(document, error.object[error.start]) from None
    ending = document.new_ending or ENDINGS.get(document.endings)
    if ending is not None:
        return joined.replace(b"\n", ending) + ending if ending != b"\n" else joined + b"\n"
    endings = [document.ending_of(a, b) for a, b in zip(bounds, bounds[1:])]
    usual = next((ending for ending in reversed(endings) if ending), document.ending_near(bounds[0]))
    lines = joined.split(b"\n")
    endings = [ending or usual for ending in endings[: len(lines)]]
    endings += [usual] * (len(lines) - len(endings))
    return b"".join(line + ending for line, ending in zip(lines, endings))


def refused_character(document: Document, char: str) -> PatchkitError:
    """The refusal of a character that the file's encoding does not have."""
    if "\ud800" <= char <= "\udfff":
        return PatchkitError("P210", encoding=document.encoding, what="bytes that are no text")
    return PatchkitError("P210", encoding=document.encoding, what=f"the character '{char}'")


def splice(document: Document, made: list[Replacement], final_newline: bool | None = None) -> list[bytes]:
    """Returns the document's text with every replacement made, as pieces.

    Positions refer to the original, so work runs from the last to the first: an edit can never move
    the ground under one still to come. `final_newline` True or False asks for one or for none at the
    end; None keeps what the file has.
    """
    ordered = sorted(made, key=lambda each: each.start)  # stable: insertions at one place keep their order
    news = [each.new for each in ordered]
    _settle_end(document, ordered, news, final_newline)
    pieces = literal_pieces(document.kept, ordered, news)
    if pieces and final_newline is not None:
        ends = {
            document.separator,
            document.kept[-1:] if document.terminated else b"",
            (document.new_ending or b"")[-1:],
        }
        ended = bytes(pieces[-1][-1:]) in ends - {b""}
        if final_newline and not ended:
            pieces.append(document.ending_near(len(document.data)))
        elif ended and not final_newline:
            pieces[-1] = pieces[-1][: -len(_ending(document, bytes(pieces[-1][-2:])))]
    return pieces


def literal_pieces(data: bytes, ordered: list[Replacement], news: list[bytes]) -> list[bytes]:
    """Returns the data with `news` in place of the spans, as pieces, most of them views of the data.

    Line endings are left as they are in both. Works from the last replacement to the first.
    """
    view = memoryview(data)
    pieces: list[bytes] = []
    end = len(data)
    for each, new in zip(reversed(ordered), reversed(news)):
        # A view of the file's own bytes: copying a large file once for every hunk would cost more than the change.
        pieces.append(view[each.stop : end])  # type: ignore[arg-type]  # joins like bytes
        pieces.append(new)
        end = each.start
    pieces.append(view[:end])  # type: ignore[arg-type]  # joins like bytes
    pieces.reverse()
    return [piece for piece in pieces if piece]


def _settle_end(document: Document, ordered: list[Replacement], news: list[bytes], wanted: bool | None) -> None:
    """Gives the last line the ending it should have, and the old last line one when lines follow it.

    Every added line was made with an ending. In a file whose last line has none, the new last line
    gets none either, and text appended behind the old last line must first end that.
    """
    size = len(document.data)
    tail = [index for index, each in enumerate(ordered) if each.stop == size]
    if not tail or document.terminated:
        return
    if ordered[tail[0]].start == size:
        news[tail[0]] = document.ending_near(size) + news[tail[0]]
    end = size
    for index in range(len(ordered) - 1, -1, -1):
        if wanted or ordered[index].stop != end:
            return  # the last line is asked to have its ending, or is an old one that has it
        if news[index]:
            news[index] = news[index][: -len(_ending(document, news[index]))]
            return
        end = ordered[index].start


def _ending(document: Document, line: bytes) -> bytes:
    """The ending of a line that has one."""
    wide = document.endings in ("crlf", "mixed") and line.endswith(b"\r\n")
    return b"\r\n" if wide else document.separator


def refuse_lost_endings(path: str, made: list[Replacement], ended: bool) -> None:
    """Raises where lines come back in place of fewer, or `ended`, a last line gets its ending back: a patch does not
    say which of several line endings they had.
    """
    if ended or any(each.added > each.removed for each in made):
        what = f"which line endings the lines of '{path}' had that come back"
        raise PatchkitError("P112", file=path, what=what, instead="take it back with git, or patchkit undo")


# -- paths by their text: what `.` and `..` come to, which spelling of a name is meant, and which names are off limits


DEEPEST = 2000  # components of one name: no system has longer ones, and each has all directories above it looked at
_VERSION_CONTROL = (".git", ".hg", ".svn", "git~1", "hg~1", "svn~1")  # with the short names on Windows' disks
_OURS = (".patchkit", "patchk~1")
# Characters that count for nothing in names on macOS' disks.
_IGNORED = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


def joined(start: list[str], path: str) -> list[str] | None:
    """The components of `path` taken from `start`; None when it climbs above where all paths start."""
    named = path.split("/")
    if "" not in named and "." not in named and ".." not in named:
        return [*start, *named]
    parts = list(start)
    for part in named:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return parts


def ancestors(name: str) -> list[str]:
    """The names of the directories around a name, outermost first."""
    found = []
    slash = name.find("/")
    while slash >= 0:
        found.append(name[:slash])
        slash = name.find("/", slash + 1)
    return found


def as_written_or_bare(path: str, find: Callable[[str], Found]) -> Found:
    """The entry of a name that may have whitespace at its ends: exactly as written if it exists, else without them."""
    bare = path.strip(" \t")
    if bare == path:
        return find(path)
    exact, trimmed = find(path), find(bare)
    if exact.kind != "missing" and trimmed.kind != "missing":
        raise PatchkitError("P313", file=path, other=bare)
    return exact if exact.kind != "missing" else trimmed


def refuse_protected(path: str, name: str, allow_vcs: bool = False) -> None:
    """Refuses the insides of version control, unless they are allowed, and patchkit's own files."""
    part = protected_part(name)
    if part and not (allow_vcs and _plain(part) in _VERSION_CONTROL):
        raise PatchkitError("P318", file=path, part=part)


def protected_part(name: str) -> str:
    """The component of a name that is version control's or patchkit's own; '' where there is none.

    Of several, one of patchkit's own.
    """
    if "~" not in name and name.isascii() and ("." not in name or "/." not in f"/{name}"):
        return ""  # nothing begins with a dot, on any file system
    found = ""
    for part in name.split("/"):
        seen = _plain(part)
        if seen in _OURS or seen.startswith(".patchkit-"):
            return part
        if not found and seen in _VERSION_CONTROL:
            found = part
    return found


def _plain(part: str) -> str:
    """A component as the least exact file systems see it, where case, dots and spaces at the end do not count."""
    return part.lower().translate(_IGNORED).partition(":")[0].rstrip(" .")


ASKS_FOR_NOTHING = ("P929", "P983")  # notes on what the files have already, or what is left out
_MOST_SHOWN = 5  # sections in a repr


class Entry(Value):
    """What is at a path before the run.

    `name` is the one name the workspace knows the place by, however the patch spells it; `kind` is 'missing',
    'file', 'link', 'directory' or another type; `target` is where a link leads: the one at the path itself, or the
    last one that led there; `location` is what the source of files needs to find it again;
    `blocker` names the file that is where a missing entry needs a directory.
    A file's `data` is read when it is first asked for: a delete never asks.
    """

    __slots__ = ("name", "kind", "target", "blocker", "location", "_data")
    location: object
    _data: bytes | None

    def __init__(self, name: str, kind: str, data: bytes | None = None, target: str = "") -> None:
        self.name = name
        self.kind = kind
        self.target = target
        self.blocker = ""
        self.location = None
        self._data = data

    @property
    def data(self) -> bytes:
        if self._data is None:
            self._data = self.load()
        return self._data

    @property
    def size(self) -> int:
        """How many bytes the file has, as far as it is known without reading it."""
        return len(self._data) if self._data is not None else 0

    @property
    def is_read(self) -> bool:
        return self._data is not None

    def load(self) -> bytes:
        raise NotImplementedError(self.kind)


if TYPE_CHECKING:

    class PlanFront(Protocol):
        """How the library shows a plan, and words a refusal to commit it."""

        def diff(self, plan: Plan) -> str: ...
        def summary(self, plan: Plan) -> str: ...
        def refusal(self, error: PatchkitError) -> PatchkitError: ...


class Whole(Pieces):
    """All of a file, as good as a list of one piece; read only when asked for, which a pure rename never does."""

    __slots__ = ("entry",)

    def __init__(self, entry: Entry) -> None:
        self.entry = entry

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # like a list's
        return (self.entry.data,)[index]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (list, Whole)) else NotImplemented

    __hash__ = None  # as of every list


class FileChange(Value):
    """Before and after of one name. `after` is None for no file; `keeps` is whose mode and owner the new file takes."""

    __slots__ = ("path", "before", "after", "keeps", "executable")
    is_link = False  # whether the name becomes a symbolic link, and `after` is where that leads
    executable: bool | None  # whether it may be executed afterwards; None where that stays as it is

    def __init__(self, path: str, before: Entry, after: list[bytes] | None, keeps: Entry | None) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.keeps = keeps
        self.executable = None

    @property
    def changed(self) -> bool:
        """Whether the name holds something else afterwards. An unchanged file is its very own bytes."""
        before, after = self.before, self.after
        if before.kind == "missing":
            return after is not None
        if before.kind != "file" or after is None or self.keeps is not before:
            return True
        if self.executable is not None and is_executable(before) not in (None, self.executable):
            return True
        if isinstance(after, Whole):
            return after.entry is not before
        return not (len(after) == 1 and before.is_read and after[0] is before.data)


class LinkChange(FileChange):
    """A name that becomes a symbolic link: a diff of git says so, or a deletion is undone."""

    __slots__ = ()
    is_link = True


def is_executable(entry: Entry | None) -> bool | None:
    """Whether its owner may execute a file; None where its source knows no modes."""
    status = getattr(getattr(entry, "location", None), "status", None)
    return bool(status.st_mode & 0o100) if status is not None else None


class RewrittenChange(FileChange):
    """A change whose name holds something else than was written there: a command of the run changed it.

    `written` is what the run itself wrote.
    """

    __slots__ = ("written",)
    written: list[bytes] | None

    def __init__(self, change: FileChange, after: list[bytes] | None) -> None:
        super().__init__(change.path, change.before, after, change.keeps)
        self.executable = change.executable
        self.written = change.written if isinstance(change, RewrittenChange) else change.after


class Section(Value):
    """What one section of the patch does: its letter in the summary, its path as spelled, its hunks' places.

    `name` is the file it leaves something at, or takes away; `source` the one it read, by its name before.
    """

    __slots__ = ("op", "letter", "path", "moved_from", "name", "source", "document", "results", "replacements", "ends")
    document: Document | None
    results: list[Match | Miss]
    replacements: list[Replacement]
    ends: list[int]  # how many replacements there are up to each hunk

    def __init__(self, op: FileOp, letter: str, path: str, name: str, moved_from: str | None = None) -> None:
        self.op = op
        self.letter = letter
        self.path = path
        self.moved_from = moved_from
        self.name = self.source = name
        self.document = None
        self.results = []
        self.replacements = []
        self.ends = []


class Plan(Record):
    """All changes of a run, computed and not yet made.

    `sections` are in the patch's order; `changes` hold the net result for each name. `commit` makes the plan
    true through the files it was made for.
    """

    _place = ("files", "front")
    files: Files
    sections: list[Section] = []
    changes: dict[str, FileChange] = {}
    notes: list[Note] = []
    front: PlanFront | None = None  # of a plan that the library gives away

    @property
    def listed(self) -> list[Section]:
        """The sections as the text has them; see `joined_moves`."""
        return self.sections if len(self.sections) < 3 else joined_moves(self.sections)

    @property
    def updated(self) -> list[Section]:
        """Those of the listed sections whose files hold something else afterwards."""
        return [each for each in self.listed if self.updates(each)]

    def updates(self, section: Section) -> bool:
        """Whether a file of the section holds something else afterwards."""
        goal, source = self.changes.get(section.name), self.changes.get(section.source)
        return (goal is not None and goal.changed) or (source is not None and source is not goal and source.changed)

    @property
    def effective(self) -> list[FileChange]:
        """The changes that change something."""
        return [change for change in self.changes.values() if change.changed]

    def commit(self) -> None:
        """Makes the plan true: all of it, or nothing."""
        try:
            self.files.commit(self)
        except PatchkitError as error:
            if self.front is None:
                raise
            raise self.front.refusal(error) from None

    def diff(self) -> str:
        """The changes as a unified diff that `git apply` takes; bytes that are not UTF-8 as lone surrogates."""
        return self._shown.diff(self)

    def summary(self) -> str:
        """The lines that say which files the plan adds, modifies and deletes."""
        return self._shown.summary(self)

    @property
    def _shown(self) -> PlanFront:
        if self.front is None:
            raise RuntimeError("only a plan of the library can show itself")
        return self.front

    def __repr__(self) -> str:
        return f"Plan({listed_sections(self.listed)})"


class Files(Protocol):
    """What planning and committing need of a source of files. Names are relative paths with '/' between components.

    A source of your own can subclass this: then it needs only `find` and `commit`, and the other methods work by them.
    A class that has all of the methods follows the protocol without that. `patchkit.testing.check_files` checks one.
    """

    def find(self, path: str, follow: bool = True) -> Entry:
        """Returns what is at `path`, spelled as in the patch; raises PatchkitError for a path that leaves the source.

        The entry's `name` is one name for every spelling of a path. A link is followed when `follow` is set.
        """
        ...  # noqa: PIE790  # by this both type checkers know that a subclass has to write the method

    def commit(self, plan: Plan) -> None:
        """Makes `plan.effective` true: all of it, or raises PatchkitError and leaves everything as it was."""
        ...  # noqa: PIE790  # as above

    def parts(self, path: str) -> list[str]:
        """The components of a path, `.` and `..` worked out; raises P301 when it leaves the source."""
        parts = joined([], path)
        if path.startswith("/") or not parts:
            raise PatchkitError("P301", file=path, root=".")
        if len(parts) > DEEPEST:
            raise PatchkitError("P309", file=path, reason="it is too long")
        return parts

    def names(self, most: int) -> list[str]:
        """The paths of files, `most` of them at the most, so that a misspelt one can be named; none where unknown."""
        return []

    def below(self, name: str) -> list[str]:
        """The names of all files below a directory, so that a patch which deletes them can put a file in its place."""
        return []

    def settings(self, name: str) -> bytes | None:
        """The content of a settings file such as '.editorconfig'; None where there is none."""
        try:
            entry = self.find(name)
            return entry.data if entry.kind == "file" else None
        except PatchkitError:
            return None

    def new_ending(self, name: str) -> bytes:
        """How the lines of a new file of this name end, as settings files say."""
        from patchkit.globs.conventions import Conventions

        return Conventions(self.settings).ending(name)

    def prepare(self, options: Options) -> None:
        """Takes what the options say about writing: `no_sync`, `keep_links`, `allow_owner_change`, `history`."""
        return  # nothing to take: a source that does not need the options need not write this method

    def begin(self, writing: bool = True) -> list[Note]:
        """Starts a run: takes what locks it needs when it will write; returns notes about what it had to clean up."""
        return []


def hindrance_in(directory: Entry, plan: Plan) -> str | None:
    """What hinders a file in the place of a directory: a file that the plan leaves in it, '' where it deletes none."""
    below = getattr(plan.files, "below", None)
    names: list[str] = below(directory.name) if below is not None else []
    held = (name for name in names if name not in plan.changes or plan.changes[name].after is not None)
    return next(held, None if names else "")


def joined_moves(sections: list[Section]) -> list[Section]:
    """The sections, with two that move one file on one line of the text as the one that they are there.

    In a circle of renames, such as two files that change names, one of them goes through a name that no text has.
    """
    found: list[Section] = []
    away: dict[tuple[int, str], int] = {}  # by the line and the new name, which of those found
    for section in sections:
        line, old = section.op.line, section.moved_from
        if old is not None and line:
            first = away.pop((line, old), None)
            if first is not None:
                found[first] = _one_move(found[first], section)
                continue
            away[line, section.path] = len(found)
        found.append(section)
    return found


def _one_move(first: Section, second: Section) -> Section:
    changes = second if second.results else first
    one = Section(changes.op, "M", second.path, second.name, first.moved_from)
    one.source = first.source
    one.document, one.results = changes.document, changes.results
    one.replacements, one.ends = changes.replacements, changes.ends
    return one


def listed_sections(sections: list[Section]) -> str:
    """The first few sections as letters and paths."""
    shown = [f"{section.letter} {section.path}" for section in sections[:_MOST_SHOWN]]
    return ", ".join(shown) + (f", and {len(sections) - _MOST_SHOWN} more" if len(sections) > _MOST_SHOWN else "")


def watched(report: OnProgress | None, doing: str, things: Iterable[Each], count: int) -> Iterator[Each]:
    """The things, one after the other; where progress is reported, how many are done is said before each."""
    for number, each in enumerate(things):
        if report is not None:
            report(doing, number, count)
        yield each
