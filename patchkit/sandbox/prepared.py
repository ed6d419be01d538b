"""A command in a sandbox: what it may use under the rules of its root, and what cannot be kept.

Takes the rules and what was chosen; gives a SandboxedRun, which makes a Sandbox for the child, describes it, and cleans
up afterwards. How strict it is was decided in `sandbox_choice`; what the kernel does is in `processes`.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache, partial
from typing import Any

import patchkit
from patchkit.core.workspace import INSIDE
from patchkit.errors import Note, PatchkitError
from patchkit.globs.patterns import STAR, AnyOf, matcher_of
from patchkit.globs.rule_patterns import ANY, NameGlob, Pattern, glob, is_wild, literal, names_of
from patchkit.handles import OpenHandle
from patchkit.policy import READ, WRITE, user_settings_file
from patchkit.policy.rules import ALLOW, ASK, DENY, PermissionRule, PermissionRules
from patchkit.policy.trust import SANDBOXED, state_home, trust_directory
from patchkit.sandbox import landlock
from patchkit.sandbox.child import Sandbox
from patchkit.sandbox.choice import ALL_NETWORK, AUTO, REQUIRE, SandboxChoice
from patchkit.sandbox.mounts import CLOSED, HIDDEN, OPEN, MountStep, in_order
from patchkit.sandbox.profile import FIXED, NEVER, readable
from patchkit.sandbox.run_directory import SHARED_MEMORY, RunDirectory
from patchkit.values import Record

# The rules about files as one machine over the names of a path, for reading and writing at once.
#
# Takes the rules of a root and who calls; gives the PathState of '/', and from each state the one for a name below it.
# A state says what is decided about its own path, and about all that may be below it: everything, nothing, or some.
# That lets a walk leave out what no rule can say anything different about. Equal states are one object. Nothing is read
# here.
Position = tuple[int, int]  # a rule, and how many parts of its pattern are behind us
Named = dict[str, list[Position]]
Wilds = list[tuple[NameGlob, Position]]
Matcher = Callable[[str], object]

ALL, SOME, NONE = "all", "some", "none"
_GROUPS = 4  # of rules, each of which has to grant
_DEEP, _ONE, _WILD, _NAME = "any names", "any name", "a glob", "a name"  # the kinds of parts of patterns


class PathState:
    """Where a path is in all rules.

    `reads` and `writes` say whether the path itself may be read and written, `below_reads` and `below_writes` what
    holds for the paths below it. `named` are names that mean something here, `wild` matches others that do: ask for
    them by `look_below`.
    """

    __slots__ = (
        *("_machine", "positions", "reads", "writes", "below_reads", "below_writes", "named", "wild"),
        *("_wilds", "_own", "_base", "_plain", "_next", "_open"),
    )
    named: Named
    wild: Matcher | None
    _own: Named
    _base: frozenset[Position]

    def __init__(self, machine: RuleMachine, positions: frozenset[Position]) -> None:
        """`positions` are those besides the ones that every state has: of rules about names at any depth."""
        self._machine = machine
        self.positions = positions
        (self.reads, self.below_reads), (self.writes, self.below_writes) = machine.decided(positions)
        self._plain: PathState | None = None
        self._next: dict[object, PathState] = {}
        self._open: tuple[bool, bool] | None = None
        self._wilds: Wilds | None = None  # not known yet, as all that follows from it

    def look_below(self) -> PathState:
        """Works out what names mean here, which most states are never asked for; returns the state."""
        if self._wilds is None:
            self.named, self._own, self._wilds, base = self._machine.continued(self.positions)
            self.wild = self._machine.any_of(self._wilds)
            self._base = frozenset(base)
        return self

    @property
    def plain(self) -> PathState:
        """The state of a name that means nothing special here."""
        if self._plain is None:
            self._plain = self._machine.state(self.look_below()._base)
        return self._plain

    def below(self, name: str) -> PathState:
        """The state of a name in this directory."""
        wilds = self.look_below()._wilds or []
        more = [*self.named.get(name, ())]
        if self.wild is not None and self.wild(name):
            more += [at for each, at in wilds if self._machine.matcher(each)(name)]
        if not more:
            return self.plain
        key = tuple(more)
        found = self._next.get(key)
        if found is None:
            found = self._next[key] = self._machine.state(self._machine.extended(self._base, more))
        return found

    @property
    def is_open(self) -> tuple[bool, bool]:
        """Whether names that mean nothing special may be read, and written, at any depth below this directory."""
        if self._open is None:
            reads = writes = True
            seen: set[int] = set()
            state = self.plain
            while id(state) not in seen:
                seen.add(id(state))
                reads, writes = reads and state.reads, writes and state.writes
                state = state.plain
            self._open = reads, writes
        return self._open

    def granting(self, effects: tuple[str, ...]) -> set[str] | None:
        """The names here about which a rule says something that grants; None where they are not known one by one."""
        machine, wilds = self._machine, self.look_below()._wilds or []
        more = machine.granting(effects)
        if more is None or any(machine.grants(at[0], effects) for _, at in wilds[machine.wilds_everywhere :]):
            return None
        own = {name for name, ats in self._own.items() if any(machine.grants(at[0], effects) for at in ats)}
        return own | more

    def pending(self, effect: str) -> list[PermissionRule]:
        """The rules that may say something about paths below which is not said about all of them."""
        return self._machine.pending(effect, self.positions)


class RuleMachine:
    """All rules about reading and writing files. A person may read what is to be asked for; an agent may not.

    What is to be asked for is not written by either: a process that runs cannot ask. Most rules are about a name at any
    depth. Their first positions are in every state, so they are worked out once.
    """

    def __init__(
        self,
        rules: PermissionRules,
        agent: bool,
        fold: Callable[[str], str] = str,
        always: Sequence[PermissionRule] = (),
    ) -> None:
        """The rules that hold `always` are judged apart from the others: no rule of these makes an exception."""
        self.fold = None if fold is str else fold
        fitting = {READ: (ALLOW,) if agent else (ALLOW, ASK), WRITE: (ALLOW,)}
        # Nothing is written unless a general rule allows it: without one, no rule about writing has to be looked at.
        writes = any(rule.decision == ALLOW and rule.effect == WRITE and not rule.tool for rule in rules.general)
        effects = (READ, WRITE) if writes else (READ,)
        found = [
            (rule, group)
            for group, some in enumerate((rules.general, rules.own, rules.outer, always))
            for rule in some
            if rule.effect in effects and not rule.tool
        ]
        self._rules = [rule for rule, _ in found]
        self._groups = [group for _, group in found]
        self._parts = [rule.pattern.parts for rule in self._rules]
        self._ends = [len(parts) for parts in self._parts]
        self._fits = {at for at, rule in enumerate(self._rules) if rule.decision in fitting[rule.effect]}
        self._lasts = frozenset(at for at, parts in enumerate(self._parts) if parts[-1:] == (ANY,))
        # The rules of each effect and of each group of it: most is decided by what sets have in common.
        members: dict[str, list[set[int]]] = {effect: [set() for _ in range(_GROUPS)] for effect in (READ, WRITE)}
        for at, (rule, group) in enumerate(found):
            members[rule.effect][group].add(at)
        self._members = members
        self._about = {effect: frozenset().union(*groups) for effect, groups in members.items()}
        self.state = cache(partial(PathState, self))
        # For each group of rules: whether the most specific of those that match grant.
        self._granted = cache(lambda effect, matching: [self._group(effect, matching, at) for at in range(_GROUPS)])
        # Whether a rule is more specific than another.
        self._more = cache(lambda one, other: one != other and self._rules[one].inside(self._rules[other]))
        self.matcher = cache(matcher_of)
        self._wild: dict[tuple[NameGlob, ...], Matcher | None] = {}
        starts = {rule for rule, parts in enumerate(self._parts) if parts and parts[0] == ANY}
        self._named: Named = {}
        self._wilds: Wilds = []
        self._continue([(rule, 1) for rule in starts], self._named, self._wilds)
        self._always_ends = {rule for rule in starts if len(self._parts[rule]) == 1}
        self.wilds_everywhere = len(self._wilds)
        self.granting = cache(self._all_granting)
        self._always_pending = {effect: (starts & about) - self._always_ends for effect, about in self._about.items()}
        self._always_fit = {effect: pending <= self._fits for effect, pending in self._always_pending.items()}
        self._always_granting = {
            effect: {self._groups[rule] for rule in pending & self._fits}
            for effect, pending in self._always_pending.items()
        }
        self.top = self.state(frozenset((rule, 0) for rule in range(len(self._rules)) if rule not in starts))

    def at(self, names: list[str]) -> PathState:
        """The state of a path, given by its names from '/' on."""
        state = self.top
        for name in names:
            state = state.below(self.fold(name) if self.fold is not None else name)
        return state

    def extended(self, base: Iterable[Position], more: list[Position]) -> frozenset[Position]:
        """These positions, and more that are behind a name, with those that are reached from them without a name."""
        found = {*base, *more}
        for rule, at in more:
            parts = self._parts[rule]
            if at < len(parts) and parts[at] == ANY:
                found.add((rule, at + 1))
        return frozenset(found)

    def continued(self, positions: frozenset[Position]) -> tuple[Named, Named, Wilds, set[Position]]:
        """Where names lead from these positions: plain names, those besides every state's, globs, and any name."""
        own: Named = {}
        wilds = list(self._wilds)
        base = self._continue(positions, own, wilds)
        if not own:
            return self._named, own, wilds, base
        named = dict(self._named)
        for name, ats in own.items():
            named[name] = [*named[name], *ats] if name in named else ats
        return named, own, wilds, base

    def _continue(self, positions: Iterable[Position], named: Named, wilds: Wilds) -> set[Position]:
        base: set[Position] = set()
        for position in positions:
            rule, at = position
            if at == self._ends[rule]:
                continue
            kind, part = _step(self._parts[rule][at])
            if kind == _NAME:
                named.setdefault(part, []).append((rule, at + 1))
            elif kind == _DEEP:  # no two follow each other
                base.add(position)
                base.add((rule, at + 1))
            elif kind == _ONE:
                base.update(self.extended((), [(rule, at + 1)]))
            else:
                wilds.append((part, (rule, at + 1)))
        return base

    def any_of(self, wilds: Wilds) -> Matcher | None:
        """Matches a name that one of these globs matches."""
        key = tuple(part for part, _ in wilds[self.wilds_everywhere :])
        if key not in self._wild:
            self._wild[key] = AnyOf((part for part, _ in wilds), self.matcher).fits if wilds else None
        return self._wild[key]

    def decided(self, positions: frozenset[Position]) -> list[tuple[bool, str]]:
        """For reading and for writing: whether the path itself is granted, and what of all below it."""
        lengths = self._ends
        ended = {rule for rule, at in positions if at == lengths[rule]}
        waiting = {rule for rule, at in positions if at != lengths[rule]}
        ends = self._always_ends | ended
        lasting = ends & self._lasts
        waiting -= lasting
        return [self._decided(effect, ends, lasting, waiting) for effect in (READ, WRITE)]

    def _decided(self, effect: str, ends: set[int], lasting: set[int], waiting: set[int]) -> tuple[bool, str]:
        about = self._about[effect]
        own = all(self._granted(effect, about & ends))
        pending = about & waiting
        # A rule that may still match changes nothing where it decides as what holds already does. Where all groups
        # grant, one that forbids is enough to change that; where one forbids, it takes one that grants in it.
        granted = self._granted(effect, about & lasting)
        if all(granted):
            return own, ALL if self._always_fit[effect] and pending <= self._fits else SOME
        loosened = self._always_granting[effect]
        loosening = pending & self._fits
        for group, fits in enumerate(granted):
            if not fits and group not in loosened and not loosening & self._members[effect][group]:
                return own, NONE
        return own, SOME

    def pending(self, effect: str, positions: frozenset[Position]) -> list[PermissionRule]:
        lasting = frozenset(rule for rule, at in positions if at == len(self._parts[rule]) and rule in self._lasts)
        found = {rule for rule, at in positions if at < len(self._parts[rule]) and self._rules[rule].effect == effect}
        return [self._rules[each] for each in sorted((found | self._always_pending[effect]) - lasting)]

    def _all_granting(self, effects: tuple[str, ...]) -> set[str] | None:
        """Of the names that mean something in every state, those that a rule which grants is about; None for globs."""
        if any(self.grants(at[0], effects) for _, at in self._wilds):
            return None
        return {name for name, ats in self._named.items() if any(self.grants(at[0], effects) for at in ats)}

    def grants(self, rule: int, effects: tuple[str, ...]) -> bool:
        return rule in self._fits and self._rules[rule].effect in effects

    def _group(self, effect: str, matching: frozenset[int], group: int) -> bool:
        fitting = matching & self._members[effect][group]
        if not fitting:
            return bool(group) or effect == READ  # no rule of this group is about the path
        grant = fitting & self._fits
        if not grant or len(grant) == len(fitting):
            return bool(grant)  # whichever is the most specific
        return all(each in grant for each in fitting if not any(self._more(one, each) for one in fitting))


