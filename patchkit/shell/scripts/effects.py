"""What a script does, as values: its commands, the files it reads and writes, and words that only running shows.

`known` makes them where every part of a script is known, `inventory` where it lists what can be seen of any other.
"""

from __future__ import annotations

from patchkit.values import Value


class Live(str):
    """A word that only running shows, as it is written."""

    __slots__ = ()


class Command(Value):
    """One command: the assignments before it, and its words once quotes are gone.

    `runs` says that it runs another command, which follows it in the inventory. `known` is the reason why it needs no
    rule, '' where it needs one; `program` is the program that this depends on, '' for what is built into the shells.
    """

    __slots__ = ("assignments", "words", "runs", "known", "program")
    assignments: list[str]
    words: list[str]
    runs: bool
    known: str
    program: str

    def __init__(
        self, words: list[str], assignments: list[str] | None = None, known: str = "", program: str = ""
    ) -> None:
        self.assignments = assignments or []
        self.words = words
        self.runs = False
        self.known = known
        self.program = program


class Unknown(Exception):  # noqa: N818  # it is an answer, not an error
    """A script with a part whose effect is not known; the first argument says which."""


class KnownScript(Value):
    """Everything a script does: its commands, and the files that its redirects read and write, as they are named."""

    __slots__ = ("commands", "read", "written")
    commands: list[Command]
    read: list[str]
    written: list[str]

    def __init__(self) -> None:
        self.commands = []
        self.read = []
        self.written = []
