"""`grep`, `glob`, `ls` and `log` on a terminal: colours as their peers have them, links, and plain text in a pipe."""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from terminals import Terminal

from patchkit import cli
from patchkit.cli import search_looks
from patchkit.report.spans import linked, on_screen

PATCHKIT = str(Path(sys.executable).with_name("patchkit"))
LINK = re.compile(r"\x1b\]8;;([^\x1b]+)\x1b\\(.*?)\x1b\]8;;\x1b\\")
UNKNOWN = {"TERM_PROGRAM": "", "VTE_VERSION": "", "FORCE_HYPERLINK": ""}


def shown(tree, *words, **settings):
    """What a command writes to a terminal."""
    terminal = Terminal([PATCHKIT, *words], tree, columns=100, **{**UNKNOWN, **settings})
    status, output = terminal.end()
    assert status == 0
    return output


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("import os\nprint(os.name)\n")
    (tmp_path / "now").symlink_to("src")
    (tmp_path / "a b.txt").write_text("os\n")
    return tmp_path


def test_ls_has_the_colours_of_ls(tree):
    assert shown(tree, "ls") == "\x1b[1;36mnow/\x1b[0m\x1b[2m -> \x1b[0msrc\n\x1b[1;34msrc/\x1b[0m\na b.txt\n"


def test_grep_has_the_colours_of_grep(tree):
    lines = shown(tree, "grep", "os", "src", "--mode", "content").splitlines()

    assert (
        lines[0] == "\x1b[35msrc/app.py\x1b[0m\x1b[2m:\x1b[0m\x1b[32m1\x1b[0m\x1b[2m:\x1b[0mimport \x1b[1;31mos\x1b[0m"
    )


def test_a_list_of_files_and_a_glob_have_the_colour_of_names(tree):
    assert shown(tree, "grep", "import").splitlines()[0] == "\x1b[35msrc/app.py\x1b[0m"
    assert shown(tree, "glob", "**/*.py", "--relative").splitlines()[0] == "\x1b[35msrc/app.py\x1b[0m"


def test_names_are_links_where_the_terminal_has_them(tree):
    said = shown(tree, "ls", TERM_PROGRAM="WezTerm")
    place = f"file://{os.uname().nodename}{tree}"

    assert dict(reversed(link) for link in LINK.findall(said)) == {
        "\x1b[1;34msrc/\x1b[0m": f"{place}/src",
        "a b.txt": f"{place}/a%20b.txt",
        "\x1b[1;36mnow/\x1b[0m": f"{place}/now",
    }


def test_no_colour_means_no_colour_and_no_links(tree):
    assert shown(tree, "ls", NO_COLOR="1", TERM_PROGRAM="WezTerm") == "now/ -> src\nsrc/\na b.txt\n"


def test_a_pipe_gets_plain_text(run, tree):
    assert run("ls", name="patchkit", cwd=tree, TERM_PROGRAM="WezTerm").stdout == b"now/ -> src\nsrc/\na b.txt\n"


def test_the_text_on_a_terminal_is_that_of_the_pipe(run, tree):
    for words in (["ls"], ["glob", "*.txt"], ["grep", "os"], ["grep", "o.", "--regex", "--mode", "content", "-A", "1"]):
        piped = run(*words, name="patchkit", cwd=tree).stdout.decode()
        seen = re.sub(r"\x1b\[[\d;]*m", "", shown(tree, *words))

        assert seen == piped


def test_a_log_has_its_files_as_links(run, tree):
    patch = "*** Begin Patch\n*** Update File: a b.txt\n@@\n-os\n+sys\n*** End Patch\n"
    assert run("-q", patch, cwd=tree).status == 0

    assert [link[1] for link in LINK.findall(shown(tree, "log", FORCE_HYPERLINK="1"))] == ["a b.txt"]


