"""The hunks of a unified diff: their headers and their bodies.

Takes the lines of a text and where a hunk begins; gives a Hunk and the line behind it. A removed line `-- x` looks
like a file header, and only counting shows which it is: counts are followed as long as they fit. Where they do not,
the body is the authority: it reaches to what can only be something else, and a note says so. `git apply` and `patch`
trust short counts and lose the rest of the lines without a word.
"""

from __future__ import annotations

import re

from patchkit.core.language import Hunk
from patchkit.errors import Note
from patchkit.formats.paths import is_path
from patchkit.formats.unified_names import header_name
from patchkit.values import Value

_LONGEST = 15  # digits of a number
_SIGNS = (" ", "-", "+")
NOT_ENDED = "\\ No newline at end of file"


class HunkHeader(Value):
    """What an `@@` line says: where the old lines begin and how many there are, the same of the new, and a text.

    Numbers are None where the line has none.
    """

    __slots__ = ("old", "new", "text")
    old: tuple[int, int] | None
    new: tuple[int, int] | None
    text: str

    def __init__(self, line: str) -> None:
        ranges, mark, text = line[4:].partition(" @@")
        old, plus, new = ranges.partition(" +")
        self.old = self.new = None
        if mark and plus and line.startswith("@@ -"):
            self.old, self.new = _range(old), _range(new)
        if self.old is None or self.new is None:
            self.old = self.new = None
            text = line[2:].strip()
            text = text[:-2] if text.endswith("@@") else text
        self.text = text.strip()


def _range(text: str) -> tuple[int, int] | None:
    """`12,3` as two numbers; a missing count is 1."""
    start, comma, count = text.partition(",")
    if not comma:
        count = "1"
    for number in (start, count):
        if not (number.isascii() and number.isdecimal() and len(number) <= _LONGEST):
            return None
    return int(start), int(count)


def is_hunk_header(line: str) -> bool:
    return line.startswith("@@") and not line.startswith("@@@") and (line[2:3] in ("", " ", "-", "."))


def is_file_header(lines: list[str], at: int) -> bool:
    """Whether `--- `, `+++ ` and a hunk follow each other here, which is what begins a file of a diff."""
    if not lines[at].startswith("--- ") or at + 1 >= len(lines) or not lines[at + 1].startswith("+++ "):
        return False
    if at + 2 >= len(lines) or is_hunk_header(lines[at + 2]) or not lines[at + 2].strip():
        return True
    return lines[at + 2][0] in _SIGNS and _name_one_file(lines[at], lines[at + 1])


def _name_one_file(old: str, new: str) -> bool:
    """Whether both lines are names of one file, so that they are a header even if its `@@` line is missing."""
    names = [header_name(line[4:])[0] for line in (old, new)]
    if "/dev/null" in names:
        names.remove("/dev/null")
    if not names or not all(is_path(name.replace(" ", "_")) for name in names):
        return False
    bare = [name.partition("/")[2] if name[:2] in ("a/", "b/") else name for name in names]
    return bare[0] == bare[-1]


def is_boundary(lines: list[str], at: int) -> bool:
    """Whether a line can only be outside of a hunk's body."""
    line = lines[at]
    if is_hunk_header(line) or line.startswith(("diff --git ", "diff -r ", "Index: ", "Property changes on: ", "```")):
        return True
    if line.startswith("--- ") and is_file_header(lines, at):
        return True
    if line.startswith("--") and line.rstrip() == "--" and (at + 1 >= len(lines) or _is_version(lines[at + 1])):
        return True
    return _is_mail(line) if line.startswith("From ") else False


def _is_version(line: str) -> bool:
    return re.match(r"^\d+\.\d+", line) is not None


def _is_mail(line: str) -> bool:
    return re.match(r"^From [0-9a-f]{40} ", line) is not None


class HunkBody(Value):
    """The body of one hunk, read: its lines with their signs, the line behind it, and which lines end without LF."""

    __slots__ = ("lines", "stop", "unended", "notes", "counted")
    lines: list[str]
    stop: int
    unended: set[int]  # indices into `lines`
    notes: list[Note]
    counted: bool  # whether the header's counts are those of the body

    def __init__(self, stop: int) -> None:
        self.lines = []
        self.stop = stop
        self.unended = set()
        self.notes = []
        self.counted = True


