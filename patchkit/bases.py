"""The base of an old patch: a directory, a revision, or per file the newest revision that every hunk fits.

Takes what a caller names and the workspace; gives a source of files that `repair.based` plans on: one for each of
several patches, with what those before it have made of the base.
"""

from __future__ import annotations

import os
from contextlib import closing

from patchkit.applying import written_patch
from patchkit.core.changes import Entry, Files, Options, Plan
from patchkit.core.language import AddFile, DeleteFile, HashedUpdate, Patch, UpdateFile
from patchkit.core.workspace.root import Workspace
from patchkit.diffs.git_calls import run_git
from patchkit.diffs.git_tree import GitTree, Repository
from patchkit.errors import PatchkitError
from patchkit.repair import planned
from patchkit.repair.based import based_patch, planned_on_base, taken_back_patch
from patchkit.sources import MemoryFiles, Overlay

AUTO = "auto"
_MOST_REVISIONS = 200  # of one file that are looked at


class PatchBases:
    """The base that a caller names, for one patch after the other: a revision, a directory, or AUTO."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._opened: Workspace | GitTree | None = None
        self._below: Overlay | None = None  # what the patches so far have made of it
        self._before: str | None = None  # the last of them, which that does not have yet

    def open(self, workspace: Workspace) -> None:
        """Raises if there is no such base: for a caller who wants to know before the first patch."""
        if self._name == AUTO:
            try:
                with closing(Repository(None, workspace.root)) as repository:
                    repository.prefix()
            except PatchkitError as error:
                raise _without_repository(error) from None
        elif self._opened is None:
            self._opened = opened_base(self._name, workspace)

    def base_of(self, text: str | Patch, workspace: Workspace, options: Options, files: Files | None = None) -> Files:
        """The files that a patch was made for; `files` are those it is for, where that is not the workspace itself."""
        if self._name == AUTO:
            now = files if files is not None else workspace
            patch = written_patch(text, now, options) if isinstance(text, str) else text
            return found_base(patch, workspace, options, now)
        self.open(workspace)
        opened: Files = self._opened  # type: ignore[assignment]  # which `open` has done
        if options.reverse or self._before is None:
            return self._below if self._below is not None else opened
        # One overlay for the whole run, and one plan for each patch: not all of them anew for the next.
        self._below = self._below if self._below is not None else Overlay(opened)
        planned_on_base(written_patch(self._before, self._below, options), self._below, options).commit()
        self._before = None
        return self._below

    def add(self, text: str) -> None:
        """Takes a patch that was applied: the next one was made for a base that has it."""
        self._before = text

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()


def opened_base(name: str, files: Workspace) -> Workspace | GitTree:
    """The files of a directory or a revision; relative paths start where they do in the workspace.

    A file that the rules of the workspace hide is refused, also one that only the base has: a refusal shows lines.
    """
    start = "/".join(files.start)
    base: Workspace | GitTree
    if os.path.isdir(name):
        base = Workspace(name, os.path.join(name, start))
    else:
        try:
            base = GitTree(name, None, files.root, start)
        except PatchkitError as error:
            raise _without_repository(error) from None

    def judge(path: str, found: str) -> None:
        if files.may_read is not None and isinstance(base, GitTree):
            base.refuse_bare_tree()
        if files.may_read is not None and not files.may_read(os.path.join(base.real, found)):
            raise PatchkitError("P651", file=path, action=f"reading '{path}' of the base", rule="that hides it")

    base.on_found = judge
    return base


def _without_repository(error: PatchkitError) -> PatchkitError:
    """The error with the fact that the repository is that of the workspace: no option names another one."""
    if error.code == "P667":
        error.facts["of_base"] = True
    return error


class FoundBase(Files):
    """Files of their own revisions, none where a patch that is taken back made one, and all else as it is."""

    is_guessed = True  # the patch may be written for something else

    def __init__(self, content: dict[str, bytes], files: Files, made: set[str], searched: dict[str, str]) -> None:
        self.content = content
        self._files = files
        self._made = made
        self._searched = searched  # by the path of the patch, for files of which no revision fits

    def explain(self, error: PatchkitError) -> None:
        """Adds to a refusal which revisions were looked at in vain."""
        for each in error.errors:
            searched = self._searched.get(str(each.facts.get("file")))
            if searched:
                each.facts["searched"] = searched

    def find(self, path: str, follow: bool = True) -> Entry:
        entry = self._files.find(path, follow)
        data = self.content.get(entry.name)
        if data is None and entry.name in self._made:
            return Entry(entry.name, "missing")
        return entry if data is None else Entry(entry.name, "file", data)

    def commit(self, plan: Plan) -> None:
        raise PatchkitError("P402", file=".", reason="a base cannot be changed")


def found_base(patch: Patch, workspace: Workspace, options: Options, files: Files | None = None) -> FoundBase:
    """Per file the newest revision in the history of HEAD that every hunk fits exactly; of a deleted file the last one.

    Of a diff of git that names its base by a hash, that base. Raises P222 where two revisions give different results.
    """
    try:
        # A hash has no name to judge: where the rules hide a file, the base is looked for under the name of the file.
        by_hash = workspace.may_read is None
        return _found_base(patch, files if files is not None else workspace, options, workspace.root, by_hash)
    except PatchkitError as error:
        raise _without_repository(error) from None


def _found_base(patch: Patch, files: Files, options: Options, root: str, by_hash: bool) -> FoundBase:
    found: dict[str, bytes] = {}
    made: set[str] = set()
    searched: dict[str, str] = {}
    with closing(Repository(None, root)) as repository:
        prefix = "/".join(repository.prefix())
        for section in patch.sections:
            name = _name(files, section.path)
            moved = section.move_to if isinstance(section, UpdateFile) else None
            data = found.get(name)  # of the first of several sections: those after it see what it leaves
            if data is not None:
                continue
            if isinstance(section, UpdateFile) and section.hunks:
                current = _current(files, section.move_to if options.reverse and section.move_to else section.path)
                data = _named(section, repository) if by_hash else None
                versions = _versions(name, prefix, repository, root, current) if data is None else []
                data = _base_of(section, name, versions, options) if data is None else data
                if data is None and len(versions) > 1:
                    searched[section.path] = _extent(versions[1:])
            elif options.reverse and (moved or isinstance(section, DeleteFile)):
                versions = _versions(name, prefix, repository, root, b"")[1:]
                data = versions[0][1] if versions else None
            if data is not None:
                found[name] = data
            if options.reverse and (moved or isinstance(section, AddFile)):
                made.add("/".join(files.parts(moved or section.path)))
    return FoundBase(found, files, made, searched)


def _name(files: Files, path: str) -> str:
    """The path of a file below the root; of a link that of the file it leads to."""
    entry = files.find(path)
    return entry.name if entry.kind == "file" else "/".join(files.parts(path))


def _named(section: UpdateFile, repository: Repository) -> bytes | None:
    """The content that a diff of git names by its hash, where the repository has it: there is no need to search."""
    read = repository.read(section.blob) if isinstance(section, HashedUpdate) and len(section.blob) > 3 else None
    return read[2] if read is not None and read[1] == "blob" else None


def _extent(versions: list[tuple[str, bytes]]) -> str:
    """Which revisions of a file were looked at, newest first, as a person reads it."""
    last = versions[-1][0]
    if len(versions) < _MOST_REVISIONS:
        return f"no revision of the file in HEAD's history fits ({len(versions)}, back to {last})"
    return (
        f"none of the newest {len(versions)} revisions of the file fits (back to {last}), and older ones were not read"
    )


def _base_of(section: UpdateFile, name: str, versions: list[tuple[str, bytes]], options: Options) -> bytes | None:
    """The content of the newest of the versions that every hunk fits; the first of them is the file as it is."""
    exact = options.limited_to("exact", None)
    exact.lost_anchors = False
    results: dict[bytes, tuple[str, bytes]] = {}  # what comes of it, by revision
    seen: set[bytes] = set()
    current = versions[0][1]
    for revision, data in versions:
        if data in seen:
            continue
        seen.add(data)
        try:
            patch = Patch([UpdateFile(name, None, section.hunks, section.line)])
            planned(patch, MemoryFiles({name: data}), exact)
        except PatchkitError:
            continue
        result = _result(patch, name, data, current, exact)
        results.setdefault(result, (revision, data))
    if len(results) > 1:
        names = ", ".join(revision for revision, _ in results.values())
        raise PatchkitError("P222", file=section.path, revisions=names, patch_line=section.line)
    return next((data for _, data in results.values()), None)


def _current(files: Files, path: str) -> bytes:
    entry = files.find(path)
    return entry.data if entry.kind == "file" else b""


def _result(patch: Patch, name: str, base: bytes, current: bytes, options: Options) -> bytes:
    """What the file becomes with this base; the words of the refusal where it is refused."""
    target = MemoryFiles({name: current})
    try:
        carry = taken_back_patch if options.reverse else based_patch
        carried = carry(patch, MemoryFiles({name: base}), target, options)
        if carried.sections:
            planned(carried, target, options).commit()
    except PatchkitError as error:
        return b"\0" + error.code.encode()
    return target.content.get(name, b"")


def _versions(name: str, prefix: str, repository: Repository, root: str, current: bytes) -> list[tuple[str, bytes]]:
    """The contents of a file, newest first: as it is, and in the history of HEAD."""
    words = ["rev-list", f"--max-count={_MOST_REVISIONS}", "HEAD", "--", name]
    done = run_git(["-C", root], words, literal=True)
    if done.returncode:
        raise PatchkitError("P667", reason=done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: "))
    path = f"{prefix}/{name}" if prefix else name
    found = [("the file as it is", current)]
    for revision in done.stdout.decode().split():
        read = repository.read(f"{revision}:{path}")
        if read is not None and read[1] == "blob":
            found.append((revision[:12], read[2]))
    return found
