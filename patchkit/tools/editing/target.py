"""The one file that Write, Edit and MultiEdit change: what it is now, whether it may be changed, the change itself.

Takes a ToolCall; the change is made like every other one: found through the workspace, planned, committed by its
transaction, recorded for `undo`. An error about the path comes before one about what the session has read. The second
part makes one replacement, as Edit makes it once and MultiEdit one after the other: it takes the Text as it is so far
and an EditStep, returns the text after the step, or raises what is wrong with it, and writes nothing.
"""

from __future__ import annotations

import os

from patchkit.core.changes import FileChange, Options, Plan, RewrittenChange, Section, refuse_protected
from patchkit.core.language import UpdateFile
from patchkit.core.text import Document, is_utf8
from patchkit.core.workspace import WorkspaceEntry
from patchkit.core.workspace import sha256 as new_sha256
from patchkit.errors import Note, PatchkitError
from patchkit.formats.edits import EXISTS, Edited, EditStep, Text, change, execute, unchanged, valid
from patchkit.guards.placeholders import listed_line, placeholder, possible_placeholder
from patchkit.history.sessions import Tracker, hashed
from patchkit.tools.answers import escaped, path_of, with_suggestion
from patchkit.tools.asked_proof import PROOF, prove
from patchkit.tools.declaration import ToolCall, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.core.text.encodings import Attempt
    from patchkit.report.result import Json

UNREAD = "File has not been read yet. Read it first before writing to it."
STALE = "File has been modified externally. Either by user or a linter. Read it first before writing to it."
# Further fields that all three take.
EXTRAS: Json = {
    "expected_mtime_ms": field("integer", "Change the file only if this is its time of modification, as Read gave it"),
    "expected_sha256": field("string", "Change the file only if this is the hash of its content, as Read gave it"),
    "force": field("boolean", "Change the file although it was not read, or changed since; for people, not agents"),
    "allow_placeholder": field("boolean", "Write a line such as '... existing code ...' as it is"),
    "encoding": field(
        "string", "The encoding of a file that is not UTF-8 and does not declare one, such as gbk or cp1252"
    ),
    **PROOF,
}
_LARGE = 32 << 20  # bytes; a larger file is not read as a whole for a change of ASCII characters
OPTIONS = {"expected_mtime_ms": "--expect-mtime-ms", "expected_sha256": "--expect-sha256"}


