"""Judge a call before it runs: allowed, to be asked for, or denied, by which rule and why.

Takes the deeds of a call and the settings of its root; returns a Judgement, the strictest decision about everything the
call would do. A call by a person is allowed unless a rule denies it; a call by an agent (no person approved it) needs a
rule that allows it. Running the call, and asking a person, are left to others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from unicodedata import normalize

from patchkit.errors import PatchkitError, raise_all
from patchkit.globs.rule_patterns import ANY, Pattern
from patchkit.policy import EXECUTE, READ, WRITE
from patchkit.policy.deeds import Deed, Deeds, Tree
from patchkit.policy.rules import ALLOW, ASK, DECISIONS, DENY, PermissionRule, ToolNames, rules_of
from patchkit.policy.settings import Settings
from patchkit.policy.trust import approvals
from patchkit.values import Record

_SAID = {ALLOW: "is allowed", ASK: "needs approval", DENY: "is denied"}
MAY_WRITE = "it may write in the workspace, but not what a rule denies or asks for by name"  # once it is approved
_REFUSALS = {ASK: "P652", DENY: "P651"}
_MOST_REPORTED = 20  # refused files of one call, each with an error of its own


class Judged(Record):
    """What is decided about one deed: by this rule, or by the workspace itself where `rule` is None."""

    deed: Deed
    decision: str
    rule: PermissionRule | None
    approved: str = ""  # the scope in which a person approved it before

    @property
    def shown_rule(self) -> str:
        if self.approved:
            return f"approved ({self.approved}; see 'patchkit policy')"
        if self.rule is not None:
            return self.rule.shown
        if self.deed.trouble is not None:
            return f"{self.deed.trouble.code} (built in)"
        if self.deed.danger and self.decision != ALLOW:
            return f"it {self.deed.danger} (built in)"
        return f"{'harmless' if self.deed.harmless else 'only reads'} (built in)"

    @property
    def reason(self) -> str:
        if self.deed.trouble is not None:
            return self.deed.trouble.message
        return f"{self.deed.words} {_SAID[self.decision]}"

    def data(self) -> dict[str, object]:
        return {
            "effect": self.deed.effect,
            "operation": self.deed.operation,
            "what": self.deed.what,
            "decision": self.decision,
            "rule": self.shown_rule,
            "reason": self.reason,
        }

    def refusal(self) -> PatchkitError:
        deed = self.deed
        about = deed.what.partition(" ")[0] if deed.effect == EXECUTE else deed.what  # what a rule would name
        facts = {"effect": deed.effect, "about": about, "rule": self.shown_rule, "file": deed.what}
        return PatchkitError(_REFUSALS[self.decision], action=deed.words, **facts)


class Judgement(Record):
    """The decision about a call: the strictest of its parts, with that part's rule and reason."""

    parts: list[Judged]

    @property
    def deciding(self) -> Judged | None:
        return max(self.parts, key=lambda part: DECISIONS.index(part.decision), default=None)

    @property
    def decision(self) -> str:
        deciding = self.deciding
        return deciding.decision if deciding is not None else ALLOW

    @property
    def rule(self) -> str:
        deciding = self.deciding
        return deciding.shown_rule if deciding is not None else ""

    @property
    def reason(self) -> str:
        deciding = self.deciding
        return deciding.reason if deciding is not None else "the call would do nothing"

    def data(self) -> dict[str, object]:
        return {
            "decision": self.decision,
            "rule": self.rule,
            "reason": self.reason,
            "parts": [part.data() for part in self.parts],
        }

    def refusals(self, agent: bool) -> list[PatchkitError]:
        """Why the call is refused, for every part that is not allowed.

        What the workspace refuses anyway is left to the tool, which has its own message for it.
        """
        refused = (ASK, DENY) if agent else (DENY,)
        return [part.refusal() for part in self.parts if part.decision in refused and part.deed.trouble is None]


