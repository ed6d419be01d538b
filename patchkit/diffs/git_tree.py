"""The files of a git commit as a source of files: no work tree is needed, and none is touched.

Takes a repository and a revision; gives an Entry for a path, found by walking the commit's trees and expanding links
here, so that nothing leads out of them. One `git cat-file --batch` serves the whole run. It gets revisions and object
ids only: no name from a patch is ever given to git.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from functools import lru_cache
from types import SimpleNamespace

from patchkit.core.changes import DEEPEST, Entry, Files, Plan, as_written_or_bare, joined
from patchkit.diffs.git_calls import git_environment, git_words, run_git
from patchkit.errors import PatchkitError, reason
from patchkit.handles import ReportedAs

_MOST_LINKS = 40
# Bytes of contents that a repository keeps: a row is read and planned, and others are for its commit or a near one.
_MOST_KEPT = 16 << 20
_MOST_FOUND = 100  # paths of a commit of which is known what is there
_LONGEST_NAME = 255  # bytes: no checkout could hold a longer one
_DIRECTORY, _LINK, _SUBMODULE = b"40000", b"120000", b"160000"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO


Listing = dict[bytes, tuple[bytes, bytes]]  # name: mode and object id, as git has them


def git_place(git_dir: str | None, directory: str) -> list[str]:
    """The words that lead git to a repository: `git_dir`, which may be a work tree as well, or that of a directory."""
    if not git_dir:
        return ["-C", directory]
    inner = os.path.join(git_dir, ".git")
    return [f"--git-dir={inner if os.path.exists(inner) else git_dir}"]


def _unnamed_file() -> IO[bytes]:
    """A file without a name, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("patchkit"), "w+b")
    from tempfile import TemporaryFile  # it loads a dozen modules, and every refusal in a work tree comes here

    return TemporaryFile()


