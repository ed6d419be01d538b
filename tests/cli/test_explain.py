"""`patchkit explain`: the page of a code, in a pipe, on a terminal and from an installed wheel."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from terminals import Terminal

from patchkit.catalogue.entries import ENTRIES
from patchkit.catalogue.sentences import name_of
from patchkit.cli import completion
from patchkit.cli.commands.explain import manual_spans, sections
from patchkit.cli.main import run as patchkit_run
from patchkit.report.spans import on_screen, plain
from patchkit.report.width import width

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = sections((REPOSITORY / "docs" / "errors.md").read_text(encoding="utf-8"))
CODES = [code for code in sorted(ENTRIES) if code in PAGE]
P102 = """\
P102 incomplete-patch: the patch is incomplete: no '*** End Patch' after line N

The text ends before the patch does. Usually the answer of a model was
truncated. The missing lines are not known, so nothing is applied.

Files:
    === app.py
    print("Hi")

Patch:
    *** Begin Patch
    *** Update File: app.py
    @@
    -print("Hi")
    +print("Hello")

Output:
    error[P102]: the patch is incomplete: no '*** End Patch' after line 5
     --> patch:5:1
      |
    5 | +print("Hello")
      |
      = help: send the whole patch again, ending with '*** End Patch'; a truncated patch is never applied

