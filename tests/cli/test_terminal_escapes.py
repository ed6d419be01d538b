"""No name and no content of a file acts on the terminal: control characters are shown, not written."""

from __future__ import annotations

import sys

import pytest
from terminals import Terminal

TITLE, CLEAR, BELL, EIGHT_BIT = "\x1b]0;owned\x07", "\x1b[2J", "\x07", "\x9b2J"
HOSTILE = TITLE + CLEAR + EIGHT_BIT
NAME = f"a{HOSTILE}b.txt"
PATCHKIT = [sys.executable, "-m", "patchkit"]
PATCH = f"*** Begin Patch\n*** Update File: {NAME}\n@@\n-two\n+t{HOSTILE}\n*** End Patch\n"


@pytest.fixture
def tree(tmp_path):
    """A session that has read a file with a hostile name, and a run that changed it."""
    (tmp_path / NAME).write_text(f"one{HOSTILE}\ntwo\n")
    (tmp_path / "plain.txt").write_text(f"x{HOSTILE}\n")
    (tmp_path / "patch.txt").write_text(PATCH)
    return tmp_path


def on_a_terminal(tree, *words):
    """What a command writes to a terminal, without the line ends and colours of its own."""
    state = {"XDG_STATE_HOME": str(tree.parent / "state"), "NO_COLOR": "1"}
    _, output = Terminal([*PATCHKIT, *words], tree, 500, **state).end()
    return output


@pytest.mark.parametrize(
    "words",
    [
        ["read", NAME],
        ["read", "plain.txt"],
        ["diff", "plain.txt", NAME],
        ["ls"],
        ["glob", "*"],
        ["grep", "one"],
        ["apply", "--check", "patch.txt"],
        ["apply", "patch.txt"],
        ["apply", f"no{HOSTILE}.txt"],
        ["edit", NAME, "--old", f"z{HOSTILE}", "--new", "y"],
        ["policy", "Read", f'{{"file_path": "{NAME.encode("unicode_escape").decode().replace("x", "u00")}"}}'],
        ["explain", HOSTILE],
        [HOSTILE],
    ],
    ids=lambda words: words[0].encode("unicode_escape").decode(),
)
def test_nothing_of_a_file_or_an_argument_acts_on_the_terminal(tree, words):
    output = on_a_terminal(tree, *words)

    assert [each for each in ("\x1b", "\x07", "\x9b") if each in output] == []
    assert "owned" in output, "the text itself is there"


def test_a_session_shows_names_without_acting_on_the_terminal(tree):
    on_a_terminal(tree, "read", NAME)
    output = on_a_terminal(tree, "session")

    assert output == "current  a\\x1b]0;owned\\x07\\x1b[2J\\x9b2Jb.txt\n"


def test_the_history_shows_names_without_acting_on_the_terminal(tree):
    on_a_terminal(tree, "apply", "patch.txt")
    outputs = [on_a_terminal(tree, *words) for words in (["log"], ["undo", "--show"], ["undo"])]

    assert [[each for each in ("\x1b", "\x07", "\x9b") if each in output] for output in outputs] == [[], [], []]
    assert ["owned" in output for output in outputs] == [True, True, True]
