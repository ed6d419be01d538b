"""Doubts about a finished plan: what its author hardly meant, though every hunk has its place.

Takes a Plan, or what was made of one that is refused, and the options; gives an error for each hunk and each new file
that repeats what the file has (P205, P216, P217) or has a line in place of code (P218). A quick look decides that most
plans add nothing of the kind; the guards are loaded for the others. Whether the doubts are a refusal is for those to
decide who asked: a text that is only made or converted is doubted when it is applied.
"""

from __future__ import annotations

from patchkit.core.changes import Options, Plan, Section
from patchkit.core.language import AddFile, UpdateFile
from patchkit.core.matching import Miss
from patchkit.errors import PatchkitError
from patchkit.guards.quick_looks import may_leave_out, may_repeat


def doubts(made: Plan, options: Options, since: int = 0) -> list[PatchkitError]:
    """The doubts about the sections of a plan, in their order; the results of doubted hunks become misses.

    `since` is the number of the first section to look at.
    A section that was surely made for its file is not doubted, nor one that takes something back: that was there
    before. Nor is one whose text was let go, as happens in a patch that changes large files again and again.
    """
    found: list[PatchkitError] = []
    for number, section in enumerate(made.sections[since:], since):
        op = section.op
        if isinstance(op, UpdateFile) and section.replacements and not options.reverse:
            found += _of_update(op, section, options)
        if section.name.endswith(".ipynb"):
            found += _of_notebook(made, section)
        if isinstance(op, AddFile) and not options.allow_placeholder:
            found += _of_new_file(op, section, made, number)
    return found


def _of_update(op: UpdateFile, section: Section, options: Options) -> list[PatchkitError]:
    if section.document is None or len(section.ends) < len(op.hunks):
        return []  # it was refused before all of its hunks had their replacements
    added = b"\n".join([each.new for each in section.replacements])
    repeats = not options.allow_duplicate and may_repeat(section.replacements, added)
    leaves_out = not options.allow_placeholder and may_leave_out(added)
    if not (repeats or leaves_out):
        return []
    from patchkit.core.changes.legacy import is_made_for

    if is_made_for(op, section.document.file_bytes([section.document.kept]), section.results):
        return []
    faults: list[tuple[int, PatchkitError]] = []
    if repeats:
        from patchkit.guards.duplicates import duplicates

        faults = duplicates(section)
    if leaves_out and not faults:
        from patchkit.guards.placeholders import omissions

        faults = omissions(section.document, op.hunks, section.replacements, section.ends)
    for number, error in faults:
        section.results[number] = Miss(error.code, [error.line - 1] if error.line else [], **error.facts)
        error.facts.setdefault("patch_line", op.hunks[number].line)
        candidates = [error.line] if error.line else []
        error.facts.update(file=op.path, hunk=number + 1, candidates=candidates)
    return [error for _, error in faults]


def _of_notebook(made: Plan, section: Section) -> list[PatchkitError]:
    """A notebook that would not be one any more."""
    from patchkit.structure.notebook import breaks_notebook

    change = made.changes.get(section.name)
    before = made.changes.get(section.source, change)
    if change is None or before is None or change.after is None or before.before.kind != "file":
        return []
    if not breaks_notebook(before.before.data, b"".join(change.after)):
        return []
    return [
        PatchkitError("P627", file=section.op.path, patch_line=section.op.line, reason="it is not valid JSON of cells")
    ]


def _of_new_file(op: AddFile, section: Section, made: Plan, number: int) -> list[PatchkitError]:
    if section.name not in made.changes or not may_leave_out(op.text.encode("utf-8", "surrogateescape")):
        return []
    from patchkit.core.changes.legacy import is_whole
    from patchkit.guards.placeholders import refuse_omission

    if is_whole(op):
        return []
    before = made.changes[section.name].before
    touched = {name for each in made.sections[:number] for name in (each.name, each.source)}
    try:
        old = [before.data] if before.kind == "file" and section.name not in touched else []
        refuse_omission(op.text.encode("utf-8", "surrogateescape"), old)
    except PatchkitError as error:
        error.facts.update(file=op.path, patch_line=op.line)
        return [error]
    return []
