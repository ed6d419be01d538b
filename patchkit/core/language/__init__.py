"""The patch as values: what the parser gives and the writer takes."""

from __future__ import annotations

from patchkit.errors import Note
from patchkit.values import Record, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    PlanBuilder = Any  # of `changes.planner`, which imports this module

_SWAPPED = {" ": " ", "-": "+", "+": "-"}


class Hunk(Value):
    """One `@@` block.

    `lines` are the body lines as written, each with its sign in front: ' ' kept, '-' removed, '+' added.
    `final_newline` is None when the patch does not speak of it, else whether the new text ends with one.
    `hint` is the line number of a unified header, `numbers` all four of them: where the old lines begin, how many they
    are, and the same of the new ones. `bare` says that blank or context lines came without their sign;
    `was_unended` that the old text ended without a newline, which only a patch that is taken back needs.
    `of_texts` says that it was made from an old text and a new one: no signs were sent, and the new text is one whole.
    """

    _place = ("bare", "unsigned", "hint", "numbers", "line", "body_line", "was_unended", "of_texts")
    __slots__ = ("anchors", "lines", "at_eof", "final_newline", *_place)
    anchors: list[str]
    lines: list[str]
    at_eof: bool
    final_newline: bool | None
    bare: bool
    unsigned: list[int] | None  # which of `lines` came without a sign and were read as kept, blank ones not counted
    hint: int | None
    numbers: tuple[int, int, int, int] | None
    line: int
    body_line: int  # the line of the patch that the first of `lines` is at
    was_unended: bool
    of_texts: bool

    def __init__(
        self,
        anchors: list[str],
        lines: list[str],
        at_eof: bool = False,
        final_newline: bool | None = None,
        line: int = 0,
    ) -> None:
        self.anchors = anchors
        self.lines = lines
        self.at_eof = at_eof
        self.final_newline = final_newline
        self.bare = self.was_unended = self.of_texts = False
        self.unsigned = None
        self.hint = self.numbers = None
        self.line = self.body_line = line

    def with_lines(self, lines: list[str]) -> Hunk:
        """The hunk with other lines, one for each of its own or as many as a caller needs, and all else as it is."""
        hunk = Hunk(self.anchors, lines, self.at_eof, self.final_newline, self.line)
        hunk.hint, hunk.body_line, hunk.bare, hunk.of_texts = self.hint, self.body_line, self.bare, self.of_texts
        return hunk

    def is_at(self, line: int) -> bool:
        """Whether a line, from 0, is the one that the header says, and its counts are those of the hunk."""
        return self.numbers is not None and (line + 1, len(self.old()), len(self.new())) == (
            *self.numbers[:2],
            self.numbers[3],
        )

    def is_made_for(self, line: int, end: int) -> bool:
        """Whether a program counted so for this very text, with the hunk at a line, from 0.

        A last hunk with fewer lines below its changes than above them was made where the file ends: at `end`.
        """
        signs = "".join([each[0] for each in self.lines])
        has_more = len(signs.strip(" ")) + 2 * (len(signs) - len(signs.rstrip(" "))) < len(signs)
        return self.is_at(line) and (not has_more or line + len(self.old()) >= end)

    def old(self) -> list[str]:
        """The text the hunk expects to find: kept and removed lines."""
        return [line[1:] for line in self.lines if line[0] != "+"]

    def new(self) -> list[str]:
        """The text after the hunk: kept and added lines."""
        return [line[1:] for line in self.lines if line[0] != "-"]


class SpecialFile:
    """A section that says more of a file than a patch can, such as its mode: it knows how it is planned."""

    __slots__ = ()

    def plan_in(self, planner: PlanBuilder) -> None:
        raise NotImplementedError


def swapped(lines: list[str]) -> list[str]:
    """The lines of a hunk as one that takes it back has them: what is removed is added, and what is added removed."""
    return [_SWAPPED[line[0]] + line[1:] for line in lines]


class AddFile(Record):
    """A new file with its whole text, final newline included unless the patch left it out."""

    _place = ("line",)
    path: str
    text: str = ""
    line: int = 0


class HashedAdd(AddFile):
    """A new file whose content has a known hash: `blob` is the beginning of the one that git gives it."""

    blob: str = ""


class DeleteFile(Record):
    _place = ("line",)
    path: str
    line: int = 0


class UpdateFile(Value):
    """A change to a file, a new name for it, or both."""

    __slots__ = ("path", "move_to", "hunks", "line", "move_line")
    _place = ("line", "move_line")
    path: str
    move_to: str | None
    hunks: list[Hunk]
    line: int
    move_line: int

    def __init__(self, path: str, move_to: str | None = None, hunks: list[Hunk] | None = None, line: int = 0) -> None:
        self.path = path
        self.move_to = move_to
        self.hunks = hunks if hunks is not None else []
        self.line = self.move_line = line


class HashedUpdate(UpdateFile):
    """A change that says which content it was made for: `blob` is the beginning of git's hash of it.

    What it adds to a file with that content is meant, even where it looks like something that the file has already.
    """

    __slots__ = ("blob",)
    blob: str

    def __init__(self, path: str, move_to: str | None, hunks: list[Hunk], line: int, blob: str) -> None:
        super().__init__(path, move_to, hunks, line)
        self.blob = blob


FileOp = AddFile | DeleteFile | UpdateFile


class Patch(Record):
    """The whole patch: its sections in order. `notes` say which leniences the text needed."""

    _place = ("notes",)
    sections: list[FileOp]
    environment_id: str | None = None
    notes: list[Note] = []

    def __repr__(self) -> str:
        shown = ", ".join(f"{type(each).__name__}({each.path!r})" for each in self.sections[:5])
        return f"Patch([{shown}{', …' if len(self.sections) > 5 else ''}])"
