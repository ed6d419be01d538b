"""`patchkit convert`, `patchkit diff` with revisions, `apply --from`, `--base` and files by name, as commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from forked_commands import FORKS
from git_repositories import git

from patchkit.cli import apply_patch
from patchkit.core.changes.planner import plan

PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+zwei\n*** End Patch\n"


def patchkit(tree, *words, text=""):
    script = Path(sys.executable).with_name("patchkit")
    if not script.exists():
        pytest.skip("the patchkit script is not installed beside this interpreter")
    settings = {**os.environ, "PATCHKIT_NO_HISTORY": "1"}
    command = [str(script), *map(str, words)]
    status, out, err = FORKS.run(command, tree, settings, text.encode("utf-8", "surrogateescape"))
    return subprocess.CompletedProcess(command, status, out.decode(), err.decode())


@pytest.fixture
def tree(tmp_path):
    git(tmp_path, "init", "-q", ".")
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\nfour\nfive\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    (tmp_path / "a.txt").write_text("ONE\ntwo\nthree\nfour\nfive\n")
    git(tmp_path, "commit", "-qam", "two")
    return tmp_path


def test_a_diff_of_revisions_applies_and_is_converted_back(tree):
    made = patchkit(tree, "diff", "HEAD~1..HEAD")
    back = patchkit(tree, "convert", "--from", "v4a", "--to", "unified", "--against", "HEAD~1", text=made.stdout)

    assert made.stdout == "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n*** End Patch\n"
    assert back.stdout.split("\n")[:3] == ["diff --git a/a.txt b/a.txt", "--- a/a.txt", "+++ b/a.txt"]
    git(tree, "apply", "--reverse", "--check", "-", data=back.stdout.encode())


def test_the_commands_that_a_refused_diff_names_do_what_it_cannot_say(tree):
    (tree / "l k").symlink_to("a.txt")
    (tree / "b in").write_bytes(b"\0one\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "three")
    (tree / "l k").unlink()
    (tree / "l k").write_text("a file now\n")
    (tree / "b in").write_bytes(b"\0two\n")
    (tree / "a.txt").chmod(0o755)
    (tree / "new link").symlink_to("b in")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "four")

    refused = patchkit(tree, "diff", "HEAD~1..HEAD")
    git(tree, "checkout", "-q", "HEAD~1")
    for line in refused.stderr.split("\n"):
        _, said, command = line.partition("leave it out with '--skip-unsupported', and run: ")
        if said:
            subprocess.run(command, shell=True, cwd=tree, check=True)
    git(tree, "add", "-A")

    assert refused.returncode == 1
    assert git(tree, "diff", "--cached", "--raw", "HEAD@{1}") == b""


def test_three_dots_compare_with_the_commit_that_both_come_from(tree):
    git(tree, "branch", "-m", "master")
    git(tree, "checkout", "-qb", "side", "HEAD~1")
    (tree / "b.txt").write_text("b\n")
    git(tree, "add", "-A")
    staged = patchkit(tree, "diff", "--staged")
    git(tree, "commit", "-qm", "side")

    made = patchkit(tree, "diff", "master...side")
    none = patchkit(tree, "diff", "master...none")

    assert made.stdout == staged.stdout == "*** Begin Patch\n*** Add File: b.txt\n+b\n*** End Patch\n"
    assert (none.returncode, none.stderr.split("\n")[0]) == (
        1,
        f"error[P666]: unknown commit 'master...none' in '{tree}'",
    )


def test_two_dashes_say_that_a_word_is_a_revision(tree):
    (tree / "old").write_text("a file with the name of a branch\n")
    git(tree, "branch", "old", "HEAD~1")

    refused, made = patchkit(tree, "diff", "old"), patchkit(tree, "diff", "old", "--")

    assert (refused.returncode, made.returncode) == (2, 0)
    assert "write 'old --' for a revision" in refused.stderr
    assert made.stdout == "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n*** End Patch\n"


def test_a_diff_says_what_a_patch_cannot(tree):
    (tree / "a.txt").chmod(0o755)
    (tree / "link").symlink_to("a.txt")
    git(tree, "add", "-A")

    refused = patchkit(tree, "diff", "--cached")
    rest = patchkit(tree, "diff", "--cached", "--skip-unsupported")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert "chmod +x a.txt" in refused.stderr
    assert "ln -sfn a.txt link" in refused.stderr
    assert (rest.returncode, rest.stderr.count("note[P983]")) == (1, 2)


def submodule(tree):
    """The diff of a new submodule, which no patch can say."""
    commit = git(tree, "rev-parse", "HEAD").decode().strip()
    git(tree, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    diff = git(tree, "diff", "--cached").decode()
    git(tree, "reset", "-q")
    return diff


def test_what_is_applied_without_what_a_patch_cannot_say_is_not_a_success(tree):
    (tree / "a.txt").write_text("changed\n")
    diff = git(tree, "diff").decode() + submodule(tree)
    git(tree, "checkout", "-q", "a.txt")

    done = patchkit(tree, "apply", "--from", "unified", "--skip-unsupported", text=diff)

    assert (done.returncode, done.stdout, (tree / "a.txt").read_text()) == (
        1,
        "Success. Updated the following files:\nM a.txt\n",
        "changed\n",
    )
    assert done.stderr.startswith("note[P983]: left out, because a patch cannot say it: ")


def test_a_diff_of_nothing_but_what_a_patch_cannot_say_changes_nothing(tree):
    diff = submodule(tree)
    words = ("--from", "unified", "--skip-unsupported")

    applied = patchkit(tree, "apply", *words, text=diff)
    checked = patchkit(tree, "check", *words, "-", text=diff)
    failing = patchkit(tree, "check", *words, "--fail-on", "P983", "-", text=diff)
    written = patchkit(tree, "convert", *words, "--no-files", "--to", "unified", text=diff)

    assert (applied.returncode, applied.stdout, applied.stderr.count("note[P983]")) == (1, "Nothing to change.\n", 1)
    assert (checked.returncode, checked.stdout.count("note[P983]")) == (0, 1)
    assert failing.returncode == 1
    assert (written.returncode, written.stdout, written.stderr.count("note[P983]")) == (1, "", 1)


def test_a_diff_of_a_mode_is_applied(tree):
    (tree / "a.txt").chmod(0o755)
    diff = git(tree, "diff").decode()
    (tree / "a.txt").chmod(0o644)

    done = patchkit(tree, "apply", "--from", "unified", text=diff)

    assert (done.returncode, done.stdout) == (0, "Success. Updated the following files:\nM a.txt\n")
    assert (tree / "a.txt").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("target", ["v4a", "search-replace", "json-edits"])
def test_a_file_that_the_format_cannot_say_is_left_out_and_the_others_are_written(tree, target):
    (tree / "crlf.txt").write_bytes(b"1\r\n2\r\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "three")
    (tree / "crlf.txt").write_bytes(b"1\n2\n")
    (tree / "a.txt").write_text("ONE\n2\nthree\nfour\nfive\n")

    refused = patchkit(tree, "diff", "HEAD", "--to", target)
    rest = patchkit(tree, "diff", "HEAD", "--to", target, "--skip-unsupported")
    git(tree, "checkout", "-q", ".")
    done = patchkit(tree, "apply", "--from", target, text=rest.stdout)

    assert (refused.returncode, refused.stdout, rest.returncode, rest.stderr.count("'crlf.txt'")) == (1, "", 1, 1)
    assert (done.returncode, (tree / "a.txt").read_text()) == (0, "ONE\n2\nthree\nfour\nfive\n")


def test_a_rename_keeps_the_mode_and_a_changed_one_is_said(tree):
    os.chmod(tree / "a.txt", 0o755)
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "it runs")
    git(tree, "mv", "a.txt", "b.txt")
    made = patchkit(tree, "diff", "--cached")
    assert (made.returncode, made.stdout) == (
        0,
        "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n ONE\n*** End Patch\n",
    )
    assert patchkit(tree, "diff", "--cached", "--to", "openai-ops").returncode == 1

    os.chmod(tree / "b.txt", 0o644)
    git(tree, "add", "-A")
    made = patchkit(tree, "diff", "--cached")
    assert (made.returncode, made.stderr.split("\n")[0]) == (
        1,
        "error[P112]: the patch language cannot express this: the mode of 'b.txt'",
    )


@pytest.mark.parametrize("target", ["openai-ops", "v4a"])
def test_a_rename_that_is_written_otherwise_says_what_it_loses(tree, target):
    (tree / "a.txt").write_text("a\nb\n")
    (tree / "a.txt").chmod(0o755)
    moved = "*** Update File: a.txt\n@@\n-a\n+x\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-b\n+y\n"

    made = patchkit(tree, "convert", "--to", target, text=f"*** Begin Patch\n{moved}*** End Patch\n")

    assert made.stderr == (
        "note[P976]: the rename of 'a.txt' to 'b.txt' is written as a deletion and a new file; its mode is lost: "
        "run 'chmod +x b.txt' afterwards\n"
    )


def test_a_plain_run_refuses_a_diff_and_names_the_way(tree):
    diff = git(tree, "diff", "HEAD", "HEAD~1").decode()

    refused = patchkit(tree, "apply", text=diff)

    assert (refused.returncode, "--from unified" in refused.stderr) == (1, True)
    assert patchkit(tree, "apply", "--from", "auto", text=diff).returncode == 0
    assert (tree / "a.txt").read_text().startswith("one\n")


@pytest.mark.parametrize(
    "words", [["--from", name] for name in ("unified", "search-replace", "openai-ops")] + [["-p1"]]
)
def test_a_text_with_the_name_of_another_format_is_refused_with_the_right_one(tree, words):
    patch = patchkit(tree, "apply", *words, text=PATCH)
    diff = patchkit(tree, "apply", "--from", "search-replace", text=git(tree, "diff", "HEAD", "HEAD~1").decode())

    assert patch.stderr.endswith("  = help: it is an apply_patch text: leave out '--from' and '-p'\n")
    assert diff.stderr.endswith("  = help: it is a unified diff: name it with '--from unified'\n")
    assert ("OpenAI patch operations" in patch.stderr) is ("openai-ops" in words)


@pytest.mark.parametrize("line", ["hello", "hello world", "a\0b"])
def test_a_line_in_a_file_is_not_taken_for_the_name_of_a_file(tree, line):
    (tree / "note.txt").write_text(line + "\n")

    assert patchkit(tree, "apply", "note.txt").stderr.startswith("error[P101]: no patch found")


def test_files_are_applied_in_order_each_for_itself_or_all_together(tree):
    (tree / "1.patch").write_text(PATCH)
    (tree / "2.patch").write_text(PATCH.replace("two", "nowhere"))

    together = patchkit(tree, "apply", "--together", "1.patch", "2.patch")
    assert (together.returncode, "two" in (tree / "a.txt").read_text()) == (1, True)

    each = patchkit(tree, "apply", "1.patch", "2.patch")
    assert (each.returncode, "zwei" in (tree / "a.txt").read_text()) == (1, True)
    assert "stopped at '2.patch'; applied before it: 1 of 2" in each.stderr


def test_a_text_that_cannot_be_converted_is_refused_as_one_that_is_applied(tree):
    (tree / "a.txt").write_text("one\ntwo\none\n")
    (tree / "answer.md").write_text("a.txt\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n")
    (tree / "out.diff").write_text("--- ../x\n+++ ../x\n@@ -1 +1 @@\n-a\n+b\n")

    block = patchkit(tree, "convert", "--to", "unified", "answer.md")
    applied = patchkit(tree, "apply", "--from", "auto", "answer.md")

    assert (block.returncode, block.stdout) == (1, "")
    assert block.stderr == applied.stderr.replace("; nothing was written", "")
    assert " --> answer.md:2\n  |\n2 | <<<<<<< SEARCH\n" in block.stderr
    assert "or send the block once for each place" in block.stderr
    assert patchkit(tree, "convert", "--to", "v4a", "out.diff").returncode == 1
    assert patchkit(tree, "convert", "--to", "v4a", "no.diff").returncode == 1


def test_a_number_of_parts_says_that_a_text_is_a_diff_and_what_its_paths_are(tree):
    (tree / "sub").mkdir()
    (tree / "sub/b.txt").write_text("b\n")
    new = "--- /dev/null\n+++ pkg/sub/new.txt\n@@ -0,0 +1 @@\n+x\n"
    above = "--- a/top/sub/b.txt\n+++ b/top/sub/b.txt\n@@ -1 +1 @@\n-b\n+B\n"
    below = above.replace("top/sub/", "")

    added = patchkit(tree, "apply", "-p1", text=new)
    refused = patchkit(tree, "apply", "--from", "unified", "--check", text=above)
    elsewhere = patchkit(tree, "check", "--from", "unified", "-", text=below)

    assert (added.returncode, added.stdout) == (0, "Success. Updated the following files:\nA sub/new.txt\n")
    assert "(perhaps 'sub/b.txt'), or remove N leading parts of all paths with '-p N'" in refused.stderr
    assert patchkit(tree, "check", "-p", "2", "-", text=above).returncode == 0
    assert patchkit(tree, "convert", "--strip=2", "--to", "v4a", text=above).returncode == 0
    assert "(perhaps 'sub/b.txt'), or start where the diff was made: '-C sub'" in elsewhere.stdout
    assert patchkit(tree, "check", "--from", "unified", "-C", "sub", "-", text=below).returncode == 0
    assert patchkit(tree, "convert", "-p1", "--from", "json-edits", "--to", "v4a").returncode == 2


def test_what_takes_a_text_back_can_be_written_in_a_format(tree):
    back = patchkit(tree, "convert", "-R", "--to", "v4a", text=git(tree, "diff", "HEAD~1", "HEAD").decode())

    assert (
        back.stdout == "*** Begin Patch\n*** Update File: a.txt\n@@\n-ONE\n+one\n two\n three\n four\n*** End Patch\n"
    )
    assert patchkit(tree, "convert", "-R", "--no-files", "--to", "v4a", text=PATCH).returncode == 2


def test_an_old_patch_is_merged_with_its_base(tree):
    old = PATCH.replace("-two\n+zwei\n", " one\n two\n three\n-four\n+vier\n")

    assert patchkit(tree, "apply", "--base", "HEAD~1", text=old).returncode == 0
    assert (tree / "a.txt").read_text() == "ONE\ntwo\nthree\nvier\nfive\n"
    git(tree, "checkout", "-q", "a.txt")
    assert patchkit(tree, "apply", "--base", "auto", text=old).returncode == 0
    assert (tree / "a.txt").read_text() == "ONE\ntwo\nthree\nvier\nfive\n"


@pytest.mark.parametrize("words", [("HEAD~1",), ("HEAD~1", "--together"), ("auto", "--together")])
def test_patches_in_order_are_merged_with_a_base_that_has_those_before(tree, words):
    (tree / "1.patch").write_text(PATCH.replace("-two\n+zwei\n", " one\n two\n three\n-four\n+vier\n"))
    (tree / "2.patch").write_text(PATCH.replace("-two\n+zwei\n", "-vier\n+IV\n"))

    done = patchkit(tree, "apply", "--base", *words, "1.patch", "2.patch")

    assert (done.returncode, "note[P988]" in done.stderr, "note[P921]" in done.stderr) == (0, True, False)
    assert (tree / "a.txt").read_text() == "ONE\ntwo\nthree\nIV\nfive\n"


@pytest.mark.parametrize("together", [[], ["--together"]])
def test_patches_in_order_are_planned_a_few_times_each(tree, together, monkeypatch):
    """And not once more for every patch that comes after."""
    planned = []

    def counted(*given):
        planned.append(given)
        return plan(*given)

    monkeypatch.setattr("patchkit.repair.plan", counted)
    for name in ("roll_back_on_signals", "finish_in_spite_of_signals"):
        monkeypatch.setattr(apply_patch, name, lambda: None)  # the signals are those of the test run
    base = tree / "base"
    base.mkdir()
    (base / "a.txt").write_text("one\ntwo\nthree\nfour\n0\n")
    (tree / "a.txt").write_text("ONE\ntwo\nthree\nfour\n0\n")
    names = [str(tree / f"{number}.patch") for number in range(40)]
    for number, name in enumerate(names):
        Path(name).write_text(PATCH.replace("-two\n+zwei\n", f"-{number}\n+{number + 1}\n"))

    words = ["--root", str(tree), "--no-history", "-q", "--base", str(base), *together, *names]
    status = apply_patch.run(words, by_name=True)

    assert (status, (tree / "a.txt").read_text()) == (0, "ONE\ntwo\nthree\nfour\n40\n")
    assert len(planned) <= 3 * len(names)


@pytest.mark.parametrize("base", ["HEAD", "auto"])
def test_a_base_without_a_repository_is_refused_with_what_the_command_has(tmp_path, base):
    (tmp_path / "a.txt").write_text("two\n")

    refused = patchkit(tmp_path, "apply", "--base", base, text=PATCH)

    assert (refused.returncode, refused.stderr) == (
        1,
        "error[P667]: cannot read the repository: not a git repository\n"
        "  = help: choose a root inside a git repository that 'git' can read, or give the base as a directory: "
        "'--base DIR'; nothing was written\n",
    )


RENAMED = "diff --git a/{0} b/{1}\nsimilarity index 90%\nrename from {0}\nrename to {1}\n"
HUNK = "--- a/{0}\n+++ b/{1}\n@@ -1,2 +1,2 @@\n-one\n+{2}\n two\n"


def circle(*renames):
    """A diff of renames, with a hunk for those with a text."""
    return "".join(
        RENAMED.format(old, new) + (HUNK.format(old, new, text) if text else "") for old, new, text in renames
    )


@pytest.mark.parametrize(
    ("renames", "files"),
    [
        ([("a", "b", ""), ("b", "a", "")], 2),
        ([("a", "b", "A"), ("b", "a", "")], 2),
        ([("a", "b", ""), ("b", "a", "B")], 2),
        ([("a", "b", "A"), ("b", "c", "B"), ("c", "a", "C")], 3),
    ],
)
@pytest.mark.parametrize("reverse", [[], ["-R"]])
def test_files_that_change_names_are_listed_as_the_diff_has_them(tmp_path, renames, files, reverse):
    first = {name: "one\ntwo\n" + name + "\n" for name in "abc"[:files]}
    last = {new: first[old].replace("one", text or "one") for old, new, text in renames}
    before, after = (last, first) if reverse else (first, last)
    for name, content in before.items():
        (tmp_path / name).write_text(content)
    words = ("--from", "unified", *reverse)
    hunks = sum(bool(text) for _, _, text in renames)

    data = json.loads(patchkit(tmp_path, "apply", *words, "--check", "--json", text=circle(*renames)).stdout)["data"]
    checked = patchkit(tmp_path, "check", "-v", *words, text=circle(*renames))
    (tmp_path / "x.diff").write_text(circle(*renames))
    asked = patchkit(tmp_path, "apply", "-i", *words, "x.diff", text="q\n")
    done = patchkit(tmp_path, "apply", *words, text=circle(*renames))

    turned = {(new, old) if reverse else (old, new) for old, new, _ in renames}
    assert sorted((each["moved_from"], each["path"]) for each in data["files"]) == sorted(turned)
    assert sum(len(each["hunks"]) for each in data["files"]) == hunks
    counted = f", {hunks} hunk{'s' * (hunks > 1)}" if hunks else ""
    assert checked.stdout.splitlines()[0] == f"applies  patch  {files} files{counted}"
    listed = [line.removesuffix("  applies") for line in checked.stdout.splitlines() if line.startswith("  M ")]
    assert sorted(listed) == sorted(f"  M {new} (from {old})" for old, new in turned)
    assert f": change {files} sections that build on each other\n" in asked.stderr
    assert ".moved-" not in asked.stderr + checked.stdout + done.stdout
    assert sorted(done.stdout.splitlines()[1:]) == [f"M {name}" for name in sorted(before)]
    assert {name: (tmp_path / name).read_text() for name in before} == after


OLD = {
    "merged": PATCH.replace("-two\n+zwei\n", " one\n two\n three\n-four\n+vier\n"),
    "conflict": PATCH.replace("-two\n+zwei\n", "-one\n+eins\n two\n"),
    "nowhere": PATCH.replace("-two\n", "-nowhere\n"),
    "there": PATCH.replace("-two\n+zwei\n", "-one\n+ONE\n"),
    "gone": PATCH.replace("a.txt", "gone.txt"),
}


@pytest.mark.parametrize("base", ["HEAD~1", "auto", "old"])
@pytest.mark.parametrize("name", OLD)
def test_a_check_with_a_base_has_the_answers_of_apply(tree, name, base):
    (tree / "old").mkdir()
    (tree / "old/a.txt").write_text("one\ntwo\nthree\nfour\nfive\n")
    (tree / "old/gone.txt").write_text("two\n")

    applied = patchkit(tree, "apply", "--check", "--json", "--base", base, text=OLD[name])
    checked = patchkit(tree, "check", "--json", "--base", base, text=OLD[name])

    of_apply, (of_check,) = json.loads(applied.stdout), json.loads(checked.stdout)["data"]["patches"]
    assert [shown(each) for each in of_check["errors"]] == [shown(each) for each in of_apply["errors"]]
    assert [(each["code"], each["message"]) for each in of_check["notes"]] == [
        (each["code"], each["message"]) for each in of_apply["notes"]
    ]
    assert (checked.returncode, name == "merged") == (applied.returncode, not of_check["errors"])
    assert git(tree, "diff", "HEAD") == b""


def shown(error):
    hint = error["hint"].replace("; nothing was written", "")
    return (error["code"], error["message"], hint, error["file"], error["hunk"], error["patch_line"], error["line"])


def test_patches_in_sequence_are_checked_on_a_base_that_has_those_before(tree):
    (tree / "1.patch").write_text(OLD["merged"])
    (tree / "2.patch").write_text(OLD["conflict"])
    (tree / "3.patch").write_text(PATCH.replace("-two\n+zwei\n", "-vier\n+IV\n"))
    names = ("1.patch", "2.patch", "3.patch")

    in_turn = patchkit(tree, "check", "-v", "--base", "HEAD~1", "--sequence", *names)
    alone = patchkit(tree, "check", "--base", "HEAD~1", *names)

    assert in_turn.stdout == (
        "applies  1.patch  1 file, 1 hunk\n  M a.txt\n    hunk 1  applies at line 4\n"
        "note[P988]: merged the patch into 'a.txt' with what changed there since the base\n\n"
        "refused  2.patch  does not match the files\n\n"
        "error[P220]: the patch and 'a.txt' (line 1) both changed lines since the base: "
        "now 'ONE', in the patch 'eins'\n"
        "  = help: decide by hand, or apply it with '--conflicts markers' to write both\n\n"
        "applies  3.patch  1 file, 1 hunk\n  M a.txt\n    hunk 1  applies at line 4\n"
        "note[P988]: merged the patch into 'a.txt' with what changed there since the base\n\n"
        "3 patches checked: 2 apply, 1 refused (1 error)\n"
    )
    assert [line.split()[:2] for line in alone.stdout.splitlines() if ".patch  " in line] == [
        ["applies", "1.patch"],
        ["refused", "2.patch"],
        ["refused", "3.patch"],
    ]


@pytest.mark.parametrize("words", [(), ("--sequence",), ("--base", "HEAD~1", "--sequence")])
def test_a_check_with_a_base_starts_where_paths_do(tree, words):
    (tree / "sub").mkdir()
    (tree / "sub/s.txt").write_text("one\ntwo\nthree\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "three")
    (tree / "sub/s.txt").write_text("one\ntwo\nTHREE\n")
    git(tree, "commit", "-qam", "four")
    old = PATCH.replace("a.txt", "s.txt").replace("-two\n+zwei\n", "-one\n+eins\n two\n three\n")

    checked = patchkit(tree, "check", "-C", "sub", "--base", "auto", *words, text=old)

    assert (checked.returncode, "note[P988]" in checked.stdout) == (0, True), checked.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--base", "HEAD~1", "--against", "HEAD"), "leave '--against' out"),
        (("--base", "auto", "--syntax-only"), "leave '--syntax-only' out"),
        (("--base", "nowhere"), "error[P666]: unknown commit 'nowhere'"),
    ],
)
def test_a_check_with_a_base_that_cannot_be_is_a_matter_of_the_call(tree, words, said):
    refused = patchkit(tree, "check", *words, text=PATCH)

    assert (refused.returncode, said in refused.stderr, refused.stdout) == (2, True, "")


def test_a_check_with_auto_as_its_base_needs_a_repository(tmp_path):
    refused = patchkit(tmp_path, "check", "--base", "auto", text=PATCH)

    assert (refused.returncode, refused.stderr.splitlines()[0]) == (
        2,
        "error[P667]: cannot read the repository: not a git repository",
    )


def test_a_conflict_with_the_base_is_refused_or_marked(tree):
    old = PATCH.replace("-two\n+zwei\n", "-one\n+eins\n two\n")

    assert patchkit(tree, "apply", "--base", "HEAD~1", text=old).returncode == 1
    assert (tree / "a.txt").read_text().startswith("ONE\n")
    assert patchkit(tree, "apply", "--base", "HEAD~1", "--conflicts", "markers", text=old).returncode == 1
    assert (
        (tree / "a.txt")
        .read_text()
        .startswith("<<<<<<< target\nONE\n||||||| base\none\n=======\neins\n>>>>>>> patch\n")
    )


def test_a_patch_is_taken_back_with_the_files_of_the_history(tree):
    (tree / "gone.txt").write_text("was here\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "three")
    (tree / "gone.txt").unlink()
    (tree / "a.txt").rename(tree / "b.txt")
    (tree / "b.txt").write_text("ONE\ntwo\ndrei\nfour\nfive\n")
    (tree / "new.txt").write_text("new\n")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "four")
    made = patchkit(tree, "diff", "--git-dir", ".", "HEAD~1..HEAD").stdout
    (tree / "b.txt").write_text("ONE\ntwo\ndrei\nfour\nFIVE\n")

    alone = patchkit(tree, "apply", "-R", text=made)
    back = patchkit(tree, "apply", "-R", "--base", "auto", text=made)

    assert (alone.returncode, "error[P112]" in alone.stderr) == (1, True)
    assert (back.returncode, back.stderr.count("note[P988]")) == (0, 1)
    assert {each.name: each.read_text() for each in tree.iterdir() if each.is_file()} == {
        "a.txt": "ONE\ntwo\nthree\nfour\nFIVE\n",
        "gone.txt": "was here\n",
    }


def test_a_unified_diff_has_the_modes_of_the_files(tree):
    (tree / "run.sh").write_text("go\n")
    (tree / "run.sh").chmod(0o755)
    text = "*** Begin Patch\n*** Delete File: run.sh\n*** End Patch\n"

    made = patchkit(tree, "convert", "--to", "unified", text=text)

    assert made.stdout.split("\n")[:2] == ["diff --git a/run.sh b/run.sh", "deleted file mode 100755"]


@pytest.mark.parametrize("words", [["--no-files"], []])
def test_a_portable_patch_has_no_word_about_final_newlines(tree, words):
    (tree / "a.txt").write_text("one\ntwo")
    text = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline\n+zwei\n\\ No newline\n"

    made = patchkit(tree, "convert", "--from", "unified", "--to", "v4a", "--portable", *words, text=text)

    assert made.returncode == 0, made.stderr
    assert made.stdout.replace("*** End of File\n", "") == PATCH.replace("@@\n", "@@\n one\n")


def test_without_files_a_line_that_may_be_a_path_is_not_passed_over(tree):
    block = "```\n<<<<<<< SEARCH\ntwo\n=======\nzwei\n>>>>>>> REPLACE\n```\n"
    word = patchkit(tree, "convert", "--no-files", "--to", "v4a", text=f"a.txt\n{block}\nCODEOWNERS\n{block}")
    words = patchkit(tree, "convert", "--no-files", "--to", "v4a", text=f"a.txt\n{block}\nnotes 1.txt\n{block}")

    assert "*** Update File: CODEOWNERS\n" in word.stdout
    assert (words.returncode, words.stdout) == (1, "")
    assert "P126" in words.stderr


def test_patches_that_are_one_say_which_of_them_is_refused(tree):
    (tree / "1.patch").write_text(PATCH)
    (tree / "2.patch").write_text(PATCH.replace("zwei", "deux"))

    refused = patchkit(tree, "apply", "--together", "1.patch", "2.patch")

    assert refused.returncode == 1
    assert " --> 2.patch:" in refused.stderr
    assert (tree / "a.txt").read_text() == "ONE\ntwo\nthree\nfour\nfive\n"


def test_conflicts_in_one_of_several_patches_are_the_status_of_all(tree):
    (tree / "1.patch").write_text(PATCH.replace("-two\n+zwei", "-one\n+eins"))
    (tree / "2.patch").write_text(PATCH.replace("-two\n+zwei", "-five\n+cinq"))

    done = patchkit(tree, "apply", "--base", "HEAD~1", "--conflicts", "markers", "1.patch", "2.patch")

    assert (done.returncode, done.stderr.count("note[P982]")) == (1, 1)
    assert (tree / "a.txt").read_text().endswith("four\ncinq\n")


@pytest.mark.parametrize("words", [["none"], ["none..HEAD"], ["--cached", "none"]])
def test_a_diff_of_a_revision_that_is_not_there_names_it(tree, words):
    refused = patchkit(tree, "diff", *words)

    assert refused.returncode == 1
    assert refused.stderr.startswith("error[P666]: unknown commit 'none' in ")