@lru_cache(10_000)
def _step(part: NameGlob) -> tuple[str, Any]:
    """What kind of part it is, and the part: a plain name as text."""
    if part == ANY:
        return _DEEP, part
    if part == (STAR,):
        return _ONE, part
    return (_WILD, part) if is_wild(part) else (_NAME, "".join(part))


Granted = tuple[str, int, str]  # a path, rights of `landlock`, and why


# Takes an open handle, rights of `landlock`, whether it is a directory, and its path.
Granting = Callable[[int, int, bool, str], None]
Status = tuple[str, str]  # of a directory or file: what of it may be read, and written


# Which files a process may use under the rules: one walk over the files that exist, by directory handles.
#
# Takes the rules as a RuleMachine and the ReadScope that may be read at all; grants rights for whole directories where
# nothing is forbidden below them, and entry by entry elsewhere. The kernel's rights hold for all below a directory: in
# one that contains something forbidden, no names may be made or removed. Where mounts can be used, such a directory is
# granted as a whole if new names in it are allowed, and what is forbidden in it becomes a MountStep. Links get no
# rights: where they lead has its own. Nothing is kept between two walks.
MOST_ENTRIES = 300_000
PART = "part"  # what may be used in it was granted already
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SEARCHED = 0x200000 | os.O_NOFOLLOW | os.O_CLOEXEC  # O_PATH
_TICK = 10_000_000  # nanoseconds: file systems may count time in steps of that size
_MOST_MOUNTED = 500  # files that are made writable one by one; of more, their directory is


