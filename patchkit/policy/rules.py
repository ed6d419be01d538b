"""Rules: who may do what, as settings say it, and which of them decides.

Takes the settings of a root; gives Rules, which name for anything a call would do the one rule that decides. The most
specific rule wins: one rule is more specific than another when all that it covers is covered by the other too. Where
neither of two lies inside the other the stricter wins. The user's own rules are asked apart, and can only forbid more.
"""

from __future__ import annotations

import os

from patchkit.errors import PatchkitError
from patchkit.globs.rule_patterns import Pattern, command_pattern, known, literal, names_of, path_patterns
from patchkit.policy import EXECUTE, READ, WRITE
from patchkit.policy.settings import Settings, Source, Table
from patchkit.tools.registry import named
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Fold = Callable[[str], str]

ALLOW, ASK, DENY = DECISIONS = ("allow", "ask", "deny")  # from the loosest to the strictest
EFFECTS = (READ, WRITE, EXECUTE)
# What holds for an agent where no rule says more. Whoever may write everywhere may still not rewrite the rules unasked.
DEFAULTS: Table = {
    READ: ALLOW,
    WRITE: {"*": ASK, ".patchkit.toml": ASK, "pyproject.toml": ASK},
    EXECUTE: ASK,
}
_CAN_BE = {False: "a path with '*', '**' or '?' in it and without '..'", True: "the first words of a command"}


class Rule(Value):
    """One line of the settings: for an effect or one tool of it ('' for all), where it holds and what it decides.

    `text` is the rule as people write it, `place` the file and line it stands on ('' for what holds by default).
    """

    __slots__ = ("effect", "tool", "pattern", "decision", "text", "place")
    effect: str
    tool: str
    pattern: Pattern
    decision: str
    text: str
    place: str

    def __init__(self, effect: str, tool: str, pattern: Pattern, decision: str, text: str, place: str) -> None:
        self.effect = effect
        self.tool = tool
        self.pattern = pattern
        self.decision = decision
        self.text = text
        self.place = place

    @property
    def strictness(self) -> int:
        return DECISIONS.index(self.decision)

    @property
    def shown(self) -> str:
        return f"{self.text} ({self.place or 'by default'})"

    def inside(self, other: Rule) -> bool:
        """Whether this is more specific than `other`. What holds by default gives way to a rule that says the same."""
        if other.tool not in ("", self.tool) or not self.pattern.within(other.pattern):
            return False
        if self.tool != other.tool or not other.pattern.within(self.pattern):
            return True
        return bool(self.place) and not other.place


class Rules:
    """All rules that hold for a root: the project's with the defaults, and the user's own."""

    __slots__ = ("general", "own", "_inside")

    def __init__(self, general: list[Rule], own: list[Rule]) -> None:
        self.general = general
        self.own = own
        self._inside: dict[tuple[int, int], bool] = {}

    def deciding(
        self, effect: str, tool: str, names: Sequence[Pattern], possible: Sequence[Pattern] = ()
    ) -> tuple[str, Rule]:
        """What is decided about something known by all of these names, and by which rule: the strictest of them.

        A rule for what it is called besides (`possible`) can only make that stricter; one that may be meant, because
        a name is not known to the end, asks at the most.
        """
        found: list[tuple[int, Rule]] = []
        for rules in (self.general, self.own):
            concerned = [rule for rule in rules if rule.effect == effect and rule.tool in ("", tool)]
            for name in names:
                found += self._most_specific(concerned, name, possible)
        strictness, rule = max(found, key=_first)
        return DECISIONS[strictness], rule

    def restricts(self, effect: str, tool: str) -> bool:
        """Whether any rule about this effect of this tool does more than allow."""
        rules = [*self.general, *self.own]
        return any(rule.effect == effect and rule.tool in ("", tool) and rule.decision != ALLOW for rule in rules)

    def _most_specific(self, rules: list[Rule], name: Pattern, possible: Sequence[Pattern]) -> list[tuple[int, Rule]]:
        """The rules for a name that no rule for it lies inside of; a rule that only may be for it puts none aside."""
        fitting: list[Rule] = []
        further: list[tuple[int, Rule]] = []
        for rule in rules:
            if name.within(rule.pattern):
                fitting.append(rule)
            elif any(each.within(rule.pattern) for each in possible):
                further.append((rule.strictness, rule))
            elif name.is_open and name.meets(rule.pattern):
                further.append((min(rule.strictness, DECISIONS.index(ASK)), rule))
        found = [*((rule.strictness, rule) for rule in fitting), *further]
        return [each for each in found if not any(self._more(rule, each[1]) for rule in fitting)]

    def _more(self, one: Rule, other: Rule) -> bool:
        key = id(one), id(other)
        if key not in self._inside:
            self._inside[key] = one is not other and one.inside(other)
        return self._inside[key]


