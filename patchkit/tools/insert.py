"""Insert: add lines to a file after a line of a given number, with the endings and the encoding of the file."""

from __future__ import annotations

from patchkit.core.changes import literal_pieces
from patchkit.core.text import Document
from patchkit.errors import PatchkitError
from patchkit.formats.edits import Edited, Text, change
from patchkit.report.result import Json, Result
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields
from patchkit.tools.editing import target as targets
from patchkit.tools.editing.snippet import shown
from patchkit.tools.editing.target import Target

DESCRIPTION = """\
Inserts lines into a file, after the line of a given number; nothing of the file is replaced.
- file_path is relative to the current directory, or absolute. A path outside the workspace is refused
- You must read the file before editing. This tool will error if you attempt an edit without reading the file first
- line is the number of the line after which the text goes, as Read shows it; 0 inserts at the beginning
- text is whole lines; each gets the line ending that the file has there"""
SCHEMA: Json = fields(
    "file_path line text",
    file_path=field("string", "The path of the file to change, in the workspace"),
    line=field("integer", "Insert after this line; 0 for the beginning", minimum=0),
    text=field("string", "The lines to insert"),
)


def run(call: ToolCall) -> Result:
    target = Target(call)
    target.refuse_missing()
    target.refuse_unseen()
    line, given = call.number("line", 0), call.text("text")
    if not given:
        raise PatchkitError("P603", field="text", given="''", allowed="the lines to insert")

    def attempt(document: Document, _tolerance: str) -> bytes | None:
        try:
            return b"".join(_inserted(Text(document), line, given).file_bytes())
        except PatchkitError:
            return None

    try:
        edited = _inserted(Text(target.document("", given, attempt)), line, given)
    except PatchkitError as error:
        error.facts["file"] = target.path
        raise
    after = edited.file_bytes()
    target.commit(after, edited)
    seen = shown(edited.document, edited.changes, target.path)
    words = f"The file {target.shown} has been updated. Here's the result of running `cat -n` on a snippet of the "
    data = {**target.written(after), "line": line + 1, "ui_extra": seen.diff}
    return Result("success", data, f"{words}edited file:\n{seen.snippet}")


def _inserted(text: Text, line: int, given: str) -> Edited:
    """The content with the lines in it. A file without a final line ending keeps being one."""
    document = text.document
    last = len(document.offsets) - 1
    if line > last:
        raise PatchkitError("P603", field="line", given=str(line), allowed=f"a line of the file, 0 to {last}")
    at = document.offsets[line]
    open_end = line == last > 0 and not document.terminated
    lines = given.replace("\r\n", "\n")
    lines = "\n" + lines.removesuffix("\n") if open_end else lines if lines.endswith("\n") else lines + "\n"
    changes = [change(at, at, text.inserted(lines, at, at))]
    pieces = literal_pieces(document.data, changes, [each.new for each in changes])
    return Edited(document, pieces, changes, 1)


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    extras={name: targets.EXTRAS[name] for name in ("expected_mtime_ms", "expected_sha256", "force", "encoding")},
    aliases={"path": "file_path", "insert_line": "line", "insert_text": "text", "new_str": "text", "content": "text"},
    command_line=FieldSpelling(positional=("file_path",), options=targets.OPTIONS, from_stdin="text"),
    verb="insert",
    operation="update",
)
