"""Where a search begins: the directory or file that a path names, found through the workspace's door."""

from __future__ import annotations

from patchkit.errors import PatchkitError
from patchkit.workspace.directories import Parts
from patchkit.workspace.root import Workspace, WorkspaceEntry


def entry_at(files: Workspace, path: str) -> WorkspaceEntry:
    """What a path names; refused when there is nothing."""
    entry = files.find(path)
    if entry.blocker:
        raise PatchkitError("P310", file=path, parent=entry.blocker)
    if entry.kind == "missing":
        raise PatchkitError("P302", file=path)
    return entry


def directory_at(files: Workspace, path: str) -> Parts:
    """The components of the directory that a path names; refused when it names anything else."""
    entry = entry_at(files, path)
    if entry.kind != "directory":
        raise PatchkitError("P319", file=path)
    return parts_of(entry)


def parts_of(directory: WorkspaceEntry) -> Parts:
    standing = directory.standing
    return standing.directory if standing.leaf == "." else (*standing.directory, standing.leaf)
