"""What the parser forgives beyond the grammar, each with a name and a note.

`unwrap` takes off what stands around the whole text (byte order mark, JSON, literal escapes, carriage
returns, indentation); `mend` looks at one line that the grammar refuses and says what was meant, or
leaves it refused. Only slips with one possible meaning are here: where a reading could lose or
invent content, there is none. Under `--strict` nothing of this runs.
"""

from __future__ import annotations

import re

from patchkit.errors import Note, PatchkitError
from patchkit.language._grammar import KINDS
from patchkit.language.model import AddFile, Hunk, UpdateFile
from patchkit.language.parser import Parser, kind_of
from patchkit.values import Value

BEGIN, END, END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
# Every lenience, for docs/language.md and its test: note, name, what is forgiven.
LENIENCES = (
    ("P901", "outside-text", "text before the Begin marker or after the End marker"),
    ("P902", "blank-between", "blank lines between sections and hunks"),
    ("P903", "heredoc", "a heredoc around the patch, with any command and any delimiter"),
    ("P904", "fence", "a Markdown fence around the patch"),
    ("P905", "byte-order-mark", "a byte order mark, and UTF-16 or UTF-32 text that has one"),
    (
        "P906",
        "marker-spelling",
        "a marker with blanks around it, stars behind it, no space after its colon, other case",
    ),
    ("P907", "bare-blank", "a blank line inside a body without its sign, read as an empty line of that body"),
    ("P908", "indented", "a patch indented as a whole"),
    ("P909", "carriage-returns", "CRLF line ends in the patch"),
    ("P910", "unified-file-header", "`--- a` and `+++ b` lines at the top of an Update section"),
    ("P911", "unified-hunk-header", "`@@ -1,3 +1,4 @@ text`: the number is a hint, the text an anchor"),
    (
        "P912",
        "no-end-marker",
        "no End marker, where a closed heredoc, fence or JSON string shows that nothing is missing",
    ),
    ("P913", "json", "the patch inside a JSON tool call"),
    ("P914", "literal-newlines", "a patch on one line whose line ends are written as backslash and n"),
    ("P915", "several-envelopes", "several envelopes one after the other, taken as one patch"),
    ("P916", "idle-end-of-file", "an End of File marker where it says nothing"),
    ("P917", "missing-sign", "context lines without their leading space"),
    ("P918", "indented-end", "an indented End marker on the last line"),
)


# -- around the whole text -----------------------------------------------------------------------
class Unwrapped(Value):
    """Text ready for the parser, and whether a wrapper showed where it ends."""

    __slots__ = ("text", "notes", "closed")
    text: str
    notes: list[Note]
    closed: bool

    def __init__(self, text: str) -> None:
        self.text = text
        self.notes = []
        self.closed = False


def unwrap(text: str) -> Unwrapped:
    """Takes off everything that stands around the patch as a whole."""
    wrapped = Unwrapped(text)
    for step in (_byte_order_mark, _json, _literal_newlines, _carriage_returns, _indentation):
        step(wrapped)
    return wrapped


def _byte_order_mark(wrapped: Unwrapped) -> None:
    if wrapped.text[:1] == "\ufeff":
        wrapped.text = wrapped.text[1:]
        wrapped.notes.append(Note("P905", patch_line=1))


def _json(wrapped: Unwrapped) -> None:
    """`{"input": P}`, `{"patch": P}`, `["apply_patch", P]`, `{"command": …}`, with or without a word in front."""
    head = wrapped.text.lstrip()
    if not head.startswith(("{", "[")):
        word, _, head = head.partition(" ")
        if not word.isidentifier() or not head.lstrip().startswith(("{", "[")):
            return
    if BEGIN not in head:
        return
    import json

    try:
        found = _patch_in(json.loads(head))
    except (ValueError, RecursionError):
        return
    if found is not None:
        refuse_half_characters(found)
        wrapped.text = found
        wrapped.closed = True
        wrapped.notes.append(Note("P913", patch_line=1))


def refuse_half_characters(text: str) -> None:
    """A lone surrogate is half a character: no file can hold it. Those that stand for stray bytes are fine."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeError as error:
        line = text.count("\n", 0, error.start) + 1  # type: ignore[attr-defined]
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


def _literal_newlines(wrapped: Unwrapped) -> None:
    text = wrapped.text.strip()
    if "\n" in text or "\\n***" not in text or not text.startswith(BEGIN):
        return
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
    wrapped.text = "".join(out)
    wrapped.notes.append(Note("P914", patch_line=1))


def _carriage_returns(wrapped: Unwrapped) -> None:
    """A CRLF line end is a line end: which one a line gets in a file is the file's affair."""
    if "\r\n" in wrapped.text:
        wrapped.text = wrapped.text.replace("\r\n", "\n")
        wrapped.notes.append(Note("P909", patch_line=1))


