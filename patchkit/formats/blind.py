"""Write what a text in one edit format says in another, without any file.

Takes a Foreign; gives the text. The line numbers of a diff stay as hints, and formats that need the files are refused.
"""

from __future__ import annotations

from itertools import accumulate

from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.core.language.parser import parse
from patchkit.core.language.writer import write
from patchkit.errors import PatchkitError, raise_all
from patchkit.formats.blocks import SAME, write_blocks
from patchkit.formats.foreign import block_hunk
from patchkit.formats.json_edits import write_json_edits, write_operations
from patchkit.formats.making import leave_final_newlines
from patchkit.formats.model import TITLES, Block, CopyFile, Foreign, TextEdit, Unsayable, WholeFile, shell_word
from patchkit.formats.paths import is_spaced, is_word
from patchkit.formats.unified import NOT_ENDED
from patchkit.formats.whole_files import write_whole_files


def write_blind(foreign: Foreign, name: str, portable: bool = False) -> bytes:
    """Returns a text in the format `name` for what another text says; its notes get those about what is left out.

    Line numbers stay as hints in our own language; `portable` leaves them out.
    """
    return _written(foreign, name, portable).encode("utf-8", "surrogateescape")


def _written(foreign: Foreign, name: str, portable: bool) -> str:
    patch = _patch_alone(foreign)
    if name == "v4a":
        _prove_text(patch)
        if portable:
            leave_final_newlines(patch)
            foreign.notes += patch.notes
        return write(patch) if portable else write_numbered(patch)
    if name == "unified":
        return write_unified_patch(patch)
    if name == "openai-ops":
        return write_operations(_without_moves(patch))
    blocks = [block for section in patch.sections for block in _blocks_alone(section, name)]
    if name == "search-replace":
        return write_blocks(blocks)
    if name == "json-edits":
        edits = [_edit_alone(block) for block in blocks]
        return write_json_edits(edits)
    if any(block.search for block in blocks):
        raise _needs_files("whole files")
    files = [WholeFile(block.path, "".join(line + "\n" for line in block.replace)) for block in blocks]
    return write_whole_files(files)


def _patch_alone(foreign: Foreign) -> Patch:
    sections: list[FileOp] = []
    errors: list[PatchkitError] = []
    updates: dict[str, UpdateFile] = {}
    named: set[int] = set()  # lines of blocks whose path is not that of the block before
    for each in foreign.sections:
        if isinstance(each, Block) and each.line in foreign.unsure:
            each = _named_alone(each, foreign.unsure[each.line], named)
        if isinstance(each, Block) and not each.path:
            errors.append(PatchkitError("P126", patch_line=each.line))
        elif isinstance(each, Block) and each.doubt is not None:
            errors.append(each.doubt)
        elif isinstance(each, Block) and each.search and each.search == each.replace:
            foreign.note("P929", why="no-change", file=each.path, patch_line=each.line, what=SAME)
        elif isinstance(each, Block) and each.search:
            if each.path not in updates:
                updates[each.path] = UpdateFile(each.path)
                sections.append(updates[each.path])
            updates[each.path].hunks.append(block_hunk(each))
        elif isinstance(each, Block):
            sections.append(AddFile(each.path, "".join(line + "\n" for line in each.replace)))
        elif isinstance(each, Unsayable):
            errors.append(each.error())
        elif isinstance(each, (TextEdit, WholeFile, CopyFile)):
            errors.append(_needs_files(TITLES[foreign.name]))
        else:
            sections.append(each)
    raise_all(errors)
    if named:
        wrong = [
            note.facts.get("lenience") == "no-file-name" and note.facts.get("patch_line") in named
            for note in foreign.notes
        ]
        foreign.notes = [note for note, is_wrong in zip(foreign.notes, wrong) if not is_wrong]
    return Patch(sections)


def _named_alone(block: Block, maybe: str, named: set[int]) -> Block:
    """A block below a line that may be a path: one word is, and of several only the files could say it."""
    if is_word(maybe) or is_spaced(maybe):
        named.add(block.line)
        return block.cut(maybe if is_word(maybe) else "", block.search, block.replace)
    return block


def _prove_text(patch: Patch) -> None:
    """Reads the text of a patch back: what it does not give again cannot be said, such as a CR at the end of a line."""
    for section in patch.sections:
        again = parse(write(Patch([section]))).sections
        if again != [section]:
            what = f"what changes in '{section.path}', without the files"
            raise PatchkitError("P112", file=section.path, what=what, instead="apply it with 'git apply FILE'")


