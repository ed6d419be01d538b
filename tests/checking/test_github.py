"""The GitHub face: what the runner reads out of it is what was meant, and nothing else."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from made_reports import HOSTILE, MISSED, NEARLY, add, report_of, update
from strategies import examples

from patchkit.checking import annotations as github
from patchkit.checking import markdown
from patchkit.checking.report import STDIN, Report

COMMAND = re.compile(r"^::(?P<name>[\w-]+)(?: (?P<properties>.*?))?::(?P<data>.*)$", re.DOTALL)


def runner(line: str) -> tuple[str, dict[str, str], str] | None:
    """A workflow command as the runner understands a line: its name, its properties, its data."""
    found = COMMAND.match(line.lstrip())
    if found is None:
        return None
    pairs = [each.split("=", 1) for each in (found["properties"] or "").split(",") if each]
    properties = {name: unescaped(value, (":", ",")) for name, value in pairs}
    return found["name"], properties, unescaped(found["data"])


def unescaped(text: str, more: tuple[str, ...] = ()) -> str:
    for char in ("\r", "\n", *more, "%"):
        text = text.replace(f"%{ord(char):02X}", char)
    return text


def commands(report: Report) -> list[tuple[str, dict[str, str], str] | None]:
    return [runner(line) for line in github.render_github(report, "/home/you/project").splitlines()]


@given(
    st.dictionaries(st.sampled_from(["file", "title"]), st.text(st.characters(codec="utf-8"), min_size=1)),
    st.text(st.characters(codec="utf-8")),
)
@examples(60)
def test_the_runner_reads_back_what_was_written(properties, message):
    line = github.command("error", properties, message)

    assert line.count("\n") == 1
    assert runner(line.removesuffix("\n")) == ("error", properties, message)


def test_an_error_is_annotated_at_its_line_of_the_patch_with_the_closest_place_and_the_next_step(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    report = report_of(MISSED, files=NEARLY, root=str(tmp_path))

    assert [runner(line) for line in github.render_github(report, str(tmp_path)).splitlines()] == [
        (
            "error",
            {"file": "1.patch", "line": "5", "title": "patchkit P201"},
            "hunk not found in 'a.py'\n"
            "a.py:3: closest place (1 of 2 lines agree)\n"
            "help: read a.py lines 2-3 and send the hunk again",
        )
    ]


def test_a_patch_from_a_pipe_is_annotated_in_the_tree(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    report = report_of(MISSED, files=NEARLY, root=str(tmp_path))
    report.patches[0].name = STDIN
    (found,) = [runner(line) for line in github.render_github(report, str(tmp_path)).splitlines()]

    assert found[1] == {"file": "a.py", "line": "3", "title": "patchkit P201"}


def test_beyond_what_github_shows_the_last_annotation_counts_the_rest():
    found = commands(report_of(*[update("a.py", "x", "y")] * 25))

    assert len(found) == github.SHOWN
    assert found[-1] == ("error", {"title": "patchkit"}, "16 more errors: see the summary of this step")


def test_as_many_as_github_shows_are_all_annotated():
    found = commands(report_of(*[update("a.py", "x", "y")] * github.SHOWN))

    assert [each[1]["title"] for each in found] == ["patchkit P302"] * github.SHOWN


def test_notes_are_notices_with_a_limit_of_their_own():
    note = add("new.py", "x").replace("*** Begin Patch", "prose\n*** Begin Patch")
    found = commands(report_of(*[note] * 12, update("a.py", "x", "y")))

    assert [each[0] for each in found] == ["error"] + ["notice"] * github.SHOWN
    assert found[-1][2] == "3 more notes: see the summary of this step"


@given(HOSTILE, HOSTILE)
@examples(60)
def test_no_patch_can_make_a_line_of_its_own(path, text):
    report = report_of(update(path, text, text + "x"), add(path, text))

    assert {each[0] for each in commands(report) if each is not None} <= {"error", "notice"}
    assert None not in commands(report)


@given(HOSTILE)
@examples(60)
def test_quoted_text_is_between_marks_that_switch_commands_off(text):
    first, *inside, last = github.quoted(text, "token").split("\n")[:-1]

    assert (first, "\n".join(inside), last) == ("::stop-commands::token", text, "::token::")


def test_the_summary_fits_into_what_github_takes():
    report = report_of(*[update("a.py", "x" * 100, "y")] * 60)
    whole = markdown.render(report)
    cut = markdown.render(report, 9000)

    assert len(whole.encode()) > 9000 >= len(cut.encode())
    assert cut.endswith("more refused patches.\n")
    assert whole.startswith(cut.partition("\n… and ")[0])
