"""What a search for content asks, and what it finds: values that both ways of searching share."""

from __future__ import annotations

from patchkit.values import Value
from patchkit.workspace.directories import Parts

FILES, CONTENT, COUNT = "files_with_matches", "content", "count"


class Query(Value):
    """A text or an expression to look for, in which files, and how much around each place is wanted."""

    __slots__ = ("pattern", "regex", "ignore_case", "mode", "before", "after", "hidden", "ignored", "glob", "type")
    pattern: str
    regex: bool
    ignore_case: bool
    mode: str
    before: int
    after: int
    hidden: bool
    ignored: bool
    glob: str
    type: str

    def __init__(self, pattern: str, mode: str = FILES) -> None:
        self.pattern = pattern
        self.mode = mode
        self.regex = self.ignore_case = False
        self.before = self.after = 0
        self.hidden = self.ignored = False  # whether hidden and ignored names are searched too
        self.glob = self.type = ""


class Hit(Value):
    """A file in which the query was found: its path from the root, when it was changed, how many lines match.

    `handle` is the open file where a caller named one outside of every directory searched, else -1.
    """

    __slots__ = ("path", "modified", "count", "handle")
    path: str
    modified: float
    count: int
    handle: int

    def __init__(self, path: str, modified: float = 0, count: int = 0, handle: int = -1) -> None:
        self.path = path
        self.modified = modified
        self.count = count
        self.handle = handle


class Line(Value):
    """A line of a file: one that matches, or one around it. `clipped` says that it is longer than its text."""

    __slots__ = ("path", "number", "text", "matches", "clipped")
    path: str
    number: int
    text: str
    matches: bool
    clipped: bool

    def __init__(self, path: str, number: int, text: str, matches: bool = True, clipped: bool = False) -> None:
        self.path = path
        self.number = number
        self.text = text
        self.matches = matches
        self.clipped = clipped


class Start(Value):
    """Where a search begins: a directory by its components from the root, or a single open file."""

    __slots__ = ("parts", "path", "handle")
    parts: Parts
    path: str
    handle: int

    def __init__(self, parts: Parts, path: str = "", handle: int = -1) -> None:
        self.parts = parts
        self.path = path
        self.handle = handle
