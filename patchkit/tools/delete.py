"""Delete: remove a file, or a directory with everything in it; and what it shares with Move."""

from __future__ import annotations

from patchkit.applying import Applied, apply
from patchkit.core.changes import Options
from patchkit.core.language import DeleteFile, FileOp, Patch
from patchkit.core.workspace import Parts
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.reading import listing, refuse_unless
from patchkit.report.result import Json, Result
from patchkit.tools.answers import counted, escaped, path_of, with_suggestion
from patchkit.tools.declaration import Declaration, FieldSpelling, ToolCall, field, fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.policy.deeds import Tree


# Sections are applied as a patch of that text would be: one transaction, under the same checks, recorded for `undo`. A
# directory is the files in it: what remains of it when they are gone, empty directories, is removed at the end. Its
# mode and those of directories below it are remarks of the run, 'had' before and 'has' after it, for `undo` and `redo`.
MOST_FILES = 10_000


def kind_of(call: ToolCall, recursive: bool) -> str:
    """What the path of a call names: 'file', 'link' or 'directory'; raises where it may not be changed."""
    path = path_of(call)
    entry = call.files.find(path, follow=False)
    if entry.name in ("", "."):
        allowed = "the path of a file or directory below the workspace"
        raise PatchkitError("P603", field="file_path", given=f"'{path}'", allowed=allowed)
    if entry.kind == "directory" and not recursive:
        raise PatchkitError("P305", file=path, whole=True)
    try:
        refuse_unless(path, entry, "file", "link", "directory")
    except PatchkitError as error:
        raise with_suggestion(call, path, error) from None
    return entry.kind


def below(files: Workspace, path: str) -> tuple[list[str], dict[Parts, int]]:
    """Every file and link below a directory, by its path as the caller would write it, in order; and the modes of the
    directory and of those below it, the outermost first."""
    found: list[str] = []
    modes: dict[Parts, int] = {}
    directories = [path.rstrip("/")]
    for directory in directories:  # which grows meanwhile
        location = files.find(directory, follow=False).location
        if location.status is not None:
            modes[location.parts] = location.status.st_mode & 0o7777
        for each in listing(files, directory)[0]:
            is_directory = each.kind == "directory" and not each.target
            (directories if is_directory else found).append(f"{directory}/{each.name}")
        if len(found) > MOST_FILES:
            limit = f"a directory with at most {MOST_FILES:,} files"
            raise PatchkitError("P603", field="file_path", given=f"'{path}'", allowed=limit)
    return sorted(found), modes


def paths_at(files: Tree, path: str) -> list[str]:
    """The path, or for a directory everything below it: what rules decide about."""
    try:
        if isinstance(files, Workspace) and files.find(path, follow=False).kind == "directory":
            return below(files, path)[0] or [path]
    except PatchkitError:
        pass  # the call will be refused for that
    return [path]


def applied(call: ToolCall, sections: list[FileOp], overwrite: bool = False) -> Applied:
    """Makes all changes in one transaction."""
    done = apply(Patch(sections), call.files, Options(overwrite=overwrite, remember=True).checked())
    call.notes.extend(done.notes)
    return done


def remarks(name: str, modes: dict[Parts, int]) -> list[str]:
    return [f"{name}={mode} {'/'.join(parts)}" for parts, mode in modes.items()]


DESCRIPTION = """\
Deletes a file, or a directory with everything in it: all of it, or nothing.
- file_path is relative to the current directory, or absolute. A path outside the workspace is refused, and so is the workspace itself
- A directory is deleted only with recursive
- A symbolic link is deleted itself; what it leads to stays
- What was deleted can be restored by a person with 'patchkit undo'"""  # noqa: E501  # one point, one line
SCHEMA: Json = fields(
    "file_path",
    file_path=field("string", "The path of the file or directory to delete, in the workspace"),
    recursive=field("boolean", "Delete a directory with everything in it (default false)", default=False),
)


def run(call: ToolCall) -> Result:
    path = path_of(call)
    kind = kind_of(call, call.flag("recursive"))
    names, modes = below(call.files, path) if kind == "directory" else ([path], {})
    call.files.remarks = remarks("had", modes)
    if names:
        applied(call, [DeleteFile(name) for name in names])
    call.files.directories.change((), modes)
    what = f"directory {escaped(path)} with {counted(len(names), 'file')}" if kind == "directory" else escaped(path)
    return Result("success", {"path": path, "kind": kind, "files": names}, f"Deleted {what}")


TOOL = Declaration(
    DESCRIPTION,
    SCHEMA,
    run,
    aliases={"path": "file_path"},
    command_line=FieldSpelling(positional=("file_path",), options={"recursive": "-r/--recursive"}),
    verb="delete",
    operation="delete",
    deeds=lambda deeds, given: deeds.of_paths(("delete", path) for path in paths_at(deeds.files, given["file_path"])),
)
