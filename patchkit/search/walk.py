"""Walk through a directory and all below it: which names are ignored, which files fit, where a search begins.

Takes the directories of a workspace, where to begin and what to look for; gives, directory by directory in the order of
their names, the entries that fit. Links are met but never entered, and every directory is opened by its name in the
handle of the one above: a directory that is replaced by a link meanwhile is not followed. The walk stops when its
budget is spent; `unseen` then names what it has not visited. A long walk is shared by two processes, where a second one
can be had; otherwise this one walks alone and finds the same.

What is ignored: names in ignore files, and directories that tools make. The files and their order are ripgrep's:
`.rgignore`, `.ignore`, `.gitignore`, `.git/info/exclude`, then the user's own (git's `core.excludesFile`); of one kind,
the file nearest to the name decides. A `.gitignore` counts whether there is a repository or not, and ends where another
repository begins. Nothing above the root of the workspace is read. What a line of an ignore file means is decided in
`globs.patterns`.
"""

from __future__ import annotations

import os
from errno import ELOOP, ENOENT, ENOTDIR
from itertools import islice

from patchkit.core.workspace import READING, Directories, Parts, close
from patchkit.errors import PatchkitError, reason
from patchkit.globs.patterns import IgnoreRules, Level, by_bytes, ignore_rules, level
from patchkit.handles import OpenHandle, ReportedAs
from patchkit.processes.child import Deadline, forked, may_fork
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from patchkit.core.workspace import WorkspaceEntry
    from patchkit.core.workspace.root import Workspace

    Late = Callable[[], bool]  # whether time is up
    Found = list[tuple[float, str]]  # the age of each file, and its path: plain values, as a fork can send them
    Account = tuple[int, str, list[tuple[str, str]], list[str]]  # names visited, why it stopped, unreadable, unseen

# -- where to begin, and within which bounds -----------------------------------------------------


class SearchBudget(Deadline):
    """What a search may cost; one that reaches a limit stops and says so."""

    def __init__(self, seconds: float = 0, visits: int = 0, may_fork: bool = True, cancelled: Late | None = None):
        super().__init__(seconds, cancelled)
        self.visits = visits  # names; 0 for as many as it takes
        self.may_fork = may_fork  # whether it may use a second process: some hosts must not be forked


class FileFilter:
    """A pattern of files: without a slash it is for names at any depth, with `!` in front for all other files."""

    def __init__(self, pattern: str) -> None:
        self._others = pattern.startswith("!")
        self._level = filter_level(pattern.removeprefix("!")) if pattern else None

    def admits(self, parts: Sequence[str]) -> bool:
        return self._level is None or self._level.fits_path(parts) != self._others


def filter_level(pattern: str, hidden: bool = True) -> Level:
    anywhere = "/" not in pattern.rstrip("/")
    return level(f"**/{pattern}" if anywhere else pattern.removeprefix("/"), hidden)


def entry_at(files: Workspace, path: str) -> WorkspaceEntry:
    """What a path names; refused when there is nothing, or a directory that may not be looked into."""
    entry = files.find(path)
    if entry.blocker:
        raise PatchkitError("P310", file=path, parent=entry.blocker)
    if entry.kind == "missing":
        raise PatchkitError("P302", file=path)
    if entry.kind == "directory":
        with ReportedAs("P401", file=path):
            files.directories.handle(entry.location.parts)
    return entry


def directory_at(files: Workspace, path: str) -> Parts:
    """The components of the directory that a path names; refused when it names anything else."""
    entry = entry_at(files, path)
    if entry.kind != "directory":
        raise PatchkitError("P319", file=path)
    return entry.location.parts


# -- what is ignored -----------------------------------------------------------------------------

# Directories of tools and of what tools made: left out unless ignored names are asked for.
USUAL = frozenset("node_modules dist target build venv .venv __pycache__ .git .hg .svn .idea .vscode".split())
OURS = ".patchkit"  # where patchkit keeps its state if no other place is writable: never searched
_KINDS = (".rgignore", ".ignore", ".gitignore")
_GIT, _EXCLUDE = 2, 3
_MOST_BYTES = 128 << 10  # of an ignore file: thousands of rules, which are read in a moment
_DIRECTORY = READING | os.O_DIRECTORY

_Placed = tuple[IgnoreRules, int]  # the rules of a file, and how many components lead to its directory


