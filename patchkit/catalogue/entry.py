"""One row of the catalogue, and the exit classes that a row can have.

A row says what kind of trouble a code is, its sentence, its next step, and with which status a command ends that
was stopped by it. `apply_patch`, `check`, `grep` and `exec` have statuses of their own: `cli.exit_status` knows them.

A next step is for a person, who types commands. Where it names an option, the row also has the words for a program
that calls the library, and for a model that calls a tool: what only a person may decide is not offered to a model.
"""

from __future__ import annotations

from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# The exit classes are the exit statuses of the commands that have none of their own.
REFUSED = 1
USAGE = 2
POLICY = 3  # the workspace or a rule does not allow it: outside the root, unread or stale, denied
INPUT_OUTPUT = 4  # failed, and was rolled back
RECOVERY = 5  # files may be mixed until 'patchkit recover' has run
INTERNAL = 70  # a defect of patchkit, the same for every command: it never has a status that means something else

PERSON, PROGRAM, MODEL = "person", "program", "model"  # who reads a next step


class Variant(Record):
    """Other words of a row, for errors and notes that have a fact: of one value, or of any that is not empty.

    `advice` is for every reader. A variant without words for a reader does not count for it.
    """

    fact: str
    value: str = ""
    sentence: str = ""
    advice: str = ""
    person: str = ""
    program: str = ""
    model: str = ""

    def holds(self, found: object) -> bool:
        """Whether the variant is for errors whose fact has this value."""
        return found == self.value if self.value else bool(found)

    def advice_for(self, audience: str) -> str:
        words: str = getattr(self, audience)
        return words or self.advice


class CatalogueEntry(Record):
    """What the catalogue knows of a code. `kind` and `advice` are empty for notes.

    `by` is the fact that distinguishes what a note is about, where its code is for several things.
    """

    name: str
    kind: str
    sentence: str
    advice: str = ""
    variants: tuple[Variant, ...] = ()
    program: str = ""
    model: str = ""
    exit_class: int = REFUSED
    by: str = ""

    def advice_for(self, audience: str) -> str:
        """The next step for a reader; a model gets the words for programs where it has none of its own."""
        own = {PROGRAM: self.program, MODEL: self.model or self.program}.get(audience)
        return own or self.advice


def _rows(kind: str, exit_class: int = REFUSED) -> Callable[..., CatalogueEntry]:
    """Makes the rows of codes of a kind, which a row may change, and of an exit class."""

    def row(
        name: str, sentence: str, advice: str, *variants: Variant, program: str = "", model: str = "", kind: str = kind
    ) -> CatalogueEntry:
        return CatalogueEntry(name, kind, sentence, advice, variants, program, model, exit_class)

    return row


# This cannot be done as it was asked for.
refused, conflict, not_found, failed = map(_rows, ("INVALID_PARAM", "CONFLICT", "NOT_FOUND", "EXECUTION_ERROR"))
usage = _rows("INVALID_PARAM", USAGE)  # the call itself is wrong
policy = _rows("ACCESS_DENIED", POLICY)  # the workspace or a rule does not allow this
input_output = _rows("EXECUTION_ERROR", INPUT_OUTPUT)  # reading or writing failed, and everything is as it was
recovery = _rows("EXECUTION_ERROR", RECOVERY)  # writing failed, and not everything could be undone
internal = _rows("INTERNAL_ERROR", INTERNAL)  # patchkit itself is wrong


def note(name: str, sentence: str, by: str = "", **sentences: str) -> CatalogueEntry:
    """A code that stops nothing: it says what was done on the way.

    A note for several things has a sentence for each value of the fact `by`, an underscore in the place of a hyphen.
    """
    variants = tuple(Variant(by, value.replace("_", "-"), words) for value, words in sentences.items())
    return CatalogueEntry(name, "", sentence, variants=variants, by=by)