class Target:
    """The file a call is about, in the state it has now. Nothing is written before `commit`."""

    def __init__(self, call: ToolCall) -> None:
        self.call = call
        self.path = path_of(call)
        call.notes.extend(call.files.begin())
        self.entry = self._found()
        self.changed: FileChange | None = None  # what was written, once it is: a command may have changed it

    def _found(self) -> WorkspaceEntry:
        files, path = self.call.files, self.path
        entry = files.find(path)
        if entry.blocker:
            raise PatchkitError("P310", file=path, parent=entry.blocker)
        if entry.kind == "directory":
            raise PatchkitError("P305", file=path)
        if entry.kind not in ("file", "missing"):
            raise PatchkitError("P306", file=path, type=entry.kind)
        if entry.kind == "missing" and files.find(path, follow=False).kind == "link":
            raise PatchkitError("P308", file=path)
        try:
            refuse_protected(path, entry.name)
        except PatchkitError as error:
            raise PatchkitError("P610", file=path, part=error.facts["part"]) from None
        return entry

    @property
    def shown(self) -> str:
        """The path as it may be written in a text."""
        return escaped(self.path)

    @property
    def missing(self) -> bool:
        return self.entry.kind == "missing"

    def refuse_missing(self) -> None:
        if self.missing:
            raise with_suggestion(self.call, self.path, PatchkitError("P302", file=self.path))

    def refuse_unseen(self) -> None:
        """Raises unless the session has read the file as it is now, and it is the one the caller expects."""
        caller = self.call.caller
        insists = self.call.flag("force") and not caller.agent  # only a person can
        if caller.read_first and not self.missing and not insists:
            seen = Tracker(self.call.files).seen(self.entry.name)
            if seen is None:
                raise PatchkitError("P611", file=self.path, said=UNREAD)
            if not seen.is_current(self._status, lambda: hashed([self.entry.data])):
                raise PatchkitError("P612", file=self.path, said=STALE)
        self._refuse_unexpected()

    def _refuse_unexpected(self) -> None:
        modified, content = self.call.get("expected_mtime_ms"), self.call.get("expected_sha256")
        if modified is not None:
            now = None if self.missing else self._status.st_mtime_ns // 1_000_000
            self._refuse_unless(now == modified, "time of modification", now, modified)
        if content is not None:
            given = str(content).lower()
            is_now = None if self.missing else new_sha256(self.entry.data).hexdigest()
            self._refuse_unless(is_now == given, "hash", is_now, given)

    def _refuse_unless(self, same: bool, what: str, found: object, given: object) -> None:
        if not same:
            found = "none, because there is no file" if found is None else found
            raise PatchkitError("P613", file=self.path, what=what, found=found, given=given, said=STALE)

    @property
    def _status(self) -> os.stat_result:
        """The status of the file whose content was read."""
        _ = self.entry.data
        status = self.entry.location.status
        assert status is not None, "reading the content sets it"
        return status

    def document(self, shown: str, added: str, attempt: Attempt) -> Document:
        """The file in its encoding, for a change that expects the text `shown` in it and adds another.

        Raises where the encoding is not certain, and the characters need it. `attempt` is the file after the change.
        """
        data, named = self.entry.data, self.call.text("encoding")
        document = Document(data)
        is_plain = shown.isascii() and added.isascii()
        if document.bom or (not named and is_plain and (len(data) > _LARGE or data.isascii())):
            return document
        if not data.isascii() and is_utf8(data):
            return document
        from patchkit.tools.editing.encodings import document_for  # most files are UTF-8, and most edits ASCII

        return document_for(self.call, self.path, self.entry.name, document, shown, added, attempt)

    def with_new_endings(self, data: bytes) -> bytes:
        """A content with the line endings that new files have there."""
        ending = self.call.files.new_ending(self.entry.name)
        return data if ending == b"\n" else data.replace(b"\r\n", b"\n").replace(b"\n", ending)

    def commit(self, after: list[bytes], edited: Edited | None = None) -> None:
        """Makes these pieces the content of the file; the edits they come from make the record for `undo` small."""
        files, entry = self.call.files, self.entry
        if entry.name.endswith(".ipynb") and not self.missing:
            from patchkit.structure.notebook import breaks_notebook  # it loads json

            if breaks_notebook(entry.data, b"".join(after)):
                raise PatchkitError("P627", file=self.path, reason="the new text is not valid JSON of cells")
        section = Section(UpdateFile(self.path), "A" if self.missing else "M", self.path, entry.name)
        if edited is not None and len(edited.changes) == edited.count and not self.missing:
            section.document = edited.document
            section.replacements = edited.changes
        plan = Plan(files)
        plan.sections.append(section)
        plan.changes[entry.name] = FileChange(self.path, entry, after, None if self.missing else entry)
        files.tracked = self.call.caller.read_first or self.missing  # an edit alone does not show the file
        prove(self.call, Options())
        plan.commit()
        self.changed = plan.changes[entry.name]
        self.call.notes.extend(plan.notes)

    def written(self, after: list[bytes]) -> Json:
        if isinstance(self.changed, RewrittenChange):
            after = self.changed.after or []
        *above, leaf = self.entry.name.split("/")
        status = self.call.files.directories.status(tuple(above), leaf)
        return {
            "ok": True,
            "path": self.path,
            "bytes": sum(map(len, after)),
            "sha256": hashed(after) or None,
            "file_mtime_ms": status.st_mtime_ns // 1_000_000 if status is not None else None,
        }


# -- one replacement -----------------------------------------------------------------------------


def refuse_same(target: Target, step: EditStep) -> None:
    if step.old == step.new:
        raise _about(target, step, unchanged())


def made(target: Target, text: Text | None, step: EditStep) -> Edited:
    """The text after the step; None for a text means a file that does not exist yet."""
    judge(target, step)
    if not step.old:
        return _created(target, text, step)
    refuse_same(target, step)
    text = text or Text(b"")
    edited = _in_cells(target, text, step) if target.entry.name.endswith(".ipynb") else None
    return edited if edited is not None else _replaced_in(target, text, step)


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
    new = target.with_new_endings(new)
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
    if tolerance != "exact" and valid(text, step.old, step.new, step.everywhere) is not None:
        from patchkit.tools.editing.placing import PROVING, placed

        edited = placed(text, step.old, step.new)
        if isinstance(edited, Edited) and (tolerance == "allowed" or edited.level in PROVING):
            return edited
    return execute(text, step.old, step.new, step.everywhere)


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
        there = text.places(step.new) if step.old in step.new and not step.everywhere else []
        if there:  # around the one place of the old text
            line = text.document.data.count(text.document.separator, 0, there[0][0]) + 1
            facts = {"what": step.field("new_string"), "file": target.path, "line": line}
            target.call.notes.append(Note("P937", evidence="made-here", **facts))
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


def _about(target: Target, step: EditStep, fault: PatchkitError, field: str = "old_string") -> PatchkitError:
    """The fault, knowing the file and the step it is about."""
    fault.facts["file"] = target.path
    if fault.code != "P210":  # which names a character
        fault.facts["what"] = step.field(field)
    return fault