class Ignoring:
    """The ignore rules of a directory; those of the one above where it has no ignore files."""

    __slots__ = ("_by_kind", "_user", "_late", "_ordered")

    def __init__(self, by_kind: tuple[tuple[_Placed, ...], ...], user: IgnoreRules | None, late: Late) -> None:
        self._by_kind = by_kind
        self._user = user
        self._late = late  # there can be many rules: then every name counts as ignored
        self._ordered = [placed for kind in by_kind for placed in kind]
        if user:
            self._ordered.append((user, 0))

    def __bool__(self) -> bool:
        return bool(self._ordered)

    @property
    def from_files(self) -> bool:
        """Whether any of the rules are in files of the workspace, and not only in the user's own file."""
        return any(self._by_kind)

    def ignores(self, directory: Parts, name: str, is_directory: bool) -> bool:
        """Whether a name in the directory with these components is ignored."""
        if not (name.isascii() and all(map(str.isascii, directory))):
            name, directory = by_bytes(name), tuple(map(by_bytes, directory))
        for rules, depth in self._ordered:
            if self._late():
                return True
            verdict = rules.verdict(directory[depth:], name, is_directory)
            if verdict is not None:
                return verdict
        return False

    def inside(self, handle: int, depth: int, names: Container[str] | None = None) -> Ignoring:
        """The rules of a directory below; `names` are those it has, None where they are not known."""
        kinds = [_read(handle, name) if names is None or name in names else None for name in _KINDS]
        repository = (names is None or ".git" in names) and _exists(handle, ".git")
        if not repository and not any(kinds):
            return self
        kinds.append(_excluded(handle) if repository else None)
        above = list(self._by_kind)
        if repository:
            above[_GIT] = above[_EXCLUDE] = ()
        own = [((rules, depth),) if rules else () for rules in kinds]
        return Ignoring(tuple(new + old for new, old in zip(own, above)), self._user, self._late)


def rules_above(directories: Directories, directory: Parts, late: Late) -> Ignoring:
    """The rules for a directory from the root on: the user's own, and those of all directories above it."""
    rules = Ignoring(((), (), (), ()), _user_rules(), late)
    try:
        for depth in range(len(directory)):
            if late():
                break
            rules = rules.inside(directories.handle(directory[:depth]), depth)
    except OSError:
        pass  # a directory is gone, and so is what the rules were for
    return rules


def _read(handle: int, name: str) -> IgnoreRules | None:
    """The rules of an ignore file in a directory; None when no such file can be read."""
    text = _text(name, READING, handle)
    return ignore_rules(by_bytes(text)) if text is not None else None


def _text(path: str, flags: int, directory: int | None = None) -> str | None:
    """The lines of a file, up to the size of any that was written by hand; None when it cannot be read."""
    try:
        with OpenHandle(os.open(path, flags, dir_fd=directory)) as opened:
            data = os.read(opened, _MOST_BYTES)
    except OSError:  # also where a directory has that name
        return None
    if len(data) == _MOST_BYTES:
        data = data[: data.rfind(b"\n") + 1]
    return data.decode("utf-8-sig", "surrogateescape")


def _exists(handle: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=handle, follow_symlinks=False)
    except OSError:
        return False
    return True


def _excluded(handle: int) -> IgnoreRules | None:
    """The rules of a repository's own `info/exclude`."""
    try:
        with (
            OpenHandle(os.open(".git", _DIRECTORY, dir_fd=handle)) as repository,
            OpenHandle(os.open("info", _DIRECTORY, dir_fd=repository)) as info,
        ):
            return _read(info, "exclude")
    except OSError:
        return None


# -- the user's own file -------------------------------------------------------------------------

_OF_THE_USER = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # it may be a link


def _user_rules() -> IgnoreRules | None:
    """The rules of `core.excludesFile`, or of `git/ignore` in the user's configuration; None where it has none."""
    home = os.environ.get("HOME", "")
    settings = os.environ.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else "")
    files = [f"{home}/.gitconfig"] if home else []
    files += [f"{settings}/git/config"] if settings else []
    named = next((path for path in map(_excludes_file, files) if path), None)
    if named is not None:
        path = home + named[1:] if named.startswith("~/") else named
    elif settings:
        path = f"{settings}/git/ignore"
    else:
        return None
    text = _text(path, _OF_THE_USER)
    return ignore_rules(by_bytes(text)) if text else None


def _excludes_file(config: str) -> str | None:
    """What a configuration of git says about `excludesFile`."""
    for line in (_text(config, _OF_THE_USER) or "").split("\n"):
        name, equals, value = line.partition("=")
        if equals and name.strip().lower() == "excludesfile":
            return value.strip().strip('"').strip() or None
    return None


# -- the walk ------------------------------------------------------------------------------------

_OPENING = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
DEEPEST = 200  # directories below each other, each with a handle; a deeper one is reported and not entered
TOO_DEEP = f"more than {DEEPEST} directories lead to it"
Entries = list[os.DirEntry[str]]
Below = list[tuple[str, Level]]  # names of directories, and what to look for in them
Unreadable = list[tuple[str, str]]  # paths from the root, and why


