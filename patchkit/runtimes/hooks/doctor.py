"""Find out why a hook does not do what its user expects: is it configured, found, called, and for which project.

Returns lines of text, each with its finding first. Looks only, but for one file in the state directory: the time of the
last call is kept in it from the first look on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from shutil import which

from patchkit.core.workspace import make
from patchkit.errors import PatchkitError
from patchkit.policy.settings import settings
from patchkit.policy.trust import is_trusted
from patchkit.runtimes.hooks.project import HookProject, project, stamp
from patchkit.runtimes.setup import found_in
from patchkit.runtimes.setup.clients import CLIENTS, HOOK


def findings(given: str = "") -> Iterator[str]:
    """What can be said about the hook from here; `given` is what its command line names as the root."""
    place = project(given)
    yield f"root: {place.root} (from {place.named_by})"
    yield _found()
    yield from _configured(place)
    yield _rules(place)
    yield _called()


def _found() -> str:
    path = which("patchkit")
    if path is None:
        return (
            "PATH: no 'patchkit' on it; a runtime that says 'patchkit hook' cannot start it, and most say nothing then"
        )
    return f"PATH: {path}"


def _configured(place: HookProject) -> Iterator[str]:
    for client in CLIENTS.values():
        try:
            found = [each.path for each in found_in(client, place.root) if each.part == HOOK]
        except PatchkitError as error:
            yield f"{client.title}: {error.message}"
            continue
        if found:
            trust = f"; it is run once {client.trust}" if client.trust else ""
            yield f"{client.title}: configured in {', '.join(found)}{trust}"
        else:
            yield f"{client.title}: not configured"


def _rules(place: HookProject) -> str:
    try:
        known = settings(place.root)
    except PatchkitError as error:
        return f"rules: {error.message}"
    source = known.source("permissions")
    if source is None:
        return "rules: none of the project; only calls of apply_patch are looked at"
    trusted = "trusted" if is_trusted(source) else "not trusted, so they allow nothing: see 'patchkit trust'"
    return f"rules: {source.path}, {trusted}"


def _called() -> str:
    path = stamp()
    if not path:
        return "called: not known, there is no state directory"
    try:
        seen = os.stat(path)
    except OSError:
        try:
            make(os.path.dirname(path))
            with open(path, "w", encoding="ascii"):
                os.utime(path, (0, 0))
        except OSError as error:
            return f"called: not known ({error.strerror})"
        return "called: watched from now on; let the runtime run a tool, then run this again"
    if seen.st_mtime < 1:
        return "called: not since it is watched; no runtime runs the hook"
    return f"called: last {round(time.time() - seen.st_mtime)} seconds ago"
