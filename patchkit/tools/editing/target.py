"""The one file that Write, Edit and MultiEdit change: what it is now, whether it may be changed, the change itself.

Takes a ToolCall; the change is made like every other one: found through the workspace, planned, committed by its
transaction, recorded for `undo`. An error about the path comes before one about what the session has read.
"""

from __future__ import annotations

import os

from patchkit.core.changes import FileChange, Options, Plan, RewrittenChange, Section, refuse_protected
from patchkit.core.language import UpdateFile
from patchkit.core.text import Document, is_utf8
from patchkit.core.workspace import sha256 as new_sha256
from patchkit.core.workspace.entries import WorkspaceEntry
from patchkit.errors import PatchkitError
from patchkit.history.sessions import Tracker, hashed
from patchkit.tools.answers import escaped, path_of, with_suggestion
from patchkit.tools.asked_proof import PROOF, prove
from patchkit.tools.declaration import ToolCall, field
from patchkit.tools.editing.text import Edited

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
        files.tracked = True
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
