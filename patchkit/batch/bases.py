"""The files that the patch of a row is for.

Takes a row; gives its files: the mapping that the row brings itself, or the tree of a commit of one of the repositories
below one directory. A repository is opened once in a process, by one `git cat-file`, and the latest few stay open.
"""

from __future__ import annotations

import json
import os

from patchkit.batch.request import BatchRequest
from patchkit.changes.sources import MemoryFiles
from patchkit.errors import PatchkitError
from patchkit.workspace.git_tree import GitTree, Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from patchkit.changes.sources import Files

    Row = dict[str, object]

_MOST_OPEN = 16  # repositories
_MOST_TREES = 64  # commits of a repository whose trees stay known
_MOST_LISTINGS = 20_000  # directories of a repository that stay known


class Bases:
    """What patches are planned on, in one process."""

    def __init__(self, request: BatchRequest) -> None:
        self._request = request
        self._repositories: dict[str, _KnownRepository] = {}  # the latest used is the last

    def order(self, row: Row | PatchkitError) -> tuple[str, str]:
        """What to sort rows by, so that those of one commit follow each other."""
        if isinstance(row, PatchkitError):
            return "", ""
        named = (self._request.column(row, name) for name in ("repo", "base_commit"))
        repo, commit = (str(row.get(column)) if column else "" for column in named)
        return repo, commit

    def files(self, row: Row) -> Files:
        """The files of a row; raises P693 where it has none, and what git says of a commit that is not there."""
        column = self._request.column(row, "files")
        if column and row.get(column) is not None:
            return MemoryFiles(_mapping(row[column]))
        repo, commit = (self._request.column(row, name) for name in ("repo", "base_commit"))
        if not repo or not commit:
            raise PatchkitError("P693", reason="it has neither 'files' nor 'repo' and 'base_commit'")
        if self._request.repos is None:
            raise PatchkitError("P693", reason="no directory of repositories was given ('--repos')")
        name, revision = row[repo], row[commit]
        if not isinstance(name, str) or not isinstance(revision, str) or not revision:
            raise PatchkitError("P693", reason=f"'{repo}' and '{commit}' are not both texts")
        return self._repository(name).tree(revision)

    def close(self) -> None:
        """Ends all git processes: after a row that was stopped, their answers belong to questions of that row."""
        for repository in self._repositories.values():
            repository.close()
        self._repositories.clear()

    def _repository(self, name: str) -> _KnownRepository:
        known = self._repositories.pop(name, None)
        if known is None:
            known = _KnownRepository(_git_dir(str(self._request.repos), name))
            if len(self._repositories) >= _MOST_OPEN:
                oldest = next(iter(self._repositories))
                self._repositories.pop(oldest).close()
        self._repositories[name] = known
        return known


class _KnownRepository:
    """One repository with the trees that were asked for lately."""

    def __init__(self, git_dir: str) -> None:
        self._git_dir = git_dir
        self._repository = Repository(git_dir, git_dir)
        self._trees: dict[str, GitTree] = {}

    def tree(self, revision: str) -> Files:
        if len(self._repository.listings) > _MOST_LISTINGS:
            self._repository.listings.clear()
        tree = self._trees.get(revision)
        if tree is None:
            if len(self._trees) >= _MOST_TREES:
                self._trees.pop(next(iter(self._trees)))
            tree = self._trees[revision] = GitTree(revision, self._git_dir, repository=self._repository)
        return tree

    def close(self) -> None:
        self._repository.close()


def _git_dir(repos: str, name: str) -> str:
    """The repository of a name such as 'owner/name' below a directory, with or without a work tree."""
    parts = name.split("/")
    if not name or name.startswith("/") or "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise PatchkitError("P693", reason=f"'{name}' is not the name of a repository")
    for written in (name, "__".join(parts), parts[-1]):
        for path in (os.path.join(repos, written, ".git"), os.path.join(repos, f"{written}.git")):
            if os.path.exists(path):
                return path
        path = os.path.join(repos, written)
        if os.path.exists(os.path.join(path, "HEAD")):
            return path
    raise PatchkitError("P693", reason=f"there is no repository '{name}' in '{repos}'")


def _mapping(value: object) -> dict[str, bytes]:
    """The files of a row: a mapping of paths to texts, the same as JSON, or a list of pairs or of records."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise PatchkitError("P693", reason="its files are a text that is not JSON") from None
    pairs = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(pairs, (list, tuple)):
        raise PatchkitError("P693", reason="its files are not a mapping of paths to texts")
    found: dict[str, bytes] = {}
    for pair in pairs:
        path, content = _pair(pair)
        if content is None:
            continue  # Parquet gives every row all names that any row has
        if not isinstance(path, str) or not isinstance(content, (str, bytes)):
            raise PatchkitError("P693", reason="its files are not a mapping of paths to texts")
        try:
            found[path] = content.encode() if isinstance(content, str) else content
        except UnicodeEncodeError:
            raise PatchkitError("P693", reason=f"the text of '{path}' has half of a surrogate pair") from None
    return found


def _pair(pair: object) -> tuple[object, object]:
    if isinstance(pair, dict):
        content = next((pair[name] for name in ("content", "text", "contents") if name in pair), None)
        return pair.get("path", pair.get("name")), content
    return (pair[0], pair[1]) if isinstance(pair, (list, tuple)) and len(pair) == 2 else (None, "")
