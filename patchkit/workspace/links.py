"""Symbolic links met on a walk: where one leads, counted from the root.

Takes the text of a link and the directory it stands in; gives the components to walk instead, or refuses a link that
leaves the root. Walking them is the workspace's work; nothing here follows anything. Loaded when a link is met.
"""

from __future__ import annotations

import os
from errno import EINVAL, ELOOP, ENOENT, ENOTDIR

from patchkit.errors import PatchkitError
from patchkit.workspace.directories import Parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.workspace.root import Workspace


def is_in_the_way(error: OSError) -> bool:
    """Whether a directory could not be opened because a link, or a file, stands there."""
    return error.errno in (ELOOP, ENOTDIR)


def link_target(name: str, directory: int) -> str | None:
    """Where the link of this name leads; None when there is no link of this name."""
    try:
        return os.readlink(name, dir_fd=directory)
    except OSError as error:
        if error.errno in (EINVAL, ENOENT):
            return None
        raise


def expanded(workspace: Workspace, spelled: str, directory: Parts, target: str, rest: list[str]) -> list[str]:
    """The components a link stands for, counted from the root; refused when they leave it."""
    inside: str | None = target
    start = list(directory)
    if target.startswith("/"):
        inside, start = _without_root(workspace, target), []
    if inside is None:
        raise PatchkitError("P307", file=spelled, target=target)
    # `..` stays: it counts from where the components before it lead, which only walking them shows.
    return [*start, *(part for part in inside.split("/") if part not in ("", ".")), *rest]


def _without_root(workspace: Workspace, path: str) -> str | None:
    """What an absolute path says behind the root, as spelled or as resolved; None when it lies elsewhere."""
    for base in (workspace.root, workspace.real):
        if path == base or path.startswith(base.rstrip("/") + "/"):
            return path[len(base) :]
    return None
