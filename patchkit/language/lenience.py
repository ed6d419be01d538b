"""What the parser forgives beyond the grammar: one row of `LENIENCES` each, with a name and a note.

Takes text that the grammar refuses, or would read in a way that was not meant, and gives the text to go on
with. Only slips with one possible meaning are here: where a reading could lose or invent content, there is
none. Under `--strict` nothing of this runs.

To add a lenience: its function and its row here (a function about what is around a patch goes into `wrapping`),
its note in the catalogue, its row in docs/language.md, its section in docs/errors.md, and a scenario.
"""

from __future__ import annotations

from patchkit.errors import Note
from patchkit.language._grammar import KINDS
from patchkit.language.model import AddFile, UpdateFile
from patchkit.language.wrapping import (
    BEGIN,
    END,
    Unwrapped,
    byte_order_mark,
    carriage_returns,
    fence,
    heredoc,
    indentation,
    json_call,
    literal_newlines,
    outside_text,
)
from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from patchkit.language.wrapping import Reading

    # Where a lenience applies, and what its function gets as text there:
    # text    the whole patch text, before the first line is read
    # line    a line that the grammar refuses at this point and that is not blank
    # blanks  blank lines without a sign: the kind of the line after them
    # anchor  the text after `@@ `
    # hunk    the end of a hunk of two lines, with another hunk after it: ''
    # end     the end of the text, where the grammar wants more: ''
    Where = Literal["text", "line", "blanks", "anchor", "hunk", "end"]

END_OF_FILE = "*** End of File"


class Lenience(Value):
    """One slip that is forgiven: its note, its name, what it is in words, where it applies, and how it is read.

    `read` takes the reading (for `text`: the Unwrapped) and the text at that place. It returns the text to go on
    with, '' if nothing is left to read, and None if the text does not have this slip.
    """

    __slots__ = ("code", "name", "words", "where", "read")
    code: str
    name: str
    words: str
    where: tuple[Where, ...]
    read: Callable[..., str | None]

    def __init__(self, code: str, name: str, words: str, read: Callable[..., str | None], *where: Where) -> None:
        self.code = code
        self.name = name
        self.words = words
        self.read = read
        self.where = where


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
    reading.notes.append(Note("P906", patch_line=reading.number, found=line, meant=meant))
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
    reading.notes.append(Note("P915", patch_line=reading.number))
    return ""


def _no_end_marker(reading: Reading, line: str) -> str | None:
    """The End marker may be missing at the line that closes the wrapper, and at the end of a closed JSON string."""
    shown = line.strip() == reading.wrapper if line else reading.closed
    if not shown or not reading.allows("END_PATCH"):
        return None
    reading.notes.append(Note("P912", patch_line=reading.number))
    return END


def _idle_end_of_file(reading: Reading, line: str) -> str | None:
    if _marker_meant(line) != END_OF_FILE:
        return None
    in_add = isinstance(reading.section, AddFile)
    if not in_add and reading.last not in ("UPDATE_FILE", "MOVE_TO", "END_OF_FILE"):
        return None
    reading.notes.append(Note("P916", patch_line=reading.number))
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
        reading.notes.append(Note("P917", patch_line=reading.number, found=line))
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
        reading.notes.append(Note("P919", patch_line=reading.number, file=section.path, found=line))
    return "+" + line


# -- blank lines, hunks, the end -----------------------------------------------------------------


def _bare_blank(reading: Reading, kind: str) -> str | None:
    """Blank lines before more of the same body are empty lines of it; without pluses also those at its end."""
    if isinstance(reading.section, AddFile):
        if reading.last != "ADDED" or (kind != "ADDED" and not reading.plus_missing):
            return None
    elif reading.hunk is None or not reading.allows("KEPT") or kind not in ("KEPT", "REMOVED", "ADDED", "END_OF_FILE"):
        return None
    reading.take_empty_lines(reading.blanks)
    reading.notes.append(Note("P907", patch_line=reading.number - reading.blanks))
    return ""


def _blank_between(reading: Reading, _kind: str) -> str:
    reading.spaced = True
    reading.notes.append(Note("P902", patch_line=reading.number - reading.blanks))
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
    reading.notes.append(Note("P911", patch_line=reading.number, found="@@ " + text))
    return anchor.removeprefix(" ") if anchor.strip(" .") else ""


