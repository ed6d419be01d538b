"""Find out which edit format a text is in, and read it.

Takes a text and the name of a format, or 'auto'; gives a Foreign. A text that fits two formats is refused: what it
says in one of them is not what it says in the other.
"""

from __future__ import annotations

import re

from patchkit.core.language.lenience import quoted_line
from patchkit.core.language.parser import parse
from patchkit.errors import Note, PatchkitError
from patchkit.formats.model import NAMES, TITLES, Foreign
from patchkit.formats.unified import (
    HunkHeader,
    is_file_header,
    is_hunk_header,
    is_other_diff,
    read_body,
    read_unified,
    without_transfer_encodings,
)

AUTO = "auto"
_SECTIONS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
_COLOUR = r"\x1b\[[0-9;]*[mK]"
_BLANK = " \t\ufeff"  # and what may be in front of a text
_DIFF_MARKS = ("diff --", "--- ", "@@ -")  # one of which is in every text with a diff
FORMATS = (AUTO, *NAMES, "snippet")
# Without them a text that begins like a diff is one: what begins an envelope, and the first line of a block.
_OTHER_MARKS = ("*** Begin Patch", "<SEARCH", "< SEARCH", "-SEARCH", "- SEARCH")


def read_format(text: str, name: str = AUTO, strict: bool = False, strip: int | None = None) -> Foreign:
    """Returns what a text says; under `strict` nothing that needs a note beyond the name of the format.

    `strip` is how many leading parts the paths of a unified diff lose, None where its headers show it.
    """
    if name not in FORMATS:
        raise PatchkitError("P601", option="from", given=name, allowed=", ".join(FORMATS))
    try:
        found = name if name != AUTO else detected(text)
        foreign = _read(text.removeprefix("\ufeff") if found != "v4a" else text, found, strict, strip, name != AUTO)
    except PatchkitError as error:
        if name == AUTO and not strict and error.code in ("P101", "P120", "P122"):
            from patchkit.formats.json_edits import text_in_calls

            inner = text_in_calls(text, _is_readable)
            if inner:
                foreign = read_format(inner, AUTO, strip=strip)
                foreign.notes.insert(0, Note("P901", lenience="json", patch_line=1))
                return foreign
        if "\x1b[" in text and not strict:
            return _uncoloured(text, name, strip, error)
        moved, line = _moved_left(text) if error.code in ("P120", "P122") and not strict else ("", 0)
        if not moved:
            if name != AUTO and error.code == "P122":
                error.facts.update(_other_format(text, name), format=TITLES[name])
            raise
        try:
            found = name if name != AUTO else detected(moved)
            foreign = _read(moved, found, strict, strip, name != AUTO)
        except PatchkitError:
            raise error from None
        foreign.notes[:] = [note for note in foreign.notes if note.facts.get("lenience") != "outside-text"]
        foreign.lenient("outside-text", patch_line=line, found=text.split("\n")[line - 1])
    if strict and foreign.notes:
        raise PatchkitError("P213", what=foreign.notes[0].message, patch_line=foreign.notes[0].facts.get("patch_line"))
    if name == AUTO and found != "v4a":
        foreign.notes.insert(0, Note("P990", format=TITLES[found]))
    return foreign


def _other_format(text: str, name: str) -> dict[str, str]:
    """Which format a text is in that was named wrongly: one that it can be read in."""
    if not _is_readable(text):
        return {}
    found = detected(text)
    try:
        if found != name:
            _read(text, found, False, None, False)
            return {"other": found, "title": TITLES[found]}
    except PatchkitError:
        pass
    return {}


def _uncoloured(text: str, name: str, strip: int | None, error: PatchkitError) -> Foreign:
    """What a text says without the colours of a terminal; raises the error where it says nothing then either."""
    plain = re.sub(_COLOUR, "", text)
    if "\x1b[" in plain:
        raise error  # and not the colours of a program's output alone
    try:
        foreign = read_format(plain, name, strip=strip)
    except PatchkitError:
        raise error from None
    foreign.lenient("outside-text", patch_line=1, found="colours of a terminal")
    return foreign


def _is_readable(text: str) -> bool:
    """Whether a text is in a format that has marks of its own: a fence may be about anything."""
    try:
        return detected(text) in ("v4a", "unified", "search-replace")
    except PatchkitError:
        return False


def _moved_left(text: str) -> tuple[str, int]:
    """The text with its indented fences, as an item of a list has them, at the margin; and the line of the first."""
    lines = text.split("\n")
    margin, first = "", 0
    for number, line in enumerate(lines):
        bare = line.lstrip(" \t")
        fence = bare.startswith(("```", "~~~"))
        if fence and not margin and line != bare:
            margin, first = line[: len(line) - len(bare)], first or number + 1
            if number and lines[number - 1].startswith(margin):
                lines[number - 1] = lines[number - 1][len(margin) :]
            lines[number] = bare
        elif margin and line.startswith(margin):
            lines[number] = line[len(margin) :]
            margin = "" if fence and line == margin + bare else margin
        elif margin and line.strip():
            return "", 0  # the fence does not keep its margin
    return ("\n".join(lines), first) if first else ("", 0)


