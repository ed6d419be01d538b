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
from patchkit.matching.model import NAMES, Policy
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Options(Value):
    """How to apply.

    `check` stops at the plan; `strict` takes no lenience and only exact matches; `max_pass` is the most tolerant
    pass allowed; `forward` skips what is there already; `remember` keeps the content of replaced and deleted files
    for those who show it afterwards; `suggest` works out what a refused patch should have said; `history` lets the
    run be undone later.
    """

    __slots__ = (
        *("check", "strict", "overwrite", "dialect", "max_pass", "forward", "allow_vcs", "allow_duplicate"),
        *("no_sync", "allow_owner_change", "keep_links", "remember", "suggest", "history", "encoding"),
    )
    check: bool
    strict: bool
    overwrite: bool
    dialect: str
    max_pass: str
    forward: bool
    allow_vcs: bool
    allow_duplicate: bool
    no_sync: bool
    allow_owner_change: bool
    keep_links: bool
    remember: bool
    suggest: bool
    history: bool
    encoding: str | None  # of files that are not UTF-8 and do not say what they are

    def __init__(self, **chosen: object) -> None:
        for name in self.__slots__:
            setattr(self, name, chosen.pop(name, _DEFAULTS.get(name, False)))
        for name in chosen:
            raise PatchkitError("P601", option=name, given=chosen[name], allowed=", ".join(self.__slots__))

    def checked(self) -> Options:
        """Returns itself when every choice is one there is, else raises."""
        _one_of("dialect", self.dialect, DIALECTS)
        _one_of("max-pass", self.max_pass, NAMES)
        if self.encoding is not None:
            from patchkit.text.encodings import usable

            known = usable(self.encoding)
            if known is None:
                allowed = "gbk, shift_jis, cp1252, latin-1, and whatever else keeps ASCII as it is"
                raise PatchkitError("P601", option="encoding", given=self.encoding, allowed=allowed)
            self.encoding = known
        return self

    def rules(self) -> Rules:
        dialect: Dialect = DIALECTS[self.dialect]
        policy = Policy(self.max_pass, first_wins=dialect.first_wins)
        if self.strict:
            policy.max_pass, policy.lost_anchors = "exact", False
        rules = Rules(dialect, self.overwrite, policy)
        rules.forward, rules.allow_vcs, rules.strict = self.forward, self.allow_vcs, self.strict
        rules.allow_duplicate = self.allow_duplicate
        rules.encoding = self.encoding
        return rules


_DEFAULTS: dict[str, object] = {"dialect": "safe", "max_pass": NAMES[-1], "history": True, "encoding": None}


def _one_of(option: str, given: str, allowed: Iterable[str]) -> None:
    if given not in allowed:
        raise PatchkitError("P601", option=option, given=given, allowed=", ".join(allowed))


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
    files.prepare(options)  # type: ignore[attr-defined]
    done.notes.extend(files.begin(writing=not options.check))  # type: ignore[attr-defined]
    rules = options.rules()
    for part in _parts(patch, rules.dialect):
        try:
            made = plan(part, files, rules)
        except PatchkitError as error:
            if options.remember or options.suggest:
                left = patch.sections if options.check else patch.sections[len(done.plans) :]
                _add_suggestion(error, Patch(left, patch.environment_id), files, options)
            raise
        done.plans.append(made)
        if options.remember:
            made.load_all()
        if not options.check:
            made.commit()
        done.notes.extend(made.notes)
    done.applied = not options.check
    return done


def _add_suggestion(error: PatchkitError, left: Patch, files: object, options: Options) -> None:
    """Puts the corrected patch beside the refusal, for those who show it; `left` is what is not committed yet."""
    from patchkit.changes.suggestion import suggest

    if options.remember and isinstance(error.plan, Plan):
        try:
            error.plan.load_all()
        except PatchkitError:
            pass  # the refusal counts, not what could not be read beside it
    better = suggest(left, error, files, options.rules(), options.strict)
    if better is not None:
        error.suggestion, error.certainty = better.text, better.certainty


def _parts(patch: Patch, dialect: Dialect) -> list[Patch]:
    """What is planned and committed together: the whole patch, or section by section."""
    if dialect.one_by_one and len(patch.sections) > 1:
        return [Patch([section]) for section in patch.sections]
    return [patch]
