"""The `data` of an apply: the outcome of every file and every hunk.

Takes what applying did and the errors that stopped it; returns plain values for the envelope of `result`. A hunk has
its status and place, or the candidate places with what would choose each, or the nearest miss with its cause.
"""

from __future__ import annotations

from patchkit.applying import Applied, summary
from patchkit.core.changes import FileChange, Options, Section
from patchkit.core.language import Hunk, UpdateFile
from patchkit.core.matching import Match, Miss
from patchkit.core.workspace import sha256
from patchkit.errors import PatchkitError
from patchkit.report.result import Json, Result, error_data
from patchkit.results import FileResult, HunkResult, content_before
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.matching.scopes.anchors import Anchors


def apply_data(done: Applied, errors: list[PatchkitError], dialect: str) -> Json:
    """The `data` of an apply: the outcome of every file and every hunk, also of a patch that was refused."""
    changes = {name: change for plan in done.plans for name, change in plan.changes.items()}
    allowance = Allowance()
    files = [_file_data(section, changes, allowance) for section in done.sections]
    broken = {
        note.facts["file"]: note.facts["lines"] for each in done.plans for note in each.notes if note.code == "P967"
    }
    rewritten = {note.facts["file"]: note.facts for each in done.plans for note in each.notes if note.code == "P991"}
    for section, data in zip(done.sections, files):
        if section.name in broken:
            data["syntax_errors"] = broken[section.name]
        if section.path in rewritten:
            facts = rewritten[section.path]
            data["rewritten"] = {"command": facts["command"], "diff": facts["diff"]}
    ran = errors[0].facts.get("ran") if errors else None
    return {
        **({"command": ran} if ran is not None else {}),
        "applied": done.applied and not errors,
        "dialect": dialect,
        "files": files,
        "suggestion": errors[0].suggestion if errors else None,
        "confidence": errors[0].certainty if errors else None,
    }


def partial_result(done: Applied, options: Options, patch: str | None) -> Result:
    """The Result of a patch of which a part fits: what was done, why the rest does not fit, and the rest."""
    data = apply_data(done, [], options.dialect)
    left = Applied()
    left.plans = done.left
    data["rest"] = done.rest
    data["left"] = apply_data(left, [], options.dialect)["files"]
    from patchkit.report.correction import refusal_for_model

    words = refusal_for_model(done.errors, patch)
    made = Result("partial", data, f"{summary(done.sections, options.check)}{words}\nWhat is left:\n{done.rest}")
    made.errors = [error_data(error) for error in done.errors]
    return made


def _file_data(section: Section, changes: dict[str, FileChange], allowance: Allowance) -> Json:
    change = changes.get(section.name)
    before = content_before(section, changes)
    after = b"".join(change.after) if change is not None and change.after is not None else None
    result, hunks = FileResult(section, before), _SectionHunks(section, allowance)
    return {
        "path": result.path,
        "op": result.operation,
        "moved_from": result.moved_from,
        "added": result.added,
        "removed": result.removed or 0,
        "sha256_before": sha256(before).hexdigest() if before is not None else None,
        "sha256_after": sha256(after).hexdigest() if after is not None else None,
        "hunks": [hunks.of(each) for each in result.hunks],
    }


_MOST_CANDIDATES = 1000  # of one hunk


class Allowance(Record):
    """How many candidates one run may still list: what a hundred hunks have in common is listed a few times only."""

    left: int = 10_000

    def of(self, count: int) -> int:
        """Takes as many as there are to list, and are left."""
        taken = min(count, _MOST_CANDIDATES, self.left)
        self.left -= taken
        return taken


class _SectionHunks:
    """The hunks of one section, and the definitions of its file, found when they are first needed."""

    def __init__(self, section: Section, allowance: Allowance) -> None:
        self._section = section
        self._allowance = allowance
        self._around: Anchors | None = None

    def of(self, known: HunkResult) -> Json:
        result = self._section.results[known.index - 1]
        data: Json = {"index": known.index, "patch_line": known.patch_line}
        data.update({"status": known.status, "pass": known.pass_name, "line": known.line})
        if isinstance(result, Match):
            data.update(candidates=[], candidate_count=0, near_miss=None)
        else:
            op = self._section.op
            assert isinstance(op, UpdateFile), "only an update has hunks"
            count = result.facts.get("count", len(result.candidates))
            data.update(candidates=self._candidates(result), candidate_count=count)
            data.update(near_miss=self._near_miss(op.hunks[known.index - 1], result))
        data["evidence"] = known.evidence
        return data

    def _candidates(self, miss: Miss) -> list[Json]:
        """The candidate places, each with the definition around it and with what would choose it."""
        from patchkit.repair.choices import chooser_of  # the places of refused hunks alone

        count = self._allowance.of(len(miss.candidates))
        chooser = chooser_of(miss)
        if chooser is not None:
            return [_candidate(each.line, each.inside, each.add, each.where) for each in chooser.first(count)]
        return [_candidate(place + 1, self._inside(place), [], "") for place in miss.candidates[:count]]

    def _inside(self, place: int) -> str:
        document = self._section.document
        assert document is not None, "hunks were searched for in it"
        texts = document.texts
        if self._around is None:
            from patchkit.core.matching.scopes.anchors import Anchors

            self._around = Anchors(texts)
        definition = self._around.enclosing(place)
        return texts[definition.line].strip() if definition is not None else ""

    def _near_miss(self, hunk: Hunk, miss: Miss) -> Json | None:
        """The place that came nearest, the first difference there and its cause; None when nothing comes near."""
        from patchkit.repair.near_miss import NearMiss
        from patchkit.report.diagnostics import cause

        elsewhere = miss.facts.get("elsewhere")
        if isinstance(elsewhere, tuple):
            return _elsewhere(hunk, *elsewhere)
        near = miss.facts.get("near")
        if not isinstance(near, NearMiss):
            return None
        rows = [row for row, line in enumerate(hunk.lines) if line[0] != "+"]
        return {
            "file": self._section.op.path,
            "line": near.line + 1,
            "agree": near.agree,
            "total": near.total,
            "differs_at": near.row + 1,
            "column": near.column + 1,
            "patch_line": hunk.body_line + rows[near.index],
            "expected": near.expected,
            "found": near.found,
            "cause": cause(near.expected, near.found, near.column),
        }


def _elsewhere(hunk: Hunk, file: str, line: int) -> Json:
    """A hunk that matches in another file of the patch, as a near miss: all its lines agree there."""
    total = len(hunk.old())
    data: Json = {"file": file, "line": line, "agree": total, "total": total, "patch_line": hunk.line}
    data.update(differs_at=None, column=None, expected=None, found=None)
    return {**data, "cause": f"the lines are in '{file}', another file of the patch"}


def _candidate(line: int, inside: str, add: list[str], where: str) -> Json:
    return {"line": line, "inside": inside or None, "add": add, "where": where or None}
