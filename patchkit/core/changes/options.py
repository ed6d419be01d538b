"""How a patch is read, placed and written: one record from the command line down to matching.

Takes what a caller chose; gives Options, which planning, matching (as its `Tolerance`) and the workspace read as they
are. A dialect is one small record among them.
"""

from __future__ import annotations

from patchkit.core.matching import NAMES
from patchkit.errors import PatchkitError
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from dataclasses import dataclass

    from patchkit.core.changes import Files
    from patchkit.core.matching import WorkBudget
    from patchkit.core.matching.known import DocumentMemory
else:

    def dataclass(**_):
        """Type checkers see a dataclass; at run time loading those would take longer than applying a small patch."""
        return lambda cls: cls


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


@dataclass(kw_only=True)
class Options(Value):
    """How to apply: each option once, with its type and its default. `checked` says which values there are."""

    _place = ("budget", "memory", "base")
    check: bool = False  # stop at the plan
    strict: bool = False  # accept no lenience, and only exact matches
    overwrite: bool = False  # let Add and Move replace files
    dialect: str = "safe"
    max_pass: str = NAMES[-1]  # the most tolerant pass allowed
    forward: bool = False  # skip what is there already
    allow_vcs: bool = False  # let a patch change the insides of version control
    allow_duplicate: bool = False  # let a patch add what the file has already
    allow_placeholder: bool = False  # let it add lines in place of code
    fix: str = ""  # apply the correction of a refused patch: 'certain' ones, or 'likely' ones, too
    no_sync: bool = False  # do not wait for the disk
    allow_owner_change: bool = False
    keep_links: bool = False  # write to files with several names instead of replacing them
    remember: bool = False  # keep the content of replaced and deleted files for callers who show it afterwards
    suggest: bool = False  # work out what a refused patch should have said
    history: bool = True  # let the run be undone later
    encoding: str | None = None  # of files that are not UTF-8 and do not declare what they are
    lost_anchors: bool = True  # accept anchors that the file does not have
    source: str = ""  # the edit format of the text, '' for the patch language
    strip: int | None = None  # leading parts that the paths of a diff lose; None where headers and files show it
    skip_unsupported: bool = False  # leave out what a patch cannot say
    sayable_only: bool = False  # take modes, links and binary content for what cannot be said, as in other formats
    reverse: bool = False  # take the patch back
    base: Files | None = None  # what the patch was made for, where that is not what it is applied to
    conflicts: str = ""  # 'markers' to write conflicts with the base as they are, '' to refuse them
    syntax: str = ""  # what becomes of new syntax errors: 'note', 'error', or '' to look for none
    partial: str = ""  # apply what fits: 'files' whose hunks all fit, or also the 'hunks' that fit of the others
    format: tuple[str, ...] = ()  # commands that format the changed files, before the run counts
    verify: tuple[str, ...] = ()  # commands that must succeed, or the run is taken back
    verify_timeout: int = 120  # seconds that each of them may run
    commit: str | None = None  # the message of a commit of git, '' for the usual one, None for no commit
    budget: WorkBudget | None = None  # of the plan under way, made when its first near miss is looked for
    memory: DocumentMemory | None = None  # of documents, for hosts that plan many patches on the same files

    if not TYPE_CHECKING:

        def __init__(self, **given):
            for name in given:
                if name not in OPTIONS:
                    raise TypeError(f"Options() got an unexpected keyword argument '{name}'")
            self.__dict__.update(given)

    def _fields(self) -> list[str]:
        return OPTIONS

    @property
    def reading(self) -> Dialect:
        return DIALECTS[self.dialect]

    @property
    def first_wins(self) -> bool:
        return DIALECTS[self.dialect].first_wins

    def checked(self) -> Options:
        """Returns itself when every choice is one that exists, else raises."""
        for option, allowed in _CHOICES.items():
            given = getattr(self, option)
            if given not in allowed:
                listed = ", ".join(each or "''" for each in allowed)
                raise PatchkitError("P601", option=option.replace("_", "-"), given=given, allowed=listed)
        if self.strip is not None:  # which says that the text is a diff
            if type(self.strip) is not int or self.strip < 0:
                raise PatchkitError("P601", option="strip", given=self.strip, allowed="a number of at least 0")
            if self.source not in ("", "auto", "unified"):
                raise PatchkitError("P601", option="from", given=self.source, allowed="unified, which 'strip' is for")
            self.source = "unified"
        if self.partial and DIALECTS[self.dialect].one_by_one:
            raise PatchkitError("P601", option="dialect", given=self.dialect, allowed="safe, with 'partial'")
        if self.encoding is not None:
            from patchkit.core.text.encodings import usable  # loads re

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
        copy.__dict__.update(self.__dict__)
        copy.max_pass, copy.budget = max_pass, budget
        return copy


FILES = "{files}"  # in a command of `format`: the changed files
OPTIONS = [*Options.__annotations__]
_CHOICES: dict[str, Iterable[str]] = {
    "dialect": DIALECTS,
    "max_pass": NAMES,
    "syntax": ("", "off", "note", "error"),
    "fix": ("", "certain", "likely"),
    "conflicts": ("", "markers"),
    "partial": ("", "files", "hunks"),
}
