"""The one envelope every tool answers with.

Takes what a tool did or why it did not; gives a Result that is the same for the command line's `--json`,
the library and agent protocols. Loaded only where somebody asks for it.
"""

from __future__ import annotations

from patchkit.errors import Note, PatchkitError
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Result(Value):
    """`status` is success, partial or error; `data` the tool's own; `text` what a person would be shown.

    `fitted` gives the text of a refusal for a terminal of so many columns.
    """

    __slots__ = ("status", "data", "text", "errors", "notes", "stats", "context", "fitted")
    _place = ("fitted",)
    status: str
    data: dict[str, object]
    text: str
    errors: list[dict[str, object]]
    notes: list[dict[str, object]]
    stats: dict[str, object]
    context: dict[str, object]

    def __init__(self, status: str, data: dict[str, object], text: str) -> None:
        self.status = status
        self.data = data
        self.text = text
        self.errors = []
        self.notes = []
        self.stats = {}
        self.context = {}
        self.fitted: Callable[[int], str] | None = None

    def envelope(self) -> dict[str, object]:
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


def error_data(error: PatchkitError) -> dict[str, object]:
    return error.to_dict()


def note_data(note: Note) -> dict[str, object]:
    facts = {name: value for name, value in note.facts.items() if name in ("file", "hunk", "patch_line", "line")}
    return {"code": note.code, "message": note.message, **facts}


def failure(error: PatchkitError, patch: str | None = None) -> Result:
    """The Result of a refusal. `text` opens with the words the tool owes its caller (the fact `said`), then come ours.

    The facts `data` and `said` are the tool's own; everything else of an error is told by the report room.
    """
    from patchkit.report.diagnostics import render_errors

    said = error.facts.get("said")

    def drawn(columns: int | None = None) -> str:
        rendered = render_errors(error.errors, patch, columns)
        return f"{said}\n{rendered}" if said else rendered

    result = Result("error", dict(error.facts.get("data") or {}), drawn())  # type: ignore[call-overload]
    result.fitted = drawn
    result.errors = [error_data(each) for each in error.errors]
    return result