class Folder(Record):
    """A directory of a walk."""

    handle: int  # open until the next directory is asked for
    path: str  # from the root, '' or with a slash behind
    entries: Entries  # those that fit
    unreadable: Unreadable  # where entries are noted that cannot be read


class _Frame(Record):
    """A directory on the way down: its handle, its path, its ignore rules, and the directories to be visited below."""

    handle: int
    path: str
    rules: Ignoring | None
    below: Below


class DirectoryWalk:
    """The directories from the start to where the walk is; `stopped` names the limit of the budget that was reached."""

    def __init__(
        self, directories: Directories, budget: SearchBudget, start: Parts, level: Level, rules: Ignoring | None
    ) -> None:
        """`rules` are those of the directories above the start; None where nothing is ignored."""
        self._frames: list[_Frame] = []
        self.budget = budget
        self._bounded = budget.visits > 0 or budget.seconds > 0
        self._others: list[str] = []  # directories seen in part, or not visited by another process
        self.visited = 0
        self.stopped = ""
        self.unreadable: Unreadable = []
        above = "".join(f"{part}/" for part in start[:-1])
        try:
            handle = os.open(".", _OPENING, dir_fd=directories.handle(start[:-1]))
            self._frames.append(_Frame(handle, above, rules, [(start[-1] if start else ".", level)]))
        except OSError as error:  # gone since it was found
            self.unreadable.append(("/".join(start), reason(error)))

    def close(self) -> None:
        """Closes the handles; what is left to visit stays known."""
        for frame in self._frames:
            if frame.handle >= 0:
                close(frame.handle)
                frame.handle = -1

    @property
    def to_come(self) -> int:
        """How many directories are known that were not visited yet."""
        return sum(len(frame.below) for frame in self._frames)

    @property
    def unseen(self) -> list[str]:
        """The directories that were not visited, or not to their end, as paths from the root."""
        left = [_joined(frame.path, name) for frame in self._frames for name, _ in frame.below]
        return sorted([*self._others, *left])

    def leave_half(self) -> list[str]:
        """Leaves every second directory to come to another process; returns their paths."""
        left = [_joined(frame.path, name) for frame in self._frames for name, _ in frame.below[1::2]]
        for frame in self._frames:
            frame.below = frame.below[::2]
        return left

    def take_half(self) -> None:
        """Makes this the walk of that process, with an account of its own."""
        for frame in self._frames:
            frame.below = frame.below[1::2]
        self.visited, self.unreadable, self._others = 0, [], []

    def account(self) -> Account:
        """What another process must know of this walk."""
        return self.visited, self.stopped, self.unreadable, self.unseen

    def add(self, account: Account) -> None:
        """Adds the account of the walk in another process."""
        visited, stopped, unreadable, unseen = account
        self.visited += visited
        self.stopped = self.stopped or stopped
        self.unreadable += unreadable
        self._others += unseen

    def __iter__(self) -> DirectoryWalk:
        return self

    def __next__(self) -> Folder:
        frames = self._frames
        while frames:
            frame = frames[-1]
            if not frame.below:
                close(frames.pop().handle)
                continue
            if self._bounded and self._spent():
                break
            name, level = frame.below.pop()
            try:
                return self._visit(frame, name, level)
            except OSError as error:
                if error.errno not in (ENOENT, ENOTDIR, ELOOP):  # gone, or replaced by something else
                    self.unreadable.append((_joined(frame.path, name), reason(error)))
        self.close()
        raise StopIteration

    def _spent(self) -> bool:
        if self.budget.visits and self.visited >= self.budget.visits:
            self.stopped = "visits"
        elif self.budget.late():
            self.stopped = "timeout"
        return bool(self.stopped)

    def _visit(self, frame: _Frame, name: str, level: Level) -> Folder:
        """Enters a directory: returns its entries that fit; its directories come next."""
        if len(self._frames) > DEEPEST:
            raise OSError(0, TOO_DEEP)
        path = f"{frame.path}{name}/" if name != "." else ""
        handle = os.open(name, _OPENING, dir_fd=frame.handle)
        try:
            entries = self._listed(handle, path)
        except OSError:
            close(handle)
            raise
        found, below = _sorted_out(entries, level)
        rules = frame.rules
        if rules is not None:
            parts = tuple(path.split("/")[:-1])
            dotted = {entry.name for entry in entries if entry.name[0] == "."}
            if dotted:
                rules = rules.inside(handle, len(parts), dotted)
            found, below = self._kept(rules, parts, found, below)
        if not path:
            below = [each for each in below if each[0] != OURS]
        below.sort(reverse=True)  # by name: no two are the same
        self._frames.append(_Frame(handle, path, rules, below))
        return Folder(handle, path, found, self.unreadable)

    def _listed(self, handle: int, path: str) -> Entries:
        """The entries of a directory, as many as the budget allows."""
        with os.scandir(handle) as names:
            if self.budget.visits:
                entries = list(islice(names, self.budget.visits - self.visited))
                if next(names, None) is not None:
                    self.stopped = "visits"
                    self._others.append(path[:-1])
            else:
                entries = list(names)
        self.visited += len(entries)
        return entries

    def _kept(self, rules: Ignoring, parts: Parts, found: Entries, below: Below) -> tuple[Entries, Below]:
        below = [each for each in below if each[0] not in USUAL]
        if not rules:
            return found, below
        found = [each for each in found if not rules.ignores(parts, each.name, False)]
        below = [each for each in below if not rules.ignores(parts, each[0], True)]
        if self.budget.late():
            self.stopped = "timeout"
            self._others.append("/".join(parts))
        return found, below


