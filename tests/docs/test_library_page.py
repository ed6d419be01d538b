"""docs/library.md: every program prints what the page shows, and the tables name what exists."""

from __future__ import annotations

import inspect
import re
import subprocess

import pytest
from doc_examples import Block, Page

import patchkit
from patchkit.core.changes import Files, Options
from patchkit.host_input import PatchOptions, option_names

PAGE = Page("library.md")


def programs() -> list[tuple[Block, Block]]:
    """Every program of the page, and the block below it with what it prints."""
    blocks = PAGE.blocks
    return [(block, blocks[number + 1]) for number, block in enumerate(blocks) if block.kind == "python"]


@pytest.mark.parametrize(("program", "printed"), programs(), ids=lambda block: f"{block.kind}-line-{block.first}")
def test_a_program_prints_what_the_page_shows(program, printed, tmp_path, installation):
    assert printed.kind == "text"
    settings = installation.settings(XDG_STATE_HOME=str(tmp_path / "state"))
    command = [installation.python, "-c", program.text]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=settings, check=False)

    assert (done.stdout, done.stderr) == (printed.text, "")
    assert list(tmp_path.iterdir()) == []


def first_words(heading: str) -> list[str]:
    return [re.findall(r"`(\w+)", row[0])[0] for row in PAGE.rows(heading)]


def test_the_page_lists_every_argument_with_its_default():
    defaults = Options(history=False)  # a host keeps no history of its users' runs unless it asks for it
    keywords = {name: getattr(defaults, name, "v4a") for name in option_names(PatchOptions)} | {"start": None}
    rows = {re.findall(r"`(\w+)`", row[0])[0]: row[1].strip("`") for row in PAGE.rows("Arguments")}

    assert sorted(rows) == sorted(keywords)
    for name, default in rows.items():
        assert default.strip('"') == ("" if keywords[name] is None else str(keywords[name]))


def test_the_page_lists_every_class_of_errors():
    listed = first_words("Errors")

    assert [name for name in patchkit.__all__ if name.endswith("Error") and name != "PatchkitError"] == listed


def test_the_page_lists_every_method_of_files():
    methods = [name for name, each in vars(Files).items() if inspect.isfunction(each) and not name.startswith("_")]

    assert first_words("Files of your own") == methods


def test_the_page_names_every_public_name():
    text = PAGE.path.read_text(encoding="utf-8")

    assert [name for name in patchkit.__all__ if not re.search(rf"\b{name}\b", text)] == []
