"""`patchkit prompt`: the words for a system prompt."""

from __future__ import annotations

import pytest

from patchkit.core.language.parser import parse
from patchkit.runtimes.prompt import CHANGING, PATCHING, PURPOSES, words
from patchkit.tools.registry import TOOLS, named

FOUNDING = [
    "You must read the file before editing. "
    "This tool will error if you attempt an edit without reading the file first.",
    "You MUST avoid using search commands like find and grep. Instead use the grep, glob tools to search. "
    "You MUST avoid read tools like cat, head, tail, and use read_file to read files.",
    "When a tool result is too large, it may be offloaded into the filesystem instead of being returned inline. "
    "In those cases, use read_file to inspect the saved result in chunks, or use grep within /large_tool_results/ "
    "if you need to search across offloaded tool results.",
]
EVERY = {tool.name for tool in TOOLS}


@pytest.fixture
def prompt(run):
    def run_prompt(*given):
        return run("prompt", *given, name="patchkit")

    return run_prompt


@pytest.mark.parametrize("sentence", FOUNDING)
@pytest.mark.parametrize("markdown", [True, False])
def test_the_quoted_sentences_are_there_to_the_letter(sentence, markdown):
    assert sentence in words(EVERY, markdown)


def test_every_tool_has_a_purpose_and_a_place_in_the_order():
    assert set(PURPOSES) == EVERY
    assert list(PURPOSES)[:5] == ["LS", "Glob", "Grep", "Read", "Edit"]
    assert list(PURPOSES)[-1] == "Bash"


def test_the_names_in_the_quoted_sentences_are_names_of_tools():
    assert [named(name).name for name in ("grep", "glob", "read_file")] == ["Grep", "Glob", "Read"]


def test_the_example_is_a_patch_that_shows_every_section():
    text = words({"apply_patch"}, markdown=False)
    patch = parse(text[text.index("*** Begin Patch") :], strict=True)

    assert [type(section).__name__ for section in patch.sections] == ["AddFile", "UpdateFile", "DeleteFile"]


def test_plain_text_has_no_marks_of_markdown():
    assert "`" not in words(EVERY, markdown=False)


@pytest.mark.parametrize("tool", sorted(EVERY))
def test_the_prompt_for_one_tool_speaks_of_that_one(tool):
    text = words({tool}, markdown=True)

    assert f"`{tool}`" in text
    assert [other for other in EVERY - {tool} if f"`{other}`" in text] == []
    assert (FOUNDING[0] in text) == (tool in CHANGING)
    assert (FOUNDING[1] in text) == (tool == "Bash")
    assert ("*** Begin Patch" in text) == (tool in PATCHING)


def test_the_command_prints_it_and_says_how_many_tokens_it_takes(prompt):
    said = prompt()
    text = said.stdout.decode()

    assert (said.status, text) == (0, words(EVERY, markdown=True))
    assert said.stderr.decode() == f"about {-(-len(text) // 4)} tokens\n"


def test_it_is_short(prompt):
    assert len(prompt().stdout) < 500 * 4


def test_the_command_takes_tools_by_any_name_and_a_format(prompt):
    assert prompt("read_file", "exec", "--format", "text").stdout.decode() == words({"Read", "Bash"}, markdown=False)


def test_a_tool_that_is_not_there_is_told(prompt):
    said = prompt("telephone")

    assert (said.status, b"unknown tool 'telephone'" in said.stderr) == (2, True)
