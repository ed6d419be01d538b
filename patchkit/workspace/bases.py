"""The base of an old patch: a directory, a revision, or per file the newest revision that every hunk fits.

Takes what a caller names and the workspace; gives a source of files that `changes.based` plans on.
"""

from __future__ import annotations

import os
import subprocess

from patchkit.changes.based import based_patch
from patchkit.changes.model import Entry, Plan
from patchkit.changes.options import Options
from patchkit.changes.planner import plan
from patchkit.changes.sources import Files, MemoryFiles
from patchkit.errors import PatchkitError
from patchkit.language.model import Patch, UpdateFile
from patchkit.workspace.git_tree import GitTree, Repository
from patchkit.workspace.root import Workspace

AUTO = "auto"
_MOST_REVISIONS = 200  # of one file that are looked at
_SETTINGS = {"GIT_LITERAL_PATHSPECS": "1", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}


def opened_base(name: str, root: str) -> Files:
    """The files of a directory or a revision."""
    if os.path.isdir(name):
        return Workspace(name)
    return GitTree(name, None, root)


class FoundBase(Files):
    """Files of their own revisions, and everything else as it is in the workspace."""

    def __init__(self, content: dict[str, bytes], files: Files) -> None:
        self.content = content
        self._files = files

    def find(self, path: str, follow: bool = True) -> Entry:
        entry = self._files.find(path, follow)
        data = self.content.get(entry.name)
        return entry if data is None else Entry(entry.name, "file", data)

    def commit(self, plan: Plan) -> None:
        raise PatchkitError("P402", file=".", reason="a base cannot be changed")


def found_base(patch: Patch, files: Workspace, options: Options) -> FoundBase:
    """Per file the newest revision in the history of HEAD that every hunk fits exactly.

    Raises P222 where two revisions lead to different results.
    """
    found: dict[str, bytes] = {}
    repository = Repository(None, files.root)
    try:
        prefix = "/".join(repository.prefix())
        for section in patch.sections:
            if isinstance(section, UpdateFile) and section.hunks:
                name = "/".join(files.parts(section.path))
                data = _base_of(section, name, prefix, repository, files, options)
                if data is not None:
                    found[name] = data
    finally:
        repository.close()
    return FoundBase(found, files)


def _base_of(
    section: UpdateFile, name: str, prefix: str, repository: Repository, files: Workspace, options: Options
) -> bytes | None:
    exact = options.limited_to("exact", None)
    exact.lost_anchors = False
    results: dict[bytes, tuple[str, bytes]] = {}  # what comes of it, by revision
    seen: set[bytes] = set()
    current = _current(files, name)
    for revision, data in _versions(name, prefix, repository, files.root, current):
        if data in seen:
            continue
        seen.add(data)
        try:
            patch = Patch([UpdateFile(name, None, section.hunks, section.line)])
            plan(patch, MemoryFiles({name: data}), exact)
        except PatchkitError:
            continue
        result = _result(patch, name, data, current, exact)
        results.setdefault(result, (revision, data))
    if len(results) > 1:
        names = ", ".join(revision for revision, _ in results.values())
        raise PatchkitError("P222", file=section.path, revisions=names, patch_line=section.line)
    return next((data for _, data in results.values()), None)


def _current(files: Workspace, name: str) -> bytes:
    entry = files.find(name)
    return entry.data if entry.kind == "file" else b""


def _result(patch: Patch, name: str, base: bytes, current: bytes, options: Options) -> bytes:
    """What the file becomes with this base; the words of the refusal where it is refused."""
    target = MemoryFiles({name: current})
    try:
        carried = based_patch(patch, MemoryFiles({name: base}), target, options)
        if carried.sections:
            plan(carried, target, options).commit()
    except PatchkitError as error:
        return b"\0" + error.code.encode()
    return target.content.get(name, b"")


def _versions(name: str, prefix: str, repository: Repository, root: str, current: bytes) -> list[tuple[str, bytes]]:
    """The contents of a file, newest first: as it is, and in the history of HEAD."""
    words = ["git", "-C", root, "rev-list", f"--max-count={_MOST_REVISIONS}", "HEAD", "--", name]
    try:
        done = subprocess.run(words, capture_output=True, env={**os.environ, **_SETTINGS})
    except OSError as error:
        raise PatchkitError("P667", reason=f"git cannot be run: {error.strerror}") from None
    if done.returncode:
        raise PatchkitError("P667", reason=done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: "))
    path = f"{prefix}/{name}" if prefix else name
    found = [("the file as it is", current)]
    for revision in done.stdout.decode().split():
        read = repository.read(f"{revision}:{path}")
        if read is not None and read[1] == "blob":
            found.append((revision[:12], read[2]))
    return found
