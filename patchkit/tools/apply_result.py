"""The `data` of an apply: what became of every file and every hunk.

Takes what applying did and the errors that stopped it; gives plain values for the envelope of `result`. Loaded only
where somebody asks for data.
"""

from __future__ import annotations

from hashlib import sha256

from patchkit.changes.model import FileChange, Section
from patchkit.errors import PatchkitError
from patchkit.matching.model import Match, Miss
from patchkit.tools.apply import Applied

_STATUSES = {"P202": "ambiguous", "P208": "ambiguous", "P204": "conflict", "P205": "already_applied"}


def apply_data(done: Applied, errors: list[PatchkitError], dialect: str) -> dict[str, object]:
    """The `data` of an apply: what became of every file and every hunk, also of a patch that was refused."""
    changes = {name: change for plan in done.plans for name, change in plan.changes.items()}
    files = [_file_data(section, changes) for section in done.sections]
    return {
        "applied": done.applied and not errors,
        "dialect": dialect,
        "files": files,
        "suggestion": None,
    }


def _file_data(section: Section, changes: dict[str, FileChange]) -> dict[str, object]:
    change = changes.get(section.name)
    source = changes.get(section.source, change)
    before = source.before if source is not None else None
    after = b"".join(change.after) if change is not None and change.after is not None else None
    text = getattr(section.op, "text", "")
    return {
        "path": section.path,
        "op": {"A": "add", "M": "move" if section.moved_from else "update", "D": "delete"}[section.letter],
        "moved_from": section.moved_from,
        "added": sum(each.added for each in section.replacements) + _line_count(text),
        "removed": sum(each.removed for each in section.replacements),
        "sha256_before": sha256(before.data).hexdigest() if before is not None and before.kind == "file" else None,
        "sha256_after": sha256(after).hexdigest() if after is not None else None,
        "hunks": [_hunk_data(section, index) for index in range(len(section.results))],
    }


def _line_count(text: str) -> int:
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def _hunk_data(section: Section, index: int) -> dict[str, object]:
    result = section.results[index]
    data: dict[str, object] = {"index": index + 1, "patch_line": section.op.hunks[index].line}  # type: ignore[union-attr]
    if isinstance(result, Match):
        data.update(status="applied", line=result.line + 1, candidates=[], near_miss=None)
        data.update({"pass": result.pass_name, "evidence": result.evidence})
    elif isinstance(result, Miss):
        candidates = [line + 1 for line in result.candidates[:1000]]
        data.update(status=_STATUSES.get(result.code, "not_found"), line=None, candidates=candidates, near_miss=None)
        data.update({"pass": None, "evidence": []})
    return data
