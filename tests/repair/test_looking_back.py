"""What a refusal says about the history of its file: an older revision that fits, the commit that deleted a file."""

from __future__ import annotations

import os
import subprocess

import pytest

from patchkit.applying import apply, written_patch
from patchkit.bases import found_base, opened_base
from patchkit.catalogue.sentences import help_for
from patchkit.core.changes import Options
from patchkit.core.language.parser import parse
from patchkit.core.workspace.root import Workspace
from patchkit.errors import PatchkitError
from patchkit.repair.looking_back import look_back

PATCH = """\
*** Begin Patch
*** Update File: list.txt
@@
 two
 three
-four
+vier
*** End Patch
"""
WHO = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(root, *words):
    env = {**os.environ, **WHO, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(["git", *words], cwd=root, env=env, check=True, capture_output=True).stdout.decode().strip()


@pytest.fixture
def tree(tmp_path):
    git(tmp_path, "init", "-q", ".")
    save(tmp_path, "list.txt", "one\ntwo\nthree\nfour\nfive\n", "first")
    return tmp_path


def save(root, name, text, subject):
    (root / name).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-qm", subject)
    return git(root, "rev-parse", "--short", "HEAD")


def refusal(root, text=PATCH, **options):
    chosen = Options(**options)
    with Workspace(str(root)) as files:
        with pytest.raises(PatchkitError) as caught:
            apply(text, files, chosen)
        look_back(caught.value, files, chosen)
    return caught.value


def test_a_hunk_that_fits_an_older_revision_names_the_commit_that_changed_the_file(tree):
    changed = save(tree, "list.txt", "one\nTWO\nand\nthree\nfour\nfive\n", "count otherwise")
    save(tree, "list.txt", "zero\none\nTWO\nand\nthree\nfour\nfive\n", "begin with zero")

    error = refusal(tree)

    assert error.code == "P201"
    assert error.facts["older"] == (changed, "count otherwise")
    assert help_for(error.code, error.facts) == (
        f"use '--base auto', which would apply this; the file changed in {changed} \"count otherwise\""
        "; nothing was written"
    )


def test_what_it_says_is_what_base_auto_does(tree):
    save(tree, "list.txt", "one\nTWO\nand\nthree\nfour\nfive\n", "count otherwise")
    assert "older" in refusal(tree).facts

    with Workspace(str(tree)) as files:
        options = Options(history=False)
        options.base = found_base(parse(PATCH), files, options)
        apply(PATCH, files, options)

    assert (tree / "list.txt").read_text() == "one\nTWO\nand\nthree\nvier\nfive\n"


def test_a_change_that_is_not_committed_is_named_as_such(tree):
    (tree / "list.txt").write_text("one\nTWO\nand\nthree\nfour\nfive\n")

    assert help_for("P201", refusal(tree).facts).startswith(
        "use '--base auto', which would apply this; the file changed since the last commit"
    )


def test_a_revision_that_fits_and_conflicts_is_not_named(tree):
    save(tree, "list.txt", "one\ntwo\nthree\n4\nfive\n", "a digit")

    assert "older" not in refusal(tree).facts


def test_a_file_that_was_deleted_or_renamed_since_is_told_with_the_commit(tree):
    git(tree, "mv", "list.txt", "items.txt")
    renamed = save(tree, "other.txt", "x\n", "rename the list")

    error = refusal(tree)

    assert (error.code, error.facts["since"]) == ("P302", f"renamed to 'items.txt' in {renamed} \"rename the list\"")

    git(tree, "rm", "-q", "items.txt")
    deleted = save(tree, "other.txt", "y\n", "drop it")

    error = refusal(tree, PATCH.replace("list.txt", "items.txt"))
    assert error.facts["since"] == f'deleted in {deleted} "drop it"'


def test_a_directory_without_a_repository_is_left_alone(tmp_path):
    (tmp_path / "list.txt").write_text("one\n")

    assert "older" not in refusal(tmp_path).facts


def test_a_file_that_was_renamed_twice_is_told_with_its_name_of_today(tree):
    git(tree, "mv", "list.txt", "items.txt")
    git(tree, "commit", "-qm", "rename the list")
    git(tree, "mv", "items.txt", "things.txt")
    renamed = save(tree, "other.txt", "x\n", "rename the items")

    assert refusal(tree).facts["since"] == (
        f"renamed to 'items.txt', then renamed to 'things.txt' in {renamed} \"rename the items\""
    )

    git(tree, "rm", "-q", "things.txt")
    deleted = save(tree, "other.txt", "y\n", "drop it")

    assert refusal(tree).facts["since"].endswith(f', then deleted in {deleted} "drop it"')


def test_the_base_of_a_link_is_that_of_the_file_it_leads_to(tree):
    os.symlink("list.txt", tree / "link.txt")
    save(tree, "list.txt", "one\nTWO\nand\nthree\nfour\nfive\n", "count otherwise")
    patch = PATCH.replace("list.txt", "link.txt")

    with Workspace(str(tree)) as files:
        options = Options(history=False)
        options.base = found_base(parse(patch), files, options)
        apply(patch, files, options)

    assert (tree / "list.txt").read_text() == "one\nTWO\nand\nthree\nvier\nfive\n"


@pytest.mark.parametrize("base", ["auto", "HEAD~1", "DIR"])
def test_paths_of_a_base_start_where_those_of_the_workspace_do(tree, base, tmp_path_factory):
    (tree / "sub").mkdir()
    save(tree, "sub/list.txt", "one\ntwo\nthree\nfour\nfive\n", "below")
    save(tree, "sub/list.txt", "one\nTWO\nand\nthree\nfour\nfive\n", "count otherwise")
    patch = PATCH.replace("*** End Patch", "*** Update File: ../list.txt\n@@\n-one\n+eins\n*** End Patch")
    copy = tmp_path_factory.mktemp("base")
    (copy / "sub").mkdir()
    for name in ("list.txt", "sub/list.txt"):
        (copy / name).write_text("one\ntwo\nthree\nfour\nfive\n")

    with Workspace(str(tree), str(tree / "sub")) as files:
        options = Options(history=False)
        named = str(copy) if base == "DIR" else base
        options.base = found_base(parse(patch), files, options) if base == "auto" else opened_base(named, files)
        apply(patch, files, options)
        if base != "auto":
            options.base.close()

    assert (tree / "sub" / "list.txt").read_text() == "one\nTWO\nand\nthree\nvier\nfive\n"
    assert (tree / "list.txt").read_text() == "eins\ntwo\nthree\nfour\nfive\n"


def test_base_auto_says_how_far_it_looked_in_vain(tree):
    first = git(tree, "rev-parse", "HEAD")[:12]
    save(tree, "list.txt", "one\nTWO\nthree\nfour\nfive\n", "count otherwise")
    patch = PATCH.replace(" two\n", " deux\n")
    with Workspace(str(tree)) as files:
        options = Options(history=False, base=found_base(parse(patch), files, Options()))
        with pytest.raises(PatchkitError) as caught:
            apply(patch, files, options)
        options.base.explain(caught.value)

    assert help_for("P201", caught.value.facts) == (
        "send a patch for the file as it is now, or name what it was made for with '--base REV' or '--base DIR': no "
        f"revision of the file in HEAD's history fits (2, back to {first}); nothing was written"
    )


def test_base_auto_takes_the_base_that_a_git_diff_names_by_its_hash(tree):
    git(tree, "checkout", "-q", "-b", "side")
    save(tree, "list.txt", "one\nTWO\nthree\nfour\nfive\n", "only on the side")
    save(tree, "list.txt", "one\nTWO\nthree\nvier\nfive\n", "the change")
    diff = git(tree, "diff", "-U1", "HEAD~1", "HEAD") + "\n"
    git(tree, "checkout", "-q", "-")
    save(tree, "list.txt", "zero\none\nTWO\ndrei\nfour\nfive\n", "on the main branch")

    with Workspace(str(tree)) as files:
        options = Options(history=False, source="unified")
        options.base = found_base(written_patch(diff, files, options), files, options)
        with pytest.raises(PatchkitError) as caught:
            apply(diff, files, options)
        (tree / "list.txt").write_text("zero\none\nTWO\nthree\nfour\nfive\n")
        apply(diff, files, options)

    assert caught.value.code == "P220"  # git apply --3way has a conflict there, too
    assert (tree / "list.txt").read_text() == "zero\none\nTWO\nthree\nvier\nfive\n"