def _read(text: str, name: str, strict: bool, strip: int | None, named: bool) -> Foreign:
    if name == "v4a":
        foreign = Foreign("v4a")
        patch = parse(text, strict)
        foreign.sections += patch.sections
        foreign.notes += patch.notes
        return foreign
    if name == "unified":
        return read_unified(text, strip)
    # Each format loads its own reader: most texts are patches or diffs.
    if name == "search-replace":
        from patchkit.formats.blocks import read_blocks

        return read_blocks(text, named)
    from patchkit.formats.json_edits import json_kind, read_json_edits, read_json_files, read_operations
    from patchkit.formats.whole_files import read_whole_files

    if name == "json-edits":
        return read_json_edits(text)
    if name == "openai-ops":
        return read_operations(text, strict)
    if name == "snippet":
        return read_whole_files(text, name)
    return read_json_files(text) if json_kind(text) == "whole-file" else read_whole_files(text)


def detected(text: str) -> str:
    """The one format that a text is in; raises P120 where it is in none, P121 where it could be in several."""
    if text.startswith(("diff --git ", "--- ")) and _is_all_diff(text):
        return "unified"
    from patchkit.formats.blocks import CLOSE  # for texts that are not plainly a diff
    from patchkit.formats.fields import has_elements
    from patchkit.formats.json_edits import json_kind, looks_like_edits

    start = text.lstrip()[:1]
    kind = json_kind(text) if start in ("{", "[") or (start == "<" and has_elements(text)) else ""
    if kind:
        return kind
    lines = text.split("\n")
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    if "@@ -" in text:
        lines = _outside_hunks(lines)
    found = []
    if "*** Begin Patch" in text and _has_envelope(lines):
        found.append("v4a")
    outside = _outside_blocks(lines)
    if len(outside) < len(lines):
        found.append("search-replace")
    if any(mark in text for mark in _DIFF_MARKS) and _has_diff(
        outside if "v4a" not in found else _outside_envelope(lines)
    ):
        found.append("unified")
    if not found:
        kind = json_kind(text)
        if not kind and "ransfer-" in text:  # a mail whose body can be read only without its transfer encoding
            decoded = [line.removesuffix("\r") for line in without_transfer_encodings(text).split("\n")]
            kind = "unified" if _has_diff(decoded) else ""
        found = [kind] if kind else []
    if not found and any(line.startswith(("```", "~~~")) for line in lines):
        if any(map(CLOSE.match, lines)):
            return "search-replace"  # whose reader says what is wrong
        found = ["search-replace", "whole-file"] if _has_markers(lines) else ["whole-file"]
    if not found and looks_like_edits(text):
        return "json-edits"  # whose reader says what is wrong
    if not found and is_other_diff(lines):
        return "unified"  # whose reader says so
    if not found and any(line.startswith(_SECTIONS) for line in lines):
        return "v4a"  # without its first line
    if not found:
        quoted = quoted_line(text.split("\n"))
        raise PatchkitError("P120", patch_line=quoted or 1, quoted=bool(quoted))
    if len(found) > 1:
        raise PatchkitError("P121", formats=" and ".join(TITLES[each] for each in found), patch_line=1)
    return found[0]


def _is_all_diff(text: str) -> bool:
    """Whether a text begins with a file of a diff, and has no mark of another format, not even in its lines."""
    if text.startswith("--- ") and not is_file_header(text.split("\n", 3)[:3], 0):
        return False
    return not any(mark in text for mark in _OTHER_MARKS)


def _outside_hunks(lines: list[str]) -> list[str]:
    """The lines that are not the body of a hunk whose counts are right: what looks like a marker there is content."""
    found: list[str] = []
    at = 0
    while at < len(lines):
        found.append(lines[at])
        at += 1
        if lines[at - 1].startswith("@@ -"):
            header = HunkHeader(lines[at - 1])
            body = read_body(lines, at, header) if header.old is not None else None
            if body is not None and body.counted and not body.notes:
                at = body.stop
    return found


def _has_envelope(lines: list[str]) -> bool:
    if any(line.strip(_BLANK) == "*** Begin Patch" for line in lines):
        return True
    return len(lines) < 3 and any("*** Begin Patch" in line for line in lines)  # in JSON, or with literal line ends


def _outside_envelope(lines: list[str]) -> list[str]:
    """The lines above the first marker of an envelope and below the last: what is between them is its own."""
    markers = ("*** Begin Patch", "*** End Patch")
    found = [number for number, line in enumerate(lines) if line.strip(_BLANK) in markers]
    return [*lines[: found[0]], *lines[found[-1] + 1 :]] if found else lines


def _has_markers(lines: list[str]) -> bool:
    """Whether lines look like the markers of a block, or of a conflict: they must not become the text of a file."""
    wanted = ["<<<<<", "=====", ">>>>>"]
    for line in lines:
        if wanted and line.startswith(wanted[0]):
            wanted.pop(0)
    return not wanted


def _outside_blocks(lines: list[str]) -> list[str]:
    """The lines that are not in search/replace blocks."""
    from patchkit.formats.blocks import CLOSE, OPEN, marked

    found: list[str] = []
    behind = 0  # the line behind what is in `found`, or in a block
    within = False
    for number in marked(lines):
        if OPEN.match(lines[number]):
            found += lines[behind:number] if not within else []
            within = True
        if CLOSE.match(lines[number]):
            found += lines[behind : number + 1] if not within else []
            within = False
            behind = number + 1
    return found if within else found + lines[behind:]


def _has_diff(lines: list[str]) -> bool:
    for at, line in enumerate(lines):
        if line.startswith(("diff --git ", "diff --cc ", "diff --combined ")) or is_file_header(lines, at):
            return True
        if line.startswith("@@ -") and is_hunk_header(line) and line.rstrip().count("@@") > 1:
            return True
    return False
