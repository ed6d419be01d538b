"""What a search asks, where it begins, what it may cost, and what it finds.

Values that ripgrep, the search without it and the tools share. A path becomes a place to begin at through the
workspace, so a search never begins outside of the root.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.globs.paths import Level, level
from patchkit.processes.child import Deadline
from patchkit.values import Value
from patchkit.workspace.directories import Parts
from patchkit.workspace.entries import WorkspaceEntry
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FILES, CONTENT, COUNT = "files_with_matches", "content", "count"


class Query(Value):
    """A text or an expression to look for, in which files, and how many lines around each match."""

    __slots__ = ("pattern", "regex", "ignore_case", "mode", "before", "after", "hidden", "ignored", "glob", "type")
    pattern: str
    regex: bool
    ignore_case: bool
    mode: str
    before: int
    after: int
    hidden: bool
    ignored: bool
    glob: str
    type: str

    def __init__(self, pattern: str, mode: str = FILES) -> None:
        self.pattern = pattern
        self.mode = mode
        self.regex = self.ignore_case = False
        self.before = self.after = 0
        self.hidden = self.ignored = False  # whether hidden and ignored names are searched too
        self.glob = self.type = ""


class Hit(Value):
    """A file in which the query was found: its path from the root, when it was changed, how many lines match.

    `handle` is the open file where a caller named one outside of every directory searched, else -1.
    """

    __slots__ = ("path", "modified", "count", "handle")
    path: str
    modified: float
    count: int
    handle: int

    def __init__(self, path: str, modified: float = 0, count: int = 0, handle: int = -1) -> None:
        self.path = path
        self.modified = modified
        self.count = count
        self.handle = handle


class FoundLine(Value):
    """A line of a file: one that matches, or one around it. `clipped` says that it is longer than its text."""

    __slots__ = ("path", "number", "text", "matches", "clipped")
    path: str
    number: int
    text: str
    matches: bool
    clipped: bool

    def __init__(self, path: str, number: int, text: str, matches: bool = True, clipped: bool = False) -> None:
        self.path = path
        self.number = number
        self.text = text
        self.matches = matches
        self.clipped = clipped


class SearchBudget(Deadline):
    """What a search may cost: seconds, names visited (0: as many as it takes), and whether it may use a second process.

    A search that reaches a limit stops and says so. `may_fork` is for hosts that must not be forked.
    """

    __slots__ = ("visits", "may_fork")

    def __init__(
        self,
        seconds: float = 0,
        visits: int = 0,
        may_fork: bool = True,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(seconds, cancelled)
        self.visits = visits
        self.may_fork = may_fork


class FileFilter:
    """A pattern of files: without a slash it is for names at any depth, with `!` in front for all other files."""

    __slots__ = ("_level", "_others")

    def __init__(self, pattern: str) -> None:
        self._others = pattern.startswith("!")
        self._level = filter_level(pattern.removeprefix("!")) if pattern else None

    def admits(self, parts: Sequence[str]) -> bool:
        return self._level is None or self._level.fits_path(parts) != self._others


def filter_level(pattern: str, hidden: bool = True) -> Level:
    """The Level of a pattern of files."""
    anywhere = "/" not in pattern.rstrip("/")
    return level(f"**/{pattern}" if anywhere else pattern.removeprefix("/"), hidden)


# -- where a search begins -----------------------------------------------------------------------


class Start(Value):
    """Where a search begins: a directory by its components from the root, or a single open file."""

    __slots__ = ("parts", "path", "handle")
    parts: Parts
    path: str
    handle: int

    def __init__(self, parts: Parts, path: str = "", handle: int = -1) -> None:
        self.parts = parts
        self.path = path
        self.handle = handle


def entry_at(files: Workspace, path: str) -> WorkspaceEntry:
    """What a path names; refused when there is nothing."""
    entry = files.find(path)
    if entry.blocker:
        raise PatchkitError("P310", file=path, parent=entry.blocker)
    if entry.kind == "missing":
        raise PatchkitError("P302", file=path)
    return entry


def directory_at(files: Workspace, path: str) -> Parts:
    """The components of the directory that a path names; refused when it names anything else."""
    entry = entry_at(files, path)
    if entry.kind != "directory":
        raise PatchkitError("P319", file=path)
    return parts_of(entry)


def parts_of(directory: WorkspaceEntry) -> Parts:
    """The components of a directory from the root."""
    return directory.location.parts


# -- lines as they are shown ---------------------------------------------------------------------

LONGEST = 500  # characters of a line
_BEFORE = 100  # of them in front of the match


def shown(line: bytes, at: int) -> tuple[str, bool]:
    """The text of a line without its ending, of a long one what is around the match; and whether it was clipped.

    The match begins at the byte `at`.
    """
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    if len(line) <= LONGEST:
        return line.decode("utf-8", "replace"), False
    # Of a line of a gigabyte only the surroundings are decoded. A character takes at most four bytes.
    first = max(at - 4 * LONGEST, 0)
    before = line[first:at].decode("utf-8", "replace")
    after = line[at : at + 4 * LONGEST].decode("utf-8", "replace")
    start = max(len(before) - _BEFORE, 0) if len(before) + len(after) > LONGEST else 0
    text = (before + after)[start : start + LONGEST]
    cut_before = start > 0 or first > 0
    cut_after = len(before) + len(after) - start > LONGEST or at + 4 * LONGEST < len(line)
    if not (cut_before or cut_after):
        return text, False
    return ("…" if cut_before else "") + text + ("…" if cut_after else ""), True
