"""The reader of unified diffs, held against `git apply --numstat -z` and `git apply` on every diff of a history."""

from __future__ import annotations

import pytest
from git_repositories import git, repository

from patchkit.core.changes import Options
from patchkit.core.changes.planner import plan
from patchkit.core.language import AddFile, DeleteFile
from patchkit.formats.foreign import resolved_patch
from patchkit.formats.model import CopyFile, Unsayable
from patchkit.formats.reading import read_format
from patchkit.formats.special_files import GitUpdate
from patchkit.sources import MemoryFiles

COMMITS = 25
FORMS = {
    "plain": ["-M"],
    "no renames": ["--no-renames"],
    "no context": ["-U1", "-M"],
    "no prefix": ["--no-prefix", "--no-renames"],
    "mnemonic": ["--src-prefix=i/", "--dst-prefix=w/", "-M"],
}


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    root = repository(tmp_path_factory.mktemp("history") / "repository", COMMITS)
    return root, git(root, "rev-list", "--reverse", "HEAD").decode().split()


def tree(root, commit):
    found = {}
    for row in git(root, "ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
        head, _, name = row.partition(b"\t")
        found[name.decode("utf-8", "surrogateescape")] = git(root, "cat-file", "blob", head.split()[2].decode())
    return found


def numbers(foreign):
    """Per file how many lines are added and removed, by the reader."""
    found = {}
    for each in foreign.sections:
        if isinstance(each, AddFile):
            lines = each.text.count("\n") + (not each.text.endswith("\n") and bool(each.text))
            found[each.path] = (lines, 0)
        elif isinstance(each, DeleteFile):
            text = foreign.deleted[each.path, each.line].text
            found[each.path] = (0, text.count("\n") + (not text.endswith("\n") and bool(text)))
        elif not isinstance(each, Unsayable):
            path = each.to if isinstance(each, CopyFile) else each.move_to or each.path
            signs = [line[0] for hunk in each.hunks for line in hunk.lines]
            found[path] = (signs.count("+"), signs.count("-"))
    return found


@pytest.mark.parametrize("form", FORMS)
def test_the_lines_of_a_diff_are_counted_as_git_counts_them(history, form):
    root, commits = history
    strip = ["-p0"] if form == "no prefix" else []
    for old, new in zip(commits, commits[1:]):
        diff = git(root, "diff", *FORMS[form], old, new)
        if not diff:
            continue
        rows = git(root, "apply", "--numstat", "-z", *strip, "-", data=diff).split(b"\0")[:-1]
        wanted = {}
        for row in rows:
            added, removed, name = row.decode("utf-8", "surrogateescape").split("\t", 2)
            wanted[name] = int(added), int(removed)

        foreign = read_format(diff.decode("utf-8", "surrogateescape"), "unified")

        only_mode = {each.path for each in foreign.sections if isinstance(each, Unsayable)} - set(numbers(foreign))
        exact = [each for each in foreign.sections if isinstance(each, GitUpdate | CopyFile) and each.forward]
        endings = [each.to if isinstance(each, CopyFile) else each.move_to or each.path for each in exact]
        found = numbers(foreign) | dict.fromkeys(only_mode, (0, 0))
        assert {k: v for k, v in found.items() if k not in endings} == {
            k: v for k, v in wanted.items() if k not in endings
        }


@pytest.mark.parametrize("form", [form for form in FORMS if form != "no context"])
def test_a_diff_gives_the_tree_that_git_has(history, form):
    root, commits = history
    for old, new in zip(commits, commits[1:]):
        diff = git(root, "diff", *FORMS[form], old, new).decode("utf-8", "surrogateescape")
        if not diff:
            continue
        foreign = read_format(diff, "unified")
        if any(isinstance(each, Unsayable) and "mode" not in each.what for each in foreign.sections):
            continue
        files = MemoryFiles(tree(root, old))

        patch = resolved_patch(foreign, files, Options(skip_unsupported=True))
        if patch.sections:
            plan(patch, files, Options()).commit()

        assert files.content == tree(root, new)


def test_a_series_of_mails_is_one_step_after_the_other(history):
    root, commits = history
    mails = git(root, "format-patch", "--stdout", commits[0]).decode("utf-8", "surrogateescape")
    files = MemoryFiles(tree(root, commits[0]))
    foreign = read_format(mails, "unified")
    if any(isinstance(each, Unsayable) and "mode" not in each.what for each in foreign.sections):
        pytest.skip("the history has a change of line endings")

    patch = resolved_patch(foreign, files, Options(skip_unsupported=True))
    plan(patch, files, Options()).commit()

    assert files.content == tree(root, commits[-1])
