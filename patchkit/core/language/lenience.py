"""What the parser forgives beyond the grammar: one row of `LENIENCES` each, with a name.

Takes text that the grammar refuses, or would read in a way that was not meant, and gives the text to go on
with. Only slips with one possible meaning are here: where a reading could lose or invent content, there is
none. Under `--strict` nothing of this runs.

To add a lenience: its function and its row here, its sentence in the catalogue (P901), its row in docs/language.md, and
a scenario.
"""

from __future__ import annotations

from patchkit.core.language import AddFile, UpdateFile
from patchkit.core.language._grammar import KINDS
from patchkit.errors import Note, PatchkitError
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Pattern
    from typing import Any, Literal

    Reading = Any  # the Parser, of `parser`, which imports this module
    Where = Literal["text", "line", "blanks", "anchor", "hunk", "end"]


# -- what may be around a patch: a tool call in JSON, line ends and indentation of the whole, a heredoc, a fence, prose
# Functions for the table of `lenience`, which says what they take and return; those for the whole text get an
# `Unwrapped`, those for a line the `Reading`. Prose may be as long as a patch may be, so `skip_outside` passes over
# it in large steps and looks only at the lines that may mean something.


BEGIN, END = "*** Begin Patch", "*** End Patch"


class Unwrapped(Record):
    """Text ready for the parser, the notes about what was around it, and whether a wrapper showed where it ends."""

    text: str
    notes: list[Note] = []
    closed: bool = False


# -- the whole text ------------------------------------------------------------------------------


def byte_order_mark(unwrapped: Unwrapped, text: str) -> str | None:
    if text[:1] != "\ufeff":
        return None
    unwrapped.notes.append(Note("P901", lenience="byte-order-mark", patch_line=1))
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
        from json import loads  # few patches are inside JSON

        found = _patch_in(loads(head))
    except (ValueError, RecursionError):
        return None
    if found is not None:
        refuse_half_characters(found)
        unwrapped.closed = True
        unwrapped.notes.append(Note("P901", lenience="json", patch_line=1))
    return found


def refuse_half_characters(text: str) -> None:
    """Raises P113 for a lone surrogate, half a character that no file can hold.

    The surrogates that carry undecodable bytes of the patch are fine.
    """
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise PatchkitError("P113", patch_line=text.count("\n", 0, error.start) + 1, column=1) from None


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
    unwrapped.notes.append(Note("P901", lenience="literal-newlines", patch_line=1))
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
    unwrapped.notes.append(Note("P901", lenience="carriage-returns", patch_line=1))
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
    unwrapped.notes.append(Note("P901", lenience="indented", patch_line=text.count("\n", 0, opening) + 1))
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
    return _open_wrapper(reading, "heredoc", delimiter, bare) if delimiter else None


def _heredoc_word(text: str) -> str:
    """The delimiter after a heredoc operator, without its quotes and what follows it."""
    if text[:1] in ("'", '"'):
        return text[1:].partition(text[0])[0].rstrip("'\"")
    return (text.split() or [""])[0].strip("'\"\\;|&")


def fence(reading: Reading, line: str) -> str | None:
    bare = line.strip()
    if reading.begun or not bare.startswith(("```", "~~~")) or _closes_wrapper(reading, bare):
        return None
    return _open_wrapper(reading, "fence", bare[:3], bare)


def _open_wrapper(reading: Reading, lenience: str, end: str, line: str) -> str:
    """A patch is in one wrapper: of several lines that seem to open it, the last is noted."""
    reading.wrapper = end
    if reading.notes and reading.notes[-1].facts.get("lenience") == lenience:
        reading.notes.pop()
    reading.notes.append(Note("P901", lenience=lenience, patch_line=reading.number, found=line))
    return ""


def outside_text(reading: Reading, line: str) -> str | None:
    """Drops a line outside the patch; the first that is neither blank nor the end of a wrapper is noted."""
    if not _may_be_dropped(reading, line):
        return None
    bare = line.strip()
    if bare and not reading.outside_noted and not _closes_wrapper(reading, bare):
        reading.outside_noted = True
        reading.notes.append(Note("P901", lenience="outside-text", patch_line=reading.number, found=bare))
    return ""


_WORDS = ("***", "<<", "```", "~~~")
# Lines that may open a patch, a heredoc or a fence; and lines that are refused after a patch, or open another one.
_BEFORE = r"(?m)^[^\S\n]*(?:\*\*\*|```|~~~)|<<"
_AFTER = r"(?m)^(?:[^\S\n]*\*\*\*|\+|@@)"


def skip_outside(reading: Reading, text: str) -> str:
    """Takes whole lines as long as they are outside a patch; returns the text from the first line inside on."""
    position, plain = 0, not reading.begun and not any(word in text for word in _WORDS)
    while position < len(text) and (reading.ended or not reading.begun):
        special = None if plain else _pattern(_AFTER if reading.begun else _BEFORE).search(text, position)
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
    for found in _pattern(r"\S[^\n]*").finditer(text, start, stop):
        bare = found[0].rstrip()
        if not _closes_wrapper(reading, bare):
            line = reading.number + text.count("\n", start, found.start()) + 1
            reading.notes.append(Note("P901", lenience="outside-text", patch_line=line, found=bare))
            reading.outside_noted = True
            return


