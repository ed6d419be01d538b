"""Apply a patch: the one road behind `apply_patch`, `patchkit apply` and the library.

Takes patch text and options; gives an Applied, or raises PatchkitError with nothing written (in the codex
dialect: nothing of the section that failed and of those after it).
"""

from __future__ import annotations

from patchkit.changes.model import DIALECTS, Dialect, Plan, Section
from patchkit.changes.planner import Rules, plan
from patchkit.errors import Note, PatchkitError
from patchkit.language.model import Patch
from patchkit.language.parser import parse
from patchkit.matching.model import Policy
from patchkit.values import Value


class Options(Value):
    """How to apply. `check` stops at the plan; `strict` takes no lenience and only exact matches; `remember` keeps
    the content of replaced and deleted files, for those who show it afterwards; `history` lets it be undone later."""

    __slots__ = ("check", "strict", "overwrite", "dialect", "remember", "history")
    check: bool
    strict: bool
    overwrite: bool
    dialect: str
    remember: bool
    history: bool

    def __init__(
        self,
        check: bool = False,
        strict: bool = False,
        overwrite: bool = False,
        dialect: str = "safe",
        remember: bool = False,
        history: bool = True,
    ) -> None:
        self.check = check
        self.strict = strict
        self.overwrite = overwrite
        self.dialect = dialect
        self.remember = remember
        self.history = history

    def rules(self) -> Rules:
        dialect: Dialect = DIALECTS[self.dialect]
        policy = Policy(first_wins=dialect.first_wins)
        if self.strict:
            policy.max_pass, policy.lost_anchors = "exact", False
        return Rules(dialect, self.overwrite, policy)


class Applied(Value):
    """What came of a patch: its plans (one; in the codex dialect one a section), and all notes."""

    __slots__ = ("plans", "notes", "applied")
    plans: list[Plan]
    notes: list[Note]
    applied: bool

    def __init__(self) -> None:
        self.plans = []
        self.notes = []
        self.applied = False

    @property
    def sections(self) -> list[Section]:
        return [section for each in self.plans for section in each.sections]


def apply(text: str, files: object, options: Options) -> Applied:
    """Applies the patch to the files; raises with every fault found when it cannot."""
    patch = parse(text, options.strict)
    done = Applied()
    done.notes.extend(patch.notes)
    done.notes.extend(files.begin(writing=not options.check))  # type: ignore[attr-defined]
    if not options.history:
        files.history = False  # type: ignore[attr-defined]
    rules = options.rules()
    for part in _parts(patch, rules.dialect):
        made = plan(part, files, rules)
        done.plans.append(made)
        if options.remember:
            made.load_all()
        if not options.check:
            made.commit()
        done.notes.extend(made.notes)
    done.applied = not options.check
    return done


def _parts(patch: Patch, dialect: Dialect) -> list[Patch]:
    """What is planned and committed together: the whole patch, or section by section."""
    if dialect.one_by_one and len(patch.sections) > 1:
        return [Patch([section]) for section in patch.sections]
    return [patch]


def dialect_named(name: str) -> str:
    """Returns the name when it is a dialect's, else raises."""
    if name not in DIALECTS:
        raise PatchkitError("P601", option="dialect", given=name, allowed=", ".join(DIALECTS))
    return name
