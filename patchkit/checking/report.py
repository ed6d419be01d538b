"""What a check found, as values: patches, their files, their hunks, and what there is to say about them.

Every output format is a function of these and of nothing else. They hold no handle and no plan, so they travel between
processes; making them is the work of `tools/check`.
"""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.report.width import counted
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from patchkit.repair.near_miss import NearMiss
    from patchkit.report.result import Json


Data = dict[str, object]
STDIN = "-"
APPLIES, REFUSED, PARSED = "applies", "refused", "parsed"  # of patches and files
UNCHECKED = "unchecked"  # of hunks whose file could not be looked at


class Excerpt(Record):
    """Lines of a file beside a hunk: the number of the first (from 1), their texts, and how many more there are."""

    line: int
    texts: list[str]
    more: int = 0


class CheckedHunk(Record):
    """What became of one hunk: `data` is what the result of an apply has of it, under the same names."""

    data: Json
    miss: str = ""  # the code of why it has no place
    near: NearMiss | None = None  # the closest one
    anchors: list[str] = []  # this and the lines below: where an output format needs them
    lines: list[str] = []
    body_line: int = 0  # the line of the patch that the first of `lines` is on
    windows: list[Excerpt] = []  # of the file, beside them
    more: int = 0  # lines that are left out

    @property
    def title(self) -> str:
        """Which hunk it is. One of a JSON edit, and one that was merged, is on no line of the patch."""
        line = self.data["patch_line"]
        return f"hunk {self.data['index']}" + (f" (patch line {line})" if line else "")

    @property
    def candidates(self) -> list[int]:
        """The lines of the places in question."""
        return [each["line"] for each in self.data["candidates"]]


class CheckedFile(Record):
    """What became of one section: `data` as in the result of an apply, its hunks, and the errors that are its own."""

    data: Json
    patch_line: int
    status: str = PARSED
    hunks: list[CheckedHunk] = []
    errors: list[PatchkitError] = []
    text: list[str] = []  # the beginning of a new file, where an output format needs it
    more: int = 0  # lines that it leaves out

    @property
    def letter(self) -> str:
        return {"add": "A", "delete": "D"}.get(self.data["op"], "M")


class CheckedPatch(Record):
    """What became of one patch: `errors` are those of the patch as a whole, the others are with their files."""

    name: str  # that the caller gave it, `-` for standard input
    text: str | None = None  # what line numbers refer to
    suggestion: str | None = None  # the corrected patch, where one was asked for and one reading is clearly best
    certainty: str | None = None
    corrected: str = ""  # the file that the correction was written to
    foreign: bool = False  # whether the text is in another edit format
    fits: str = ""  # how much of it fits, where that was asked for
    files: list[CheckedFile] = []
    errors: list[PatchkitError] = []
    notes: list[Note] = []

    def shorten(self) -> None:
        """Keeps of a good patch what a list of patches shows: how many files and hunks it has.

        A run may have millions of patches, and what is left out here is most of their memory.
        """
        if self.status == APPLIES and not self.notes:
            self.files = [_brief(len(file.hunks)) for file in self.files]

    @property
    def source(self) -> str:
        """What the patch is called in messages."""
        return "patch" if self.name == STDIN else self.name

    @property
    def every_error(self) -> list[PatchkitError]:
        return [*self.errors, *(error for file in self.files for error in file.errors)]

    @property
    def status(self) -> str:
        if self.errors or any(file.errors for file in self.files):
            return REFUSED
        return PARSED if any(file.status == PARSED for file in self.files) else APPLIES

    @property
    def hunks(self) -> list[CheckedHunk]:
        return [hunk for file in self.files for hunk in file.hunks]

    @property
    def findings(self) -> list[tuple[PatchkitError | Note, CheckedHunk | None]]:
        """Every error and note, with the hunk that an error is about."""
        found: list[tuple[PatchkitError | Note, CheckedHunk | None]] = [(error, None) for error in self.errors]
        for file in self.files:
            hunks = {hunk.data["index"]: hunk for hunk in file.hunks}
            found += [(error, hunks.get(error.hunk or 0)) for error in file.errors]
        return [*found, *((note, None) for note in self.notes)]


_BRIEF: dict[int, CheckedFile] = {}  # by the number of hunks


