"""NotebookEdit: replace, insert or delete one cell of a notebook."""

from __future__ import annotations

from patchkit.core.text import Document
from patchkit.errors import PatchkitError
from patchkit.formats.edits import Edited
from patchkit.report.result import Json, Result
from patchkit.structure.notebook import Notebook, heading, joined
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields
from patchkit.tools.editing import target as targets
from patchkit.tools.editing.target import Target, half_a_character, refuse_placeholder

DESCRIPTION = """\
Changes one cell of a Jupyter notebook (.ipynb file): replaces its source, inserts a new cell, or deletes one.

Usage:
- notebook_path is relative to the current directory, or absolute. A path outside the workspace is refused
- You must read the notebook before editing. This tool will error if you attempt an edit without reading the file first
- The cell is named by cell_id, or by cell_number, counted from 1 as Read shows it
- edit_mode is replace (default), insert (a new cell after the named one, at the beginning without one; cell_type is needed) or delete
- Outputs stay unless clear_outputs is set; everything else in the file stays as it is"""  # noqa: E501  # one point, one line
SCHEMA: Json = fields(
    "notebook_path",
    notebook_path=field("string", "The path of the notebook to change, in the workspace"),
    cell_id=field(
        "string",
        "The id of the cell to change. A new cell is inserted after the cell with this id, or at "
        "the beginning if none is named",
    ),
    cell_number=field(
        "integer", "The number of the cell instead of its id, counted from 1 as Read shows it", minimum=1
    ),
    new_source=field("string", "The new source of the cell; not needed to delete one"),
    cell_type=field(
        "string",
        "The type of the cell. Without it the cell keeps its type; needed to insert one",
        enum=["code", "markdown"],
    ),
    edit_mode=field(
        "string", "What to do (replace, insert, delete). Defaults to replace", enum=["replace", "insert", "delete"]
    ),
    clear_outputs=field(
        "boolean", "Remove the outputs of the cell and its count of runs (default false)", default=False
    ),
)
_DONE = {"replace": "Updated", "insert": "Inserted", "delete": "Deleted"}


def run(call: ToolCall) -> Result:
    target = Target(call)
    target.refuse_missing()
    target.refuse_unseen()
    document = Document(target.entry.data)
    notebook = Notebook.of(document.data)
    if notebook is None:
        field, given = "notebook_path", f"'{target.path}'"
        raise PatchkitError(
            "P603", field=field, given=given, allowed="a valid notebook (.ipynb); use Edit for any text"
        )
    mode = call.text("edit_mode", "replace")
    number = _number(call, notebook, mode)
    after, number = _made(call, target, notebook, mode, number)
    edited = Edited.between(document, after.data)
    target.commit(edited.file_bytes(), edited)
    words = f"{_DONE[mode]} cell {number + 1} of {target.shown}"
    cell = after.cells[number] if mode != "delete" else None
    if cell is not None:
        words += f":\n{heading(number, cell)}\n{joined(cell['source'])}"
    data = target.written(edited.file_bytes())
    data.update(edit_mode=mode, cell_number=number + 1, cell_id=cell.get("id") if cell is not None else None)
    return Result("success", {**data, "cells": len(after.cells)}, words)


def _made(call: ToolCall, target: Target, notebook: Notebook, mode: str, number: int) -> tuple[Notebook, int]:
    """The notebook after the call, and the number of the cell in it."""
    if mode == "delete":
        return notebook.without_cell(number), number
    if "new_source" not in call.arguments:
        raise PatchkitError("P606", field="new_source", allowed="the source of the cell")
    source, kind = call.text("new_source"), call.text("cell_type")
    old = joined(notebook.cells[number]["source"]) if mode == "replace" else ""
    refuse_placeholder(target, "new_source", source, old)
    try:
        source.encode()
    except UnicodeEncodeError:
        raise half_a_character("new_source", target) from None
    if mode == "replace":
        return notebook.with_cell(number, source, kind, call.flag("clear_outputs")), number
    if not kind:
        raise PatchkitError("P606", field="cell_type", allowed="'code' or 'markdown', to insert a cell")
    return notebook.with_new_cell(number, source, kind), number + 1


def _number(call: ToolCall, notebook: Notebook, mode: str) -> int:
    """The number of the cell that is meant, from 0; -1 for the place above the first."""
    given, asked = call.get("cell_id"), call.get("cell_number")
    known = f"a number from 1 to {len(notebook.cells)}" if notebook.cells else "none: the notebook has no cells"
    if given is not None:
        number = notebook.number_of(given)
        if number is None:
            ids = ", ".join(str(cell["id"]) for cell in notebook.cells[:20] if "id" in cell)
            allowed = f"the id of a cell{f' ({ids})' if ids else ''}, or cell_number: {known}"
            raise PatchkitError("P603", field="cell_id", given=f"'{given}'", allowed=allowed)
        if asked is not None and asked != number + 1:
            raise PatchkitError("P604", field="cell_id", other="cell_number")
        return number
    if asked is not None:
        if asked > len(notebook.cells):
            raise PatchkitError("P603", field="cell_number", given=str(asked), allowed=known)
        return int(asked) - 1
    if mode != "insert":
        raise PatchkitError("P606", field="cell_number", allowed=f"the number of the cell, or its cell_id: {known}")
    return -1


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras={name: targets.EXTRAS[name] for name in targets.EXTRAS if name != "encoding"},  # JSON is UTF-8
    aliases={"file_path": "notebook_path", "path": "notebook_path"},
    command_line=FieldSpelling(positional=("notebook_path",), options=targets.OPTIONS, from_stdin="new_source"),
    verb="edit",
    operation="update",
)
