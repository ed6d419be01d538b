"""What may be around a patch: a tool call in JSON, line ends and indentation of the whole, a heredoc, a fence, prose.

Functions for the table of `lenience`, which says what they take and return; those for the whole text get an
`Unwrapped`, those for a line the `Reading`. Prose may be as long as a patch may be, so `skip_outside` passes over
it in large steps and looks only at the lines that may mean something.
"""

from __future__ import annotations

import json
import re

from patchkit.errors import Note, PatchkitError
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from patchkit.language.model import FileOp, Hunk

    class Reading(Protocol):
        """What a lenience may ask of the parser, and do with it."""

        number: int
        notes: list[Note]
        section: FileOp | None
        hunk: Hunk | None
        last: str
        blanks: int
        spaced: bool
        wrapper: str
        closed: bool
        outside_noted: bool
        plus_missing: bool

        @property
        def begun(self) -> bool: ...
        @property
        def ended(self) -> bool: ...
        def allows(self, kind: str) -> bool: ...
        def allows_line(self, line: str) -> bool: ...
        def take_line(self, line: str) -> None: ...
        def take_empty_lines(self, count: int) -> None: ...
        def begin_again(self) -> None: ...


BEGIN, END = "*** Begin Patch", "*** End Patch"


class Unwrapped(Value):
    """Text ready for the parser, the notes about what was around it, and whether a wrapper showed where it ends."""

    __slots__ = ("text", "notes", "closed")
    text: str
    notes: list[Note]
    closed: bool

    def __init__(self, text: str) -> None:
        self.text = text
        self.notes = []
        self.closed = False


# -- the whole text ------------------------------------------------------------------------------


def byte_order_mark(unwrapped: Unwrapped, text: str) -> str | None:
    if text[:1] != "\ufeff":
        return None
    unwrapped.notes.append(Note("P905", patch_line=1))
    return text[1:]


def json_call(unwrapped: Unwrapped, text: str) -> str | None:
    """`{"input": P}`, `{"patch": P}`, `["apply_patch", P]`, `{"command": …}`, with or without a word in front."""
    head = text.lstrip()
    if not head.startswith(("{", "[")):
        word, _, head = head.partition(" ")
        if not word.isidentifier() or not head.lstrip().startswith(("{", "[")):
            return None
    if BEGIN not in head:
        return None
    try:
        found = _patch_in(json.loads(head))
    except (ValueError, RecursionError):
        return None
    if found is not None:
        refuse_half_characters(found)
        unwrapped.closed = True
        unwrapped.notes.append(Note("P913", patch_line=1))
    return found


def refuse_half_characters(text: str) -> None:
    """Raises P113 for a lone surrogate, half a character that no file can hold.

    The surrogates that carry undecodable bytes of the patch are fine.
    """
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise PatchkitError("P113", patch_line=line, column=1) from None


def _patch_in(value: object) -> str | None:
    """The patch text of a decoded tool call, if it has exactly this shape."""
    if isinstance(value, dict):
        for key in ("input", "patch", "command"):
            if key in value:
                return _patch_in(value[key])
        return None
    if isinstance(value, list) and len(value) == 2 and value[0] in ("apply_patch", "applypatch"):
        value = value[1]
    return value if isinstance(value, str) and BEGIN in value else None


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/"}


def literal_newlines(unwrapped: Unwrapped, text: str) -> str | None:
    text = text.strip()
    if "\n" in text or "\\n***" not in text or not text.startswith(BEGIN):
        return None
    pieces = text.split("\\")
    out, skip = [pieces[0]], False
    for piece in pieces[1:]:
        if skip:  # the character after an escaped backslash is not an escape itself
            out.append(piece)
            skip = False
        elif piece == "":
            out.append("\\")
            skip = True
        else:
            out.append(_ESCAPES.get(piece[0], "\\" + piece[0]) + piece[1:])
    unwrapped.notes.append(Note("P914", patch_line=1))
    return "".join(out)


def carriage_returns(unwrapped: Unwrapped, text: str) -> str | None:
    """A CRLF line end is a line end: which one an added line gets is decided by the file it goes to.

    Where the markers end with LF, the CR of a line of a new file is part of that file.
    """
    if "\r\n" not in text:
        return None
    made = text.replace("\r\n", "\n")
    if "*** Begin Patch\n" in text:
        made = _without_returns(text)
        if made == text:
            return None
    unwrapped.notes.append(Note("P909", patch_line=1))
    return made


def _without_returns(text: str) -> str:
    """The text without the CR at the end of its lines, but for the lines of new files; of two CRs one is too many."""
    lines = text.split("\n")
    new = False
    for number, line in enumerate(lines):
        if line.startswith("*** "):
            new = line.startswith("*** Add File:")
        if line.endswith("\r") and (line.endswith("\r\r") or not (new and line.startswith("+"))):
            lines[number] = line[:-1]
    return "\n".join(lines)