class Judge:
    """Decides for one workspace."""

    def __init__(
        self,
        files: Tree,
        known: Settings,
        tool_names: ToolNames,
        protected: Iterable[str] = (),
        agent: bool = False,
        session: str | None = None,
    ) -> None:
        """No tool may write the `protected` absolute paths; what a person approved for the `session` is allowed.

        Commands without a way back are denied to an `agent`, where no rule is about them.
        """
        self.agent = agent
        self._session = session or ""
        self._approved: dict[tuple[str, str], str] | None = None  # not looked up yet
        fold = folding(files.real)
        self.settings = known
        self.protected = list(protected)
        self.rules = rules_of(known, files.real, fold, tool_names, self.protected)
        self.enforced = self.rules  # by a sandbox
        self.deeds = Deeds(files, fold)

    def reader(self, tool: str, agent: bool) -> Callable[[str], bool] | None:
        """A function that says whether a search may show a workspace name; None where every name may be shown."""
        if not self.rules.restricts(READ, tool):
            return None

        def may_read(name: str) -> bool:
            decision, _ = self.rules.deciding(READ, tool, [self.deeds.name(name)])
            return decision == ALLOW or (decision == ASK and not agent)

        return may_read

    def judge(self, tool: str, deeds: Iterable[Deed]) -> Judgement:
        return Judgement([self._decided(tool, deed) for deed in deeds])

    def _approval(self, deed: Deed) -> str:
        """In which scope a person approved this very command or file before; '' for what is not known."""
        if self._approved is None:
            found = approvals(self.deeds.files.real, self._session)
            self._approved = {(each["effect"], each["what"]): each["scope"] for each in found}
        whole = self._approved.get((EXECUTE, deed.script), "") if deed.script else ""
        return whole or self._approved.get(self.approvable(deed), "")

    def approvable(self, deed: Deed) -> tuple[str, str]:
        """The effect, and the command or the absolute path, under which an approval is kept; '' where none can be."""
        unclear = deed.recorded == "?" or deed.unsure
        if deed.script and (unclear or not deed.alone):
            return EXECUTE, deed.script  # which says what the command does
        if unclear or deed.trouble is not None:
            return deed.effect, ""
        is_command = deed.effect == EXECUTE
        return deed.effect, deed.what if is_command else os.path.join(self.deeds.files.real, deed.recorded)

    def open_approved(self, parts: Iterable[Judged], now: Iterable[Judged] = ()) -> None:
        """Lets a sandbox open what follows from an approval, if each command is approved, also just `now`, or known."""
        approved = [part.deed for part in parts if part in now or self._approval(part.deed)]
        known = [part.deed for part in parts if part.deed.harmless or part.deed.reads is not None]
        if approved and all(part.deed in [*approved, *known] for part in parts if part.deed.effect == EXECUTE):
            files = [name for deed in approved if deed.effect == WRITE for name in deed.names]
            below = Pattern([*self.deeds.name(".").parts, ANY])
            self.enforced = self.rules.opened(below, files)

    def _read(self, deed: Deed) -> Judged:
        """What the rules about reading say of a command that only reads."""
        found = [self.rules.deciding(READ, "Read", [name]) for name in deed.reads or ()]
        decision, rule = max(found, key=lambda each: DECISIONS.index(each[0]), default=(ALLOW, None))
        return Judged(deed, decision, None if decision == ALLOW else rule)

    def _decided(self, tool: str, deed: Deed) -> Judged:
        if deed.trouble is not None:
            return Judged(deed, DENY, None)
        decision, rule = self.rules.deciding(deed.effect, deed.tool or tool, deed.names, deed.possible)
        if deed.harmless and rule.is_default:
            return Judged(deed, ALLOW, None)
        approved = self._approval(deed) if decision == ASK else ""
        if approved:
            decision = ALLOW
        elif rule.is_default and deed.danger:
            return Judged(deed, DENY if self.agent else ASK, None)
        elif rule.is_default and deed.reads is not None:
            return self._read(deed)
        elif deed.unsure and decision == ALLOW and rule.is_default:
            decision = ASK
        if deed.looks:
            seen, by = self.rules.deciding(READ, deed.tool or tool, deed.names, deed.possible)
            if DECISIONS.index(seen) > DECISIONS.index(decision):
                decision, rule, approved = seen, by, ""
        return Judged(deed, decision, None if approved else rule, approved)


def refuse(judgement: Judgement, agent: bool) -> None:
    """Raises the refusals of a call; returns where there are none."""
    raise_all(judgement.refusals(agent)[:_MOST_REPORTED])


def folding(root: str) -> Callable[[str], str]:
    """Makes names equal that the file system of a root treats as one: case and composition, where it ignores them."""
    return _folded if _ignores_case(root) else str


def _folded(name: str) -> str:
    return normalize("NFC", normalize("NFC", name).casefold())


def _ignores_case(root: str) -> bool:
    """Whether case makes no difference here, tried with the nearest directory above whose name has letters."""
    while root != "/":
        above, name = os.path.split(root)
        if name.swapcase() != name:
            try:
                return os.path.samefile(root, os.path.join(above, name.swapcase()))
            except OSError:
                return False
        root = above
    return False
