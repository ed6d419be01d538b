"""docs/guides: the examples of every guide do what it shows, and its programs print what is below them."""

from __future__ import annotations

import os
import subprocess

import pytest
from doc_examples import DOCS, Page

PAGES = {path.stem: Page(f"guides/{path.name}") for path in sorted((DOCS / "guides").glob("*.md"))}
EXAMPLES = [
    pytest.param(page, each, id=f"{name}-{each.number}") for name, page in PAGES.items() for each in page.examples
]
PROGRAMS = [
    pytest.param(page, block, page.blocks[place + 1], id=f"{name}-{block.heading}")
    for name, page in PAGES.items()
    for place, block in enumerate(page.blocks)
    if block.kind == "python"
]
UPDATE = os.environ.get("PATCHKIT_UPDATE_DOCS") == "1"


@pytest.mark.parametrize(("page", "example"), EXAMPLES)
def test_an_example_of_a_guide_does_what_the_page_shows(try_out, page, example):
    try_out(page, example)


@pytest.mark.parametrize(("page", "program", "printed"), PROGRAMS)
def test_a_program_of_a_guide_prints_what_is_below_it(page, program, printed, tmp_path, installation):
    command = [installation.python, "-c", program.text]
    said = subprocess.run(
        command, cwd=tmp_path, env=installation.settings(), capture_output=True, text=True, check=True
    )
    if UPDATE and said.stdout != printed.text:
        text = page.path.read_text(encoding="utf-8")
        page.path.write_text(text.replace(f"```text\n{printed.text}", f"```text\n{said.stdout}", 1), encoding="utf-8")
        return

    assert said.stdout == printed.text


def test_there_is_a_guide_for_each_kind_of_reader():
    assert {"laptop", "runtime", "pipeline", "dataset"} <= set(PAGES)
