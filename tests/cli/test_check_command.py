"""`patchkit check`: what it is given, what it says, and the status it ends with."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from child_processes import wait_until

GOOD = b"*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
BAD = GOOD.replace(b"-x", b"-z")
NEXT = GOOD.replace(b"-x", b"-y").replace(b"+y", b"+z")


@pytest.fixture
def check(run, tree):
    """Runs `patchkit check` in the tree, which has two patches: good.patch and bad.patch."""
    (tree / "good.patch").write_bytes(GOOD)
    (tree / "bad.patch").write_bytes(BAD)

    def run_check(*words, **settings):
        return run("check", *words, name="patchkit", **{"GITHUB_ACTIONS": "", **settings})

    return run_check


# -- statuses ------------------------------------------------------------------------------------


def test_good_patches_end_with_0_and_nothing_is_written(check, contents):
    before = contents()
    done = check("good.patch")

    assert done == (0, b"applies  good.patch  1 file, 1 hunk\n1 patch checked: it applies\n", b"")
    assert contents() == before


def test_a_refused_patch_ends_with_1_and_all_of_it_on_standard_output(check):
    done = check("good.patch", "bad.patch")

    assert (done.status, done.stderr) == (1, b"")
    assert done.stdout.decode() == (
        "applies  good.patch  1 file, 1 hunk\n"
        "\n"
        "refused  bad.patch  1 file, 1 hunk\n"
        "  M a.txt\n"
        "    hunk 1 (patch line 3)  not found\n"
        "\n"
        "error[P201]: hunk not found in 'a.txt'\n"
        " --> bad.patch:3\n"
        "  |\n"
        "3 | @@\n"
        "4 | -z\n"
        "  |\n"
        "  = help: read a.txt line 1 and send the hunk with lines of the file\n"
        "\n"
        "2 patches checked: 1 applies, 1 refused (1 error)\n"
    )


def test_a_patch_that_cannot_be_read_ends_with_1(check):
    assert check("-", stdin=b"no patch\nat all\n").status == 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nope.patch"], "error[P661]: there is no file 'nope.patch'"),
        ([], "error: no patch: standard input is empty, and no file is named"),
        (["good.patch", "--format", "pdf"], "error: there is no format 'pdf'; use one of: text, concise, json,"),
        (["good.patch", "--format", "json", "--format", "html"], "error: only one format can go to one place"),
        (["good.patch", "--git-dir", "."], "error: option '--git-dir' needs '--against REV'"),
        (["good.patch", "--syntax-only", "--sequence"], "error: option '--syntax-only' looks at no files"),
        (["good.patch", "--sequence", "--jobs", "2"], "error: option '--sequence' takes one patch after the other"),
        (["good.patch", "--forbid", "!x"], "error: option '--forbid' needs a pattern as in a '.gitignore', not '!x'"),
        (
            ["good.patch", "--max-files", "-1"],
            "error: invalid value for '--max-files': '-1' is not a whole number",
        ),
        (["good.patch", "--root", "nowhere"], "error[P312]: cannot use the workspace root"),
        (["good.patch", "--against", "HEAD"], "error[P667]: cannot read the repository"),
        (["good.patch", "-o", "a.txt/report"], "error[P668]: cannot write the report 'a.txt/report'"),
    ],
)
def test_a_call_that_is_wrong_ends_with_2_and_says_why(check, words, complaint):
    done = check(*words)

    assert done.status == 2
    assert complaint in done.stderr.decode()


def test_a_wrong_call_that_wants_json_gets_its_error_as_json(check):
    done = check("good.patch", "--against", "HEAD", "--json")

    assert (done.status, json.loads(done.stdout)["error"]["code"]) == (2, "P667")


# -- where patches come from ---------------------------------------------------------------------


def test_standard_input_is_read_when_nothing_is_named_and_where_a_dash_stands(check):
    assert check(stdin=GOOD).stdout == b"applies  patch  1 file, 1 hunk\n1 patch checked: it applies\n"
    assert check("good.patch", "-", stdin=GOOD).stdout.endswith(b"2 patches checked: all apply\n")


def test_what_a_shell_substitutes_for_a_file_is_read_too(check):
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    done = check(shell='exec bash -c \'"$@" <(sleep 0.2; cat good.patch)\' bash "$@"')

    assert (done.status, done.stdout[-28:]) == (0, b"1 patch checked: it applies\n")


def test_directories_and_globs_are_looked_through(check, tree):
    assert check("*.patch").stdout.endswith(b"2 patches checked: 1 applies, 1 refused (1 error)\n")
    assert check(str(tree)).stdout.endswith(b"2 patches checked: 1 applies, 1 refused (1 error)\n")


# -- what patches are held against ---------------------------------------------------------------


def test_the_root_may_be_elsewhere_and_paths_may_start_further_down(check, tree):
    (tree / "sub").mkdir()
    (tree / "sub" / "a.txt").write_text("w\n")
    (tree / "sub.patch").write_bytes(GOOD.replace(b"-x", b"-w"))

    assert check("sub.patch", "--root", "sub").status == 0
    assert check("sub.patch", "-C", "sub").status == 0
    assert check("sub.patch").status == 1


def test_the_syntax_alone_needs_no_tree(check):
    done = check("bad.patch", "--syntax-only", "--root", "nowhere")

    assert done == (0, b"parsed  bad.patch  1 file, 1 hunk\n1 patch checked: it can be read\n", b"")


def test_in_a_sequence_patches_build_on_each_other(check, tree, contents):
    (tree / "next.patch").write_bytes(NEXT)
    before = contents()

    assert check("good.patch", "next.patch").status == 1
    assert check("good.patch", "next.patch", "--sequence").status == 0
    assert contents() == before


def test_a_commit_is_checked_without_its_work_tree(check, tree, tmp_path):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    words = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for step in (["init", "-q"], ["add", "a.txt"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*words, *step], cwd=tree, check=True)
    (tree / "a.txt").write_text("changed since\n")
    subprocess.run(["git", "clone", "-q", "--bare", str(tree), str(tmp_path / "bare")], check=True)

    assert check("good.patch").status == 1
    assert check("good.patch", "--against", "HEAD").status == 0
    assert check("good.patch", "--against", "HEAD", "--git-dir", str(tmp_path / "bare")).status == 0
    assert b"error[P666]: unknown commit 'v9'" in check("good.patch", "--against", "v9").stderr


# -- limits --------------------------------------------------------------------------------------


def test_limits_of_the_command_line_and_of_the_project_hold_together(check, tree):
    (tree / "pyproject.toml").write_text('[tool.patchkit.check]\nforbid = ["b.txt"]\nmax-lines = 1\n')

    assert b"error[P665]: too many lines: the patch changes 2, the limit is 1" in check("good.patch").stdout
    assert check("good.patch", "--max-lines", "2").status == 0
    assert b"error[P662]" in check("good.patch", "--max-lines", "2", "--forbid", "a.*").stdout


def test_a_pass_beyond_what_is_allowed_is_refused(check, tree):
    (tree / "a.txt").write_text("  x\n")

    assert check("good.patch").status == 0
    assert b"error[P207]" in check("good.patch", "--max-pass", "exact").stdout
    (tree / ".patchkit.toml").write_text('[check]\nmax-pass = "exact"\n')
    assert b"error[P207]" in check("good.patch").stdout
    assert check("good.patch", "--max-pass", "typography").status == 0


def test_a_setting_that_cannot_be_understood_ends_with_2_and_its_line(check, tree):
    (tree / ".patchkit.toml").write_text("[check]\nmax-lines = 'few'\n")
    done = check("good.patch")

    assert done.status == 2
    assert b"error[P653]: 'check.max-lines' cannot be 'few'" in done.stderr
    assert b"line 2" in done.stderr


# -- signals -------------------------------------------------------------------------------------


def _opened_by_a_reader(fifo: Path) -> int:
    """A handle for writing into a FIFO, as soon as a process reads from it."""
    while True:
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.05)


def _has_ended(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_and_everything_it_started(tree, number):
    script = Path(sys.executable).with_name("patchkit")
    if not script.exists():
        pytest.skip("the patchkit script is not installed beside this interpreter")
    os.mkfifo(tree / "waits.patch")
    for index in range(60):
        (tree / f"{index}.patch").write_bytes(GOOD)
    patches = [str(path) for path in sorted(tree.glob("*.patch"))]
    command = [str(script), "check", *patches, "--jobs", "2"]
    run = subprocess.Popen(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    writer = _opened_by_a_reader(tree / "waits.patch")  # now a process is at work, and will be until we write
    os.kill(run.pid, number)
    out, err = run.communicate()
    os.close(writer)

    assert (run.returncode, out) == (-number, b"")
    assert b"error[P406]: stopped by" in err
    assert b"Traceback" not in err
    wait_until(lambda: _has_ended(run.pid), "everything has ended")


@pytest.mark.parametrize(
    "words", [[], ["--json"], ["--syntax-only"], ["--format", "html=/dev/null"], ["--as-agent"], ["--sequence"]]
)
def test_a_current_directory_that_is_gone_is_said_so(check, tmp_path, words):
    gone = tmp_path / "gone"
    gone.mkdir()
    done = check("-", *words, stdin=GOOD, cwd=gone, shell='rmdir "$PWD"; exec "$@"', PATCHKIT_AUDIT="calls.jsonl")

    assert (done.status, b"Traceback" in done.stderr) == (2, False)
    assert b"error[P312]: cannot use the workspace root '.': no such file or directory" in done.stdout + done.stderr


def test_a_limit_that_no_file_can_reach_is_none(check):
    assert check("good.patch", "--max-patch-bytes", str(10**20)).status == 0


def test_partial_says_of_a_refused_patch_how_much_of_it_fits(check, tree):
    (tree / "b.txt").write_bytes(b"one\ntwo\n")
    more = b"*** Add File: c.txt\n+c\n*** Update File: b.txt\n@@\n-one\n+1\n@@\n-two\n+2\n@@\n-no\n+0\n*** End Patch\n"
    (tree / "some.patch").write_bytes(GOOD.replace(b"*** End Patch\n", more))

    said = {how: check(how, "some.patch", "good.patch") for how in ("--partial", "--partial=hunks")}

    assert {how: (done.status, done.stdout.decode().split("\n")[0]) for how, done in said.items()} == {
        "--partial": (1, "refused  some.patch  2 of 3 files, 3 of 4 hunks fit"),
        "--partial=hunks": (1, "refused  some.patch  2 of 3 files, 3 of 4 hunks fit"),
    }
