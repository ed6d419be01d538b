"""The one envelope that every tool answers with, and errors and notes as the values in it.

Takes what a tool did or why it did not; gives a Result that is the same for the command line's `--json`, the library
and agent protocols, and that knows how a person at a terminal is shown it.
"""

from __future__ import annotations

import os

from patchkit.errors import Note, PatchkitError
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from patchkit.report.spans import Spans

    Json = dict[str, Any]  # an object of JSON: its fields have the types its schema says, which no checker sees
else:
    Json = dict


class Result(Record):
    """What a tool answers."""

    status: str  # success, partial or error
    data: Json  # the tool's own
    text: str  # what a model or a pipe gets
    errors: list[Json] = []
    notes: list[Json] = []
    stats: Json = {}
    context: Json = {}
    for_people: Callable[[int | None], Spans] | None = None  # for so many columns, without what is meant for models
    _place = ("for_people",)

    def envelope(self) -> Json:
        error = self.errors[0] if self.errors else None
        return {
            "status": self.status,
            "data": self.data,
            "text": self.text,
            "error": error,
            "errors": self.errors,
            "notes": self.notes,
            "stats": self.stats,
            "context": self.context,
        }


def context(asked: object, where: str | None) -> Json:
    """What a call was asked, and the real path that it was for."""
    return {"cwd": current_directory(), "params_input": asked, "path_resolved": where}


def current_directory() -> str | None:
    """The current directory of the process; None when it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return None


def resolved(root: str | None) -> str | None:
    """The real path of the workspace that is meant; None when it is the current directory and was removed."""
    try:
        return os.path.realpath(root or ".")
    except OSError:
        return None


def error_data(error: PatchkitError) -> Json:
    """An error in an envelope; a corrected patch is in the `data` beside it."""
    return {name: value for name, value in error.to_dict().items() if name not in ("suggestion", "confidence")}


def note_data(note: Note) -> Json:
    from patchkit.catalogue.sentences import variant_of  # the words, which most results have none of

    facts = {name: value for name, value in note.facts.items() if name in ("file", "hunk", "patch_line", "line")}
    variant = variant_of(note.code, note.facts)
    return {"code": note.code, "message": note.message, **({"variant": variant} if variant else {}), **facts}


def failure(error: PatchkitError, patch: str | None = None) -> Result:
    """The Result of a refusal. `text` opens with the fixed words of the tool (the fact `said`), then come ours.

    The text is for a model, so a corrected patch is in it as a whole; people are shown what it changes. The facts
    `data` and `said` are the tool's own; all other facts are shown by `report.diagnostics`.
    """
    from patchkit.report.correction import refusal_for_model, refusal_spans  # a plain search needs neither

    said = error.facts.get("said")
    data = error.facts.get("data")
    rendered = refusal_for_model(error.errors, patch)
    result = Result("error", dict(data) if isinstance(data, dict) else {}, f"{said}\n{rendered}" if said else rendered)
    result.for_people = lambda columns: refusal_spans(error.errors, patch, columns)
    result.errors = [error_data(each) for each in error.errors]
    return result
