"""A git diff as sections of a patch, where every hunk is at the lines that its numbers say: the usual diff, by far.

Takes the text of a diff and the files it was made for; gives for each of its files the section as text, or None where
it takes a plan to know. Such a section says what the plan of its hunks would: the lines are there, at their numbers,
and the hunk is at one place of the file before and at one after, by the rules of `plan_hunks`. So the exact pass finds
it there without a number, forwards and backwards, and no new text has to be made to know that.
"""

from __future__ import annotations

from itertools import compress

from patchkit.core.changes.splice import Replacement
from patchkit.core.matching import Match
from patchkit.core.text import Document, is_surely_utf8
from patchkit.errors import PatchkitError
from patchkit.guards.duplicates import DuplicateGuard
from patchkit.guards.quick_looks import DEFINING, RUN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.changes import Files

_FILE = "diff --git "
_BETWEEN = b"\ndiff --git "
_MESSAGES = ("\nFrom ", "\nFrom: ", "\nSubject: ", "\n# HG ")  # which may quote a diff
_MODES = (b" 100644", b" 100755")
_MARKS = (b"\xef", b"\xff", b"\xfe", b"\x00")  # may begin a byte order mark
# Signs as bytes of a table: those of old, of new, of kept and of added lines stay, the others become 0.
_OLD, _NEW, _KEPT, _ADDED = (
    bytes([sign if sign in signs else 0 for sign in range(256)]) for signs in (b" -", b" +", b" ", b"+")
)
_RUN = b"+" * RUN
_MOST_READ = 50_000_000  # bytes, in which the hunks of a file are looked for


class PlainDiff:
    """What the files of a diff become: `sections` in their order, None for those that `rest` is the diff of."""

    __slots__ = ("sections", "rest", "_numbers")

    def __init__(self, sections: list[bytes | None], names: list[bytes], rest: bytes) -> None:
        self.sections = sections
        self.rest = rest.decode("utf-8", "surrogateescape")
        self._numbers = {name.decode("utf-8", "surrogateescape"): number for number, name in enumerate(names)}

    def is_plain(self, path: str) -> bool:
        """Whether there is a section for a file."""
        number = self._numbers.get(path)
        return number is not None and self.sections[number] is not None

    def joined(self, others: list[tuple[str, bytes]]) -> bytes | None:
        """The sections with `others`, those of the rest with their paths, in the order of the diff; None where it is
        not known which files of the diff those are.
        """
        found: list[bytes] = []
        at = 0
        for path, text in others:
            number = self._numbers.get(path)
            if number is None:
                return None
            found += [each for each in self.sections[at:number] if each is not None]
            found.append(text)
            at = max(at, number)
        return b"".join([*found, *[each for each in self.sections[at:] if each is not None]])


def plain_diff(text: str, files: Files) -> PlainDiff | None:
    """Reads a diff that git made; None where it is not that alone."""
    if not text.startswith(_FILE) or not text.endswith("\n") or "\r" in text or _may_have_two_roots(files):
        return None
    try:
        parts = text.encode("utf-8", "surrogateescape")[len(_FILE) : -1].split(_BETWEEN)
    except UnicodeEncodeError:
        return None  # half of a character, which only a string can have
    names = [part.partition(b"\n")[0].rpartition(b" b/")[2] for part in parts]
    if len(set(names)) < len(names):
        return None  # several diffs, one after the other
    sections: list[bytes | None] = []
    for part in parts:
        try:
            sections.append(_section(part, files))
        except (IndexError, ValueError, PatchkitError):
            sections.append(None)  # not as git writes it, or not to be read: planning says why
    left = [_FILE.encode() + part + b"\n" for part, section in zip(parts, sections) if section is None]
    if left and any(mark in text for mark in _MESSAGES):
        return None
    return PlainDiff(sections, names, b"".join(left))


def _may_have_two_roots(files: Files) -> bool:
    """Whether `a/` or `b/` is a directory, so that it may be no prefix."""
    try:
        return any(files.find(name, False).kind != "missing" for name in ("a", "b"))
    except PatchkitError:
        return True