def _needs_files(what: str) -> PatchkitError:
    return PatchkitError(
        "P112", what=f"{what} without the files", instead="leave '--no-files' out, and give '--root DIR'"
    )


def _without_moves(patch: Patch) -> Patch:
    for section in patch.sections:
        if isinstance(section, UpdateFile) and section.move_to:
            raise _needs_files(f"the rename of '{section.path}', in {TITLES['openai-ops']},")
    return patch


def _blocks_alone(section: FileOp, name: str) -> list[Block]:
    if isinstance(section, AddFile):
        return [Block(section.path, [], section.text.split("\n")[:-1])]
    word = shell_word(section.path)
    if isinstance(section, DeleteFile):
        raise Unsayable(section.path, f"the deletion of '{section.path}', in {TITLES[name]}", f"rm {word}").error()
    if section.move_to:
        command = f"mv {word} {shell_word(section.move_to)}"
        raise Unsayable(section.path, f"the rename of '{section.path}', in {TITLES[name]}", command).error()
    return [_block_alone(section.path, hunk) for hunk in section.hunks]


def _block_alone(path: str, hunk: Hunk) -> Block:
    if not hunk.old():
        raise _needs_files(f"a hunk of '{path}' that only adds lines,")
    return Block(path, hunk.old(), hunk.new())


def _edit_alone(block: Block) -> TextEdit | WholeFile:
    if not block.search:
        return WholeFile(block.path, "".join(line + "\n" for line in block.replace))
    return TextEdit(block.path, "\n".join(block.search), "\n".join(block.replace))


# -- with line numbers -------------------------------------------------------------------------------


def write_numbered(patch: Patch) -> str:
    """Returns the text of a patch whose hunks keep the numbers they came with, above lines without an anchor."""
    hunks = iter(
        [
            (hunk, moved)
            for each in patch.sections
            if isinstance(each, UpdateFile)
            for hunk, moved in zip(each.hunks, _moved(each.hunks))
        ]
    )
    lines: list[str] = []
    for line in write(patch).split("\n"):
        if line == "@@" or (line.startswith("@@ ") and not lines[-1].startswith("@@ ")):
            hunk, moved = next(hunks)
            if line == "@@" and hunk.hint is not None:
                line = _header(hunk, hunk.hint, moved)
        lines.append(line)
    return "\n".join(lines)


def _moved(hunks: list[Hunk]) -> list[int]:
    """How many lines later each hunk begins in the new file, by those above it."""
    return list(accumulate([len(hunk.new()) - len(hunk.old()) for hunk in hunks], initial=0))


def _header(hunk: Hunk, start: int, moved: int) -> str:
    """The `@@` line; the number of a side without lines is that of the line above."""
    old, new = len(hunk.old()), len(hunk.new())
    return f"@@ -{start},{old} +{start + (not old) + moved - (not new)},{new} @@"


def write_unified_patch(patch: Patch) -> str:
    """Returns a unified diff; raises P112 for a hunk whose line number is not known, and for a deleted file."""
    out: list[str] = []
    for section in patch.sections:
        if isinstance(section, DeleteFile):
            raise _unknown(section.path, f"the lines of '{section.path}', which is deleted, without the files")
        if isinstance(section, AddFile):
            out += [f"--- /dev/null\n+++ b/{section.path}\n", _added(section.text)]
            continue
        if section.move_to:
            out.append(f"diff --git a/{section.path} b/{section.move_to}\n")
            out.append(f"rename from {section.path}\nrename to {section.move_to}\n")
        if section.hunks:
            out.append(f"--- a/{section.path}\n+++ b/{section.move_to or section.path}\n")
        moved = 0
        for hunk in section.hunks:
            if hunk.hint is None:
                raise _unknown(section.path, f"the line number of a hunk of '{section.path}', without the files")
            out.append(_header(hunk, hunk.hint, moved) + "\n")
            out += [line + "\n" for line in hunk.lines]
            if hunk.final_newline is False:
                out.append(NOT_ENDED + "\n")
            moved += len(hunk.new()) - len(hunk.old())
    return "".join(out)


def _added(text: str) -> str:
    lines = text.split("\n")
    last = lines.pop()
    body = "".join(f"+{line}\n" for line in lines)
    count = len(lines) + bool(last)
    return f"@@ -0,0 +1,{count} @@\n{body}" + (f"+{last}\n{NOT_ENDED}\n" if last else "") if count else ""


def _unknown(path: str, what: str) -> PatchkitError:
    return PatchkitError("P112", file=path, what=what, instead="leave '--no-files' out, and give '--root DIR'")
