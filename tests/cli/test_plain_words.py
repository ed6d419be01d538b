"""Plain command lines of tools, read without click: the same call that click would make of them."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from patchkit.cli import plain_words, tool_command
from patchkit.cli.plain_words import read
from patchkit.tools.registry import TOOLS, named

COMMANDS = [tool.command for tool in TOOLS if tool.command not in ("apply", "exec", "check")]
WORDS = [
    "a.py",
    "x",
    "-",
    "--",
    "",
    "3",
    "0",
    "-5",
    "1_0",
    " 7",
    "1.5",
    "content",
    "count",
    "nope",
    "é",
    "\udcff",
    "a=b",
]


def by_click(command, words):
    """What click makes of the words: the call, or that it refuses them."""
    calls = []

    def answered(tool, arguments, caller, as_json):
        calls.append((arguments(), caller.root, caller.start, caller.agent, caller.by_hand, as_json))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tool_command, "answer", answered)
        made = tool_command.tool_command(named(command))
        try:
            made.main(args=list(words), prog_name=command, standalone_mode=False)
        except (click.UsageError, click.exceptions.Exit):
            return None
    return calls[0] if calls else None


def options_of(command):
    tool = named(command)
    fields = tool.schema(extended=True)["properties"]
    spelled = [tool.command_line.options.get(field, "--" + field.replace("_", "-")).split("/") for field in fields]
    return sorted(
        {each for spellings in spelled for each in spellings} | {"--root", "--start", "-C", "--json", "--as-agent"}
    )


LINES = st.sampled_from(COMMANDS).flatmap(
    lambda command: st.tuples(
        st.just(command),
        st.lists(
            st.one_of(
                st.sampled_from(WORDS),
                st.sampled_from(options_of(command)),
                st.tuples(st.sampled_from(options_of(command)), st.sampled_from(["=3", "=", "=a b", "3"])).map("".join),
                st.sampled_from(["--help", "-h", "--nosuch", "-xy"]),
            ),
            max_size=6,
        ),
    )
)


@examples(250)
@given(LINES)
def test_words_that_are_read_plainly_are_read_as_click_reads_them(line):
    command, words = line
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.isatty", lambda _: True)  # nothing is piped in
        plain = read(named(command), words)
        if plain is not None:
            call = (plain.arguments, plain.root, plain.start, plain.agent, True, plain.as_json)
            assert call == by_click(command, words)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("glob", ["**/*.py"]),
        ("glob", ["**/*.py", "src", "--limit", "0", "--timeout=0", "--hidden", "--no-ignore", "--root", "/"]),
        ("grep", ["x", "a", "b", "-A", "3", "-C", "1", "-i", "--mode", "count", "--start", "d", "--json"]),
        ("grep", ["--", "--x"]),
        ("ls", []),
        ("ls", ["src", "--ignore", "*.log", "--ignore", "*.tmp"]),
        ("read", ["a.py", "--offset", "5", "--as-agent"]),
    ],
)
def test_the_usual_lines_are_plain(command, words):
    assert read(named(command), words) is not None


@pytest.mark.parametrize(
    "words", [["--help"], ["-h"], [], ["x", "y", "z"], ["x", "--limit", "many"], ["x", "--nosuch"], ["-A3"]]
)
def test_help_and_mistakes_are_left_to_click(words):
    assert read(named("glob"), words) is None


def test_the_environment_names_the_root_and_the_agent(monkeypatch):
    monkeypatch.setenv("PATCHKIT_ROOT", "/somewhere")
    monkeypatch.setenv("PATCHKIT_AGENT", "1")
    plain = read(named("ls"), [])

    assert (plain.root, plain.agent) == ("/somewhere", True)


def test_what_is_not_plain_is_not_answered(monkeypatch):
    monkeypatch.setattr(plain_words, "answer", lambda *_: pytest.fail("answered"))

    plain_words.answer_if_plain(["glob", "--help"])
