"""Move: give a file or a directory another name."""

from __future__ import annotations

from patchkit.core.language import UpdateFile
from patchkit.errors import PatchkitError
from patchkit.report.result import Json, Result
from patchkit.tools.answers import escaped, path_of
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields
from patchkit.tools.delete import applied, below, kind_of, paths_at, remarks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.policy.deeds import Deed, Deeds

DESCRIPTION = """\
Moves a file or a directory to another name: all of it, or nothing.
- Both paths are relative to the current directory, or absolute. Paths outside the workspace are refused
- new_path is the whole new name, not a directory to move into; directories that it needs are created
- A file that exists at new_path is not replaced, unless overwrite says so; a directory never is
- Content, mode and owner stay as they are"""
SCHEMA: Json = fields(
    "file_path new_path",
    file_path=field("string", "The path of the file or directory to move, in the workspace"),
    new_path=field("string", "The path that it gets"),
    overwrite=field("boolean", "Replace a file that exists at new_path (default false)", default=False),
)


def run(call: ToolCall) -> Result:
    path, goal = path_of(call), call.text("new_path")
    if not goal.strip():
        raise PatchkitError("P603", field="new_path", given=f"'{goal}'", allowed="the new path")
    kind = kind_of(call, recursive=True)
    found = call.files.find(goal, follow=False)
    if kind != "directory":
        applied(call, [UpdateFile(path, goal)], call.flag("overwrite"))
        files = [path]
    else:
        files = _move_directory(call, path, goal, found.kind)
    data: Json = {"path": goal, "moved_from": path, "kind": kind, "files": files}
    return Result("success", data, f"Moved {escaped(path)} to {escaped(goal)}")


def _move_directory(call: ToolCall, path: str, goal: str, found: str) -> list[str]:
    source = call.files.find(path, follow=False).name
    if f"{call.files.find(goal, follow=False).name}/".startswith(f"{source}/"):
        allowed = "a path outside of the directory that is moved"
        raise PatchkitError("P603", field="new_path", given=f"'{goal}'", allowed=allowed)
    if found != "missing":
        raise PatchkitError("P304", file=goal, source=path, directory=True)
    names, modes = below(call.files, path)
    if not names:
        raise PatchkitError("P603", field="file_path", given=f"'{path}'", allowed="a directory that is not empty")
    new, (top, *_) = call.files.find(goal, follow=False).location.parts, modes
    moved = {(*new, *parts[len(top) :]): mode for parts, mode in modes.items()}
    call.files.directories.modes |= moved
    call.files.remarks = [*remarks("had", modes), *remarks("has", moved)]
    applied(call, [UpdateFile(name, _moved(name, path, goal)) for name in names])
    call.files.directories.change(moved, modes)
    return names


def _moved(name: str, path: str, goal: str) -> str:
    return goal.rstrip("/") + name[len(path.rstrip("/")) :]


def _deeds(deeds: Deeds, arguments: Json) -> list[Deed]:
    path, goal = arguments["file_path"], arguments["new_path"]
    pairs = ((name, _moved(name, path, goal)) for name in paths_at(deeds.files, path))
    return deeds.of_paths(each for old, new in pairs for each in (("move_from", old), ("move_to", new)))


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    aliases={"path": "file_path", "old_path": "file_path", "source": "file_path", "destination": "new_path"},
    command_line=FieldSpelling(positional=("file_path", "new_path")),
    verb="move",
    operation="move_from",
    deeds=_deeds,
)
