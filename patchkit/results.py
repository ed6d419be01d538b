"""What became of every file and every hunk of a patch, counted.

Takes plans; gives one FileResult for each section of the patch, with one HunkResult for each hunk that was looked for.
The library returns them, and the JSON output is made from them.
"""

from __future__ import annotations

from patchkit.core.changes import FileChange, Plan, Section
from patchkit.core.language import AddFile, UpdateFile
from patchkit.core.matching import Match, Miss
from patchkit.errors import PatchkitError
from patchkit.values import Value

_OPERATIONS = {"A": "add", "M": "update", "D": "delete"}
_MOST_COUNTED = 4 << 20  # bytes of a deleted file that is read only to count its lines
_STATUSES = {
    "P202": "ambiguous",
    "P208": "ambiguous",
    "P204": "conflict",
    "P205": "already_applied",
    "P216": "duplicate",
    "P217": "duplicate",
    "P218": "placeholder",
}


class HunkResult(Value):
    """What became of one hunk.

    `index` counts the hunks of the section from 1, `patch_line` is its line in the patch. `status` is 'applied',
    'already_applied', 'ambiguous', 'not_found', 'conflict', 'duplicate' (it adds what the file has already) or
    'placeholder' (it adds a line in place of code). Of a hunk that has its place, `line` is that place in the file
    before the patch (from 1), `pass_name` the tolerance it took, and `evidence` why it is the only one; else they are
    None, None and empty.
    """

    __slots__ = ("index", "patch_line", "status", "line", "pass_name", "evidence")
    index: int
    patch_line: int
    status: str
    line: int | None
    pass_name: str | None
    evidence: list[str]

    def __init__(self, index: int, patch_line: int, found: Match | Miss) -> None:
        self.index = index
        self.patch_line = patch_line
        if isinstance(found, Match):
            self.status, self.line, self.pass_name = "applied", found.line + 1, found.pass_name
            self.evidence = list(found.evidence)
        else:
            self.status, self.line, self.pass_name = _STATUSES.get(found.code, "not_found"), None, None
            self.evidence = []


class FileResult(Value):
    """What one section of the patch did to a file.

    `operation` is 'add', 'update', 'move' or 'delete'; `path` is spelled as in the patch, and is the new one of a file
    that was moved from `moved_from`; `added` and `removed` count lines. `removed` is None for a deleted file that was
    not read, because it is too large or cannot be read.
    """

    __slots__ = ("path", "operation", "moved_from", "added", "removed", "hunks")
    path: str
    operation: str
    moved_from: str | None
    added: int
    removed: int | None
    hunks: list[HunkResult]

    def __init__(self, section: Section, before: bytes | None) -> None:
        op = section.op
        self.path = section.path
        self.operation = "move" if section.moved_from else _OPERATIONS[section.letter]
        self.moved_from = section.moved_from
        self.added = sum(each.added for each in section.replacements)
        self.removed = sum(each.removed for each in section.replacements)
        if isinstance(op, AddFile):
            self.added += line_count(op.text.encode("utf-8", "surrogateescape"))
        elif section.letter == "D":
            self.removed = line_count(before) if before is not None else None
        hunks = op.hunks if isinstance(op, UpdateFile) else []
        both = enumerate(zip(hunks, section.results), 1)
        self.hunks = [HunkResult(index, hunk.line, found) for index, (hunk, found) in both]


def file_results(plans: list[Plan], written: bool = False) -> list[FileResult]:
    """What plans do to each file, in the order of their sections; `written` when they were committed."""
    changes = {name: change for plan in plans for name, change in plan.changes.items()}
    return [
        FileResult(section, content_before(section, changes, written) if section.letter == "D" else None)
        for plan in plans
        for section in plan.listed
    ]


def content_before(section: Section, changes: dict[str, FileChange], written: bool = False) -> bytes | None:
    """What was in the section's file before the run; None where that cannot be read, or not any more."""
    change = changes.get(section.source, changes.get(section.name))
    if change is None or change.before.kind != "file" or (written and not change.before.is_read):
        return None
    try:
        return change.before.data
    except PatchkitError:
        return None


def read_deleted(plan: Plan) -> None:
    """Reads the files that a plan deletes, as far as they are small and can be read, to count their lines later."""
    for section in plan.sections:
        change = plan.changes.get(section.source) if section.letter == "D" else None
        if change is not None and change.before.kind == "file" and change.before.size <= _MOST_COUNTED:
            try:
                _ = change.before.data
            except PatchkitError:
                pass  # deleting does not need the content


def line_count(data: bytes) -> int:
    return data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))
