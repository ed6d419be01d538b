"""Turn a patch round: the patch that takes it back.

Takes a Patch, and the files as they are after it; gives the swapped Patch for the ordinary path. What a patch does
not say cannot be taken back: the content of a file that it deletes, and the place of lines that it removed with
nothing around them. A text in another edit format is turned round before the files are looked at: a unified diff
says what a deleted file had, and at which lines hunks are.
"""

from __future__ import annotations

from patchkit.core.changes import Files
from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile, swapped
from patchkit.errors import PatchkitError, raise_all
from patchkit.formats.model import (
    TITLES,
    Block,
    CopyFile,
    Foreign,
    ForeignOp,
    TextEdit,
    Unsayable,
)
from patchkit.formats.special_files import GitUpdate
from patchkit.repair.based import deleted_content_unknown


def reversed_patch(patch: Patch, files: Files) -> Patch:
    """Returns the patch that undoes `patch`; raises for sections that do not say enough, and for changed new files."""
    said = Foreign("v4a")
    said.sections += patch.sections
    made = [each for each in reversed_foreign(said, files).sections if isinstance(each, FileOp)]
    return Patch(made, patch.environment_id, patch.notes)


def _check_new_name(path: str | None) -> None:
    """Raises for a name that a file would get without the whitespace at its ends."""
    if path is not None and path != path.strip(" \t"):
        what = f"whitespace at the ends of the name '{path}', for a file that gets it back"
        raise PatchkitError("P112", file=path, what=what, instead="rename the file with mv")


def _is_the_text(data: bytes, text: str) -> bool:
    """Whether a file is what an Add made of it; which line endings it got is the workspace's choice."""
    return data.replace(b"\r\n", b"\n") == text.encode("utf-8", "surrogateescape").replace(b"\r\n", b"\n")


def _reversed_hunk(hunk: Hunk, path: str) -> Hunk:
    """The hunk with removed and added lines changed over: in each run of changes what is removed comes first."""
    if not hunk.new() and not hunk.at_eof and hunk.hint is None:  # planning judges a line number
        raise PatchkitError("P209", file=path, patch_line=hunk.line, line=hunk.hint, taken_back=True)
    lines: list[str] = []
    run: list[str] = []
    for line in swapped([*hunk.lines, " "]):
        if line[0] != " ":
            run.append(line)
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


def reversed_foreign(foreign: Foreign, files: Files | None = None) -> Foreign:
    """Returns the text of another format turned round; raises for what does not say how it was before.

    Where there are `files`, what it adds is compared with them; else that is left to what asks for its deletion.
    """
    made = Foreign(foreign.name)
    made.notes = foreign.notes
    made.spelled, made.preferred = foreign.spelled, foreign.preferred
    made.unsure = foreign.unsure
    errors: list[PatchkitError] = []
    # Blocks that change lines are all for the same text, and in the order of the file as they are.
    alike = all(isinstance(each, Block) and any(map(str.strip, each.search)) for each in foreign.sections)
    for section in foreign.sections if alike else reversed(foreign.sections):
        try:
            made.sections.append(_reversed_op(section, foreign, made, files))
        except PatchkitError as error:
            errors.insert(0, error)
    raise_all(errors)
    return made


def _reversed_op(section: ForeignOp, foreign: Foreign, made: Foreign, files: Files | None) -> ForeignOp:
    if isinstance(section, GitUpdate):
        if section.forward is not None and section.backward is None:
            what = f"the binary content that '{section.path}' had"
            raise PatchkitError("P112", file=section.path, what=what, instead="take it back with patchkit undo")
        return _turned(section)
    if isinstance(section, AddFile):
        entry = files.find(section.path, False) if files is not None else None
        if entry is not None and entry.kind == "file" and not _is_the_text(entry.data, section.text):
            raise PatchkitError("P128", file=section.path, patch_line=section.line)
        made.deleted[section.path, section.line] = section
        return DeleteFile(section.path, section.line)
    if isinstance(section, DeleteFile):
        if (section.path, section.line) not in foreign.deleted:
            raise deleted_content_unknown(section)
        _check_new_name(section.path)
        return foreign.deleted[section.path, section.line]
    if isinstance(section, UpdateFile):
        path, moved = section.move_to or section.path, section.path if section.move_to else None
        _check_new_name(moved)
        if (section.path, section.line) in foreign.blobs:
            made.blobs[path, section.line] = foreign.blobs[section.path, section.line][::-1]
        turned = UpdateFile(path, moved, _reversed_hunks(section.hunks, path), section.line)
        turned.move_line = section.move_line
        return turned
    if isinstance(section, Block) and any(line.strip() for line in section.replace):
        if any(line.strip() for line in section.search):
            return Block(section.path, section.replace, section.search, section.line)
        text = "".join(line + "\n" for line in section.replace)
        made.deleted[section.path, section.line] = AddFile(section.path, text)
        return DeleteFile(section.path, section.line)
    if isinstance(section, TextEdit) and section.old and section.new and not section.every and not section.count:
        return TextEdit(section.path, section.new, section.old, line=section.line)
    if isinstance(section, TextEdit) and not section.old and section.after is None:
        made.deleted[section.path, section.line] = AddFile(section.path, section.new)
        return DeleteFile(section.path, section.line)
    if isinstance(section, Unsayable):
        return section
    if isinstance(section, CopyFile):
        if (section.to, section.line) in foreign.blobs:
            made.blobs[section.to, section.line] = foreign.blobs[section.to, section.line][::-1]
        else:
            made.copies.append(section)
        return DeleteFile(section.to, section.line)
    what = f"what '{section.path}' was before, from {TITLES[foreign.name]}"
    raise PatchkitError(
        "P112", file=section.path, patch_line=section.line or None, what=what, instead="take it back with patchkit undo"
    )


def _turned(op: GitUpdate) -> GitUpdate:
    """What takes back a section that only a diff of git can say."""
    path, moved = op.move_to or op.path, op.path if op.move_to else None
    _check_new_name(moved)
    made = GitUpdate(path, moved, _reversed_hunks(op.hunks, path), op.line, (op.modes[1], op.modes[0]))
    made.content, made.was = op.was, op.content
    made.forward, made.backward, made.blobs = op.backward, op.forward, (op.blobs[1], op.blobs[0])
    return made


def _reversed_hunks(hunks: list[Hunk], path: str) -> list[Hunk]:
    """The hunks of a diff turned round, with the line numbers of the new file, which follow from those of the old."""
    made = []
    moved = 0
    for hunk in hunks:
        old, new = len(hunk.old()), len(hunk.new())
        turned = _reversed_hunk(hunk, path)
        if hunk.hint is not None:  # the number of a hunk without lines is that of the line above
            turned.hint = max(hunk.hint + (not old) + moved - (not new), 0)
        turned.numbers = hunk.numbers and (*hunk.numbers[2:], *hunk.numbers[:2])
        moved += new - old
        made.append(turned)
    return made
