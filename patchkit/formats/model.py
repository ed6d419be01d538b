"""What a text in another edit format says, before the files are looked at.

Values only. A reader gives a Foreign; `changes.foreign` turns it into a Patch with the files at hand. The three
sections of the patch language are used as they are where a format says exactly that.
"""

from __future__ import annotations

from patchkit.core.language import FileOp, Hunk
from patchkit.errors import Note, PatchkitError
from patchkit.values import Value

NAMES = ("v4a", "unified", "search-replace", "json-edits", "openai-ops", "whole-file")
TITLES = {
    "v4a": "an apply_patch text",
    "unified": "a unified diff",
    "search-replace": "search/replace blocks",
    "json-edits": "JSON edits",
    "openai-ops": "OpenAI patch operations",
    "whole-file": "whole files",
}


class Block(Value):
    """Lines of a file and the lines that replace them. `hint` is the number of the first, where the block says it."""

    __slots__ = ("path", "search", "replace", "hint", "line")
    _place = ("hint", "line")
    path: str
    search: list[str]
    replace: list[str]
    hint: int | None
    line: int

    def __init__(self, path: str, search: list[str], replace: list[str], line: int = 0) -> None:
        self.path = path
        self.search = search
        self.replace = replace
        self.hint = None
        self.line = line


class TextEdit(Value):
    """A piece of text and what replaces it, at one place or at every one. An empty `old` makes a new file.

    `count` is how many places the edit expects; `after` the line below which `new` goes, for an editor that inserts.
    """

    __slots__ = ("path", "old", "new", "every", "count", "after", "line")
    _place = ("line",)
    path: str
    old: str
    new: str
    every: bool
    count: int | None
    after: int | None
    line: int

    def __init__(self, path: str, old: str, new: str, every: bool = False, line: int = 0) -> None:
        self.path = path
        self.old = old
        self.new = new
        self.every = every
        self.count = self.after = None
        self.line = line


class WholeFile(Value):
    """The whole text of a file, new or not."""

    __slots__ = ("path", "text", "line")
    _place = ("line",)
    path: str
    text: str
    line: int

    def __init__(self, path: str, text: str, line: int = 0) -> None:
        self.path = path
        self.text = text
        self.line = line


class CopyFile(Value):
    """A new file that begins as a copy of another, with hunks that change the copy."""

    __slots__ = ("path", "to", "hunks", "line")
    _place = ("line",)
    path: str
    to: str
    hunks: list[Hunk]
    line: int

    def __init__(self, path: str, to: str, hunks: list[Hunk], line: int = 0) -> None:
        self.path = path
        self.to = to
        self.hunks = hunks
        self.line = line


class Unsayable(Value):
    """What a text asks for and a patch cannot say: the words for it, and the command that does it."""

    __slots__ = ("path", "what", "command", "line")
    _place = ("line",)
    path: str
    what: str
    command: str
    line: int

    def __init__(self, path: str, what: str, command: str, line: int = 0) -> None:
        self.path = path
        self.what = what
        self.command = command
        self.line = line

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


class Foreign(Value):
    """What a text in another format says: its sections in order.

    `spelled` has, for paths that lost a prefix such as `a/`, the path as it was written, and `preferred` which of the
    two is meant if both can be; `deleted` the text that a
    deleted file should have; `unsure` the path that the section of a line has if there is such a file; `blobs` the
    beginning of git's ids of the content before and after, by the path and the line of the section: of several mails
    each may change the same file.
    """

    __slots__ = ("name", "sections", "notes", "spelled", "preferred", "deleted", "blobs", "unsure")
    name: str  # of the format
    sections: list[ForeignOp]
    notes: list[Note]
    spelled: dict[str, str]
    preferred: dict[str, str]
    deleted: dict[tuple[str, int], str]
    blobs: dict[tuple[str, int], tuple[str, str]]
    unsure: dict[int, str]

    def __init__(self, name: str) -> None:
        self.name = name
        self.sections = []
        self.notes = []
        self.spelled = {}
        self.preferred = {}
        self.deleted = {}
        self.blobs = {}
        self.unsure = {}

    def note(self, code: str, **facts: object) -> None:
        self.notes.append(Note(code, **facts))

    def lenient(self, lenience: str, **facts: object) -> None:
        """Notes a slip that was forgiven."""
        self.note("P901", lenience=lenience, **facts)


def unreadable(name: str, line: int, reason: str, instead: str) -> PatchkitError:
    """The error for a text that is in a format, but not whole or not clear."""
    return PatchkitError("P122", format=TITLES[name], patch_line=line, reason=reason, instead=instead)
