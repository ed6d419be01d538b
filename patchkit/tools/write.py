"""Write: create a file, or replace all of it."""

from __future__ import annotations

from hashlib import sha256

from patchkit.core.text import ENDINGS, Document
from patchkit.errors import Note
from patchkit.formats.edits import unfit
from patchkit.guards.placeholders import possible_placeholder
from patchkit.report.result import Json, Result
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields
from patchkit.tools.editing import target as targets
from patchkit.tools.editing.target import Target, half_a_character, refuse_placeholder

DESCRIPTION = """\
Writes a file: creates it, with the directories it needs, or replaces all of its content.

Usage:
- file_path is relative to the current directory, or absolute. A path outside the workspace is refused
- You must read the file before editing. This tool will error if you attempt an edit without reading the file first. \
A file that does not exist yet needs no reading.
- Give the whole content of the file; nothing of the old content stays. To change a part of a file, use Edit.
- The file's mode and owner stay, and so do its encoding, its byte order mark and CRLF line endings. A new file is UTF-8
- The answer confirms the write and does not repeat the content."""
SCHEMA: Json = fields(
    "file_path content",
    file_path=field("string", "The path of the file to write, in the workspace"),
    content=field("string", "The whole content of the file"),
)

_SEARCHED = 1 << 20  # characters of a content that are searched for placeholders
_ENDING_NAMES = {"lf": "LF", "crlf": "CRLF", "cr": "CR", "mixed": "LF and CRLF"}


def run(call: ToolCall) -> Result:
    target = Target(call)
    target.refuse_unseen()
    content = call.text("content")
    created = target.missing
    before = b"" if created else target.entry.data
    try:
        if created:
            data = target.with_new_endings(content.encode("utf-8", "surrogateescape"))
        else:
            data = _in_the_kind_of(target, content)
    except UnicodeError:
        raise half_a_character("content", target) from None
    refuse_placeholder(target, "content", content[:_SEARCHED], _start_of(before))
    same = not created and before == data
    target.commit([before] if same else [data])
    _note(call, target, before, data, content)
    written = {**target.written([data]), "sha256": sha256(data).hexdigest(), "created": created, "changed": not same}
    return Result("success", written, f"Updated file {target.shown}")


def _in_the_kind_of(target: Target, content: str) -> bytes:
    """A content for a file that is there: in its encoding, with its byte order mark and the line endings it has."""

    def attempt(document: Document, _tolerance: str) -> bytes | None:
        try:
            return b"".join(document.file_bytes([document.encode(content)]))
        except UnicodeError:
            return None

    document = target.document("", content, attempt)
    content = content.removeprefix("\ufeff") if document.bom else content
    try:
        data = document.encode(content)
    except UnicodeEncodeError as error:
        fault = unfit(document, error, "content")
        fault.facts["file"] = target.path
        raise fault from None
    if document.endings in ("crlf", "cr"):
        data = data.replace(b"\r\n", b"\n").replace(b"\n", ENDINGS[document.endings])
    return b"".join(document.file_bytes([data]))


def _note(call: ToolCall, target: Target, before: bytes, after: bytes, content: str) -> None:
    was, now = _kind(before), _kind(after)
    if was and now and was != now:
        call.notes.append(Note("P958", file=target.path, before=was, after=now))
    found = possible_placeholder(content[:_SEARCHED], _start_of(before))
    if found:
        call.notes.append(Note("P957", what="content", found=found))


def _start_of(data: bytes) -> str:
    return data[:_SEARCHED].decode("utf-8", "replace")


def _kind(data: bytes) -> str:
    """The encoding and line endings of a text, in words; '' for one without line endings."""
    document = Document(data)
    if b"\n" not in document.data and b"\r" not in document.data:
        return ""
    encoding = f"{document.codec or 'UTF-8'}{' with a byte order mark' if document.bom else ''}"
    return f"{encoding.upper() if document.codec else encoding} with {_ENDING_NAMES[document.endings]} line ends"


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras=targets.EXTRAS,
    aliases={"path": "file_path", "text": "content", "contents": "content", "file_text": "content"},
    command_line=FieldSpelling(positional=("file_path",), options=targets.OPTIONS, from_stdin="content"),
    verb="write",
)
