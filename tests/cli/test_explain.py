"""`patchkit explain`: the page of a code, in a pipe, on a terminal and from an installed wheel."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from terminals import Terminal

from patchkit.catalogue import ENTRIES
from patchkit.cli.explain import explain
from patchkit.report.manual import manual_spans, sections
from patchkit.report.spans import on_screen, plain
from patchkit.report.width import width

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = sections((REPOSITORY / "docs" / "errors.md").read_text(encoding="utf-8"))
CODES = [code for code in sorted(ENTRIES) if code in PAGE]
P904 = """\
P904: removed the Markdown fence around the patch (line {patch line})

The patch was in a fenced code block, as models write it in a chat.

Patch:
    ```
    *** Begin Patch
    *** Add File: new.txt
    +hello
    *** End Patch
    ```

Output:
    note[P904]: removed the Markdown fence around the patch (line 1)
    Success. Updated the following files:
    A new.txt

Next time: send only the content of the fence.
"""


def test_a_page_has_the_sentence_the_cause_an_example_and_the_fix(run):
    assert run("explain", "P904", name="patchkit") == (0, P904.encode(), b"")


@pytest.mark.parametrize("given", ["p904", "904", "note[P904]", "error[p904]:", " P904 ", "note[P904]: took off …"])
def test_a_code_may_be_written_as_a_message_has_it(run, given):
    assert run("explain", given, name="patchkit").stdout.decode() == P904


def test_several_codes_are_explained_one_after_the_other(run):
    both = run("explain", "P904", "P905", name="patchkit").stdout.decode()

    assert both == P904 + "\n\n" + run("explain", "P905", name="patchkit").stdout.decode()


def family(digit: str) -> list[str]:
    return sorted(code for code in ENTRIES if code[1] == digit)


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("P299", family("2")[-6:]),
        ("1999", family("1")[-6:]),
        ("error[P100]", family("1")[:6]),
        ("heredoc", [code for code, entry in ENTRIES.items() if "heredoc" in entry.sentence][:6]),
        ("Nothing like it", sorted({code[1]: code for code in sorted(ENTRIES, reverse=True)}.values())),
    ],
)
def test_a_code_there_is_not_is_answered_with_those_that_come_near(run, given, near):
    assert run("explain", given, name="patchkit") == (
        2,
        b"",
        f"error[P608]: unknown code '{given}'\n"
        f"  = help: look up one of these: {', '.join(near)}; 'patchkit explain' lists all codes\n".encode(),
    )


def test_without_a_code_all_are_listed(run):
    lines = run("explain", name="patchkit").stdout.decode().splitlines()

    assert [line.split("  ")[0] for line in lines] == sorted(ENTRIES)
    assert "P904  removed the Markdown fence around the patch (line {patch line})" in lines


@pytest.mark.parametrize("columns", [40, 80, 100])
def test_every_page_fits_the_screen_and_shows_no_marks(columns):
    for code in CODES:
        title, *lines = plain(manual_spans(code, PAGE[code], columns)).split("\n")
        prose = [line for line in lines if not line.startswith("    ")]

        assert title.startswith(f"{code}: ")
        assert [line for line in prose if line.startswith(("Fix: ", "Next time: "))] != []
        assert [line for line in prose if width(line) > columns and " " in re.sub(r"`[^`]*`", "", line)] == []
        assert [line for line in prose if re.search(r"(?<!\*)\*\*(?!\*)|\]\(|^#|^```", line)] == []


def test_colour_takes_the_backticks_away_and_nothing_else():
    for code in CODES:
        coloured = on_screen(manual_spans(code, PAGE[code], 80, ticks=False), colour=True)
        uncoloured = plain(manual_spans(code, PAGE[code], 80))

        assert re.sub(r"\x1b\[[\d;]*m", "", coloured).replace("`", "") == uncoloured.replace("`", "")


def test_a_page_on_a_terminal_is_in_colour(tree):
    command = [sys.executable, "-c", "from patchkit.cli.main import main; main()", "explain", "P904"]
    status, screen = Terminal(command, tree, 80).end()

    assert status == 0
    assert screen.startswith("\x1b[1;32mP904\x1b[0m\x1b[1m: removed the Markdown fence")


def test_codes_can_be_completed():
    context = explain.make_context("explain", [], resilient_parsing=True)
    offered = [item.value for item in explain.params[0].shell_complete(context, "p20")]

    assert offered == [code for code in ENTRIES if code.startswith("P20")]


def test_an_installation_without_its_page_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr("patchkit.__file__", str(tmp_path / "patchkit" / "__init__.py"))
    done = CliRunner().invoke(explain, ["P201"])

    assert (done.exit_code, done.output) == (1, "Error: this installation has no page of errors: install it again\n")


def test_a_wheel_carries_the_page_and_explains_from_it(tmp_path):
    pytest.importorskip("hatchling")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(build, cwd=REPOSITORY, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "site")
    code = "import sys; sys.path.insert(0, sys.argv.pop(1)); from patchkit.cli.main import main; main(sys.argv[1:])"
    command = [sys.executable, "-P", "-c", code, str(tmp_path / "site"), "explain", "P904"]
    told = subprocess.run(command, cwd=tmp_path, env={**os.environ}, capture_output=True, text=True, check=True)

    assert told.stdout == P904
    page = (tmp_path / "site" / "patchkit" / "errors.md").read_text(encoding="utf-8")
    assert page == (REPOSITORY / "docs" / "errors.md").read_text(encoding="utf-8")
