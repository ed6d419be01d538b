"""What the properties are tried on: patches, documents and edits, and how many of each.

Small alphabets on purpose: a defect in matching shows where lines repeat, not where they are long.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from patchkit import PatchkitError
from patchkit.core.language import AddFile, DeleteFile, Hunk, Patch, UpdateFile

NO_NEWLINE = "\\ No newline at end of file"


def examples(count: int) -> settings:
    """The same examples in every run, so that a red build stays red; many more under PATCHKIT_TESTS=full."""
    factor = 5 if os.environ.get("PATCHKIT_TESTS") == "full" else 0.2
    return settings(
        max_examples=max(20, int(count * factor)),
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )


def outcome(call: Callable[..., Any], *arguments: object, **options: object) -> Any:
    """What the call returns, or the refusal it raises; any other exception is a failure of the test."""
    try:
        return call(*arguments, **options)
    except PatchkitError as error:
        return error


# -- patches -------------------------------------------------------------------------------------

# Texts of lines: ordinary ones, those the language gives a meaning elsewhere, those with characters that other
# ideas of a line would break at, and a lone surrogate: a patch carries bytes that are no UTF-8 that way.
TEXTS = [
    *["", "a", "b", "a b", " a", "a ", "\ta", " ", "\t", "ä€𝄞", "-", "+", "@@", "@@ a", "*", "***", "\\"],
    *["*** Begin Patch", "*** End Patch", "*** Add File: a", "*** End of File", "\\ No newline at end of file"],
    *["\x0c", "a\x85b", "\u2028", "a\x1cb", "\ufeffa", "\udcff", "EOF", "```", "-- a", "++ a", "a.py", "<<EOF", "{"],
]
# Characters of the same kinds, for the properties that are about characters.
CHARACTERS = "ab *@+-\\\t.\x0c\x1c\x85\u2028\ufeffä€𝄞\udcff"


def names(texts: list[str] = TEXTS) -> st.SearchStrategy[str]:
    """Names of files and anchors: one line with something on it that is not blank."""
    return st.sampled_from([text for text in texts if text.strip(" \t")])


def hunks(texts: list[str] = TEXTS) -> st.SearchStrategy[Hunk]:
    """Hunks the language can say."""
    line = st.sampled_from([sign + text for sign in " -+" for text in texts])
    return st.builds(
        _sayable_hunk,
        st.lists(names(texts), max_size=2),
        st.lists(line, min_size=1, max_size=5),
        st.booleans(),
        st.sampled_from([None, None, True, False]),
    )


def _sayable_hunk(anchors: list[str], lines: list[str], at_eof: bool, final_newline: bool | None) -> Hunk:
    """The hunk, without what it says of a final newline where no line could carry that."""
    last_kept = max((n for n, line in enumerate(lines) if line[0] == " "), default=-1)
    if final_newline is True and not any(line[0] == "-" for line in lines[last_kept + 1 :]):
        final_newline = None
    if final_newline is False and lines[-1][0] != "+":
        final_newline = None
    return Hunk(anchors, lines, at_eof or final_newline is not None, final_newline)


def patches(texts: list[str] = TEXTS) -> st.SearchStrategy[Patch]:
    """Patches the language can say, of every kind of section."""
    name = names(texts)
    added = st.lists(st.sampled_from(texts), max_size=3).map("\n".join)
    section = st.one_of(
        st.builds(AddFile, name, added | added.map(lambda text: text + "\n")),
        st.builds(DeleteFile, name),
        st.builds(UpdateFile, name, st.none(), st.lists(hunks(texts), min_size=1, max_size=3)),
        st.builds(UpdateFile, name, name, st.lists(hunks(texts), max_size=3)),
    )
    environment = st.none() | st.sampled_from([text for text in texts if text and text == text.strip()])
    return st.builds(Patch, st.lists(section, max_size=3), environment)


@st.composite
def cuts(draw: st.DrawFn, text: str) -> list[str]:
    """The text in pieces, cut anywhere, at one place twice too."""
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[start:stop] for start, stop in zip([0, *places], [*places, len(text)])]


# -- files ---------------------------------------------------------------------------------------

FEW_LINES = st.sampled_from(["", "a", "b", "a ", " a", "\ta", "ä", "\x0c", "a\x85b"])
ENDINGS = (b"\n", b"\r\n", b"\r")


def file_bytes(lines: list[tuple[str, bytes]], bom: bytes = b"") -> bytes:
    return bom + b"".join(text.encode("utf-8", "surrogateescape") + ending for text, ending in lines)


STYLES = st.sampled_from([(b"\n", b"\n"), (b"\r\n", b"\r\n"), (b"\n", b"\r\n"), (b"\r", b"\r")])


def files(texts: st.SearchStrategy[str] = FEW_LINES, max_size: int = 8) -> st.SearchStrategy[list[tuple[str, bytes]]]:
    """A file as its lines and their endings: LF, CRLF, both, or CR alone; the last line may lack one."""
    lines = st.lists(st.tuples(texts, st.integers(0, 1)), max_size=max_size)
    return st.builds(_file, STYLES, lines, st.booleans())


def _file(style: tuple[bytes, bytes], lines: list[tuple[str, int]], ended: bool) -> list[tuple[str, bytes]]:
    made = [(text, style[which]) for text, which in lines]
    if made and made[-1][0] and not ended:
        made[-1] = (made[-1][0], b"")
    return made


def oracle_lines(data: bytes) -> list[tuple[bytes, bytes]]:
    """The lines of a file and their endings, one byte at a time: the slow and obvious way."""
    lone = b"\n" not in data
    found, at = [], 0
    start = 0
    while at < len(data):
        byte = data[at : at + 1]
        at += 1
        if byte == b"\n":
            crlf = at - 2 >= start and data[at - 2 : at - 1] == b"\r"
            found.append((data[start : at - 2], b"\r\n") if crlf else (data[start : at - 1], b"\n"))
            start = at
        elif byte == b"\r" and lone:
            found.append((data[start : at - 1], b"\r"))
            start = at
    if start < len(data):
        found.append((data[start:], b""))
    return found


# -- edits ---------------------------------------------------------------------------------------


class Edit:
    """A file, the hunks that change it, and what it shall be: the hunks cover the file from end to end."""

    def __init__(self, before: list[tuple[str, bytes]], hunks: list[Hunk]) -> None:
        self.before = before
        self.hunks = hunks

    def __repr__(self) -> str:
        return f"Edit({self.before!r}, {[hunk.lines for hunk in self.hunks]!r})"

    @property
    def kept(self) -> list[tuple[str, bytes]]:
        """The lines that no hunk touches, as they are in the file."""
        signs = [line[0] for hunk in self.hunks for line in hunk.lines if line[0] != "+"]
        return [line for line, sign in zip(self.before, signs) if sign == " "]

    @property
    def after(self) -> list[tuple[str, bytes]]:
        """What the file becomes, worked out line by line from the first to the last.

        In a run of changed lines an added line takes the ending of the line it replaces; where there are
        more added than removed, or what it replaces has no ending, that of the last removed line that
        has one, else of the line above the run, else of the next line below.
        """
        out: list[tuple[str, bytes]] = []
        at = 0  # old lines behind us
        for hunk in self.hunks:
            run: list[str] = []
            for line in [*hunk.lines, ""]:
                if line[:1] in ("-", "+"):
                    run.append(line)
                    continue
                removed = sum(each[0] == "-" for each in run)
                texts = [each[1:] for each in run if each[0] == "+"]
                out.extend(zip(texts, endings_for(self.before, at, removed, len(texts))))
                at += removed
                run = []
                if line:
                    out.append(self.before[at])
                    at += 1
        return settled(self.before, out)


def endings_for(before: list[tuple[str, bytes]], at: int, removed: int, added: int) -> list[bytes]:
    old = [ending for _, ending in before[at : at + removed]]
    above = [ending for _, ending in before[:at]]
    below = [ending for _, ending in before[at + removed :]]
    known = [ending for ending in [*reversed(old), *reversed(above), *below, b"\n"] if ending]
    return [old[n] if n < len(old) and old[n] else known[0] for n in range(added)]


def settled(before: list[tuple[str, bytes]], after: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """An unended last line stays unended, whatever line is last now; lines above it are ended.

    A line that was not touched keeps its ending even when it has become the last.
    """
    unended = bool(before) and not before[-1][1]
    if not unended:
        return after
    out = [(text, ending or endings_for(before, len(before) - 1, 0, 1)[0]) for text, ending in after[:-1]]
    if after:
        text, ending = after[-1]
        touched = not any(after[-1] is line for line in before)
        out.append((text, b"" if touched else ending))
    return out


def edits(texts: st.SearchStrategy[str] = FEW_LINES) -> st.SearchStrategy[Edit]:
    """An edit whose hunks follow each other without a gap, so that there is one placement only."""
    added = st.lists(texts, max_size=2)
    row = st.tuples(st.tuples(texts, st.integers(0, 1)), st.sampled_from("  -"), added, st.integers(0, 3))
    return st.builds(_edit, STYLES, st.lists(row, max_size=8), added, st.booleans())


def _edit(style: tuple[bytes, bytes], rows: list[Any], last: list[str], ended: bool) -> Edit:
    """Of each row the old line, its sign, the lines added above it, and whether (0) a hunk begins with it.

    An unended last line is not just taken away: which line is the last then, and whether it is a new one,
    would depend on where the hunks meet.
    """
    before = _file(style, [line for line, _, _, _ in rows], ended)
    if before and not before[-1][1] and not last:
        rows = [*rows[:-1], (rows[-1][0], " ", *rows[-1][2:])]
    parts: list[list[str]] = [[]]
    for (text, _which), sign, added, cut in rows:
        if cut == 0 and any(line[0] != "+" for line in parts[-1]):
            parts.append([])
        parts[-1] += [*("+" + new for new in added), sign + text]
    parts[-1] += ["+" + new for new in last]
    return Edit(before, [Hunk([], part) for part in parts if part])
