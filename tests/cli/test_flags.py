"""The table of flags: what it says holds for the packages that define the choices, and for the commands."""

from __future__ import annotations

import pytest

from patchkit.changes.options import DIALECTS
from patchkit.cli import arguments, flags
from patchkit.cli.exit_status import CommandLineError
from patchkit.cli.flags import APPLY, HOOK, INTERCEPT, MCP, Flag, read
from patchkit.cli.help import flag_entries, listed
from patchkit.matching.model import NAMES
from patchkit.report.spans import plain

FLAGS = (
    Flag("-x --extra", "extra", "do more", " (default: less)"),
    Flag("--level", "level", "how much", value="N"),
    Flag("--where", "where", "in which directory", value="DIR"),
    Flag("--kind", "kind", "which kind", value="NAME", choices=("a", "b")),
)


def test_the_choices_are_those_of_the_packages_that_define_them():
    assert (tuple(NAMES), tuple(DIALECTS)) == (flags.PASS_NAMES, flags.DIALECT_NAMES)


def test_the_limit_in_the_help_is_the_limit_of_a_run_without_arguments():
    assert arguments.MOST_PATCH_BYTES == flags.MOST_PATCH_BYTES


@pytest.mark.parametrize("table", [APPLY, INTERCEPT, HOOK, MCP], ids=["apply_patch", "intercept", "hook", "mcp"])
def test_a_command_has_no_two_flags_of_one_name_or_field(table):
    names = [name for flag in table for name in flag.names]
    fields = [flag.field for flag in table]

    assert (len(names), len(fields)) == (len(set(names)), len(set(fields)))


def test_flags_are_read_from_left_to_right_and_the_last_value_counts():
    line = read(["-x", "--level=1", "word", "--level", "2", "--kind=b", "-", "--", "--extra"], FLAGS, "it")

    assert (line.values, line.words, line.behind) == (
        {"extra": True, "level": 2, "kind": "b"},
        ["word", "-"],
        ["--extra"],
    )


def test_a_word_of_several_lines_is_never_a_flag():
    assert read(["-x\n--level"], FLAGS, "it").words == ["-x\n--level"]


def test_reading_can_stop_at_the_first_word():
    line = read(["-x", "ls", "-la"], FLAGS, "it", until_word=True)

    assert (line.values, line.words) == ({"extra": True}, ["ls", "-la"])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--nosuch"], "unknown option '--nosuch'; 'it --help' lists them"),
        (["--extra=yes"], "option '--extra' takes no value: '--extra=yes'"),
        (["--where"], "option '--where' needs a value"),
        (["--level", "-1"], "option '--level' needs a number, not '-1'"),
        (["--kind", "c"], "option '--kind' cannot be 'c'; use one of: a, b"),
    ],
)
def test_a_wrong_word_is_a_usage_error(words, complaint):
    with pytest.raises(CommandLineError) as raised:
        read(words, FLAGS, "it")

    assert str(raised.value) == complaint


def test_help_has_the_names_on_the_left_and_the_words_on_the_right():
    entries = flag_entries((*FLAGS[:2], Flag("--a-very-long-name", "long", "word " * 15 + "end", value="NAME")))

    assert plain(listed(entries, 80)) == (
        "  -x, --extra        do more (default: less)\n"
        "  --level N          how much\n"
        "  --a-very-long-name NAME\n"
        "                     word word word word word word word word word word word word\n"
        "                     word word word end\n"
    )
