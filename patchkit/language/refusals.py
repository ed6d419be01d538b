"""Why a line cannot stand where it stands.

Takes the parser and the line that its tables refuse; gives the error that says what is wrong there. Loaded when there
is something to refuse.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.language._grammar import KINDS
from patchkit.language.model import AddFile, UpdateFile
from patchkit.language.parser import HEADED_LINES, Parser

_OPENINGS = {name: opening for name, opening, _ in KINDS}


def unexpected(parser: Parser, line: str, kind: str) -> PatchkitError:
    """The error for a line of this kind: its place, what was found, what may stand there."""
    place: dict[str, object] = {"patch_line": parser.number, "column": 1, "found": line}
    if isinstance(parser.section, (UpdateFile, AddFile)):
        place["file"] = parser.section.path
    place["expected"] = [_OPENINGS[name] for name in parser.expected]
    for opening, _name in HEADED_LINES:
        if line.rstrip() == opening.rstrip() and opening != "@@ ":
            return PatchkitError("P104", **{**place, "column": len(line.rstrip()) + 1})
    if not parser.begun:
        return PatchkitError("P101", **place)
    if parser.last in ("ANCHOR", "BARE_ANCHOR"):
        return PatchkitError("P106", **{**place, "patch_line": parser.hunk.body_line - 1})  # type: ignore[union-attr]
    if parser.last == "UPDATE_FILE" and kind in ("ADD_FILE", "DELETE_FILE", "UPDATE_FILE", "END_PATCH"):
        return PatchkitError("P105", **{**place, "patch_line": parser.section.line})  # type: ignore[union-attr]
    if type(parser.section) is AddFile and kind in ("", "KEPT", "REMOVED"):
        return PatchkitError("P107", **place)
    return PatchkitError("P103", **place)


def unended(parser: Parser) -> PatchkitError:
    """The error for a text that is over before the patch is, or before it has begun."""
    if not parser.begun:
        return PatchkitError("P101", patch_line=1, column=1, found="", expected=[_OPENINGS["BEGIN_PATCH"]])
    return PatchkitError("P102", patch_line=parser.number, column=1, found="", expected=[_OPENINGS["END_PATCH"]])
