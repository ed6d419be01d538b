"""The rules about files as one machine over the names of a path, for reading and writing at once.

Takes the rules of a root and who calls; gives the PathState of '/', and from each state the one for a name below it. A
state says what is decided about its own path, and about all that may be below it: everything, nothing, or some. That
lets a walk leave out what no rule can say anything different about. Equal states are one object. Nothing is read here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from patchkit.globs.patterns import STAR, AnyOf, Token, matcher_of
from patchkit.globs.rule_patterns import ANY, NameGlob, is_wild
from patchkit.policy import READ, WRITE
from patchkit.policy.rules import ALLOW, ASK, PermissionRule, PermissionRules

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
            more += [at for each, at in wilds if self._machine.fits(each, name)]
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
        self._steps: dict[Position, tuple[str, Any]] = {}
        self._states: dict[frozenset[Position], PathState] = {}
        self._top: PathState | None = None
        self._decisions: dict[tuple[str, frozenset[int]], list[bool]] = {}
        self._inside: dict[tuple[int, int], bool] = {}
        self._matchers: dict[tuple[Token, ...], Matcher] = {}
        self._wild: dict[tuple[NameGlob, ...], Matcher | None] = {}
        starts = self._starts = {rule for rule, parts in enumerate(self._parts) if parts and parts[0] == ANY}
        self._named: Named = {}
        self._wilds: Wilds = []
        self._continue([(rule, 1) for rule in starts], self._named, self._wilds)
        self._always_ends = {rule for rule in starts if len(self._parts[rule]) == 1}
        self.wilds_everywhere = len(self._wilds)
        self._granting: dict[tuple[str, ...], set[str] | None] = {}
        self._always_pending = {effect: (starts & about) - self._always_ends for effect, about in self._about.items()}
        self._always_fit = {effect: pending <= self._fits for effect, pending in self._always_pending.items()}
        self._always_granting = {
            effect: {self._groups[rule] for rule in pending & self._fits}
            for effect, pending in self._always_pending.items()
        }

    @property
    def top(self) -> PathState:
        if self._top is None:
            self._top = self.state(frozenset((rule, 0) for rule in range(len(self._rules)) if rule not in self._starts))
        return self._top

    def at(self, names: list[str]) -> PathState:
        """The state of a path, given by its names from '/' on."""
        state = self.top
        for name in names:
            state = state.below(self.fold(name) if self.fold is not None else name)
        return state

    def state(self, positions: frozenset[Position]) -> PathState:
        found = self._states.get(positions)
        if found is None:
            found = self._states[positions] = PathState(self, positions)
        return found

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
            step = self._steps.get(position)
            if step is None:
                step = self._steps[position] = _step(self._parts[rule][at])
            kind, part = step
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

    def fits(self, part: NameGlob, name: str) -> object:
        if part not in self._matchers:
            self._matchers[part] = matcher_of(part)
        return self._matchers[part](name)

    def any_of(self, wilds: Wilds) -> Matcher | None:
        """Matches a name that one of these globs matches."""
        key = tuple(part for part, _ in wilds[self.wilds_everywhere :])
        if key not in self._wild:
            self._wild[key] = AnyOf((part for part, _ in wilds), self._matchers).fits if wilds else None
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

    def granting(self, effects: tuple[str, ...]) -> set[str] | None:
        """Of the names that mean something in every state, those that a rule which grants is about; None for globs."""
        if effects not in self._granting:
            wild = any(self.grants(at[0], effects) for _, at in self._wilds)
            names = {name for name, ats in self._named.items() if any(self.grants(at[0], effects) for at in ats)}
            self._granting[effects] = None if wild else names
        return self._granting[effects]

    def grants(self, rule: int, effects: tuple[str, ...]) -> bool:
        return rule in self._fits and self._rules[rule].effect in effects

    def _granted(self, effect: str, matching: frozenset[int]) -> list[bool]:
        """For each group of rules: whether the most specific of those that match grant."""
        key = effect, matching
        found = self._decisions.get(key)
        if found is None:
            found = self._decisions[key] = [self._group(effect, matching, group) for group in range(_GROUPS)]
        return found

    def _group(self, effect: str, matching: frozenset[int], group: int) -> bool:
        fitting = matching & self._members[effect][group]
        if not fitting:
            return bool(group) or effect == READ  # no rule of this group is about the path
        grant = fitting & self._fits
        if not grant or len(grant) == len(fitting):
            return bool(grant)  # whichever is the most specific
        return all(each in grant for each in fitting if not any(self._more(one, each) for one in fitting))

    def _more(self, one: int, other: int) -> bool:
        """Whether a rule is more specific than another."""
        key = one, other
        if key not in self._inside:
            self._inside[key] = one != other and self._rules[one].inside(self._rules[other])
        return self._inside[key]


def _step(part: NameGlob) -> tuple[str, Any]:
    """What kind of part it is, and the part: a plain name as text."""
    if part == ANY:
        return _DEEP, part
    if part == (STAR,):
        return _ONE, part
    return (_WILD, part) if is_wild(part) else (_NAME, "".join(part))
