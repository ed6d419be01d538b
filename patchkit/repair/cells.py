"""Hunks for the cells of a notebook.

Takes a refused patch, or its refusal, and the files; gives the patch with sections for the text of the notebooks, or
the files as the refusal is about them.
"""

from __future__ import annotations

from patchkit.core.changes import FileChange, Files, Options, Plan
from patchkit.core.changes.planner import plan
from patchkit.core.language import FileOp, HashedUpdate, Patch, UpdateFile
from patchkit.core.text import Document
from patchkit.diffs.unique_hunks import hunks_between
from patchkit.errors import Note, PatchkitError
from patchkit.repair.explain import raise_explained
from patchkit.sources import MemoryFiles, Overlay
from patchkit.structure.notebook import Notebook
from patchkit.structure.parsed_scopes import ParsedScopes


def of_cells(patch: Patch, refused: list[PatchkitError], files: Files, options: Options) -> Patch | None:
    """The patch with sections for the text of notebooks, where those that are refused match their cells.

    None where none of them is for a notebook; raises where hunks are not in the cells either, as they are seen there.
    """
    paths = [op.path for op in patch.sections]
    asked = {error.file for error in refused if error.file and error.file.endswith(".ipynb")}
    sections: list[FileOp] = []
    notes: list[Note] = []
    for op in patch.sections:
        notebook = view = None
        is_edit = isinstance(op, UpdateFile) and not isinstance(op, HashedUpdate)  # which is for the text itself
        if is_edit and op.path in asked and paths.count(op.path) == 1:
            entry = files.find(op.path)
            notebook = Notebook.of(Document(entry.data).data) if entry.kind == "file" else None
            view = notebook.view() if notebook is not None else None
        if notebook is None or view is None or not isinstance(op, UpdateFile):
            sections.append(op)
            continue
        seen = MemoryFiles({"file": view.data})
        wanted = Patch([UpdateFile("file", None, op.hunks, op.line)])
        try:
            made = plan(wanted, seen, options, ParsedScopes)
        except PatchkitError as error:
            if not isinstance(error.plan, Plan):
                raise
            if any(each.code == "P627" for each in refused):
                return None  # the text has a place for it, and would be no notebook then
            for each in error.errors:
                each.facts.update(file=op.path, cells=True)
            error.plan.sections[0].op.path = op.path
            raise_explained(error.plan, error.errors, [], options, patch.sections)
        changes = [(each.start, each.stop, each.new) for each in made.sections[0].replacements]
        after = notebook.with_changes(view, changes)
        if after is None:
            raise PatchkitError("P627", file=op.path, patch_line=op.line, reason="a hunk is not inside one cell")
        hunks = hunks_between(op.path, notebook.data, after.data)
        sections.append(HashedUpdate(op.path, op.move_to, hunks, op.line, ""))  # made for this content
        line = view.data.count(b"\n", 0, changes[0][0]) + 1 if changes else 1
        notes.append(Note("P921", what="a section", tolerance="cells", file=op.path, line=line))
    return Patch(sections, patch.environment_id, notes) if notes else None


def cells_for(error: PatchkitError, files: Files) -> Files:
    """The files as a refusal is about them: notebooks whose cells were looked at as the text of these."""
    paths = {each.file for each in error.errors if each.facts.get("cells") and each.file}
    seen = Overlay(files)
    shown = Plan(seen)
    for path in paths:
        entry = files.find(path)
        notebook = Notebook.of(entry.data)
        view = notebook.view() if notebook is not None else None
        if view is not None:
            shown.changes[entry.name] = FileChange(path, entry, [view.data], entry)
    shown.commit()
    return seen
