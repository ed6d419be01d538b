"""The `data` of an apply: what became of every file and every hunk.

Takes what applying did and the errors that stopped it; gives plain values for the envelope of `result`. Loaded only
where somebody asks for data.
"""

from __future__ import annotations

from hashlib import sha256

from patchkit.changes.apply import Applied
from patchkit.changes.model import Entry, FileChange, Section
from patchkit.errors import PatchkitError
from patchkit.language.model import Hunk
from patchkit.matching.anchors import Anchors
from patchkit.matching.disambiguation import Chooser
from patchkit.matching.model import Match, Miss
from patchkit.matching.near_miss import NearMiss
from patchkit.report.causes import cause


def apply_data(done: Applied, errors: list[PatchkitError], dialect: str) -> dict[str, object]:
    """The `data` of an apply: what became of every file and every hunk, also of a patch that was refused."""
    changes = {name: change for plan in done.plans for name, change in plan.changes.items()}
    allowance = Allowance()
    files = [_file_data(section, changes, allowance) for section in done.sections]
    return {
        "applied": done.applied and not errors,
        "dialect": dialect,
        "files": files,
        "suggestion": errors[0].suggestion if errors else None,
    }


def _file_data(section: Section, changes: dict[str, FileChange], allowance: Allowance) -> dict[str, object]:
    change = changes.get(section.name)
    source = changes.get(section.source, change)
    before = _content(source.before) if source is not None else None
    after = b"".join(change.after) if change is not None and change.after is not None else None
    text = getattr(section.op, "text", "")
    return {
        "path": section.path,
        "op": {"A": "add", "M": "move" if section.moved_from else "update", "D": "delete"}[section.letter],
        "moved_from": section.moved_from,
        "added": sum(each.added for each in section.replacements) + _line_count(text),
        "removed": sum(each.removed for each in section.replacements) + _deleted_lines(section, before),
        "sha256_before": sha256(before).hexdigest() if before is not None else None,
        "sha256_after": sha256(after).hexdigest() if after is not None else None,
        "hunks": hunks_data(section, allowance),
    }


def _content(entry: Entry) -> bytes | None:
    """What was in a file before the run; None for no file, and for one of a refused patch that could not be read."""
    try:
        return entry.data if entry.kind == "file" else None
    except PatchkitError:
        return None


def _deleted_lines(section: Section, before: bytes | None) -> int:
    """The lines of a file that goes as a whole."""
    return _line_count(before.decode("latin-1")) if section.letter == "D" and before is not None else 0


def _line_count(text: str) -> int:
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


# -- hunk_result: What became of the hunks of one section, as plain values. Takes a planned Section; gives for each
# hunk its status and place, or the places in question with what would choose each, or the nearest
# miss with its cause. The keys are those of an apply's `data`.

Data = dict[str, object]
_STATUSES = {"P202": "ambiguous", "P208": "ambiguous", "P204": "conflict", "P205": "already_applied"}
_MOST_CANDIDATES = 1000  # of one hunk


class Allowance:
    """How many candidates one run may still list: what a hundred hunks have in common is told a few times only."""

    __slots__ = ("left",)

    def __init__(self, left: int = 10_000) -> None:
        self.left = left

    def of(self, count: int) -> int:
        """Takes as many as there are to list, and are left."""
        taken = min(count, _MOST_CANDIDATES, self.left)
        self.left -= taken
        return taken


def hunks_data(section: Section, allowance: Allowance) -> list[Data]:
    """The data of every hunk that was looked for, in the patch's order."""
    report = _Hunks(section, allowance)
    return [report.of(index) for index in range(len(section.results))]


class _Hunks:
    """The hunks of one section, and the definitions of its file once somebody asks for them."""

    def __init__(self, section: Section, allowance: Allowance) -> None:
        self._section = section
        self._allowance = allowance
        self._around: Anchors | None = None

    def of(self, index: int) -> Data:
        result = self._section.results[index]
        hunk: Hunk = self._section.op.hunks[index]  # type: ignore[union-attr]
        data: Data = {"index": index + 1, "patch_line": hunk.line}
        if isinstance(result, Match):
            data.update({"status": "applied", "pass": result.pass_name, "line": result.line + 1})
            data.update(candidates=[], candidate_count=0, near_miss=None, evidence=result.evidence)
        else:
            data.update({"status": _STATUSES.get(result.code, "not_found"), "pass": None, "line": None})
            count = result.facts.get("count", len(result.candidates))
            data.update(candidates=self._candidates(result), candidate_count=count)
            data.update(near_miss=self._near_miss(hunk, result), evidence=[])
        return data

    def _candidates(self, miss: Miss) -> list[Data]:
        """The places in question, each with what it stands in and with what would choose it."""
        count = self._allowance.of(len(miss.candidates))
        if isinstance(miss.chooser, Chooser):
            return [_candidate(each.line, each.inside, each.add, each.where) for each in miss.chooser.first(count)]
        return [_candidate(place + 1, self._inside(place), [], "") for place in miss.candidates[:count]]

    def _inside(self, place: int) -> str:
        texts = self._section.document.texts  # type: ignore[union-attr]
        if self._around is None:
            self._around = Anchors(texts)
        definition = self._around.enclosing(place)
        return texts[definition.line].strip() if definition is not None else ""

    def _near_miss(self, hunk: Hunk, miss: Miss) -> Data | None:
        """The place that came nearest, the first difference there and its cause; None when nothing comes near."""
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
            "differs_at": near.line + 1 + near.index,
            "column": near.column + 1,
            "patch_line": hunk.body_line + rows[near.index],
            "expected": near.expected,
            "found": near.found,
            "cause": cause(near.expected, near.found, near.column),
        }


def _elsewhere(hunk: Hunk, file: str, line: int) -> Data:
    """A hunk that stands in another file of the patch, as a near miss: all its lines agree there."""
    total = len(hunk.old())
    data: Data = {"file": file, "line": line, "agree": total, "total": total, "patch_line": hunk.line}
    data.update(differs_at=None, column=None, expected=None, found=None)
    return {**data, "cause": f"the lines stand in '{file}', another file of the patch"}


def _candidate(line: int, inside: str, add: list[str], where: str) -> Data:
    return {"line": line, "inside": inside or None, "add": add, "where": where or None}