def _brief(hunks: int) -> CheckedFile:
    """A file that is nothing but good, with so many hunks; the same one each time."""
    known = _BRIEF.get(hunks)
    if known is None:
        known = _BRIEF[hunks] = CheckedFile({"path": "", "op": "", "moved_from": None, "added": 0, "removed": 0}, 0)
        placed: Json = {"index": 0, "patch_line": 0, "status": "applied", "line": None, "candidates": []}
        known.status, known.hunks = APPLIES, [CheckedHunk({**placed, "candidate_count": 0, "pass": None})] * hunks
    return known


class Acceptance(Record):
    """What does not fail a run: `ignore` codes, all codes but `fail_on` if that is not empty, `known` fingerprints."""

    ignore: set[str] = set()
    fail_on: set[str] = set()
    known: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self.ignore or self.fail_on or self.known)


class Report(Record):
    """What a run of check found."""

    patches: list[CheckedPatch]
    root: str
    start: str  # where the paths of patches begin, '' where that is not a directory on disk
    against: str = ""  # the commit that patches were checked against, '' for the files themselves
    rules: list[str] = []  # what was asked for beyond applying, in words
    notes: list[Note] = []  # of the run, not of a patch
    acceptance: Acceptance = Acceptance()
    accepted: dict[str, int] = {}  # how many errors, by the reason
    hidden: int = 0  # patches that were left out because all their errors are accepted
    stats: Data = {}  # as in every Result
    context: Data = {}

    def __init__(self, patches: list[CheckedPatch], root: str = "") -> None:
        super().__init__(patches, root, root)

    @property
    def refused(self) -> list[CheckedPatch]:
        return [patch for patch in self.patches if patch.status == REFUSED]

    @property
    def error_count(self) -> int:
        return sum(len(patch.every_error) for patch in self.patches)

    @property
    def good(self) -> str:
        """What the patches that are not refused do, as the verb of a sentence."""
        fine = [patch for patch in self.patches if patch.status != REFUSED]
        if fine and all(patch.status == PARSED for patch in fine):
            return "can be read"
        return "applies" if len(fine) == 1 else "apply"

    @property
    def verdict(self) -> str:
        """One sentence about all patches."""
        count, refused = len(self.patches) + self.hidden, len(self.refused)
        if not count:
            return "no patch to check"
        head = f"{counted(count, 'patch')} checked: "
        if self.hidden:
            good = count - refused - self.hidden
            parts = [f"{good:,} {self.good}"] * bool(good)
            parts += [f"{refused:,} refused ({counted(self.error_count, 'error')})"] * bool(refused)
            return f"{head}{', '.join([*parts, f'{self.hidden:,} with accepted errors only'])}"
        if not refused:
            return f"{head}{'it' if count == 1 else 'all'} {self.good}"
        errors = counted(self.error_count, "error")
        if refused == count:
            return f"{head}{'it is' if count == 1 else 'all are'} refused ({errors})"
        return f"{head}{count - refused:,} {self.good}, {refused:,} refused ({errors})"


# The output formats of a check, as one table.
#
# Takes the name of a format and a Report; gives the text that goes into a file or a stream. A format is loaded when it
# is asked for. To add one, write a function that renders a Report, and add its row.
class OutputFormat(Record):
    """One output format, and what it shows: a check collects that only where a format needs it."""

    name: str
    function: str  # that renders it: a module and a name
    lines: bool = False  # of hunks and files
    suggestions: bool = False
    points: bool = False  # into files: its function also takes the directory that paths are relative to

    def render(self, report: Report, base: str = ".") -> str:
        """The report in this format. `base` is the directory that the paths of files are relative to."""
        from importlib import import_module  # a check prints text, which needs none of this

        module, _, name = self.function.partition(":")
        render: Callable[..., str] = getattr(import_module(f"patchkit.{module}"), name)
        return render(report, base) if self.points else render(report)


_ROWS = (
    OutputFormat("text", "checking.text:render", suggestions=True),
    OutputFormat("concise", "checking.annotations:render_concise", lines=True, points=True),
    OutputFormat("json", "checking.text:render_json", suggestions=True),
    OutputFormat("jsonl", "checking.text:render_json_lines", suggestions=True),
    OutputFormat("github", "checking.annotations:render_github", points=True),
    OutputFormat("gitlab", "checking.annotations:render_gitlab", lines=True, points=True),
    OutputFormat("sarif", "checking.annotations:render_sarif", lines=True, points=True),
    OutputFormat("junit", "checking.annotations:render_junit"),
    OutputFormat("markdown", "checking.markdown:render", suggestions=True),
    OutputFormat("html", "checking.page:render", lines=True, suggestions=True),
)
FORMATS = {row.name: row for row in _ROWS}
