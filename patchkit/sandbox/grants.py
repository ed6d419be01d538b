"""Which files a process may use under the rules: one walk over the files that exist, by directory handles.

Takes the rules as a RuleMachine and the ReadScope that may be read at all; grants rights for whole directories where
nothing is forbidden below them, and entry by entry elsewhere. The kernel's rights hold for all below a directory: in
one that contains something forbidden, no names may be made or removed. Where mounts can be used, such a directory is
granted as a whole if new names in it are allowed, and what is forbidden in it becomes a MountStep. Links get no rights:
where they lead has its own. Nothing is kept between two walks.
"""

from __future__ import annotations

import os
import stat
import time

from patchkit.errors import PatchkitError
from patchkit.policy import READ, WRITE
from patchkit.sandbox import landlock
from patchkit.sandbox.mounts import CLOSED, HIDDEN, OPEN, MountStep
from patchkit.sandbox.path_states import ALL, NONE, SOME
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from patchkit.sandbox.path_states import PathState, RuleMachine

    # Takes an open handle, rights of `landlock`, whether it is a directory, and its path.
    Granting = Callable[[int, int, bool, str], None]
    Status = tuple[str, str]  # of a directory or file: what of it may be read, and written

MOST_ENTRIES = 300_000
PART = "part"  # what may be used in it was granted already
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PATH = 0x200000 | os.O_NOFOLLOW | os.O_CLOEXEC  # O_PATH
_TICK = 10_000_000  # nanoseconds: file systems may count time in steps of that size
_MOST_MOUNTED = 500  # files that are made writable one by one; of more, their directory is


class ReadScope(Value):
    """A tree of the directories that may be read, with the rights that reading them means; 0 where it is not one."""

    __slots__ = ("rights", "children")
    rights: int
    children: dict[str, ReadScope]

    def __init__(self, rights: int = 0) -> None:
        self.rights = rights
        self.children = {}

    def add(self, path: str, rights: int) -> None:
        """Adds a real path, with all below it; nothing where a directory above it has these rights already."""
        place = self
        for name in path.split("/"):
            if place.rights | rights == place.rights:
                return
            if name:
                place = place.children.setdefault(name, ReadScope())
        place.rights |= rights
        place._leave_out(place.rights)

    def _leave_out(self, rights: int) -> None:
        """Removes what has no more rights than a directory above it gives."""
        for name, child in [*self.children.items()]:
            child._leave_out(rights | child.rights)
            if not child.children and child.rights | rights == rights:
                del self.children[name]


_NOWHERE = ReadScope()


class Watched(Value):
    """A writable directory as it was before the run: names that may not be made there are looked for afterwards."""

    __slots__ = ("path", "changed", "state")
    path: str
    changed: int
    state: PathState

    def __init__(self, path: str, changed: int, state: PathState) -> None:
        self.path = path
        self.changed = changed
        self.state = state


