"""How a patch is read, placed and written: one record from the command line down to matching.

Takes what a caller chose; gives Options, which planning, matching (as its `Tolerance`) and the workspace read as they
are. A dialect is one small record among them.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.matching.model import NAMES
from patchkit.text.encodings import usable
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from patchkit.changes.sources import Files
    from patchkit.matching.known import DocumentMemory
    from patchkit.matching.model import WorkBudget


class Dialect(Value):
    """How a patch is meant: the few questions on which the safe reading and Codex's differ."""

    __slots__ = ("name", "overwrite", "first_wins", "final_newline", "one_by_one", "ends_at_cr")
    name: str
    overwrite: bool  # Add and Move replace what exists
    first_wins: bool  # of several places the first is taken
    final_newline: bool  # an updated file always ends with one
    one_by_one: bool  # each section is committed before the next is read
    ends_at_cr: bool  # a lone CR ends a line, also in a file with other line ends

    def __init__(self, name: str, always: bool) -> None:
        self.name = name
        self.overwrite = always
        self.first_wins = always
        self.final_newline = always
        self.one_by_one = always
        self.ends_at_cr = always


DIALECTS = {"safe": Dialect("safe", False), "codex": Dialect("codex", True)}


class Options(Value):
    """How to apply.

    `check` stops at the plan; `strict` accepts no lenience and only exact matches; `max_pass` is the most tolerant
    pass allowed; `lost_anchors` accepts anchors that the file does not have; `forward` skips what is there already;
    `allow_duplicate` lets a patch add what the file has already, `allow_placeholder` lines in place of code;
    `fix` applies the correction of a refused patch, 'certain' ones or 'likely' ones, too; `remember` keeps the content
    of replaced and deleted files for callers who show it afterwards; `suggest` works out what a refused patch should
    have said; `history` lets the run be undone later; `source` is the edit format of the
    text, '' for the patch language; `strip` how many leading parts the paths of a unified diff lose, None where the
    headers and the files show it; `skip_unsayable` leaves out what a patch cannot say; `reverse` takes a patch back;
    `syntax` says what becomes of new syntax errors: 'note', 'error', or '' to look for none.
    """

    __slots__ = (
        *("check", "strict", "overwrite", "dialect", "max_pass", "forward", "allow_vcs"),
        *("allow_duplicate", "allow_placeholder", "fix"),
        *("no_sync", "allow_owner_change", "keep_links", "remember", "suggest", "history", "encoding"),
        *(
            "lost_anchors",
            "budget",
            "memory",
            "source",
            "strip",
            "skip_unsayable",
            "reverse",
            "base",
            "conflicts",
            "syntax",
        ),
    )
    _place = ("budget", "memory", "base")
    check: bool
    strict: bool
    overwrite: bool
    dialect: str
    max_pass: str
    forward: bool
    allow_vcs: bool
    allow_duplicate: bool
    allow_placeholder: bool
    fix: str
    no_sync: bool
    allow_owner_change: bool
    keep_links: bool
    remember: bool
    suggest: bool
    history: bool
    encoding: str | None  # of files that are not UTF-8 and do not declare what they are
    lost_anchors: bool
    source: str
    strip: int | None
    skip_unsayable: bool
    reverse: bool
    base: Files | None  # what the patch was made for, where that is not what it is applied to
    syntax: str
    conflicts: str  # 'markers' to write conflicts with the base as they are, '' to refuse them
    memory: DocumentMemory | None  # of documents, for hosts that plan many patches on the same files
    budget: WorkBudget | None  # of the plan under way, made when its first near miss is looked for

    def __init__(
        self,
        *,
        check: bool = False,
        strict: bool = False,
        overwrite: bool = False,
        dialect: str = "safe",
        max_pass: str = NAMES[-1],
        forward: bool = False,
        allow_vcs: bool = False,
        allow_duplicate: bool = False,
        allow_placeholder: bool = False,
        fix: str = "",
        no_sync: bool = False,
        allow_owner_change: bool = False,
        keep_links: bool = False,
        remember: bool = False,
        suggest: bool = False,
        history: bool = True,
        encoding: str | None = None,
        lost_anchors: bool = True,
        source: str = "",
        strip: int | None = None,
        skip_unsayable: bool = False,
        reverse: bool = False,
        base: Files | None = None,
        conflicts: str = "",
        syntax: str = "",
    ) -> None:
        self.check = check
        self.strict = strict
        self.overwrite = overwrite
        self.dialect = dialect
        self.max_pass = max_pass
        self.forward = forward
        self.allow_vcs = allow_vcs
        self.allow_duplicate = allow_duplicate
        self.allow_placeholder = allow_placeholder
        self.fix = fix
        self.no_sync = no_sync
        self.allow_owner_change = allow_owner_change
        self.keep_links = keep_links
        self.remember = remember
        self.suggest = suggest
        self.history = history
        self.encoding = encoding
        self.lost_anchors = lost_anchors
        self.source = source
        self.strip = strip
        self.skip_unsayable = skip_unsayable
        self.reverse = reverse
        self.base = base
        self.conflicts = conflicts
        self.syntax = syntax
        self.budget = None
        self.memory = None

    @property
    def reading(self) -> Dialect:
        return DIALECTS[self.dialect]

    @property
    def first_wins(self) -> bool:
        return DIALECTS[self.dialect].first_wins

    def checked(self) -> Options:
        """Returns itself when every choice is one that exists, else raises."""
        _one_of("dialect", self.dialect, DIALECTS)
        _one_of("max-pass", self.max_pass, NAMES)
        _one_of("syntax", self.syntax, ("", "off", "note", "error"))
        _one_of("fix", self.fix, ("", "certain", "likely"))
        _one_of("conflicts", self.conflicts, ("", "markers"))
        if self.strip is not None:  # which says that the text is a diff
            if type(self.strip) is not int or self.strip < 0:
                raise PatchkitError("P601", option="strip", given=self.strip, allowed="a number of at least 0")
            if self.source not in ("", "auto", "unified"):
                raise PatchkitError("P601", option="from", given=self.source, allowed="unified, which 'strip' is for")
            self.source = "unified"
        if self.encoding is not None:
            known = usable(self.encoding)
            if known is None:
                allowed = "gbk, shift_jis, cp1252, latin-1, and whatever else keeps ASCII as it is"
                raise PatchkitError("P601", option="encoding", given=self.encoding, allowed=allowed)
            self.encoding = known
        return self

    def begun(self) -> Options:
        """Returns itself as a plan starts with it: nothing tolerated when it is strict, and all of the budget left."""
        if self.strict:
            self.max_pass, self.lost_anchors = NAMES[0], False
        self.budget = None
        return self

    def limited_to(self, max_pass: str, budget: WorkBudget | None) -> Options:
        """A copy for a search of its own, with another tolerance and another budget."""
        copy = Options()
        for name in self.__slots__:
            setattr(copy, name, getattr(self, name))
        copy.max_pass, copy.budget = max_pass, budget
        return copy


def _one_of(option: str, given: str, allowed: Iterable[str]) -> None:
    if given not in allowed:
        raise PatchkitError("P601", option=option, given=given, allowed=", ".join(each or "''" for each in allowed))
