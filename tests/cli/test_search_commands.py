"""`patchkit ls`, `glob` and `grep` as a person types them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from child_processes import wait_until


@pytest.fixture
def patchkit(run, tree, tmp_path):
    """Runs patchkit in the tree."""

    def run_patchkit(*words, **settings):
        settings = {"HOME": str(tmp_path), "PATCHKIT_RG": "", **settings}
        return run(*words, name="patchkit", **settings)

    return run_patchkit


@pytest.fixture
def wood(tree):
    """A tree with more files than a page shows, and one that is hidden and one that is ignored."""
    for number in range(210):
        path = tree / "d" / f"f{number:03}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("x = 1\n")
        os.utime(path, (1_700_000_000 - number, 1_700_000_000 - number))
    (tree / ".hidden").write_text("x\n")
    (tree / "build").mkdir()
    (tree / "build" / "made").write_text("x\n")
    return tree


def test_ls_lists_and_names_the_switches(patchkit, wood):
    said = patchkit("ls")

    assert (said.status, said.stdout) == (
        0,
        b"d/\na.txt\n\n(1 hidden not shown: --hidden)\n(1 ignored not shown: --no-ignore)\n",
    )


def test_ls_with_all_switches_lists_everything(patchkit, wood):
    assert patchkit("ls", "--hidden", "--no-ignore").stdout == b"build/\nd/\n.hidden\na.txt\n"


def test_a_page_ends_with_the_command_that_goes_on(patchkit, wood):
    said = patchkit("ls", "d", "--limit", "2")

    assert said.stdout == b"f000.py\nf001.py\n\n(2 of 210 entries; the next: patchkit ls --limit 2 --offset 2 d)\n"
    assert patchkit("ls", "--limit", "2", "--offset", "2", "d").stdout.startswith(b"f002.py\nf003.py\n")


@pytest.mark.parametrize("words", [["ls", "d"], ["glob", "d/*"], ["grep", "x", "d", "--timeout", "0"]])
def test_a_limit_of_nothing_shows_everything(patchkit, wood, words):
    assert patchkit(*words, "--limit", "0").stdout.count(b".py\n") == 210


@pytest.mark.parametrize(("words", "most"), [(["ls"], 200), (["glob", "*"], 200), (["grep", "x"], 100)])
def test_any_other_limit_out_of_range_is_a_mistake(patchkit, words, most):
    said = patchkit(*words, "--limit", "500")

    assert (said.status, said.stdout) == (2, b"")
    assert said.stderr.decode() == (
        f"error[P603]: 'limit' cannot be 500\n  = help: give a whole number between 1 and {most}, or 0 for all\n"
    )


def test_glob_prints_absolute_paths_or_relative_ones(patchkit, tree):
    assert patchkit("glob", "*.txt").stdout.decode() == f"{tree}/a.txt\n"
    assert patchkit("glob", "*.txt", "--relative").stdout == b"a.txt\n"


def test_glob_says_how_to_go_on_in_words_a_shell_reads(patchkit, wood):
    said = patchkit("glob", "d/*.py", "--relative", "--limit", "1")

    assert said.stdout.decode().split("\n\n")[1] == (
        "(1 of 210 files, the newest first. Narrow the pattern, or continue: "
        "patchkit glob --relative --limit 1 --offset 1 'd/*.py')\n"
    )


def test_a_word_that_a_shell_would_read_otherwise_is_quoted(patchkit, tree):
    (tree / "b").write_text("-it's\n" * 2)

    said = patchkit("grep", "--mode", "content", "--limit", "1", "--", "-it's")

    assert b"patchkit grep --mode content --limit 1 --offset 1 -- '-it'\\''s')" in said.stdout


@pytest.mark.parametrize(("pattern", "status"), [("x", 0), ("nope", 1), ("", 2)])
def test_grep_ends_with_the_status_of_a_grep(patchkit, pattern, status):
    assert patchkit("grep", pattern).status == status


@pytest.mark.parametrize(
    "words", [["grep", "x", "/etc"], ["grep", "(", "--regex"], ["grep", "x", "--type", "nosuch"], ["grep"]]
)
def test_grep_that_could_not_search_ends_with_2(patchkit, words):
    assert patchkit(*words).status == 2


@pytest.mark.parametrize(("words", "status"), [(["ls", "/etc"], 3), (["glob", "*", "/etc"], 3), (["ls", "nosuch"], 1)])
def test_others_end_with_the_usual_status(patchkit, words, status):
    assert patchkit(*words).status == status


def test_lines_around_a_match_are_asked_for_as_in_every_grep(patchkit, tree):
    (tree / "b").write_text("1\nneedle\n3\n4\n")

    assert patchkit("grep", "needle", "--mode", "content", "-C", "1").stdout.startswith(b"b-1-1\nb:2:needle\nb-3-3\n\n")
    assert patchkit("grep", "needle", "--mode", "content", "-A", "2").stdout.startswith(b"b:2:needle\nb-3-3\nb-4-4\n\n")


def test_relative_paths_start_where_that_is_said(patchkit, wood):
    assert patchkit("grep", "x", "f000.py", "--start", "d").stdout.startswith(b"f000.py\n")


def test_json_has_names_exactly(patchkit, tree):
    with open(os.fsencode(tree) + b"/\xff", "wb") as file:
        file.write(b"x\n")

    said = patchkit("grep", "x", "--json")

    paths = [match["path"] for match in json.loads(said.stdout)["data"]["matches"]]
    assert sorted(paths) == ["a.txt", "\udcff"]
    again = patchkit("call", "Grep", json.dumps({"pattern": "x", "path": "\udcff"}))
    assert (again.status, again.stdout.split(b"\n")[0]) == (0, b"\\xff")


@pytest.mark.parametrize("words", [["grep", "x"], ["grep", "x", "--mode", "content"]])
def test_a_signal_ends_the_search_and_what_it_runs(tree, tmp_path, words):
    told = tmp_path / "told"
    script = tmp_path / "rg"
    script.write_text(f"#!/bin/sh\necho $$ > {told}.new; mv {told}.new {told}\nexec sleep 3600\n")
    script.chmod(0o755)
    command = Path(sys.executable).with_name("patchkit")
    if not command.exists():
        pytest.skip("the patchkit script is not installed beside this interpreter")
    settings = {**os.environ, "PATCHKIT_RG": str(script)}
    process = subprocess.Popen(
        [command, *words, "--timeout", "0"], cwd=tree, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_until(told.exists, "the search runs")
    process.send_signal(signal.SIGTERM)
    _, complaint = process.communicate()

    assert (process.returncode, complaint.split(b":")[0]) == (-signal.SIGTERM, b"error[P406]")
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)


def test_closed_streams_are_no_hindrance(run, tree, tmp_path):
    unbounded = ["--timeout", "0"]
    said = run("grep", "x", "--mode", "content", *unbounded, name="patchkit", shell='"$@" <&-', HOME=str(tmp_path))

    assert (said.status, said.stdout.split(b"\n")[0]) == (0, b"a.txt:1:x")


def test_a_reader_that_is_gone_is_not_a_failure(run, wood):
    said = run("glob", "**/*", "--limit", "0", name="patchkit", shell='"$@" | head -n 1')

    assert (said.status, said.stderr) == (0, b"")
