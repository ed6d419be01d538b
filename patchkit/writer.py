"""A Patch back to text: the inverse of the parser, for every patch the grammar can say."""

from __future__ import annotations

from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, SpecialFile
from patchkit.errors import PatchkitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


def write(patch: Patch) -> str:
    """Returns the text that parses to `patch`; raises P112 for what the language cannot say.

    Hunks keep the numbers they came with, above lines without an anchor: without one, lines that are only added would
    go to the end of the file. Lines that came without a sign have none: the file decides whether they are removed.
    """
    return write_bare(patch, numbered=True)


def write_bare(patch: Patch, numbered: bool = False) -> str:
    """Returns the text in the plain grammar, in which a hunk has no number."""
    lines = ["*** Begin Patch"]
    if patch.environment_id is not None:
        name = _solid(patch.environment_id, "an empty environment name")
        if name != name.strip(" \t"):
            raise _unsayable("spaces at the ends of an environment name", "leave them out")
        lines.append("*** Environment ID: " + name)
    for section in patch.sections:
        _write_section(section, lines, numbered)
    lines.append("*** End Patch")
    return "\n".join(lines) + "\n"


def _write_section(section: FileOp, lines: list[str], numbered: bool) -> None:
    path = _solid(section.path, "an empty file name")
    if isinstance(section, SpecialFile):
        raise _unsayable(f"the mode, link or binary content of '{path}'", "apply the diff itself")
    if isinstance(section, AddFile):
        lines.append("*** Add File: " + path)
        _write_added(section.text, lines)
    elif isinstance(section, DeleteFile):
        lines.append("*** Delete File: " + path)
    else:
        lines.append("*** Update File: " + path)
        if section.move_to is not None:
            lines.append("*** Move to: " + _solid(section.move_to, "an empty file name"))
        elif not section.hunks:
            raise _unsayable(f"an update of '{path}' that changes nothing", "leave the section out")
        moved = 0  # lines that a hunk begins later in the new file, by those above it
        for hunk in section.hunks:
            opening = len(lines)
            _write_hunk(hunk, lines, hunk.unsigned or () if numbered else ())
            if numbered and hunk.hint is not None and not hunk.anchors:
                lines[opening] = header(hunk, hunk.hint, moved)
            moved += len(hunk.new()) - len(hunk.old())


def header(hunk: Hunk, start: int, moved: int) -> str:
    """The `@@` line of a hunk with numbers; that of a side without lines is the one of the line above."""
    old, new = len(hunk.old()), len(hunk.new())
    return f"@@ -{start},{old} +{start + (not old) + moved - (not new)},{new} @@"


def _write_added(text: str, lines: list[str]) -> None:
    if not text:
        return
    ended = text.endswith("\n")
    lines.extend("+" + line for line in (text[:-1] if ended else text).split("\n"))
    if not ended:
        lines.append("\\ No newline at end of file")


def _write_hunk(hunk: Hunk, lines: list[str], unsigned: Collection[int]) -> None:
    lines.extend(["@@ " + _solid(anchor, "an empty anchor") for anchor in hunk.anchors] or ["@@"])
    if not hunk.lines:
        raise _unsayable("a hunk without lines", "leave the hunk out")
    body = list(hunk.lines)
    for line in body:
        if "\n" in line or line[:1] not in (" ", "-", "+"):
            raise _unsayable(f"the hunk line {line!r}", "use one line a string, with its sign in front")
    body = [line[1:] if row in unsigned else line for row, line in enumerate(body)]
    if hunk.final_newline is not None and not hunk.at_eof:
        raise _unsayable("a final newline in the middle of a file", "mark the hunk as the end of the file")
    if hunk.final_newline is False:
        if body[-1][0] != "+":
            raise _unsayable("a final newline taken from a kept line", "remove the line and add it again")
        removed = max((n for n, line in enumerate(body) if line[0] == "-"), default=-1)
        if hunk.was_unended and removed >= 0:
            body.insert(removed + 1, "\\ No newline at end of file")
        body.append("\\ No newline at end of file")
    elif hunk.final_newline is True:
        removed = max((n for n, line in enumerate(body) if line[0] == "-"), default=-1)
        if removed < 0 or any(line[0] != "+" for line in body[removed + 1 :]):
            raise _unsayable("a final newline given to a kept line", "remove the line and add it again")
        body.insert(removed + 1, "\\ No newline at end of file")
    lines.extend(body)
    if hunk.at_eof and hunk.final_newline is None:
        lines.append("*** End of File")


def _solid(text: str, what: str) -> str:
    if text.lstrip(" \t")[:1] in ("", "\r") or "\n" in text:
        raise _unsayable(what if "\n" not in text else f"a line break in {text!r}", "use a name of one line")
    return text


def _unsayable(what: str, instead: str) -> PatchkitError:
    return PatchkitError("P112", what=what, instead=instead)