def _pattern(text: str) -> Pattern[str]:
    import re  # a module that refusals load, too: they would take half as long again

    return re.compile(text)


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


END_OF_FILE = "*** End of File"


class Lenience(Record):
    """One slip that is forgiven: its name, how it is read, and where it applies.

    `read` takes the reading (for `text`: the Unwrapped) and the text at that place. It returns the text to go on
    with, '' if nothing is left to read, and None if the text does not have this slip.
    """

    name: str
    read: Callable[..., str | None]
    where: tuple[Where, ...]


def unwrap(text: str) -> Unwrapped:
    """Removes everything around the patch that is not lines of text: each lenience gets what the one before it left."""
    unwrapped = Unwrapped(text)
    for lenience in _AT["text"]:
        found = lenience.read(unwrapped, unwrapped.text)
        if found is not None:
            unwrapped.text = found
    return unwrapped


def forgive(where: Where, reading: Reading, text: str) -> str | None:
    """What the first lenience that applies at this place reads the text as; None when none does."""
    for lenience in _AT[where]:
        found = lenience.read(reading, text)
        if found is not None:
            return found
    return None


# -- a refused line ------------------------------------------------------------------------------


def _marker_spelling(reading: Reading, line: str) -> str | None:
    meant = _marker_meant(line)
    if meant is None or meant == line or not reading.allows_line(meant):
        return None
    reading.notes.append(Note("P901", lenience="marker-spelling", patch_line=reading.number, found=line, meant=meant))
    return meant


def _marker_meant(line: str) -> str | None:
    """The marker that `line` is a variant of, spelled as the grammar does."""
    bare = line.strip()
    if bare.startswith("@@"):
        return ("@@ " + bare[2:]).rstrip()
    if bare.startswith("\\") and "no newline at" in bare.lower():
        return "\\ No newline at end of file"
    if not bare.startswith("***"):
        return None
    words = bare.strip("*").strip().lower()
    for _name, opening, text in KINDS:
        if opening.startswith("***") and text == "none" and words == opening[4:].lower():
            return opening
        if opening.startswith("***") and text == "solid":
            title = opening[4:-1].lower()  # with its colon
            rest = bare[3:].lstrip()
            if rest.lower().startswith(title) and rest[len(title) :].strip():
                value = rest[len(title) :]
                return opening + (value[1:] if value[0] == " " else value)
    return None


def _several_envelopes(reading: Reading, line: str) -> str | None:
    if not reading.ended or _marker_meant(line) != BEGIN:
        return None
    reading.begin_again()
    reading.notes.append(Note("P901", lenience="several-envelopes", patch_line=reading.number))
    return ""


def _no_end_marker(reading: Reading, line: str) -> str | None:
    """The End marker may be missing at the line that closes the wrapper, and at the end of a closed JSON string."""
    shown = line.strip() == reading.wrapper if line else reading.closed
    if not shown or not reading.allows("END_PATCH"):
        return None
    reading.notes.append(Note("P901", lenience="no-end-marker", patch_line=reading.number))
    return END


def _idle_end_of_file(reading: Reading, line: str) -> str | None:
    if _marker_meant(line) != END_OF_FILE:
        return None
    in_add = isinstance(reading.section, AddFile)
    if not in_add and reading.last not in ("UPDATE_FILE", "MOVE_TO", "END_OF_FILE"):
        return None
    reading.notes.append(Note("P901", lenience="idle-end-of-file", patch_line=reading.number))
    return ""


def _missing_sign(reading: Reading, line: str) -> str | None:
    if not isinstance(reading.section, UpdateFile) or not reading.allows("KEPT"):
        return None
    if line.startswith(("***", "@@", "\\")):
        return None
    reading.take_line(" " + line)  # here, because it may open the hunk that is marked below
    if reading.hunk is not None:
        reading.hunk.bare = True
        reading.hunk.unsigned = [*(reading.hunk.unsigned or ()), len(reading.hunk.lines) - 1]
        reading.notes.append(Note("P901", lenience="missing-sign", patch_line=reading.number, found=line))
    return ""


def _missing_plus(reading: Reading, line: str) -> str | None:
    """A line of a new file without its plus is content: nothing else may be there.

    Not where the first line has a space for its sign: whether that is a sign or content is unknown. Nor is the header
    of a hunk content: the section may be meant for a file that is there.
    """
    section = reading.section
    if not isinstance(section, AddFile) or not reading.allows("ADDED") or line.startswith(("***", "@@ ")):
        return None
    if line.rstrip() == "@@":
        return None
    if reading.last == "ADD_FILE" and line[0] == " ":
        return None
    if not reading.plus_missing:
        reading.plus_missing = True
        reading.notes.append(
            Note("P901", lenience="missing-plus", patch_line=reading.number, file=section.path, found=line)
        )
    return "+" + line


# -- blank lines, hunks, the end -----------------------------------------------------------------


