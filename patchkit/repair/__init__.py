"""Plan a patch as its author is answered: with a parser's opinion, with doubts, and with refusals that are explained.

Takes a Patch and a source of files; gives the Plan, or raises with every fault. The planner knows what a patch does;
what a parser says about scopes, what is doubtful about a plan, and what is near to a hunk that has no place is asked
for here, for all that plan what a caller sent: apply, check, a batch, a stream.
"""

from __future__ import annotations

from patchkit.core.changes import FileChange, Files, Options, Plan
from patchkit.core.changes.planner import plan
from patchkit.core.language import FileOp, HashedUpdate, Patch, UpdateFile
from patchkit.core.matching import Miss
from patchkit.core.text import Document
from patchkit.errors import Note, PatchkitError, raise_all
from patchkit.guards import doubts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from patchkit.core.changes.planner import SecondOpinion


def planned(patch: Patch, files: Files, options: Options) -> Plan:
    """Returns the plan of a patch about which there is no doubt; raises with all faults and doubts, explained.

    Under `forward`, a hunk whose definitions the file has whole is left out, as one is whose lines are there.
    """
    done: dict[int, Miss] = {}
    while True:
        faults: list[PatchkitError] = []
        try:
            made = plan(patch, files, options, parsed_scopes, done)
        except PatchkitError as error:
            if not isinstance(error.plan, Plan):
                raise
            made, faults = error.plan, error.errors
        found = doubts(made, options)
        if not (found or faults):
            return made
        if any(op.path.endswith(".ipynb") for op in patch.sections):
            cells = _of_cells(patch, [*faults, *found], files, options)
            if cells is not None:
                made = planned(cells, files, options)
                made.notes[:0] = cells.notes
                return made
        again = _done(made) if options.forward else {}
        if again.keys() <= done.keys():
            doubted = {each.file for each in found}
            for section in made.sections:  # what is reported of a refused plan has no changes of doubted sections
                if section.op.path in doubted:
                    made.changes.pop(section.name, None)
                    made.changes.pop(section.source, None)
            raise_explained(made, faults, found, options, patch.sections)
        done.update(again)


def _of_cells(patch: Patch, refused: list[PatchkitError], files: Files, options: Options) -> Patch | None:
    """The patch with sections for the text of notebooks, where those that are refused match their cells.

    None where none of them is for a notebook; raises where hunks are not in the cells either, as they are seen there.
    """
    from patchkit.diffs.unique_hunks import hunks_between
    from patchkit.sources import MemoryFiles
    from patchkit.structure.notebook import Notebook

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
            made = plan(wanted, seen, options, parsed_scopes)
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
    if not paths:
        return files
    from patchkit.sources import Overlay
    from patchkit.structure.notebook import Notebook

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


def explained_plan(patch: Patch, files: Files, options: Options) -> Plan:
    """Returns the plan of a patch, whatever is doubtful about it; raises with all faults, explained."""
    try:
        return plan(patch, files, options, parsed_scopes)
    except PatchkitError as error:
        if isinstance(error.plan, Plan):
            raise_explained(error.plan, error.errors, [], options, patch.sections)
        raise


def parsed_scopes() -> SecondOpinion:
    """What a parser says about scopes; its grammars are loaded when the first hunk needs them."""
    from patchkit.structure.parsed_scopes import ParsedScopes

    return ParsedScopes()


def raise_explained(
    made: Plan,
    faults: list[PatchkitError],
    found: list[PatchkitError],
    options: Options,
    sections: Sequence[FileOp] = (),
) -> None:
    """Raises with the faults of a plan and what was found doubtful about it, in the order of the text."""
    from patchkit.repair.explain import explain

    errors = [*faults]
    explain(made, errors, options, sections)
    if found:
        errors = sorted([*errors, *found], key=lambda each: each.patch_line or 0)
    for each in errors:
        each.others = []
    errors[0].plan = made  # what is known of the other sections, for those who report it
    raise_all(errors)


def _done(made: Plan) -> dict[int, Miss]:
    """The hunks, by `id`, whose definitions are in their files whole."""
    return {
        id(hunk): result
        for section in made.sections
        if isinstance(section.op, UpdateFile)
        for hunk, result in zip(section.op.hunks, section.results)
        if isinstance(result, Miss) and result.code == "P205" and result.facts.get("whole")
    }
