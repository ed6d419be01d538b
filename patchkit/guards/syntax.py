"""What a plan does to the syntax of the files it changes.

Takes a plan; adds a note for each file that gets new syntax errors, or raises where the options refuse them. Where no
grammar is installed for a language, nothing is noted about its files; a caller who refuses errors learns what to
install.
"""

from __future__ import annotations

from patchkit.core.changes import FileChange, Plan
from patchkit.diffs.compare import compared
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.structure.grammars import language_of
from patchkit.structure.syntax import can_check, new_errors

OFF, NOTE, ERROR = "off", "note", "error"
CHOICES = (OFF, NOTE, ERROR)


def check_syntax(made: Plan, how: str) -> None:
    """Adds notes for new syntax errors to the plan; under 'error' raises them instead."""
    errors: list[PatchkitError] = []
    moved = {section.name: section.source for section in made.sections if section.moved_from}
    lines = {section.name: section.op.line for section in made.sections}
    for name, change in made.changes.items():
        if how == ERROR and change.after is not None and change.changed and language_of(name) and not can_check(name):
            wanted = {"file": name, "language": language_of(name), "patch_line": lines.get(name)}
            errors.append(PatchkitError("P227", **wanted))
            continue
        found = _found(name, change, made.changes.get(moved.get(name, "")))
        if found and how == ERROR:
            places = ", ".join(map(str, found))
            errors.append(PatchkitError("P226", file=name, line=found[0], places=places, patch_line=lines.get(name)))
        elif found:
            made.notes.append(Note("P967", file=name, line=found[0], lines=found, places=", ".join(map(str, found))))
    if errors:
        errors[0].plan = made
        raise_all(errors)


def _found(name: str, change: FileChange, source: FileChange | None) -> list[int]:
    if change.after is None or not change.changed or not language_of(name):
        return []
    entry = source.before if source is not None else change.before
    before = entry.data if entry.kind == "file" else None
    after = b"".join(change.after)
    spans = compared((before or b"").splitlines(True), after.splitlines(True))
    return new_errors(name, before, after, [(each[0], each[1], each[2], each[3]) for each in spans])
