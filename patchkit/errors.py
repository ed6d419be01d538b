"""What can go wrong, as facts with stable codes; nothing here decides how an error looks.

The sentence and the next step come from `patchkit.catalogue`, when a caller asks for them.
"""

from __future__ import annotations

from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Draw = Callable[[list["PatchkitError"], str | None, int | None], str]  # of the errors, the patch, the columns


class PatchkitError(Exception):
    """A refusal: nothing was written unless the code says otherwise.

    `facts` holds what is known; the usual ones (`file`, `hunk`, `patch_line`, `line`) are attributes,
    None where they do not apply. A run that found several faults raises the first, and `errors`
    lists all of them in order. What the library raises has a class that follows from its code, see
    `patchkit.exceptions`.
    """

    patch: str | None = None  # the text that `patch_line` counts in, where the caller of the library gave it
    for_library = False  # whether the words are for a program that calls the library, not for a command line
    draw: Draw | None = None  # how `render` shows the errors of a refusal; without it their words alone are shown

    def __init__(self, code: str, **facts: object) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts
        self.others: list[PatchkitError] = []
        self.suggestion: str | None = None  # a corrected patch, if one was asked for and one reading is clearly best
        self.certainty: str | None = None  # of the suggestion: 'certain' or 'likely'
        self.plan: object = None  # the plan as far as it was made, when the error came out of planning

    @property
    def errors(self) -> list[PatchkitError]:
        return [self, *self.others]

    @property
    def file(self) -> str | None:
        found = self.facts.get("file")
        return found if isinstance(found, str) else None

    @property
    def hunk(self) -> int | None:
        return self._number("hunk")

    @property
    def patch_line(self) -> int | None:
        return self._number("patch_line")

    @property
    def line(self) -> int | None:
        return self._number("line")

    def _number(self, name: str) -> int | None:
        found = self.facts.get(name)
        return found if isinstance(found, int) else None

    @property
    def kind(self) -> str:
        from patchkit.catalogue.sentences import entry

        return entry(self.code).kind

    @property
    def message(self) -> str:
        from patchkit.catalogue.sentences import sentence

        return sentence(self.code, self.facts)

    @property
    def hint(self) -> str:
        from patchkit.catalogue.sentences import help_for

        return help_for(self.code, self.facts, "program" if self.for_library else "person")

    def to_dict(self) -> dict[str, object]:
        """The error as plain values, with the keys that the JSON output of every tool has.

        Where the refusal has a corrected patch, `suggestion` is its text and `confidence` says how sure it is.
        """
        corrected = {"suggestion": self.suggestion, "confidence": self.certainty} if self.suggestion else {}
        return {
            "code": self.code,
            "kind": self.kind,
            "message": self.message,
            "hint": self.hint,
            "file": self.file,
            "hunk": self.hunk,
            "patch_line": self.patch_line,
            "line": self.line,
            **corrected,
        }

    def render(self, patch: str | None = None, columns: int | None = None) -> str:
        """All errors of the refusal as people read them: place in the patch, place in the file, next step.

        `patch` is the text that was refused, where the error does not know it; `columns` the width of a terminal.
        """
        text = patch if patch is not None else self.patch
        if self.draw is not None:
            return self.draw(self.errors, text, columns)
        return "\n".join(f"error[{each.code}]: {each.message}\n  = help: {each.hint}\n" for each in self.errors)

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __reduce__(self) -> tuple[object, ...]:
        """An error travels between processes as its code and facts, without the plan it came from."""
        known: dict[str, object] = {**self.__dict__, "plan": None}
        return _error, (type(self), self.code, self.facts, known)


def _error(kind: type[PatchkitError], code: str, facts: dict[str, object], known: dict[str, object]) -> PatchkitError:
    error = kind(code, **facts)
    error.__dict__.update(known)
    return error


def raise_all(errors: list[PatchkitError]) -> None:
    """Raises the first of `errors` with the rest beside it; does nothing when there are none."""
    if errors:
        first = errors[0]
        first.others = [other for error in errors for other in error.errors if other is not first]
        raise first


class Note(Value):
    """Something was done that the caller should know of: a lenience, an inexact match, a side effect."""

    __slots__ = ("code", "facts")

    def __init__(self, code: str, **facts: object) -> None:
        self.code = code
        self.facts = facts

    @property
    def message(self) -> str:
        from patchkit.catalogue.sentences import sentence

        return sentence(self.code, self.facts)


def reason(error: OSError) -> str:
    """The system's own words for what went wrong, in lower case as in the middle of a sentence."""
    words = error.strerror or str(error)
    return words[:1].lower() + words[1:]


def is_any(error: OSError, *names: str) -> bool:
    """Whether the system failed for one of these reasons, by their names in `errno`: loaded when something failed."""
    import errno

    return error.errno in [getattr(errno, name) for name in names]