def read_body(lines: list[str], at: int, header: HunkHeader) -> HunkBody:
    """Reads the lines below an `@@` line at `at` - 1."""
    body = _by_counts(lines, at, header) if header.old is not None and header.new is not None else None
    if body is None:
        body = _by_look(lines, at)
        body.counted = header.old is None
    return body


def _by_counts(lines: list[str], at: int, header: HunkHeader) -> HunkBody | None:
    """The body that the counts measure out; None where they do not fit what is there."""
    if header.old is None or header.new is None:
        return None
    old, new = header.old[1], header.new[1]
    body = HunkBody(at)
    stop = _plain_end(lines, at, old, new)
    if stop:
        body.lines = lines[at:stop]
        old, new, at = 0, 0, stop
    while old > 0 or new > 0:
        if at >= len(lines):
            return None
        line = lines[at]
        sign = line[:1]
        if sign == "\\" and body.lines:
            body.unended.add(len(body.lines) - 1)
        elif sign in ("", "\r") or (sign == " "):
            if old == 0 or new == 0 or (not sign and at == len(lines) - 1):
                return None
            old, new = old - 1, new - 1
            if sign != " ":
                body.notes.append(Note("P901", lenience="missing-sign", patch_line=at + 1, found=line.rstrip("\r")))
                line = " " + line
            body.lines.append(line)
        elif sign == "-" and old:
            old -= 1
            body.lines.append(line)
        elif sign == "+" and new:
            new -= 1
            body.lines.append(line)
        else:
            return None
        at += 1
    if at < len(lines) and lines[at].startswith("\\") and body.lines:
        body.unended.add(len(body.lines) - 1)
        at += 1
    body.stop = at
    if at < len(lines) and lines[at][:1] in _SIGNS and not is_boundary(lines, at) and not _is_signature(lines, at):
        return None  # more lines follow: the counts are too small
    return body if body.lines else None


def _plain_end(lines: list[str], at: int, old: int, new: int) -> int:
    """Where a body ends whose every line has its sign and whose counts fit, which nearly all do; 0 for another."""
    for number in range(at, min(at + old + new, len(lines))):
        sign = lines[number][:1]
        if sign == " ":
            old, new = old - 1, new - 1
        elif sign == "+":
            new -= 1
        elif sign == "-":
            old -= 1
        else:
            return 0
        if old <= 0 and new <= 0:
            return number + 1 if old == new == 0 else 0
    return 0


def _is_signature(lines: list[str], at: int) -> bool:
    """Whether the line `-- ` ends a mail here."""
    return lines[at].rstrip() == "--" and all(not line[:1] or line[0] not in "-+@" for line in lines[at + 1 : at + 3])


def _by_look(lines: list[str], at: int) -> HunkBody:
    """The body as far as its lines look like one: to the next header, or to text that no signed line follows."""
    stop = at
    while stop < len(lines) and not is_boundary(lines, stop):
        stop += 1
    last = at - 1  # the last line that is surely the body's
    for number in range(at, stop):
        sign = lines[number][:1]
        if sign in ("-", "+") or (sign == "\\" and last >= at) or (sign == " " and lines[number].strip()):
            last = number
    body = HunkBody(last + 1)
    for number in range(at, last + 1):
        line = lines[number]
        if line[:1] == "\\":
            if body.lines:
                body.unended.add(len(body.lines) - 1)
            continue
        if line[:1] not in _SIGNS:
            body.notes.append(Note("P901", lenience="missing-sign", patch_line=number + 1, found=line.rstrip("\r")))
            line = " " + line
        body.lines.append(line)
    while body.lines and not body.lines[-1].strip() and not body.unended:
        body.lines.pop()  # blank lines between the hunk and what follows
    return body


def as_hunk(header: HunkHeader, body: HunkBody, line: int) -> Hunk:
    """The hunk of an update. The numbers stay as a hint; text behind numbers is git's and is not an anchor."""
    anchors = [header.text] if header.old is None and header.text.strip(" .") else []
    hunk = Hunk(anchors, body.lines, line=line)
    hunk.body_line = line + 1
    if header.old is not None and header.new is not None:
        hunk.hint = header.old[0]
        hunk.numbers = *header.old, *header.new
    for index in sorted(body.unended):
        sign = body.lines[index][0]
        hunk.at_eof = True
        if sign == "-":
            hunk.final_newline = hunk.was_unended = True
        elif sign == "+":
            hunk.final_newline = False
    return hunk
