"""The rules in an order in which the last that matches decides: for the sandbox of macOS.

Takes the rules of a root; returns SeatbeltRules. Here the most specific rule wins, and of two that are not inside one
another the stricter; there it is the last one. So a rule comes after those that it is inside of, and a stricter one
after the others that it may meet. Where no order does both, it is refused: a sandbox that decides otherwise than the
rules is worse than none.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.policy import READ, WRITE
from patchkit.policy.rules import ALLOW, ASK, DECISIONS
from patchkit.processes.seatbelt import SeatbeltRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from patchkit.policy.rules import PermissionRule, PermissionRules


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
