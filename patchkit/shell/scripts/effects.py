"""What a script does, as values: its commands, the files it reads and writes, and words that only running shows.

`known` makes them where every part of a script is known, `inventory` where it lists what can be seen of any other.
"""

from __future__ import annotations

from patchkit.values import Record


class Live(str):
    """A word that only running shows, as it is written."""

    __slots__ = ()


class Command(Record):
    """One command: the assignments before it, and its words once quotes are gone.

    `runs` says that it runs another command, which follows it in the inventory. `known` is the reason why it needs no
    rule, '' where it needs one; `program` is the program that this depends on, '' for what is built into the shells.
    """

    words: list[str]
    assignments: list[str] = []
    known: str = ""
    program: str = ""
    runs: bool = False


class Unknown(Exception):  # noqa: N818  # it is an answer, not an error
    """A script with a part whose effect is not known; the first argument says which."""


class KnownScript(Record):
    """Everything a script does: its commands, and the files that its redirects read and write, as they are named."""

    commands: list[Command] = []
    read: list[str] = []
    written: list[str] = []
