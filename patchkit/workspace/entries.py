"""What a workspace finds at a path: an Entry that knows its location on disk.

Takes directory handles and a location; gives content and metadata, read through the handle of the directory and never
by a path. Finding the location that a path means is the work of `root`.
"""

from __future__ import annotations

import os
import stat

from patchkit.changes.model import Entry
from patchkit.errors import PatchkitError
from patchkit.workspace.directories import READING, Directories, Parts, close, file_type, reason
from patchkit.workspace.metadata import Metadata, read_all, read_metadata


class Location:
    """Where an entry is: its directory, the directories that are still missing below that, its own name.

    `status` is what the file was when it was found, `metadata` what it was when it was read.
    """

    __slots__ = ("directory", "missing", "leaf", "status", "metadata")
    directory: Parts
    missing: Parts
    leaf: str
    status: os.stat_result | None
    metadata: Metadata | None

    def __init__(self, directory: Parts, missing: Parts, leaf: str, status: os.stat_result | None) -> None:
        self.directory = directory
        self.missing = missing
        self.leaf = leaf
        self.status = status
        self.metadata = None

    @property
    def parts(self) -> Parts:
        """The components of the entry from the root; the root itself has none."""
        return self.directory if self.leaf == "." else (*self.directory, *self.missing, self.leaf)

    @property
    def size(self) -> int:
        """The size of the file in bytes; 0 when there is none."""
        return self.status.st_size if self.status is not None else 0


class WorkspaceEntry(Entry):
    """An entry on disk; `path` is how it was spelled."""

    __slots__ = ("path", "_directories")
    location: Location

    def __init__(self, directories: Directories, path: str, name: str, kind: str, location: Location) -> None:
        super().__init__(name, kind)
        self.location = location
        self.path = path
        self._directories = directories

    @property
    def size(self) -> int:
        return self.location.size

    def load(self) -> bytes:
        """The content of a regular file, opened without following a link and without waiting for a writer."""
        location = self.location
        try:
            opened = os.open(location.leaf, READING, dir_fd=self._directories.handle(location.directory))
            try:
                found = read_metadata(opened)
                if not stat.S_ISREG(found.status.st_mode):
                    raise PatchkitError("P306", file=self.path, type=file_type(found.status))
                location.status, location.metadata = found.status, found
                return read_all(opened, found.status.st_size)
            finally:
                close(opened)
        except OSError as error:
            raise PatchkitError("P401", file=self.path, reason=reason(error)) from None


def location_of(entry: Entry) -> Location:
    """The location of an entry that a workspace has found."""
    location = entry.location
    if not isinstance(location, Location):
        raise TypeError(f"'{entry.name}' was not found in a workspace")
    return location


def metadata_of(entry: Entry) -> Metadata:
    """The metadata of a file, which comes with reading it."""
    location = location_of(entry)
    if location.metadata is None:
        _ = entry.data
    if location.metadata is None:
        raise TypeError(f"'{entry.name}' has no metadata")
    return location.metadata
