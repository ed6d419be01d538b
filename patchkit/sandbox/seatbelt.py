"""The sandbox of macOS: a profile for `sandbox-exec`, as text.

Takes what may be read and written as SeatbeltRules, from the loosest to the strictest; returns the profile. The last
rule that matches a path decides there, and paths are judged at each use: names that are made later are covered. Written
from the documentation of others and tested as text: it was never run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from patchkit.errors import PatchkitError
from patchkit.globs.patterns import ONE, STAR
from patchkit.globs.rule_patterns import ANY, NameGlob, is_wild
from patchkit.policy import READ, WRITE
from patchkit.policy.rules import ALLOW, ASK, DECISIONS, PermissionRule, PermissionRules
from patchkit.values import Record

PROGRAM = "/usr/bin/sandbox-exec"  # by its full path: another program of that name must not be taken for it
_SPECIAL = set(r"\^$.|?*+()[]{}")
_HEAD = """\
(version 1)
(allow default)
(deny process-info* (target others))
(allow process-info* (target same-sandbox))
(deny signal (target others))
(allow signal (target same-sandbox))
(deny mach-priv-task-port)
(deny file-write*)
"""
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty")


class SeatbeltRule(Record):
    """What holds for a pattern of absolute paths: whether it `allows` an effect, 'read' or 'write'."""

    effect: str
    allows: bool
    parts: Sequence[NameGlob]


def profile(rules: Iterable[SeatbeltRule], writable: Iterable[str], network: bool) -> str:
    """The text of the profile. `writable` are real directories that the run owns, whatever the rules say."""
    lines = [_HEAD.rstrip("\n")]
    lines += [f"(allow file-write* (literal {_quoted(path)}))" for path in _DEVICES]
    for rule in rules:
        verb = "allow" if rule.allows else "deny"
        lines.append(f"({verb} file-{rule.effect}* {_matching(rule.parts)})")
        if not rule.allows:
            # Else a directory above could be moved away, and what is in it would have another name.
            lines += [f"(deny file-write-unlink (literal {_quoted(path)}))" for path in _above(rule.parts)]
    lines += [f"(allow file-read* file-write* (subpath {_quoted(path)}))" for path in writable]
    if not network:
        lines.append("(deny network*)")
    return "\n".join(lines) + "\n"


def _matching(parts: Sequence[NameGlob]) -> str:
    """How a pattern is written: a plain path, a plain path with all below it, or an anchored expression."""
    plain = [part for part in parts if not is_wild(part)]
    if len(plain) == len(parts):
        return f"(literal {_quoted(_path(parts))})"
    if parts[-1] == ANY and len(plain) == len(parts) - 1:
        return f"(subpath {_quoted(_path(parts[:-1]))})"
    names = "".join("(/[^/]+)*" if part == ANY else f"/{_expression(part)}" for part in parts)
    return f"(regex #{_quoted(f'^{names}$', escape=False)})"


def _above(parts: Sequence[NameGlob]) -> list[str]:
    """The plain directories above what a pattern is about."""
    plain = 0
    while plain < len(parts) - 1 and not is_wild(parts[plain]):
        plain += 1
    return [_path(parts[:count]) for count in range(1, plain + 1)]


def _path(parts: Sequence[NameGlob]) -> str:
    return "/" + "/".join(map("".join, parts))


def _expression(part: NameGlob) -> str:
    wild = {STAR: "[^/]*", ONE: "[^/]"}
    return "".join(wild.get(each) or (f"\\{each}" if each in _SPECIAL else each) for each in part)


def _quoted(text: str, escape: bool = True) -> str:
    if escape:
        text = text.replace("\\", "\\\\")
    return '"' + text.replace('"', '\\"') + '"'


# -- the rules in an order in which the last that matches decides: for the sandbox of macOS --------
# Takes the rules of a root; returns SeatbeltRules. Here the most specific rule wins, and of two that are not inside one
# another the stricter; there it is the last one. So a rule comes after those that it is inside of, and a stricter one
# after the others that it may meet. Where no order does both, it is refused: a sandbox that decides otherwise than the
# rules is worse than none.


def in_order(rules: PermissionRules, agent: bool, always: Sequence[PermissionRule]) -> list[SeatbeltRule]:
    """All rules about reading and writing files, ordered; raises P673 where they have no order.

    What the user's own rules, those further out and those that hold always forbid comes at the end: no rule of a
    project loosens it.
    """
    found: list[SeatbeltRule] = []
    for effect, fits in ((READ, DECISIONS.index(ALLOW if agent else ASK)), (WRITE, DECISIONS.index(ALLOW))):
        general, own = (
            [each for each in group if each.effect == effect and not each.tool]
            for group in (rules.general, [*rules.own, *rules.outer, *always])
        )
        found += [_written(rule, fits) for rule in _ordered(general, fits)]
        forbidding = [rule for rule in own if rule.strictness > fits]
        for rule in own:
            outer = [each for each in forbidding if rule.inside(each)]
            if rule.strictness <= fits and outer:
                raise _without_order(rule, outer[0])
        found += [_written(rule, fits) for rule in forbidding]
    return found


def _written(rule: PermissionRule, fits: int) -> SeatbeltRule:
    return SeatbeltRule(rule.effect, rule.strictness <= fits, rule.pattern.parts)


def _ordered(rules: list[PermissionRule], fits: int) -> list[PermissionRule]:
    """Every rule after all that have to come before it."""
    before: dict[int, set[int]] = {number: set() for number in range(len(rules))}
    for number, rule in enumerate(rules):
        for other, second in enumerate(rules):
            if number != other and _comes_first(second, rule, fits):
                before[number].add(other)
    ordered: list[PermissionRule] = []
    while before:
        ready = [number for number, waiting in before.items() if not waiting]
        if not ready:
            one, two, *_ = before
            raise _without_order(rules[one], rules[two])
        for number in ready:
            ordered.append(rules[number])
            del before[number]
        for waiting in before.values():
            waiting.difference_update(ready)
    return ordered


def _comes_first(one: PermissionRule, other: PermissionRule, fits: int) -> bool:
    if (one.strictness <= fits) == (other.strictness <= fits):
        return False  # in either order the same is decided
    if other.inside(one):
        return True
    return not one.inside(other) and one.strictness < other.strictness and one.pattern.meets(other.pattern)


def _without_order(one: PermissionRule, other: PermissionRule) -> PatchkitError:
    return PatchkitError("P673", reason=f"macOS cannot have both rules: {one.shown} and {other.shown}")
