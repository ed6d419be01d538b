"""What a text in another edit format says, before the files are looked at.

Values only. A reader gives a Foreign; `formats.foreign` turns it into a Patch with the files at hand. The three
sections of the patch language are used as they are where a format says exactly that.
"""

from __future__ import annotations

from copy import copy
from heapq import heappop, heappush

from patchkit.core.changes import ancestors
from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, UpdateFile
from patchkit.errors import Note, PatchkitError
from patchkit.values import Record

NAMES = ("v4a", "unified", "search-replace", "json-edits", "openai-ops", "whole-file")
TITLES = {
    "v4a": "an apply_patch text",
    "unified": "a unified diff",
    "search-replace": "search/replace blocks",
    "json-edits": "JSON edits",
    "openai-ops": "OpenAI patch operations",
    "whole-file": "whole files",
    "snippet": "parts of files",
}

_DEEPEST = 2_048  # directories above a path: no system has longer names

# What several readers say.
SAME = "a block whose SEARCH and REPLACE are the same"
NO_PATH = ("no fence has a path above it", "write the path on the line above the fence")


class Block(Record):
    """Lines of a file and the lines that replace them."""

    _place = ("hint", "line", "readings", "doubt")
    path: str
    search: list[str]
    replace: list[str]
    line: int = 0
    hint: int | None = None  # the number of the first line, where the block says it
    # The ways to cut a block that has several dividing lines, or none to open it: the file decides.
    readings: list[tuple[list[str], list[str]]] = []
    doubt: PatchkitError | None = None  # the refusal, where the file does not decide

    def cut(self, path: str, search: list[str], replace: list[str]) -> Block:
        """The block with other lines, or of another file."""
        made = Block(path, search, replace, self.line)
        made.hint = self.hint
        return made


class TextEdit(Record):
    """A piece of text and what replaces it, at one place or at every one. An empty `old` makes a new file."""

    _place = ("line",)
    path: str
    old: str
    new: str
    every: bool = False
    line: int = 0
    count: int | None = None  # places that the edit expects
    after: int | None = None  # the line below which `new` goes, for an editor that inserts


class WholeFile(Record):
    """The whole text of a file, new or not."""

    _place = ("line",)
    path: str
    text: str
    line: int = 0


Rows = list[tuple[int, bytes, bytes]]  # of hunks: the number of the first line, the old lines and the new ones
BinaryPart = tuple[str, bytes | Rows]  # 'literal' or 'delta', and the bytes; or 'lines', and those of hunks


class CopyFile(Record):
    """A new file that begins as a copy of another, with hunks that change the copy."""

    _place = ("line",)
    path: str
    to: str
    hunks: list[Hunk]
    line: int = 0
    forward: BinaryPart | None = None  # a binary change of it
    mode: str = ""  # its own, where git says so


class Unsayable(Record):
    """What a text asks for and a patch cannot say: the words for it, and the command that does it."""

    _place = ("line",)
    path: str
    what: str
    command: str
    line: int = 0

    def error(self) -> PatchkitError:
        return PatchkitError(
            "P112",
            file=self.path,
            what=self.what,
            instead=f"run: {self.command}",
            skippable=True,
            patch_line=self.line or None,
        )

    def note(self) -> Note:
        """What is said where it is left out."""
        return Note("P983", file=self.path, what=self.what, command=self.command)


ForeignOp = FileOp | Block | TextEdit | WholeFile | CopyFile | Unsayable


class Foreign(Record):
    """What a text in another format says: its sections in order.

    Some is by the path and the line of a section: of several mails each may change the same file.
    """

    name: str  # of the format
    sections: list[ForeignOp] = []
    notes: list[Note] = []
    spelled: dict[str, str] = {}  # for paths that lost a prefix such as `a/`, the path as it was written
    preferred: dict[str, str] = {}  # which of the two is meant if both can be
    deleted: dict[tuple[str, int], AddFile] = {}  # what brings a deleted file back, and so says what is deleted
    copies: list[CopyFile] = []  # those without changes that are taken back
    blobs: dict[tuple[str, int], tuple[str, str]] = {}  # how git's ids before and after begin, '' for other programs
    unsure: dict[int, str] = {}  # the path that the section of a line has if there is such a file

    def note(self, code: str, **facts: object) -> None:
        self.notes.append(Note(code, **facts))

    def lenient(self, lenience: str, **facts: object) -> None:
        self.note("P901", lenience=lenience, **facts)


def without_guesses(notes: list[Note], named: set[int]) -> list[Note]:
    """The notes without those about paths that were taken from the section before, where sections at lines have one."""
    return [
        note
        for note in notes
        if note.facts.get("lenience") != "no-file-name" or note.facts.get("patch_line") not in named
    ]


def shell_word(path: str) -> str:
    """A path as a word of a shell command."""
    if path and path[0] != "-" and all(character.isalnum() or character in "_./+@%=:,-" for character in path):
        return path
    quoted = path.replace("'", "'\\''")
    return f"'{quoted}'"


