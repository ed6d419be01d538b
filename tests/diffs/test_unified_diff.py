"""The diff of a plan, held against git: applying it to the old tree gives the new one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import FEW_LINES, Edit, edits, examples, file_bytes

from patchkit import PatchkitError
from patchkit.core.changes.planner import plan
from patchkit.core.language import AddFile, DeleteFile, FileOp, Hunk, Patch, UpdateFile
from patchkit.diffs.diff import merged_plan, unified
from patchkit.sources import MemoryFiles

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def diff_of(files: dict[str, bytes], *sections: FileOp) -> bytes:
    return unified(plan(Patch(list(sections)), MemoryFiles(dict(files))))


def after_git(directory: Path, files: dict[str, bytes], diff: bytes) -> dict[str, bytes]:
    """What `git apply` makes of the files."""
    for name, data in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if diff:
        command = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
        done = subprocess.run(command, cwd=directory, input=diff, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), diff.decode("utf-8", "backslashreplace")
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


def agrees_with_git(directory: Path, files: dict[str, bytes], *patches: Patch) -> None:
    """Whether git makes of one diff what the plans, made and committed one after the other, make of the files."""
    made = MemoryFiles(dict(files))
    planned = []
    for patch in patches:
        planned.append(plan(patch, made))
        planned[-1].commit()

    assert after_git(directory, files, unified(merged_plan(planned))) == made.content


def plans(edit: Edit) -> bool:
    """Whether the edit has a plan: a hunk that adds what is there already has none."""
    try:
        plan(Patch([UpdateFile("a", None, edit.hunks)]), MemoryFiles({"a": file_bytes(edit.before)}))
    except PatchkitError:
        return False
    return True


# -- how it looks --------------------------------------------------------------------------------


def test_a_change_is_shown_with_three_lines_of_context():
    files = {"a.txt": b"".join(b"%d\n" % n for n in range(1, 10))}

    assert diff_of(files, UpdateFile("a.txt", None, [Hunk([], ["-5", "+five", "+V"])])) == (
        b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n"
        b"@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+V\n 6\n 7\n 8\n"
    )


def test_changes_far_apart_are_shown_apart():
    files = {"a": b"".join(b"%d\n" % n for n in range(1, 20))}
    hunks = [Hunk([], ["-2", "+x"]), Hunk([], ["-17", "+y"])]

    assert diff_of(files, UpdateFile("a", None, hunks)) == (
        b"diff --git a/a b/a\n--- a/a\n+++ b/a\n"
        b"@@ -1,5 +1,5 @@\n 1\n-2\n+x\n 3\n 4\n 5\n"
        b"@@ -14,6 +14,6 @@\n 14\n 15\n 16\n-17\n+y\n 18\n 19\n"
    )


@pytest.mark.parametrize(("second", "hunks"), [(b"9", 1), (b"10", 2)])
def test_changes_whose_context_would_touch_are_shown_together(second, hunks):
    files = {"a": b"".join(b"%d\n" % n for n in range(1, 20))}
    lines = [Hunk([], ["-2", "+x"]), Hunk([], ["-" + second.decode(), "+y"])]

    assert diff_of(files, UpdateFile("a", None, lines)).count(b"\n@@ ") == hunks


def test_new_and_deleted_files_are_shown_as_such():
    assert diff_of({"b": b"x\ny"}, AddFile("a", "z\n"), DeleteFile("b")) == (
        b"diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+z\n"
        b"diff --git a/b b/b\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n"
        b"\\ No newline at end of file\n"
    )


def test_a_rename_is_shown_as_one():
    assert diff_of({"a": b"x\n"}, UpdateFile("a", "b")) == b"diff --git a/a b/b\nrename from a\nrename to b\n"


def test_a_plan_that_changes_nothing_has_no_diff():
    assert diff_of({"a": b"x\n"}, UpdateFile("a", None, [Hunk([], ["-x", "+x"])])) == b""


# -- what git makes of it ------------------------------------------------------------------------

NUMBERS = b"".join(b"%d\n" % n for n in range(1, 30))


@needs_git
@pytest.mark.parametrize(
    ("files", "sections"),
    [
        ({}, [AddFile("a", "x\n"), AddFile("b/c", "y"), AddFile("empty")]),
        ({"a": b"x\n", "b/c": b"y", "empty": b""}, [DeleteFile("a"), DeleteFile("b/c"), DeleteFile("empty")]),
        ({"a": NUMBERS}, [UpdateFile("a", "b/c", [Hunk([], ["-7", "+x"]), Hunk([], [" 20", "+y"])])]),
        ({"a": b"x\n"}, [UpdateFile("a", "b"), AddFile("a", "z\n")]),
        ({"a": b"x\n", "b": b"y\n"}, [UpdateFile("a", "c"), UpdateFile("b", "a")]),
        ({"a": b"x\n"}, [UpdateFile("a", "b"), UpdateFile("b", None, [Hunk([], ["-x", "+y"])])]),
        ({"a": NUMBERS}, [UpdateFile("a", None, [Hunk([], ["-7"])]), UpdateFile("a", None, [Hunk([], ["-8", "+x"])])]),
        ({"a": b"x\n"}, [DeleteFile("a"), AddFile("a", "y\n")]),
        ({"a": b"x"}, [UpdateFile("a", None, [Hunk([], [" x", "+y"])])]),
        ({"a": b"x\n"}, [UpdateFile("a", None, [Hunk([], ["-x", "+x"], True, False)])]),
        ({"a": b"x"}, [UpdateFile("a", None, [Hunk([], ["-x", "+x"], True, True)])]),
        ({"a": b"x\r\ny\r\n"}, [UpdateFile("a", None, [Hunk([], ["-x", "+z"])])]),
        ({"a": b"x\ry\r"}, [UpdateFile("a", None, [Hunk([], ["-x", "+z"])])]),
        ({"a": b"\xef\xbb\xbfx\n\xff\n"}, [UpdateFile("a", None, [Hunk([], ["-x", "+z"])])]),
        ({"a b": b"x\n", 'q"\\t': b"y\n"}, [UpdateFile("a b", "ä\tö"), DeleteFile('q"\\t'), AddFile("c d", "z\n")]),
    ],
    ids=lambda value: None if isinstance(value, dict) else "+".join(type(each).__name__ for each in value),
)
class TestGit:
    def test_applies_the_diff_of_a_plan(self, tmp_path, files, sections):
        agrees_with_git(tmp_path, files, Patch(sections))

    def test_applies_the_diff_of_plans_made_one_after_the_other(self, tmp_path, files, sections):
        agrees_with_git(tmp_path, files, *[Patch([section]) for section in sections])


@needs_git
def test_git_applies_the_diffs_of_many_edits(tmp_path):
    """Many edits in one tree and one diff: starting git for each would take longer than all of them."""
    many: list[Edit] = []

    @given(edit=edits(st.one_of(FEW_LINES, st.sampled_from(["c", "d", "e", "f", "g"]))))
    @examples(300)
    def collect(edit: Edit) -> None:
        if edit.hunks and plans(edit):
            many.append(edit)

    collect()
    assert len(many) > 50
    files = {f"{number}": file_bytes(edit.before) for number, edit in enumerate(many)}
    sections = [UpdateFile(f"{number}", None, edit.hunks) for number, edit in enumerate(many)]

    agrees_with_git(tmp_path, files, Patch(sections))


@needs_git
@pytest.mark.parametrize("program", ["git", "patch"])
@pytest.mark.parametrize(
    ("files", "section"),
    [
        ({"a b": b"x\n"}, UpdateFile("a b", "c d", [])),
        ({}, AddFile("a b", "")),
        ({}, AddFile("a ", "x\n")),
        ({"a ": b"x\n"}, UpdateFile("a ", None, [Hunk([], ["-x", "+y"])])),
    ],
)
def test_names_with_spaces_are_read_by_git_and_by_patch(tmp_path, files, section, program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    made = MemoryFiles(dict(files))
    planned = plan(Patch([section]), made)
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    planned.commit()
    words = ["git", "apply"] if program == "git" else ["patch", "-p1"]

    subprocess.run(words, cwd=tmp_path, input=unified(planned), capture_output=True, check=True)

    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == made.content