def _indentation(wrapped: Unwrapped) -> None:
    """Takes the Begin marker's indentation off every line of the patch, if every line has it."""
    begin = wrapped.text.find(BEGIN)
    opening = wrapped.text.rfind("\n", 0, begin) + 1
    margin = wrapped.text[opening:begin]
    if begin < 0 or not margin or margin.strip(" \t"):
        return
    lines = wrapped.text[opening:].split("\n")
    ends = [number for number, line in enumerate(lines) if line.strip() == END]
    stop = ends[-1] + 1 if ends else len(lines)
    if not all(line.startswith(margin) or not line.strip() for line in lines[:stop]):
        return
    lines[:stop] = [line[len(margin) :] for line in lines[:stop]]
    wrapped.text = wrapped.text[:opening] + "\n".join(lines)
    wrapped.notes.append(Note("P908", patch_line=wrapped.text.count("\n", 0, opening) + 1))


# -- one refused line ----------------------------------------------------------------------------
def mend(parser: Parser, line: str) -> bool:
    """Takes a line the grammar refuses in the way it must have been meant; False when it stays refused."""
    return any(lenience(parser, line) for lenience in _MENDS)


def _marker_spelling(parser: Parser, line: str) -> bool:
    meant = _marker_meant(line)
    if meant is None or meant == line or not parser.allows(kind_of(meant)[0]):
        return False
    parser.notes.append(Note("P906", patch_line=parser.number, found=line, meant=meant))
    parser.take_line(meant)
    return True


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


def _outside(parser: Parser, line: str) -> bool:
    if parser.begun and not parser.ended:
        return False
    bare = line.strip()
    if parser.ended and _marker_meant(line) == BEGIN:
        parser.begin_again()
        parser.notes.append(Note("P915", patch_line=parser.number))
        return True
    if bare.startswith("***") or (parser.ended and line.startswith(("+", "@@"))):
        return False
    if not bare or (parser.wrapper and bare.startswith(parser.wrapper)):
        return True
    if not parser.begun and "<<" in bare:
        words = bare.partition("<<")[0].replace(";", " ").replace("&", " ").replace("'", " ").replace('"', " ").split()
        if "cd" in words or "pushd" in words:
            raise PatchkitError("P114", patch_line=parser.number, column=1, found=bare)
        delimiter = _heredoc_word(bare.rpartition("<<")[2].lstrip("-").lstrip())
        if delimiter:
            _open_wrapper(parser, "P903", delimiter, bare)
            return True
    if not parser.begun and bare.startswith(("```", "~~~")):
        _open_wrapper(parser, "P904", bare[:3], bare)
        return True
    if not parser.prose:
        parser.prose = True
        parser.notes.append(Note("P901", patch_line=parser.number, found=bare))
    return True


def _open_wrapper(parser: Parser, code: str, end: str, line: str) -> None:
    """A patch stands in one wrapper: of many that seem to open, the last is the one to be told of."""
    parser.wrapper = end
    if parser.notes and parser.notes[-1].code == code:
        parser.notes.pop()
    parser.notes.append(Note(code, patch_line=parser.number, found=line))


def _heredoc_word(text: str) -> str:
    """The delimiter a heredoc operator is followed by, without its quotes and what comes after it."""
    if text[:1] in ("'", '"'):
        return text[1:].partition(text[0])[0].rstrip("'\"")
    return (text.split() or [""])[0].strip("'\"\\;|&")


def _blank(parser: Parser, line: str) -> bool:
    if line.strip():
        return False
    parser.blanks += 1
    return True


def _wrapper_closed(parser: Parser, line: str) -> bool:
    if not parser.wrapper or line.strip() != parser.wrapper or not parser.allows("END_PATCH"):
        return False
    parser.notes.append(Note("P912", patch_line=parser.number))
    parser.take_line(END)
    return True


def _idle_end_of_file(parser: Parser, line: str) -> bool:
    if _marker_meant(line) != END_OF_FILE:
        return False
    in_add = isinstance(parser.section, AddFile)
    if not in_add and parser.last not in ("UPDATE_FILE", "MOVE_TO", "END_OF_FILE"):
        return False
    parser.notes.append(Note("P916", patch_line=parser.number))
    return True


def _missing_sign(parser: Parser, line: str) -> bool:
    if not isinstance(parser.section, UpdateFile) or not parser.allows("KEPT"):
        return False
    if line.startswith(("***", "@@", "\\")):
        return False
    parser.take_line(" " + line)
    if parser.hunk is not None:
        parser.hunk.bare = True
        parser.notes.append(Note("P917", patch_line=parser.number, found=line))
    return True


