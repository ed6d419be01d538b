"""Where the output formats of `patchkit check` go: standard output, files, GitHub's own places."""

from __future__ import annotations

import json
import os
import re
from xml.etree import ElementTree

import pytest

from patchkit.checking.report import FORMATS

GOOD = b"*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y\n*** End Patch\n"
BAD = GOOD.replace(b"-x", b"-z")


@pytest.fixture
def check(run, tree):
    """Runs `patchkit check` on two patches, one good and one bad."""
    (tree / "good.patch").write_bytes(GOOD)
    (tree / "bad.patch").write_bytes(BAD)

    def run_check(*words, **settings):
        given = {"GITHUB_ACTIONS": "", "GITHUB_WORKSPACE": "", "GITHUB_STEP_SUMMARY": "", **settings}
        return run("check", "bad.patch", "good.patch", *words, name="patchkit", **given)

    return run_check


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_without_a_file_goes_to_standard_output_or_where_o_says(check, tree, name):
    printed = check("--format", name)
    filed = check("--format", name, "-o", "deep/report")
    text = check()

    assert (printed.status, printed.stderr) == (1, b"")
    timeless = [re.sub(rb'"(time_ms|formats|output)": [^}]*', b"", data) for data in (printed.stdout, _read(tree))]
    assert timeless[0] == timeless[1]
    assert filed == (1, text.stdout, b"")


def _read(tree):
    return (tree / "deep" / "report").read_bytes()


def test_several_formats_are_written_at_once_and_standard_output_keeps_the_text(check, tree):
    done = check("--format", "sarif=out/p.sarif", "--format", "junit=out/p.xml", "--format", "html=p.html")

    assert done == check()
    assert json.loads((tree / "out" / "p.sarif").read_bytes())["version"] == "2.1.0"
    assert ElementTree.parse(tree / "out" / "p.xml").getroot().attrib["failures"] == "1"
    assert (tree / "p.html").read_text().startswith("<!DOCTYPE html>")


def test_json_is_one_envelope_and_jsonl_one_value_a_patch(check):
    envelope = json.loads(check("--json").stdout)
    lines = [json.loads(line) for line in check("--format", "jsonl").stdout.splitlines()]

    assert (envelope["status"], envelope["error"]["code"], envelope["error"]["patch"]) == ("error", "P201", "bad.patch")
    assert lines[:-1] == envelope["data"]["patches"]
    told = {name: value for name, value in envelope["data"].items() if name != "patches"}
    assert lines[-1]["summary"] == {**told, "notes": envelope["notes"]}


def test_a_quiet_run_shows_refused_patches_alone(check):
    done = check("-q")

    assert b"good.patch" not in done.stdout
    assert b"error[P201]" in done.stdout


def test_a_quiet_run_of_good_patches_says_nothing(run, tree):
    (tree / "good.patch").write_bytes(b"prose\n" + GOOD)

    assert run("check", "good.patch", "-q", name="patchkit", GITHUB_ACTIONS="") == (0, b"", b"")


def test_a_verbose_run_shows_every_hunk(check):
    assert (
        b"applies  good.patch  1 file, 1 hunk\n  M a.txt\n    hunk 1 (patch line 3)  applies at line 1\n"
        in check("-v").stdout
    )


def test_colour_changes_nothing_but_the_colour(check):
    coloured = check("--color", "always").stdout

    assert b"\x1b[1;31mrefused\x1b[0m" in coloured
    assert re.sub(rb"\x1b\[[\d;]*m", b"", coloured) == check().stdout
    assert b"\x1b" not in check("--color", "never", FORCE_COLOR="1").stdout
    assert b"\x1b" in check(FORCE_COLOR="1").stdout


# -- GitHub --------------------------------------------------------------------------------------


def test_on_github_annotations_and_a_summary_come_by_themselves(check, tree):
    summary = tree / "summary.md"
    summary.write_text("# before\n")
    done = check(GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    stop, *text, go, error = done.stdout.decode().split("\n")[:-1]

    assert (done.status, done.stderr) == (1, b"")
    assert "\n".join(text) + "\n" == check().stdout.decode()
    assert go == f"::{stop.removeprefix('::stop-commands::')}::"
    assert error.startswith("::error file=bad.patch,line=3,title=patchkit P201::hunk not found in 'a.txt'%0A")
    assert summary.read_text().startswith("# before\n# ❌ patchkit check\n")


def test_the_mark_around_the_text_is_another_one_every_time(check):
    first, second = (check(GITHUB_ACTIONS="true").stdout.split(b"\n")[0] for _ in range(2))

    assert first != second


def test_on_github_paths_are_those_of_the_repository(check, tree):
    done = check(GITHUB_ACTIONS="true", GITHUB_WORKSPACE=str(tree.parent))

    assert b"::error file=tree/bad.patch,line=3," in done.stdout


def test_on_github_a_format_for_programs_stays_clean_and_annotations_go_to_standard_error(check):
    done = check("--json", GITHUB_ACTIONS="true")

    assert json.loads(done.stdout)["status"] == "error"
    assert done.stderr.startswith(b"::error file=bad.patch,line=3,")


def test_annotations_can_be_had_elsewhere_and_left_out_on_github(check):
    assert b"::error" in check("--annotations").stdout
    assert check("--no-annotations", GITHUB_ACTIONS="true") == check()
    assert check("--format", "github", GITHUB_ACTIONS="true").stdout.count(b"::error") == 1


def test_a_summary_that_cannot_be_written_is_told(check, tree):
    done = check(GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(tree / "a.txt" / "x"))

    assert done.status == 2
    assert b"error[P668]" in done.stderr


def test_the_help_for_a_file_that_cannot_be_written_names_no_option_that_it_is_not_of(check, run, tree):
    baseline = check("--write-baseline", "a.txt/known.json").stderr
    (tree / "verdicts.study.html").mkdir()
    (tree / "verdicts.jsonl").write_text("")
    study = run("study", "verdicts.jsonl", "--report", "html", name="patchkit").stderr

    assert all(b"  = help: give another file, or make its directory writable" in each for each in (baseline, study))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [[], ["--json"], ["--annotations"], ["--format", "html"]])
def test_a_report_that_standard_output_does_not_take_ends_with_2(check, words):
    done = check(*words, shell='exec "$@" > /dev/full')

    assert done.status == 2
    assert b"error[P668]: cannot write the report 'standard output': no space left on device\n" in done.stderr


def test_a_reader_that_went_away_changes_nothing(check):
    assert check(shell='{ "$@"; echo $? >&2; } | true').stderr.strip() in (b"1", b"141")
