"""Turn a patch round: the patch that takes it back.

Takes a Patch, and the files as they are after it; gives the swapped Patch for the ordinary path. What a patch does
not say cannot be taken back: the content of a file that it deletes, and the place of lines that it removed with
nothing around them.
"""

from __future__ import annotations

from patchkit.errors import PatchkitError, raise_all
from patchkit.language.model import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.changes.sources import Files

_SWAPPED = {" ": " ", "-": "+", "+": "-"}


def reversed_patch(patch: Patch, files: Files, before: Files | None = None) -> Patch:
    """Returns the patch that undoes `patch`; raises for sections that do not say enough, and for changed new files.

    `before` has the files that the patch deletes, where they are known.
    """
    made: list[FileOp] = []
    errors: list[PatchkitError] = []
    for section in reversed(patch.sections):
        try:
            made.append(_reversed_section(section, files, before))
        except PatchkitError as error:
            errors.insert(0, error)
    raise_all(errors)
    return Patch(made, patch.environment_id, patch.notes)


def _reversed_section(section: FileOp, files: Files, before: Files | None) -> FileOp:
    if isinstance(section, AddFile):
        entry = files.find(section.path, False)
        if entry.kind == "file" and not _is_the_text(entry.data, section.text):
            raise PatchkitError("P128", file=section.path, patch_line=section.line)
        return DeleteFile(section.path, section.line)
    if isinstance(section, DeleteFile):
        known = before.find(section.path, False) if before is not None else None
        if known is not None and known.kind == "file":
            return AddFile(section.path, known.data.decode("utf-8", "surrogateescape"), section.line)
        what = f"the content of '{section.path}', which the patch deletes, to add it again"
        instead = f"take it from where it is known: git checkout REV -- {section.path}, or patchkit undo"
        raise PatchkitError("P112", file=section.path, patch_line=section.line, what=what, instead=instead)
    path, moved = section.move_to or section.path, section.path if section.move_to else None
    made = UpdateFile(path, moved, [_reversed_hunk(hunk, path) for hunk in section.hunks], section.line)
    made.move_line = section.move_line
    return made


def _is_the_text(data: bytes, text: str) -> bool:
    """Whether a file is what an Add made of it; which line endings it got is the workspace's choice."""
    return data.replace(b"\r\n", b"\n") == text.encode("utf-8", "surrogateescape").replace(b"\r\n", b"\n")


def _reversed_hunk(hunk: Hunk, path: str) -> Hunk:
    """The hunk with removed and added lines changed over: in each run of changes what is removed comes first."""
    if not hunk.new() and not hunk.at_eof:
        raise PatchkitError("P209", file=path, patch_line=hunk.line, line=hunk.hint or "none")
    lines: list[str] = []
    run: list[str] = []
    for line in [*hunk.lines, " "]:
        if line[0] != " ":
            run.append(_SWAPPED[line[0]] + line[1:])
            continue
        lines += [each for each in run if each[0] == "-"] + [each for each in run if each[0] == "+"]
        lines.append(line)
        run = []
    made = Hunk(list(hunk.anchors), lines[:-1], hunk.at_eof, line=hunk.line)
    made.bare, made.body_line = hunk.bare, hunk.body_line
    if hunk.final_newline is not None:
        made.final_newline = not hunk.final_newline and not hunk.was_unended
        made.was_unended = not hunk.final_newline
    return made