def unreadable(name: str, line: int, reason: str, instead: str) -> PatchkitError:
    """The error for a text that is in a format, but not whole or not clear."""
    return PatchkitError("P122", format=TITLES[name], patch_line=line, reason=reason, instead=instead)


def ordered(sections: list[ForeignOp]) -> list[ForeignOp]:
    """The sections in an order in which each finds what it needs; a circle of renames goes through another name."""
    left: list[ForeignOp] = [each for each in sections if isinstance(each, CopyFile)]
    left += [each for each in sections if not isinstance(each, CopyFile)]
    return _Queue(left).taken() if any(_frees(each) is not None for each in left) else left


def _above(path: str) -> list[str]:
    """The directories above a path; none of one that no system has, and that planning refuses."""
    return ancestors(path) if path.count("/") <= _DEEPEST else []


class _Queue:
    """Sections that wait for names: the first one that need not wait is taken next.

    Each that waits is looked at again when the one that it waits for is taken, so that the work grows with the number
    of sections and not with its square.
    """

    def __init__(self, sections: list[ForeignOp]) -> None:
        self._left: dict[int, ForeignOp] = dict(enumerate(sections))
        self._used: set[str | None] = {name for each in sections for name in (each.path, _takes(each))}
        self._at: dict[str, set[int]] = {}  # which sections free a name
        self._below: dict[str, set[int]] = {}  # and which free one below it
        self._ready: list[int] = []
        self._waiting: dict[int, set[int]] = {}  # by the section that they wait for
        self._waits_for: dict[int, int] = {}
        self._circles = [n for n, each in self._left.items() if isinstance(each, UpdateFile) and each.move_to][::-1]
        self._added = {each.path: n for n, each in reversed(self._left.items()) if isinstance(each, AddFile)}

    def taken(self) -> list[ForeignOp]:
        made: list[ForeignOp] = []
        for number, section in self._left.items():
            for known in self._freed_by(section):
                known.add(number)
        for number in self._left:
            self._look_at(number)
        while self._left:
            if self._ready:
                number = heappop(self._ready)
                made.append(self._left.pop(number))
                for known in self._freed_by(made[-1]):
                    known.discard(number)
                self._wake(number)
                continue
            moved = self._moved_away()
            if moved is None:
                return [*made, *self._left.values()]  # planning says what is in the way
            made.append(moved)
        return made

    def _freed_by(self, section: ForeignOp) -> list[set[int]]:
        """For each name that a section frees, and each above that, the sections that free it."""
        free = _frees(section)
        if free is None:
            return []
        return [self._at.setdefault(free, set()), *(self._below.setdefault(each, set()) for each in _above(free))]

    def _wake(self, number: int) -> None:
        """Looks again at the sections that wait for one."""
        for other in self._waiting.pop(number, set()):
            self._look_at(other)

    def _look_at(self, number: int) -> None:
        """Makes a section ready, or lets it wait for one that is in its way."""
        section = self._left[number]
        if isinstance(section, UpdateFile) and not section.move_to:
            added = self._added.get(section.path, number)
            if added < number and added in self._left:  # what it changes is what that one adds
                self._waiting.setdefault(added, set()).add(number)
                return
        wanted = _takes(section)
        if wanted is not None:
            own = {number} if _frees(section) == wanted else set()
            names = (self._at.get(each, ()) for each in [wanted, *_above(wanted)])
            for others in (*names, self._below.get(wanted, ())):
                for other in others:
                    if other not in own:
                        self._waiting.setdefault(other, set()).add(number)
                        self._waits_for[number] = other
                        return
        heappush(self._ready, number)

    def _moved_away(self) -> UpdateFile | None:
        """A step of a circle: gives one of its files another name, under which it waits; None where that was done."""
        while self._circles:
            number = self._circles.pop()
            moved = self._left.get(number)
            if not isinstance(moved, UpdateFile):
                continue
            inside = moved.move_to and f"{moved.path}/".startswith(f"{moved.move_to}/")
            away = self._free_name(moved.move_to if moved.move_to and inside else moved.path)
            self._left[number] = UpdateFile(away, moved.move_to, [], moved.line)
            for known in self._freed_by(moved):
                known.discard(number)
            for known in self._freed_by(self._left[number]):
                known.add(number)
            self._waiting[self._waits_for[number]].discard(number)
            self._wake(number)
            self._look_at(number)
            step = copy(moved)  # with its hunks, and all that a diff of git says of it
            step.move_to = away
            return step
        return None

    def _free_name(self, path: str) -> str:
        number = 1
        while f"{path}.moved-{number}" in self._used:
            number += 1
        self._used.add(f"{path}.moved-{number}")
        return f"{path}.moved-{number}"


def _takes(section: ForeignOp) -> str | None:
    if isinstance(section, AddFile):
        return section.path
    if isinstance(section, CopyFile):
        return section.to
    return section.move_to if isinstance(section, UpdateFile) else None


def _frees(section: ForeignOp) -> str | None:
    if isinstance(section, DeleteFile) or (isinstance(section, UpdateFile) and section.move_to):
        return section.path
    return None
