"""A walk through a directory and all below it, one directory handle at a time.

Takes a workspace, where to begin and what to look for; gives, directory by directory in the order of their names, the
entries that fit. Links are met but never entered, and no path is handed to the kernel: a directory that is swapped for
a link under way leads nowhere. The walk stops when its budget is spent; `unseen` then names what it has not visited.
"""

from __future__ import annotations

import os
from errno import ELOOP, ENOENT, ENOTDIR
from itertools import islice

from patchkit.errors import PatchkitError
from patchkit.globs.paths import Level
from patchkit.processes.fork import begun, may_fork
from patchkit.search.ignoring import OURS, USUAL, Ignoring
from patchkit.search.query import Budget
from patchkit.workspace.directories import Parts, close, reason
from patchkit.workspace.root import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Found = list[tuple[object, ...]]  # plain values, which `marshal` carries from process to process
    Take = Callable[["Folder"], Found]


_OPENING = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
DEEPEST = 200  # directories below each other, each with a handle; a deeper one is reported, not entered
TOO_DEEP = f"more than {DEEPEST} directories lead to it"
Entries = list[os.DirEntry[str]]
Below = list[tuple[str, Level]]  # names of directories, and what to look for in them
Unreadable = list[tuple[str, str]]  # paths from the root, and why


class Folder:
    """A directory met on a walk: its handle, its path from the root ('' or with a slash behind), its entries that fit.

    The handle lasts until the next one is asked for. What of the entries cannot be read is noted in `unreadable`.
    """

    __slots__ = ("handle", "path", "entries", "unreadable")

    def __init__(self, handle: int, path: str, entries: Entries, unreadable: Unreadable) -> None:
        self.handle = handle
        self.path = path
        self.entries = entries
        self.unreadable = unreadable


class _Frame:
    """A directory on the way down: its handle, its path, the rules that hold in it, and what is to be visited below."""

    __slots__ = ("handle", "path", "rules", "below")

    def __init__(self, handle: int, path: str, rules: Ignoring | None, below: Below) -> None:
        self.handle = handle
        self.path = path
        self.rules = rules
        self.below = below


class Walk:
    """A frame for each directory from the start to where the walk is; `stopped` names the budget that was spent."""

    def __init__(self, files: Workspace, budget: Budget, start: Parts, level: Level, rules: Ignoring | None) -> None:
        """`rules` are those of the directories above the start; None where nothing is ignored."""
        self._frames: list[_Frame] = []
        self._budget = budget
        self._bounded = budget.visits > 0 or budget.seconds > 0
        self._others: list[str] = []  # what was seen in part, or left unseen by another process
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
        """Gives the handles back; what is left to visit stays known."""
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
        """Leaves every second directory to come to another process; gives their paths."""
        left = [_joined(frame.path, name) for frame in self._frames for name, _ in frame.below[1::2]]
        for frame in self._frames:
            frame.below = frame.below[::2]
        return left

    def take_half(self) -> None:
        """Becomes the walk of that process, with an account of its own."""
        for frame in self._frames:
            frame.below = frame.below[1::2]
        self.visited, self.unreadable, self._others = 0, [], []

    def account(self) -> tuple[object, ...]:
        """What another process must know of this walk."""
        return self.visited, self.stopped, self.unreadable, self.unseen

    def add(self, account: tuple[object, ...]) -> None:
        """Takes over what the walk of another process has to tell."""
        visited, stopped, unreadable, unseen = account
        self.visited += visited  # type: ignore[operator]
        self.stopped = self.stopped or stopped  # type: ignore[assignment]
        self.unreadable += unreadable  # type: ignore[arg-type]
        self._others += unseen  # type: ignore[arg-type]

    # -- walking ---------------------------------------------------------------------------------

    def __iter__(self) -> Walk:
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
                if error.errno not in (ENOENT, ENOTDIR, ELOOP):  # gone, or swapped: nothing to see
                    self.unreadable.append((_joined(frame.path, name), reason(error)))
        self.close()
        raise StopIteration

    def _spent(self) -> bool:
        if self._budget.visits and self.visited >= self._budget.visits:
            self.stopped = "visits"
        elif self._budget.late():
            self.stopped = "timeout"
        return bool(self.stopped)

    def _visit(self, frame: _Frame, name: str, level: Level) -> Folder:
        """Enters a directory: its entries that fit are given, its directories come next."""
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
            if self._budget.visits:
                entries = list(islice(names, self._budget.visits - self.visited))
                if next(names, None) is not None:
                    self.stopped = "visits"
                    self._others.append(path[:-1])
            else:
                entries = list(names)
        self.visited += len(entries)
        return entries

    def _kept(self, rules: Ignoring, parts: Parts, found: Entries, below: Below) -> tuple[Entries, Below]:
        """What of both is not ignored; stops when time is up, because rules can be many."""
        below = [each for each in below if each[0] not in USUAL]
        if not rules:
            return found, below
        late = self._budget.late
        found = [each for each in found if not late() and not rules.ignores(parts, each.name, False)]
        below = [each for each in below if not late() and not rules.ignores(parts, each[0], True)]
        if late():
            self.stopped = "timeout"
            self._others.append("/".join(parts))
        return found, below


