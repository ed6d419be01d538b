"""One replacement, as Edit makes it once and MultiEdit one after the other.

Takes the Target, the Text as it is so far and an EditStep; returns the text after the step, or raises what is wrong
with it. Nothing is written.
"""

from __future__ import annotations

from patchkit.core.text import Document
from patchkit.errors import Note, PatchkitError
from patchkit.guards.placeholders import listed_line, placeholder, possible_placeholder
from patchkit.tools.editing.target import Target
from patchkit.tools.editing.text import EXISTS, Edited, EditStep, Text, change, execute, unchanged, valid


def refuse_same(target: Target, step: EditStep) -> None:
    if step.old == step.new:
        raise _about(target, step, unchanged())


def made(target: Target, text: Text | None, step: EditStep) -> Edited:
    """The text after the step; None for a text means a file that does not exist yet."""
    judge(target, step)
    if not step.old:
        return _created(target, text, step)
    refuse_same(target, step)
    return _replaced(target, text or Text(b""), step)


def judge(target: Target, step: EditStep) -> None:
    """Raises where a new text has something in place of code; notes where it only may have."""
    refuse_placeholder(target, step.field("new_string"), step.new, step.old)
    found = possible_placeholder(step.new, step.old)
    if found:
        target.call.notes.append(Note("P957", what=step.field("new_string"), found=found))


def refuse_placeholder(target: Target, what: str, new: str, old: str) -> None:
    """Raises where a new text has a line in place of code, or the numbers of a listing, and the old text has not."""
    if target.call.flag("allow_placeholder"):
        return
    numbered = listed_line(new, old)
    found = numbered or placeholder(new, old)
    if found:
        raise PatchkitError("P626", file=target.path, what=what, found=found, numbered=bool(numbered))


def _created(target: Target, text: Text | None, step: EditStep) -> Edited:
    if text is not None:
        raise _about(target, step, PatchkitError("P623", said=EXISTS))
    target.refuse_unseen()
    try:
        new = step.new.encode("utf-8", "surrogateescape")
    except UnicodeError:
        raise _about(target, step, half_a_character("new_string", target), "new_string") from None
    ending = target.call.files.new_ending(target.entry.name)
    new = new if ending == b"\n" else new.replace(b"\r\n", b"\n").replace(b"\n", ending)
    return Edited(Document(b""), [new], [change(0, 0, new)], 1)


def text_for(target: Target, steps: list[EditStep]) -> Text:
    """The file's text, in the encoding that the strings of the steps are meant in."""

    def attempt(document: Document, tolerance: str) -> bytes | None:
        try:
            for step in steps:
                document = _attempted(Text(document), step, tolerance).after()
        except PatchkitError:
            return None
        return b"".join(document.file_bytes([document.data]))

    shown, added = ("\n".join(texts) for texts in zip(*((step.old, step.new) for step in steps)))
    return Text(target.document(shown, added, attempt))


def _attempted(text: Text, step: EditStep, tolerance: str) -> Edited:
    step.settle(text)
    if tolerance == "allowed" and valid(text, step.old, step.new, step.everywhere) is not None:
        from patchkit.tools.editing.placing import placed

        edited = placed(text, step.old, step.new)
        if isinstance(edited, Edited):
            return edited
    return execute(text, step.old, step.new, step.everywhere)


def _replaced(target: Target, text: Text, step: EditStep) -> Edited:
    edited = _in_cells(target, text, step) if target.entry.name.endswith(".ipynb") else None
    return edited if edited is not None else _replaced_in(target, text, step)


def _in_cells(target: Target, text: Text, step: EditStep) -> Edited | None:
    """A notebook after a change of its cells, as they are shown; None where the text itself is changed.

    That is where it has the old text, and stays a notebook, or is none. Where the cells have it too, and it is spelled
    otherwise in the file, they are meant: a backslash in a cell is not one of JSON.
    """
    from patchkit.structure.notebook import Notebook  # it loads json

    notebook = Notebook.of(text.document.data)
    view = notebook.view() if notebook is not None else None
    if notebook is None or view is None:
        return None
    step.settle(text)
    breaks = valid(text, step.old, step.new, step.everywhere) is None
    shown = Text(view.data)
    is_there = notebook.escapes(step.old, step.new) and not valid(shown, step.old, step.new, step.everywhere)
    if breaks and not is_there:
        made_in_text = execute(text, step.old, step.new, step.everywhere)
        if Notebook.of(b"".join(made_in_text.pieces)) is not None:
            return None
    try:
        edited = _replaced_in(target, shown, step)
    except PatchkitError as error:
        if breaks and error.code == "P621":
            return None  # and refused when it is written
        error.facts["cells"] = True
        raise
    after = None
    if len(edited.changes) == edited.count:
        after = notebook.with_changes(view, [(each.start, each.stop, each.new) for each in edited.changes])
    if after is None:
        raise _about(target, step, PatchkitError("P627", reason="the edit is not inside one cell"))
    line = view.data.count(b"\n", 0, edited.changes[0].start) + 1
    facts = {"what": step.field("old_string"), "file": target.path, "line": line, "tolerance": "cells"}
    target.call.notes.append(Note("P921", **facts))
    made_in_cells = Edited.between(text.document, after.data, "cells")
    made_in_cells.count = edited.count
    return made_in_cells


def _replaced_in(target: Target, text: Text, step: EditStep) -> Edited:
    step.settle(text)
    fault = valid(text, step.old, step.new, step.everywhere)
    if fault is None:
        try:
            edited = execute(text, step.old, step.new, step.everywhere)
        except PatchkitError as error:
            raise _about(target, step, error, "new_string") from None
        if edited.with_line_end:
            target.call.notes.append(Note("P960", what=step.field("old_string"), file=target.path))
        return edited
    # Here, because most texts are there, and all that places or corrects others takes dozens of modules.
    from patchkit.tools.editing.offers import new_text, offer_correction, offer_each_place
    from patchkit.tools.editing.placing import placed

    if fault.code == "P622":
        offer_each_place(fault, target.path, text, step)
    if fault.code != "P621":
        raise _about(target, step, fault)
    try:
        found = placed(text, step.old, step.new, target.call.flag("strict"))
    except PatchkitError as error:
        raise _about(target, step, error) from None
    if not isinstance(found, Edited):
        fault.facts["new_text"] = new_text(text, step)
        if found is not None:
            offer_correction(fault, target.path, text, step, found)
        raise _about(target, step, fault)
    if not found.changes:
        raise _about(target, step, unchanged())
    line = text.document.data.count(text.document.separator, 0, found.changes[0].start) + 1
    facts = {"what": step.field("old_string"), "file": target.path, "line": line, "tolerance": found.level}
    target.call.notes.append(Note("P921", **facts))
    return found


def half_a_character(what: str, target: Target) -> PatchkitError:
    """The refusal of a text that no file can hold."""
    reason = "it has half of a character, a lone surrogate"
    return PatchkitError("P624", what=what, reason=reason, file=target.path)


def about_file(fault: PatchkitError, target: Target) -> PatchkitError:
    """The fault, knowing the file it is about."""
    fault.facts["file"] = target.path
    return fault


def _about(target: Target, step: EditStep, fault: PatchkitError, field: str = "old_string") -> PatchkitError:
    """The fault, knowing the file and the step it is about."""
    fault.facts["file"] = target.path
    if fault.code != "P210":  # which names a character
        fault.facts["what"] = step.field(field)
    return fault
