"""The contract of `patchkit.Files`: every source of ours keeps it, and the check finds those that do not."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from itertools import count

import pytest

from patchkit.core.changes import Entry, Files, Plan
from patchkit.core.workspace.root import Workspace
from patchkit.diffs.git_tree import GitTree
from patchkit.sources import MemoryFiles, Overlay
from patchkit.testing import check_files


@pytest.fixture
def new_tree(tmp_path):
    """A function that puts files into a new directory and returns it."""
    numbers = count()

    def build(content: Mapping[str, bytes]):
        root = tmp_path / str(next(numbers))
        root.mkdir()
        for name, data in content.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
        return root

    return build


def test_a_mapping_keeps_the_contract():
    check_files(lambda content: MemoryFiles(dict(content)))


def test_a_mapping_that_cannot_be_changed_keeps_the_contract_of_reading():
    from types import MappingProxyType

    check_files(lambda content: MemoryFiles(MappingProxyType(dict(content))), writable=False)


def test_an_overlay_keeps_the_contract():
    check_files(lambda content: Overlay(MemoryFiles(dict(content))))


def test_a_directory_keeps_the_contract(new_tree):
    opened = []

    def make_files(content: Mapping[str, bytes]) -> Workspace:
        opened.append(Workspace(new_tree(content)))
        return opened[-1]

    try:
        check_files(make_files)
    finally:
        for files in opened:
            files.close()


def test_an_overlay_of_a_directory_keeps_the_contract(new_tree):
    check_files(lambda content: Overlay(Workspace(new_tree(content))))


def test_a_git_tree_keeps_the_contract_of_reading(new_tree):
    opened = []

    def make_files(content: Mapping[str, bytes]) -> GitTree:
        root = new_tree(content)
        identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        for words in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "x"]):
            subprocess.run(["git", *words], cwd=root, check=True)
        opened.append(GitTree("HEAD", root=str(root)))
        return opened[-1]

    try:
        check_files(make_files, writable=False)
    finally:
        for files in opened:
            files.close()


class Forgetful(MemoryFiles):
    """Deletes nothing."""

    def commit(self, plan: Plan) -> None:
        for change in plan.effective:
            if change.after is not None:
                self.content[change.before.name] = b"".join(change.after)


class Open(MemoryFiles):
    """Lets paths leave."""

    def find(self, path: str, follow: bool = True) -> Entry:
        return super().find("a.txt" if ".." in path else path, follow)


class Blind(MemoryFiles):
    """Does not know directories."""

    def find(self, path: str, follow: bool = True) -> Entry:
        entry = super().find(path, follow)
        return Entry(entry.name, "missing") if entry.kind == "directory" else entry


class Halfway(MemoryFiles):
    """Writes only the first change."""

    def commit(self, plan: Plan) -> None:
        plan.changes = dict([*plan.changes.items()][:1])
        super().commit(plan)


class Spelled(MemoryFiles):
    """Has a name for every spelling."""

    def find(self, path: str, follow: bool = True) -> Entry:
        entry = super().find(path, follow)
        entry.name = path
        return entry


@pytest.mark.parametrize("broken", [Forgetful, Open, Blind, Halfway, Spelled])
def test_a_source_that_breaks_the_contract_is_found(broken: type[MemoryFiles]):
    with pytest.raises(AssertionError):
        check_files(lambda content: broken(dict(content)))


def test_a_source_that_can_be_written_to_does_not_pass_as_one_that_cannot():
    with pytest.raises(AssertionError, match="cannot be written to"):
        check_files(lambda content: MemoryFiles(dict(content)), writable=False)


class Smallest(Files):
    """No more than a source has to write: `find` and `commit`."""

    def __init__(self, content: Mapping[str, bytes]) -> None:
        self.inside = MemoryFiles(dict(content))

    def find(self, path: str, follow: bool = True) -> Entry:
        return self.inside.find(path, follow)

    def commit(self, plan: Plan) -> None:
        self.inside.commit(plan)


def test_a_source_needs_find_and_commit_only():
    check_files(Smallest)
