"""One row of the catalogue, and the exit classes that a row can have.

A row says what kind of trouble a code is, its sentence, its next step, and with which status a command ends that
was stopped by it. `apply_patch`, `check`, `grep` and `exec` have statuses of their own: `cli.exit_status` knows them.
"""

from __future__ import annotations

from patchkit.values import Value

# The exit classes are the exit statuses of the commands that have none of their own.
REFUSED = 1
USAGE = 2
POLICY = 3  # the workspace or a rule does not allow it: outside the root, unread or stale, denied
INPUT_OUTPUT = 4  # failed, and was rolled back
RECOVERY = 5  # files may be mixed until 'patchkit recover' has run
INTERNAL = 70  # a defect of patchkit, the same for every command: it never has a status that means something else


class CatalogueEntry(Value):
    """What the catalogue knows of a code. `kind` and `advice` are empty for notes."""

    __slots__ = ("kind", "sentence", "advice", "exit_class")
    kind: str
    sentence: str
    advice: str
    exit_class: int

    def __init__(self, kind: str, sentence: str, advice: str = "", exit_class: int = REFUSED) -> None:
        self.kind = kind
        self.sentence = sentence
        self.advice = advice
        self.exit_class = exit_class


def refused(kind: str, sentence: str, advice: str) -> CatalogueEntry:
    """A code that says: this cannot be done as it was asked for."""
    return CatalogueEntry(kind, sentence, advice)


def usage(kind: str, sentence: str, advice: str) -> CatalogueEntry:
    """A code that says: the call itself is wrong."""
    return CatalogueEntry(kind, sentence, advice, USAGE)


def policy(kind: str, sentence: str, advice: str) -> CatalogueEntry:
    """A code that says: the workspace or a rule does not allow this."""
    return CatalogueEntry(kind, sentence, advice, POLICY)


def input_output(kind: str, sentence: str, advice: str) -> CatalogueEntry:
    """A code that says: reading or writing failed, and everything is as it was."""
    return CatalogueEntry(kind, sentence, advice, INPUT_OUTPUT)


def internal(kind: str, sentence: str, advice: str) -> CatalogueEntry:
    """A code that says: patchkit itself is wrong."""
    return CatalogueEntry(kind, sentence, advice, INTERNAL)


def recovery(kind: str, sentence: str, advice: str) -> CatalogueEntry:
    """A code that says: writing failed, and not everything could be undone."""
    return CatalogueEntry(kind, sentence, advice, RECOVERY)


def note(sentence: str) -> CatalogueEntry:
    """A code that stops nothing: it says what was done on the way."""
    return CatalogueEntry("", sentence)
