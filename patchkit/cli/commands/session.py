"""`patchkit session`: what the tools have seen in this workspace, and forgetting it."""

from __future__ import annotations

import os
import time

import click

from patchkit.cli.answer import print_result
from patchkit.cli.parameters import FILE, command, options
from patchkit.cli.quick import JSON, ROOT, START
from patchkit.cli.statuses import of_result
from patchkit.core.workspace import current_directory
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.history.sessions import MOST_HASHED, Seen, Tracker, hashed
from patchkit.reading import open_file
from patchkit.report.result import Result, failure


@command()
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=FILE)
@click.option("--clear", is_flag=True, help="forget these files, or all of them: they count as unread")
@options(ROOT, START, JSON)
def session(paths: tuple[str, ...], clear: bool, root: str | None, start: str | None, as_json: bool) -> int:
    """Show which files were read or written in this session, and whether they are still the same.

    A session is what PATCHKIT_SESSION names, else the workspace. Edit, MultiEdit and Write need it: they change no file
    that was not seen in it, nor one that was changed since.
    """
    started = time.monotonic()
    try:
        with Workspace(root or None, start) as files:
            result = _cleared(files, paths) if clear else _listed(files, paths)
            resolved: str | None = files.real
    except PatchkitError as error:
        result, resolved = failure(error), None
    result.stats = {"time_ms": round((time.monotonic() - started) * 1000)}
    result.context = {"cwd": current_directory(), "params_input": {"paths": list(paths)}, "path_resolved": resolved}
    print_result(result, as_json)
    return of_result(result)


def _listed(files: Workspace, paths: tuple[str, ...]) -> Result:
    tracker = Tracker(files)
    wanted = {tracker.path(files.find(path).name) for path in paths}
    rows = [(each, _state(files, tracker, each)) for each in tracker.all() if not paths or each.path in wanted]
    data = {**_which(tracker), "files": [_file_data(each, state) for each, state in rows]}
    lines = [f"{state:<9}{os.path.relpath(each.path, files.real)}" for each, state in rows]
    return Result("success", data, "\n".join(lines) if rows else "Nothing was seen in this session.")


def _cleared(files: Workspace, paths: tuple[str, ...]) -> Result:
    tracker = Tracker(files)
    if not paths:
        tracker.clear()
        return Result("success", _which(tracker), "Forgot everything that was seen in this session.")
    names = [files.find(path).name for path in paths]
    why = tracker.forget(names)
    if why:
        raise PatchkitError("P402", file=str(tracker.state_file), reason=why)
    return Result("success", _which(tracker), f"Forgot {', '.join(paths)}.")


def _which(tracker: Tracker) -> dict[str, object]:
    return {"session": tracker.session or None, "state_file": tracker.state_file}


def _state(files: Workspace, tracker: Tracker, seen: Seen) -> str:
    """Whether a file is still what was seen: 'current', 'changed', or 'gone'."""
    try:
        with open_file(files, seen.path) as opened:
            status, fd = opened.status, opened.fd
            return "current" if seen.is_current(status, lambda: hashed([_content(fd, status.st_size)])) else "changed"
    except PatchkitError as error:
        return "gone" if error.code in ("P302", "P310") else "changed"


def _content(fd: int, size: int) -> bytes:
    pieces = []
    while size <= MOST_HASHED and (piece := os.read(fd, 1 << 20)):
        pieces.append(piece)
    return b"".join(pieces)


def _file_data(seen: Seen, state: str) -> dict[str, object]:
    return {
        "path": seen.path,
        "state": state,
        "file_mtime_ms": seen.mtime_ns // 1_000_000 or None,
        "sha256": seen.sha256 or None,
        "seen_ms": seen.at_ns // 1_000_000,
    }
