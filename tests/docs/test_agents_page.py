"""docs/agents.md: settings that can be pasted, examples that say what the commands say."""

from __future__ import annotations

import json

import pytest
from doc_examples import Page

from patchkit.tools.exec import DESCRIPTION

PAGE = Page("agents.md")
SETTINGS = {block.heading: json.loads(block.text) for block in PAGE.blocks if block.kind == "json"}
PROGRAMS = [block for block in PAGE.blocks if block.kind == "python"]


@pytest.mark.parametrize("example", PAGE.examples, ids=lambda example: f"{example.heading}-{example.number}")
def test_an_example_says_what_the_page_of_agents_shows(example, try_out):
    try_out(PAGE, example)


@pytest.mark.parametrize(
    ("runtime", "event"), [("Claude Code", "PreToolUse"), ("Codex", "PreToolUse"), ("Gemini CLI", "BeforeTool")]
)
def test_the_settings_of_a_runtime_run_the_hook_before_a_tool(runtime, event):
    (group,) = SETTINGS[runtime]["hooks"][event]

    assert [(hook["type"], hook["command"]) for hook in group["hooks"]] == [("command", "patchkit hook")]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda block: block.heading)
def test_a_program_on_the_page_runs(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    exec(compile(program.text, "agents.md", "exec"), {})


def test_the_sentence_for_the_system_prompt_is_the_one_the_tool_describes_itself_with():
    quoted = " ".join(line[2:] for line in PAGE.prose["Large outputs"].split("\n") if line.startswith("> "))

    assert quoted in DESCRIPTION