def _first(found: tuple[int, Rule]) -> int:
    return found[0]


def rules_of(known_settings: Settings, root: str, fold: Fold, protected: Iterable[str] = ()) -> Rules:
    """The rules that hold below a real root.

    `fold` makes names equal that its file system takes for one; nothing may write to the `protected` paths.
    """
    nearest, own = known_settings.source("permissions"), known_settings.user
    general = _read(DEFAULTS, "/", fold, None)
    if nearest is not None:
        general += _read(nearest.table("permissions") or {}, nearest.directory, fold, nearest)
    for path in protected:
        names = known([fold(name) for name in names_of(path)])
        general.append(Rule(WRITE, "", names, DENY, "the audit log", path))
    mine = (own.table("permissions") if own is not None else None) or {}
    return Rules(general, _read(mine, _top(root), fold, own))


def _top(root: str) -> str:
    """The project that a root belongs to: the repository around it, else the root itself."""
    directory = root
    while not os.path.lexists(f"{directory}/.git"):
        if directory in ("", "/"):
            return root
        directory = os.path.dirname(directory)
    return directory


def _read(table: Table, directory: str, fold: Fold, source: Source | None) -> list[Rule]:
    """The rules of one table, in its order."""
    rules = []
    for key, value in table.items():
        effect, tool = _subject(key, source)
        for text, decision in value.items() if isinstance(value, dict) else [("*", value)]:
            where = f"permissions.{key}.{text}" if isinstance(value, dict) else f"permissions.{key}"
            if decision not in DECISIONS:
                raise _of(source).wrong(where, decision, "'allow', 'ask' or 'deny'")
            patterns = _patterns(effect, text, directory, fold)
            if not patterns:
                raise _of(source).wrong(f"permissions.{key}", text, _CAN_BE[effect == EXECUTE], at=where)
            told = f'{key}."{text}" = "{decision}"' if isinstance(value, dict) else f'{key} = "{decision}"'
            place = f"{source.shown}:{source.line(where)}" if source is not None else ""
            rules += [Rule(effect, tool, pattern, str(decision), told, place) for pattern in patterns]
    return rules


def _of(source: Source | None) -> Source:
    assert source is not None, "the defaults are right"
    return source


def _subject(key: str, source: Source | None) -> tuple[str, str]:
    """What a key speaks of: an effect, in small letters, or one tool by any of its names."""
    if key in EFFECTS:
        return key, ""
    try:
        tool = named(key)
    except PatchkitError as error:
        raise _of(source).unknown(f"permissions.{key}", (*EFFECTS, str(error.facts["allowed"]))) from None
    return tool.effect, tool.name


def _patterns(effect: str, text: str, directory: str, fold: Fold) -> list[Pattern]:
    """What a rule covers; none where its text says nothing. A link on the way to it is not a way around it."""
    if effect == EXECUTE:
        pattern = command_pattern(text)
        return [] if pattern is None else [pattern]
    base, home = ([fold(name) for name in names_of(path)] for path in (directory, os.path.expanduser("~")))
    found = path_patterns(fold(text), base, home)
    return [*found, *(real for real in map(_without_links, found) if real not in found)]


def _without_links(pattern: Pattern) -> Pattern:
    """The pattern with the links on the plain way to its first wildcard followed."""
    plain = "/" + "/".join(map("".join, pattern.parts[: pattern.plain]))
    return Pattern([*literal(names_of(os.path.realpath(plain))), *pattern.parts[pattern.plain :]])
