"""One row, judged: its patch is read and planned on its files, and nothing is written.

Takes a row; gives an Answer, whatever is wrong with the row. The parser and the planner are those of apply.
"""

from __future__ import annotations

from patchkit.batch.bases import Bases
from patchkit.batch.request import APPLIES, FAILED, NO_BASE, REFUSED, UNREADABLE, BatchRequest
from patchkit.changes.apply import asks_for_nothing, read_patch
from patchkit.changes.diff import unified
from patchkit.changes.model import Plan
from patchkit.changes.planned import planned
from patchkit.changes.suggestion import suggest
from patchkit.errors import Note, PatchkitError
from patchkit.language.model import Patch
from patchkit.language.wrapping import refuse_half_characters
from patchkit.matching.known import DocumentMemory
from patchkit.matching.model import NAMES, Match
from patchkit.matching.near_miss import NearMiss
from patchkit.report.causes import cause
from patchkit.report.diagnostics import as_error
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.changes.sources import Files

MEMORY = 16 << 20  # bytes that a worker takes to remember files
_MOST_ERRORS = 10  # of a row that are written
_UNSAYABLE = ("P112",)  # the text can be read; what it says cannot be done by a patch
_NO_BASE = ("P401", "P666", "P667", "P693")
_OURS = ("P405", "P499", "P694", "P695")


class Answer(Value):
    """What came of one row. `passes` counts the hunks that matched by each pass."""

    __slots__ = ("verdict", "code", "passes", "errors", "notes", "emitted")
    verdict: str
    code: str | None
    passes: dict[str, int]
    errors: list[dict[str, object]]
    notes: list[str]
    emitted: dict[str, object]

    def __init__(self, verdict: str = APPLIES) -> None:
        self.verdict = verdict
        self.code = None
        self.passes = {}
        self.errors = []
        self.notes = []
        self.emitted = {}

    @property
    def most_tolerant(self) -> str:
        """The pass that was needed; '' where no hunk matched."""
        return max(self.passes, key=NAMES.index, default="")

    def values(self) -> dict[str, object]:
        """The answer as the columns of the output."""
        about: dict[str, object] = {"verdict": self.verdict, "code": self.code, "pass": self.most_tolerant or None}
        return {**about, "passes": self.passes, "errors": self.errors, "notes": self.notes, **self.emitted}


class RowJudge:
    """Judges rows, one after the other, in one process."""

    def __init__(self, request: BatchRequest) -> None:
        self.request = request
        self.bases = Bases(request)
        self._options = request.planning()
        self._source = self._options.source
        self._options.memory = DocumentMemory(MEMORY)

    def judge(self, row: dict[str, object]) -> Answer:
        """Judges one row. Raises nothing that a row can cause, but for what stops it: a time-out."""
        try:
            return self._judged(row)
        except PatchkitError as error:
            return refusal(error)
        except Exception as error:  # an internal error is the answer for the row that met it
            return refusal(as_error(error))

    def _judged(self, row: dict[str, object]) -> Answer:
        column = self.request.column(row, "patch")
        text = row.get(column) if column else None
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogateescape")
        elif isinstance(text, str):
            refuse_half_characters(text)
        else:
            raise PatchkitError("P692", reason="it has no patch")
        files = self.bases.files(row)
        self._options.source = self._format(text)
        patch = read_patch(text, files, self._options)
        answer = Answer()
        try:
            made = Plan(files) if asks_for_nothing(patch) else planned(patch, files, self._options)
        except PatchkitError as error:
            if not isinstance(error.plan, Plan):
                raise
            made = error.plan
            answer = refusal(error, REFUSED)
            self._emit_suggestion(answer, patch, error, files)
        else:
            self._emit(answer, made)
        answer.notes = list(dict.fromkeys([note.code for note in _told(patch.notes + made.notes)]))
        for section in made.sections:
            for result in section.results:
                if isinstance(result, Match):
                    answer.passes[result.pass_name] = answer.passes.get(result.pass_name, 0) + 1
        return answer

    def _format(self, text: str) -> str:
        """The edit format to read a text in; '' for the patch language, which most texts show at once."""
        source = self._source
        plain = source == "v4a" or (source == "auto" and text.startswith("*** Begin Patch\n"))
        return "" if plain else source

    def _emit(self, answer: Answer, made: Plan) -> None:
        if "diff" in self.request.emit:
            answer.emitted["diff"] = unified(made).decode("utf-8", "replace")
        if "files" in self.request.emit:
            answer.emitted["files_after"] = {
                change.before.name: b"".join(change.after).decode("utf-8", "replace")
                if change.after is not None
                else None
                for change in made.effective
            }

    def _emit_suggestion(self, answer: Answer, patch: Patch, error: PatchkitError, files: Files) -> None:
        if "suggestion" in self.request.emit:
            better = suggest(patch, error, files, self._options, self._options.strict)
            answer.emitted["suggestion"] = better.text if better is not None else None
            answer.emitted["certainty"] = better.certainty if better is not None else None


def _told(notes: list[Note]) -> list[Note]:
    """The notes that say something about the patch: that it is in another format is not a slip."""
    return [note for note in notes if note.code != "P990"]


def refusal(error: PatchkitError, verdict: str = "") -> Answer:
    """The answer for a row with this error; the verdict follows from the code unless it is known."""
    answer = Answer(verdict or _verdict(error.code))
    answer.code = error.code
    for each in error.errors[:_MOST_ERRORS]:
        facts: dict[str, object] = {"code": each.code, "message": each.message, "file": each.file, "hunk": each.hunk}
        facts.update(patch_line=each.patch_line, line=each.line)
        near = each.facts.get("near")
        if isinstance(near, NearMiss):
            facts["agree"], facts["total"] = near.agree, near.total
            facts["cause"] = cause(near.expected, near.found, near.column)
        answer.errors.append(facts)
    return answer


def _verdict(code: str) -> str:
    if code in _NO_BASE:
        return NO_BASE
    if code in _OURS:
        return FAILED
    return UNREADABLE if code == "P692" or (code.startswith("P1") and code not in _UNSAYABLE) else REFUSED
