"""The quick reader: command lines that are plainly right, read before click is loaded.

Loading click takes longer than most commands that an agent calls. So these commands declare their options as plain
rows, and a line of `--name VALUE`, `--name=VALUE`, switches and words is read here. Whatever else a line is (a question
for help, an option that is not known, letters in one word, a mistake), the answer is None: then click, whose parameters
are made from the same rows, reads it again and explains. Where this reader gives values, click gives the same ones: a
property test holds the two together.
"""

from __future__ import annotations

import os

from patchkit.cli import CommandLineError, complain
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Given = dict[str, object]  # values by field
BEHIND = "behind"  # the field of the words behind '--', for commands that need them apart


class Flag(Record):
    """One option of a command line, or a word of it: that is a row without names."""

    names: tuple[str, ...]
    about: str = ""  # what it does; an option without it is not shown
    more: str = ""  # the rest of the sentence, which a completion leaves out
    field: str = ""  # where its value goes, by default its long name
    value: str = ""  # the name of its value in help, '' for a switch
    kind: str = ""  # DIR, FILE, N for a whole number, NUMBER for any, '' for text; by default what `value` says
    choices: tuple[str, ...] = ()  # the texts allowed
    variable: str = ""  # the environment variable that sets it, too
    alone: str = ""  # its value where it is given without one
    many: bool = False  # it may be given several times: its value is the tuple of all
    required: bool = False
    least: int | None = 0  # of a number
    group: str = "Options"  # its heading in help
    brief: bool = False  # the short help shows it

    def __init__(self, names: str, about: str = "", more: str = "", **settings: object) -> None:
        super().__init__(tuple(names.split()), about, more, **settings)
        self.field = self.field or self.names[-1].lstrip("-").replace("-", "_")
        self.kind = self.kind or (self.value if self.value in ("DIR", "FILE", "N") else "")

    def but(self, **other: object) -> Flag:
        """The same row with other words, names or places in help."""
        if "about" in other:
            other = {"more": "", **other}
        made = Flag("", field=self.field)
        made.__dict__.update(self.__dict__ | other)
        return made

    def taken(self, text: str) -> object:
        """The value that a text is; None where it is none."""
        if self.choices and text not in self.choices:
            return None
        if self.kind not in ("N", "NUMBER"):
            return text
        number: float
        digits = text.removeprefix("-")
        if digits.isascii() and digits.isdigit():
            number = int(text)
        elif self.kind == "N":
            return None
        else:
            try:
                number = float(text)
            except ValueError:
                return None
        return number if self.least is None or number >= self.least else None

    def unsaid(self) -> object:
        """The value where none is given: that of the environment variable, else none. Raises CommandLineError."""
        said = os.environ.get(self.variable, "") if self.variable else ""
        if said and not self.value:
            return said != "0"
        if said:
            taken = self.taken(said)
            if taken is None:
                allowed = f"; use one of: {', '.join(self.choices)}" if self.choices else ""
                raise CommandLineError(f"variable '{self.variable}' cannot be '{said}'{allowed}")
            return taken
        return () if self.many else None if self.value else False


ROOT = Flag(
    "--root",
    "workspace directory; nothing outside it is read or written",
    " (default: PATCHKIT_ROOT, else the current directory)",
    value="DIR",
    variable="PATCHKIT_ROOT",
)
START = Flag("-C --start", "directory that relative paths start from", ", inside the workspace", value="DIR")
JSON = Flag("--json", "print one JSON result instead of text", field="as_json")
AS_AGENT = Flag(
    "--as-agent",
    "run as an unattended agent: actions that need approval are denied",
    " (also: PATCHKIT_AGENT=1)",
    variable="PATCHKIT_AGENT",
    field="agent",
)
ASK = Flag("--ask", "ask on the terminal about actions that need approval", field="asks")
OF_TOOLS = (ROOT, START, JSON, AS_AGENT)  # what the command of every tool has
OF_CALLS = (*OF_TOOLS, ASK)  # and the commands that call one


class QuickCommand(Record):
    """A command that is declared by rows: `run` gets the values that were given, and returns the status."""

    name: str
    about: str
    run: Callable[[Given], int]
    words: tuple[Flag, ...] = ()
    rows: tuple[Flag, ...] = ()
    usage: tuple[str, ...] = ()  # in place of the line that help makes from the words
    example: str = ""

    def called(self, words: list[str]) -> int | None:
        """As `quick`, with the name of the command before its words."""
        return self.quick(words[1:])

    def quick(self, words: list[str]) -> int | None:
        """Runs the command and returns its status; None, and nothing is done, where click has to read the words."""
        given = self.read(words)
        try:
            return None if given is None else self.run(given)
        except CommandLineError as error:
            return complain(str(error), f"patchkit {self.name}")

    def read(self, words: list[str]) -> Given | None:
        """The values that are given; None where click has to read the words."""
        named = {name: row for row in self.rows for name in row.names}
        return read(words, named.get, self.words)

    def filled(self, given: Given) -> Given:
        """What was given, and the values of all other options and words."""
        values = dict(given)  # first, and in their order: what a tool says about its call has it, too
        for row in (*self.rows, *self.words):
            if row.field not in values:
                values[row.field] = row.unsaid()
        return values


def read(words: list[str], find: Callable[[str], Flag | None], slots: tuple[Flag, ...]) -> Given | None:
    """The values that are given, by field; None where the line is not plainly right."""
    given: Given = {}
    loose: list[str] = []
    divided = bool(slots) and slots[-1].field == BEHIND
    rest = iter(words)
    for word in rest:
        if word[:1] != "-" or word == "-":
            loose.append(word)
            continue
        if word == "--":
            if divided:
                given[BEHIND] = tuple(rest)
            else:
                loose += rest
            break
        name, equals, text = word.partition("=")
        row = find(name)
        if row is None and "\n" in word:  # a patch or a script that begins with a dash
            loose.append(word)
            continue
        if row is None or (equals and (not row.value or name[:2] != "--")):
            return None
        value: object = row.alone or True
        if row.value and (equals or not row.alone):
            text = text if equals else next(rest, "--")
            looks_like_option = not equals and (text == "--" or find(text.partition("=")[0]) is not None)
            value = None if looks_like_option else row.taken(text)
            if value is None:
                return None
        if row.many:
            value = (*given.get(row.field, ()), value)  # type: ignore[misc]  # it is such a tuple
        given[row.field] = value
    if divided:
        return None if loose else given
    for slot in slots:
        mine, loose = (loose, []) if slot.many else (loose[:1], loose[1:])
        if slot.required and not mine:
            return None
        if mine:
            given[slot.field] = tuple(mine) if slot.many else mine[0]
    return None if loose else given
