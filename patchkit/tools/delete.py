"""Delete: remove a file, or a directory with everything in it.

The declaration of the tool, and its work: one plan for all files, one commit, which `undo` takes back.
"""

from __future__ import annotations

from patchkit.core.language import DeleteFile
from patchkit.policy import WRITE
from patchkit.report.result import Result
from patchkit.tools.answers import counted, escaped, path_of
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall
from patchkit.tools.trees import applied, below, kind_of, paths_at, remove_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.policy.deeds import Deed, Deeds
    from patchkit.report.result import Json

DESCRIPTION = """\
Deletes a file, or a directory with everything in it: all of it, or nothing.
- file_path is relative to the current directory, or absolute. A path outside the workspace is refused, and so is the workspace itself
- A directory is deleted only with recursive
- A symbolic link is deleted itself; what it leads to stays
- What was deleted can be restored by a person with 'patchkit undo'"""  # noqa: E501  # one point, one line
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "file_path": {"type": "string", "description": "The path of the file or directory to delete, in the workspace"},
        "recursive": {
            "type": "boolean",
            "default": False,
            "description": "Delete a directory with everything in it (default false)",
        },
    },
    "required": ["file_path"],
    "additionalProperties": False,
}


def run(call: ToolCall) -> Result:
    path = path_of(call)
    kind = kind_of(call, call.flag("recursive"))
    names = below(call.files, path) if kind == "directory" else [path]
    if names:
        applied(call, [DeleteFile(name) for name in names])
    if kind == "directory":
        remove_empty(call.files, path)
    what = f"directory {escaped(path)} with {counted(len(names), 'file')}" if kind == "directory" else escaped(path)
    return Result("success", {"path": path, "kind": kind, "files": names}, f"Deleted {what}")


def _deeds(deeds: Deeds, arguments: Json) -> list[Deed]:
    return [deeds.at(WRITE, "delete", path) for path in paths_at(deeds.files, arguments["file_path"])]


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    aliases={"path": "file_path"},
    command_line=FieldSpelling(positional=("file_path",), options={"recursive": "-r/--recursive"}),
    verb="delete",
    operation="delete",
    deeds=_deeds,
)