class ReadScope(Record):
    """A tree of the directories that may be read, with the rights that reading them means; 0 where it is not one."""

    rights: int = 0
    children: dict[str, ReadScope] = {}

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


class Watched(Record):
    """A writable directory as it was before the run: names that may not be made there are looked for afterwards."""

    path: str
    changed: int
    state: PathState


class GrantWalk(Record):
    """One walk. Afterwards `steps` are the mounts; `frozen` are the directories in which no names can be made, and
    `unread` those in which new files can be made and not read, each with what is forbidden in it."""

    _machine: RuleMachine
    _scope: ReadScope
    _grant: Granting
    _mounts: bool
    _most: int = MOST_ENTRIES
    _seen: int = 0
    steps: list[MountStep] = []
    frozen: dict[str, str] = {}
    unread: dict[str, str] = {}
    linked: list[PatchkitError] | None = None  # takes what P672 would say, where that does not refuse
    watched: list[Watched] = []
    forbidden: set[str] = set()  # paths in writable directories that may not be written
    _shared: dict[tuple[int, int], tuple[str, int]] = {}
    _moved: bool = False  # whether something was gone that had just been seen
    _within: bool = False  # whether this is below a directory that is granted with covers over what is forbidden
    started: int = 0

    def run(self) -> None:
        """Walks; raises P671 where there is too much to look at, P672 where a forbidden file has another name."""
        self.started = time.time_ns()
        with OpenHandle(_opened("/", None)) as handle:
            state, scope = self._machine.top, self._scope
            reads, writes = self._entered(handle, "", state, scope, scope.rights)
            self._grant_entry(handle, ".", "/", True, scope.rights if reads == ALL else 0, writes == ALL)
        self._refuse_shared()

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
                if own and below_reads != ALL:  # nothing in it may be read, only its names
                    self._grant_entry(above, name, path, True, landlock.LIST, False)
                return (ALL if below_reads == ALL else PART if own else NONE), below_writes
        try:
            handle = _opened(name, above)
        except OSError:
            return NONE, NONE  # it cannot be looked at, so nothing in it is granted
        with OpenHandle(handle):
            return self._entered(handle, path, state, scope, rights)

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
            known = self._machine.fold(name) if self._machine.fold is not None else name
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
                # Of the files with several names in a directory that may not be written, another may be writable.
                below = self._files_below(handle, name, f"{path}/{name}") if is_directory and writes == NONE else ()
                for file, status in below:
                    if status.st_nlink > 1:
                        self._shared[status.st_dev, status.st_ino] = file, status.st_nlink
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
        if nothing and _below_reads(plain, rights) == NONE and self._machine.fold is None:
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
            return None  # they cannot be listed
        self._count(len(listed), path, state)
        return listed

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
            handle = os.open(name, _SEARCHED, dir_fd=above)
        except OSError:
            return  # it is gone
        with OpenHandle(handle):
            status = os.fstat(handle)
            if stat.S_ISDIR(status.st_mode) == is_directory and not stat.S_ISLNK(status.st_mode):
                self._grant(handle, rights, is_directory, path)
                if writes and mounted and self._mounts:
                    self.steps.append(MountStep(path, OPEN, (status.st_dev, status.st_ino), is_directory))

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

    def _files_below(self, above: int, name: str, path: str) -> Iterator[tuple[str, os.stat_result]]:
        """What is at a name, or in a directory of that name and below it, without links and what cannot be seen."""
        try:
            status = os.stat(name, dir_fd=above, follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                yield path, status
            if not stat.S_ISDIR(status.st_mode):
                return
            handle = os.open(name, _DIRECTORY, dir_fd=above)
        except OSError:
            return
        with OpenHandle(handle), suppress(OSError):
            names = os.listdir(handle)
            self._count(len(names), path, self._machine.top)
            for each in names:
                yield from self._files_below(handle, each, f"{path}/{each}")

    def _refuse_linked(self, above: int, name: str, path: str, effect: str) -> None:
        """Refuses where a forbidden file, or one in a forbidden directory, has another name, which may be granted."""
        for file, status in self._files_below(above, name, path):
            if status.st_nlink > 1:
                word = "read" if effect == READ else "written"
                self._refuse(PatchkitError("P672", file=file, count=status.st_nlink, word=word))

    def refuse_names_of(self, paths: Iterable[str]) -> None:
        """Refuses where one of these files, which may not be written wherever they are, has another name."""
        for path in paths:
            above, name = os.path.split(path)
            try:
                handle = os.open(above, _SEARCHED | os.O_DIRECTORY)
            except OSError:
                continue  # there is no such file
            with OpenHandle(handle):
                self._refuse_linked(handle, name, path, WRITE)

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
        return os.open(name, _SEARCHED | os.O_DIRECTORY, dir_fd=above)


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


NO_LAYER, LANDLOCK, MOUNTS, SEATBELT = "none", "landlock", "mounts", "seatbelt"
_PATH = 0x200000 | os.O_CLOEXEC  # O_PATH
_SHOWN = 3  # directories and files that a sentence names
_TRIES = 30  # of walks, with so many seconds between them, until nothing changes during one
_PAUSE = 0.01

_without_mounts: list[str] = []  # why this machine has none, once that is known


class SandboxedRun:
    """One command. `child` is made by `prepare`; `data` and `lacks` describe it; `close` when it has ended."""

    def __init__(
        self,
        choice: SandboxChoice,
        rules: PermissionRules,
        root: str,
        agent: bool,
        fold: Callable[[str], str] = str,
        protected: Sequence[str] = (),
    ) -> None:
        self.choice = choice
        self.root = root
        self.abi = landlock.version()
        self.layer = NO_LAYER
        self.lacks: list[str] = []
        self._rules = rules
        self._agent = agent
        self._protected = [*protected]
        self._forbidden = _always(root, protected)
        self._machine = RuleMachine(rules, agent, fold, self._forbidden)
        self._directory: RunDirectory | None = None
        self._trouble = ""  # why there is no such directory
        self._left_out: list[str] = []  # of what the settings add
        self._walk: GrantWalk | None = None
        self._child: Sandbox | None = None

    # -- before it runs --------------------------------------------------------------------------

    def environment(self, given: dict[str, str]) -> dict[str, str]:
        """The environment of the command: its own directory for temporary files, and for what patchkit keeps."""
        try:
            self._directory = RunDirectory()
        except OSError as error:
            self._trouble = f"there is no directory for temporary files: {error.strerror}"
            return given
        tmp = self._directory.path
        return {**given, "TMPDIR": tmp, "XDG_STATE_HOME": f"{tmp}/state", SANDBOXED: trust_directory() or "1"}

    def prepare(self, cwd: str, environment: dict[str, str], commands: str | None) -> Sandbox | None:
        """The restrictions of the child; None where there are none to be had and the mode is 'auto'.

        `environment` is the one before `environment` was asked; `commands` is the directory of our own commands.
        """
        strict = self.choice.mode == REQUIRE
        if strict and self.abi < landlock.NEEDED:
            raise PatchkitError("P670", needed=landlock.WHOLE, abi=self.abi)
        if strict and self.abi < landlock.WHOLE:
            raise PatchkitError("P674", what=_PROCESSES, abi=self.abi)
        if self.abi == 0:
            self.lacks = ["nothing is kept: this kernel has no Landlock"]
            return None
        mounts = not _without_mounts and not self._in_shared_memory
        try:
            if self._trouble:
                raise PatchkitError("P673", reason=self._trouble)
            self._child = self._granted(cwd, environment, commands, mounts, strict)
        except PatchkitError as error:
            if strict:
                raise
            self.lacks = [f"nothing is kept: {error.message}"]
            return None
        self.layer = MOUNTS if mounts else LANDLOCK
        self.lacks = list(self._lacking())
        return self._child

    def seatbelt(self) -> list[str]:
        """The words before a command on macOS, where it was never tried; raises P673."""
        from patchkit.sandbox import seatbelt  # only macOS needs it

        self.layer = SEATBELT
        self.lacks = ["it was never tried on macOS", "files can be read by another name, a hard link"]
        writable = [*self._own, *map(os.path.realpath, self.choice.write)]
        ordered = seatbelt.in_order(self._rules, self._agent, self._forbidden)
        return [seatbelt.PROGRAM, "-p", seatbelt.profile(ordered, writable, self.choice.network == ALL_NETWORK)]

    def without_mounts(self, reason: str) -> None:
        """Takes note that this machine has no mounts for users; `prepare` again."""
        _without_mounts.append(reason)
        self._left_out.clear()
        self._close_child()

    def _granted(
        self, cwd: str, environment: dict[str, str], commands: str | None, mounts: bool, strict: bool
    ) -> Sandbox:
        network = self.choice.network == ALL_NETWORK
        scope = ReadScope()
        for path, rights, _ in self._readable(environment):
            scope.add(path, rights)
        try:
            ruleset, walk = self._walked(scope, network, mounts, strict)
            self._walk = walk
            if walk.steps or walk.watched or self.choice.write:  # else nothing is written by any name
                walk.refuse_names_of([*self._protected, user_settings_file()])
            steps = [*walk.steps, *self._fixed(ruleset, commands, strict)]
        except OSError as error:
            raise PatchkitError("P673", reason=error.strerror or str(error)) from None
        except RecursionError:
            raise PatchkitError("P673", reason="directories are nested too deep") from None
        return Sandbox(ruleset, in_order(steps) if mounts else None, network, cwd)

    def _readable(self, environment: Mapping[str, str]) -> Iterator[Granted]:
        """What may be read where the rules do not forbid it."""
        yield self.root, landlock.RUN, "the workspace, as the rules have it"
        yield from readable(environment)
        for path in self.choice.read:
            yield os.path.realpath(path), landlock.RUN, "the user's settings add it"

    def granted(self, environment: Mapping[str, str]) -> Iterator[Granted]:
        """Every path that a command may use, with its rights and why, without what is below another such path."""
        seen: dict[str, int] = {}
        for path, rights, why in [*self._readable(environment), *self._wanted(None, strict=False)]:
            covered = any(f"{path}/".startswith(f"{above}/") and has | rights == has for above, has in seen.items())
            if not covered and os.path.exists(path):
                seen[path] = rights
                yield path, rights, why

    def _walked(
        self, scope: ReadScope, network: bool, mounts: bool, strict: bool
    ) -> tuple[landlock.Ruleset, GrantWalk]:
        """The rights by a walk during which nothing was moved; raises P673 where there is none, and has to be."""
        for left in range(_TRIES - 1, -1, -1):
            ruleset = landlock.Ruleset(self.abi, network)
            walk = GrantWalk(self._machine, scope, _granting(ruleset), mounts)
            walk.linked = None if strict else []
            try:
                walk.run()
                stable = walk.is_stable
            except BaseException:
                ruleset.close()
                raise
            if stable:
                return ruleset, walk
            if not left and not strict:
                self._left_out.append("forbidden files may be read that other processes moved while it was set up")
                return ruleset, walk
            ruleset.close()
            time.sleep(_PAUSE)
        raise PatchkitError("P673", reason="another process changes directories that it may write all the time")

    def _added(self, strict: bool) -> Iterator[str]:
        """What the user's settings add to what may be written, without what our own state or a log is in."""
        kept = [os.path.realpath(path) for path in (*_states(), *self._protected)]
        for path in self.choice.write:
            real = os.path.realpath(path).rstrip("/")
            found = next((each for each in kept if f"{each}/".startswith(f"{real}/")), None)
            if found is None:
                yield path
                continue
            reason = f"'{path}' is not made writable: it has '{found}', which patchkit keeps; name directories in it"
            if strict:
                raise PatchkitError("P673", reason=reason)
            self._left_out.append(reason)

    def _fixed(self, ruleset: landlock.Ruleset, commands: str | None, strict: bool) -> Iterator[MountStep]:
        """Grants what does not depend on rules; returns what of it is writable."""
        for path, rights, _ in self._wanted(commands, strict):
            writes = rights & landlock.WRITE == landlock.WRITE
            real = os.path.realpath(path) if writes else path  # mounts are made at real paths
            try:
                handle = os.open(real, _PATH)
            except OSError:
                continue
            with OpenHandle(handle):
                status = os.fstat(handle)
                ruleset.grant(handle, rights, stat.S_ISDIR(status.st_mode))
            if writes:
                yield MountStep(real, OPEN, (status.st_dev, status.st_ino), stat.S_ISDIR(status.st_mode))

    def _wanted(self, commands: str | None, strict: bool) -> Iterator[Granted]:
        """What is granted whatever the rules say."""
        package = os.path.dirname(os.path.abspath(patchkit.__file__))
        trusted = trust_directory()
        for paths, rights, why in FIXED:
            for path in paths.split():
                yield path, rights, why
        for path in self._added(strict):
            yield path, landlock.RUN | landlock.WRITE, "the user's settings add it"
        for path in self._own:
            yield path, landlock.RUN | landlock.WRITE, "temporary files of this run"
        if trusted:
            yield trusted, landlock.READ, "which rules are trusted"
        if commands:
            yield commands, landlock.RUN, "the commands of patchkit"
        yield package, landlock.READ, "the modules of patchkit"
        yield os.path.dirname(package), landlock.LIST, "Python looks for patchkit there"

    @property
    def _in_shared_memory(self) -> bool:
        """Whether the workspace would not be seen where that memory is private."""
        return f"{self.root}/".startswith(f"{SHARED_MEMORY}/")

    @property
    def _own(self) -> Sequence[str]:
        return (self._directory.path,) if self._directory is not None else ()

    # -- what it is ------------------------------------------------------------------------------

    def _lacking(self) -> Iterator[str]:
        if self.abi < 2:
            yield "files cannot be moved from one directory to another"
        if self.abi < landlock.NEEDED and self.layer == LANDLOCK:  # with mounts they are read-only
            yield "files that may not be written can be emptied"
        if self.abi < landlock.WHOLE:
            yield _PROCESSES
        walk = self._walk
        assert walk is not None
        for error in (walk.linked or [])[:_SHOWN]:
            yield error.message
        yield from self._left_out
        if self.layer == LANDLOCK:
            yield "modes, owners and times of files can be changed"
            yield "no process pools and no terminals"
            if self._in_shared_memory:
                yield f"mounts: the workspace is in '{SHARED_MEMORY}', which is private where there are mounts"
            yield from self._named("no new files directly in", walk.frozen)
            yield from self._named("new files cannot be read directly in", walk.unread)

    def _named(self, sentence: str, directories: dict[str, str]) -> Iterator[str]:
        """The sentence for the first directories, and for how many more, each with what is forbidden in it."""
        for directory, held in sorted(directories.items())[:_SHOWN]:
            yield f"{sentence} '{self._shown(directory)}': it has '{self._shown(held)}'"
        if len(directories) > _SHOWN:
            yield f"{sentence} {len(directories) - _SHOWN} more directories"

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, self.root) if f"{path}/".startswith(f"{self.root}/") else path

    def data(self) -> dict[str, object]:
        network = self.choice.network if self.layer != NO_LAYER else ALL_NETWORK
        return {"layer": self.layer, "abi": self.abi, "network": network, "lacks": self.lacks}

    # -- afterwards ------------------------------------------------------------------------------

    def notes(self, status: int) -> list[Note]:
        """What has to be said about a run that has ended with a status."""
        found: list[Note] = []
        if status and self.layer != NO_LAYER and not self._may_write():
            found.append(Note("P963"))
        if self.choice.mode == AUTO and self.lacks:
            found.append(Note("P964", layer=self.layer, lacks="; ".join(self.lacks)))
        if self._walk is not None and self.layer != NO_LAYER:
            names = [f"'{self._shown(path)}'" for path in made(self._walk)]
            if names:
                more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
                found.append(Note("P965", files=", ".join(names[:_SHOWN]) + more))
        return found

    def _may_write(self) -> bool:
        """Whether the rules allow to write anything in the workspace."""
        here = self._machine.at([name for name in self.root.split("/") if name])
        return here.writes or here.below_writes != NONE

    def close(self) -> None:
        """Removes the directory of the run."""
        self._close_child()
        if self._directory is not None:
            self._directory.remove()

    def _close_child(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None


_PROCESSES = "signals reach other processes"


def _granting(ruleset: landlock.Ruleset) -> Granting:
    return lambda handle, rights, is_directory, path: ruleset.grant(handle, rights, is_directory)


def _always(root: str, protected: Sequence[str]) -> list[PermissionRule]:
    """The rules without exception: our own state, the audit log, and the user's secrets."""
    found = []
    for path in dict.fromkeys(each for state in _states() for each in (state, os.path.realpath(state))):
        found += [
            _forbidden(effect, literal(names_of(path)), "the state of patchkit", path) for effect in (READ, WRITE)
        ]
    for path in (*protected, os.path.join(root, INSIDE)):
        found.append(_forbidden(WRITE, literal(names_of(path)), "what is recorded about calls", path))
    prefix, package = map(os.path.realpath, (sys.prefix, os.path.dirname(patchkit.__file__)))
    for path in [prefix] if package.startswith(f"{prefix}/") else [prefix, package]:
        found.append(_forbidden(WRITE, literal(names_of(path)), "what runs patchkit, without a sandbox", path))
    home = literal(names_of(os.path.realpath(os.path.expanduser("~"))))
    for effect, patterns, why in NEVER:
        for text in patterns.split():
            found.append(_forbidden(effect, [*home, *map(glob, text.split("/"))], why, f"~/{text}"))
    return found


def _states() -> list[str]:
    """Where patchkit keeps its state: a sandboxed one besides that of its caller, where trust is kept."""
    return [path for path in dict.fromkeys([state_home(), os.path.dirname(trust_directory())]) if path]


def _forbidden(effect: str, parts: list[NameGlob], why: str, shown: str) -> PermissionRule:
    """A rule for a path and all below it."""
    return PermissionRule(effect, "", Pattern([*parts, ANY]), DENY, why, shown)