Fix: send the whole patch again, with `*** End Patch` as its last line.
"""


def test_a_page_has_the_sentence_the_cause_an_example_and_the_fix(run):
    assert run("explain", "P102", name="patchkit") == (0, P102.encode(), b"")


@pytest.mark.parametrize("given", ["p102", "102", "note[P102]", "error[p102]:", " P102 ", "error[P102]: the patch …"])
def test_a_code_may_be_written_as_a_message_has_it(run, given):
    assert run("explain", given, name="patchkit").stdout.decode() == P102


def test_several_codes_are_explained_one_after_the_other(run):
    both = run("explain", "P102", "P103", name="patchkit").stdout.decode()

    assert both == P102 + "\n\n" + run("explain", "P103", name="patchkit").stdout.decode()


def family(digit: str) -> list[str]:
    return sorted(code for code in ENTRIES if code[1] == digit)


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("P299", family("2")[-6:]),
        ("1999", family("1")[-6:]),
        ("error[P100]", family("1")[:6]),
    ],
)
def test_a_code_there_is_not_is_answered_with_those_that_come_near(run, given, near):
    assert run("explain", given, name="patchkit") == (
        2,
        b"",
        f"error[P608]: unknown code '{given}'\n"
        f"  = help: look up one of these: {', '.join(near)}; 'patchkit explain' lists all codes\n".encode(),
    )


def test_a_word_that_no_page_has_is_answered_with_the_list_of_all(run):
    said = b"error[P608]: unknown code 'zugzwang'\n  = help: 'patchkit explain' lists all codes\n"

    assert run("explain", "zugzwang", name="patchkit") == (2, b"", said)


def test_without_a_code_all_are_listed(run):
    text = run("explain", name="patchkit").stdout.decode()

    assert re.findall(r"(?m)^P\d{3}", text) == sorted(ENTRIES)
    assert "P102  incomplete-patch\n      the patch is incomplete: no '*** End Patch' after line N\n" in text
    assert re.findall(r"(?m)^P\dxx", text) == ["P1xx", "P2xx", "P3xx", "P4xx", "P5xx", "P6xx", "P9xx"]
    assert "{" not in text


def test_every_code_has_a_name_of_its_own():
    names = [name_of(code) for code in ENTRIES]

    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z]+(-[a-z0-9]+){1,4}", name)] == []


@pytest.mark.parametrize("given", ["incomplete-patch", "Incomplete patch", "INCOMPLETE_PATCH"])
def test_a_code_is_explained_by_its_name(run, given):
    assert run("explain", given, name="patchkit") == (0, P102.encode(), b"")


def test_a_word_lists_the_codes_about_it(run):
    done = run("explain", "ambiguous", name="patchkit")

    listed = re.findall(r"(?m)^(P\d{3})  (\S+)$", done.stdout.decode())
    assert (done.status, done.stderr) == (0, b"")
    assert {"P202", "P208", "P622"} <= {code for code, _name in listed}
    assert all("ambiguous" in name + ENTRIES[code].sentence for code, name in listed)


def test_a_word_that_one_code_has_opens_its_page(run):
    text = run("explain", "Markdown fence", name="patchkit").stdout.decode()

    assert text.startswith("P901 lenient-reading: ")
    assert "\n    fence\n        removed the Markdown fence around the patch (line N)\n" in text


def test_all_pages_can_be_printed_at_once(run):
    text = run("explain", "--all", name="patchkit").stdout.decode()

    assert re.findall(r"(?m)^(P\d{3}) \S+: ", text) == sorted(ENTRIES)
    assert P102 in text


def test_codes_are_data_for_a_program(run):
    found = json.loads(run("explain", "--json", "P102", name="patchkit").stdout)

    assert [(each["code"], each["name"], each["kind"]) for each in found] == [
        ("P102", "incomplete-patch", "INVALID_PARAM")
    ]
    assert found[0]["page"].endswith("with `*** End Patch` as its last line.")


@pytest.mark.parametrize("columns", [40, 80, 100])
def test_every_page_fits_the_screen_and_shows_no_marks(columns):
    for code in CODES:
        title, *lines = plain(manual_spans(code, PAGE[code], columns)).split("\n")
        prose = [line for line in lines if not line.startswith("    ")]

        assert title.startswith(f"{code} {name_of(code)}: ")
        assert not re.search(r"\{[a-z ]+\}", title)
        assert [line for line in prose if line.startswith(("Fix: ", "Next time: "))] != []
        assert [line for line in prose if width(line) > columns and " " in re.sub(r"`[^`]*`", "", line)] == []
        bare = [re.sub(r"`[^`]*`", "", line) for line in prose]
        assert [line for line in bare if re.search(r"(?<!\*)\*\*(?!\*)|\]\(|^#|^```", line)] == []


def test_colour_takes_the_backticks_away_and_nothing_else():
    for code in CODES:
        coloured = on_screen(manual_spans(code, PAGE[code], 80, ticks=False), colour=True)
        uncoloured = plain(manual_spans(code, PAGE[code], 80))

        assert re.sub(r"\x1b\[[\d;]*m", "", coloured).replace("`", "") == uncoloured.replace("`", "")


def test_a_page_on_a_terminal_is_in_colour(tree):
    command = [sys.executable, "-c", "from patchkit.cli.main import main; main()", "explain", "P102"]
    status, screen = Terminal(command, tree, 80).end()

    assert status == 0
    assert screen.startswith("\x1b[1;31mP102\x1b[0m\x1b[36m incomplete-patch\x1b[0m\x1b[1m: the patch is incomplete")


def test_codes_can_be_completed():
    offered = [each.value for each in completion.codes(None, None, "p20")]

    assert offered == [code for code in ENTRIES if code.startswith("P20")]


def test_an_installation_without_its_page_says_so(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr("patchkit.__file__", str(tmp_path / "patchkit" / "__init__.py"))

    assert (patchkit_run(["explain", "P201"]), capfd.readouterr().err) == (
        2,
        "error: this installation has no page of errors: install it again\n"
        "  = help: 'patchkit explain --help' explains its use\n",
    )


@pytest.mark.skipif(os.environ.get("PATCHKIT_TESTS") != "full", reason="builds a wheel: only with PATCHKIT_TESTS=full")
def test_a_wheel_carries_the_page_and_explains_from_it(tmp_path):
    pytest.importorskip("hatchling")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(build, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "site")
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from patchkit.cli.main import main; main(sys.argv[1:])"
    command = [sys.executable, "-P", "-c", code, str(tmp_path / "site"), "explain", "P102"]
    told = subprocess.run(command, cwd=tmp_path, env={**os.environ}, capture_output=True, text=True, check=True)

    assert told.stdout == P102
    page = (tmp_path / "site" / "patchkit" / "errors.md").read_text(encoding="utf-8")
    assert page == (REPOSITORY / "docs" / "errors.md").read_text(encoding="utf-8")
