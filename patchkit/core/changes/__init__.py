"""What a plan is made of: files as they are, files as they shall be, and what each section does.

Values only: `planner` fills them, `Files` commits them, `results` counts them.
"""

from __future__ import annotations

from patchkit.core.changes.splice import Replacement
from patchkit.core.language import FileOp
from patchkit.core.text import Document
from patchkit.errors import Note, PatchkitError
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypeVar

    class OfAKind(Protocol):
        kind: str

    Found = TypeVar("Found", bound=OfAKind)


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
    name: str
    kind: str
    target: str
    blocker: str
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


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Protocol, TypeVar

    from patchkit.core.matching import Match, Miss

    class RunOptions(Protocol):
        """What the options of a run say about writing."""

        no_sync: bool
        allow_owner_change: bool
        keep_links: bool
        history: bool

    class PlanFront(Protocol):
        """How the library shows a plan, and words a refusal to commit it."""

        def diff(self, plan: Plan) -> str: ...
        def summary(self, plan: Plan) -> str: ...
        def refusal(self, error: PatchkitError) -> PatchkitError: ...

    Each = TypeVar("Each")
    Pieces = list[bytes]
else:
    Pieces = object
    Protocol = object  # a class like any other at run time: `typing` costs more than applying a small patch


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
    path: str
    before: Entry
    after: list[bytes] | None
    keeps: Entry | None
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
        if self.before.kind == "missing":
            return self.after is not None
        if self.before.kind != "file" or self.after is None or self.keeps is not self.before:
            return True
        if self.executable is not None and is_executable(self.before) not in (None, self.executable):
            return True
        if isinstance(self.after, Whole):
            return self.after.entry is not self.before
        return not (len(self.after) == 1 and self.before.is_read and self.after[0] is self.before.data)


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
    op: FileOp
    letter: str
    path: str
    moved_from: str | None
    name: str
    source: str
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


class Plan(Value):
    """All changes of a run, computed and not yet made.

    `sections` are in the patch's order; `changes` hold the net result for each name. `commit` makes the plan
    true through the files it was made for.
    """

    __slots__ = ("sections", "changes", "notes", "files", "front")
    _place = ("files", "front")
    sections: list[Section]
    changes: dict[str, FileChange]
    notes: list[Note]
    files: Files
    front: PlanFront | None  # of a plan that the library gives away

    def __init__(self, files: Files) -> None:
        self.sections = []
        self.changes = {}
        self.notes = []
        self.files = files
        self.front = None

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
        return any(name in self.changes and self.changes[name].changed for name in (section.name, section.source))

    @property
    def effective(self) -> list[FileChange]:
        """The changes that change something."""
        return [change for change in self.changes.values() if change.changed]

    def load_all(self) -> None:
        """Reads the content of every file that will be gone or other afterwards."""
        for change in self.changes.values():
            if change.before.kind == "file":
                _ = change.before.data

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

    def settings(self, name: str) -> bytes | None:
        """The content of a settings file such as '.editorconfig'; None where there is none."""
        try:
            entry = self.find(name)
            return entry.data if entry.kind == "file" else None
        except PatchkitError:
            return None

    def new_ending(self, name: str) -> bytes:
        """How the lines of a new file of this name end, as settings files say."""
        from patchkit.core.text.endings import Conventions

        return Conventions(self.settings).ending(name)

    def prepare(self, options: RunOptions) -> None:
        """Takes what the options say about writing: `no_sync`, `keep_links`, `allow_owner_change`, `history`."""
        return  # nothing to take: a source that does not need the options need not write this method

    def begin(self, writing: bool = True) -> list[Note]:
        """Starts a run: takes what locks it needs when it will write; returns notes about what it had to clean up."""
        return []


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


def watched(files: Files, doing: str, things: Iterable[Each], count: int) -> Iterable[Each]:
    """The things, one after the other; files with a callback for progress are called with how many are done."""
    report = getattr(files, "on_progress", None)
    return things if report is None else _reported(report, doing, things, count)


def _reported(
    report: Callable[[str, int, int], None], doing: str, things: Iterable[Each], count: int
) -> Iterator[Each]:
    for number, each in enumerate(things):
        report(doing, number, count)
        yield each
