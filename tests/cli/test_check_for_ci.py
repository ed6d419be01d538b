"""`patchkit check` for CI: what fails, what is known, what was changed, and counts by code."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from patchkit.checking.report import FORMATS

MISSING = b"*** Begin Patch\n*** Update File: a.txt\n@@\n-nowhere\n+y\n*** End Patch\n"
NO_FILE = b"*** Begin Patch\n*** Update File: gone.txt\n@@\n-x\n+y\n*** End Patch\n"
GOOD = b"*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
INEXACT = b"*** Begin Patch\n*** Update File: a.txt\n@@\n-x \n+y\n*** End Patch\n"


@pytest.fixture
def check(run, tree):
    for name, text in {"missing": MISSING, "no-file": NO_FILE, "good": GOOD, "inexact": INEXACT}.items():
        (tree / f"{name}.patch").write_bytes(text)
    return lambda *words, **more: run("check", *words, name="patchkit", **more)


ALL = ["missing.patch", "no-file.patch", "good.patch"]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ([], 1, ""),
        (["--exit-zero"], 0, ""),
        (["--ignore", "P201"], 1, "errors that do not fail: 1 ignored"),
        (["--ignore", "P201,P302"], 0, "errors that do not fail: 2 ignored"),
        (["--ignore", "P2", "--ignore", "file-not-found"], 0, "errors that do not fail: 2 ignored"),
        (["--fail-on", "P302"], 1, "errors that do not fail: 1 of other codes"),
        (["--fail-on", "p4"], 0, "errors that do not fail: 2 of other codes"),
        (["--fail-on", "P302", "--ignore", "P302"], 0, "errors that do not fail: 1 of other codes, 1 ignored"),
    ],
)
def test_options_say_which_errors_fail(check, words, status, said):
    done = check(*ALL, *words)
    hidden = sum(int(number) for number in re.findall(r" (\d) (?:ignored|of other)", said))
    left = [f"{2 - hidden} refused ({2 - hidden} error{'s' * (hidden == 0)})"] * (hidden < 2)
    left += [f"{hidden} with accepted errors only"] * bool(hidden)

    assert done.status == status
    assert f"3 patches checked: 1 applies, {', '.join(left)}\n" in done.stdout.decode()
    assert done.stdout.count(b"error[P") == 2 - hidden
    assert done.stdout.decode().splitlines()[-1] == said or not said


def test_a_note_can_fail(check):
    assert check("inexact.patch").status == 0
    assert check("inexact.patch", "--fail-on", "P921").status == 1
    assert check("inexact.patch", "--fail-on", "inexact-match").status == 1
    assert check("good.patch", "--fail-on", "P921").status == 0


@pytest.mark.parametrize("name", ["--ignore", "--fail-on"])
def test_a_code_that_does_not_exist_is_a_usage_error(check, name):
    done = check("good.patch", name, "P2,nonsense")

    assert (done.status, done.stdout) == (2, b"")
    assert f"option '{name}' needs a code or its name, not 'nonsense'".encode() in done.stderr


def test_statistics_count_by_code(check):
    done = check(*ALL, "inexact.patch", "missing.patch", "--statistics")

    assert (done.status, done.stdout.decode()) == (
        1,
        "1  P201  hunk-not-found  hunk not found in 'FILE'\n"
        "1  P302  file-not-found  file 'FILE' does not exist\n"
        "1  P921  inexact-match   hunk N of 'FILE' (line N) matched ignoring trailing whitespace\n"
        "\n4 patches checked: 2 apply, 2 refused (2 errors)\n",
    )
    assert check("good.patch", "--statistics").stdout == b"1 patch checked: it applies\n"


def test_the_concise_format_has_one_line_for_each_finding(check):
    assert check("missing.patch", "inexact.patch", "--format", "concise").stdout.decode() == (
        "missing.patch:3:1: P201 hunk not found in 'a.txt'\n"
        "inexact.patch:3:1: P921 hunk 1 of 'a.txt' (line 3) matched at line 1 ignoring trailing whitespace\n"
    )
    assert check("-", "--format", "concise", stdin=MISSING).stdout == b"a.txt:1:1: P201 hunk not found in 'a.txt'\n"
    assert check("-", "--format", "concise", stdin=b"prose").stdout.startswith(b"-:1:1: P101 ")


def test_the_gitlab_format_has_what_code_quality_asks_for(check):
    rows = json.loads(check("missing.patch", "--format", "gitlab").stdout)

    assert [(row["check_name"], row["severity"], row["location"]) for row in rows] == [
        ("P201-hunk-not-found", "major", {"path": "missing.patch", "lines": {"begin": 3}})
    ]
    assert [set(row) for row in rows] == [{"description", "check_name", "fingerprint", "severity", "location"}]


@pytest.mark.parametrize("name", FORMATS)
def test_accepted_errors_are_in_no_output_and_a_count_remains(check, tree, name):
    check("missing.patch", "--write-baseline", "known.json")
    for words in (["--ignore", "P201"], ["--fail-on", "P302"], ["--baseline", "known.json"]):
        said = check("missing.patch", *words, "--format", name).stdout.decode()

        assert not re.search("hunk not found|code.: .P201|✕ refused|type=.P201", said), words
        assert name in ("concise", "github", "gitlab") or re.search(r"1 (ignored|of other|in the)|accepted", said), said


# -- baselines -----------------------------------------------------------------------------------


def test_what_a_baseline_knows_does_not_fail_and_what_is_new_does(check, tree):
    assert check("missing.patch", "--write-baseline", "known.json").status == 0
    again = check("missing.patch", "good.patch", "--baseline", "known.json")

    assert (again.status, again.stdout.decode().splitlines()[-1]) == (0, "errors that do not fail: 1 in the baseline")
    assert check("missing.patch", "no-file.patch", "--baseline", "known.json").status == 1
    (tree / "missing.patch").write_bytes(MISSING.replace(b"@@", b"@@\n x\n@@"))
    moved = MISSING.replace(b"*** Update File: a.txt", b"*** Add File: new.txt\n+new\n*** Update File: a.txt")
    (tree / "missing.patch").write_bytes(moved)
    assert check("missing.patch", "--baseline", "known.json").status == 0
    (tree / "missing.patch").write_bytes(MISSING.replace(b"-nowhere", b"-elsewhere"))
    assert check("missing.patch", "--baseline", "known.json").status == 1


@pytest.mark.parametrize("text", ["", "[]", '{"version": 9}', '{"version": 1, "findings": 3}'])
def test_a_file_that_is_not_a_baseline_is_a_usage_error(check, tree, text):
    (tree / "known.json").write_text(text)
    done = check("good.patch", "--baseline", "known.json")

    assert (done.status, done.stdout) == (2, b"")
    assert b"error: cannot use the baseline 'known.json': " in done.stderr
    assert check("good.patch", "--baseline", "nowhere.json").status == 2


# -- since a commit ------------------------------------------------------------------------------


@pytest.fixture
def repository(check, tree):
    def git(*words):
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        subprocess.run(command, cwd=tree, check=True, capture_output=True)

    git("init", "-b", "main")
    git("add", ".")
    git("commit", "-m", "first")
    return git


def test_only_patches_that_were_changed_since_a_commit_are_checked(check, tree, repository):
    (tree / "no-file.patch").write_bytes(NO_FILE + b"\n")
    (tree / "sub").mkdir()
    (tree / "sub" / "new.patch").write_bytes(GOOD)
    done = check(".", "--since", "HEAD", "--root", ".")

    assert done.status == 1
    assert [line for line in done.stdout.decode().splitlines() if line.startswith(("applies", "refused"))] == [
        "refused  ./no-file.patch  1 file, 1 hunk",
        "applies  ./sub/new.patch  1 file, 1 hunk",
    ]


def test_nothing_that_was_changed_is_nothing_to_check(check, repository):
    assert check(".", "--since", "HEAD") == (0, b"no patch to check\n", b"")
    for name in ("json", "sarif", "junit", "html", "markdown", "gitlab", "github", "concise", "jsonl"):
        assert check(".", "--since", "HEAD", "--format", name).status == 0


def test_a_commit_or_a_repository_there_is_not_is_a_usage_error(check, repository, tmp_path):
    assert b"error[P666]: unknown commit 'nosuch'" in check(".", "--since", "nosuch").stderr
    assert b"error[P666]: unknown commit '--output=x'" in check(".", "--since", "--output=x").stderr
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.patch").write_bytes(GOOD)
    done = check("a.patch", "--since", "HEAD", cwd=outside, GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert (done.status, b"error[P667]" in done.stderr) == (2, True)
    assert b"help: run it inside a git repository that 'git' can read\n" in done.stderr