def _section(part: bytes, files: Files) -> bytes | None:
    """The section of one file; None where that takes more to know."""
    head, *hunks = part.split(b"\n@@ -")
    names, *index, old, new = head.split(b"\n")
    path = names[2 : len(names) // 2]
    if names != b"a/" + path + b" b/" + path or old != b"--- a/" + path or new != b"+++ b/" + path:
        return None
    if index and not (len(index) == 1 and index[0].startswith(b"index ") and index[0].endswith(_MODES)):
        return None
    if not hunks or b"*** " in part or b"\0" in part:
        return None
    name = path.decode("ascii")
    entry = files.find(name)
    if entry.kind != "file" or entry.name != name or name.split() != [name]:
        return None
    data = entry.data
    if b"\r" in data or data[:1] in _MARKS or b"\0" in data[:8192]:
        return None
    if len(hunks) * len(data) > _MOST_READ:
        return None
    made = _HunksOfFile(data)
    bodies = [made.add(hunk) for hunk in hunks]
    last = data[data.rfind(b"\n") + 1 :]
    if last and any(last in hunk.old or last in hunk.new for hunk in made.hunks):
        return None  # it could be the last line, which has no end
    made.place()
    if not made.are_alone() or not (part.isascii() or made.are_utf8()) or made.seem_to_repeat(name):
        return None
    return b"*** Update File: " + path + b"\n@@\n" + b"\n@@\n".join(bodies) + b"\n"


class _Hunk:
    """A hunk: its first line from 0, its signs, its lines before and after; and once it is placed, where its first line
    begins and its last one ends, how many bytes are added above it, and whether kept lines of it are at one place of
    both files for certain.
    """

    __slots__ = ("row", "signs", "old", "new", "added", "start", "stop", "shift", "is_certain")

    def __init__(self, row: int, signs: bytes, old: list[bytes], new: list[bytes], added: list[bytes]) -> None:
        self.row = row
        self.signs = signs
        self.old = old
        self.new = new
        self.added = added
        self.start = self.stop = self.shift = 0
        self.is_certain = False

    def kept(self, is_block: bool) -> list[bytes]:
        """The kept lines that the hunk begins with, if they are to be a block; else the longest kept line."""
        if is_block:
            return self.old[: len(self.signs) - len(self.signs.lstrip(b" "))]
        kept = list(compress(self.old, self.signs.replace(b"+", b"").translate(_KEPT)))
        return [max(kept, key=len)] if kept else []

    @property
    def may_repeat(self) -> bool:
        """Whether the hunk adds a run of lines, or a definition perhaps."""
        return _RUN in self.signs or not DEFINING.isdisjoint(b"\n".join(self.added).split())


class _HunksOfFile:
    """The hunks of one file, in its order. Positions are those of the file; `text` is the file below a line end."""

    __slots__ = ("text", "hunks", "_after")

    def __init__(self, data: bytes) -> None:
        self.text = b"\n" + data
        self.hunks: list[_Hunk] = []
        self._after = b""

    def add(self, given: bytes) -> bytes:
        """Adds the hunk whose text begins behind `@@ -`; returns its lines. Raises ValueError if it is not whole."""
        numbers, _, body = given.partition(b"\n")
        was, becomes, rest = numbers.split(b" ", 2)
        rows = body.split(b"\n")
        signs = bytes([row[0] for row in rows])
        lines = [row[1:] for row in rows]
        old, new, added = [list(compress(lines, signs.translate(table))) for table in (_OLD, _NEW, _ADDED)]
        row, count = _range(was)
        if rest[:2] != b"@@" or becomes[:1] != b"+" or signs.strip(b" -+") or b" " not in signs:
            raise ValueError
        if len(old) != count or len(new) != _range(becomes[1:])[1]:
            raise ValueError
        self.hunks.append(_Hunk(row - 1, signs, old, new, added))
        return body

    def place(self) -> None:
        """Finds the hunks; raises ValueError where one is not there, at its number, and nowhere else."""
        added = {line for hunk in self.hunks for line in hunk.added}
        # If all that is removed is replaced, no lines of the file come together anew, and a block is found faster.
        is_block = all(b"+" in run for hunk in self.hunks for run in hunk.signs.split(b" ") if run)
        text, end, row, shift = self.text, 0, 0, 0
        for hunk in self.hunks:
            shown = b"\n%b\n" % b"\n".join(hunk.old)
            kept = hunk.kept(is_block)
            start = _only(text, b"\n%b\n" % b"\n".join(kept)) if kept else -1
            if start < 0:
                start = _only(text, shown)
            else:
                hunk.is_certain = added.isdisjoint(kept)
                above = hunk.old[: hunk.old.index(kept[0])]
                start -= sum(map(len, above)) + len(above)
            if start < end or not text.startswith(shown, start):
                raise ValueError
            row += text.count(b"\n", end, start)
            if row != hunk.row:
                raise ValueError
            end = start + len(shown) - 1
            row += len(hunk.old)
            hunk.start, hunk.stop, hunk.shift = start, end, shift
            shift += sum(map(len, hunk.new)) + len(hunk.new) - (end - start)

    @property
    def after(self) -> bytes:
        """The new file, below a line end."""
        if not self._after:
            pieces, end = [], 0
            for hunk in self.hunks:
                pieces += [self.text[end : hunk.start], *[b"\n" + line for line in hunk.new]]
                end = hunk.stop
            self._after = b"".join([*pieces, self.text[end:]])
        return self._after

    def are_alone(self) -> bool:
        """Whether each hunk is at one place of the new file as well, and cannot be taken for one that has been made,
        nor its reverse.
        """
        for hunk in self.hunks:
            signs = hunk.signs
            if not hunk.is_certain and _only(self.after, b"\n%b\n" % b"\n".join(hunk.new)) < 0:
                return False
            if b"-" not in signs:
                if _is_there(self.text, signs, hunk.start, hunk.old, hunk.new):
                    return False
            elif b"+" not in signs:
                signs = signs.replace(b"-", b"+")
                if _is_there(self.after, signs, hunk.start + hunk.shift, hunk.new, hunk.old):
                    return False
        return True

    def are_utf8(self) -> bool:
        """Whether the file is UTF-8 beyond doubt, before and after."""
        return is_surely_utf8(self.text[1:]) and is_surely_utf8(self.after[1:])

    def seem_to_repeat(self, name: str) -> bool:
        """Whether the section would be refused for what it adds, when it comes without line numbers."""
        own = [each for hunk in self.hunks if hunk.may_repeat for each in _replacements(hunk)]
        if not own:
            return False
        made = (each for hunk in self.hunks for each in _replacements(hunk))  # hardly ever asked for
        results = [Match(hunk.row, hunk.start, [], len(hunk.old)) for hunk in self.hunks]
        try:
            DuplicateGuard(Document(self.text[1:]), made, name, results).refuse(own)
        except PatchkitError:
            return True
        return False


def _replacements(hunk: _Hunk) -> list[Replacement]:
    """What a hunk replaces: each run of removed and added lines."""
    made = []
    at, row = hunk.start, hunk.row
    old = new = 0
    for run in hunk.signs.split(b" "):
        if run:
            removed, added = run.count(b"-"), run.count(b"+")
            stop = at + sum(map(len, hunk.old[old : old + removed])) + removed
            text = b"".join([line + b"\n" for line in hunk.new[new : new + added]])
            made.append(Replacement(at, stop, text, row, removed, added))
            at, row, old, new = stop, row + removed, old + removed, new + added
        if old < len(hunk.old):  # the kept line behind the run
            at += len(hunk.old[old]) + 1
        row, old, new = row + 1, old + 1, new + 1
    return made


def _range(numbers: bytes) -> tuple[int, int]:
    """The first line and the count of `12,7`, or of `12`."""
    first, comma, count = numbers.partition(b",")
    if not first.isdigit() or not (count.isdigit() or not comma):
        raise ValueError
    return int(first), int(count) if comma else 1


def _only(text: bytes, lines: bytes) -> int:
    """Where whole lines are in a text, both with a line end before them; -1 if that is not one place."""
    at = text.find(lines)
    return at if at >= 0 and text.find(lines, at + 1) < 0 else -1


def _is_there(text: bytes, signs: bytes, at: int, kept: list[bytes], whole: list[bytes]) -> bool:
    """Whether what a hunk that only adds would leave is at its place already: the rule of `fast_exact.is_there`."""
    lines = b"\n%b\n" % b"\n".join(whole)
    stop = at + sum(map(len, kept)) + len(kept)
    if text.startswith(lines, at) or _ends_at(text, lines, stop):
        return True
    count = signs.count(b"+")
    if b"+" * count not in signs:
        return False
    first = signs.index(b"+")
    added = b"\n%b\n" % b"\n".join(whole[first : first + count])
    if signs[-1:] == b"+":
        return text.startswith(added, stop)
    return signs[:1] == b"+" and _ends_at(text, added, at)


def _ends_at(text: bytes, lines: bytes, stop: int) -> bool:
    """Whether whole lines, with a line end before them, end at a position."""
    start = stop + 1 - len(lines)
    return start >= 0 and text.startswith(lines, start)
