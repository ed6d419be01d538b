"""What can go wrong, as facts with stable codes.

A room raises `PatchkitError` with a code and the facts it knows; the sentence and the next step come
from `patchkit.catalogue` when somebody asks for them. Nothing here decides how an error looks.
"""

from __future__ import annotations

from patchkit.values import Value


class PatchkitError(Exception):
    """A refusal: nothing was written unless the code says otherwise.

    `facts` holds what is known; the usual ones (`file`, `hunk`, `patch_line`, `line`) are attributes,
    None where they do not apply. A run that found several faults raises the first, and `errors`
    lists all of them in order.
    """

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts
        self.others: list[PatchkitError] = []
        self.suggestion: str | None = None  # a corrected patch, where one was asked for and one reading is best
        self.certainty: str | None = None  # of the suggestion: 'certain' or 'likely'
        self.plan: object = None  # the plan as far as it was made, when the error came out of planning

    @property
    def errors(self) -> list[PatchkitError]:
        return [self, *self.others]

    @property
    def file(self) -> str | None:
        return self.facts.get("file")  # type: ignore[return-value]

    @property
    def hunk(self) -> int | None:
        return self.facts.get("hunk")  # type: ignore[return-value]

    @property
    def patch_line(self) -> int | None:
        return self.facts.get("patch_line")  # type: ignore[return-value]

    @property
    def line(self) -> int | None:
        return self.facts.get("line")  # type: ignore[return-value]

    @property
    def kind(self) -> str:
        from patchkit.catalogue import entry

        return entry(self.code).kind

    @property
    def message(self) -> str:
        from patchkit.catalogue import sentence

        return sentence(self.code, self.facts)

    @property
    def hint(self) -> str:
        from patchkit.catalogue import advice

        return advice(self.code, self.facts)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __reduce__(self) -> tuple[object, ...]:
        """An error travels between processes as its code and facts, without the plan it came from."""
        return _error, (self.code, self.facts, self.others)


def _error(code: str, facts: dict[str, object], others: list[PatchkitError]) -> PatchkitError:
    error = PatchkitError(code, **facts)
    error.others = others
    return error


def raise_all(errors: list[PatchkitError]) -> None:
    """Raises the first of `errors` with the rest beside it; does nothing when there are none."""
    if errors:
        first = errors[0]
        first.others = [other for error in errors for other in error.errors if other is not first]
        raise first


class Note(Value):
    """Something was done that the caller should know of: a lenience, an inexact pass, a side effect."""

    __slots__ = ("code", "facts")
    code: str
    facts: dict[str, object]

    def __init__(self, code: str, **facts: object) -> None:
        self.code = code
        self.facts = facts

    @property
    def message(self) -> str:
        from patchkit.catalogue import sentence

        return sentence(self.code, self.facts)