def indentation(unwrapped: Unwrapped, text: str) -> str | None:
    """Removes the Begin marker's indentation from every line of the patch, if every line has it."""
    begin = text.find(BEGIN)
    opening = text.rfind("\n", 0, begin) + 1
    margin = text[opening:begin]
    if begin < 0 or not margin or margin.strip(" \t"):
        return None
    lines = text[opening:].split("\n")
    ends = [number for number, line in enumerate(lines) if line.strip() == END]
    stop = ends[-1] + 1 if ends else len(lines)
    if not all(line.startswith(margin) or not line.strip() for line in lines[:stop]):
        return None
    lines[:stop] = [line[len(margin) :] for line in lines[:stop]]
    unwrapped.notes.append(Note("P908", patch_line=text.count("\n", 0, opening) + 1))
    return text[:opening] + "\n".join(lines)


# -- lines before and after the patch -------------------------------------------------------------


def _may_be_dropped(reading: Reading, line: str) -> bool:
    """Whether a line is outside the patch and does not look like more of a patch that lost its markers."""
    if (reading.begun and not reading.ended) or line.lstrip().startswith("***"):
        return False
    return not (reading.ended and line.startswith(("+", "@@")))


def _closes_wrapper(reading: Reading, bare: str) -> bool:
    return bool(reading.wrapper) and bare.startswith(reading.wrapper)


def heredoc(reading: Reading, line: str) -> str | None:
    bare = line.strip()
    if reading.begun or "<<" not in bare or not _may_be_dropped(reading, line) or _closes_wrapper(reading, bare):
        return None
    words = bare.partition("<<")[0].replace(";", " ").replace("&", " ").replace("'", " ").replace('"', " ").split()
    if "cd" in words or "pushd" in words:
        raise PatchkitError("P114", patch_line=reading.number, column=1, found=bare)
    delimiter = _heredoc_word(bare.rpartition("<<")[2].lstrip("-").lstrip())
    return _open_wrapper(reading, "P903", delimiter, bare) if delimiter else None


def _heredoc_word(text: str) -> str:
    """The delimiter after a heredoc operator, without its quotes and what follows it."""
    if text[:1] in ("'", '"'):
        return text[1:].partition(text[0])[0].rstrip("'\"")
    return (text.split() or [""])[0].strip("'\"\\;|&")


def fence(reading: Reading, line: str) -> str | None:
    bare = line.strip()
    if reading.begun or not bare.startswith(("```", "~~~")) or _closes_wrapper(reading, bare):
        return None
    return _open_wrapper(reading, "P904", bare[:3], bare)


def _open_wrapper(reading: Reading, code: str, end: str, line: str) -> str:
    """A patch is in one wrapper: of several lines that seem to open it, the last is noted."""
    reading.wrapper = end
    if reading.notes and reading.notes[-1].code == code:
        reading.notes.pop()
    reading.notes.append(Note(code, patch_line=reading.number, found=line))
    return ""


def outside_text(reading: Reading, line: str) -> str | None:
    """Drops a line outside the patch; the first that is neither blank nor the end of a wrapper is noted."""
    if not _may_be_dropped(reading, line):
        return None
    bare = line.strip()
    if bare and not reading.outside_noted and not _closes_wrapper(reading, bare):
        reading.outside_noted = True
        reading.notes.append(Note("P901", patch_line=reading.number, found=bare))
    return ""


_WORDS = ("***", "<<", "```", "~~~")
# Lines that may open a patch, a heredoc or a fence; and lines that are refused after a patch, or open another one.
_BEFORE = re.compile(r"^[^\S\n]*(?:\*\*\*|```|~~~)|<<", re.MULTILINE)
_AFTER = re.compile(r"^(?:[^\S\n]*\*\*\*|\+|@@)", re.MULTILINE)
_SOLID = re.compile(r"\S[^\n]*")


def skip_outside(reading: Reading, text: str) -> str:
    """Takes whole lines as long as they are outside a patch; returns the text from the first line inside on."""
    position, plain = 0, not reading.begun and not any(word in text for word in _WORDS)
    while position < len(text) and (reading.ended or not reading.begun):
        special = None if plain else (_AFTER if reading.begun else _BEFORE).search(text, position)
        stop = len(text)
        if special is not None:
            stop = text.rfind("\n", position, special.start() + 1) + 1 or position
        if not reading.outside_noted:
            _note_first(reading, text, position, stop)
        reading.number += text.count("\n", position, stop)
        position = text.find("\n", stop) + 1 or len(text)
        if special is not None:
            reading.number += 1
            reading.take_line(text[stop : position - 1])
    return text[position:]


def _note_first(reading: Reading, text: str, start: int, stop: int) -> None:
    for found in _SOLID.finditer(text, start, stop):
        bare = found[0].rstrip()
        if not _closes_wrapper(reading, bare):
            line = reading.number + text.count("\n", start, found.start()) + 1
            reading.notes.append(Note("P901", patch_line=line, found=bare))
            reading.outside_noted = True
            return


def quoted_line(lines: list[str]) -> int:
    """The first line, from 1, of a patch or a diff whose lines are quoted, as in an answer to a mail; 0 if none is.

    It is not read: what is quoted may be cut, wrapped, or answered between its lines.
    """
    for number, line in enumerate(lines):
        if line[:1] == ">":
            bare = line.lstrip("> ")
            if bare.startswith((BEGIN, "diff --git ")):
                return number + 1
            below = lines[number + 1] if number + 1 < len(lines) else ""
            if bare.startswith("--- ") and below[:1] == ">" and below.lstrip("> ").startswith("+++ "):
                return number + 1
    return 0
