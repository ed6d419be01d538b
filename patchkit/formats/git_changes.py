"""What git says has changed: between two revisions, between one and the work tree or the index.

Takes a repository and revisions; gives the changed files before and after, and what is not content of regular files.
git lists which files; their content comes from `cat-file` or from the work tree. No diff is parsed.
"""

from __future__ import annotations

import os

from patchkit.diffs.git_calls import run_git
from patchkit.diffs.git_tree import Repository, git_place
from patchkit.errors import PatchkitError
from patchkit.formats.model import Unsayable, shell_word
from patchkit.handles import ReportedAs
from patchkit.values import Record

_REGULAR = ("100644", "100755", "100664")
_NONE = "000000"
_LINK, _SUBMODULE = "120000", "160000"


class TreeChanges(Record):
    """Regular files that differ, before and after, and the differences that a patch cannot say."""

    source: str = ""  # the command of git that takes a file from the new side; '' for that of the work tree
    directory: str = ""  # where its files are
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    modes: dict[str, tuple[str, str]] = {}  # of regular files, before and after, '' for no file
    unsayable: list[Unsayable] = []

    def add(self, path: str, old: tuple[str, bytes], new: tuple[str, bytes]) -> None:
        """Takes one path with its mode ('' for no file) and content on both sides; of a link, where it leads."""
        old_mode, new_mode = old[0], new[0]
        word = shell_word(path)
        if _SUBMODULE in (old_mode, new_mode):
            commit = os.fsdecode(new[1])
            command = f"git -C {word} checkout {commit}" if commit else f"git submodule update --init {word}"
            self._leave(path, f"the submodule '{path}'", command if new_mode == _SUBMODULE else f"git rm {word}")
            return
        if new_mode == _LINK:
            target = shell_word(os.fsdecode(new[1]))
            self._leave(path, f"the symbolic link '{path}'", f"ln -sfn {target} {word}")
            return
        if old_mode == _LINK:
            if not new_mode:
                self._leave(path, f"the deletion of the symbolic link '{path}'", f"rm {word}")
            else:
                what = f"that the symbolic link '{path}' becomes a file"
                self._leave(path, what, f"rm {word} && {self.taking(path)}")
            return
        if old_mode:
            self.before[path] = old[1]
        if new_mode:
            self.after[path] = new[1]
        self.modes[path] = old_mode, new_mode

    def runs_elsewhere(self) -> bool:
        """Whether a file that is new, or is gone, can be executed: a rename keeps that."""
        return any("" in modes and _is_executable("".join(modes)) for modes in self.modes.values())

    def leave_modes(self, renames: dict[str, str]) -> None:
        """Adds the modes that a patch does not make right. `renames` has the old names of files by their new ones."""
        for path, (old_mode, new_mode) in self.modes.items():
            if path in renames:
                old_mode = self.modes[renames[path]][0]
            if new_mode and _is_executable(old_mode) != _is_executable(new_mode):
                sign = "+x" if _is_executable(new_mode) else "-x"
                self._leave(path, f"the mode of '{path}'", f"chmod {sign} {shell_word(path)}")
        self.unsayable.sort(key=lambda each: each.path)

    def taking(self, path: str) -> str:
        """The command that takes a whole file from the new side."""
        word = shell_word(path)
        if self.source:
            return f"{self.source} {word}"
        return (
            f"cp {shell_word(os.path.join(self.directory, path))} {word}" if self.directory else "copy the file itself"
        )

    def _leave(self, path: str, what: str, command: str) -> None:
        self.unsayable.append(Unsayable(path, what, command))


def _is_executable(mode: str) -> bool:
    return mode == "100755"


def git_changes(
    words: list[str], paths: list[str], git_dir: str | None, directory: str, source: str = ""
) -> TreeChanges:
    """What `git diff-tree` or `git diff-index`, called with `words`, lists: only `paths`, where there are any."""
    place = git_place(git_dir, directory)
    # A submodule has a configuration of its own: git must not look whether its files are changed.
    done = _git(place, [words[0], "--ignore-submodules=dirty", *words[1:], "--", *paths])
    top = os.fsdecode(_git(place, ["rev-parse", "--show-toplevel"], optional=True)).rstrip("\n")
    repository = Repository(git_dir, directory)
    try:
        return _listed(done, repository, TreeChanges(source, top))
    finally:
        repository.close()


def settled(revision: str, git_dir: str | None, directory: str) -> str:
    """A revision under a name that it keeps when something else is checked out."""
    if not revision.startswith(("HEAD", "@")):
        return revision
    words = ["rev-parse", "--short", "--verify", "--quiet", revision]
    return os.fsdecode(_git(git_place(git_dir, directory), words, optional=True)).strip() or revision


def common_ancestor(old: str, new: str, git_dir: str | None, directory: str) -> str:
    """The commit that two revisions come from; raises P666 where there is none, or one of them is not known."""
    words = ["merge-base", "--end-of-options", old, new]
    found = os.fsdecode(_git(git_place(git_dir, directory), words, optional=True)).strip()
    if not found:
        raise PatchkitError("P666", revision=f"{old}...{new}", where=git_dir or directory)
    return found


def _git(place: list[str], words: list[str], optional: bool = False) -> bytes:
    done = run_git(place, words, work_tree=words[0] == "diff-index")
    if done.returncode and not optional:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0].removeprefix("fatal: ")
        if said.startswith("bad revision '"):
            where = place[1] if place[:1] == ["-C"] else "the repository"
            raise PatchkitError("P666", revision=said[14:].rstrip("'"), where=where)
        raise PatchkitError("P667", reason=said or "git ended without a word")
    return done.stdout


def _listed(raw: bytes, repository: Repository, changes: TreeChanges) -> TreeChanges:
    fields = raw.split(b"\0")
    for head, name in zip(fields[::2], fields[1::2]):
        old_mode, new_mode, old, new, status = head.decode("ascii", "replace")[1:].split()
        path = os.fsdecode(name)
        if status == "U":  # git gives no content, which would read as a deletion
            raise PatchkitError("P401", file=path, reason="a merge of it has conflicts; resolve them first")
        sides = []
        for mode, oid in ((old_mode, old), (new_mode, new)):
            if mode == _NONE:
                sides.append(("", b""))
            elif mode == _SUBMODULE:
                sides.append((mode, b"" if set(oid) == {"0"} else oid.encode()))
            elif set(oid) == {"0"}:
                sides.append((mode, _in_work_tree(os.path.join(changes.directory, path), mode)))
            else:
                found = repository.read(oid)
                if found is None:
                    raise PatchkitError("P401", file=path, reason="the repository lacks its content")
                sides.append((mode, found[2]))
        changes.add(path, sides[0], sides[1])
    return changes


def _in_work_tree(path: str, mode: str) -> bytes:
    with ReportedAs("P401", file=path):
        if mode == _LINK:
            return os.fsencode(os.readlink(path))
        with open(path, "rb") as file:
            return file.read()