def _joined(above: str, name: str) -> str:
    return above + name if name != "." else ""


def _sorted_out(entries: Entries, level: Level) -> tuple[Entries, Below]:
    """The entries that fit and are not directories, and the directories in which something may fit."""
    # This runs for every name of a walk, so it is made of plain comprehensions, each over what the last one left.
    folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    below: Below = []
    for name in folders:
        deeper = level if level.same_below and (level.hidden or name[0] != ".") else level.below(name)
        if deeper is not None:
            below.append((name, deeper))
    ending, test = level.ending, level.test
    if ending is not None:
        found = [entry for entry in entries if entry.name.endswith(ending)]
    else:
        found = [entry for entry in entries if test(entry.name)]
    if not level.hidden:  # a hidden name that fits has passed the test as well
        found = [entry for entry in found if entry.name[0] != "." or level.fits(entry.name)]
    if folders:
        found = [entry for entry in found if not entry.is_dir(follow_symlinks=False)]
    return found, below


# -- files by name -------------------------------------------------------------------------------

_ENOUGH = 64  # directories to come: so many can be shared evenly, and are worth a fork


def files_named(files: Workspace, walk: DirectoryWalk, shared: bool) -> list[str]:
    """The files of a walk as paths from the root: the newest first, those of one time by name.

    A link to a file inside the root is found under its own name; what other links lead to is not looked at. `shared`
    lets two processes walk, which pays where the number of visits is not limited; the budget of the walk and this
    process must allow a fork for that.
    """
    found: Found = []
    try:
        shared = shared and walk.budget.may_fork and may_fork()
        for folder in walk:
            found += _dated(files, folder)
            if shared and walk.to_come >= _ENOUGH:
                found += _in_two(files, walk)
                break
    finally:
        walk.close()
    found.sort()  # each process has sorted what it found: only a merge is left
    return [path for _, path in found]


def _in_two(files: Workspace, walk: DirectoryWalk) -> Found:
    """Walks one half here and the other in a fork; alone where no fork can be had."""
    other = forked(lambda: _other_half(files, walk))
    if other is None:
        return _walked(files, walk)
    left = walk.leave_half()
    try:
        found = _walked(files, walk)
    except BaseException:
        other.stop()
        raise
    theirs, account = other.value() or ([], (0, "killed", [], left))
    walk.add(account)
    return [*found, *theirs]


def _other_half(files: Workspace, walk: DirectoryWalk) -> tuple[Found, Account]:
    walk.take_half()
    return _walked(files, walk), walk.account()


def _walked(files: Workspace, walk: DirectoryWalk) -> Found:
    found = [each for folder in walk for each in _dated(files, folder)]
    found.sort()  # in both processes at the same time
    return found


def _dated(files: Workspace, folder: Folder) -> Found:
    """The entries of a directory that are files, each with its age: what is newer sorts first."""
    path = folder.path
    found: Found = []
    for entry in folder.entries:
        try:
            if entry.is_file(follow_symlinks=False):
                found.append((-entry.stat(follow_symlinks=False).st_mtime, path + entry.name))
            elif entry.is_symlink():
                status = _behind(files, folder, entry.name)
                if status is not None:
                    found.append((-status.st_mtime, path + entry.name))
        except FileNotFoundError:
            continue
        except OSError as error:  # a directory that may be listed and not entered
            folder.unreadable.append((path + entry.name, reason(error)))
    return found


def _behind(files: Workspace, folder: Folder, name: str) -> os.stat_result | None:
    """The status of the file that a link leads to; None where it leads out of the root, or not to a file."""
    try:
        goal = files.reach(name, [*folder.path.split("/")[:-1], name])
    except PatchkitError:
        return None
    return goal.location.status if goal.kind == "file" else None