def _numbers(old: str, new: str) -> tuple[int, int, int, int] | None:
    """Where the old and the new lines begin and how many they are, from `12,3` and `12,4`; a missing count is 1."""
    found = [each.partition(",") for each in (old, new)]
    words = [word for start, comma, count in found for word in (start, count if comma else "1")]
    if not all(word.isdecimal() and word.isascii() and len(word) < 16 for word in words):
        return None
    a, b, c, d = map(int, words)
    return a, b, c, d


def _unified_file_header(reading: Reading, _text: str) -> str | None:
    """Drops a first hunk that is only the `--- a` and `+++ b` of a unified diff: two lines, no `@@` above them."""
    hunk, section = reading.hunk, reading.section
    if not isinstance(section, UpdateFile) or hunk is None or section.hunks != [hunk] or hunk.line != hunk.body_line:
        return None
    if not hunk.lines[0].startswith("--- ") or not hunk.lines[1].startswith("+++ "):
        return None
    section.hunks.pop()
    reading.notes.append(Note("P910", patch_line=hunk.line))
    return ""


def _indented_end(reading: Reading, _text: str) -> str | None:
    hunk = reading.hunk
    if hunk is None or len(hunk.lines) < 2 or hunk.lines[-1].strip() != END:
        return None
    hunk.lines.pop()
    reading.notes.append(Note("P918", patch_line=reading.number))
    return ""


# In the order in which they are tried. The names and words are those of docs/language.md.
LENIENCES = (
    Lenience(
        "P905", "byte-order-mark", "a byte order mark, and UTF-16 or UTF-32 text that has one", byte_order_mark, "text"
    ),
    Lenience("P913", "json", "the patch inside a JSON tool call", json_call, "text"),
    Lenience(
        "P914",
        "literal-newlines",
        "a patch on one line whose line ends are written as backslash and n",
        literal_newlines,
        "text",
    ),
    Lenience("P909", "carriage-returns", "CRLF line ends in the patch", carriage_returns, "text"),
    Lenience("P908", "indented", "a patch indented as a whole", indentation, "text"),
    Lenience(
        "P906",
        "marker-spelling",
        "a marker with spaces around it, stars after it, no space after its colon, other case",
        _marker_spelling,
        "line",
    ),
    Lenience(
        "P915",
        "several-envelopes",
        "several envelopes one after the other, taken as one patch",
        _several_envelopes,
        "line",
    ),
    Lenience("P903", "heredoc", "a heredoc around the patch, with any command and any delimiter", heredoc, "line"),
    Lenience("P904", "fence", "a Markdown fence around the patch", fence, "line"),
    Lenience("P901", "outside-text", "text before the Begin marker or after the End marker", outside_text, "line"),
    Lenience("P918", "indented-end", "an indented End marker on the last line", _indented_end, "end"),
    Lenience(
        "P912",
        "no-end-marker",
        "no End marker, where a closed heredoc, fence or JSON string shows that nothing is missing",
        _no_end_marker,
        "line",
        "end",
    ),
    Lenience("P916", "idle-end-of-file", "an End of File marker where it says nothing", _idle_end_of_file, "line"),
    Lenience("P917", "missing-sign", "context lines without their leading space", _missing_sign, "line"),
    Lenience("P919", "missing-plus", "lines of a new file without their plus", _missing_plus, "line"),
    Lenience(
        "P907",
        "bare-blank",
        "a blank line inside a body without its sign, read as an empty line of that body",
        _bare_blank,
        "blanks",
    ),
    Lenience("P902", "blank-between", "blank lines between sections and hunks", _blank_between, "blanks"),
    Lenience(
        "P911",
        "unified-hunk-header",
        "`@@ -1,3 +1,4 @@ text`: the number is a hint, the text an anchor",
        _unified_hunk_header,
        "anchor",
    ),
    Lenience(
        "P910",
        "unified-file-header",
        "`--- a` and `+++ b` lines at the top of an Update section",
        _unified_file_header,
        "hunk",
    ),
)
_AT: dict[Where, list[Lenience]] = {}
for _lenience in LENIENCES:
    for _where in _lenience.where:
        _AT.setdefault(_where, []).append(_lenience)
