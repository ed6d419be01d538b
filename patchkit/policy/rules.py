"""Permission rules: who may do what, as settings say it, and which rule decides.

Takes the settings of a root; returns PermissionRules, which name the one rule that decides about a deed. The most
specific rule wins: one rule is more specific than another when all that it covers is covered by the other too. Where
neither of two is inside the other, the stricter wins. The user's own rules are applied separately, and can only forbid
more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from patchkit.errors import PatchkitError
from patchkit.globs.rule_patterns import ANY, Pattern, command_pattern, known, literal, names_of, path_patterns
from patchkit.policy import EXECUTE, READ, WRITE, is_repository, upwards, user_settings_file
from patchkit.policy.settings import Settings, SettingsFile, Table
from patchkit.policy.steering import STEERING
from patchkit.policy.subcommands import SubcommandLine, without_plain_options
from patchkit.policy.trust import is_trusted, trust_directory
from patchkit.values import Record

Fold = Callable[[str], str]  # makes names equal that the file system treats as one
# Takes a tool's name in any spelling; returns its effect and its published name, or raises P602 (fact `allowed`).
ToolNames = Callable[[str], tuple[str, str]]

ALLOW, ASK, DENY = DECISIONS = ("allow", "ask", "deny")  # from the loosest to the strictest
EFFECTS = (READ, WRITE, EXECUTE)
# The rules where no other rule applies. An agent that may write everywhere must still ask to change what steers others.
DEFAULTS: Table = {
    READ: ALLOW,
    WRITE: {"*": ASK, **dict.fromkeys(STEERING, ASK)},
    EXECUTE: ASK,
}
_CAN_BE = {False: "a path with '*', '**' or '?' in it and without '..'", True: "the first words of a command"}


class PermissionRule(Record):
    """One line of the settings: for an effect or one tool of it ('' for all), where it holds and what it decides."""

    effect: str
    tool: str
    pattern: Pattern
    decision: str
    text: str  # as people write it
    place: str  # the file and line it is on, '' for a default
    untrusted: bool = False  # whether it would allow, and so decides as the default does

    @property
    def is_default(self) -> bool:
        """Whether no rule that counts says so: what needs no rule is allowed then."""
        return self.untrusted or not self.place

    @property
    def strictness(self) -> int:
        return DECISIONS.index(self.decision)

    @property
    def shown(self) -> str:
        trusted = ", not trusted: see 'patchkit trust'" if self.untrusted else ""
        return f"{self.text} ({self.place or 'by default'}{trusted})"

    def inside(self, other: PermissionRule) -> bool:
        """Whether this is more specific than `other`. A default gives way to a rule about the same."""
        if other.tool not in ("", self.tool) or not self.pattern.within(other.pattern):
            return False
        if self.tool != other.tool or not other.pattern.within(self.pattern):
            return True
        return bool(self.place) and not other.place


class PermissionRules(Record):
    """All rules that hold for a root: the project's with the defaults, the user's own, and those further out.

    The latter two can only forbid more. Rules further out count where those of the project are not trusted.
    """

    general: list[PermissionRule]
    own: list[PermissionRule]
    outer: list[PermissionRule] = []
    untrusted: SettingsFile | None = None  # the project's file, where it would loosen more than it may
    _inside: dict[tuple[int, int], bool] = {}
    _place = ("_inside",)

    def deciding(
        self, effect: str, tool: str, names: Sequence[Pattern], possible: Sequence[Pattern | SubcommandLine] = ()
    ) -> tuple[str, PermissionRule]:
        """What is decided about something known by all of these names, and by which rule: the strictest of them.

        A rule for what it is called besides (`possible`) can only make that stricter; one that may be meant, because
        a name is not known to the end, asks at the most.
        """
        found: list[tuple[int, PermissionRule]] = []
        for rules in (self.general, self.own, self.outer):
            concerned = [rule for rule in rules if rule.effect == effect and rule.tool in ("", tool)]
            for name in names:
                found += self._most_specific(concerned, name, possible)
        strictness, rule = max(found, key=lambda each: each[0])
        return DECISIONS[strictness], rule

    def restricts(self, effect: str, tool: str) -> bool:
        """Whether any rule about this effect of this tool does more than allow."""
        rules = [*self.general, *self.own, *self.outer]
        return any(rule.effect == effect and rule.tool in ("", tool) and rule.decision != ALLOW for rule in rules)

    def opened(self, workspace: Pattern, files: Sequence[Pattern]) -> PermissionRules:
        """The rules for a command that a person approved: it may write these files, and what is asked for everywhere.

        That is the workspace without what a rule denies, or asks for by name, of which the person
        was shown nothing.
        """
        general, own, outer = (_opened(rules, workspace, files) for rules in (self.general, self.own, self.outer))
        return PermissionRules(general, own, outer, self.untrusted)

    def _most_specific(
        self, rules: list[PermissionRule], name: Pattern, possible: Sequence[Pattern | SubcommandLine]
    ) -> list[tuple[int, PermissionRule]]:
        """The rules for a name that no rule for it lies inside of; a rule that only may apply excludes none."""
        names = None if name.is_open or possible else {"".join(part) for part in name.parts}
        fitting: list[PermissionRule] = []
        further: list[tuple[int, PermissionRule]] = []
        for rule in rules:
            if names is not None and rule.pattern.component and rule.pattern.component not in names:
                continue  # most defaults are about one name at any depth
            if name.within(rule.pattern):
                fitting.append(rule)
            elif any(each.within(rule.pattern) for each in possible):
                further.append((rule.strictness, rule))
            elif any(each.is_open and each.meets(rule.pattern) for each in (name, *possible)):
                further.append((min(rule.strictness, DECISIONS.index(ASK)), rule))
        found = [*((rule.strictness, rule) for rule in fitting), *further]
        return [each for each in found if not any(self._more(rule, each[1]) for rule in fitting)]

    def _more(self, one: PermissionRule, other: PermissionRule) -> bool:
        key = id(one), id(other)
        if key not in self._inside:
            self._inside[key] = one is not other and one.inside(other)
        return self._inside[key]


def rules_of(
    known_settings: Settings, root: str, fold: Fold, tool_names: ToolNames, protected: Iterable[str] = ()
) -> PermissionRules:
    """The rules that hold below a real root; nothing may write to the `protected` paths."""
    reader = _RuleReader(fold, tool_names)
    nearest, own = known_settings.source("permissions"), known_settings.user
    general = reader.rules(DEFAULTS, "/", None)
    project: list[PermissionRule] = []
    outer: list[PermissionRule] = []
    if nearest is not None:
        project = reader.rules(nearest.table("permissions") or {}, nearest.directory, nearest)
        further = [each for each in known_settings.project if each is not nearest and each.table("permissions")]
        loosens = any(rule.decision == ALLOW for rule in project)
        if (loosens or further) and not is_trusted(nearest):
            # A rule that allows decides as the default does: reading is allowed, everything else is asked for.
            for rule in project:
                rule.untrusted = rule.decision == ALLOW
                if rule.untrusted and rule.effect != READ:
                    rule.decision = ASK
            for each in further:
                outer += reader.rules(each.table("permissions") or {}, each.directory, each)
    for what, paths in (("the audit log", protected), ("the user's own settings", _own_files())):
        for path in paths:
            names = known([fold(name) for name in names_of(path)])
            general.append(PermissionRule(WRITE, "", names, DENY, what, path))
            general.append(PermissionRule(WRITE, "", Pattern([*names.parts, ANY]), DENY, what, path))
    mine = (own.table("permissions") if own is not None else None) or {}
    # Paths in the user's own rules count from each repository around the root: one that was put into another changes
    # nothing.
    tops = [each for each in upwards(root)[:-1] if is_repository(each)] or [root]
    everywhere = [rule for top in tops for rule in reader.rules(mine, top, own)]
    untrusted = nearest if any(rule.untrusted and rule.effect != READ for rule in project) else None
    return PermissionRules(general + project, everywhere, outer, untrusted)


def _opened(rules: list[PermissionRule], workspace: Pattern, files: Sequence[Pattern]) -> list[PermissionRule]:
    whole = [rule for rule in rules if rule.effect == WRITE and workspace.within(rule.pattern)]
    closed = any(rule.decision == DENY and not rule.tool for rule in whole)
    found = [PermissionRule(WRITE, "", file, ALLOW, "approved", "approved") for file in files]
    for rule in rules:
        if rule.effect == WRITE and rule.decision == ASK and not rule.tool:
            if rule in whole and not closed:
                rule = PermissionRule(WRITE, "", workspace, ALLOW, rule.text, rule.place)
            elif any(rule.pattern.within(file) for file in files):
                continue
        found.append(rule)
    return found


def _own_files() -> list[str]:
    """What no tool writes, wherever it is: the user's settings, also behind a link, and what is trusted."""
    own = user_settings_file()
    found = [own, os.path.realpath(own)] if own else []
    return [path for path in dict.fromkeys([*found, trust_directory()]) if path]