class GrantWalk:
    """One walk. Afterwards `steps` are the mounts; `frozen` are the directories in which no names can be made, and
    `unread` those in which new files can be made and not read, each with what is forbidden in it."""

    def __init__(
        self, machine: RuleMachine, scope: ReadScope, grant: Granting, mounts: bool, most: int = MOST_ENTRIES
    ) -> None:
        self._machine = machine
        self._scope = scope
        self._grant = grant
        self._mounts = mounts
        self._most = most
        self._seen = 0
        self._fold = machine.fold
        self.steps: list[MountStep] = []
        self.frozen: dict[str, str] = {}
        self.unread: dict[str, str] = {}
        self.linked: list[PatchkitError] | None = None  # takes what P672 would say, where that does not refuse
        self.watched: list[Watched] = []
        self.forbidden: set[str] = set()  # paths in writable directories that may not be written
        self._shared: dict[tuple[int, int], tuple[str, int]] = {}
        self._moved = False  # whether something was gone that had just been seen
        self._within = False  # whether this is below a directory that is granted with covers over what is forbidden
        self.started = time.time_ns()

    def run(self) -> None:
        """Walks; raises P671 where there is too much to look at, P672 where a forbidden file has another name."""
        handle = _opened("/", None)
        try:
            state, scope = self._machine.top, self._scope
            reads, writes = self._entered(handle, "", state, scope, scope.rights)
            self._grant_entry(handle, ".", "/", True, scope.rights if reads == ALL else 0, writes == ALL)
        finally:
            os.close(handle)
        self._refuse_shared()

    # -- one entry -------------------------------------------------------------------------------

    def _directory(self, above: int, name: str, path: str, state: PathState, scope: ReadScope, rights: int) -> Status:
        """What of a directory may be used. Looks inside only where the rules differ about what may be there."""
        below_reads, below_writes = _below_reads(state, rights), state.below_writes
        if not scope.children:
            own = _reads(state, rights)
            if below_writes == NONE and below_reads == NONE and not own:
                if rights and not state.reads:
                    self._refuse_linked(above, name, path, READ)
                return NONE, NONE
            settled = below_writes != SOME and below_reads != SOME and (below_writes == NONE or state.writes)
            if settled and (own or below_reads == NONE):
                return (ALL if below_reads == ALL else self._listed(above, name, path, rights, own)), below_writes
        try:
            handle = _opened(name, above)
        except OSError:
            return NONE, NONE  # it cannot be looked at, so nothing in it is granted
        try:
            return self._entered(handle, path, state, scope, rights)
        finally:
            os.close(handle)

    def _listed(self, above: int, name: str, path: str, rights: int, own: bool) -> str:
        """Grants the names of a directory in which nothing may be read."""
        if own:
            self._grant_entry(above, name, path, True, landlock.LIST, False)
        return PART if own else NONE

    def _entered(self, handle: int, path: str, state: PathState, scope: ReadScope, rights: int) -> Status:
        """What of an open directory may be used; grants what has to be granted entry by entry."""
        try:
            changed = os.stat(".", dir_fd=handle).st_ctime_ns  # before its names are read
        except OSError:
            return NONE, NONE  # its names can be seen, and what they are cannot
        entries = self._entries(handle, path, state, scope, rights)
        if entries is None:
            return NONE, NONE  # what is in it cannot be seen
        open_reads, open_writes = state.look_below().is_open
        open_reads = open_reads and bool(rights or open_writes)
        plain = state.plain
        plain_reads, plain_writes = _reads(plain, rights), plain.writes
        outer, self._within = self._within, self._within or (self._mounts and open_writes)
        files: list[str] = []  # that mean nothing special
        found: list[tuple[str, bool, int, str, str]] = []  # all others: whether a directory, rights, what of it
        for name, is_directory in entries:
            known = self._fold(name) if self._fold is not None else name
            special = known in state.named or (state.wild is not None and state.wild(known))
            if not is_directory and not special and (not scope.children or name not in scope.children):
                files.append(name)
                continue
            child = state.below(known) if special else plain
            inner = scope.children.get(name, _NOWHERE)
            its = rights | inner.rights
            if is_directory:
                reads, writes = self._directory(handle, name, f"{path}/{name}", child, inner, its)
            else:
                reads, writes = ALL if _reads(child, its) else NONE, ALL if child.writes else NONE
                if (its and not child.reads) or (open_writes and writes == NONE):
                    self._refuse_linked(handle, name, f"{path}/{name}", READ if its and not child.reads else WRITE)
            if reads == ALL and its & ~rights:
                self._grant_entry(handle, name, f"{path}/{name}", is_directory, its, False)  # more than its directory
            found.append((name, is_directory, its, reads, writes))
        self._within, covered = outer, self._within
        if rights and not plain.reads:
            for name in files:
                self._refuse_linked(handle, name, f"{path}/{name}", READ)
        if open_writes:
            self.watched.append(Watched(path, changed, state))
            self.forbidden.update(f"{path}/{name}" for name, *_, writes in found if writes != ALL)
            for name, is_directory, _, _, writes in found:
                if is_directory and writes == NONE:
                    self._remember_shared(handle, name, f"{path}/{name}")
        whole_reads = open_reads and _reads(state, rights) and all(each[3] == ALL for each in found)
        whole_writes = open_writes and all(each[4] == ALL for each in found)
        if self._mounts and open_writes and not whole_writes:
            self._step(handle, path, CLOSED, [(each[0], each[1]) for each in found if each[4] != ALL])
            whole_writes = True
        if covered and open_reads and not whole_reads:
            self._step(handle, path, HIDDEN, [(each[0], each[1]) for each in found if each[3] == NONE])
            whole_reads = _reads(state, rights) and all(each[3] != PART for each in found)
        if open_writes and not whole_writes:
            self.frozen[path or "/"] = next(f"{path}/{each[0]}" for each in found if each[4] != ALL)
        elif open_writes and open_reads and not whole_reads:
            self.unread[path or "/"] = next((f"{path}/{each[0]}" for each in found if each[3] != ALL), path)
        if not (whole_reads and whole_writes):
            self._grant_entries(handle, path, found, whole_reads, whole_writes)
            names = [] if (whole_reads or not plain_reads) and (whole_writes or not plain_writes) else files
            granted = (rights or landlock.RUN) if plain_reads and not whole_reads else 0
            self._grant_files(handle, path, names, granted, plain_writes and not whole_writes)
        reads = ALL if whole_reads else PART if plain_reads or any(each[3] != NONE for each in found) else NONE
        writes = ALL if whole_writes else PART if any(each[4] != NONE for each in found) else NONE
        if plain_writes and files and writes == NONE:
            writes = PART
        if not whole_reads and rights and state.reads:
            self._grant(handle, landlock.LIST, True, path or "/")
            reads = PART
        return reads, writes

    def _entries(
        self, handle: int, path: str, state: PathState, scope: ReadScope, rights: int
    ) -> list[tuple[str, bool]] | None:
        """The entries to look at, without links: all, or those with a name that means something, if no others can.

        None where that takes all of them and they cannot be listed.
        """
        plain = state.plain
        nothing = not (plain.writes or _reads(plain, rights)) and plain.below_writes == NONE
        names = None
        if nothing and _below_reads(plain, rights) == NONE and self._fold is None:
            names = state.granting((READ, WRITE) if rights else (WRITE,))
        listed = []
        if names is not None:
            for name in sorted({*names, *scope.children}):
                try:
                    mode = os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode
                except (OSError, ValueError):
                    continue
                if not stat.S_ISLNK(mode):
                    listed.append((name, stat.S_ISDIR(mode)))
            return listed
        try:
            with os.scandir(handle) as entries:
                listed = [(each.name, each.is_dir(follow_symlinks=False)) for each in entries if not each.is_symlink()]
        except OSError:
            return None
        self._count(len(listed), path, state)
        return listed

    # -- granting --------------------------------------------------------------------------------

    def _grant_entries(
        self, handle: int, path: str, found: list[tuple[str, bool, int, str, str]], reads: bool, writes: bool
    ) -> None:
        """Grants the entries that may be used as a whole, unless their directory will be."""
        for name, is_directory, rights, its_reads, its_writes in found:
            granted = (rights or landlock.RUN) if its_reads == ALL and not reads else 0
            if granted or (its_writes == ALL and not writes):
                self._grant_entry(
                    handle, name, f"{path}/{name}", is_directory, granted, its_writes == ALL and not writes
                )

    def _grant_files(self, handle: int, path: str, names: list[str], rights: int, writes: bool) -> None:
        many = writes and self._mounts and len(names) > _MOST_MOUNTED
        for name in names:
            self._grant_entry(handle, name, f"{path}/{name}", False, rights, writes, mounted=not many)
        if many:  # Landlock says which of its files may be written
            status = os.fstat(handle)
            self.steps.append(MountStep(path or "/", OPEN, (status.st_dev, status.st_ino), True))

    def _grant_entry(
        self, above: int, name: str, path: str, is_directory: bool, rights: int, writes: bool, mounted: bool = True
    ) -> None:
        rights |= landlock.WRITE if writes else 0
        if not rights:
            return
        try:
            handle = os.open(name, _PATH, dir_fd=above)
        except OSError:
            return  # it is gone
        try:
            status = os.fstat(handle)
            if stat.S_ISDIR(status.st_mode) == is_directory and not stat.S_ISLNK(status.st_mode):
                self._grant(handle, rights, is_directory, path)
                if writes and mounted and self._mounts:
                    self.steps.append(MountStep(path, OPEN, (status.st_dev, status.st_ino), is_directory))
        finally:
            os.close(handle)

    def _step(self, handle: int, path: str, kind: str, entries: list[tuple[str, bool]]) -> None:
        for name, is_directory in entries:
            try:
                status = os.stat(name, dir_fd=handle, follow_symlinks=False)
            except OSError:
                self._moved = True
                continue
            self.steps.append(MountStep(f"{path}/{name}", kind, (status.st_dev, status.st_ino), is_directory))

    # -- what is refused, and looked at later ----------------------------------------------------

    @property
    def is_stable(self) -> bool:
        """Whether no writable directory was changed since its names were read, or just before.

        A process that may write could move what is forbidden from a directory that was not read yet into one that was.
        """
        if self._moved:
            return False
        recent = self.started - _TICK
        return not any(each.changed > recent or _changed(each) for each in self.watched)

    def _count(self, entries: int, path: str, state: PathState) -> None:
        self._seen += entries
        if self._seen > self._most:
            rules = [*state.pending(WRITE), *state.pending(READ)]
            rule = next((each for each in rules if each.place), rules[0] if rules else None)
            shown = rule.shown if rule is not None else "about its parts"
            raise PatchkitError("P671", most=self._most, directory=path or "/", rule=shown)

    def _refuse_linked(self, above: int, name: str, path: str, effect: str) -> None:
        """Refuses where a forbidden file, or one in a forbidden directory, has another name, which may be granted."""
        try:
            status = os.stat(name, dir_fd=above, follow_symlinks=False)
            if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
                word = "read" if effect == READ else "written"
                self._refuse(PatchkitError("P672", file=path, count=status.st_nlink, word=word))
            if not stat.S_ISDIR(status.st_mode):
                return
            handle = os.open(name, _DIRECTORY, dir_fd=above)
        except OSError:
            return
        try:
            names = os.listdir(handle)
            self._count(len(names), path, self._machine.top)
            for each in names:
                self._refuse_linked(handle, each, f"{path}/{each}", effect)
        except OSError:
            pass
        finally:
            os.close(handle)

    def refuse_names_of(self, paths: Iterable[str]) -> None:
        """Refuses where one of these files, which may not be written wherever they are, has another name."""
        for path in paths:
            above, name = os.path.split(path)
            try:
                handle = os.open(above, _PATH | os.O_DIRECTORY)
            except OSError:
                continue  # there is no such file
            try:
                self._refuse_linked(handle, name, path, WRITE)
            finally:
                os.close(handle)

    def _remember_shared(self, above: int, name: str, path: str) -> None:
        """Remembers the files with several names in a directory that may not be written, inside one that may be."""
        try:
            handle = os.open(name, _DIRECTORY, dir_fd=above)
        except OSError:
            return
        try:
            entries = list(os.scandir(handle))
            self._count(len(entries), path, self._machine.top)
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    self._remember_shared(handle, entry.name, f"{path}/{entry.name}")
                elif not entry.is_symlink() and (status := entry.stat(follow_symlinks=False)).st_nlink > 1:
                    self._shared[status.st_dev, status.st_ino] = f"{path}/{entry.name}", status.st_nlink
        except OSError:
            pass
        finally:
            os.close(handle)

    def _refuse_shared(self) -> None:
        """Refuses where one of those files has another name that may be written. Many have one elsewhere: git's do."""
        for directory in self.watched if self._shared else []:
            try:
                entries = list(os.scandir(directory.path or "/"))
            except OSError:
                continue
            for entry in entries:
                if entry.path in self.forbidden or not entry.is_file(follow_symlinks=False):
                    continue
                status = entry.stat(follow_symlinks=False)
                path, count = self._shared.get((status.st_dev, status.st_ino), ("", 0))
                if path:
                    self._refuse(PatchkitError("P672", file=path, count=count, word="written"))

    def _refuse(self, error: PatchkitError) -> None:
        if self.linked is None:
            raise error
        self.linked.append(error)


