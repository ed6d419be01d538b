"""The `data` of an apply: what became of every file and every hunk.

Takes what applying did and the errors that stopped it; gives plain values for the envelope of `result`. Loaded only
where somebody asks for data.
"""

from __future__ import annotations

from hashlib import sha256

from patchkit.changes.model import Entry, FileChange, Section
from patchkit.errors import PatchkitError
from patchkit.tools.apply import Applied
from patchkit.tools.hunk_result import Allowance, hunks_data


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