def _bare_blank(reading: Reading, kind: str) -> str | None:
    """Blank lines before more of the same body are lines of it; without pluses also those at its end."""
    if isinstance(reading.section, AddFile):
        if reading.last != "ADDED" or (kind != "ADDED" and not reading.plus_missing):
            return None
    elif reading.hunk is None or not reading.allows("KEPT") or kind not in ("KEPT", "REMOVED", "ADDED", "END_OF_FILE"):
        return None
    reading.take_blanks()
    reading.notes.append(Note("P901", lenience="bare-blank", patch_line=reading.number - len(reading.blanks)))
    return ""


def _blank_between(reading: Reading, _kind: str) -> str:
    reading.spaced = True
    reading.notes.append(Note("P901", lenience="blank-between", patch_line=reading.number - len(reading.blanks)))
    return ""


def _unified_hunk_header(reading: Reading, text: str) -> str | None:
    """The anchor of `-12,3 +12,4 @@ section` or of `section @@`; the line number becomes a hint."""
    anchor = text
    if text.startswith("-"):
        ranges, _, section = text.partition("@@")
        old, _, new = ranges.strip().partition(" ")
        number = old[1:].partition(",")[0]
        if not number.isdecimal() or not new.startswith("+"):
            return None
        if reading.hunk is not None:
            reading.hunk.hint = int(number)
            reading.hunk.numbers = _numbers(old[1:], new[1:])
        anchor = section
    elif text.rstrip().endswith("@@"):
        anchor = text.rstrip()[:-2].rstrip()
    if anchor is text and anchor.strip(" ."):
        return None
    reading.notes.append(Note("P901", lenience="unified-hunk-header", patch_line=reading.number, found="@@ " + text))
    return anchor.removeprefix(" ") if anchor.strip(" .") else ""


def _numbers(old: str, new: str) -> tuple[int, int, int, int] | None:
    """Where the old and the new lines begin and how many they are, from `12,3` and `12,4`; a missing count is 1."""
    found = [each.partition(",") for each in (old, new)]
    words = [word for start, comma, count in found for word in (start, count if comma else "1")]
    if not all(word.isdecimal() and word.isascii() and len(word) < 16 for word in words):
        return None
    a, b, c, d = map(int, words)
    return a, b, c, d


def _empty_hunk(reading: Reading, line: str) -> str | None:
    """Drops an `@@` without lines above the `@@` of a hunk."""
    if reading.last != "BARE_ANCHOR" or reading.hunk is None or not line.startswith("@@"):
        return None
    reading.notes.append(Note("P901", lenience="empty-hunk", patch_line=reading.hunk.line))
    reading.drop_empty_hunk()
    return line


def _unified_file_header(reading: Reading, _text: str) -> str | None:
    """Drops a first hunk that is only the `--- a` and `+++ b` of a unified diff: two lines, no `@@` above them."""
    hunk, section = reading.hunk, reading.section
    if not isinstance(section, UpdateFile) or hunk is None or section.hunks != [hunk] or hunk.line != hunk.body_line:
        return None
    if not hunk.lines[0].startswith("--- ") or not hunk.lines[1].startswith("+++ "):
        return None
    section.hunks.pop()
    reading.notes.append(Note("P901", lenience="unified-file-header", patch_line=hunk.line))
    return ""


def _indented_end(reading: Reading, _text: str) -> str | None:
    hunk = reading.hunk
    if hunk is None or len(hunk.lines) < 2 or hunk.lines[-1].strip() != END:
        return None
    hunk.lines.pop()
    reading.notes.append(Note("P901", lenience="indented-end", patch_line=reading.number))
    return ""


# In the order in which they are tried. docs/language.md says in words what each of them is.
LENIENCES = (
    Lenience("byte-order-mark", byte_order_mark, ("text",)),
    Lenience("json", json_call, ("text",)),
    Lenience("literal-newlines", literal_newlines, ("text",)),
    Lenience("carriage-returns", carriage_returns, ("text",)),
    Lenience("indented", indentation, ("text",)),
    Lenience("marker-spelling", _marker_spelling, ("line",)),
    Lenience("several-envelopes", _several_envelopes, ("line",)),
    Lenience("heredoc", heredoc, ("line",)),
    Lenience("fence", fence, ("line",)),
    Lenience("outside-text", outside_text, ("line",)),
    Lenience("indented-end", _indented_end, ("end",)),
    Lenience("no-end-marker", _no_end_marker, ("line", "end")),
    Lenience("idle-end-of-file", _idle_end_of_file, ("line",)),
    Lenience("empty-hunk", _empty_hunk, ("line",)),
    Lenience("missing-sign", _missing_sign, ("line",)),
    Lenience("missing-plus", _missing_plus, ("line",)),
    Lenience("bare-blank", _bare_blank, ("blanks",)),
    Lenience("blank-between", _blank_between, ("blanks",)),
    Lenience("unified-hunk-header", _unified_hunk_header, ("anchor",)),
    Lenience("unified-file-header", _unified_file_header, ("hunk",)),
)
_AT: dict[Where, list[Lenience]] = {}
for _lenience in LENIENCES:
    for _where in _lenience.where:
        _AT.setdefault(_where, []).append(_lenience)