class Repository:
    """One `git cat-file --batch`: objects in, bytes out."""

    def __init__(self, git_dir: str | None, directory: str) -> None:
        self.listings: dict[str, Listing] = {}  # of the trees that were read
        self._contents: dict[str, bytes] = {}  # of the files that were read lately, the latest used is the last
        self._kept = 0
        self.where = git_dir or directory
        self._place = git_place(git_dir, directory)
        self._errors = _unnamed_file()
        try:
            self._git = subprocess.Popen(
                git_words(self._place, ["cat-file", "--batch"]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=git_environment(),
            )
        except OSError as error:
            self._errors.close()
            raise PatchkitError("P667", reason=f"git cannot be run: {reason(error)}") from None

    def close(self) -> None:
        for stream in (self._git.stdin, self._git.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass  # git is gone already
        self._git.wait()
        self._errors.close()

    def prefix(self) -> list[str]:
        """Where in the repository's work tree the directory is."""
        done = run_git(self._place, ["rev-parse", "--show-prefix"])
        if done.returncode:
            raise PatchkitError("P667", reason=_said(done.stderr))
        return [part for part in os.fsdecode(done.stdout).rstrip("\n").split("/") if part]

    def read(self, name: str) -> tuple[str, str, bytes] | None:
        """The id, the type and the content of an object; None when there is none of this name."""
        if self._git.stdin is None or self._git.stdout is None or "\n" in name or "\0" in name:
            return None
        try:
            self._git.stdin.write(os.fsencode(name) + b"\n")
            self._git.stdin.flush()
        except OSError:
            pass  # what git printed before it ended is read below
        head = self._git.stdout.readline().decode("utf-8", "surrogateescape").split()
        if not head:
            raise PatchkitError("P667", reason=self._last_words())
        if len(head) != 3 or not head[2].isdecimal():
            return None
        size = int(head[2])
        data, end = self._git.stdout.read(size), self._git.stdout.read(1)
        if len(data) != size or not end:
            raise PatchkitError("P667", reason=self._last_words())
        return head[0], head[1], data

    def content(self, oid: str) -> bytes | None:
        """The content of a file, by its id; None where the repository lacks it."""
        data = self._contents.pop(oid, None)
        if data is None:
            found = self.read(oid)
            if found is None:
                return None
            data = found[2]
            if len(data) > _MOST_KEPT:
                return data
            self._kept += len(data)
            while self._kept > _MOST_KEPT:
                self._kept -= len(self._contents.pop(next(iter(self._contents))))
        self._contents[oid] = data
        return data

    def _last_words(self) -> str:
        self._git.wait()
        self._errors.seek(0)
        return _said(self._errors.read())


def _said(words: bytes) -> str:
    """What git complained about, on one line."""
    lines = [line for line in words.decode("utf-8", "replace").split("\n") if line.strip()]
    return lines[0].removeprefix("fatal: ").partition(" (or any")[0] if lines else "git ended without a word"


class GitEntry(Entry):
    """A file of the commit; its content is read by its object id when it is first asked for."""

    __slots__ = ("_tree", "oid", "mode")

    def __init__(self, tree: GitTree, name: str, kind: str, oid: str = "", mode: str = "100644") -> None:
        super().__init__(name, kind)
        self.location = _location(mode)
        self._tree = tree
        self.oid = oid
        self.mode = mode

    def load(self) -> bytes:
        return self._tree.content(self.oid, self.name)


@lru_cache(16)  # git has a handful of modes
def _location(mode: str) -> SimpleNamespace:
    """As much of a file's status as a diff needs: its mode."""
    return SimpleNamespace(status=SimpleNamespace(st_mode=int(mode, 8)))


class GitTree(Files):
    """The files of one commit, from `root` down where that is inside a work tree.

    `repository` is one that the caller has opened and will close, for those who look at many commits of it.
    """

    def __init__(
        self,
        revision: str,
        git_dir: str | None = None,
        root: str | None = None,
        start: str | None = None,
        repository: Repository | None = None,
    ) -> None:
        with ReportedAs("P312", root=root or "."):
            self.root = os.path.abspath(root or ".")
        self._shared = repository is not None
        self._repository = repository if repository is not None else Repository(git_dir, self.root)
        self._listings = self._repository.listings
        self._start: list[str] = []
        self.on_found: Callable[[str, str], None] | None = None  # as that of a workspace
        self.on_renamed: Callable[..., None] | None = None  # as above
        self._found: dict[str, tuple[str, str, str, str, str]] = {}  # by path: reading and planning ask for the same
        try:
            self.commit_id, self._top = self._tree_of(revision)
            self._topmost = self._top
            for part in [] if git_dir else self._repository.prefix():
                mode, self._top = self._entry(self._top, part)
                if mode != _DIRECTORY:
                    raise PatchkitError("P312", root=self.root, reason=f"commit '{revision}' has no such directory")
            self._start = self.parts(start or "")
        except BaseException:
            self.close()
            raise

    @property
    def real(self) -> str:
        """Where rules that name paths count from."""
        return os.path.realpath(self.root)

    def _tree_of(self, revision: str) -> tuple[str, str]:
        """The id of the commit that a revision names, and of its tree; a revision may also name a tree."""
        commit = self._repository.read(f"{revision}^{{commit}}")
        top = commit[2][5 : commit[2].find(b"\n")].decode() if commit else ""  # its first line is 'tree ID'
        if commit and top in self._listings:
            return commit[0], top
        tree = self._repository.read(top or f"{revision}^{{tree}}")
        if tree is None:
            raise PatchkitError("P666", revision=revision, where=self._repository.where)
        self._listings[tree[0]] = _listed(tree[0], tree[2])
        return (commit or tree)[0], tree[0]

    def refuse_bare_tree(self) -> None:
        """Raises for a tree that is not known by a commit: its names are not those that rules about paths judge."""
        if self.commit_id == self._topmost:
            action = f"reading the tree '{self.commit_id}'"
            raise PatchkitError("P651", action=action, rule="about paths, which only a commit shows: name one")

    def close(self) -> None:
        if not self._shared:
            self._repository.close()

    def __enter__(self) -> GitTree:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def commit(self, plan: Plan) -> None:
        raise PatchkitError("P402", file=self.root, reason=f"the files of commit {self.commit_id} cannot be changed")

    def parts(self, path: str) -> list[str]:
        """The components of a path from the root; refused when it leaves."""
        if "\0" in path:
            raise PatchkitError("P309", file=path, reason="it contains a NUL character")
        below = path
        if path.startswith("/"):
            below = os.path.relpath(path, self.root)
        parts = joined([] if path.startswith("/") else self._start, below)
        if parts is None:
            raise PatchkitError("P301", file=path, root=self.root)
        long = 4 * len(below) > _LONGEST_NAME and any(len(os.fsencode(part)) > _LONGEST_NAME for part in parts)
        if len(parts) > DEEPEST or long:
            raise PatchkitError("P309", file=path, reason="it is too long")
        return parts

    def find(self, path: str, follow: bool = True) -> GitEntry:
        """Returns what the commit has at `path`; a link there is followed inside the tree when `follow` is set."""
        known = self._found.get(path)
        if known is not None:
            entry = GitEntry(self, *known[:4])
            entry.blocker = known[4]
            return entry
        entry = as_written_or_bare(path, lambda name: self._reach(path, self.parts(name), follow))
        if self.on_found is not None:
            self.on_found(path, entry.name)
        if entry.kind in ("file", "missing") and not entry.target and len(self._found) < _MOST_FOUND:
            self._found[path] = entry.name, entry.kind, entry.oid, entry.mode, entry.blocker
        return entry

    def below(self, name: str) -> list[str]:
        """The names of all files below a directory of the commit."""
        oid = self._top
        for part in name.split("/"):
            oid = self._entry(oid, part)[1]
        found, waiting = [], [(name, oid)]
        for above, oid in waiting:  # which grows meanwhile
            for leaf, (mode, below) in self._listing(oid).items():
                path = f"{above}/{os.fsdecode(leaf)}"
                if mode == _DIRECTORY:
                    waiting.append((path, below.hex()))
                else:
                    found.append(path)
        return found

    def settings(self, name: str) -> bytes | None:
        """The content of a settings file; None where the commit has none."""
        try:
            entry = self._reach(name, name.split("/"), True)
            return entry.data if entry.kind == "file" else None
        except PatchkitError:
            return None

    def _reach(self, spelled: str, parts: list[str], follow: bool) -> GitEntry:
        target = ""
        for _ in range(_MOST_LINKS):
            if not parts:
                return GitEntry(self, ".", "directory")
            try:
                walked = self._walk(parts, follow)
            except PatchkitError as error:
                error.facts.update(file=spelled, target=target)
                raise
            if isinstance(walked, GitEntry):
                walked.target = walked.target or target  # the planner checks whether a link led here
                return walked
            directory, target, rest = walked
            if target.startswith("/"):
                raise PatchkitError("P307", file=spelled, target=target)
            # `..` stays: it counts from where the components before it lead, which only walking them shows.
            parts = [*directory, *(part for part in target.split("/") if part not in ("", ".")), *rest]
        raise PatchkitError("P307", file=spelled, target=target, fate="leads in a circle")

    def _walk(self, parts: list[str], follow: bool) -> GitEntry | tuple[list[str], str, list[str]]:
        """Goes down `parts`: gives the entry at their end, or (directory, link target, rest) at a link to follow."""
        way: list[str] = []
        trees = [self._top]
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            if part == "..":
                if not way:
                    raise PatchkitError("P307")  # the caller knows the path and adds it
                way.pop()
                trees.pop()
                continue
            mode, oid = self._entry(trees[-1], part)
            if mode == _DIRECTORY:
                way.append(part)
                trees.append(oid)
                continue
            name = "/".join((*way, part))
            if mode == _LINK and (follow or not last):
                return way, os.fsdecode(self.content(oid, name)), parts[index + 1 :]
            if last:
                return self._leaf(name, mode, oid)
            if mode == _SUBMODULE:
                raise PatchkitError("P306", type="path inside a submodule")
            return self._nowhere("/".join((name, *parts[index + 1 :])), name if mode else "")
        return GitEntry(self, "/".join(way) or ".", "directory")

    def _leaf(self, name: str, mode: bytes, oid: str) -> GitEntry:
        if not mode:
            return self._nowhere(name, "")
        if mode == _SUBMODULE:
            return GitEntry(self, name, "submodule")
        entry = GitEntry(self, name, "link" if mode == _LINK else "file", oid, mode.decode())
        if mode == _LINK:
            entry.target = os.fsdecode(self.content(oid, name))
        return entry

    def _nowhere(self, name: str, blocker: str) -> GitEntry:
        entry = GitEntry(self, name, "missing")
        entry.blocker = blocker
        return entry

    def _entry(self, oid: str, name: str) -> tuple[bytes, str]:
        """The mode and the id of the entry of a tree object; nothing where it has none of this name."""
        try:
            mode, found = self._listing(oid).get(name.encode("utf-8", "surrogateescape"), (b"", b""))
        except UnicodeEncodeError:
            return b"", ""  # half a character: no name has one
        return mode, found.hex()

    def _listing(self, oid: str) -> Listing:
        listing = self._listings.get(oid)
        if listing is None:
            listing = self._listings[oid] = _listed(oid, self.content(oid, "a directory of the commit"))
        return listing

    def content(self, oid: str, name: str) -> bytes:
        """The bytes of an object the commit names; a repository may lack some of them."""
        data = self._repository.content(oid)
        if data is None:
            raise PatchkitError("P401", file=name, reason="the repository lacks its content")
        return data


def _listed(oid: str, data: bytes) -> Listing:
    """The entries of a tree object: a mode, a name and the bytes of an id, over and over, perhaps thousands."""
    entries = re.findall(rb"([0-7]+) ([^\0]+)\0(.{%d})" % (len(oid) // 2), data, re.DOTALL)
    return {name: (mode, each) for mode, name, each in entries}
