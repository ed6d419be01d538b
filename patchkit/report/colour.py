"""Colour for what people read on a screen.

Takes text as it goes into a pipe; gives it as a screen should show it. Colour goes around the parts and changes none
of them: taking the escape codes out gives the text back. Only the diff and the names of files may hold characters
that would act on a terminal instead of being seen, and those are shown here, with or without colour.

Only the sixteen colours of the terminal's own palette are used, so a light screen is as readable as a dark one.
"""

from __future__ import annotations

import re

from patchkit.report.width import shown_char

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Pen = Callable[[str, str], str]  # takes a style and a text, gives the text in that style

_STYLES = {
    "error": "1;31",
    "note": "1;32",
    "help": "1;36",
    "strong": "1",
    "frame": "1;34",
    "wrong": "1;31",
    "there": "1;34",
    "good": "1;32",
    "added": "32",
    "removed": "31",
    "changed": "33",
    "place": "36",
    "faint": "2",
}


def ink(style: str, text: str) -> str:
    """Text in one of the styles."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if text else ""


def plain(_style: str, text: str) -> str:
    """Text as it is: the pen for a screen without colour."""
    return text


# -- errors and notes ----------------------------------------------------------------------------

_OPENING = re.compile(r"(error|note)(\[P\d{3}\])(: .*)")
_PLACE = re.compile(r"( +(?:-->|:::))( .*)")
_FRAME = re.compile(r"( *\d* \|)( .*)?")
_MARK = re.compile(r"( +\|)( +)(\^+|-)( .+)?")
_HELP = re.compile(r"(  = )(help)(: .*)")


def diagnostics(text: str, pen: Pen = ink) -> str:
    """Errors and notes as `report.diagnostics` renders them; a line that is none of theirs stays as it is."""
    return "\n".join(_diagnostic(line, pen) for line in text.split("\n"))


def _diagnostic(line: str, pen: Pen) -> str:
    if found := _OPENING.fullmatch(line):
        kind, words = found[1], found[3]
        return pen(kind, kind + found[2]) + (pen("strong", words) if kind == "error" else words)
    if found := _HELP.fullmatch(line):
        return pen("frame", found[1]) + pen("help", found[2]) + found[3]
    if found := _PLACE.fullmatch(line):
        return pen("frame", found[1]) + found[2]
    if found := _MARK.fullmatch(line):
        style = "wrong" if found[3].startswith("^") else "there"
        return pen("frame", found[1]) + found[2] + pen(style, found[3] + (found[4] or ""))
    if found := _FRAME.fullmatch(line):
        return pen("frame", found[1]) + (found[2] or "")
    return line


# -- questions -----------------------------------------------------------------------------------


def heading(text: str, pen: Pen = ink) -> str:
    """A line that says what follows."""
    return pen("strong", text.rstrip("\n")) + text[len(text.rstrip("\n")) :]


def question(text: str, pen: Pen = ink) -> str:
    return pen("frame", text.rstrip(" ")) + text[len(text.rstrip(" ")) :]


# -- what was done -------------------------------------------------------------------------------

_LETTERS = {"A ": "added", "M ": "changed", "D ": "removed"}


def summary(text: str, pen: Pen = ink) -> str:
    """The lines that tell which files changed: the verdict in green, every letter in its colour."""
    verdict, stop, rest = text.partition(".")
    first, *lines = rest.split("\n")
    files = [pen(_LETTERS[line[:2]], line[:2]) + _seen(line[2:]) if line[:2] in _LETTERS else line for line in lines]
    return "\n".join([pen("good", verdict + stop) + first, *files])


_STAT = re.compile(r"( .* \| +\d+ ?)(\+*)(-*)")
_COUNTS = re.compile(r" \d+ files? changed.*")


def stat(text: str, pen: Pen = ink) -> str:
    """The table of `report.stat`: pluses and minuses in their colours."""
    lines = []
    for line in text.split("\n"):
        found = None if _COUNTS.fullmatch(line) else _STAT.fullmatch(line)
        lines.append(found[1] + pen("added", found[2]) + pen("removed", found[3]) if found else line)
    return "\n".join(lines)


_RANGES = re.compile(r"(@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@)(.*)")


def diff(data: bytes, pen: Pen = ink) -> str:
    """A unified diff. A line inside a hunk is told from a header by counting, as every reader of diffs does."""
    out, old, new = [], 0, 0
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        sign = line[:1]
        if old > 0 or new > 0:
            old -= sign in ("-", " ")
            new -= sign in ("+", " ")
            style = {"-": "removed", "+": "added"}.get(sign)
            out.append(pen(style, _seen(line)) if style else _seen(line))
        elif found := _RANGES.fullmatch(line):
            old, new = int(found[2] or 1), int(found[3] or 1)
            out.append(pen("place", found[1]) + _seen(found[4]))
        else:
            out.append(line if sign == "\\" else pen("strong", _seen(line)))
    return "\n".join(out)


def _seen(text: str) -> str:
    """Text whose every character is seen on a screen. Tabs stay: there they are what the file's reader sees."""
    return text if text.isprintable() else "".join(c if c == "\t" else shown_char(c) for c in text)
