"""Walk through a directory and all below it, and find files by name.

Takes a workspace, where to begin and what to look for; gives, directory by directory in the order of their names, the
entries that fit. Links are met but never entered, and every directory is opened by its name in the handle of the one
above: a directory that is replaced by a link meanwhile is not followed. The walk stops when its budget is spent;
`unseen` then names what it has not visited. A long walk is shared by two processes, where a second one can be had;
otherwise this one walks alone and finds the same.
"""

from __future__ import annotations

import os
from errno import ELOOP, ENOENT, ENOTDIR
from itertools import islice

from patchkit.errors import PatchkitError
from patchkit.globs.paths import Level
from patchkit.processes.fork import forked, may_fork
from patchkit.search.ignoring import OURS, USUAL, Ignoring
from patchkit.search.query import SearchBudget
from patchkit.workspace.directories import Parts, close, reason
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Found = list[tuple[Any, ...]]  # plain values, which `marshal` carries from process to process
    Take = Callable[["Folder"], Found]
    Account = tuple[int, str, list[tuple[str, str]], list[str]]  # names visited, why it stopped, unreadable, unseen

_OPENING = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
DEEPEST = 200  # directories below each other, each with a handle; a deeper one is reported and not entered
TOO_DEEP = f"more than {DEEPEST} directories lead to it"
Entries = list[os.DirEntry[str]]
Below = list[tuple[str, Level]]  # names of directories, and what to look for in them
Unreadable = list[tuple[str, str]]  # paths from the root, and why


class Folder:
    """A directory of a walk: its handle, its path from the root ('' or with a slash behind), its entries that fit.

    The handle is open until the next directory is asked for. Entries that cannot be read are noted in `unreadable`.
    """

    __slots__ = ("handle", "path", "entries", "unreadable")

    def __init__(self, handle: int, path: str, entries: Entries, unreadable: Unreadable) -> None:
        self.handle = handle
        self.path = path
        self.entries = entries
        self.unreadable = unreadable


class _Frame:
    """A directory on the way down: its handle, its path, its ignore rules, and the directories to be visited below."""

    __slots__ = ("handle", "path", "rules", "below")

    def __init__(self, handle: int, path: str, rules: Ignoring | None, below: Below) -> None:
        self.handle = handle
        self.path = path
        self.rules = rules
        self.below = below


class DirectoryWalk:
    """The directories from the start to where the walk is; `stopped` names the limit of the budget that was reached."""

    def __init__(
        self, files: Workspace, budget: SearchBudget, start: Parts, level: Level, rules: Ignoring | None
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
            handle = os.open(".", _OPENING, dir_fd=files.directories.handle(start[:-1]))
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

    # -- sharing with another process ------------------------------------------------------------

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

    # -- walking ---------------------------------------------------------------------------------

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
        """What of both is not ignored; stops when time is up, because there can be many rules."""
        below = [each for each in below if each[0] not in USUAL]
        if not rules:
            return found, below
        late = self.budget.late
        found = [each for each in found if not late() and not rules.ignores(parts, each.name, False)]
        below = [each for each in below if not late() and not rules.ignores(parts, each[0], True)]
        if late():
            self.stopped = "timeout"
            self._others.append("/".join(parts))
        return found, below


def _joined(above: str, name: str) -> str:
    return above + name if name != "." else ""


def _sorted_out(entries: Entries, level: Level) -> tuple[Entries, Below]:
    """The entries that fit and are not directories, and the directories in which something may fit.

    This runs for every name of a walk, so it is made of plain comprehensions, each over what the last one left.
    """
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


# -- two processes -------------------------------------------------------------------------------

_ENOUGH = 64  # directories to come: so many can be shared evenly, and are worth a fork


def gather(walk: DirectoryWalk, take: Take, shared: bool = True) -> Found:
    """Everything `take` finds in the directories of a walk, in no certain order; the walk is `shared` where it can be.

    The budget of the walk and this process must allow a fork for that.
    """
    try:
        found: Found = []
        shared = shared and walk.budget.may_fork and may_fork()
        for folder in walk:
            found += take(folder)
            if shared and walk.to_come >= _ENOUGH:
                return found + _in_two(walk, take)
        return found
    finally:
        walk.close()


def _in_two(walk: DirectoryWalk, take: Take) -> Found:
    """Walks one half here and the other in a fork; alone where no fork can be had."""
    other = forked(lambda: _other_half(walk, take))
    if other is None:
        return _walked(walk, take)
    left = walk.leave_half()
    try:
        found = _walked(walk, take)
    except BaseException:
        other.stop()
        raise
    theirs, account = other.value() or ([], (0, "killed", [], left))
    walk.add(account)
    return found + theirs


def _other_half(walk: DirectoryWalk, take: Take) -> tuple[Found, Account]:
    walk.take_half()
    return _walked(walk, take), walk.account()


def _walked(walk: DirectoryWalk, take: Take) -> Found:
    found: Found = []
    for folder in walk:
        found += take(folder)
    found.sort()  # in both processes at the same time: sorting all of it afterwards is only a merge
    return found


# -- files by name -------------------------------------------------------------------------------


def files_named(files: Workspace, walk: DirectoryWalk, shared: bool) -> list[str]:
    """The files of a walk as paths from the root: the newest first, those of one time by name.

    A link to a file inside the root is found under its own name; what other links lead to is not looked at. `shared`
    lets two processes walk, which pays where the number of visits is not limited.
    """
    found = gather(walk, lambda folder: _dated(files, folder), shared)
    found.sort()  # each process has sorted what it found: only a merge is left
    return [path for _, path in found]


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