class _RuleReader(Record):
    """Turns tables of settings into rules."""

    _fold: Fold
    _tool_names: ToolNames

    def rules(self, table: Table, directory: str, source: SettingsFile | None) -> list[PermissionRule]:
        rules = []
        base, home = ([self._fold(name) for name in names_of(path)] for path in (directory, os.path.expanduser("~")))
        for key, value in table.items():
            effect, tool = self._subject(key, source)
            for text, decision in value.items() if isinstance(value, dict) else [("*", value)]:
                where = f"permissions.{key}.{text}" if isinstance(value, dict) else f"permissions.{key}"
                if decision not in DECISIONS:
                    raise _of(source).wrong(where, decision, "'allow', 'ask' or 'deny'")
                patterns = _patterns(effect, self._fold(text) if effect != EXECUTE else text, base, home)
                if not patterns:
                    raise _of(source).wrong(f"permissions.{key}", text, _CAN_BE[effect == EXECUTE], at=where)
                written = f'{key}."{text}" = "{decision}"' if isinstance(value, dict) else f'{key} = "{decision}"'
                place = f"{source.shown}:{source.line(where)}" if source is not None else ""
                rules += [PermissionRule(effect, tool, pattern, str(decision), written, place) for pattern in patterns]
        return rules

    def _subject(self, key: str, source: SettingsFile | None) -> tuple[str, str]:
        """What a key is about: an effect, in small letters, or one tool by any of its names."""
        if key in EFFECTS:
            return key, ""
        try:
            return self._tool_names(key)
        except PatchkitError as error:
            raise _of(source).unknown(f"permissions.{key}", (*EFFECTS, str(error.facts["allowed"]))) from None


def _of(source: SettingsFile | None) -> SettingsFile:
    assert source is not None, "the defaults are right"
    return source


def _patterns(effect: str, text: str, base: list[str], home: list[str]) -> list[Pattern]:
    """What a rule covers; none where its text says nothing. A link in its path does not bypass it."""
    if effect == EXECUTE:
        pattern = command_pattern(" ".join(without_plain_options(text.split())))
        return [] if pattern is None else [pattern]
    found = path_patterns(text, base, home)
    return [*found, *(real for each in found if (real := _without_links(each)) is not None and real not in found)]


def _without_links(pattern: Pattern) -> Pattern | None:
    """The pattern with the links before its first wildcard followed; None where there are none."""
    if not pattern.plain:
        return None
    plain = "/" + "/".join(map("".join, pattern.parts[: pattern.plain]))
    real = os.path.realpath(plain)
    return None if real == plain else Pattern([*literal(names_of(real)), *pattern.parts[pattern.plain :]])