_MENDS = (_marker_spelling, _outside, _blank, _wrapper_closed, _idle_end_of_file, _missing_sign)


# -- readings of whole hunks and of the end ------------------------------------------------------
def read_unified_header(parser: Parser, hunk: Hunk, text: str) -> str:
    """Returns the anchor of `-12,3 +12,4 @@ section` or of `section @@`; the line number becomes a hint."""
    anchor = text
    if text.startswith("-"):
        ranges, _, section = text.partition("@@")
        old, _, new = ranges.strip().partition(" ")
        number = old[1:].partition(",")[0]
        if not number.isdecimal() or not new.startswith("+"):
            return text
        hunk.hint = int(number)
        anchor = section
    elif text.rstrip().endswith("@@"):
        anchor = text.rstrip()[:-2].rstrip()
    if anchor is not text or not anchor.strip(" ."):
        parser.notes.append(Note("P911", patch_line=parser.number, found="@@ " + text))
        anchor = anchor[1:] if anchor.startswith(" ") else anchor
    return "" if not anchor.strip(" .") else anchor


def drop_unified_file_header(parser: Parser) -> None:
    """Drops a first hunk that is none but the `--- a` and `+++ b` of a unified diff: two lines, no `@@` above them."""
    hunk, section = parser.hunk, parser.section
    if not isinstance(section, UpdateFile) or hunk is None or section.hunks != [hunk] or hunk.line != hunk.body_line:
        return
    if hunk.lines[0].startswith("--- ") and hunk.lines[1].startswith("+++ "):
        section.hunks.pop()
        parser.notes.append(Note("P910", patch_line=hunk.line))


def end_without_marker(parser: Parser) -> bool:
    """Whether the text may end here although the grammar wants an End marker."""
    hunk = parser.hunk
    if hunk is not None and len(hunk.lines) > 1 and hunk.lines[-1].strip() == END:
        hunk.lines.pop()
        parser.notes.append(Note("P918", patch_line=parser.number))
        return True
    if parser.closed and parser.allows("END_PATCH"):
        parser.notes.append(Note("P912", patch_line=parser.number))
        return True
    return False


def code_for_no_patch(text: str) -> str:
    """Which refusal helps most when the text holds no Begin marker at all."""
    bare = text.strip()
    lines = bare.split("\n", 400)
    if any(line.startswith("--- ") for line in lines) and any(line.startswith("+++ ") for line in lines):
        return "P108"
    if len(lines) == 1 and 0 < len(bare) < 4096 and "***" not in bare:
        return "P109"
    return "P101"


# -- prose: Text around a patch, passed over at one stroke. Takes what stands before the Begin marker or behind
# the End marker; leaves to `lenience` each line there that may mean something, and notes the first
# that means nothing. Prose may be as long as a patch may be.

_WORDS = ("***", "<<", "```", "~~~")
# Lines that may open a patch, a heredoc or a fence; and lines that may not stand behind a patch, or open a further one.
_BEFORE = re.compile(r"^[^\S\n]*(?:\*\*\*|```|~~~)|<<", re.MULTILINE)
_BEHIND = re.compile(r"^(?:[^\S\n]*\*\*\*|\+|@@)", re.MULTILINE)
_SOLID = re.compile(r"\S[^\n]*")


def pass_over(parser: Parser, text: str) -> str:
    """Takes whole lines as long as they stand outside a patch; returns those from which on they stand inside."""
    position, plain = 0, not parser.begun and not any(word in text for word in _WORDS)
    while position < len(text) and (parser.ended or not parser.begun):
        telling = None if plain else (_BEHIND if parser.begun else _BEFORE).search(text, position)
        stop = len(text)
        if telling is not None:
            stop = text.rfind("\n", position, telling.start() + 1) + 1 or position
        if not parser.prose:
            _note_first(parser, text, position, stop)
        parser.number += text.count("\n", position, stop)
        position = text.find("\n", stop) + 1 or len(text)
        if telling is not None:
            parser.number += 1
            parser.take_line(text[stop : position - 1])
    return text[position:]


def _note_first(parser: Parser, text: str, start: int, stop: int) -> None:
    for found in _SOLID.finditer(text, start, stop):
        bare = found[0].rstrip()
        if not (parser.wrapper and bare.startswith(parser.wrapper)):
            line = parser.number + text.count("\n", start, found.start()) + 1
            parser.notes.append(Note("P901", patch_line=line, found=bare))
            parser.prose = True
            return
