"""What a search for content asks, and what it finds: values that both ways of searching share."""

from __future__ import annotations

import time

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


# -- budget: How much a search may cost: seconds, and names looked at. What is over budget stops, and says so.
_ENDLESS = float("inf")


class Budget:
    """Counts from the moment it is made; 0 seconds or visits stand for as many as it takes."""

    __slots__ = ("started", "seconds", "visits", "deadline")

    def __init__(self, seconds: float = 0, visits: int = 0) -> None:
        self.started = time.monotonic()
        self.seconds = seconds
        self.visits = visits
        self.deadline = self.started + seconds if seconds else _ENDLESS

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.started

    @property
    def left(self) -> float:
        """Seconds that are left, never less than nothing; endless where there is no limit."""
        return max(self.deadline - time.monotonic(), 0) if self.seconds else _ENDLESS

    def late(self) -> bool:
        return self.seconds > 0 and time.monotonic() >= self.deadline


# -- clipping: Lines as they are shown: readable text, and of a long line what stands around the match.

LONGEST = 500  # characters of a line
_BEFORE = 100  # of them in front of the match


def shown(line: bytes, at: int) -> tuple[str, bool]:
    """The text of a line without its end, and whether it was clipped; the match begins at the byte `at`."""
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    if len(line) <= LONGEST:
        return line.decode("utf-8", "replace"), False
    # Of a line of a gigabyte only the surroundings are decoded: four bytes are the most a character takes.
    first = max(at - 4 * LONGEST, 0)
    before = line[first:at].decode("utf-8", "replace")
    after = line[at : at + 4 * LONGEST].decode("utf-8", "replace")
    start = max(len(before) - _BEFORE, 0) if len(before) + len(after) > LONGEST else 0
    text = (before + after)[start : start + LONGEST]
    cut_before = start > 0 or first > 0
    cut_after = len(before) + len(after) - start > LONGEST or at + 4 * LONGEST < len(line)
    if not (cut_before or cut_after):
        return text, False
    return ("…" if cut_before else "") + text + ("…" if cut_after else ""), True