def made(walk: GrantWalk, most: int = 20) -> list[str]:
    """Paths that exist now in writable directories, did not exist before, and may not be written under the rules."""
    found: list[str] = []
    known = {each.path for each in walk.watched}
    waiting = [(each.path, each.state) for each in walk.watched if _changed(each)]
    while waiting and len(found) < most:
        path, state = waiting.pop()
        try:
            entries = list(os.scandir(path or "/"))
        except OSError:
            continue
        for entry in entries:
            child, place = state.below(entry.name), f"{path}/{entry.name}"
            if not child.writes:
                if place not in walk.forbidden:
                    found.append(place)
            elif entry.is_dir(follow_symlinks=False) and place not in known and place not in walk.forbidden:
                waiting.append((place, child))
    return sorted(found)


def _changed(directory: Watched) -> bool:
    try:
        return os.stat(directory.path or "/", follow_symlinks=False).st_ctime_ns != directory.changed
    except OSError:
        return True


def _opened(name: str, above: int | None) -> int:
    """A handle of a directory; where it cannot be listed, as '/' in a sandbox, one for what is found by its name."""
    try:
        return os.open(name, _DIRECTORY, dir_fd=above)
    except PermissionError:
        return os.open(name, _PATH | os.O_DIRECTORY, dir_fd=above)


def _reads(state: PathState, rights: int) -> bool:
    """Whether a path may be read: it is in the scope, or may be written, and the rules let it be read."""
    return state.reads and (bool(rights) or state.writes)


def _below_reads(state: PathState, rights: int) -> str:
    """What of all below a path may be read."""
    if rights or state.below_reads == NONE:
        return state.below_reads
    if state.below_writes == NONE:
        return NONE
    return ALL if state.below_writes == ALL == state.below_reads else SOME
