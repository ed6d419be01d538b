"""docs/agents.md and docs/shell.md: tables that are made, examples that say what the commands say."""

from __future__ import annotations

import os

import pytest
from client_table import FILE, capabilities, files, unlike_the_record
from doc_examples import DOCS, Page

from patchkit.runtimes.hooks.project import VARIABLES
from patchkit.tools.exec import DESCRIPTION

PAGES = [Page("agents.md"), SHELL := Page("shell.md")]
PATH = DOCS / "agents.md"
PROGRAMS = [block for block in SHELL.blocks if block.kind == "python"]


EXAMPLES = [(page, example) for page in PAGES for example in page.examples]


@pytest.mark.parametrize(("page", "example"), EXAMPLES, ids=[f"{each.heading}-{each.number}" for _, each in EXAMPLES])
def test_an_example_says_what_the_page_shows(page, example, try_out):
    try_out(page, example)


@pytest.fixture
def project(tmp_path, monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "sub").mkdir()
    (tmp_path / "app.py").write_text("x = 1\n")
    (tmp_path / "near.py").write_text(FILE)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_tables_of_clients_are_what_is_found_with_their_events_and_files(project):
    text = PATH.read_text(encoding="utf-8")
    made = text
    for after, table in (("user's home:\n\n", files()), ("`fixtures/hooks`.\n\n", capabilities(project))):
        before, _, rest = made.partition(after)
        _old, _, end = rest.partition("\n\n") if rest.startswith("|") else ("", "", rest.partition("}\n")[2])
        made = f"{before}{after}{table}\n{end.lstrip(chr(10))}"
    if os.environ.get("PATCHKIT_UPDATE_DOCS"):
        PATH.write_text(made, encoding="utf-8")

    assert text == made


def test_what_the_table_says_of_a_client_was_seen_in_it(project):
    assert unlike_the_record(project) == [
        ("Gemini CLI", "ask"),  # it cannot be asked without a terminal
        ("Goose", "deny"),  # this version does not heed its hooks
        ("Goose", "correction"),
    ]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda block: block.heading)
def test_a_program_on_the_page_runs(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    exec(compile(program.text, "shell.md", "exec"), {})


def test_the_sentence_for_the_system_prompt_is_the_one_the_tool_describes_itself_with():
    quoted = " ".join(line[2:] for line in SHELL.prose["Large outputs"].split("\n") if line.startswith("> "))

    assert quoted in DESCRIPTION
