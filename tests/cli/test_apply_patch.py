"""`apply_patch`: where the patch comes from, what its options change, and where it works."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import patchkit
from patchkit.cli.options import APPLY

X_TO_Y = "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
ADD_N = "*** Begin Patch\n*** Add File: n.txt\n+new\n*** End Patch\n"
EVERYTHING = """\
*** Begin Patch
*** Delete File: d.txt
*** Update File: a.txt
*** Move to: sub/b.txt
@@
-x
+y
*** Add File: n.txt
+new
*** End Patch
"""
FOR_GIT = """\
*** Begin Patch
*** Add File: new/n.txt
+n
\\ No newline at end of file
*** Add File: empty
*** Update File: bin/run me
*** Move to: bin/run
@@
-echo 1
+echo 2
 last
+more
*** Update File: déjà.txt
@@
-two
+2
*** Delete File: gone.txt
*** Update File: a.txt
*** Move to: b.txt
*** End Patch
"""
SUCCESS = b"Success. Updated the following files:\n"


# -- where the patch comes from ----------------------------------------------------------------


def test_the_summary_lists_added_modified_and_deleted_files(run, contents, tree):
    (tree / "d.txt").write_bytes(b"old\n")

    assert run(EVERYTHING) == (0, SUCCESS + b"A n.txt\nM sub/b.txt\nD d.txt\n", b"")
    assert contents() == {"n.txt": b"new\n", "sub/b.txt": b"y\n"}


def test_the_patch_may_come_on_standard_input(run, contents):
    assert run(stdin=X_TO_Y.encode()) == (0, SUCCESS + b"M a.txt\n", b"")
    assert contents() == {"a.txt": b"y\n"}


def test_a_dash_means_standard_input(run, contents):
    assert run("-", stdin=X_TO_Y.encode()) == (0, SUCCESS + b"M a.txt\n", b"")
    assert contents() == {"a.txt": b"y\n"}


def test_an_argument_wins_over_standard_input(run, contents):
    assert run(ADD_N, stdin=X_TO_Y.encode()) == (0, SUCCESS + b"A n.txt\n", b"")
    assert contents() == {"a.txt": b"x\n", "n.txt": b"new\n"}


def test_a_double_dash_ends_the_options(run):
    done = run("--", "--help")

    assert (done.status, done.stdout, done.stderr[:13]) == (1, b"", b"error[P109]: ")


def test_a_patch_may_follow_a_double_dash(run, contents):
    assert run("-q", "--", X_TO_Y) == (0, b"", b"")
    assert contents() == {"a.txt": b"y\n"}


def test_options_may_follow_the_patch(run, contents):
    assert run(X_TO_Y, "-q") == (0, b"", b"")
    assert contents() == {"a.txt": b"y\n"}


def test_a_patch_larger_than_a_pipe_is_read_whole(run, tree):
    lines = [f"line {number} of many" for number in range(50_000)]
    patch = "*** Begin Patch\n*** Add File: big.txt\n" + "".join(f"+{line}\n" for line in lines) + "*** End Patch\n"

    assert run(stdin=patch.encode()) == (0, SUCCESS + b"A big.txt\n", b"")
    assert (tree / "big.txt").read_text() == "\n".join(lines) + "\n"


def test_a_non_utf_8_argument_is_carried_byte_for_byte(run, tree):
    patch = b"*** Begin Patch\n*** Add File: n.txt\n+caf\xe9\n*** End Patch\n"

    assert run(patch) == (0, SUCCESS + b"A n.txt\n", b"")
    assert (tree / "n.txt").read_bytes() == b"caf\xe9\n"


def test_non_utf_8_standard_input_is_carried_byte_for_byte(run, tree):
    (tree / "a.txt").write_bytes(b"caf\xe9\nx\n")
    patch = b"*** Begin Patch\n*** Update File: a.txt\n@@\n caf\xe9\n-x\n+th\xe9\n*** End Patch\n"

    assert run(stdin=patch) == (0, SUCCESS + b"M a.txt\n", b"")
    assert (tree / "a.txt").read_bytes() == b"caf\xe9\nth\xe9\n"


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems know UTF-8 names only")
def test_a_non_utf_8_name_is_spelled_in_the_summary_as_in_the_patch(run, tree):
    done = run(stdin=b"*** Begin Patch\n*** Add File: caf\xe9.txt\n+x\n*** End Patch\n")

    assert done == (0, SUCCESS + b"A caf\xe9.txt\n", b"")
    assert os.listdir(os.fsencode(tree)).count(b"caf\xe9.txt") == 1


@pytest.mark.parametrize(
    "name", ['"quoted".txt', "back\\slash.txt", "star*.txt", "line\u2028separator.txt", "-dash.txt"]
)
def test_an_unusual_name_is_taken_as_it_is_written(run, contents, name):
    assert run(ADD_N.replace("n.txt", name)) == (0, SUCCESS + f"A {name}\n".encode(), b"")
    assert contents() == {"a.txt": b"x\n", name: b"new\n"}


def test_a_utf_16_patch_is_read_as_a_shell_pipes_it(run, contents):
    done = run("-q", stdin=b"\xff\xfe" + X_TO_Y.replace("\n", "\r\n").encode("utf-16-le"))

    assert done == (0, b"", b"")
    assert contents() == {"a.txt": b"y\n"}


# -- what an option changes --------------------------------------------------------------------


def test_check_reports_what_would_happen_and_writes_nothing(run, contents):
    done = run("--check", X_TO_Y)

    assert done == (0, b"Patch applies. It would update the following files:\nM a.txt\n", b"")
    assert contents() == {"a.txt": b"x\n"}


def test_diff_follows_the_summary(run):
    diff = b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n"

    assert run("--diff", X_TO_Y) == (0, SUCCESS + b"M a.txt\n" + diff, b"")


def test_diff_with_check_shows_what_would_change(run, contents):
    shown = run("--check", "--diff", "-q", X_TO_Y).stdout

    assert shown == b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n"
    assert contents() == {"a.txt": b"x\n"}


def test_git_applies_the_diff_of_a_patch_with_every_operation(run, contents, tree, tmp_path):
    (tree / "bin").mkdir()
    (tree / "bin/run me").write_bytes(b"#!/bin/sh\necho 1\nlast")
    (tree / "bin/run me").chmod(0o755)
    (tree / "d\u00e9j\u00e0.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    (tree / "gone.txt").write_bytes(b"no newline")
    subprocess.run(["cp", "-a", tree, tmp_path / "copy"], check=True)

    diff = run("-q", "--diff", FOR_GIT).stdout
    settings = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    subprocess.run(["git", "apply", "-"], input=diff, cwd=tmp_path / "copy", env=settings, check=True)

    assert contents(tmp_path / "copy") == contents()
    assert (tmp_path / "copy/bin/run").stat().st_mode == (tree / "bin/run").stat().st_mode


def test_quiet_hides_summary_and_notes(run, contents):
    assert run("-q", "\n\n" + X_TO_Y.replace("-x", "-x  ")) == (0, b"", b"")
    assert contents() == {"a.txt": b"y\n"}


def test_quiet_never_hides_an_error(run):
    noisy, quiet = run(X_TO_Y.replace("-x", "-z")), run("--quiet", X_TO_Y.replace("-x", "-z"))

    assert quiet.stderr.startswith(b"error[P201]: ")
    assert quiet == noisy


def test_notes_go_to_standard_error(run):
    note = b"note[P901]: ignored blank lines between parts of the patch (line 2)\n"

    assert run(X_TO_Y.replace("\n", "\n\n", 1)) == (0, SUCCESS + b"M a.txt\n", note)


def test_strict_forgives_nothing(run, contents):
    done = run("--strict", X_TO_Y.replace("-x", "-x "))

    assert (done.status, done.stdout, done.stderr[:13]) == (1, b"", b"error[P207]: ")
    assert contents() == {"a.txt": b"x\n"}


def test_overwrite_lets_add_replace_a_file(run, tree):
    (tree / "n.txt").write_bytes(b"old\n")

    assert run(ADD_N).status == 1
    assert run("--overwrite", ADD_N) == (0, SUCCESS + b"A n.txt\n", b"")
    assert (tree / "n.txt").read_bytes() == b"new\n"


def test_help_names_every_option(run):
    done = run("--help")
    lines = [line for line in done.stdout.decode().split("\n") if line.startswith("  -")]
    named = {word.rstrip(",").partition("[")[0] for line in lines for word in line.split()[:2]}
    own = {"-h", "--help", "--version"}

    assert (done.status, done.stderr) == (0, b"")
    named = {word for word in named if word.startswith("-")} - {"-"}
    assert named == {name for row in APPLY for name in row.names} | own


def test_the_short_help_has_the_common_options_and_names_the_long_one(run):
    short, long = run("-h").stdout.decode(), run("--help").stdout.decode()

    assert ("--check" in short, "--numstat" in short, "Exit status" in short) == (True, False, False)
    assert "  --help             show all options and the exit statuses\n" in short
    assert len(short.split("\n")) < len(long.split("\n")) / 2


def test_help_wins_over_a_patch(run, contents):
    assert run(X_TO_Y, "--help").stdout == run("--help").stdout
    assert contents() == {"a.txt": b"x\n"}


def test_version_is_the_packages(run):
    assert run("--version") == (0, f"apply_patch {patchkit.__version__} (patchkit)\n".encode(), b"")


# -- where it works ----------------------------------------------------------------------------


@pytest.fixture
def nested(tree):
    """A workspace below the tree, with a file of the same name, and a directory in it."""
    (tree / "work/sub").mkdir(parents=True)
    (tree / "work/a.txt").write_bytes(b"x\n")
    (tree / "work/sub/a.txt").write_bytes(b"x\n")
    return tree


@pytest.mark.parametrize("words", [["--root", "work"], ["--root=work"]])
def test_root_is_where_paths_start_for_a_caller_outside(run, contents, nested, words):
    assert run(*words, X_TO_Y).status == 0
    assert contents(nested) == {"a.txt": b"x\n", "work/a.txt": b"y\n", "work/sub/a.txt": b"x\n"}


def test_inside_the_root_paths_start_at_the_current_directory(run, contents, nested):
    assert run("--root", "..", X_TO_Y, cwd=nested / "work/sub").status == 0
    assert contents(nested) == {"a.txt": b"x\n", "work/a.txt": b"x\n", "work/sub/a.txt": b"y\n"}


def test_nothing_above_the_root_is_in_reach(run, nested):
    done = run("--root", "work", X_TO_Y.replace("a.txt", "../a.txt"))

    assert (done.status, done.stderr[:13]) == (1, b"error[P301]: ")
    assert (nested / "a.txt").read_bytes() == b"x\n"


def test_an_absolute_path_inside_the_root_is_fine(run, nested):
    done = run("--root", "work", X_TO_Y.replace("a.txt", f"{nested}/work/a.txt"))

    assert done == (0, SUCCESS + f"M {nested}/work/a.txt\n".encode(), b"")
    assert (nested / "work/a.txt").read_bytes() == b"y\n"


def test_an_absolute_path_may_use_the_roots_real_name_or_its_link(run, contents, nested):
    (nested / "link").symlink_to("work")

    assert run("--root", "link", X_TO_Y.replace("a.txt", f"{nested}/work/a.txt")).status == 0
    assert run("--root", "link", X_TO_Y.replace("a.txt", f"{nested}/link/sub/a.txt")).status == 0
    assert contents(nested) == {"a.txt": b"x\n", "work/a.txt": b"y\n", "work/sub/a.txt": b"y\n"}


def test_a_start_directory_moves_where_relative_paths_begin(run, contents, nested):
    assert run("-C", "work/sub", X_TO_Y).status == 0
    assert run("--root", "work", "-C", "work", X_TO_Y).status == 0
    assert contents(nested) == {"a.txt": b"x\n", "work/a.txt": b"y\n", "work/sub/a.txt": b"y\n"}


def test_the_environment_may_name_the_root(run, contents, nested):
    assert run(X_TO_Y, PATCHKIT_ROOT="work").status == 0
    assert contents(nested) == {"a.txt": b"x\n", "work/a.txt": b"y\n", "work/sub/a.txt": b"x\n"}


def test_the_root_option_wins_over_the_environment(run, contents, nested):
    assert run("--root", ".", X_TO_Y, PATCHKIT_ROOT="work").status == 0
    assert contents(nested) == {"a.txt": b"y\n", "work/a.txt": b"x\n", "work/sub/a.txt": b"x\n"}


def test_the_environment_may_choose_the_dialect(run, contents, tree):
    (tree / "a.txt").write_bytes(b"x\nx")

    assert run(X_TO_Y).status == 1
    assert run(X_TO_Y, PATCHKIT_DIALECT="codex").status == 0
    assert contents() == {"a.txt": b"y\nx\n"}


def test_the_dialect_option_wins_over_the_environment(run, contents, tree):
    (tree / "a.txt").write_bytes(b"x\nx")

    assert run("--dialect", "safe", X_TO_Y, PATCHKIT_DIALECT="codex").status == 1
    assert run("--dialect=codex", X_TO_Y, PATCHKIT_DIALECT="safe").status == 0
    assert contents() == {"a.txt": b"y\nx\n"}


# -- the same tool under other names -----------------------------------------------------------


@pytest.mark.parametrize("words", [["applypatch"], ["patchkit", "apply"]])
def test_the_other_names_are_the_same_tool(run, contents, words):
    name, *before = words
    refused = run(*before, X_TO_Y.replace("-x", "-z"), name=name)

    assert (refused.status, refused.stdout, refused.stderr[:13]) == (1, b"", b"error[P201]: ")
    assert run(*before, "-", name=name, stdin=X_TO_Y.encode()) == (0, SUCCESS + b"M a.txt\n", b"")
    assert contents() == {"a.txt": b"y\n"}