@pytest.mark.parametrize(
    ("settings", "links"),
    [
        ({"TERM_PROGRAM": "iTerm.app"}, True),
        ({"VTE_VERSION": "7006"}, True),
        ({"VTE_VERSION": "4000"}, False),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM_PROGRAM": "WezTerm", "TMUX": "/tmp/x"}, False),
        ({"TERM_PROGRAM": "WezTerm", "FORCE_HYPERLINK": "0"}, False),
        ({"FORCE_HYPERLINK": "1"}, True),
    ],
)
def test_a_terminal_that_is_known_to_open_links_gets_them(monkeypatch, settings, links):
    for name in ("TERM_PROGRAM", "VTE_VERSION", "TERM", "TMUX", "FORCE_HYPERLINK", "WT_SESSION"):
        monkeypatch.delenv(name, raising=False)
    for name in ("KONSOLE_VERSION", "KITTY_WINDOW_ID"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "isatty", lambda _stream: True)

    assert cli.takes_links(1) is links


def test_a_name_cannot_leave_its_link():
    span = linked("a\x1b]8;;evil\x1b\\b", "path", "file:///x")

    assert on_screen([span], True, True).count("\x1b]8;;") == 2


HOSTILE = "\x1b]0;evil\x07"
ODD = (
    f"*** Begin Patch\n*** Add File: odd{HOSTILE}\n+{HOSTILE}\n"
    f"*** Update File: a b.txt\n@@\n-x{HOSTILE}\n+y\n*** End Patch\n"
)


@pytest.mark.parametrize(
    "words",
    [
        ["batch", "rows.jsonl", "-o", "out.jsonl", "--group-by", "model"],
        ["study", "done.jsonl", "--group-by", "model"],
        ["convert", "--from", "v4a", "--to", "v4a", "--no-files", "odd.patch"],
        ["apply", "--numstat", "--partial=files", "odd.patch"],
    ],
    ids=lambda words: words[0],
)
def test_nothing_that_a_patch_or_a_table_holds_acts_on_the_terminal(run, tree, words):
    (tree / "odd.patch").write_text(ODD)
    row = {"id": HOSTILE, "model": HOSTILE, "patch": ODD, "files": {"a b.txt": "os\n"}}
    (tree / "rows.jsonl").write_text(json.dumps(row))
    run("batch", "rows.jsonl", "-o", "done.jsonl", name="patchkit", cwd=tree)
    _, output = Terminal([PATCHKIT, *words], tree, NO_COLOR="1", **UNKNOWN).end()

    assert "evil" in output
    assert HOSTILE not in output


@pytest.fixture
def written(monkeypatch):
    """What a search writes beside its output, if its line is shown almost at once."""
    texts = []
    clock = SimpleNamespace(monotonic=itertools.count(0, 0.001).__next__)  # however busy the machine is
    monkeypatch.setattr(cli, "write", lambda _stream, text: texts.append(text))
    monkeypatch.setattr(search_looks, "PATIENCE", 0.001)
    monkeypatch.setattr(search_looks, "time", clock)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    return texts


def until_written(line, written):
    while not written:
        time.sleep(0.001)
    line.end()
    return (written[0], written[-1])


def test_a_search_that_takes_long_says_for_how_long_and_takes_that_away(written):
    assert until_written(search_looks.Waiting("searching"), written) == ("\rsearching … 0 s\x1b[K", "\r\x1b[K")


def test_a_search_with_a_limit_says_how_long_it_may_still_take(written):
    first, last = until_written(search_looks.Waiting("searching", 100), written)

    assert (first, last) == (f"\r[{' ' * 30}] searching … 0 s, at most 2 min more\x1b[K", "\r\x1b[K")


def test_a_quick_search_and_a_dumb_terminal_say_nothing(written, monkeypatch):
    monkeypatch.setattr(search_looks, "PATIENCE", 60)
    search_looks.Waiting("searching").end()
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(search_looks, "PATIENCE", 0.001)
    line = search_looks.Waiting("searching")
    time.sleep(0.02)
    line.end()

    assert written == []