def _joined(above: str, name: str) -> str:
    return above + name if name != "." else ""


def _sorted_out(entries: Entries, level: Level) -> tuple[Entries, Below]:
    """The entries that fit and are no directories, and the directories in which something may.

    Every name of a walk comes through here: comprehensions with nothing around them, each over what the last one left.
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


# -- halves: A long walk shared by two processes. Takes a Walk and what to do in each directory; gives everything
# that was found, in no certain order. Where there is no second process to be had, this one walks
# alone and finds the same.
_ENOUGH = 64  # directories to come: so many can be dealt out evenly, and are worth a fork


def gather(walk: Walk, take: Take, shared: bool = True) -> Found:
    """Everything `take` finds in the directories of a walk, which is `shared` where it can be."""
    try:
        found: Found = []
        shared = shared and may_fork()
        for folder in walk:
            found += take(folder)
            if shared and walk.to_come >= _ENOUGH:
                return found + _in_two(walk, take)
        return found
    finally:
        walk.close()


def _in_two(walk: Walk, take: Take) -> Found:
    """Walks one half here and the other in a fork; alone where there is none to be had."""
    other = begun(lambda: _other_half(walk, take))
    if other is None:
        return _walked(walk, take)
    left = walk.leave_half()
    try:
        found = _walked(walk, take)
    except BaseException:
        other.stop()
        raise
    told: tuple[Found, tuple[object, ...]] = other.value() or ([], (0, "killed", [], left))  # type: ignore[assignment]
    walk.add(told[1])
    return found + told[0]


def _other_half(walk: Walk, take: Take) -> tuple[Found, tuple[object, ...]]:
    walk.take_half()
    return _walked(walk, take), walk.account()


def _walked(walk: Walk, take: Take) -> Found:
    found: Found = []
    for folder in walk:
        found += take(folder)
    found.sort()  # here and there at the same time: whoever sorts all of it afterwards has only to merge
    return found


# -- naming: Files by name: everything a walk finds, the newest first. Takes a walk; gives the paths of the files
# it meets. A link that leads to a file inside the root is found under its own name; what lies behind
# other links is not looked at.


def files_named(files: Workspace, walk: Walk, shared: bool) -> list[str]:
    """The files of a walk as paths from the root: the newest first, those of one time by name.

    `shared` lets two processes walk, which pays where there is no end to the visits.
    """
    found = gather(walk, lambda folder: _dated(files, folder), shared)
    found.sort()  # each process has sorted what it found: only a merge is left
    return [path for _, path in found]  # type: ignore[misc]


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
    """The status of the file that a link leads to, None where it leads out of the root or to no file."""
    try:
        goal = files.reach(name, [*folder.path.split("/")[:-1], name])
    except PatchkitError:
        return None
    return goal.location.status if goal.kind == "file" else None
