"""A command of `patchkit`: its words, its flags, what it does, and the text of its help.

Takes the words of a command line; gives the values of its flags and words to the function that does the work, shows
help, or reports a mistake on one line. There is no other reader of command lines: see `flags`.
"""

from __future__ import annotations

import os

from patchkit.cli import exit_status
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import HELP, Flag, checked, read
from patchkit.cli.help import command_help
from patchkit.cli.signals import end
from patchkit.cli.streams import show
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from patchkit.cli.flags import GivenWords

BEHIND = "behind"  # the field of a command that wants to know which words are behind '--'; None where there is none


class Subcommand(Value):
    """One command. `run` gets a value for each flag and each word, under the name of its field; it returns the status.

    The first paragraph of `about` is the summary, the others follow the usage; lines that begin with two spaces are
    shown as they are.
    """

    __slots__ = ("name", "about", "run", "words", "flags")
    name: str
    about: str
    run: Callable[..., int | None]
    words: tuple[Flag, ...]
    flags: tuple[Flag, ...]

    def __init__(
        self,
        name: str,
        about: str,
        run: Callable[..., int | None],
        words: tuple[Flag, ...] = (),
        flags: tuple[Flag, ...] = (),
    ) -> None:
        self.name = name
        self.about = about
        self.run = run
        self.words = words
        self.flags = (*flags, HELP)

    def main(self, words: list[str]) -> NoReturn:
        """Runs the command and ends the process."""
        end(self.answer(words))

    def answer(self, words: list[str]) -> int:
        """Runs the command; returns its exit status."""
        try:
            given = self.read(words)
            if given is None:
                command_help(self.name, self.about, self.words, self.flags).show()
                return exit_status.DONE
            return self.run(**given) or exit_status.DONE
        except CommandLineError as error:
            return complain(str(error), self.path)
        except KeyboardInterrupt:
            return exit_status.REFUSED

    @property
    def path(self) -> str:
        return f"patchkit {self.name}"

    def read(self, words: list[str]) -> dict[str, object] | None:
        """The values of all flags and words; None where help is asked for. Raises CommandLineError."""
        line = read(words, self.flags, self.path)
        if line.values.get(HELP.field):
            return None
        values = dict(line.values)  # first, and in their order: what a tool says about its call has it, too
        for flag in self.flags[:-1]:
            if flag.field not in values:
                values[flag.field] = _unsaid(flag)
            if flag.required and flag.field not in line.values:
                known = f"; use one of: {', '.join(flag.choices)}" if flag.choices else ""
                raise CommandLineError(f"option '{flag.names[-1]}' is missing{known}")
        self._take_words(line, values)
        return values

    def _take_words(self, line: GivenWords, values: dict[str, object]) -> None:
        """Gives the words without a flag to the fields that take them."""
        slots = self.words
        rest = line.words
        if slots and slots[-1].field == BEHIND:
            values[BEHIND] = tuple(line.behind) if line.divided else None
            slots = slots[:-1]
        else:
            rest = rest + line.behind
        for slot in slots:
            taken, rest = (rest, []) if slot.many else (rest[:1], rest[1:])
            shown = slot.value.strip("[]. ")
            if slot.required and not taken:
                raise CommandLineError(f"{shown} is missing")
            found = tuple([checked(slot, each, shown) for each in taken])
            values[slot.field] = found if slot.many else found[0] if found else slot.default
        if rest:
            raise CommandLineError(f"there is one word too many: '{rest[0]}'")


def _unsaid(flag: Flag) -> object:
    """The value of a flag that is not given: that of its environment variable, else its own."""
    said = os.environ.get(flag.variable, "") if flag.variable else ""
    if said and not flag.value:
        return said != "0"
    if said:
        return checked(flag, said, f"variable '{flag.variable}'")
    if flag.many:
        return ()
    return flag.default if flag.value or flag.default is not None or flag.off else False


def complain(words: str, path: str = "patchkit") -> int:
    """Reports a mistake on one line; returns the exit status."""
    if "--help" not in words:
        words += f"; '{path} --help' has its usage"
    show(2, [(f"Error: {words}\n", "")])
    return exit_status.USAGE
